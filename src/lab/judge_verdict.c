/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words: a sentence for each standing that there is, and for what the race could not tell. */
#include "judge.h"
#include "judge_parts.h"

#include <math.h>
#include <stdio.h>

enum {
	LIST_MOST = 5, /* of a list, further ones are counted only */
	LIST_BYTES = 1024,
};

enum detail { NAMES, TIMES, OUTCOMES };

static unsigned count(const struct race_result *r, const struct judge_row *rows,
		      enum judge_standing standing)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->n_summary; i++)
		n += rows[i].standing == standing;
	return n;
}

static void list_one(const struct race_summary *s, enum detail detail, const char *separator,
		     char text[LIST_BYTES])
{
	char time[JUDGE_TIME_MAX];

	if (detail == NAMES)
		judge_say(text, LIST_BYTES, separator, "%s", s->backend);
	else
		judge_say(text, LIST_BYTES, separator, "%s (%s)", s->backend,
			  detail == TIMES ? judge_time(s->median_real_s, time) : s->outcomes);
}

/* "file (96.7 s), zram:lz4 (36.1 s) and zram:lzo (32.5 s)"; how many these are. */
static unsigned list(const struct race_result *r, const struct judge_row *rows,
		     enum judge_standing standing, enum detail detail, char text[LIST_BYTES])
{
	unsigned all = count(r, rows, standing), k = 0;

	text[0] = '\0';
	for (size_t i = 0; i < r->n_summary; i++) {
		if (rows[i].standing != standing || ++k > LIST_MOST)
			continue;
		list_one(rows[i].s, detail, k == all ? " and " : ", ", text);
	}
	if (all > LIST_MOST)
		judge_say(text, LIST_BYTES, "", " and %u more", all - LIST_MOST);
	return all;
}

#define SAY(to, ...) judge_say(to, sizeof(to), " ", __VA_ARGS__)

static void say_winner(struct race_verdict *v, const struct race_summary *s)
{
	char time[JUDGE_TIME_MAX];

	judge_time(s->median_real_s, time);
	snprintf(v->backend, sizeof(v->backend), "%s", s->backend);
	if (isnan(s->vs_none))
		SAY(v->why, "%s took %s, and was never out of memory.", s->backend, time);
	else
		SAY(v->why,
		    "%s took %s, %.2f times as long as without a limit, and was never out of memory.",
		    s->backend, time, s->vs_none);
}

static const char *p_text(double p, char buf[16])
{
	if (p < 0.001)
		return "p < 0.001";
	snprintf(buf, 16, "p = %.2g", p);
	return buf;
}

static void say_behind(struct race_result *r, const struct judge_row *rows)
{
	char text[LIST_BYTES], time[JUDGE_TIME_MAX], p[16];
	unsigned n = list(r, rows, JUDGE_BEHIND, TIMES, text);
	const struct race_summary *first = NULL;
	double largest = 0;

	for (size_t i = 0; i < r->n_summary; i++) {
		if (rows[i].standing != JUDGE_BEHIND)
			continue;
		largest = fmax(largest, rows[i].s->p);
		first = first ? first : rows[i].s;
	}
	if (n == 1)
		SAY(r->verdict.why, "%s took %s; the difference is real (%s).", first->backend,
		    judge_time(first->median_real_s, time), p_text(largest, p));
	else if (n > 1)
		SAY(r->verdict.why, "%s took longer; the differences are real (%s%s).", text,
		    p_text(largest, p), largest < 0.001 ? "" : " at most");
}

static void say_why(struct race_result *r, const struct judge_row *rows)
{
	struct race_verdict *v = &r->verdict;
	char text[LIST_BYTES];
	unsigned n;

	say_winner(v, rows[0].s);
	say_behind(r, rows);
	n = list(r, rows, JUDGE_UNPROVEN, TIMES, text);
	if (n)
		SAY(v->why, "By the medians %s come%s next; that is not proven.", text,
		    n == 1 ? "s" : "");
	if (list(r, rows, JUDGE_FAILED, OUTCOMES, text))
		SAY(v->why, "Not always ok: %s.", text);
}

static void say_why_none(struct race_result *r, const struct judge_row *rows)
{
	struct race_verdict *v = &r->verdict;
	char text[LIST_BYTES];

	if (list(r, rows, JUDGE_FAILED, OUTCOMES, text) && rows[0].s->ok)
		SAY(v->why, "No backend was ok in all its runs. %s came nearest (%s).",
		    rows[0].s->backend, rows[0].s->outcomes);
	else if (*text)
		SAY(v->why, "No backend was ok in any run: %s.", text);
	else if (count(r, rows, JUDGE_NOT_RUN))
		SAY(v->why, "It was interrupted before any backend had ended a run.");
	else if (count(r, rows, JUDGE_UNAVAILABLE))
		SAY(v->why, "Of the backends that were asked for none can be had here.");
	else
		SAY(v->why, "Only the reference was run: there is nothing to choose from.");
}

/* How many runs of each it takes for p to be below JUDGE_ALPHA after Holm over so many pairs: the
 * least p is 2 / C(2n, n). */
static unsigned runs_needed(unsigned pairs)
{
	double p = 1;
	unsigned n = 1;

	for (; p * pairs >= JUDGE_ALPHA; n++)
		p *= (n + 1.0) / (2 * (2 * n + 1.0));
	return n;
}

static void say_few(struct race_result *r, const struct judge_row *rows)
{
	unsigned pairs = 0, runs = rows[0].s->ok;
	double least = 1;
	bool few = false;

	for (size_t i = 1; i < r->n_summary; i++) {
		pairs += !isnan(rows[i].s->p);
		if (!rows[i].few || rows[i].standing >= JUDGE_FAILED)
			continue;
		few = true;
		least = fmin(least, rows[i].least_p);
		runs = rows[i].s->ok < runs ? rows[i].s->ok : runs;
	}
	if (!few)
		return;
	if (least >= JUDGE_ALPHA)
		SAY(r->verdict.unknown,
		    "%u run%s can't prove an order: p is never below %.2g; it takes %u or more.",
		    runs, runs == 1 ? "" : "s", least, runs_needed(pairs));
	else
		SAY(r->verdict.unknown,
		    "%u runs can't prove an order of %u backends; it takes %u or more.", runs,
		    pairs + 1, runs_needed(pairs));
}

/* What there is to say against a winner. */
static void say_doubts(struct race_result *r, const struct judge_row *rows)
{
	struct race_verdict *v = &r->verdict;
	char text[LIST_BYTES];
	unsigned n = list(r, rows, JUDGE_NEAR, TIMES, text);

	if (n)
		SAY(v->unknown, "%s %s too near to call.", text, n == 1 ? "is" : "are");
	say_few(r, rows);
	if (r->n_summary == 1 || rows[1].standing > JUDGE_FAILED)
		SAY(v->unknown, "There was no other to compare it with.");
	if (isnan(rows[0].s->vs_none))
		SAY(v->unknown, "How long it takes without a limit is not known.");
}

static void say_unknown(struct race_result *r, const struct judge_row *rows)
{
	struct race_verdict *v = &r->verdict;
	char text[LIST_BYTES];

	if (*v->backend)
		say_doubts(r, rows);
	if (r->plan.budget_bytes > 0 && r->plan.peak_bytes > 0)
		SAY(v->unknown, "How it goes at another pressure than %.3g was not measured.",
		    (double)r->plan.peak_bytes / (double)r->plan.budget_bytes);
	if (list(r, rows, JUDGE_UNAVAILABLE, NAMES, text))
		SAY(v->unknown, "Not available here: %s.", text);
	if (r->partial)
		SAY(v->unknown, "It was interrupted before all runs were done.");
	if (list(r, rows, JUDGE_NOT_RUN, NAMES, text))
		SAY(v->unknown, "Not run: %s.", text);
}

void judge_verdict(struct race_result *r, const struct judge_row *rows)
{
	r->verdict = (struct race_verdict){0};
	if (r->n_summary && rows[0].standing == JUDGE_WINNER)
		say_why(r, rows);
	else
		say_why_none(r, rows);
	say_unknown(r, rows);
}
