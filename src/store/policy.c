/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy.h"

enum {
	NEXT_FACTOR = 8,
	INTERVAL_MAX = 1 << 20,
	REFRESH_SLOTS_MAX = 4096,
	COMPACT_LEAST_BYTES = 256 << 10,
	COMPACT_SLACK_SHARE = 8,
	IDLE_GROWTH_SHARE = 4,
	TIDY_REWRITTEN_SHARE = 2,
	TIDY_PAGES_LEAST = 1024,
};

bool policy_training_due(uint64_t pages, uint64_t next_at, uint64_t window_pages,
			 uint64_t window_bytes, uint64_t expected_bytes)
{
	/* The schedule: early, since what comes first is rarely typical, then ever rarer. */
	if (pages >= next_at)
		return true;
	/*
	 * Too few pages to tell a change from one part of a heap after another, or nothing to
	 * compare with. Over windows of 8192 pages, single heaps were found to change all the time.
	 */
	if (window_pages < POLICY_WINDOW_PAGES || !expected_bytes)
		return false;
	/* An eighth off what was measured, either way: other data has come. */
	return window_bytes > window_pages * expected_bytes * 9 / 8 ||
	       window_bytes < window_pages * expected_bytes * 7 / 8;
}

uint64_t policy_next_training(uint64_t pages)
{
	/* A training costs some 12 ms: at one in 2^20 pages (8 s of compressing) it is not felt. */
	uint64_t interval = pages * (NEXT_FACTOR - 1);

	return pages + (interval < INTERVAL_MAX ? interval : INTERVAL_MAX);
}

bool policy_refresh_worth(uint64_t slots)
{
	/* Some 50 ms of one CPU at most. In a larger store a dictionary's 64 KiB do not matter. */
	return slots <= REFRESH_SLOTS_MAX;
}

bool policy_idle_training_due(uint64_t stored, uint64_t trained_with)
{
	/* A quarter more than there was: the dictionary should know of it. Time costs nothing now.
	 */
	return stored >= POLICY_FIRST_TRAINING &&
	       stored > trained_with + trained_with / IDLE_GROWTH_SHARE;
}

bool policy_compaction_worth(uint64_t held_bytes, uint64_t object_bytes)
{
	/* The slack of half-filled pages is no reason: nothing could be gained. */
	if (held_bytes < object_bytes + COMPACT_LEAST_BYTES)
		return false;
	/*
	 * Compaction leaves 2%; random overwriting alone settles at a tenth, and a change of
	 * dictionary passes through a ninth. Below that, moving and mapping anew costs writers more
	 * than it gains: at a twenty-fifth they took 15% longer.
	 */
	return held_bytes > object_bytes + object_bytes / COMPACT_SLACK_SHARE;
}

bool policy_tidying_due(uint64_t pages, uint64_t held)
{
	/* Moving all objects costs 0.2 us for each; once in half as many writes it is not felt. */
	return pages > held / TIDY_REWRITTEN_SHARE + TIDY_PAGES_LEAST;
}
