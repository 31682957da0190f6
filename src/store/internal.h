/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of a store, private to this folder.
 *
 * A write goes slot by slot through a stream (stream.c): same-filled check, codec, pool, and one
 * swap of the slot's entry. The recipe that new pages are compressed by is chosen by training
 * (trainer.c) on the store's own slots, which the keeper's thread does (keeper.c), as it does
 * compaction (compact.c).
 */
#ifndef SNUG_STORE_INTERNAL_H
#define SNUG_STORE_INTERNAL_H

#include "codec.h"
#include "page.h"
#include "pool.h"
#include "rng.h"
#include "slot.h"
#include "store.h"

#include <pthread.h>

_Static_assert(SNUG_PAGE_BYTES == PAGE_BYTES, "the public header and the house agree on pages");

/* What a stream has counted; live ones go below zero when a slot is freed by another stream. */
enum counter {
	COUNT_PAGES_STORED, /* live: slots that are not empty */
	COUNT_COMPR_BYTES,  /* live */
	COUNT_SAME_PAGES,   /* live */
	COUNT_HUGE_PAGES,   /* live */
	COUNT_HUGE_SINCE,
	COUNT_READS,
	COUNT_WRITES,
	COUNT_FAILED_READS,
	COUNT_FAILED_WRITES,
	COUNT_INVALID,
	COUNT_FREED,
	COUNTERS,
};

/*
 * Codec context, buffer and counters for one thread at a time, in the manner of zram's per-CPU
 * streams: taken by the CPU the thread runs on, or the next free one.
 */
struct stream {
	_Alignas(64) atomic_bool busy;
	_Atomic int64_t uses;  /* finished */
	struct codec_ctx *ctx; /* made at the first use */
	char *buffer;	       /* CODEC_BUFFER_BYTES(PAGE_BYTES) */
	unsigned unreported;   /* pages compressed since the keeper was told, and their bytes */
	uint64_t unreported_bytes;
	_Atomic int64_t count[COUNTERS];	   /* written by the holder alone */
	_Atomic int64_t recipe_live[SLOT_RECIPES]; /* slots made by each recipe, likewise */
};

/* All but the thread is guarded by the lock; see policy.h for the rules. */
struct keeper {
	bool running; /* a thread exists */
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t wake; /* something is due, or stop */
	pthread_cond_t idle; /* something has been done */
	unsigned due;	     /* tasks, see keeper.c */
	bool busy;
	atomic_bool stop;
	uint64_t pages;	       /* compressed so far */
	uint64_t next_at;      /* pages at which the next training is due in any case */
	uint64_t trained_with; /* compressed pages stored when training last ended */
	uint64_t tidied_at;
	uint64_t refreshed_at; /* pages when that was last begun */
	uint64_t idle_at;      /* pages when spare time had nothing more to give */
	uint64_t window_pages; /* a recent stretch of them, to see whether the data has changed */
	uint64_t window_bytes;
	uint64_t expected_bytes; /* a page, as measured when the recipe was chosen; 0: unknown */
};

struct snug_store {
	slot_t *table;
	uint64_t n_slots;
	struct pool *pool;
	struct codec_spec codec;
	size_t huge_size;
	_Atomic uint64_t mem_limit;
	struct stream *streams;
	unsigned n_streams;
	_Atomic uint64_t pages_compacted;
	/* Recipe 0 is without a dictionary. A recipe's params live until no slot and no stream uses
	 * them. */
	struct codec_params *_Atomic recipes[SLOT_RECIPES];
	_Atomic unsigned recipe; /* for new pages */
	_Atomic uint64_t dict_bytes;
	_Atomic uint64_t dict_generations;
	struct keeper keeper;
};

/* stream.c */
int stream_setup(struct snug_store *s);
void stream_teardown(struct snug_store *s);
/* Never NULL but for want of memory. */
struct stream *stream_get(struct snug_store *s);
void stream_put(struct stream *st);
/* Waits until every stream has been free once: nothing begun before the call still goes on. */
void stream_quiesce(struct snug_store *s);
int64_t stream_sum(const struct snug_store *s, enum counter c);
void stream_forget_counts(struct snug_store *s);

static inline void stream_add(_Atomic int64_t *cell, int64_t n)
{
	int64_t v = atomic_load_explicit(cell, memory_order_relaxed);

	atomic_store_explicit(cell, v + n, memory_order_relaxed);
}

static inline void stream_count(struct stream *st, enum counter c, int64_t n)
{
	stream_add(&st->count[c], n);
}

/* recipe.c */
/* Takes params over and makes new pages use them; -ENOSPC, params untouched, if all numbers are
 * taken. */
int recipe_install(struct snug_store *s, struct codec_params *params);
/* Frees the params of recipes that nothing uses. */
void recipe_collect(struct snug_store *s);
/* Slots that refresh would compress anew. */
uint64_t recipe_stale_slots(const struct snug_store *s);
/* Only the plain recipe is left; and not even that. No slot may use them. */
void recipe_forget(struct snug_store *s);
void recipe_teardown(struct snug_store *s);

/* trainer.c */
/* Chooses the recipe anew; returns the compressed bytes a page to be expected, 0 if unknown. */
uint64_t train(struct snug_store *s, struct rng *rng);

/* refresh.c */
/* Compresses anew, by the current recipe, what others made; false if it was not finished. */
bool refresh(struct snug_store *s);

/* keeper.c */
int keeper_start(struct snug_store *s);
void keeper_stop(struct snug_store *s);
void keeper_settle(struct snug_store *s);
void keeper_forget(struct snug_store *s);
/* Tells of pages compressed; cheap enough to be called every some dozens. */
void keeper_report(struct snug_store *s, uint64_t pages, uint64_t bytes);

/* entry.c */
/* A page's object and entry, counted but in no slot yet; undone by entry_drop. */
int entry_for_page(struct snug_store *s, struct stream *st, const void *page, uint64_t *ret);
/* The same for a page that is known not to be same-filled. */
int entry_make(struct snug_store *s, struct stream *st, const void *page, uint64_t *ret);
/* An entry's object is freed and no longer counted. */
void entry_drop(struct snug_store *s, struct stream *st, uint64_t entry);
/* The page in a slot; -EIO. */
int entry_read(struct snug_store *s, struct stream *st, uint64_t slot, void *page);

#endif
