/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "guard.h"
#include "testing.h"

/* A second of time; full: how much of it all waited; user: CPU seconds got. */
static bool step(struct guard *g, struct guard_reading *r, double full, double user, uint64_t done)
{
	r->at_ns += 1000000000;
	r->full_us += (uint64_t)(full * 1e6);
	r->user_ns += (uint64_t)(user * 1e9);
	r->done += done;
	return guard_thrashes(g, r);
}

static struct guard five_seconds(void)
{
	return (struct guard){.patience_s = 5, .full_share = 0.5};
}

static unsigned seconds_until_thrashing(double full, double user, uint64_t done)
{
	struct guard g = five_seconds();
	struct guard_reading r = {.at_ns = 1000};

	for (unsigned s = 1; s <= 60; s++)
		if (step(&g, &r, full, user, done))
			return s;
	return 0;
}

static void standing_still_is_thrashing(void **state)
{
	assert_int_equal(seconds_until_thrashing(0.9, 0, 0), 6);
	assert_int_equal(seconds_until_thrashing(0.9, 0.01, 0), 6);
}

static void any_sign_of_life_is_not(void **state)
{
	/* Work done; CPU time of its own; waiting for something else than memory. */
	assert_int_equal(seconds_until_thrashing(0.9, 0, 1), 0);
	assert_int_equal(seconds_until_thrashing(0.9, 0.05, 0), 0);
	assert_int_equal(seconds_until_thrashing(0.3, 0, 0), 0);
}

static void progress_starts_the_time_anew(void **state)
{
	struct guard g = five_seconds();
	struct guard_reading r = {.at_ns = 1000};
	unsigned s = 0;

	for (; s < 4; s++)
		assert_false(step(&g, &r, 0.9, 0, 0));
	assert_false(step(&g, &r, 0.9, 0, 1));
	for (s = 0; s < 30 && !step(&g, &r, 0.9, 0, 0); s++)
		;
	/* Found within twice the patience. */
	assert_in_range(s, 4, 10);
}

static void cpu_time_that_steps_back_is_no_progress(void **state)
{
	struct guard g = five_seconds();
	struct guard_reading r = {.at_ns = 1000, .user_ns = 9000000000};
	bool found = false;

	assert_false(step(&g, &r, 0.9, 0, 0));
	r.user_ns = 1000;
	for (unsigned s = 0; s < 10; s++)
		found |= step(&g, &r, 0.9, 0, 0);
	assert_true(found);
}

static void off_is_off(void **state)
{
	struct guard g = {.full_share = 0.5};
	struct guard_reading r = {.at_ns = 1000};

	for (unsigned s = 0; s < 100; s++)
		assert_false(step(&g, &r, 1, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(standing_still_is_thrashing),
		cmocka_unit_test(any_sign_of_life_is_not),
		cmocka_unit_test(progress_starts_the_time_anew),
		cmocka_unit_test(cpu_time_that_steps_back_is_no_progress),
		cmocka_unit_test(off_is_off),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
