/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The figures of one backend: a table says which median of the trials is which field. */
#include "judge_parts.h"

#include "bootstrap.h"
#include "cleanup.h"
#include "summary.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define CONFIDENCE 0.95
/* An outlier: so many deviations from the median, and so much of it. */
#define OUTLIER_DEVIATIONS 3
#define OUTLIER_SHARE	   0.05
/* What makes the median absolute deviation of normal values their standard deviation. */
#define MAD_SCALE 1.4826

/* A field of a trial: a double, or an integer of which -1 is unknown. */
struct source {
	size_t offset;
	bool whole;
};

#define REAL(field)                                       \
	{                                                 \
		offsetof(struct race_trial, field), false \
	}
#define WHOLE(field)                                     \
	{                                                \
		offsetof(struct race_trial, field), true \
	}

static const struct source net_s = REAL(net_s), orig_bytes = WHOLE(orig_bytes),
			   mem_used_bytes = WHOLE(mem_used_bytes);

static const struct {
	struct source from;
	size_t to;
} medians[] = {
	{REAL(net_s), offsetof(struct race_summary, median_real_s)},
	{REAL(user_s), offsetof(struct race_summary, median_user_s)},
	{REAL(sys_s), offsetof(struct race_summary, median_sys_s)},
	{REAL(psi_some_s), offsetof(struct race_summary, psi_some_s)},
	{REAL(psi_full_s), offsetof(struct race_summary, psi_full_s)},
	{REAL(fps_avg), offsetof(struct race_summary, fps_avg)},
	{REAL(fps_min), offsetof(struct race_summary, fps_min)},
	{REAL(score), offsetof(struct race_summary, score)},
	{WHOLE(major_faults), offsetof(struct race_summary, major_faults)},
	{WHOLE(pswpout), offsetof(struct race_summary, pswpout)},
	{WHOLE(frame_ns_p99), offsetof(struct race_summary, frame_ns_p99)},
};

const char *judge_time(double seconds, char buf[JUDGE_TIME_MAX])
{
	snprintf(buf, JUDGE_TIME_MAX, "%.*f s", seconds < 1 ? 3 : seconds < 10 ? 2 : 1, seconds);
	return buf;
}

void judge_say(char *text, size_t size, const char *separator, const char *format, ...)
{
	size_t begin = strlen(text), len = begin + (begin ? strlen(separator) : 0);
	va_list args;
	int added;

	if (len >= size)
		return;
	if (begin)
		strcpy(text + begin, separator);
	va_start(args, format);
	added = vsnprintf(text + len, size - len, format, args);
	va_end(args);
	if (added < 0 || (size_t)added >= size - len)
		text[begin] = '\0';
}

static bool is_of(const struct race_trial *t, const struct race_summary *s)
{
	return strcmp(t->backend, s->backend) == 0 && strcmp(t->workload, s->workload) == 0;
}

unsigned judge_count(const struct race_result *r, const struct race_summary *s,
		     enum race_outcome outcome)
{
	unsigned n = 0;

	for (size_t i = 0; i < r->n_trials; i++)
		n += is_of(&r->trials[i], s) && r->trials[i].outcome == outcome;
	return n;
}

/* NAN: unknown. */
static double read_field(const struct race_trial *t, const struct source *f)
{
	const char *at = (const char *)t + f->offset;
	int64_t whole;

	if (!f->whole)
		return *(const double *)at;
	whole = *(const int64_t *)at;
	return whole < 0 ? NAN : (double)whole;
}

/* What is known of a field in the runs that were ok. */
static size_t collect(const struct race_result *r, const struct race_summary *s,
		      const struct source *f, double *ret)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_trials; i++) {
		const struct race_trial *t = &r->trials[i];

		if (t->outcome != RACE_OK || !is_of(t, s))
			continue;
		ret[n] = read_field(t, f);
		n += isfinite(ret[n]);
	}
	return n;
}

size_t judge_times(const struct race_result *r, const struct race_summary *s, double *ret)
{
	return collect(r, s, &net_s, ret);
}

/* Of what is in values. NAN of none. */
static int median_or_unknown(const double *values, size_t n, double *ret)
{
	*ret = NAN;
	return n ? stat_median(values, n, ret) : 0;
}

static int fill_medians(const struct race_result *r, struct race_summary *s, double *values)
{
	for (size_t i = 0; i < sizeof(medians) / sizeof(*medians); i++) {
		char *to = (char *)s + medians[i].to;
		double median;
		int code =
			median_or_unknown(values, collect(r, s, &medians[i].from, values), &median);

		if (code < 0)
			return code;
		if (medians[i].from.whole)
			*(int64_t *)to = isnan(median) ? -1 : llround(median);
		else
			*(double *)to = median;
	}
	return 0;
}

static int fill_ratio(const struct race_result *r, struct race_summary *s, double *values)
{
	double orig, used;
	int code = median_or_unknown(values, collect(r, s, &orig_bytes, values), &orig);

	if (code == 0)
		code = median_or_unknown(values, collect(r, s, &mem_used_bytes, values), &used);
	if (code == 0)
		s->ratio = orig > 0 && used > 0 ? orig / used : NAN;
	return code;
}

static int fill_interval(const struct race_result *r, struct race_summary *s, double *values)
{
	struct stat_interval interval = {NAN, NAN};
	size_t n = judge_times(r, s, values);
	int code = n ? stat_median_interval(values, n, CONFIDENCE, r->plan.seed, &interval) : 0;

	s->low = interval.low;
	s->high = interval.high;
	return code;
}

static void fill_outcomes(const struct race_result *r, struct race_summary *s)
{
	s->runs = 0;
	s->outcomes[0] = '\0';
	for (enum race_outcome o = 0; o < RACE_OUTCOMES; o++) {
		unsigned n = judge_count(r, s, o);

		s->runs += n;
		if (n)
			judge_say(s->outcomes, sizeof(s->outcomes), ", ", "%u %s", n,
				  race_outcome_name(o));
	}
	s->ok = judge_count(r, s, RACE_OK);
}

/* Named and kept: a first run that is slow is a fact of this machine, and of its owner's life. */
static int fill_outliers(const struct race_result *r, struct race_summary *s, double *values)
{
	size_t n = judge_times(r, s, values);
	double median = s->median_real_s, deviation;
	int code;

	s->outliers[0] = '\0';
	for (size_t i = 0; i < n; i++)
		values[i] = fabs(values[i] - median);
	code = median_or_unknown(values, n, &deviation);
	for (size_t i = 0; i < r->n_trials && code == 0; i++) {
		const struct race_trial *t = &r->trials[i];
		double off = fabs(t->net_s - median);
		char time[JUDGE_TIME_MAX];

		if (is_of(t, s) && t->outcome == RACE_OK && off > OUTLIER_SHARE * median &&
		    off > OUTLIER_DEVIATIONS * MAD_SCALE * deviation)
			judge_say(s->outliers, sizeof(s->outliers), ", ", "run %u (%s)", t->run,
				  judge_time(t->net_s, time));
	}
	return code;
}

int judge_summary(const struct race_result *r, struct race_summary *s)
{
	CLEANUP_FREE double *values = calloc(r->n_trials + 1, sizeof(*values));
	int code = values ? 0 : -ENOMEM;

	s->vs_none = s->p = NAN;
	s->significant = false;
	fill_outcomes(r, s);
	if (code == 0)
		code = fill_medians(r, s, values);
	if (code == 0)
		code = fill_ratio(r, s, values);
	if (code == 0)
		code = fill_interval(r, s, values);
	return code < 0 ? code : fill_outliers(r, s, values);
}
