/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far off a median may be, from the values alone.
 *
 * The percentile bootstrap (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter
 * 13): the median of many samples drawn from the values with replacement, and the quantiles that
 * enclose the wanted share of those. For the few runs that a benchmark has it is somewhat narrow:
 * it can't reach beyond the extremes, so 95% of 5 values is lowest to highest, which holds the true
 * median in 15 of 16 cases. But it supposes nothing about how times are distributed, and times are
 * skewed. Declined: BCa, whose correction five values can't support.
 */
#ifndef SNUG_STAT_BOOTSTRAP_H
#define SNUG_STAT_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

#define BOOTSTRAP_RESAMPLES 2000

struct stat_interval {
	double low, high;
};

/*
 * confidence in (0, 1), say 0.95; the same seed gives the same interval. -EINVAL for n == 0,
 * -ENOMEM.
 */
int stat_median_interval(const double *values, size_t n, double confidence, uint64_t seed,
			 struct stat_interval *ret);

#endif
