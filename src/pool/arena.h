/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The address space of a pool: units of equal size, taken and given back by number, committed by
 * the system when touched. Never in a core dump. Calls from any thread.
 */
#ifndef SNUG_POOL_ARENA_H
#define SNUG_POOL_ARENA_H

#include "spin.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena {
	char *base;
	size_t unit_bytes;
	uint32_t capacity; /* units reserved */
	uint32_t opened;   /* units accessible */
	uint32_t top;	   /* units ever taken */
	uint32_t n_given;
	uint32_t *given; /* stack of units given back */
	bool lock_memory;
	spin_t lock;
};

/* -ENOMEM, or -EPERM when lock_memory exceeds what RLIMIT_MEMLOCK allows. */
int arena_open(struct arena *a, uint64_t capacity_bytes, size_t unit_bytes, bool lock_memory);
void arena_close(struct arena *a); /* also of a zeroed one */

int arena_take(struct arena *a, uint32_t *ret_unit); /* -ENOMEM */
void arena_give(struct arena *a, uint32_t unit);
/* The first bytes of a unit, whose contents are no longer needed, go back to the system. */
void arena_discard(struct arena *a, uint32_t unit, size_t bytes);
/* One more than the highest unit ever taken. */
uint32_t arena_top(struct arena *a);
/* All units are free again. */
void arena_reset(struct arena *a);

#endif
