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
	assert_int_equal(policy_next_training(2048), 16384);
	/* Never further off than 2^20 pages, which is 4 GiB written. */
	assert_int_equal(policy_next_training(10000000), 10000000 + (1 << 20));
}

static void test_refresh(void **state)
{
	assert_true(policy_refresh_worth(1000));
	assert_false(policy_refresh_worth(100000));
}

static void test_compaction(void **state)
{
	const uint64_t mib = 1 << 20;

	assert_true(policy_compaction_due(12 * mib, 10 * mib, 10000, 16384));
	assert_false(policy_compaction_due(43 * mib, 40 * mib, 10000, 16384)); /* 8% is normal */
	assert_false(policy_compaction_due(mib, mib / 4, 10000, 500));	       /* too small */
	assert_false(policy_compaction_due(12 * mib, 10 * mib, 4000, 16384));  /* too soon */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_training_on_schedule),
		cmocka_unit_test(test_training_on_change),
		cmocka_unit_test(test_next_training),
		cmocka_unit_test(test_refresh),
		cmocka_unit_test(test_compaction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
