/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Invariants between calls:
 *  - hole_granules + granules of live objects = frontier (not so while EVACUATING: see zsmalloc.c)
 *  - holes are listed by rising address and touch neither each other nor the frontier
 *  - longest is the length of the longest hole or of the room beyond the frontier
 */
#include "zspage.h"

#include <stdatomic.h>

#define NO_HOLE UINT16_MAX /* beyond any granule, so it sorts last */

/* What a hole begins with. */
struct hole {
	uint16_t next;
	uint16_t granules;
};

_Static_assert(sizeof(struct hole) <= GRANULE, "a hole has room for its list entry");
_Static_assert((unsigned)ZSPAGE_GRANULES < NO_HOLE, "granules have numbers of 16 bits");

static struct hole *hole_at(char *base, unsigned granule)
{
	return (struct hole *)(base + (unsigned long)granule * GRANULE);
}

void zspage_init(struct zspage *z, uint8_t class)
{
	z->listed = z->frontier = z->hole_granules = z->objects = 0;
	z->longest = ZSPAGE_GRANULES;
	z->pages = 0;
	z->first_hole = NO_HOLE;
	atomic_store_explicit(&z->class, class, memory_order_relaxed);
	zspage_set_state(z, ZSPAGE_OPEN);
}

enum zspage_state zspage_state(const struct zspage *z)
{
	return atomic_load_explicit(&z->state, memory_order_acquire);
}

void zspage_set_state(struct zspage *z, enum zspage_state state)
{
	atomic_store_explicit(&z->state, state, memory_order_release);
}

unsigned zspage_live(const struct zspage *z)
{
	return (unsigned)z->frontier - z->hole_granules;
}

unsigned zspage_waste(const struct zspage *z)
{
	return (unsigned)z->pages * PAGE_GRANULES - zspage_live(z);
}

/* The list entry that names `granule`'s successor: in the hole before it, or the descriptor. */
static uint16_t *link_after(struct zspage *z, char *base, uint16_t before)
{
	return before == NO_HOLE ? &z->first_hole : &hole_at(base, before)->next;
}

static unsigned room_beyond(const struct zspage *z)
{
	return ZSPAGE_GRANULES - z->frontier;
}

static unsigned larger(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

struct zspage_place zspage_find(const struct zspage *z, char *base, unsigned granules)
{
	struct zspage_place p = {.at = z->frontier, .before = NO_HOLE};
	unsigned best = UINT16_MAX, longest = 0, second = 0;
	uint16_t before = NO_HOLE;

	for (uint16_t at = z->first_hole; at != NO_HOLE;) {
		const struct hole *h = hole_at(base, at);

		if (h->granules > longest) {
			second = longest;
			longest = h->granules;
		} else if (h->granules > second) {
			second = h->granules;
		}
		if (h->granules >= granules && h->granules < best) {
			p = (struct zspage_place){
				.at = at, .before = before, .length = h->granules};
			best = h->granules;
		}
		before = at;
		at = h->next;
	}
	if (!p.length)
		p.longest = (uint16_t)larger(longest, room_beyond(z) - granules);
	else if (p.length < longest)
		p.longest = (uint16_t)larger(longest, room_beyond(z));
	else
		p.longest = (uint16_t)larger(larger(second, p.length - granules), room_beyond(z));
	return p;
}

unsigned zspage_pages_with(const struct zspage *z, const struct zspage_place *place,
			   unsigned granules)
{
	return larger(z->pages, (place->at + granules + PAGE_GRANULES - 1) / PAGE_GRANULES);
}

void zspage_take(struct zspage *z, char *base, const struct zspage_place *place, unsigned granules)
{
	z->pages = (uint8_t)zspage_pages_with(z, place, granules);
	z->longest = place->longest;
	if (!place->length) {
		z->frontier += (uint16_t)granules;
		return;
	}
	uint16_t rest = hole_at(base, place->at)->next;

	if (place->length > granules) {
		const struct hole left = {rest, (uint16_t)(place->length - granules)};

		rest = (uint16_t)(place->at + granules);
		*hole_at(base, rest) = left;
	}
	*link_after(z, base, place->before) = rest;
	z->hole_granules -= (uint16_t)granules;
}

void zspage_make_hole(struct zspage *z, char *base, unsigned from, unsigned granules)
{
	uint16_t before = NO_HOLE, two_before = NO_HOLE, after = z->first_hole;

	z->hole_granules += (uint16_t)granules;
	while (after < from) {
		two_before = before;
		before = after;
		after = hole_at(base, after)->next;
	}
	if (after == from + granules) {
		granules += hole_at(base, after)->granules;
		after = hole_at(base, after)->next;
	}
	if (before != NO_HOLE && before + hole_at(base, before)->granules == (int)from) {
		granules += hole_at(base, before)->granules;
		from = before;
		before = two_before;
	}
	if (from + granules == z->frontier) {
		/* What was the last hole joins the room beyond. */
		z->hole_granules -= (uint16_t)granules;
		z->frontier = (uint16_t)from;
		*link_after(z, base, before) = NO_HOLE;
		z->longest = (uint16_t)larger(z->longest, room_beyond(z));
		return;
	}
	*hole_at(base, from) = (struct hole){after, (uint16_t)granules};
	*link_after(z, base, before) = (uint16_t)from;
	z->longest = (uint16_t)larger(z->longest, granules);
}
