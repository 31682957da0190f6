/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ways in which such measurements go wrong, each a check. Pure: a result in, checks out. */
#ifndef SNUG_LAB_PLAUSIBLE_H
#define SNUG_LAB_PLAUSIBLE_H

#include "race_result.h"

/* One member of the table: looks at the result, which has trials and summary, and fills verdict and
 * detail. */
struct plausible_check {
	const char *name;
	const char *about;
	void (*run)(const struct race_result *r, struct race_check *ret);
};

/* Ends with a NULL name. */
extern const struct plausible_check plausible_checks[];

/* Runs them all into r->checks. -ENOMEM. */
int plausible(struct race_result *r);

#endif
