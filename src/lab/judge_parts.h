/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the judge's three files share: figures (judge_summary.c), tests and ranks (judge.c), words
 * (judge_verdict.c). */
#ifndef SNUG_LAB_JUDGE_PARTS_H
#define SNUG_LAB_JUDGE_PARTS_H

#include "bootstrap.h"
#include "race_result.h"

/* In the order of rank. */
enum judge_standing {
	JUDGE_WINNER,
	JUDGE_BEHIND,	/* slower, and really so */
	JUDGE_UNPROVEN, /* slower as it seems, but these are too few runs to prove it */
	JUDGE_NEAR,	/* too near to call */
	JUDGE_FAILED,	/* not always ok */
	JUDGE_NOT_RUN,	/* the race was interrupted before */
	JUDGE_REFERENCE,
	JUDGE_UNAVAILABLE,
};

struct judge_row {
	struct race_summary *s;
	enum judge_standing standing;
	struct stat_interval interval; /* of the median, at JUDGE_CONFIDENCE */
	double least_p; /* that so many runs, against the winner's, could give; before Holm */
	bool few;	/* so that p after Holm could not be small enough */
};

/* net_s of the runs of s that were ok, into as many as there are trials; how many. */
size_t judge_times(const struct race_result *r, const struct race_summary *s, double *ret);

unsigned judge_count(const struct race_result *r, const struct race_summary *s,
		     enum race_outcome outcome);

/* All of s that the runs of one backend say. -ENOMEM. */
int judge_summary(const struct race_result *r, struct race_summary *s);

/* rows: all of r's summary, by rank. */
void judge_verdict(struct race_result *r, const struct judge_row *rows);

/* "31.8 s", for people. */
#define JUDGE_TIME_MAX 32
const char *judge_time(double seconds, char buf[JUDGE_TIME_MAX]);

/* Adds to a text, after separator if it is not the first there; what does not fit whole is left
 * out. */
__attribute__((format(printf, 4, 5))) void judge_say(char *text, size_t size, const char *separator,
						     const char *format, ...);

#endif
