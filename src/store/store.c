/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slots: how a page gets in and out. See slot.h for the entry and internal.h for the parts.
 *
 * A write prepares the whole new entry (object allocated and filled) before it touches the slot,
 * then swaps it in and frees what was there. So a failure at any point leaves the old page, a
 * reader sees the old or the new one whole, and an overwrite never reads.
 *
 * A reader locks the slot while it decodes out of the pool, which keeps the object from being
 * freed. Two readers of one slot take turns, as in zram; copying the object out first would let
 * them overlap, but costs every read 5% (lz4).
 */
#include "internal.h"

#include "err.h"
#include "mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Pages after which a stream tells the keeper. */
enum { REPORT_EVERY = 64 };

/* An object in the pool with those bytes. */
static int store_object(struct snug_store *s, const void *data, size_t len, uint64_t *ret_handle)
{
	int r = pool_alloc(s->pool, len, ret_handle);

	if (r == 0)
		pool_write(s->pool, *ret_handle, data, len);
	return r;
}

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

/* Adds (sign 1) or takes away (-1) what an entry stands for in the statistics. */
static void count_entry(struct stream *st, uint64_t entry, int sign)
{
	enum slot_kind kind = slot_kind(entry);

	if (kind == SLOT_EMPTY)
		return;
	stream_count(st, COUNT_PAGES_STORED, sign);
	if (kind == SLOT_FILL || kind == SLOT_WORD)
		stream_count(st, COUNT_SAME_PAGES, sign);
	if (kind != SLOT_OBJECT)
		return;
	stream_count(st, COUNT_COMPR_BYTES, sign * (int64_t)slot_length(entry));
	stream_add(&st->recipe_live[slot_recipe(entry)], sign);
	if (slot_length(entry) == PAGE_BYTES)
		stream_count(st, COUNT_HUGE_PAGES, sign);
}

int store_make_entry(struct snug_store *s, struct stream *st, const void *page, uint64_t *ret)
{
	unsigned recipe = atomic_load_explicit(&s->recipe, memory_order_acquire);
	const void *data = st->buffer;
	uint64_t handle;
	int r, len;

	len = codec_compress(st->ctx,
			     atomic_load_explicit(&s->recipes[recipe], memory_order_acquire), page,
			     PAGE_BYTES, st->buffer, s->huge_size - 1);
	if (len < 0 && len != -ENOSPC)
		return len;
	if (len < 0) {
		data = page;
		len = PAGE_BYTES;
		recipe = 0;
	}
	r = store_object(s, data, (size_t)len, &handle);
	if (r < 0)
		return r;
	*ret = slot_make(SLOT_OBJECT, recipe, (uint32_t)len, handle);
	count_entry(st, *ret, 1);
	return 0;
}

/* The same for a page that is word repeated. */
static int make_word_entry(struct snug_store *s, struct stream *st, uint64_t word, uint64_t *ret)
{
	uint64_t handle;
	int r;

	if (word >> 32 == (uint32_t)word) {
		*ret = slot_make_fill((uint32_t)word);
	} else {
		r = store_object(s, &word, sizeof(word), &handle);
		if (r < 0)
			return r;
		*ret = slot_make(SLOT_WORD, 0, sizeof(word), handle);
	}
	count_entry(st, *ret, 1);
	return 0;
}

void store_drop_entry(struct snug_store *s, struct stream *st, uint64_t entry)
{
	count_entry(st, entry, -1);
	if (slot_kind(entry) == SLOT_OBJECT || slot_kind(entry) == SLOT_WORD)
		pool_free(s->pool, slot_handle(entry), slot_length(entry));
}

static int write_slot(struct snug_store *s, struct stream *st, uint64_t slot, const void *page)
{
	uint64_t word, entry = 0;
	int r;

	if (slot >= s->n_slots) {
		stream_count(st, COUNT_INVALID, 1);
		return -EINVAL;
	}
	stream_count(st, COUNT_WRITES, 1);
	if (page_same_filled(page, &word))
		r = make_word_entry(s, st, word, &entry);
	else
		r = store_make_entry(s, st, page, &entry);
	if (r < 0) {
		stream_count(st, COUNT_FAILED_WRITES, 1);
		return r;
	}
	store_drop_entry(s, st, slot_swap(&s->table[slot], entry));
	if (slot_kind(entry) == SLOT_OBJECT)
		count_compressed(s, st, slot_length(entry));
	return 0;
}

static int decode(struct snug_store *s, struct stream *st, uint64_t entry, void *page)
{
	const void *data = pool_read(s->pool, slot_handle(entry));
	size_t len = slot_length(entry);
	uint64_t word;

	if (slot_kind(entry) == SLOT_WORD) {
		memcpy(&word, data, sizeof(word));
		page_fill(page, word);
		return 0;
	}
	if (len == PAGE_BYTES) {
		memcpy(page, data, PAGE_BYTES);
		return 0;
	}
	return codec_decompress(
		st->ctx,
		atomic_load_explicit(&s->recipes[slot_recipe(entry)], memory_order_acquire), data,
		len, page, PAGE_BYTES);
}

int store_read_slot(struct snug_store *s, struct stream *st, uint64_t slot, void *page)
{
	uint64_t entry = atomic_load_explicit(&s->table[slot], memory_order_acquire);
	int r;

	if (slot_kind(entry) <= SLOT_FILL) {
		/* The entry is the page; fill's word is 0 for an empty slot too. */
		page_fill(page, slot_kind(entry) == SLOT_FILL ? slot_fill_word(entry) : 0);
		return 0;
	}
	entry = slot_lock(&s->table[slot]);
	if (slot_kind(entry) <= SLOT_FILL) {
		slot_unlock(&s->table[slot], entry);
		return store_read_slot(s, st, slot, page);
	}
	r = decode(s, st, entry, page);
	slot_unlock(&s->table[slot], entry);
	return r < 0 ? -EIO : 0;
}

static int read_slot(struct snug_store *s, struct stream *st, uint64_t slot, void *page)
{
	int r;

	if (slot >= s->n_slots) {
		stream_count(st, COUNT_INVALID, 1);
		return -EINVAL;
	}
	stream_count(st, COUNT_READS, 1);
	r = store_read_slot(s, st, slot, page);
	if (r < 0)
		stream_count(st, COUNT_FAILED_READS, 1);
	return r;
}

int snug_store_writev(struct snug_store *s, const struct snug_io *io, size_t n, size_t *ret_done)
{
	struct stream *st = stream_get(s);
	size_t i = 0;
	int r = st ? 0 : -ENOMEM;

	for (; r == 0 && i < n; i++) {
		r = write_slot(s, st, io[i].slot, io[i].page);
		if (r < 0)
			break;
	}
	if (st)
		stream_put(st);
	if (ret_done)
		*ret_done = i;
	return r;
}

int snug_store_readv(struct snug_store *s, const struct snug_io *io, size_t n, size_t *ret_done)
{
	struct stream *st = stream_get(s);
	size_t i = 0;
	int r = st ? 0 : -ENOMEM;

	for (; r == 0 && i < n; i++) {
		r = read_slot(s, st, io[i].slot, io[i].page);
		if (r < 0)
			break;
	}
	if (st)
		stream_put(st);
	if (ret_done)
		*ret_done = i;
	return r;
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
		store_drop_entry(s, st, slot_swap(&s->table[first + i], 0));
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
	recipe_free_all(s, false);
	stream_forget_counts(s);
	atomic_store(&s->pages_compacted, 0);
	atomic_store(&s->dict_generations, 0);
}

void snug_store_close(struct snug_store *s)
{
	if (!s)
		return;
	keeper_stop(s);
	recipe_free_all(s, true);
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
