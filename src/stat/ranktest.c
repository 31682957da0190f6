/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Under the hypothesis that both sets come from one distribution, every way to deal the pooled
 * values out is as likely as another. So the exact p is a count of subsets: of all ways to choose n
 * of the N pooled ranks, the share whose sum is at least as far from its mean as the one that was
 * seen. Midranks are halves, so sums are kept doubled, and are whole numbers also with ties. There
 * are at most C(40, 20) = 1.4e11 subsets, whose counts are exact in 64 bits.
 *
 * Declined: tables and recurrences for U (Mann and Whitney's own), which hold without ties only;
 * twice the smaller tail, which differs from the above only where ties make the distribution
 * lopsided, and can then be more than 1.
 */
#include "ranktest.h"

#include "cleanup.h"
#include "summary.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { EXACT_MOST = 40 };

struct pooled {
	double *sorted;
	unsigned *ranks2;   /* doubled midranks of the sorted values */
	size_t n, total;    /* of the first set, of both */
	uint64_t sum2;	    /* of the first set's doubled ranks */
	double tie_surplus; /* sum of t^3 - t over groups of t alike */
};

static void rank_all(struct pooled *p)
{
	for (size_t i = 0, end; i < p->total; i = end) {
		double t;

		for (end = i + 1; end < p->total && p->sorted[end] == p->sorted[i];)
			end++;
		for (size_t k = i; k < end; k++)
			p->ranks2[k] = (unsigned)(i + 1 + end);
		t = (double)(end - i);
		p->tie_surplus += t * t * t - t;
	}
}

static unsigned rank2_of(const struct pooled *p, double value)
{
	size_t i = 0;

	while (p->sorted[i] != value)
		i++;
	return p->ranks2[i];
}

/* |sum2 - mean|, where the mean of the doubled sum is n (N + 1). */
static uint64_t distance(const struct pooled *p, uint64_t sum2)
{
	uint64_t mean = p->n * (p->total + 1);

	return sum2 > mean ? sum2 - mean : mean - sum2;
}

static int exact_p(const struct pooled *p, double *ret)
{
	size_t width = p->total * (p->total + 1) + 1;
	CLEANUP_FREE uint64_t *ways = calloc((p->n + 1) * width, sizeof(*ways));
	uint64_t seen = distance(p, p->sum2), far = 0, all = 0;

	if (!ways)
		return -ENOMEM;
	/* ways[k * width + s]: to choose k of the ranks so far with doubled sum s. */
	ways[0] = 1;
	for (size_t i = 0; i < p->total; i++)
		for (size_t k = i < p->n ? i + 1 : p->n; k > 0; k--)
			for (size_t s = p->ranks2[i]; s < width; s++)
				ways[k * width + s] += ways[(k - 1) * width + s - p->ranks2[i]];
	for (size_t s = 0; s < width; s++) {
		uint64_t count = ways[p->n * width + s];

		all += count;
		if (distance(p, s) >= seen)
			far += count;
	}
	*ret = (double)far / (double)all;
	return 0;
}

/* Lehmann, "Nonparametrics" (1975), section 1.4; continuity: half a step of U. */
static double normal_p(double n, double m, double u, double tie_surplus)
{
	double total = n + m, away = fabs(u - n * m / 2) - 0.5,
	       variance = n * m / 12 * (total + 1 - tie_surplus / (total * (total - 1)));

	return away <= 0 || variance <= 0 ? 1 : erfc(away / sqrt(2 * variance));
}

/* With the sets apart and no ties: 2 ways of C(n + m, n), as either set may be the larger one. */
static double least_p(size_t n, size_t m)
{
	double ways = 1;

	if (n + m > EXACT_MOST)
		return normal_p((double)n, (double)m, 0, 0);
	for (size_t i = 1; i <= n; i++)
		ways = ways * (double)(m + i) / (double)i;
	return 2 / ways;
}

int stat_mann_whitney(const double *a, size_t n, const double *b, size_t m,
		      struct stat_ranktest *ret)
{
	CLEANUP_FREE double *sorted = malloc((n + m) * sizeof(*sorted));
	CLEANUP_FREE unsigned *ranks2 = malloc((n + m) * sizeof(*ranks2));
	struct pooled pooled = {.sorted = sorted, .ranks2 = ranks2, .n = n, .total = n + m};
	double u, p, pairs = (double)n * (double)m;

	if (n == 0 || m == 0)
		return -EINVAL;
	if (!sorted || !ranks2)
		return -ENOMEM;
	memcpy(sorted, a, n * sizeof(*a));
	memcpy(sorted + n, b, m * sizeof(*b));
	stat_sort(sorted, n + m);
	rank_all(&pooled);
	for (size_t i = 0; i < n; i++)
		pooled.sum2 += rank2_of(&pooled, a[i]);
	u = (double)(pooled.sum2 - n * (n + 1)) / 2;
	if (n + m > EXACT_MOST)
		p = normal_p((double)n, (double)m, u, pooled.tie_surplus);
	else if (exact_p(&pooled, &p) < 0)
		return -ENOMEM;
	*ret = (struct stat_ranktest){
		.u = u,
		.p = p,
		.effect = 2 * u / pairs - 1,
		.least_p = least_p(n, m),
	};
	return 0;
}

int stat_holm(double *p, size_t n)
{
	CLEANUP_FREE double *sorted = malloc(n * sizeof(*sorted));
	CLEANUP_FREE double *adjusted = malloc(n * sizeof(*adjusted));
	double least = 0;

	if (n == 0)
		return 0;
	if (!sorted || !adjusted)
		return -ENOMEM;
	memcpy(sorted, p, n * sizeof(*p));
	stat_sort(sorted, n);
	for (size_t i = 0; i < n; i++) {
		least = fmax(least, fmin(1, sorted[i] * (double)(n - i)));
		adjusted[i] = least;
	}
	for (size_t i = 0; i < n; i++) {
		size_t k = 0;

		while (sorted[k] != p[i])
			k++;
		p[i] = adjusted[k];
	}
	return 0;
}
