/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy.h"

enum {
	NEXT_FACTOR = 8,
	INTERVAL_MAX = 1 << 20,
	REFRESH_SLOTS_MAX = 4096,
	COMPACT_LEAST_BYTES = 1 << 20,
	COMPACT_SLACK_SHARE = 12,
	COMPACT_REWRITTEN_SHARE = 4,
};

bool policy_training_due(uint64_t pages, uint64_t next_at, uint64_t window_pages,
			 uint64_t window_bytes, uint64_t expected_bytes)
{
	/* The schedule: early, since what comes first is rarely typical, then ever rarer. */
	if (pages >= next_at)
		return true;
	/* Too few pages to tell a change from chance, or nothing to compare with. */
	if (window_pages < POLICY_WINDOW_PAGES || !expected_bytes)
		return false;
	/* An eighth off what was measured, either way: other data has come. */
	return window_bytes > window_pages * expected_bytes * 9 / 8 ||
	       window_bytes < window_pages * expected_bytes * 7 / 8;
}

uint64_t policy_next_training(uint64_t pages)
{
	/* A training costs some 15 ms: at one in 2^20 pages (5 s of compressing) it is not felt. */
	uint64_t interval = pages * (NEXT_FACTOR - 1);

	return pages + (interval < INTERVAL_MAX ? interval : INTERVAL_MAX);
}

bool policy_refresh_worth(uint64_t slots)
{
	/* Some 50 ms of one CPU at most. In a larger store a dictionary's 64 KiB do not matter. */
	return slots <= REFRESH_SLOTS_MAX;
}

bool policy_compaction_due(uint64_t held_bytes, uint64_t object_bytes, uint64_t pages,
			   uint64_t objects)
{
	/* The slack of half-filled zspages is no reason: nothing could be gained. */
	if (held_bytes < object_bytes + COMPACT_LEAST_BYTES)
		return false;
	/* Compaction leaves 2 to 3%; random overwriting alone would settle at a tenth. */
	if (held_bytes < object_bytes + object_bytes / COMPACT_SLACK_SHARE)
		return false;
	/* Too soon after the last one, which did what could be done. */
	return pages > objects / COMPACT_REWRITTEN_SHARE;
}
