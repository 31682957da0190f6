/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A read-only snapshot of the machine, as far as swap and compressed memory go. Every attribute is
 * probed and none is assumed: what this kernel does not have, does not show to this user, or writes
 * in a way unknown to us is FACTS_UNKNOWN, an empty string, or an empty list.
 */
#ifndef SNUG_HOST_FACTS_H
#define SNUG_HOST_FACTS_H

#include "kerntext.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define FACTS_UNKNOWN (-1)
#define FACTS_SWAPS   32 /* MAX_SWAPFILES of the kernel */
#define FACTS_ZRAMS   32

struct facts_zram {
	unsigned number; /* zramN */
	char algorithm[KERNTEXT_WORD_MAX];
	char backing[256]; /* empty: none */
	int64_t disksize_bytes;
	struct kerntext_mm_stat mm; /* orig_data_size -1: unknown */
};

enum facts_zram_state {
	FACTS_ZRAM_ABSENT,   /* neither in the kernel nor among its modules */
	FACTS_ZRAM_LOADABLE, /* a module that is not loaded */
	FACTS_ZRAM_PRESENT,
};

struct facts_zswap {
	bool present;
	bool enabled;
	char compressor[KERNTEXT_WORD_MAX];
	char zpool[KERNTEXT_WORD_MAX]; /* empty since Linux 6.18, which has no choice */
	int64_t max_pool_percent;
	int64_t pool_bytes;   /* what it holds */
	int64_t stored_bytes; /* what that was before compression */
};

struct facts {
	char kernel[96];
	unsigned kernel_major, kernel_minor; /* 0.0: unknown */
	char cpu_model[96];
	int64_t cpus;
	int64_t mem_total_bytes, mem_available_bytes, swap_total_bytes, swap_free_bytes;
	struct kerntext_swap swaps[FACTS_SWAPS];
	size_t n_swaps;
	int64_t swappiness, page_cluster;
	char thp[KERNTEXT_WORD_MAX];
	enum facts_zram_state zram;
	struct facts_zram zrams[FACTS_ZRAMS]; /* those that are set up */
	size_t n_zrams;
	/* What zram offers, asked of any device; n = 0 when there is none to ask. */
	struct kerntext_choice zram_algorithms;
	struct facts_zswap zswap;
	int64_t zsmalloc_chain_pages; /* CONFIG_ZSMALLOC_CHAIN_SIZE */
};

/* root: a directory that has proc and sys below it; "/" opened, or a test's tree. */
void facts_read(int root, struct facts *ret);

/* Does this kernel's zram offer the algorithm? Also false where there is no zram device to ask. */
bool facts_offer_algorithm(const struct facts *f, const char *name);

#endif
