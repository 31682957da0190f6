/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store's public door. See slot.h for what a slot is and internal.h for the parts.
 *
 * A write prepares the whole new entry (object allocated and filled) before it touches the slot,
 * then swaps it in and frees what was there. So a failure at any point leaves the old page, a
 * reader sees the old or the new one whole, and an overwrite never reads.
 */
#include "internal.h"

#include "err.h"
#include "mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Pages after which a stream tells the keeper. */
enum { REPORT_EVERY = 64 };

static void count_compressed(struct snug_store *s, struct stream *st, size_t len)
{
	if (len == PAGE_BYTES)
		stream_count(st, COUNT_HUGE_SINCE, 1);
	st->unreported_bytes += len;
	if (++st->unreported < REPORT_EVERY)
		return;
	keeper_report(s, st->unreported, st->unreported_bytes);
	st->unreported = 0;
	st->unreported_bytes = 0;
}

static int write_slot(struct snug_store *s, struct stream *st, uint64_t slot, void *page)
{
	uint64_t entry = 0;
	int r;

	if (slot >= s->n_slots) {
		stream_count(st, COUNT_INVALID, 1);
		return -EINVAL;
	}
	stream_count(st, COUNT_WRITES, 1);
	r = entry_for_page(s, st, page, &entry);
	if (r < 0) {
		stream_count(st, COUNT_FAILED_WRITES, 1);
		return r;
	}
	entry_drop(s, st, slot_swap(&s->table[slot], entry));
	if (slot_kind(entry) == SLOT_OBJECT)
		count_compressed(s, st, slot_length(entry));
	return 0;
}

static int read_slot(struct snug_store *s, struct stream *st, uint64_t slot, void *page)
{
	int r;

	if (slot >= s->n_slots) {
		stream_count(st, COUNT_INVALID, 1);
		return -EINVAL;
	}
	stream_count(st, COUNT_READS, 1);
	r = entry_read(s, st, slot, page);
	if (r < 0)
		stream_count(st, COUNT_FAILED_READS, 1);
	return r;
}

typedef int slot_fn(struct snug_store *s, struct stream *st, uint64_t slot, void *page);

/* One stream for all of a batch. */
static int for_each(struct snug_store *s, const struct snug_io *io, size_t n, size_t *ret_done,
		    slot_fn *fn)
{
	struct stream *st = stream_get(s);
	size_t done = 0;
	int r = 0;

	if (ret_done)
		*ret_done = 0;
	if (!st)
		return -ENOMEM;
	while (done < n) {
		r = fn(s, st, io[done].slot, io[done].page);
		if (r < 0)
			break;
		done++;
	}
	stream_put(st);
	if (ret_done)
		*ret_done = done;
	return r;
}

int snug_store_writev(struct snug_store *s, const struct snug_io *io, size_t n, size_t *ret_done)
{
	return for_each(s, io, n, ret_done, write_slot);
}

int snug_store_readv(struct snug_store *s, const struct snug_io *io, size_t n, size_t *ret_done)
{
	return for_each(s, io, n, ret_done, read_slot);
}

int snug_store_write(struct snug_store *s, uint64_t slot, const void *page)
{
	struct snug_io io = {slot, (void *)page};

	return snug_store_writev(s, &io, 1, NULL);
}

int snug_store_read(struct snug_store *s, uint64_t slot, void *page)
{
	struct snug_io io = {slot, page};

	return snug_store_readv(s, &io, 1, NULL);
}

int snug_store_discard(struct snug_store *s, uint64_t first, uint64_t count)
{
	struct stream *st = stream_get(s);
	int r = 0;

	if (!st)
		return -ENOMEM;
	if (first > s->n_slots || count > s->n_slots - first) {
		stream_count(st, COUNT_INVALID, 1);
		r = -EINVAL;
	}
	for (uint64_t i = 0; r == 0 && i < count; i++) {
		/* Without a write to what is empty: a table never touched costs no memory. */
		if (!atomic_load_explicit(&s->table[first + i], memory_order_relaxed))
			continue;
		entry_drop(s, st, slot_swap(&s->table[first + i], 0));
		stream_count(st, COUNT_FREED, 1);
	}
	stream_put(st);
	return r;
}

void snug_store_settle(struct snug_store *s)
{
	keeper_settle(s);
}

static size_t table_bytes(const struct snug_store *s)
{
	return s->n_slots * sizeof(*s->table);
}

void snug_store_reset(struct snug_store *s)
{
	keeper_forget(s);
	mapping_clear((void *)s->table, table_bytes(s));
	pool_reset(s->pool);
	recipe_forget(s);
	stream_forget_counts(s);
	atomic_store(&s->pages_compacted, 0);
	atomic_store(&s->dict_generations, 0);
}

void snug_store_close(struct snug_store *s)
{
	if (!s)
		return;
	keeper_stop(s);
	recipe_teardown(s);
	stream_teardown(s);
	pool_close(s->pool);
	mapping_free((void *)s->table, table_bytes(s));
	free(s);
}

static int open_table(struct snug_store *s, bool lock_memory, struct err *e)
{
	s->table = mapping_alloc(table_bytes(s));
	if (!s->table)
		return err_failed(e, -ENOMEM, "no memory for a table of %llu slots",
				  (unsigned long long)s->n_slots);
	if (lock_memory && mapping_lock((void *)s->table, table_bytes(s)) < 0)
		return err_missing(
			e, -EPERM,
			"cannot lock the slot table in memory; raise RLIMIT_MEMLOCK (ulimit -l), or be root");
	return 0;
}

static int open_pool(struct snug_store *s, const struct snug_store_options *o, struct err *e)
{
	const struct pool_options pool_options = {
		.capacity_bytes = o->size_bytes,
		.lock_memory = o->lock_memory,
		.wipe_on_free = o->wipe_on_free,
	};
	const struct pool_ops *ops;
	int r = pool_find(o->pool ? o->pool : SNUG_POOL_DEFAULT, &ops, e);

	if (r == 0)
		r = pool_open(ops, &pool_options, &s->pool, e);
	if (r < 0)
		return r;
	s->huge_size = pool_huge_size(s->pool);
	snug_store_set_mem_limit(s, o->mem_limit_bytes);
	return 0;
}

static int open_codec(struct snug_store *s, struct err *e)
{
	struct codec_params *plain;
	int r = codec_params_new(&s->codec, NULL, 0, &plain);

	if (r == 0)
		r = recipe_install(s, plain);
	if (r == 0)
		r = stream_setup(s);
	if (r == 0)
		r = keeper_start(s);
	return r < 0 ? err_failed(e, r, "cannot set up codec %s: %s", codec_name(s->codec.ops),
				  err_name(r))
		     : 0;
}

int snug_store_open(const struct snug_store_options *o, struct snug_store **ret, struct err *e)
{
	struct snug_store *s;
	int r;

	if (!o->size_bytes || o->size_bytes % PAGE_BYTES)
		return err_usage(e, -EINVAL, "a store's size is a multiple of 4096 bytes, not %llu",
				 (unsigned long long)o->size_bytes);
	s = calloc(1, sizeof(*s));
	if (!s)
		return err_failed(e, -ENOMEM, "out of memory");
	s->n_slots = o->size_bytes / PAGE_BYTES;
	r = codec_init() < 0 ? err_failed(e, -ENOSYS, "liblzo2 does not fit this build") : 0;
	if (r == 0)
		r = codec_parse(o->codec ? o->codec : SNUG_CODEC_DEFAULT, &s->codec, e);
	if (r == 0)
		r = open_table(s, o->lock_memory, e);
	if (r == 0)
		r = open_pool(s, o, e);
	if (r == 0)
		r = open_codec(s, e);
	if (r < 0) {
		snug_store_close(s);
		return r;
	}
	*ret = s;
	return 0;
}
