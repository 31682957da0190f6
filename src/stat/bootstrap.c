/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bootstrap.h"

#include "rng.h"
#include "summary.h"

#include <errno.h>
#include <stdlib.h>

int stat_median_interval(const double *values, size_t n, double confidence, uint64_t seed,
			 struct stat_interval *ret)
{
	struct rng rng = {seed};
	double *medians, *drawn, tail = (1 - confidence) / 2;

	if (n == 0)
		return -EINVAL;
	medians = malloc((BOOTSTRAP_RESAMPLES + n) * sizeof(*medians));
	if (!medians)
		return -ENOMEM;
	drawn = medians + BOOTSTRAP_RESAMPLES;
	for (size_t k = 0; k < BOOTSTRAP_RESAMPLES; k++) {
		for (size_t i = 0; i < n; i++)
			drawn[i] = values[rng_below(&rng, n)];
		stat_sort(drawn, n);
		medians[k] = stat_quantile(drawn, n, 0.5);
	}
	stat_sort(medians, BOOTSTRAP_RESAMPLES);
	ret->low = stat_quantile(medians, BOOTSTRAP_RESAMPLES, tail);
	ret->high = stat_quantile(medians, BOOTSTRAP_RESAMPLES, 1 - tail);
	free(medians);
	return 0;
}
