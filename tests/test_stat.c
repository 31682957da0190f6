/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bootstrap.h"
#include "rng.h"
#include "summary.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-12)

/* Wikipedia's examples of "Percentile", second variant (C = 1), which is type 7. */
static void test_quantiles_of_type_7(void **state)
{
	const double five[] = {15, 20, 35, 40, 50}, four[] = {1, 2, 3, 4};

	assert_near(stat_quantile(five, 5, 0), 15);
	assert_near(stat_quantile(five, 5, 0.05), 16);
	assert_near(stat_quantile(five, 5, 0.3), 23);
	assert_near(stat_quantile(five, 5, 0.4), 29);
	assert_near(stat_quantile(five, 5, 0.5), 35);
	assert_near(stat_quantile(five, 5, 0.95), 48);
	assert_near(stat_quantile(five, 5, 1), 50);
	assert_near(stat_quantile(four, 4, 0.75), 3.25);
	assert_near(stat_quantile(four, 1, 0.99), 1);
}

static void test_median_leaves_values_alone(void **state)
{
	double values[] = {9, 1, 5, 3}, median;

	assert_int_equal(stat_median(values, 4, &median), 0);
	assert_near(median, 4);
	assert_int_equal(stat_median(values, 3, &median), 0);
	assert_near(median, 5);
	assert_near(values[0], 9);
	assert_int_equal(stat_median(values, 0, &median), -EINVAL);
	assert_near(median, 5);
}

static void test_sort(void **state)
{
	double values[] = {3, -1, 2.5, 3, 0};
	const double sorted[] = {-1, 0, 2.5, 3, 3};

	stat_sort(values, 5);
	for (int i = 0; i < 5; i++)
		assert_near(values[i], sorted[i]);
}

static void test_geometric_mean(void **state)
{
	const double ratios[] = {2, 8}, third[] = {1, 3, 9}, bad[] = {1, 0};

	assert_near(stat_geometric_mean(ratios, 2), 4);
	assert_near(stat_geometric_mean(third, 3), 3);
	assert_true(isnan(stat_geometric_mean(bad, 2)));
	assert_true(isnan(stat_geometric_mean(bad, 0)));
}

/*
 * What the bootstrap converges to is known: the resampled median is at most the k-th of n values
 * with the probability that a binomial (n, k/n) is more than n/2. For 5 values that is 0.058 and
 * 0.317 for k = 1, 2; for 7 values 0.010 and 0.105.
 */
static void test_interval_is_the_right_order_statistics(void **state)
{
	const double five[] = {30, 10, 50, 20, 40}, seven[] = {7, 6, 5, 4, 3, 2, 1};
	struct stat_interval i;

	assert_int_equal(stat_median_interval(five, 5, 0.95, 1, &i), 0);
	assert_near(i.low, 10);
	assert_near(i.high, 50);
	assert_int_equal(stat_median_interval(five, 5, 0.8, 1, &i), 0);
	assert_near(i.low, 20);
	assert_near(i.high, 40);
	assert_int_equal(stat_median_interval(seven, 7, 0.95, 1, &i), 0);
	assert_near(i.low, 2);
	assert_near(i.high, 6);
}

static void test_interval_of_one_value_is_that_value(void **state)
{
	const double one[] = {12.5};
	struct stat_interval i = {-1, -1};

	assert_int_equal(stat_median_interval(one, 1, 0.95, 1, &i), 0);
	assert_near(i.low, 12.5);
	assert_near(i.high, 12.5);
	assert_int_equal(stat_median_interval(one, 0, 0.95, 1, &i), -EINVAL);
	assert_near(i.low, 12.5);
}

static void test_same_seed_same_interval(void **state)
{
	struct stat_interval a, b;
	struct rng rng = {42};
	double values[40];

	for (int i = 0; i < 40; i++)
		values[i] = (double)rng_below(&rng, 1000000);
	assert_int_equal(stat_median_interval(values, 40, 0.95, 7, &a), 0);
	assert_int_equal(stat_median_interval(values, 40, 0.95, 7, &b), 0);
	assert_true(a.low == b.low && a.high == b.high);
}

/* 95% intervals hold the true median in about 95% of experiments, here 1000 with 15 values each. */
static void test_coverage(void **state)
{
	struct rng rng = {5};
	int holds = 0;

	for (int k = 0; k < 1000; k++) {
		struct stat_interval i;
		double values[15];

		for (int j = 0; j < 15; j++) {
			double u = (double)(rng_next(&rng) >> 11) / 9007199254740992.0;

			values[j] = u * u * u; /* skewed; the median is 1/8 */
		}
		assert_int_equal(stat_median_interval(values, 15, 0.95, (uint64_t)k, &i), 0);
		holds += i.low <= 0.125 && 0.125 <= i.high;
	}
	assert_in_range(holds, 920, 980);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quantiles_of_type_7),
		cmocka_unit_test(test_median_leaves_values_alone),
		cmocka_unit_test(test_sort),
		cmocka_unit_test(test_geometric_mean),
		cmocka_unit_test(test_interval_is_the_right_order_statistics),
		cmocka_unit_test(test_interval_of_one_value_is_that_value),
		cmocka_unit_test(test_same_seed_same_interval),
		cmocka_unit_test(test_coverage),
	};

	return cmocka_run_group_tests_name("stat", tests, NULL, NULL);
}
