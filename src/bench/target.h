/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Targets: what pages can be written to and read from. One file a kind, one table (target.c).
 *
 * An open target has n_slots numbered slots of 4096 bytes and is driven by workers, each in slots
 * of its own, so its read and write are called by several threads at once, but never for one slot.
 * Every target does the work of a full pass inside of these calls; the loop around them costs the
 * same for all.
 *
 * Ownership: a config belongs to its array (target_plan) and outlives what is opened from it; pages
 * at a write are the caller's and are not changed.
 */
#ifndef SNUG_BENCH_TARGET_H
#define SNUG_BENCH_TARGET_H

#include "codec.h"

#include <stddef.h>
#include <stdint.h>

struct err;
struct page_set;
struct pool_ops;
struct target_ops;

#define TARGET_CHUNK \
	256 /* pages of one call at most: 1 MiB, at an address that is a multiple of 4096 */
#define TARGET_NAME_MAX	     64
#define TARGET_ALGORITHM_MAX 32

/* One row of the result: a kind of target in all its particulars. */
struct target_config {
	const struct target_ops *ops;
	char name[TARGET_NAME_MAX];	  /* "engine", "zram:lzo-rle@4k" */
	char codec[TARGET_ALGORITHM_MAX]; /* as it was written */
	struct codec_spec spec;		  /* raw, engine */
	const struct pool_ops *pool;	  /* engine; NULL for others */
	size_t block_bytes;		  /* zram: of one request */
	unsigned threads;
	uint64_t size_bytes; /* 0: as many as there are pages */
};

/* What there is to open it for. */
struct target_setup {
	const struct target_config *config;
	const struct page_set *pages; /* slot i will hold page i modulo their number */
	uint64_t n_slots;
	uint64_t
		mem_limit_bytes; /* for what it holds; 0: none. Over it, writes fail with -errno. */
	int root;		 /* an open "/" */
};

/* What it holds when all slots have been written, in zram's terms; huge_pages is -1 if unknown. */
struct footprint {
	uint64_t orig_bytes;
	uint64_t compr_bytes;
	uint64_t mem_used_bytes; /* pages that hold compressed data, slack included */
	uint64_t meta_bytes;	 /* tables and dictionaries, where they can be known */
	uint64_t dict_bytes;	 /* the dictionaries of them */
	uint64_t same_pages;
	int64_t huge_pages;
};

struct target_ops {
	const char *name;  /* before the colon, if any */
	const char *about; /* half a line for --help */
	bool by_codec;	   /* comes once for each codec; else the argument names an algorithm */
	bool by_pool;
	/*
	 * Optional: turns the argument into up to TARGET_VARIANTS configs that differ in name,
	 * codec and block size.
	 */
	int (*variants)(const char *argument, struct target_config *configs, size_t *ret_n,
			struct err *e);
	/* Optional: does the machine have what open needs? Asked before anything is timed. */
	int (*check)(const struct target_setup *setup, struct err *e);
	int (*open)(const struct target_setup *setup, void **ret, struct err *e);
	/* Takes NULL. An error means that something is left behind. */
	int (*close)(void *target, struct err *e);
	int (*write)(void *target, unsigned worker, uint64_t slot, const void *pages, size_t n);
	int (*read)(void *target, unsigned worker, uint64_t slot, void *pages, size_t n);
	void (*settle)(void *target); /* optional: waits for work begun behind the writes */
	int (*measure)(void *target, struct footprint *ret, struct err *e);
};

#define TARGET_VARIANTS 2

extern const struct target_ops target_raw, target_engine, target_zram;

/* The table, in the order of --help; NULL beyond its end. */
const struct target_ops *target_at(size_t index);

/* The lists of the command line, each comma-separated and each with at least one word. */
struct target_lists {
	const char *targets, *codecs, *pools, *threads;
	const char *sizes; /* NULL: the size of the pages */
};

/* Every combination of the lists that makes sense. *ret is to be freed. */
int target_plan(const struct target_lists *lists, struct target_config **ret, size_t *ret_n,
		struct err *e);

/* Adds a second sentence, of what went wrong when cleaning up after the first. */
void target_also(struct err *e, const struct err *more);

#endif
