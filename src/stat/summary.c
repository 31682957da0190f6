/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "summary.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void stat_sort(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare);
}

double stat_quantile(const double *sorted, size_t n, double p)
{
	double at = (double)(n - 1) * p;
	size_t below = (size_t)at;

	if (below >= n - 1)
		return sorted[n - 1];
	return sorted[below] + (at - (double)below) * (sorted[below + 1] - sorted[below]);
}

int stat_median(const double *values, size_t n, double *ret)
{
	double *sorted;

	if (n == 0)
		return -EINVAL;
	sorted = malloc(n * sizeof(*sorted));
	if (!sorted)
		return -ENOMEM;
	memcpy(sorted, values, n * sizeof(*sorted));
	stat_sort(sorted, n);
	*ret = stat_quantile(sorted, n, 0.5);
	free(sorted);
	return 0;
}

double stat_geometric_mean(const double *values, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++) {
		if (!(values[i] > 0))
			return NAN;
		sum += log(values[i]);
	}
	return n ? exp(sum / (double)n) : NAN;
}
