/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of plausible.c's table, and what they share; private to this folder. */
#ifndef SNUG_LAB_PLAUSIBLE_CHECKS_H
#define SNUG_LAB_PLAUSIBLE_CHECKS_H

#include "race_result.h"
#include "units.h"

typedef void plausible_run(const struct race_result *r, struct race_check *ret);

/* The medium: plausible_medium.c. */
plausible_run plausible_link_rate, plausible_cache, plausible_compressed_medium,
	plausible_dirty_pages;
/* Pages, the pool and the budget: plausible_pool.c. */
plausible_run plausible_same_pages, plausible_easy_data, plausible_no_pressure,
	plausible_pool_outside, plausible_budget_excess, plausible_limits;
/* The machine around it: plausible_machine.c. */
plausible_run plausible_conditions, plausible_throttled, plausible_other_swap,
	plausible_sampler_cost;
/* Runs against each other: plausible_runs.c. */
plausible_run plausible_first_run, plausible_overlap, plausible_few_runs;

void plausible_say(struct race_check *ret, enum race_check_verdict v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* One figure of a trial; NAN where it does not apply. */
typedef double plausible_figure(const struct race_result *r, const struct race_trial *t);

struct plausible_worst {
	const struct race_trial *trial; /* NULL: it applies to none */
	double value;			/* the largest */
};

/* Over the trials that ran at all. */
struct plausible_worst plausible_worst_of(const struct race_result *r, plausible_figure *figure);

/* Warn above one bound, fail above the other. */
enum race_check_verdict plausible_above(double value, double warn, double fail);

/* "zram:lz4 run 2", for sentences; returns buf. */
#define PLAUSIBLE_WHO (RACE_NAME_MAX + 16)
const char *plausible_who(const struct race_trial *t, char buf[PLAUSIBLE_WHO]);

/* Whether the backend is of that kind: "zram" of "zram:lz4,devices=2". */
bool plausible_is_kind(const struct race_trial *t, const char *kind);

/* A size in a sentence, as long as the statement lasts. */
#define PLAUSIBLE_SIZE(bytes) \
	units_format_size((bytes) > 0 ? (uint64_t)(bytes) : 0, (char[UNITS_SIZE_MAX]){0})

#endif
