/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zswap (mm/zswap.c). What it offers cannot be looked up: compressors are crypto modules that load
 * by name. So each parameter is written, and the kernel's refusal becomes the sentence.
 *
 * It is turned on last, so that undo_back turns it off first. Before it is on for the first time
 * since boot the kernel takes any name, makes the pool with its own defaults if there is no such
 * thing, and says so in its log alone. Hence both names are set once more when it is on: they are
 * then either what was asked for, and nothing is done, or refused as they should have been.
 *
 * Its counters have moved: pool and stored bytes are in /proc/meminfo since Linux 5.19 and in
 * debugfs before, written-back pages in /proc/vmstat since 6.8, same-filled pages nowhere since
 * 6.12, where swap itself sees to them. debugfs is often not mounted.
 */
#include "zswap.h"

#include "cleanup.h"
#include "err.h"
#include "facts.h"
#include "facts_zram.h"
#include "fields.h"
#include "kerntext.h"
#include "knob.h"
#include "sysread.h"
#include "undo.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#define PARAMETERS "sys/module/zswap/parameters/"
#define COUNTERS   "sys/kernel/debug/zswap/"

static int set_compressor(struct undo *u, const char *name, struct err *e)
{
	int r = knob_set(u, PARAMETERS "compressor", name, e);

	if (r != -ENOENT && r != -EINVAL)
		return r;
	return err_missing(e, r,
			   "this kernel has no compressor '%s' for zswap; load its module, or "
			   "choose one that /proc/crypto lists",
			   name);
}

static int set_zpool(struct undo *u, const char *name, struct err *e)
{
	int r;

	if (!sysread_exists(undo_root(u), PARAMETERS "zpool"))
		return err_missing(e, -ENOENT,
				   "this kernel has no choice of zpool (since 6.18 it is always "
				   "zsmalloc); leave out '%s'",
				   name);
	r = knob_set(u, PARAMETERS "zpool", name, e);
	if (r != -ENOENT && r != -EINVAL)
		return r;
	return err_missing(e, r,
			   "this kernel has no zpool '%s'; load its module, or choose another "
			   "(zsmalloc, zbud or z3fold)",
			   name);
}

static int set_names(struct undo *u, const struct zswap_request *q, struct err *e)
{
	int r = set_compressor(u, q->compressor, e);

	return r == 0 && q->zpool ? set_zpool(u, q->zpool, e) : r;
}

int zswap_enable(struct undo *u, const struct zswap_request *q, struct err *e)
{
	char percent[24];
	int r;

	if (!sysread_exists(undo_root(u), PARAMETERS "enabled"))
		return err_missing(e, -ENOENT,
				   "this kernel has no zswap (CONFIG_ZSWAP); use one that was "
				   "built with it, or zram instead");
	r = set_names(u, q, e);
	if (r == 0 && q->max_pool_percent >= 0) {
		snprintf(percent, sizeof(percent), "%" PRId64, q->max_pool_percent);
		r = knob_set(u, PARAMETERS "max_pool_percent", percent, e);
	}
	if (r == 0)
		r = knob_set(u, PARAMETERS "enabled", "Y", e);
	return r < 0 ? r : set_names(u, q, e);
}

int zswap_disable(struct undo *u, struct err *e)
{
	struct facts_zswap z = {0};

	facts_zswap_read(undo_root(u), &z);
	return z.enabled ? knob_set(u, PARAMETERS "enabled", "N", e) : 0;
}

static int64_t read_meminfo(int root, const char *key)
{
	CLEANUP_FREE char *text = NULL;
	uint64_t bytes;

	if (sysread_text(root, &text, "proc/meminfo") < 0 ||
	    kerntext_meminfo(text, key, &bytes) < 0)
		return -1;
	return (int64_t)bytes;
}

static int64_t read_counter(int root, const char *name)
{
	int64_t n;

	return sysread_number(root, &n, COUNTERS "%s", name) == 0 ? n : -1;
}

static int64_t read_written_back(int root)
{
	CLEANUP_FREE char *text = NULL;
	int64_t pages;

	if (sysread_text(root, &text, "proc/vmstat") == 0 &&
	    fields_of_key(text, "zswpwb", &pages) == 0)
		return pages;
	return read_counter(root, "written_back_pages");
}

static int64_t read_rejected(int root)
{
	/* Those of all kernels; each has some of them. */
	static const char *const reasons[] = {
		"reject_reclaim_fail",	"reject_alloc_fail",	"reject_kmemcache_fail",
		"reject_compress_fail", "reject_compress_poor",
	};
	int64_t sum = -1;

	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		int64_t n = read_counter(root, reasons[i]);

		if (n >= 0 && __builtin_add_overflow(sum < 0 ? 0 : sum, n, &sum))
			return -1;
	}
	return sum;
}

void zswap_read(int root, struct zswap_stat *ret)
{
	struct facts_zswap z = {
		.pool_bytes = read_meminfo(root, "Zswap"),
		.stored_bytes = read_meminfo(root, "Zswapped"),
	};

	*ret = (struct zswap_stat){-1, -1, -1, -1, -1};
	facts_zswap_read(root, &z);
	if (!z.present)
		return;
	ret->pool_bytes = z.pool_bytes;
	ret->stored_bytes = z.stored_bytes;
	ret->same_filled_pages = read_counter(root, "same_filled_pages");
	ret->written_back_pages = read_written_back(root);
	ret->rejected_pages = read_rejected(root);
}
