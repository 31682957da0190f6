/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slot table's entry: one 64-bit word that is lock, state and place in one, so that a slot
 * costs 8 bytes and changes by one compare-and-swap.
 *
 *   bit  0      locked: a reader is in the object; whoever wants to change the entry waits
 *   bits 1-3    kind
 *   bit  4      idle, not accessed since it was marked so (for writeback and recompression)
 *   bit  5      incompressible, a slower codec did not help either (for recompression)
 *   bits 6-11   recipe: how an object was made (codec, dictionary generation; later: filter)
 *   bits 12-23  length of the object less 1
 *   bit  24     marked: being compressed anew; any write to the slot drops the mark
 *   bits 25-63  handle of the object in the pool; for SLOT_FILL bits 32-63 are half the word
 *
 * Kinds 4 to 7 are free: for slots written back, sharing one object, or within a group of pages.
 */
#ifndef SNUG_STORE_SLOT_H
#define SNUG_STORE_SLOT_H

#include "spin.h"

#include <stdint.h>

typedef _Atomic uint64_t slot_t;

enum slot_kind {
	SLOT_EMPTY = 0,
	SLOT_FILL,   /* same-filled with a word of two equal halves, which is kept in the entry */
	SLOT_WORD,   /* same-filled; the object is the word */
	SLOT_OBJECT, /* compressed; a length of 4096 is the page itself (huge) */
};

enum {
	SLOT_LOCKED = 1,
	SLOT_KIND_SHIFT = 1,
	SLOT_RECIPE_SHIFT = 6,
	SLOT_LENGTH_SHIFT = 12,
	SLOT_MARKED = 1 << 24,
	SLOT_HANDLE_SHIFT = 25,
	SLOT_FILL_SHIFT = 32,
	SLOT_RECIPES = 64,
};

static inline enum slot_kind slot_kind(uint64_t entry)
{
	return (enum slot_kind)(entry >> SLOT_KIND_SHIFT & 7);
}

static inline unsigned slot_recipe(uint64_t entry)
{
	return entry >> SLOT_RECIPE_SHIFT & (SLOT_RECIPES - 1);
}

static inline uint32_t slot_length(uint64_t entry)
{
	return (uint32_t)(entry >> SLOT_LENGTH_SHIFT & 0xfff) + 1;
}

static inline uint64_t slot_handle(uint64_t entry)
{
	return entry >> SLOT_HANDLE_SHIFT;
}

static inline uint64_t slot_with_handle(uint64_t entry, uint64_t handle)
{
	return (entry & ((UINT64_C(1) << SLOT_HANDLE_SHIFT) - 1)) | handle << SLOT_HANDLE_SHIFT;
}

static inline uint64_t slot_make(enum slot_kind kind, unsigned recipe, uint32_t length,
				 uint64_t handle)
{
	return (uint64_t)kind << SLOT_KIND_SHIFT | (uint64_t)recipe << SLOT_RECIPE_SHIFT |
	       (uint64_t)(length - 1) << SLOT_LENGTH_SHIFT | handle << SLOT_HANDLE_SHIFT;
}

static inline uint64_t slot_make_fill(uint32_t half)
{
	return (uint64_t)SLOT_FILL << SLOT_KIND_SHIFT | (uint64_t)half << SLOT_FILL_SHIFT;
}

static inline uint64_t slot_fill_word(uint64_t entry)
{
	uint64_t half = entry >> SLOT_FILL_SHIFT;

	return half << 32 | half;
}

/* Waits out whoever is in the slot; returns the entry, which it still may change. */
static inline uint64_t slot_peek(slot_t *slot)
{
	uint64_t entry = atomic_load_explicit(slot, memory_order_acquire);

	for (unsigned tries = 0; entry & SLOT_LOCKED;) {
		spin_wait(&tries);
		entry = atomic_load_explicit(slot, memory_order_acquire);
	}
	return entry;
}

/* Returns the entry, unlocked form, of a slot now locked. */
static inline uint64_t slot_lock(slot_t *slot)
{
	uint64_t entry;

	do
		entry = slot_peek(slot);
	while (!atomic_compare_exchange_weak_explicit(slot, &entry, entry | SLOT_LOCKED,
						      memory_order_acquire, memory_order_relaxed));
	return entry;
}

/* entry is what slot_lock returned: nobody can have changed it. */
static inline void slot_unlock(slot_t *slot, uint64_t entry)
{
	atomic_store_explicit(slot, entry, memory_order_release);
}

/* Puts a complete entry in place; returns the old one, whose object is now the caller's alone. */
static inline uint64_t slot_swap(slot_t *slot, uint64_t entry)
{
	uint64_t old;

	do
		old = slot_peek(slot);
	while (!atomic_compare_exchange_weak_explicit(slot, &old, entry, memory_order_acq_rel,
						      memory_order_relaxed));
	return old;
}

/* Exchanges a slot that is still marked; returns the entry that is then the caller's alone. */
static inline uint64_t slot_exchange_marked(slot_t *slot, uint64_t entry)
{
	uint64_t old;

	do {
		old = slot_peek(slot);
		if (!(old & SLOT_MARKED))
			return entry;
	} while (!atomic_compare_exchange_weak_explicit(slot, &old, entry, memory_order_acq_rel,
							memory_order_relaxed));
	return old;
}

static inline void slot_unmark(slot_t *slot)
{
	uint64_t entry;

	do
		entry = slot_peek(slot);
	while (entry & SLOT_MARKED &&
	       !atomic_compare_exchange_weak(slot, &entry, entry & ~(uint64_t)SLOT_MARKED));
}

#endif
