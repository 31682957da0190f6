/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a trial still get anywhere? It thrashes when, for a set time, all of it waited for memory
 * more often than not (PSI "full") and neither the workload's own count of work done moved nor the
 * CPU time that it got for itself was more than GUARD_USER of one CPU. Pure: readings in, an answer
 * out.
 *
 * Where the kernel tells no pressure (no CONFIG_PSI), nothing is ever called thrashing; the timeout
 * ends it.
 */
#ifndef SNUG_LAB_GUARD_H
#define SNUG_LAB_GUARD_H

#include <stdbool.h>
#include <stdint.h>

#define GUARD_USER 0.02

struct guard {
	double patience_s; /* 0: never */
	double full_share;
	/* Since when there has been no progress, and what was then. */
	bool waiting;
	uint64_t since_ns, full_us, done, user_ns;
};

struct guard_reading {
	uint64_t at_ns;
	uint64_t full_us; /* PSI total */
	uint64_t done;	  /* of the workload, any unit */
	uint64_t user_ns; /* CPU time in user mode, of all its processes */
};

/* Has it thrashed for the whole of patience_s by now? */
bool guard_thrashes(struct guard *g, const struct guard_reading *now);

#endif
