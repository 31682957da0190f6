/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When things are worth doing: pure predicates, each with its reason beside it. */
#ifndef SNUG_STORE_POLICY_H
#define SNUG_STORE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#define POLICY_FIRST_TRAINING 128  /* compressed pages */
#define POLICY_WINDOW_PAGES   8192 /* stretch over which a change of the data is looked for */

/*
 * Is it time to look for a better dictionary? pages compressed so far against the scheduled
 * next_at; the recent window's pages and bytes against what the recipe was expected to give.
 */
bool policy_training_due(uint64_t pages, uint64_t next_at, uint64_t window_pages,
			 uint64_t window_bytes, uint64_t expected_bytes);

/* After a training at `pages`, the next one if nothing changes. */
uint64_t policy_next_training(uint64_t pages);

/* Of so many compressed slots, are those made by an old recipe to be compressed anew? */
bool policy_refresh_worth(uint64_t slots);

/*
 * Is the pool to be compacted? held_bytes are its pages, object_bytes what lies in them; pages have
 * been written since the last compaction, of `objects` in all.
 */
bool policy_compaction_due(uint64_t held_bytes, uint64_t object_bytes, uint64_t pages,
			   uint64_t objects);

#endif
