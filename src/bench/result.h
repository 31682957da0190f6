/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a benchmark of pages found, row by row, and its form in JSON ("snug.bench.pages/1").
 *
 * Numbers of a row are the median over the runs, with the interval that holds it with 95%
 * confidence; the samples stay with it, so that a reader can pair the runs of two rows: both saw
 * the machine in the same mood.
 */
#ifndef SNUG_BENCH_RESULT_H
#define SNUG_BENCH_RESULT_H

#include "bootstrap.h"
#include "run.h"

#include <jansson.h>

struct bench_row {
	const struct target_config *config;
	const struct bench_sample *samples;
	unsigned runs;
	struct {
		double median;
		struct stat_interval interval;
	} metric[BENCH_METRICS];
	struct footprint footprint; /* of the run whose total is the median */
	struct footprint rewritten; /* of the same run, after all was overwritten */
	double ratio;
};

/* orig over all that is held, mem_used and meta; 0 for nothing held. */
double bench_ratio(const struct footprint *f);

/* Borrows config and samples. -ENOMEM. */
int bench_row_make(const struct target_config *config, const struct bench_sample *samples,
		   unsigned runs, struct bench_row *ret);

/* A new reference, NULL for want of memory. */
json_t *bench_result_json(const struct page_set *pages, const struct bench_row *rows, size_t n);

#endif
