/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guard.h"

static bool moved(const struct guard *g, const struct guard_reading *now, double seconds)
{
	/* user_ns falls when a process has ended and its time is not in its parent's yet. */
	double user = now->user_ns > g->user_ns ? (double)(now->user_ns - g->user_ns) / 1e9 : 0;
	double full = (double)(now->full_us - g->full_us) / 1e6;

	return now->done != g->done || user > GUARD_USER * seconds ||
	       full < g->full_share * seconds;
}

static void restart(struct guard *g, const struct guard_reading *now)
{
	g->waiting = true;
	g->since_ns = now->at_ns;
	g->full_us = now->full_us;
	g->done = now->done;
	g->user_ns = now->user_ns;
}

bool guard_thrashes(struct guard *g, const struct guard_reading *now)
{
	double seconds = (double)(now->at_ns - g->since_ns) / 1e9;

	if (g->patience_s <= 0)
		return false;
	if (!g->waiting) {
		restart(g, now);
		return false;
	}
	/* Judged at the end of each stretch of patience_s, so that a short burst does not reset it.
	 */
	if (seconds < g->patience_s)
		return false;
	if (!moved(g, now, seconds))
		return true;
	restart(g, now);
	return false;
}
