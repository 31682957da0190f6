/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Swap on zram, on devices that are added for each trial. Several devices swap at the same
 * priority, so that the kernel goes round them.
 *
 * The order of attributes is the kernel's: algorithm and its parameters, backing device, size, then
 * limit. The kernel does not write back to a backing device by itself: something has to ask it to.
 * Here, as tools do it, pages that nobody touched since the last look go out once the pool is near
 * its limit.
 */
#include "backends.h"

#include "err.h"
#include "loop.h"
#include "swap.h"
#include "undo.h"
#include "units.h"
#include "zram.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int zram_option(struct backend *b, const char *key, const char *value, struct err *e)
{
	int64_t number;
	int r;

	if (!*key)
		return backend_take_word(b, key, value, b->algorithm, sizeof(b->algorithm), e);
	if (strcmp(key, "devices") == 0) {
		r = units_parse_int(value, 1, BACKEND_DEVICES, "backend zram: devices", &number, e);
		if (r == 0)
			b->devices = (unsigned)number;
		return r;
	}
	if (strcmp(key, "level") == 0) {
		r = units_parse_int(value, -100, 100, "backend zram: level", &number, e);
		if (r == 0)
			snprintf(b->level, sizeof(b->level), "%" PRId64, number);
		return r;
	}
	if (strcmp(key, "limit") == 0)
		return units_parse_size(value, 0, "backend zram: limit", &b->limit_bytes, e);
	if (strcmp(key, "size") == 0)
		return units_parse_size(value, 0, "backend zram: size", &b->size_bytes, e);
	if (strcmp(key, "backing") == 0)
		return backend_take_word(b, key, value, b->backing, sizeof(b->backing), e);
	return backend_unknown_option(b, key, e);
}

static uint64_t part_of(uint64_t bytes, unsigned devices)
{
	return (bytes / devices + 4095) / 4096 * 4096;
}

/* A device with all that comes before its size; this is also the test whether it can be had. */
static int add_device(const struct backend *b, const struct backend_setup *s,
		      struct zram_device *ret, struct err *e)
{
	char params[32];
	int r = zram_add(s->undo, ret, e);

	if (r == 0)
		r = zram_set_algorithm(ret, b->algorithm, e);
	if (r == 0 && *b->level) {
		snprintf(params, sizeof(params), "level=%s", b->level);
		r = zram_set_params(ret, params, e);
	}
	if (r == 0 && *b->swap_path)
		r = zram_set_backing(ret, b->swap_path, e);
	return r;
}

/* b->swap_path becomes the block device behind zram: the one given, or a loop device over a file.
 */
static int prepare_backing(struct backend *b, const struct backend_setup *s, struct err *e)
{
	char file[512];
	uint64_t bytes;
	int r;

	if (b->devices > 1)
		return err_usage(e, -EINVAL, "backend '%s': backing= goes with one device only",
				 b->name);
	if (*b->backing == '/') {
		/* zram leaves the first block alone, and so the label that says it may be used. */
		r = swap_device_check(s->root, b->backing, &bytes, e);
		if (r == 0)
			strcpy(b->swap_path, b->backing);
		return r;
	}
	r = units_parse_size(b->backing, 0, "backend zram: backing", &bytes, e);
	if (r == 0)
		r = swap_file_make(s->undo, s->directory, bytes, s->tell, s->arg, file,
				   sizeof(file), e);
	if (r == 0)
		r = loop_attach(s->undo, file, b->swap_path, sizeof(b->swap_path), e);
	return r;
}

static int zram_prepare(struct backend *b, const struct backend_setup *s, struct err *e)
{
	struct zram_device d;
	size_t mark;
	int r = 0, back;

	if (*b->backing)
		r = prepare_backing(b, s, e);
	if (r < 0)
		return r;
	if (*b->swap_path)
		snprintf(b->disk, sizeof(b->disk), "%s", strrchr(b->swap_path, '/') + 1);
	mark = undo_mark(s->undo);
	r = add_device(b, s, &d, e);
	back = undo_back(s->undo, mark, r < 0 ? NULL : e);
	return r < 0 ? r : back;
}

static int start_device(struct backend *b, const struct backend_setup *s, unsigned i, struct err *e)
{
	struct zram_device d;
	char path[32];
	int r = add_device(b, s, &d, e);

	if (r < 0)
		return r;
	b->zram_ids[i] = d.id;
	snprintf(b->traffic[i], sizeof(b->traffic[i]), "zram%d", d.id);
	snprintf(path, sizeof(path), "/dev/zram%d", d.id);
	r = zram_set_size(&d, part_of(b->size_bytes ? b->size_bytes : s->swap_bytes, b->devices),
			  e);
	if (r == 0 && b->limit_bytes)
		r = zram_set_mem_limit(&d, part_of(b->limit_bytes, b->devices), e);
	if (r == 0)
		r = swap_format(s->root, path, e);
	return r < 0 ? r : swap_on(s->undo, path, BACKEND_PRIORITY, e);
}

static int zram_start(struct backend *b, const struct backend_setup *s, struct err *e)
{
	int r = 0;

	for (b->n_traffic = 0; r == 0 && b->n_traffic < b->devices; b->n_traffic++)
		r = start_device(b, s, b->n_traffic, e);
	return r;
}

static void add(int64_t *sum, int64_t n)
{
	*sum = *sum < 0 || n < 0 ? -1 : *sum + n;
}

static void zram_read_pool(const struct backend *b, int root, struct backend_pool *ret)
{
	struct backend_pool sum = {0};

	for (unsigned i = 0; i < b->devices; i++) {
		const struct zram_device d = {.root = root, .id = b->zram_ids[i]};
		struct kerntext_mm_stat mm = {-1, -1, -1, -1, -1, -1, -1, -1, -1};

		if (zram_read_stat(&d, &mm, NULL) < 0)
			mm.orig_data_size = mm.mem_used_total = -1;
		add(&sum.orig_bytes, mm.orig_data_size);
		add(&sum.mem_used_bytes, mm.mem_used_total);
		add(&sum.same_pages, mm.same_pages);
		add(&sum.huge_pages, mm.huge_pages);
	}
	*ret = sum;
}

static void zram_tend(struct backend *b, int root)
{
	const struct zram_device d = {.root = root, .id = b->zram_ids[0]};
	struct kerntext_mm_stat mm;

	if (!*b->backing || zram_read_stat(&d, &mm, NULL) < 0)
		return;
	if (b->limit_bytes && (uint64_t)mm.mem_used_total < b->limit_bytes / 10 * 8)
		return;
	zram_writeback(&d, "idle", NULL);
	zram_mark_idle(&d, NULL);
}

const struct backend_ops backend_zram = {
	.name = "zram",
	.grammar = ":ALG[,level=N][,devices=N][,size=SIZE][,limit=SIZE][,backing=/dev/X|SIZE]",
	.about = "compressed RAM; with backing=, cold pages are written back to a disk",
	.needs_argument = true,
	.option = zram_option,
	.prepare = zram_prepare,
	.start = zram_start,
	.read_pool = zram_read_pool,
	.tend = zram_tend,
};
