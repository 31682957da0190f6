/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The inside of one zspage; private to this folder. Objects of any length, in granules, side by
 * side from the low end; holes between them as a list within the holes. The caller holds the lock
 * of the zspage's class.
 */
#ifndef SNUG_POOL_ZSPAGE_H
#define SNUG_POOL_ZSPAGE_H

#include <stdbool.h>
#include <stdint.h>

enum {
	GRANULE = 4, /* bytes; a hole must hold its own list entry */
	ZSPAGE_BYTES = 64 << 10,
	ZSPAGE_GRANULES = ZSPAGE_BYTES / GRANULE,
	OBJECT_GRANULES = 4096 / GRANULE, /* of the largest object */
	PAGE_GRANULES = 4096 / GRANULE,
	NO_ZSPAGE = -1,
};

enum zspage_state {
	ZSPAGE_FREE = 0,
	ZSPAGE_OPEN,
	ZSPAGE_EVACUATING, /* no allocation; its objects are being moved */
	ZSPAGE_EVACUATED,  /* empty, memory given back; its number is not to be used before the end
			    */
};

/* Descriptor. Class and state may be read without the lock. */
struct zspage {
	int32_t next, prev;  /* in the list that it is in, NO_ZSPAGE at the ends */
	uint16_t listed;     /* longest as it was when put there; 0: in none */
	uint16_t frontier;   /* granules from here on were never used since the zspage was empty */
	uint16_t first_hole; /* the lowest, or NO_HOLE */
	uint16_t hole_granules; /* sum over all holes */
	uint16_t longest;	/* hole, or the room beyond the frontier if that is longer */
	uint16_t objects;
	uint8_t pages;	       /* ever touched since the zspage was taken */
	_Atomic uint8_t class; /* changes only while the state is FREE */
	_Atomic uint8_t state;
};

void zspage_init(struct zspage *z, uint8_t class);
enum zspage_state zspage_state(const struct zspage *z);
void zspage_set_state(struct zspage *z, enum zspage_state state);

/* Granules of live objects; and of the pages touched those that hold none. */
unsigned zspage_live(const struct zspage *z);
unsigned zspage_waste(const struct zspage *z);

/*
 * Where an object is to go: into the shortest hole that is long enough, or else at the frontier.
 * longest >= granules says that there is a place.
 */
struct zspage_place {
	uint16_t at;
	uint16_t before;  /* the hole listed before, or NO_HOLE; unused at the frontier */
	uint16_t length;  /* of the hole, 0 at the frontier */
	uint16_t longest; /* of what remains when the object is there */
};

struct zspage_place zspage_find(const struct zspage *z, char *base, unsigned granules);
/* Pages that the zspage will have touched with an object there. */
unsigned zspage_pages_with(const struct zspage *z, const struct zspage_place *place,
			   unsigned granules);
void zspage_take(struct zspage *z, char *base, const struct zspage_place *place, unsigned granules);
/* An object becomes a hole, merged with its neighbours and with the room beyond the frontier. */
void zspage_make_hole(struct zspage *z, char *base, unsigned from, unsigned granules);

#endif
