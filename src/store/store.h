/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compressed page store: a device of numbered 4 KiB slots with zram's semantics and names.
 *
 * Locking: any call from any thread, but open, close and reset, which want the store for
 * themselves. A read sees what the last finished write of that slot wrote; two writes of one slot
 * at once leave one of them. Readers never wait for compaction or for the training of a dictionary.
 * Failure: -errno; a failed write leaves the slot as it was. A slot never written reads as zeros.
 */
#ifndef SNUG_STORE_H
#define SNUG_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct snug_store;

#define SNUG_PAGE_BYTES	   4096
#define SNUG_CODEC_DEFAULT "zstd:1+auto"
#define SNUG_POOL_DEFAULT  "zsmalloc"

struct snug_store_options {
	uint64_t size_bytes; /* capacity before compression, a multiple of 4096 (zram: disksize) */
	const char *codec;   /* NULL: SNUG_CODEC_DEFAULT */
	const char *pool;    /* NULL: SNUG_POOL_DEFAULT */
	uint64_t mem_limit_bytes; /* most that the pool may hold; 0: no limit */
	bool lock_memory;	  /* keep pool and table in RAM (mlock) */
	bool wipe_on_free;	  /* zero freed objects */
};

int snug_store_open(const struct snug_store_options *o, struct snug_store **ret, struct err *e);
void snug_store_close(struct snug_store *s);

/*
 * One slot, 4096 bytes at page, of any alignment. write: -ENOMEM when the pool is at its limit or
 * the system has no memory. read: -EIO if the stored bytes do not decode. Both: -EINVAL beyond the
 * last slot.
 */
int snug_store_write(struct snug_store *s, uint64_t slot, const void *page);
int snug_store_read(struct snug_store *s, uint64_t slot, void *page);
/* Empties count slots from first. -EINVAL beyond the last slot. */
int snug_store_discard(struct snug_store *s, uint64_t first, uint64_t count);

/* Batches. Stops at the first failure and returns it; *ret_done (may be NULL) is how many went
 * through. */
struct snug_io {
	uint64_t slot;
	void *page; /* only read by writev */
};

int snug_store_writev(struct snug_store *s, const struct snug_io *io, size_t n, size_t *ret_done);
int snug_store_readv(struct snug_store *s, const struct snug_io *io, size_t n, size_t *ret_done);

/* All slots empty, statistics from zero, dictionaries forgotten. */
void snug_store_reset(struct snug_store *s);
/* Moves objects together and gives whole zspages back; returns pages freed. Reads and writes go on.
 */
uint64_t snug_store_compact(struct snug_store *s);
void snug_store_set_mem_limit(struct snug_store *s, uint64_t bytes);
/* mem_used_max starts over from what is used now (zram: echo 0 > mem_used_max). */
void snug_store_reset_mem_used_max(struct snug_store *s);
/*
 * Has done at once what the store would do in spare time (training on what is stored now,
 * compaction), and waits for it. For measuring, and before a long rest.
 */
void snug_store_settle(struct snug_store *s);

/* The kernel's names (Documentation/admin-guide/blockdev/zram.rst), then what only this engine has.
 */
struct snug_store_stats {
	/* mm_stat */
	uint64_t orig_data_size;  /* bytes, same-filled pages too */
	uint64_t compr_data_size; /* bytes of the objects */
	uint64_t mem_used_total;  /* bytes that the pool holds */
	uint64_t mem_limit;
	uint64_t mem_used_max;
	uint64_t same_pages;
	uint64_t pages_compacted;
	uint64_t huge_pages;
	uint64_t huge_pages_since;
	/* io_stat */
	uint64_t failed_reads;
	uint64_t failed_writes;
	uint64_t invalid_io;
	uint64_t notify_free;
	/* stat */
	uint64_t num_reads;
	uint64_t num_writes;
	/* beyond zram */
	uint64_t meta_bytes; /* slot table, descriptors, dictionaries; not in mem_used_total */
	uint64_t dict_generations; /* trained so far */
	uint64_t dict_bytes;	   /* held by live dictionaries; part of meta_bytes */
	bool dict_in_use;	   /* do new pages go through a dictionary? */
};

void snug_store_get_stats(struct snug_store *s, struct snug_store_stats *ret);

/* orig_data_size over all that the store holds (mem_used_total + meta_bytes); 0 when empty. */
double snug_store_ratio(const struct snug_store_stats *st);

#endif
