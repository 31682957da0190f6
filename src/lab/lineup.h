/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which backends run: those of the plan, or, if it names none, what this machine has. */
#ifndef SNUG_LAB_LINEUP_H
#define SNUG_LAB_LINEUP_H

#include "backend.h"

struct err;

struct lineup {
	struct backend backends[PLAN_BACKENDS];
	size_t n;
};

/*
 * ERR_USAGE for one that can't be parsed. The default: none, file, zram with every algorithm of
 * this kernel, and zswap with its own. `none` always runs, and first: it is added where the plan
 * has left it out. Of two alike the second is named "...#2".
 */
int lineup_make(struct lineup *l, int root, struct undo *u, const struct plan *plan, struct err *e);

/*
 * Prepares each. One that this machine can't have gets its reason in `unavailable`; any other
 * failure is an error, before anything has run.
 */
int lineup_prepare(struct lineup *l, const struct backend_setup *s, struct err *e);

#endif
