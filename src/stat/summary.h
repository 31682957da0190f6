/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers that stand for many. Pure functions; values are finite. */
#ifndef SNUG_STAT_SUMMARY_H
#define SNUG_STAT_SUMMARY_H

#include <stddef.h>

/* Ascending, in place. */
void stat_sort(double *values, size_t n);

/*
 * The p-quantile (0 <= p <= 1) of n > 0 ascending values, linear between the two nearest: type 7 of
 * Hyndman and Fan, "Sample Quantiles in Statistical Packages" (1996), what R and NumPy give
 * unasked.
 */
double stat_quantile(const double *sorted, size_t n, double p);

/* Of values in any order, which stay as they are. -EINVAL for n == 0, -ENOMEM. */
int stat_median(const double *values, size_t n, double *ret);

/* NAN for n == 0 or a value that is not positive. */
double stat_geometric_mean(const double *values, size_t n);

#endif
