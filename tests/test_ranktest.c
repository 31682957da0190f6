/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ranktest.h"
#include "testing.h"

#include <errno.h>
#include <math.h>

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-12)

/* Two sets without ties whose U is u: the first holds the lowest n ranks, and its highest are moved
 * up by u in all. */
static void make_sets(unsigned n, unsigned m, unsigned u, double *a, double *b)
{
	unsigned taken = 0;

	for (unsigned i = n; i > 0; i--) {
		unsigned up = u < m ? u : m;

		a[i - 1] = i + up;
		u -= up;
	}
	for (unsigned rank = 1, k = 0; rank <= n + m; rank++) {
		if (taken < n && a[taken] == rank)
			taken++;
		else
			b[k++] = rank;
	}
}

static double p_of(unsigned n, unsigned m, unsigned u)
{
	struct stat_ranktest t;
	double a[40], b[40];

	make_sets(n, m, u, a, b);
	assert_int_equal(stat_mann_whitney(a, n, b, m, &t), 0);
	assert_near(t.u, u);
	return t.p;
}

/* Siegel and Castellan, "Nonparametric Statistics" (1988): the largest U with p <= 0.05, two-sided.
 */
static void the_published_critical_values(void **state)
{
	static const struct {
		unsigned n, m, u;
	} table[] = {
		{4, 4, 0},    {3, 5, 0},    {2, 8, 0},	  {5, 5, 2},	{6, 6, 5},
		{7, 7, 8},    {8, 8, 13},   {9, 9, 17},	  {5, 10, 8},	{8, 12, 22},
		{10, 10, 23}, {12, 12, 37}, {10, 20, 55}, {15, 15, 64}, {20, 20, 127},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		assert_true(p_of(table[i].n, table[i].m, table[i].u) <= 0.05);
		assert_true(p_of(table[i].n, table[i].m, table[i].u + 1) > 0.05);
		assert_true(p_of(table[i].m, table[i].n, table[i].u) <= 0.05);
	}
}

static void few_values_cannot_give_a_small_p(void **state)
{
	assert_near(p_of(3, 3, 0), 0.1);
	assert_near(p_of(3, 3, 9), 0.1);
	assert_near(p_of(5, 5, 0), 2.0 / 252);
	assert_near(p_of(5, 5, 1), 4.0 / 252);
	assert_near(p_of(1, 1, 0), 1);
	assert_near(p_of(20, 20, 0) * 137846528820, 2);
}

static void the_least_p_is_that_of_sets_apart(void **state)
{
	for (unsigned n = 1; n <= 22; n++) {
		for (unsigned m = 1; m <= 22; m++) {
			struct stat_ranktest t;
			double a[40], b[40];

			make_sets(n, m, 0, a, b);
			assert_int_equal(stat_mann_whitney(a, n, b, m, &t), 0);
			assert_true(fabs(t.p / t.least_p - 1) < 1e-9);
			make_sets(n, m, n * m / 2, a, b);
			assert_int_equal(stat_mann_whitney(a, n, b, m, &t), 0);
			assert_true(t.p >= t.least_p);
		}
	}
}

static double u_of(const double *pool, unsigned total, unsigned chosen)
{
	double u = 0;

	for (unsigned i = 0; i < total; i++)
		for (unsigned k = 0; k < total; k++)
			if ((chosen >> i & 1) && !(chosen >> k & 1))
				u += pool[i] > pool[k] ? 1 : pool[i] == pool[k] ? 0.5 : 0;
	return u;
}

/* All ways to deal the values out, one by one. */
static double brute_p(const double *pool, unsigned n, unsigned total)
{
	double mean = n * (total - n) / 2.0, seen = fabs(u_of(pool, total, (1u << n) - 1) - mean);
	unsigned far = 0, all = 0;

	for (unsigned chosen = 0; chosen < 1u << total; chosen++) {
		if ((unsigned)__builtin_popcount(chosen) != n)
			continue;
		all++;
		far += fabs(u_of(pool, total, chosen) - mean) >= seen;
	}
	return (double)far / all;
}

static void ties_are_exact(void **state)
{
	struct rng rng = {3};

	for (int k = 0; k < 300; k++) {
		unsigned n = 1 + (unsigned)rng_below(&rng, 5), m = 1 + (unsigned)rng_below(&rng, 5);
		uint64_t values = 1 + rng_below(&rng, 6);
		struct stat_ranktest t;
		double pool[10];

		for (unsigned i = 0; i < n + m; i++)
			pool[i] = (double)rng_below(&rng, values) + (i < n ? 0.0 : (double)(k % 2));
		assert_int_equal(stat_mann_whitney(pool, n, pool + n, m, &t), 0);
		assert_near(t.u, u_of(pool, n + m, (1u << n) - 1));
		assert_near(t.p, brute_p(pool, n, n + m));
	}
}

/* By hand: 449.5 of deviation 67.64; with 30 and 30 alike, 149.5 of deviation 58.59. */
static void many_values_are_normal(void **state)
{
	double a[30], b[30];
	struct stat_ranktest t;

	make_sets(30, 30, 0, a, b);
	assert_int_equal(stat_mann_whitney(a, 30, b, 30, &t), 0);
	assert_true(fabs(t.p / 3.0206e-11 - 1) < 1e-3);
	for (int i = 0; i < 30; i++) {
		a[i] = i >= 20;
		b[i] = i >= 10;
	}
	assert_int_equal(stat_mann_whitney(a, 30, b, 30, &t), 0);
	assert_near(t.u, 300);
	assert_true(fabs(t.p - 0.010715) < 1e-5);
	assert_int_equal(stat_mann_whitney(a, 20, b, 10, &t), 0);
	assert_near(t.p, 1);
	assert_int_equal(stat_mann_whitney(a, 20, a, 20, &t), 0);
	assert_near(t.p, 1);
}

static void the_effect_says_which_is_larger(void **state)
{
	const double low[] = {1, 2, 3}, high[] = {4, 5}, mixed[] = {2, 2, 9};
	struct stat_ranktest t;

	assert_int_equal(stat_mann_whitney(low, 3, high, 2, &t), 0);
	assert_near(t.effect, -1);
	assert_int_equal(stat_mann_whitney(high, 2, low, 3, &t), 0);
	assert_near(t.effect, 1);
	assert_near(t.u, 6);
	/* Of 9 pairs mixed is larger in 5, equal in 2. */
	assert_int_equal(stat_mann_whitney(mixed, 3, low, 3, &t), 0);
	assert_near(t.effect, 3.0 / 9);
}

static void nothing_to_compare_is_refused(void **state)
{
	const double one[] = {1};
	struct stat_ranktest t = {.p = -1};

	assert_int_equal(stat_mann_whitney(one, 0, one, 1, &t), -EINVAL);
	assert_int_equal(stat_mann_whitney(one, 1, one, 0, &t), -EINVAL);
	assert_near(t.p, -1);
}

static void holm_steps_down(void **state)
{
	double p[] = {0.01, 0.04, 0.03, 0.005}, alike[] = {0.02, 0.5, 0.02, 0.9};

	assert_int_equal(stat_holm(p, 4), 0);
	assert_near(p[0], 0.03);
	assert_near(p[1], 0.06);
	assert_near(p[2], 0.06);
	assert_near(p[3], 0.02);
	assert_int_equal(stat_holm(alike, 4), 0);
	assert_near(alike[0], 0.08);
	assert_near(alike[1], 1);
	assert_near(alike[2], 0.08);
	assert_near(alike[3], 1);
	assert_int_equal(stat_holm(p, 1), 0);
	assert_near(p[0], 0.03);
	assert_int_equal(stat_holm(p, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_published_critical_values),
		cmocka_unit_test(few_values_cannot_give_a_small_p),
		cmocka_unit_test(the_least_p_is_that_of_sets_apart),
		cmocka_unit_test(ties_are_exact),
		cmocka_unit_test(many_values_are_normal),
		cmocka_unit_test(the_effect_says_which_is_larger),
		cmocka_unit_test(nothing_to_compare_is_refused),
		cmocka_unit_test(holm_steps_down),
	};

	return cmocka_run_group_tests_name("ranktest", tests, NULL, NULL);
}
