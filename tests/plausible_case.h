/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A case of a check: the race of race_fixture.h, in which all is well, with one thing changed.
 */
#ifndef SNUG_TESTS_PLAUSIBLE_CASE_H
#define SNUG_TESTS_PLAUSIBLE_CASE_H

#include "plausible.h"

#include "race_fixture.h"
#include "testing.h"

struct plausible_case {
	const char *check;
	void (*change)(struct race_result *r);
	enum race_check_verdict verdict;
	const char *detail; /* a part of it */
};

/* The fixture's backends, in its order, which is also the order of the trials of each run. */
enum { NONE, FILE_, LZO_RLE, LZO, LZ4 };

/* The trial of a backend's run. */
static struct race_trial *trial(struct race_result *r, int backend, int run)
{
	return &r->trials[FIXTURE_RAN * (run - 1) + backend];
}

static void as_it_is(struct race_result *r)
{
}

static void no_trials(struct race_result *r)
{
	for (struct race_trial *t = r->trials; t < r->trials + r->n_trials; t++)
		free(t->samples);
	r->n_trials = 0;
}

#endif
