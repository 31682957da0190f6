/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs against each other: whether times may be compared, and whether what is called is so. */
#include "plausible_checks.h"

#include "cleanup.h"
#include "judge.h"
#include "ranktest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_WARN 0.1 /* how much slower it may be than the slowest of the others */

enum { OTHERS_LEAST = 2 };

/* How much slower than all the rest of its backend; NAN for what is not a first run. */
static double first_is_slower(const struct race_result *r, const struct race_trial *first)
{
	double slowest = 0;
	unsigned others = 0;

	if (first->run != 1 || first->outcome != RACE_OK)
		return NAN;
	for (size_t i = 0; i < r->n_trials; i++) {
		const struct race_trial *t = &r->trials[i];

		if (t == first || t->outcome != RACE_OK || strcmp(t->backend, first->backend))
			continue;
		others++;
		slowest = fmax(slowest, t->net_s);
	}
	return others >= OTHERS_LEAST && slowest > 0 ? first->net_s / slowest - 1 : NAN;
}

void plausible_first_run(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst w = plausible_worst_of(r, first_is_slower);

	if (!w.trial)
		plausible_say(ret, RACE_CHECK_SKIP,
			      "no backend has a first run and %d others that were ok",
			      OTHERS_LEAST);
	else if (w.value > 0)
		plausible_say(ret, w.value > FIRST_WARN ? RACE_CHECK_WARN : RACE_CHECK_OK,
			      "the first run of %s took %.2f s, %.1f%% longer than the slowest of "
			      "the others",
			      w.trial->backend, w.trial->net_s, 100 * w.value);
	else
		plausible_say(ret, RACE_CHECK_OK, "no first run was the slowest");
}

/* NULL: none was named. */
static const struct race_summary *best(const struct race_result *r)
{
	for (size_t i = 0; i < r->n_summary; i++)
		if (*r->verdict.backend && !strcmp(r->summary[i].backend, r->verdict.backend))
			return &r->summary[i];
	return NULL;
}

static bool overlap(const struct race_summary *a, const struct race_summary *b)
{
	return a->low <= b->high && b->low <= a->high;
}

void plausible_overlap(const struct race_result *r, struct race_check *ret)
{
	const struct race_summary *named = best(r);
	unsigned called = 0;

	for (size_t i = 0; named && i < r->n_summary; i++) {
		const struct race_summary *s = &r->summary[i];

		if (s == named || *s->unavailable || !s->significant)
			continue;
		called++;
		if (!overlap(s, named))
			continue;
		plausible_say(ret, RACE_CHECK_FAIL,
			      "%s (%.2f to %.2f s) is called different from %s (%.2f to %.2f s)",
			      s->backend, s->low, s->high, named->backend, named->low, named->high);
		return;
	}
	if (!named)
		plausible_say(ret, RACE_CHECK_SKIP, "no backend was named best");
	else if (!called)
		plausible_say(ret, RACE_CHECK_OK, "none is called different from %s",
			      named->backend);
	else
		plausible_say(ret, RACE_CHECK_OK,
			      "the intervals of the %u that are called different from %s are apart "
			      "from its own",
			      called, named->backend);
}

/* The times of a backend's runs that were ok. */
static size_t times_of(const struct race_result *r, const char *backend, double *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_trials; i++)
		if (r->trials[i].outcome == RACE_OK && !strcmp(r->trials[i].backend, backend))
			ret[n++] = r->trials[i].net_s;
	return n;
}

/* What p would be after Holm if each of the others differed from the best as clearly as so many
 * runs can show; ret has room for all rows. */
static int least_p(const struct race_result *r, const struct race_summary *named, double *ret,
		   size_t *ret_n)
{
	CLEANUP_FREE double *a = calloc(r->n_trials + 1, sizeof(*a));
	CLEANUP_FREE double *b = calloc(r->n_trials + 1, sizeof(*b));
	size_t n = 0, mine = a ? times_of(r, named->backend, a) : 0;

	if (!a || !b)
		return -ENOMEM;
	for (size_t i = 0; i < r->n_summary; i++) {
		const struct race_summary *s = &r->summary[i];
		size_t theirs = s == named ? 0 : times_of(r, s->backend, b);
		struct stat_ranktest test;
		int code = theirs && mine ? stat_mann_whitney(a, mine, b, theirs, &test) : -EINVAL;

		if (code == -ENOMEM)
			return code;
		if (code == 0)
			ret[n++] = test.least_p;
	}
	*ret_n = n;
	return stat_holm(ret, n);
}

void plausible_few_runs(const struct race_result *r, struct race_check *ret)
{
	CLEANUP_FREE double *p = calloc(r->n_summary + 1, sizeof(*p));
	const struct race_summary *named = best(r);
	size_t n = 0, beyond = 0;
	double worst = 0;

	if (!named) {
		plausible_say(ret, RACE_CHECK_SKIP, "no backend was named best");
		return;
	}
	if (!p || least_p(r, named, p, &n) < 0) {
		plausible_say(ret, RACE_CHECK_SKIP, "out of memory");
		return;
	}
	for (size_t i = 0; i < n; i++) {
		worst = fmax(worst, p[i]);
		beyond += p[i] >= JUDGE_ALPHA;
	}
	if (!n)
		plausible_say(ret, RACE_CHECK_SKIP, "there is nothing to compare %s with",
			      named->backend);
	else
		plausible_say(ret, beyond ? RACE_CHECK_WARN : RACE_CHECK_OK,
			      "with %u runs of %s that were ok, p can be as low as %.3f%s",
			      named->ok, named->backend, worst,
			      beyond ? ", which proves nothing; --runs takes more" : "");
}
