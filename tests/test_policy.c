/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a store trains and compacts: each rule with a case that trips it and one that does not. */
#include "testing.h"

#include "policy.h"

static void test_training_on_schedule(void **state)
{
	assert_false(
		policy_training_due(POLICY_FIRST_TRAINING - 1, POLICY_FIRST_TRAINING, 0, 0, 0));
	assert_true(policy_training_due(POLICY_FIRST_TRAINING, POLICY_FIRST_TRAINING, 0, 0, 0));
}

static void test_training_on_change(void **state)
{
	const uint64_t pages = 100000, next = 1000000, window = POLICY_WINDOW_PAGES;

	assert_false(policy_training_due(pages, next, window, window * 600, 600));
	assert_false(policy_training_due(pages, next, window, window * 670, 600));
	assert_true(policy_training_due(pages, next, window, window * 680, 600));
	assert_true(policy_training_due(pages, next, window, window * 520, 600));
	/* Too few pages to tell, or nothing to compare with. */
	assert_false(policy_training_due(pages, next, window - 1, window * 1200, 600));
	assert_false(policy_training_due(pages, next, window, window * 1200, 0));
}

static void test_next_training(void **state)
{
	assert_int_equal(policy_next_training(128), 1024);
	assert_int_equal(policy_next_training(1023), 1024);
	assert_int_equal(policy_next_training(1024), 8192);
	/* Never further off than 2^20 pages, which is 4 GiB written. */
	assert_int_equal(policy_next_training(10000000), 10000000 + (1 << 20));
}

static void test_idle_training(void **state)
{
	assert_true(policy_idle_training_due(1000, 0));
	assert_false(policy_idle_training_due(100, 0)); /* too few to train on */
	assert_false(policy_idle_training_due(1200, 1000));
	assert_true(policy_idle_training_due(1300, 1000));
}

static void test_refresh(void **state)
{
	assert_true(policy_refresh_worth(200, 10000));
	assert_false(policy_refresh_worth(50, 10000));
	assert_false(policy_refresh_worth(0, 0));
}

static void test_compaction(void **state)
{
	const uint64_t mib = 1 << 20;

	assert_true(policy_compaction_worth(12 * mib, 10 * mib));
	assert_false(
		policy_compaction_worth(108 * mib, 100 * mib));	 /* no more than there must be */
	assert_false(policy_compaction_worth(mib / 4, mib / 8)); /* too small */
}

static void test_tidying(void **state)
{
	assert_true(policy_tidying_due(10000, 16384));
	assert_false(policy_tidying_due(8000, 16384));
	assert_false(policy_tidying_due(1000, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_training_on_schedule),
		cmocka_unit_test(test_training_on_change),
		cmocka_unit_test(test_next_training),
		cmocka_unit_test(test_idle_training),
		cmocka_unit_test(test_refresh),
		cmocka_unit_test(test_compaction),
		cmocka_unit_test(test_tidying),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
