/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plausible_cases_around.h"
#include "plausible_cases_memory.h"

/* A trial that could not begin says nothing, whatever is in it. */
static void never_ran(struct race_result *r)
{
	struct race_trial *t = trial(r, FILE_, 5);

	t->outcome = RACE_FAILED;
	t->real_s = t->net_s = NAN;
	t->pswpout = 0;
	t->disk_read_bytes = t->disk_write_bytes = 0;
	t->budget_bytes = 1;
	t->sampler_cpu_s = 100;
}

static const struct {
	const struct plausible_case *cases;
	size_t n;
} lists[] = {
	{memory_cases, sizeof(memory_cases) / sizeof(memory_cases[0])},
	{around_cases, sizeof(around_cases) / sizeof(around_cases[0])},
};

enum { LISTS = sizeof(lists) / sizeof(lists[0]) };

static const struct race_check *find(const struct race_result *r, const char *name)
{
	for (size_t i = 0; i < r->n_checks; i++)
		if (!strcmp(r->checks[i].name, name))
			return &r->checks[i];
	fail_msg("there is no check %s", name);
	return NULL;
}

static void run_case(const struct plausible_case *of)
{
	struct race_result r;
	const struct race_check *c;

	race_fixture(&r);
	of->change(&r);
	assert_int_equal(plausible(&r), 0);
	c = find(&r, of->check);
	if (c->verdict != of->verdict || !strstr(c->detail, of->detail))
		fail_msg("%s: wanted %s, ...%s...; it is %s, %s", c->name,
			 race_check_name(of->verdict), of->detail, race_check_name(c->verdict),
			 c->detail);
	race_result_free(&r);
}

static void test_each_case(void **state)
{
	for (int l = 0; l < LISTS; l++)
		for (size_t i = 0; i < lists[l].n; i++)
			run_case(&lists[l].cases[i]);
}

static bool has_case(const char *check, enum race_check_verdict a, enum race_check_verdict b)
{
	for (int l = 0; l < LISTS; l++)
		for (size_t i = 0; i < lists[l].n; i++) {
			const struct plausible_case *c = &lists[l].cases[i];

			if (!strcmp(c->check, check) && (c->verdict == a || c->verdict == b))
				return true;
		}
	return false;
}

/* A check without a case that trips it, or one that does not, is not tested. */
static void test_every_check_has_cases(void **state)
{
	for (const struct plausible_check *c = plausible_checks; c->name; c++) {
		if (!has_case(c->name, RACE_CHECK_OK, RACE_CHECK_OK))
			fail_msg("%s has no case that passes", c->name);
		if (!has_case(c->name, RACE_CHECK_WARN, RACE_CHECK_FAIL))
			fail_msg("%s has no case that trips it", c->name);
	}
}

static void test_good_race_passes_all(void **state)
{
	struct race_result r;
	size_t n = 0;

	race_fixture(&r);
	never_ran(&r);
	assert_int_equal(plausible(&r), 0);
	for (; plausible_checks[n].name; n++) {
		assert_string_equal(r.checks[n].name, plausible_checks[n].name);
		assert_non_null(plausible_checks[n].about);
		if (r.checks[n].verdict != RACE_CHECK_OK)
			fail_msg("%s: %s", r.checks[n].name, r.checks[n].detail);
	}
	assert_int_equal(r.n_checks, n);
	race_result_free(&r);
}

/* Nothing was measured: nothing can be said, and nothing breaks. */
static void test_empty_result(void **state)
{
	struct race_result r = {0};

	assert_int_equal(plausible(&r), 0);
	for (size_t i = 0; i < r.n_checks; i++) {
		assert_true(r.checks[i].verdict == RACE_CHECK_SKIP ||
			    r.checks[i].verdict == RACE_CHECK_OK);
		assert_string_not_equal(r.checks[i].detail, "");
	}
	race_result_free(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_case),
		cmocka_unit_test(test_every_check_has_cases),
		cmocka_unit_test(test_good_race_passes_all),
		cmocka_unit_test(test_empty_result),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
