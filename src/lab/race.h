/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The race itself: a plan in, a result out. Backends are run in rounds, the reference first and the
 * others in an order that moves on from round to round, so that whatever changes on the machine
 * meanwhile hits all alike. Before the first round the workload runs without a limit until its peak
 * is as planned; that also warms the caches, and counts for nothing.
 */
#ifndef SNUG_LAB_RACE_H
#define SNUG_LAB_RACE_H

#include "plan.h"
#include "race_result.h"

#include <stdatomic.h>
#include <stdbool.h>

struct err;
struct undo;

struct race_progress {
	const char *doing; /* "zram:lzo-rle", "sizing the workload" */
	unsigned trial, trials;
	double elapsed_s, left_s; /* of the whole race; left_s 0: not known yet */
};

struct race_hooks {
	void (*tell)(void *arg, const struct race_progress *p); /* may be NULL */
	void *arg;
	const atomic_bool *stop;
	int output; /* the workload's stdout and stderr */
};

/*
 * root: "/". u: the caller's journal; all that the race changes is undone when it returns. A race
 * that hooks->stop has ended is partial, not an error. ret is the caller's to free, on success.
 *
 * ERR_MISSING: no root, no control groups. ERR_USAGE: a backend, budget or workload that can't be.
 */
int race_run(int root, struct undo *u, const struct plan *plan, const struct race_hooks *hooks,
	     struct race_result *ret, struct err *e);

#endif
