/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows are ranked, the first of those that were always ok has won, and the others' times are tested
 * against its own. `none` is what all is compared with, and no choice: nobody may have all the RAM
 * that he wants. It is tested like the rest, as its row has a p as well.
 *
 * A run that somebody has interrupted says nothing about the backend, neither good nor bad.
 */
#include "judge.h"

#include "cleanup.h"
#include "judge_parts.h"
#include "ranktest.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "none", and of two alike "none#2"; "none:limited" is a choice. */
static bool is_reference(const struct race_summary *s)
{
	return strncmp(s->backend, "none", 4) == 0 && (!s->backend[4] || s->backend[4] == '#');
}

/* JUDGE_NEAR: always ok, and not compared yet. */
static enum judge_standing first_standing(const struct race_result *r, const struct race_summary *s)
{
	unsigned told = s->runs - judge_count(r, s, RACE_STOPPED);

	if (*s->unavailable)
		return JUDGE_UNAVAILABLE;
	if (is_reference(s))
		return JUDGE_REFERENCE;
	if (told == 0)
		return JUDGE_NOT_RUN;
	return s->ok < told ? JUDGE_FAILED : JUDGE_NEAR;
}

/* Less is better; unknown is worst. */
static int compare_numbers(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(a) - isnan(b);
	return (a > b) - (a < b);
}

static int compare_rows(const void *pa, const void *pb)
{
	const struct judge_row *a = pa, *b = pb;
	int r = (a->standing > b->standing) - (a->standing < b->standing);

	if (r == 0 && a->standing == JUDGE_FAILED)
		r = (a->s->ok < b->s->ok) - (a->s->ok > b->s->ok);
	if (r == 0)
		r = compare_numbers(a->s->median_real_s, b->s->median_real_s);
	/* The plan's order. */
	return r ? r : (a->s > b->s) - (a->s < b->s);
}

static void compare_with_reference(struct race_result *r)
{
	double reference = NAN;

	for (size_t i = 0; i < r->n_summary && isnan(reference); i++)
		if (is_reference(&r->summary[i]))
			reference = r->summary[i].median_real_s;
	for (size_t i = 0; i < r->n_summary; i++)
		r->summary[i].vs_none = r->summary[i].median_real_s / reference;
}

/* Times of one backend that were ok, and where their median may be. */
struct sample {
	double *times;
	size_t n;
	struct stat_interval interval;
};

static int take_sample(const struct race_result *r, const struct race_summary *s,
		       struct sample *ret)
{
	ret->n = judge_times(r, s, ret->times);
	return ret->n ? stat_median_interval(ret->times, ret->n, JUDGE_CONFIDENCE, r->plan.seed,
					     &ret->interval)
		      : 0;
}

/* The second and the third condition of judge.h. */
static bool are_apart(const struct judge_row *a, const struct judge_row *b)
{
	double x = a->s->median_real_s, y = b->s->median_real_s;

	return (a->interval.high < b->interval.low || b->interval.high < a->interval.low) &&
	       fabs(x - y) > JUDGE_NOISE * fmin(x, y);
}

/* p and least: after Holm. */
static void settle(struct judge_row *row, const struct judge_row *winner, double p, double least)
{
	bool apart = are_apart(row, winner);

	row->s->p = p;
	row->s->significant = apart && p < JUDGE_ALPHA;
	row->few = least >= JUDGE_ALPHA;
	if (row->standing != JUDGE_NEAR)
		return;
	if (row->s->significant)
		row->standing = JUDGE_BEHIND;
	else if (apart && row->few)
		row->standing = JUDGE_UNPROVEN;
}

/* Tests all that have times against rows[0]. */
static int compare_with_winner(const struct race_result *r, struct judge_row *rows)
{
	CLEANUP_FREE double *times = calloc(2 * r->n_trials, sizeof(*times));
	CLEANUP_FREE double *p = calloc(2 * r->n_summary, sizeof(*p));
	CLEANUP_FREE struct judge_row **tested = calloc(r->n_summary, sizeof(*tested));
	double *least = p + r->n_summary;
	struct sample winner = {.times = times}, other = {.times = times + r->n_trials};
	size_t n = 0;
	int code = times && p && tested ? take_sample(r, rows[0].s, &winner) : -ENOMEM;

	rows[0].interval = winner.interval;
	for (size_t i = 1; i < r->n_summary && code == 0; i++) {
		struct stat_ranktest t;

		code = take_sample(r, rows[i].s, &other);
		if (code < 0 || other.n == 0)
			continue;
		code = stat_mann_whitney(winner.times, winner.n, other.times, other.n, &t);
		if (code < 0)
			continue;
		rows[i].interval = other.interval;
		p[n] = t.p;
		least[n] = rows[i].least_p = t.least_p;
		tested[n++] = &rows[i];
	}
	if (code == 0)
		code = stat_holm(p, n);
	if (code == 0)
		code = stat_holm(least, n);
	for (size_t i = 0; i < n && code == 0; i++)
		settle(tested[i], &rows[0], p[i], least[i]);
	return code;
}

static int rank(struct race_result *r, struct judge_row *rows)
{
	int code;

	for (size_t i = 0; i < r->n_summary; i++)
		rows[i] = (struct judge_row){
			.s = &r->summary[i],
			.standing = first_standing(r, &r->summary[i]),
			.least_p = NAN,
		};
	qsort(rows, r->n_summary, sizeof(*rows), compare_rows);
	if (r->n_summary == 0 || rows[0].standing != JUDGE_NEAR)
		return 0;
	rows[0].standing = JUDGE_WINNER;
	code = compare_with_winner(r, rows);
	if (code == 0 && r->n_summary > 1 && rows[1].standing < JUDGE_FAILED) {
		rows[0].s->p = rows[1].s->p;
		rows[0].s->significant = rows[1].s->significant;
	}
	return code;
}

int judge(struct race_result *r)
{
	CLEANUP_FREE struct judge_row *rows = calloc(r->n_summary + 1, sizeof(*rows));
	int code = rows ? 0 : -ENOMEM;

	for (size_t i = 0; i < r->n_summary && code == 0; i++)
		code = judge_summary(r, &r->summary[i]);
	if (code < 0)
		return code;
	compare_with_reference(r);
	code = rank(r, rows);
	if (code == 0)
		judge_verdict(r, rows);
	return code;
}
