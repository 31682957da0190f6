/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The settings of a plan, one table; private to plan*.c. */
#ifndef SNUG_LAB_PLAN_SETTING_H
#define SNUG_LAB_PLAN_SETTING_H

#include "plan.h"

/* A value as it was written, and what it may be made of and called. */
struct setting_text {
	const char *value, *what;
	uint64_t ram_bytes;
};

#define SETTING_MAX 192

struct setting {
	const char *name, *section;
	bool repeats; /* each time it is given it adds something */
	int (*set)(struct plan *p, const struct setting_text *text, struct err *e);
	/* The nth value that is not the default, as `set` takes it, in buf; NULL: there is none. */
	const char *(*show)(const struct plan *p, size_t n, char buf[SETTING_MAX]);
};

/* Ends with a NULL name. Settings of one section stand together. */
extern const struct setting plan_settings[];

/* NULL: unknown. */
const struct setting *plan_setting_find(const char *name);

/* The words of a command, split at blanks, with '...', "..." and \; nothing is expanded. The
 * workload is `command` then. */
int plan_set_command(struct plan *p, const struct setting_text *text, struct err *e);

#endif
