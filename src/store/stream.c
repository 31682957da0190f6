/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "internal.h"

#include "mapping.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int stream_setup(struct snug_store *s)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	size_t bytes;

	/* More than CPUs, since a thread may be preempted while it holds one. */
	s->n_streams = cpus > 0 ? 2 * (unsigned)cpus + 2 : 4;
	bytes = s->n_streams * sizeof(*s->streams);
	s->streams = aligned_alloc(_Alignof(struct stream), bytes);
	if (!s->streams)
		return -ENOMEM;
	memset(s->streams, 0, bytes);
	return 0;
}

void stream_teardown(struct snug_store *s)
{
	for (unsigned i = 0; s->streams && i < s->n_streams; i++) {
		codec_ctx_free(s->streams[i].ctx);
		mapping_free(s->streams[i].buffer, CODEC_BUFFER_BYTES(PAGE_BYTES));
	}
	free(s->streams);
}

/* Working memory for a stream that is used for the first time. */
static bool equip(const struct snug_store *s, struct stream *st)
{
	if (!st->buffer)
		st->buffer = mapping_alloc(CODEC_BUFFER_BYTES(PAGE_BYTES));
	return st->buffer && codec_ctx_new(s->codec.ops, &st->ctx) == 0;
}

/*
 * Sequentially consistent, as are the choice of the recipe and stream_quiesce: either that sees the
 * stream taken, or its holder sees the recipe that was chosen before. On x86 it costs nothing.
 */
static bool try_take(struct stream *st)
{
	return !atomic_load_explicit(&st->busy, memory_order_relaxed) &&
	       !atomic_exchange(&st->busy, true);
}

struct stream *stream_get(struct snug_store *s)
{
	int cpu = sched_getcpu();
	unsigned first = cpu < 0 ? 0 : (unsigned)cpu % s->n_streams;

	for (unsigned tries = 0, i = first;; i = i + 1 == s->n_streams ? 0 : i + 1) {
		struct stream *st = &s->streams[i];

		if (try_take(st)) {
			if (st->ctx || equip(s, st))
				return st;
			stream_put(st);
			return NULL;
		}
		spin_wait(&tries);
	}
}

void stream_put(struct stream *st)
{
	int64_t uses = atomic_load_explicit(&st->uses, memory_order_relaxed);

	atomic_store_explicit(&st->uses, uses + 1, memory_order_release);
	atomic_store_explicit(&st->busy, false, memory_order_release);
}

/* Not by taking each one: a writer in a tight loop leaves no gap for that. */
void stream_quiesce(struct snug_store *s)
{
	for (unsigned i = 0; i < s->n_streams; i++) {
		struct stream *st = &s->streams[i];
		int64_t uses = atomic_load_explicit(&st->uses, memory_order_acquire);
		unsigned tries = 0;

		while (atomic_load(&st->busy) &&
		       atomic_load_explicit(&st->uses, memory_order_acquire) == uses)
			spin_wait(&tries);
	}
}

int64_t stream_sum(const struct snug_store *s, enum counter c)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < s->n_streams; i++)
		sum += atomic_load_explicit(&s->streams[i].count[c], memory_order_relaxed);
	return sum;
}

void stream_forget_counts(struct snug_store *s)
{
	for (unsigned i = 0; i < s->n_streams; i++) {
		struct stream *st = &s->streams[i];

		st->unreported = 0;
		st->unreported_bytes = 0;
		for (int c = 0; c < COUNTERS; c++)
			atomic_store_explicit(&st->count[c], 0, memory_order_relaxed);
		for (int r = 0; r < SLOT_RECIPES; r++)
			atomic_store_explicit(&st->recipe_live[r], 0, memory_order_relaxed);
	}
}
