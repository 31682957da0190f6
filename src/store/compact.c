/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compaction, the owner's half (see pool.h for the pool's): find the slots whose objects lie in
 * zspages that the pool wants to empty, and move those.
 *
 * No lock is taken, so readers never wait. The object is copied, then the slot's entry is exchanged
 * for one with the new handle, which fails if a reader is in the slot or it has changed; then the
 * copy is dropped and the slot tried again in the next pass. Bytes copied while their object was
 * being freed are never used, for the exchange fails; and an entry that compares equal is the same
 * object, since no place in an evacuated zspage is given out again before pool_compact_end.
 *
 * Finding the slots is a scan of the table, 8 bytes a slot: 16 ms for 24 GiB, against a word in
 * each object, for ever, to find its slot by.
 */
#include "internal.h"

enum {
	PASSES = 4,  /* over the table, for slots that were in use */
	ROUNDS = 32, /* each of which empties an eighth of the pool at most */
};

enum moved {
	NOTHING_TO_MOVE,
	MOVED,
	IN_USE,	 /* try again */
	NO_ROOM, /* the pool is full: give up */
};

static enum moved move_slot(struct snug_store *s, slot_t *slot)
{
	uint64_t entry = atomic_load_explicit(slot, memory_order_acquire);
	uint64_t was = entry & ~(uint64_t)SLOT_LOCKED, to;

	if (slot_kind(entry) != SLOT_OBJECT && slot_kind(entry) != SLOT_WORD)
		return NOTHING_TO_MOVE;
	if (!pool_evacuating(s->pool, slot_handle(entry)))
		return NOTHING_TO_MOVE;
	if (entry & SLOT_LOCKED)
		return IN_USE;
	if (pool_alloc(s->pool, slot_length(entry), &to) < 0)
		return NO_ROOM;
	pool_write(s->pool, to, pool_read(s->pool, slot_handle(entry)), slot_length(entry));
	if (!atomic_compare_exchange_strong_explicit(slot, &was, slot_with_handle(entry, to),
						     memory_order_acq_rel, memory_order_relaxed)) {
		pool_free(s->pool, to, slot_length(entry));
		return IN_USE;
	}
	pool_free(s->pool, slot_handle(entry), slot_length(entry));
	return MOVED;
}

/* Scans the table until all that the pool wants moved is, or cannot be; false if the pool is full.
 */
static bool evacuate(struct snug_store *s)
{
	bool again = true;

	for (int pass = 0; again && pass < PASSES; pass++) {
		again = false;
		for (uint64_t i = 0; i < s->n_slots; i++) {
			enum moved m = move_slot(s, &s->table[i]);

			if (m == NO_ROOM)
				return false;
			again |= m == IN_USE;
		}
	}
	return true;
}

uint64_t snug_store_compact(struct snug_store *s)
{
	struct pool_usage before, after;
	bool going_on = true;
	uint64_t freed;

	pool_get_usage(s->pool, &before);
	for (int round = 0; going_on && round < ROUNDS && pool_compact_begin(s->pool); round++) {
		going_on = evacuate(s);
		pool_compact_end(s->pool);
	}
	pool_get_usage(s->pool, &after);
	freed = before.pages_held > after.pages_held ? before.pages_held - after.pages_held : 0;
	atomic_fetch_add(&s->pages_compacted, freed);
	return freed;
}
