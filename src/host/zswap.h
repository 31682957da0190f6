/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zswap, a compressed pool in front of a swap device: /sys/module/zswap/parameters, and its
 * counters from wherever this kernel has them (debugfs, /proc/vmstat, /proc/meminfo).
 * Documentation/admin-guide/mm/zswap.rst.
 */
#ifndef SNUG_HOST_ZSWAP_H
#define SNUG_HOST_ZSWAP_H

#include <stdint.h>

struct err;
struct undo;

struct zswap_request {
	const char *compressor;
	const char *zpool;	  /* NULL: as it is */
	int64_t max_pool_percent; /* of RAM, 1 to 100; -1: as it is */
};

/*
 * Sets the parameters and turns it on; undo_back restores them. ERR_MISSING, with the way out, for
 * a kernel without zswap, without the compressor, or without a choice of zpool (none since 6.18).
 */
int zswap_enable(struct undo *u, const struct zswap_request *q, struct err *e);

/* Turned off until undo_back, so that it is not in front of what is measured. Nothing to do: 0. */
int zswap_disable(struct undo *u, struct err *e);

/* Since boot or as it stands; -1 where this kernel does not tell. */
struct zswap_stat {
	int64_t pool_bytes;   /* what the pool holds of RAM */
	int64_t stored_bytes; /* what that was before compression */
	int64_t same_filled_pages;
	int64_t written_back_pages; /* pushed out to the swap device */
	int64_t rejected_pages;	    /* all reasons added up */
};

/* All -1 on a kernel without zswap. */
void zswap_read(int root, struct zswap_stat *ret);

#endif
