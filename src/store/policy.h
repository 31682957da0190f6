/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When things are worth doing: pure predicates, each with its reason beside it. */
#ifndef SNUG_STORE_POLICY_H
#define SNUG_STORE_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#define POLICY_FIRST_TRAINING 128   /* compressed pages */
#define POLICY_WINDOW_PAGES   65536 /* stretch over which a change of the data is looked for */

/*
 * Is it time to look for a better dictionary? pages compressed so far against the scheduled
 * next_at; the recent window's pages and bytes against what the recipe was expected to give.
 */
bool policy_training_due(uint64_t pages, uint64_t next_at, uint64_t window_pages,
			 uint64_t window_bytes, uint64_t expected_bytes);

/* After a training at `pages`, the next one if nothing changes. */
uint64_t policy_next_training(uint64_t pages);

/* Nothing is being written: is it time, with so many pages stored, and so many when last done? */
bool policy_idle_training_due(uint64_t stored, uint64_t trained_with);

/* Nothing is being written: are so many of the stored slots worth compressing anew? */
bool policy_refresh_worth(uint64_t stale, uint64_t stored);

/* Is compaction worth its while? held_bytes are the pool's, object_bytes what lies in them. */
bool policy_compaction_worth(uint64_t held_bytes, uint64_t object_bytes);

/* Have enough pages been written since the store was last tidied, of so many that it holds? */
bool policy_tidying_due(uint64_t pages, uint64_t held);

#endif
