/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Are two sets of values different? Pure functions; nothing is supposed about how they are
 * distributed. */
#ifndef SNUG_STAT_RANKTEST_H
#define SNUG_STAT_RANKTEST_H

#include <stddef.h>

struct stat_ranktest {
	double u;	/* of the first: pairs in which it is larger, ties count half */
	double p;	/* two-sided */
	double effect;	/* P(first > second) - P(first < second): Cliff's delta, -1 to 1 */
	double least_p; /* the smallest p that so many values could give */
};

/*
 * The Mann-Whitney U test (Mann and Whitney 1947), exact also with ties: over all ways to deal the
 * values out, up to n + m = 40; beyond, the normal approximation with tie and continuity
 * corrections. -EINVAL for n or m == 0, -ENOMEM.
 */
int stat_mann_whitney(const double *a, size_t n, const double *b, size_t m,
		      struct stat_ranktest *ret);

/* Holm's step-down (1979): p[i] becomes the adjusted p, at most 1; the order stays. -ENOMEM. */
int stat_holm(double *p, size_t n);

#endif
