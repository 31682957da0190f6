/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entries: a page into an object and its entry, and back. See slot.h for the entry.
 *
 * A reader locks the slot while it decodes out of the pool, which keeps the object from being
 * freed. Two readers of one slot take turns, as in zram; copying the object out first would let
 * them overlap, but costs every read 5% (lz4).
 */
#include "internal.h"

#include <errno.h>
#include <string.h>

/* An object in the pool with those bytes. */
static int store_object(struct snug_store *s, const void *data, size_t len, uint64_t *ret_handle)
{
	int r = pool_alloc(s->pool, len, ret_handle);

	if (r == 0)
		pool_write(s->pool, *ret_handle, data, len);
	return r;
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

int entry_make(struct snug_store *s, struct stream *st, const void *page, uint64_t *ret)
{
	unsigned recipe = atomic_load(&s->recipe);
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
static int entry_make_word(struct snug_store *s, struct stream *st, uint64_t word, uint64_t *ret)
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

int entry_for_page(struct snug_store *s, struct stream *st, const void *page, uint64_t *ret)
{
	uint64_t word;

	return page_same_filled(page, &word) ? entry_make_word(s, st, word, ret)
					     : entry_make(s, st, page, ret);
}

void entry_drop(struct snug_store *s, struct stream *st, uint64_t entry)
{
	count_entry(st, entry, -1);
	if (slot_kind(entry) == SLOT_OBJECT || slot_kind(entry) == SLOT_WORD)
		pool_free(s->pool, slot_handle(entry), slot_length(entry));
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

int entry_read(struct snug_store *s, struct stream *st, uint64_t slot, void *page)
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
		return entry_read(s, st, slot, page);
	}
	r = decode(s, st, entry, page);
	slot_unlock(&s->table[slot], entry);
	return r < 0 ? -EIO : 0;
}
