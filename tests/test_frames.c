/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames by hand: a period of 10 ms, so that a window of one second is 100 slots. */
#include "frames.h"
#include "workload.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define MS	  UINT64_C(1000000)
#define PERIOD_NS (10 * MS)
#define SIXTY_HZ  (UINT64_C(1000000000) / 60)

#define assert_near(a, b) assert_true(fabs((a) - (b)) < 1e-9)

static struct frames *begin(uint64_t period_ns)
{
	struct frames *f = frames_new(period_ns);

	assert_non_null(f);
	return f;
}

static void add(struct frames *f, unsigned n, uint64_t frame_ns)
{
	while (n--)
		frames_add(f, frame_ns);
}

static struct workload_frames finish(struct frames *f)
{
	struct workload_frames sum;

	frames_finish(f, &sum);
	frames_free(f);
	return sum;
}

static void test_a_steady_loop_has_60_frames_in_every_second(void **state)
{
	struct frames *f = begin(SIXTY_HZ);
	struct workload_frames sum;

	/* Jitter up to the whole period drops nothing and moves no frame to another window. */
	for (int i = 0; i < 600; i++)
		assert_int_equal(frames_add(f, i % 3 ? MS : SIXTY_HZ), 1);
	sum = finish(f);
	assert_int_equal(sum.frames, 600);
	assert_int_equal(sum.dropped, 0);
	assert_near(sum.fps_min, 60);
	assert_near(sum.fps_avg, 60);
	assert_near(sum.fps_max, 60);
	assert_near(sum.score, 1000);
}

static void test_a_frame_takes_up_each_slot_that_it_began(void **state)
{
	struct frames *f = begin(PERIOD_NS);

	assert_int_equal(frames_add(f, 0), 1);
	assert_int_equal(frames_add(f, 1), 1);
	assert_int_equal(frames_add(f, PERIOD_NS), 1);
	assert_int_equal(frames_add(f, PERIOD_NS + 1), 2);
	assert_int_equal(frames_add(f, 3 * PERIOD_NS), 3);
	assert_int_equal(frames_add(f, 3 * PERIOD_NS + 1), 4);
	frames_free(f);
}

/* 99 frames and one of 50 ms: 104 slots, of which the last 4 are in the second window. */
static void test_one_long_frame_drops_those_that_were_due_meanwhile(void **state)
{
	struct frames *f = begin(PERIOD_NS);
	struct workload_frames sum;

	add(f, 50, MS);
	assert_int_equal(frames_add(f, 50 * MS), 5);
	add(f, 145, MS);
	sum = finish(f);
	assert_int_equal(sum.frames, 196);
	assert_int_equal(sum.dropped, 4);
	assert_near(sum.fps_min, 96);
	assert_near(sum.fps_avg, 98);
	assert_near(sum.fps_max, 100);
	assert_near(sum.score, 1000.0 * 195 / 200);
}

/* 100 frames, one of 3.5 s, 50 frames: windows of 100, 0, 0, 0 and 51 (the long one ends there). */
static void test_a_stall_of_seconds_leaves_windows_without_a_frame(void **state)
{
	struct frames *f = begin(PERIOD_NS);
	struct workload_frames sum;

	add(f, 100, MS);
	assert_int_equal(frames_add(f, 3500 * MS), 350);
	add(f, 50, MS);
	sum = finish(f);
	assert_int_equal(sum.frames, 151);
	assert_int_equal(sum.dropped, 349);
	assert_near(sum.fps_min, 0);
	assert_near(sum.fps_avg, (100 + 51) / 5.0);
	assert_near(sum.fps_max, 100);
	assert_near(sum.score, 1000.0 * 150 / 500);
}

static void test_the_last_window_counts_only_if_it_is_complete(void **state)
{
	struct frames *f = begin(PERIOD_NS);
	struct workload_frames sum;

	add(f, 100, MS);
	add(f, 45, 20 * MS); /* 90 slots of the second window */
	sum = finish(f);
	assert_near(sum.fps_min, 100);
	assert_near(sum.fps_avg, 100);
	assert_int_equal(sum.dropped, 45);
}

/* Five frames in ten slots of 10 ms are 50 a second. */
static void test_a_window_that_is_the_only_one_counts_as_it_is(void **state)
{
	struct frames *f = begin(PERIOD_NS);
	struct workload_frames sum;

	add(f, 5, 20 * MS);
	sum = finish(f);
	assert_near(sum.fps_min, 50);
	assert_near(sum.fps_avg, 50);
	assert_near(sum.fps_max, 50);
	assert_near(sum.score, 0);
}

/* Nearest rank: the ceil(n p / 100)-th of them, in order. */
static void test_percentiles_are_by_nearest_rank(void **state)
{
	struct frames *f = begin(PERIOD_NS);
	struct workload_frames sum;

	for (unsigned i = 200; i > 0; i--)
		frames_add(f, i);
	sum = finish(f);
	assert_int_equal(sum.frame_ns_p50, 100);
	assert_int_equal(sum.frame_ns_p95, 190);
	assert_int_equal(sum.frame_ns_p99, 198);

	/* Wikipedia's example of "Percentile", nearest rank: the 50th of these is 35. */
	f = begin(PERIOD_NS);
	for (unsigned i = 0; i < 5; i++)
		frames_add(f, (const uint64_t[]){40, 15, 50, 20, 35}[i]);
	sum = finish(f);
	assert_int_equal(sum.frame_ns_p50, 35);
	assert_int_equal(sum.frame_ns_p95, 50);
	assert_int_equal(sum.frame_ns_p99, 50);
}

static void test_the_histogram_has_each_frame_in_its_bucket(void **state)
{
	struct frames *f = begin(PERIOD_NS);
	struct workload_frames sum;
	uint64_t all = 0;

	frames_add(f, 0);
	frames_add(f, MS);
	frames_add(f, MS + 1);
	frames_add(f, 2 * MS); /* 2^(4/4) */
	frames_add(f, 2 * MS + 1);
	frames_add(f, 3600000 * MS); /* an hour: more than 2^(54/4) ms */
	sum = finish(f);
	assert_int_equal(sum.histogram[0], 2);
	assert_int_equal(sum.histogram[1], 1);
	assert_int_equal(sum.histogram[4], 1);
	assert_int_equal(sum.histogram[5], 1);
	assert_int_equal(sum.histogram[WORKLOAD_FRAME_BUCKETS - 1], 1);
	for (unsigned i = 0; i < WORKLOAD_FRAME_BUCKETS; i++)
		all += sum.histogram[i];
	assert_int_equal(all, 6);
}

static void test_no_frames_are_all_zeros(void **state)
{
	struct workload_frames sum = finish(begin(PERIOD_NS));
	const struct workload_frames zeros = {0};

	assert_memory_equal(&sum, &zeros, sizeof(sum));
	frames_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_steady_loop_has_60_frames_in_every_second),
		cmocka_unit_test(test_a_frame_takes_up_each_slot_that_it_began),
		cmocka_unit_test(test_one_long_frame_drops_those_that_were_due_meanwhile),
		cmocka_unit_test(test_a_stall_of_seconds_leaves_windows_without_a_frame),
		cmocka_unit_test(test_the_last_window_counts_only_if_it_is_complete),
		cmocka_unit_test(test_a_window_that_is_the_only_one_counts_as_it_is),
		cmocka_unit_test(test_percentiles_are_by_nearest_rank),
		cmocka_unit_test(test_the_histogram_has_each_frame_in_its_bucket),
		cmocka_unit_test(test_no_frames_are_all_zeros),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
