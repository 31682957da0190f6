/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Refreshing: in spare time, slots made by other recipes than the current are compressed anew, so
 * that pages that were there before a dictionary profit by it too, and an old dictionary's memory
 * becomes free. Stops as soon as somebody writes; what is overwritten gets the new recipe anyway.
 *
 * The slot is marked, read as any reader would, compressed, and exchanged if the mark is still
 * there. Whatever is written to a slot comes without a mark, so a slot that changed meanwhile is
 * never overwritten; an entry that would merely compare equal to the old one might be another page
 * at the same place.
 */
#include "internal.h"

static bool wants_refresh(const struct snug_store *s, uint64_t entry)
{
	return slot_kind(entry) == SLOT_OBJECT && slot_length(entry) != PAGE_BYTES &&
	       slot_recipe(entry) != atomic_load_explicit(&s->recipe, memory_order_relaxed);
}

/* False when there is no memory to go on with. */
static bool refresh_slot(struct snug_store *s, struct stream *st, uint64_t i, char *page)
{
	slot_t *slot = &s->table[i];
	uint64_t entry = slot_peek(slot);

	if (!wants_refresh(s, entry) ||
	    !atomic_compare_exchange_strong(slot, &entry, entry | SLOT_MARKED))
		return true;
	if (entry_read(s, st, i, page) < 0 || entry_make(s, st, page, &entry) < 0) {
		slot_unmark(slot);
		return false;
	}
	entry_drop(s, st, slot_exchange_marked(slot, entry));
	return true;
}

bool refresh(struct snug_store *s)
{
	int64_t writes = stream_sum(s, COUNT_WRITES);
	char page[PAGE_BYTES];

	for (uint64_t i = 0; i < s->n_slots; i++) {
		struct stream *st;
		bool done;

		if (!wants_refresh(s, atomic_load_explicit(&s->table[i], memory_order_relaxed)))
			continue;
		if (stream_sum(s, COUNT_WRITES) != writes || atomic_load(&s->keeper.stop))
			return false;
		st = stream_get(s);
		if (!st)
			return false;
		done = refresh_slot(s, st, i, page);
		stream_put(st);
		if (!done)
			return false;
	}
	return true;
}
