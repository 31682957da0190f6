/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy.h"

enum {
	NEXT_FACTOR = 8,
	INTERVAL_MAX = 1 << 20,
	COMPACT_LEAST_BYTES = 256 << 10,
	COMPACT_SLACK_SHARE = 8,
	IDLE_GROWTH_SHARE = 4,
	REFRESH_STALE_SHARE = 100,
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
	uint64_t next = POLICY_FIRST_TRAINING;

	/* Not from pages on: a training that ends late would put off all the others. */
	while (next <= pages && next < INTERVAL_MAX)
		next *= NEXT_FACTOR;
	/* A training costs some 12 ms: at one in 2^20 pages (8 s of compressing) it is not felt. */
	return next <= pages ? pages + INTERVAL_MAX : next;
}

bool policy_idle_training_due(uint64_t stored, uint64_t trained_with)
{
	/* A quarter more than there was: the dictionary should know of it. Time costs nothing now.
	 */
	return stored >= POLICY_FIRST_TRAINING &&
	       stored > trained_with + trained_with / IDLE_GROWTH_SHARE;
}

bool policy_refresh_worth(uint64_t stale, uint64_t stored)
{
	/* A hundredth of the slots, by a tenth of their size: not worth a scan of the table. */
	return stale > stored / REFRESH_STALE_SHARE;
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
