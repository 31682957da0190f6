/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zswap: a compressed pool in front of swap on a disk. Where the machine's control groups are of
 * version 2, its pool is charged to the workload's group; on version 1 it is not, and the budget
 * follows it as it follows a zram device (mm/zswap.c charges by obj_cgroup_charge_zswap, on the
 * default hierarchy alone).
 */
#include "backends.h"

#include "cgroup.h"
#include "err.h"
#include "undo.h"
#include "units.h"
#include "zswap.h"

#include <errno.h>
#include <string.h>

static int zswap_option(struct backend *b, const char *key, const char *value, struct err *e)
{
	if (!*key)
		return backend_take_word(b, key, value, b->algorithm, sizeof(b->algorithm), e);
	if (strcmp(key, "pool") == 0)
		return backend_take_word(b, key, value, b->zpool, sizeof(b->zpool), e);
	if (strcmp(key, "max") == 0)
		return units_parse_int(value, 1, 100, "backend zswap: max", &b->max_percent, e);
	if (strcmp(key, "on") == 0 && *value != '/')
		return err_usage(e, -EINVAL,
				 "backend '%s': on= takes a folder or a device, from / on",
				 b->name);
	if (strcmp(key, "on") == 0)
		return backend_take_word(b, key, value, b->medium, sizeof(b->medium), e);
	return backend_unknown_option(b, key, e);
}

static struct zswap_request request_of(const struct backend *b)
{
	return (struct zswap_request){
		.compressor = b->algorithm,
		.zpool = *b->zpool ? b->zpool : NULL,
		.max_pool_percent = b->max_percent,
	};
}

/* Tries it on and takes it back: the kernel alone knows what it can do. */
static int zswap_prepare(struct backend *b, const struct backend_setup *s, struct err *e)
{
	struct zswap_request q = request_of(b);
	size_t mark = undo_mark(s->undo);
	int version = 0, r = zswap_enable(s->undo, &q, e), back;

	back = undo_back(s->undo, mark, r < 0 ? NULL : e);
	if (r == 0)
		r = back;
	if (r < 0)
		return r;
	b->uses_zswap = true;
	b->charged = cgroup_check(s->root, &version, NULL) == 0 && version == 2;
	return medium_prepare(b, s, e);
}

/* zswap first: it looks after swap devices that come later, and after those that are there. */
static int zswap_start(struct backend *b, const struct backend_setup *s, struct err *e)
{
	struct zswap_request q = request_of(b);
	int r = zswap_enable(s->undo, &q, e);

	return r < 0 ? r : medium_start(b, s, e);
}

static void zswap_read_pool(const struct backend *b, int root, struct backend_pool *ret)
{
	struct zswap_stat stat;

	zswap_read(root, &stat);
	*ret = (struct backend_pool){.orig_bytes = stat.stored_bytes,
				     .mem_used_bytes = stat.pool_bytes,
				     .same_pages = stat.same_filled_pages,
				     .huge_pages = -1};
}

const struct backend_ops backend_zswap = {
	.name = "zswap",
	.grammar = ":ALG[,pool=NAME][,max=PERCENT][,on=FOLDER|/dev/X]",
	.about = "a compressed pool in front of a swap file or device",
	.needs_argument = true,
	.option = zswap_option,
	.prepare = zswap_prepare,
	.start = zswap_start,
	.read_pool = zswap_read_pool,
};
