/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A fair budget. The pool of zram (and of zswap, where control groups are of version 1) lies
 * outside the workload's control group: with a plain limit it would be RAM for nothing. So a thread
 * of its own reads what the pool holds, a hundred times a second, and sets the group's limit to
 * what is left. Lowering a limit makes this thread reclaim on the workload's behalf; that CPU time
 * is counted, since it is in nobody's `sys`.
 *
 * It also watches: how far usage and pool together were over the budget, and what the pool held at
 * its fullest.
 */
#ifndef SNUG_LAB_BUDGET_H
#define SNUG_LAB_BUDGET_H

#include "backend.h"

#include <stdbool.h>
#include <stdint.h>

struct cgroup;
struct err;

struct budget_plan {
	int root;
	const struct cgroup *group; /* its limit is the budget already */
	const struct backend *backend;
	uint64_t bytes; /* CGROUP_NO_LIMIT: none is held, the pool is watched all the same */
	bool naive;	/* the limit stays where it is */
};

struct budget_report {
	struct backend_pool fullest;		/* -1 throughout: there is no pool */
	int64_t excess_bytes, excess_p95_bytes; /* -1: no budget */
	int64_t limit_bytes;			/* set last; -1: none */
	double gap_s;				/* the longest time between two looks */
	double cpu_s;
};

struct budget;

/* Holds it until budget_end. -ENOMEM, -EAGAIN. */
int budget_begin(const struct budget_plan *plan, struct budget **ret, struct err *e);
/* What was seen so far; from any thread. pool: now. */
void budget_look(struct budget *b, struct budget_report *ret, struct backend_pool *pool);
/* Stops and frees. Takes NULL; ret may be NULL. */
void budget_end(struct budget *b, struct budget_report *ret);

#endif
