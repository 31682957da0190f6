/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "judge.h"
#include "race_fixture.h"
#include "testing.h"

#include <math.h>

enum { TRIALS_MOST = 512, ROWS_MOST = 32 };

/* An empty race of 5 runs at pressure 2. */
static int setup(void **state)
{
	struct race_result *r = calloc(1, sizeof(*r));

	r->trials = calloc(TRIALS_MOST, sizeof(*r->trials));
	r->summary = calloc(ROWS_MOST, sizeof(*r->summary));
	r->plan = (struct race_plan){
		.budget_bytes = 128 << 20, .peak_bytes = 256 << 20, .runs = 5, .seed = 1};
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	race_result_free(*state);
	free(*state);
	return 0;
}

static struct race_summary *add_row(struct race_result *r, const char *backend)
{
	struct race_summary *s = &r->summary[r->n_summary++];

	assert_true(r->n_summary <= ROWS_MOST);
	snprintf(s->backend, sizeof(s->backend), "%s", backend);
	snprintf(s->workload, sizeof(s->workload), "build");
	return s;
}

/* One run more of the last row. */
static struct race_trial *add_run(struct race_result *r, enum race_outcome outcome, double net_s)
{
	struct race_summary *s = &r->summary[r->n_summary - 1];
	struct race_trial *t = &r->trials[r->n_trials++];
	unsigned run = 1;

	assert_true(r->n_trials <= TRIALS_MOST);
	for (size_t i = 0; i < r->n_trials - 1; i++)
		run += !strcmp(r->trials[i].backend, s->backend);
	*t = (struct race_trial){.run = run, .outcome = outcome, .net_s = net_s, .real_s = net_s};
	memcpy(t->backend, s->backend, sizeof(t->backend));
	memcpy(t->workload, s->workload, sizeof(t->workload));
	return t;
}

/* A row of n ok runs around a median: 0, 1, 2... percent above and below. */
static struct race_summary *add_ok(struct race_result *r, const char *backend, unsigned n,
				   double median)
{
	struct race_summary *s = add_row(r, backend);

	for (unsigned i = 0; i < n; i++)
		add_run(r, RACE_OK, median * (1 + 0.01 * ((double)i - (n - 1) / 2.0)));
	return s;
}

#define assert_about(a, b)	      assert_true(fabs((a) - (b)) < 1e-6)
#define assert_says(text, sentence)   assert_non_null(strstr(text, sentence))
#define assert_silent(text, sentence) assert_null(strstr(text, sentence))

static void the_fixture(void **state)
{
	struct race_result r;

	race_fixture(&r);
	r.summary[1].outliers[0] = '!';
	assert_int_equal(judge(&r), 0);
	for (int i = 0; i < FIXTURE_BACKENDS; i++) {
		const struct fixture_backend *b = &fixture_backends[i];
		const struct race_summary *s = &r.summary[i];

		if (i == 5) {
			assert_true(isnan(s->median_real_s) && isnan(s->low) && isnan(s->p));
			assert_true(isnan(s->ratio) && isnan(s->psi_full_s));
			assert_int_equal(s->pswpout, -1);
			assert_string_equal(s->outcomes, "");
			continue;
		}
		/* Of zram:lz4 runs 1, 3 and 4 are left: 2.4, 0 and 0.9 percent. */
		double middle = i == 4 ? 1.009 : 1;

		assert_about(s->median_real_s, b->real_s * middle);
		assert_about(s->low, b->real_s * (i == 4 ? 1 : 0.982));
		assert_about(s->high, b->real_s * 1.024);
		assert_about(s->median_user_s, b->user_s * middle);
		assert_about(s->median_sys_s, b->sys_s * middle);
		assert_about(s->psi_full_s, b->psi_full_s * middle);
		assert_about(s->psi_some_s, 2 * b->psi_full_s * middle);
		assert_about(s->vs_none, b->real_s * middle / 21.4);
		assert_true(fabs((double)s->pswpout - (double)b->pswpout * middle) <= 1);
		assert_true(isnan(b->ratio) ? isnan(s->ratio) : fabs(s->ratio - b->ratio) < 1e-4);
		assert_true(isnan(s->fps_avg) && s->frame_ns_p99 == -1);
		assert_int_equal(s->runs, 5);
		assert_int_equal(s->ok, i == 4 ? 3 : 5);
		assert_string_equal(s->outcomes, i == 4 ? "3 ok, 2 oom" : "5 ok");
		assert_string_equal(s->outliers, "");
	}
	assert_string_equal(r.verdict.backend, "zram:lzo-rle");
	assert_string_equal(
		r.verdict.why,
		"zram:lzo-rle took 31.8 s, 1.49 times as long as without a limit, and was never out of "
		"memory. file took 96.7 s; the difference is real (p = 0.032). Not always ok: zram:lz4 "
		"(3 ok, 2 oom).");
	assert_string_equal(r.verdict.unknown,
			    "zram:lzo (32.5 s) is too near to call. How it goes at another "
			    "pressure than 2 was not measured. Not available here: zswap:lzo.");
	race_result_free(&r);
}

/* With five runs against five p is 2/252 at least; four are tested. The winner has that of the
 * next. */
static void p_is_after_holm_against_the_winner(void **state)
{
	struct race_result r;

	race_fixture(&r);
	assert_int_equal(judge(&r), 0);
	assert_about(r.summary[0].p, 4 * 2.0 / 252);
	assert_about(r.summary[1].p, 4 * 2.0 / 252);
	assert_true(r.summary[0].significant && r.summary[1].significant);
	/* U is 4 of 25: 12 of 252 ways are no nearer, on either side. */
	assert_about(r.summary[3].p, 24.0 / 252);
	assert_false(r.summary[3].significant);
	assert_about(r.summary[2].p, r.summary[3].p);
	assert_false(r.summary[2].significant);
	/* Of three against five, apart: 2/56, times two. */
	assert_about(r.summary[4].p, 4.0 / 56);
	assert_false(r.summary[4].significant);
	race_result_free(&r);
}

static void frames_are_medians_too(void **state)
{
	struct race_result r;

	race_fixture_tabs(&r);
	assert_int_equal(judge(&r), 0);
	assert_about(r.summary[2].fps_avg, 52.7);
	assert_about(r.summary[2].fps_min, 14.4);
	assert_about(r.summary[2].score, 170);
	assert_int_equal(r.summary[2].frame_ns_p99, 71300000);
	/* Without the waits. */
	assert_about(r.summary[2].median_real_s, 31.8);
	race_result_free(&r);
}

static void outcomes_in_words(void **state)
{
	struct race_result *r = *state;

	add_row(r, "file");
	for (enum race_outcome o = RACE_OUTCOMES; o > 0; o--)
		for (enum race_outcome k = 0; k < o; k++)
			add_run(r, o - 1, 10);
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->summary[0].outcomes,
			    "1 ok, 2 oom, 3 timeout, 4 thrashed, 5 failed, 6 stopped");
	assert_int_equal(r->summary[0].runs, 21);
	assert_int_equal(r->summary[0].ok, 1);
}

static void an_outlier_is_named_and_kept(void **state)
{
	struct race_result *r = *state;
	const double times[] = {12.1, 10, 10.2, 9.9, 10.1};

	add_row(r, "file");
	for (int i = 0; i < 5; i++)
		add_run(r, RACE_OK, times[i]);
	add_run(r, RACE_OOM, 1);
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->summary[0].outliers, "run 1 (12.1 s)");
	assert_about(r->summary[0].median_real_s, 10.1);
	assert_about(r->summary[0].high, 12.1);
}

/* 4% off is not far, also where the rest is alike; nor is 20% among values that are all over. */
static void a_run_that_is_not_far_is_no_outlier(void **state)
{
	struct race_result *r = *state;
	const double alike[] = {10, 10, 10.4, 10, 10}, all_over[] = {10, 12, 8, 9, 11};

	add_row(r, "file");
	for (int i = 0; i < 5; i++)
		add_run(r, RACE_OK, alike[i]);
	add_row(r, "zram:lzo");
	for (int i = 0; i < 5; i++)
		add_run(r, RACE_OK, all_over[i]);
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->summary[0].outliers, "");
	assert_string_equal(r->summary[1].outliers, "");
}

static void outliers_that_do_not_fit_are_left_out_whole(void **state)
{
	struct race_result *r = *state;

	add_row(r, "file");
	for (int i = 0; i < 10; i++)
		add_run(r, RACE_OK, 10);
	for (int i = 0; i < 8; i++)
		add_run(r, RACE_OK, 20);
	assert_int_equal(judge(r), 0);
	assert_string_equal(
		r->summary[0].outliers,
		"run 11 (20.0 s), run 12 (20.0 s), run 13 (20.0 s), run 14 (20.0 s), run 15 (20.0 s)");
}

static void the_reference_is_no_choice_but_the_limited_one_is(void **state)
{
	struct race_result *r = *state;

	add_ok(r, "none", 5, 10);
	add_ok(r, "none#2", 5, 10);
	add_ok(r, "file", 5, 30);
	add_ok(r, "none:limited", 5, 20);
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->verdict.backend, "none:limited");
	assert_says(r->verdict.why, "none:limited took 20.0 s, 2.00 times as long");
	assert_silent(r->verdict.why, "none#2");
	assert_about(r->summary[1].vs_none, 1);
	assert_about(r->summary[2].vs_none, 3);
}

static void always_ok_beats_fast(void **state)
{
	struct race_result *r = *state;

	add_ok(r, "none", 5, 10);
	add_ok(r, "zram:lz4", 9, 12);
	add_run(r, RACE_THRASHED, 100);
	add_ok(r, "file", 5, 50);
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->verdict.backend, "file");
	assert_says(r->verdict.why, "Not always ok: zram:lz4 (9 ok, 1 thrashed).");
	assert_silent(r->verdict.unknown, "no other");
	assert_silent(r->verdict.unknown, "near");
}

/* All three conditions, one by one: p alone, apart alone, noise alone is not enough. */
static void different_takes_three_conditions(void **state)
{
	struct race_result *r = *state;
	const double tight[] = {9.99, 10, 10.01}, wide[] = {8, 10, 10, 10, 10, 10, 10, 10, 12, 12};

	/* Always slower, apart, but by 2% only. */
	add_row(r, "zram:lzo");
	for (int i = 0; i < 9; i++)
		add_run(r, RACE_OK, tight[i % 3] + i * 1e-4);
	add_row(r, "zram:lz4");
	for (int i = 0; i < 9; i++)
		add_run(r, RACE_OK, 1.02 * tight[i % 3] + i * 1e-4);
	assert_int_equal(judge(r), 0);
	assert_true(r->summary[1].low > r->summary[0].high && r->summary[1].p < 0.001);
	assert_false(r->summary[1].significant);
	/* p is small, the medians are 6% apart, but the intervals overlap. */
	r->n_summary = r->n_trials = 0;
	add_row(r, "zram:lzo");
	for (int i = 0; i < 10; i++)
		add_run(r, RACE_OK, wide[i] + i * 1e-3);
	add_row(r, "zram:lz4");
	for (int i = 0; i < 10; i++)
		add_run(r, RACE_OK, 10.6 + i * 0.2);
	assert_int_equal(judge(r), 0);
	assert_true(r->summary[1].p < 0.05);
	assert_true(r->summary[1].low <= r->summary[0].high);
	assert_false(r->summary[1].significant);
	assert_says(r->verdict.unknown, "zram:lz4 (11.5 s) is too near to call.");
	/* Apart and 20% slower, but three runs prove nothing. */
	r->n_summary = r->n_trials = 0;
	add_ok(r, "zram:lzo", 3, 10);
	add_ok(r, "zram:lz4", 3, 12);
	assert_int_equal(judge(r), 0);
	assert_about(r->summary[1].p, 0.1);
	assert_false(r->summary[1].significant);
}

static void three_runs_prove_nothing(void **state)
{
	struct race_result *r = *state;

	add_ok(r, "none", 3, 10);
	add_ok(r, "file", 3, 50);
	add_ok(r, "zram:lzo", 3, 20);
	add_ok(r, "zram:lz4", 3, 30);
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->verdict.backend, "zram:lzo");
	assert_says(r->verdict.why, "By the medians zram:lz4 (30.0 s) and file (50.0 s) come next; "
				    "that is not proven.");
	/* 3 * 2/C(10,5) = 0.024; 3 * 2/C(8,4) = 0.086. */
	assert_says(r->verdict.unknown, "3 runs can't prove an order: p is never below 0.1; it "
					"takes 5 or more.");
	assert_silent(r->verdict.why, "real");
}

static void also_five_runs_prove_nothing_of_many(void **state)
{
	struct race_result *r = *state;
	char name[16];

	add_ok(r, "none", 5, 10);
	for (int i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "zram:%d", i);
		add_ok(r, name, 5, 20 + 10 * i);
	}
	assert_int_equal(judge(r), 0);
	assert_about(r->summary[2].p, 8 * 2.0 / 252);
	assert_says(r->verdict.why, "By the medians zram:1 (30.0 s), zram:2 (40.0 s), zram:3 (50.0 "
				    "s), zram:4 (60.0 s), zram:5 (70.0 s) and 2 more come next;");
	assert_says(r->verdict.unknown,
		    "5 runs can't prove an order of 9 backends; it takes 6 or more.");
}

static void real_differences_share_a_sentence(void **state)
{
	struct race_result *r = *state;

	add_ok(r, "zram:lzo", 10, 0.5);
	add_ok(r, "file", 10, 2);
	add_ok(r, "zram:lz4", 10, 1);
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->verdict.why,
			    "zram:lzo took 0.500 s, and was never out of memory. zram:lz4 (1.00 s) "
			    "and file (2.00 s) took longer; the differences are real (p < 0.001).");
	assert_true(r->summary[0].significant && r->summary[1].significant);
	assert_true(isnan(r->summary[0].vs_none));
	assert_says(r->verdict.unknown, "How long it takes without a limit is not known.");
}

static void none_was_always_ok(void **state)
{
	struct race_result *r = *state;

	add_ok(r, "none", 5, 10);
	add_ok(r, "zram:lz4", 1, 12);
	add_run(r, RACE_OOM, 3);
	add_ok(r, "file", 3, 50);
	add_run(r, RACE_TIMEOUT, 400);
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->verdict.backend, "");
	assert_string_equal(r->verdict.why, "No backend was ok in all its runs. file came nearest "
					    "(3 ok, 1 timeout).");
	assert_true(isnan(r->summary[1].p) && isnan(r->summary[2].p));
}

static void none_was_ever_ok(void **state)
{
	struct race_result *r = *state;

	add_ok(r, "none", 5, 10);
	add_row(r, "none:limited");
	add_run(r, RACE_OOM, 3);
	add_row(r, "file");
	add_run(r, RACE_TIMEOUT, 400);
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->verdict.backend, "");
	assert_string_equal(
		r->verdict.why,
		"No backend was ok in any run: none:limited (1 oom) and file (1 timeout).");
}

static void nothing_but_the_reference(void **state)
{
	struct race_result *r = *state;
	struct race_summary *s;

	add_ok(r, "none", 5, 10);
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->verdict.backend, "");
	assert_says(r->verdict.why, "nothing to choose from");
	s = add_row(r, "zswap:lzo");
	snprintf(s->unavailable, sizeof(s->unavailable), "this kernel has no zswap");
	assert_int_equal(judge(r), 0);
	assert_says(r->verdict.why, "can be had here");
	assert_says(r->verdict.unknown, "Not available here: zswap:lzo.");
}

/* The run that was cut short is not the backend's fault; of those that had none, nothing is said.
 */
static void an_interrupted_race(void **state)
{
	struct race_result *r = *state;

	r->partial = true;
	add_ok(r, "none", 1, 10);
	add_row(r, "file");
	add_run(r, RACE_STOPPED, 2);
	add_row(r, "zram:lzo");
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->verdict.backend, "");
	assert_string_equal(r->verdict.why,
			    "It was interrupted before any backend had ended a run.");
	assert_says(r->verdict.unknown, "Not run: file and zram:lzo.");
	r->n_summary = r->n_trials = 0;
	memset(r->summary, 0, ROWS_MOST * sizeof(*r->summary));
	add_ok(r, "none", 2, 10);
	add_ok(r, "file", 1, 50);
	add_run(r, RACE_STOPPED, 2);
	add_row(r, "zram:lzo");
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->verdict.backend, "file");
	assert_string_equal(r->summary[1].outcomes, "1 ok, 1 stopped");
	assert_says(r->verdict.unknown, "There was no other to compare it with.");
	assert_says(r->verdict.unknown, "It was interrupted before all runs were done.");
	assert_says(r->verdict.unknown, "Not run: zram:lzo.");
}

static void one_run_is_an_order_without_proof(void **state)
{
	struct race_result *r = *state;

	add_ok(r, "file", 1, 50);
	add_ok(r, "zram:lzo", 1, 20);
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->verdict.backend, "zram:lzo");
	assert_says(r->verdict.unknown,
		    "1 run can't prove an order: p is never below 1; it takes 4 or more.");
}

static void of_two_alike_the_first_of_the_plan(void **state)
{
	struct race_result *r = *state;

	add_ok(r, "zram:lzo", 5, 20);
	add_ok(r, "zram:lzo#2", 5, 20);
	assert_int_equal(judge(r), 0);
	assert_string_equal(r->verdict.backend, "zram:lzo");
	assert_about(r->summary[1].p, 1);
	assert_says(r->verdict.unknown, "zram:lzo#2 (20.0 s) is too near to call.");
}

static void the_longest_names_do_no_harm(void **state)
{
	struct race_result *r = *state;
	char name[RACE_NAME_MAX];

	for (int i = 0; i < ROWS_MOST; i++) {
		memset(name, 'a' + i % 26, sizeof(name) - 1);
		name[sizeof(name) - 1] = '\0';
		name[0] = (char)('A' + i % 26);
		name[1] = (char)('a' + i / 26);
		add_ok(r, name, 10, 20 + i * 10);
	}
	assert_int_equal(judge(r), 0);
	assert_int_equal(strlen(r->verdict.backend), RACE_NAME_MAX - 1);
	assert_int_equal(r->verdict.why[strlen(r->verdict.why) - 1], '.');
}

static double uniform(struct rng *rng)
{
	return ((double)(rng_next(rng) >> 11) + 0.5) / 9007199254740992.0;
}

/* Box and Muller (1958). */
static double normal(struct rng *rng)
{
	return sqrt(-2 * log(uniform(rng))) * cos(2 * M_PI * uniform(rng));
}

static void noisy_race(struct race_result *r, struct rng *rng, const double *medians,
		       unsigned backends, double sigma)
{
	char name[16];

	r->n_summary = r->n_trials = 0;
	r->plan.seed = rng_next(rng);
	for (unsigned b = 0; b < backends; b++) {
		snprintf(name, sizeof(name), "zram:%u", b);
		add_row(r, name);
		for (int i = 0; i < 10; i++)
			add_run(r, RACE_OK, medians[b] * exp(sigma * normal(rng)));
	}
	assert_int_equal(judge(r), 0);
}

/* How many of the races over that many equal backends, 10 runs and 5% of noise, see a difference.
 */
static unsigned count_wrong(struct race_result *r, unsigned backends, unsigned races)
{
	const double medians[] = {30, 30, 30, 30, 30, 30};
	struct rng rng = {11};
	unsigned wrong = 0;

	for (unsigned k = 0; k < races; k++) {
		bool any = false;

		noisy_race(r, &rng, medians, backends, 0.05);
		for (unsigned b = 0; b < backends; b++)
			any |= r->summary[b].significant;
		wrong += any;
	}
	print_message("%u alike: a difference in %u of %u races\n", backends, wrong, races);
	return wrong;
}

/* By p alone it would be 5% of two and 8% of six, as the winner was chosen for its median. */
static void what_is_alike_is_rarely_called_different(void **state)
{
	assert_true(count_wrong(*state, 2, 1000) <= 10);
	assert_true(count_wrong(*state, 6, 400) <= 8);
}

/* 20% at 3% of noise is found, and nearly always the right one wins. */
static void what_differs_is_found(void **state)
{
	enum { RACES = 200 };
	const double medians[] = {36, 36, 30, 36, 36, 36};
	struct rng rng = {12};
	unsigned found = 0;

	for (int k = 0; k < RACES; k++) {
		struct race_result *r = *state;
		bool all = true;

		noisy_race(r, &rng, medians, 6, 0.03);
		for (int b = 0; b < 6; b++)
			all &= r->summary[b].significant;
		found += all && !strcmp(r->verdict.backend, "zram:2");
	}
	print_message("a difference of 20%%: found in %u of %d races\n", found, RACES);
	assert_true(found > RACES / 100 * 95);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_fixture),
		TEST(p_is_after_holm_against_the_winner),
		TEST(frames_are_medians_too),
		TEST(outcomes_in_words),
		TEST(an_outlier_is_named_and_kept),
		TEST(a_run_that_is_not_far_is_no_outlier),
		TEST(outliers_that_do_not_fit_are_left_out_whole),
		TEST(the_reference_is_no_choice_but_the_limited_one_is),
		TEST(always_ok_beats_fast),
		TEST(different_takes_three_conditions),
		TEST(three_runs_prove_nothing),
		TEST(also_five_runs_prove_nothing_of_many),
		TEST(real_differences_share_a_sentence),
		TEST(none_was_always_ok),
		TEST(none_was_ever_ok),
		TEST(nothing_but_the_reference),
		TEST(an_interrupted_race),
		TEST(one_run_is_an_order_without_proof),
		TEST(of_two_alike_the_first_of_the_plan),
		TEST(the_longest_names_do_no_harm),
		TEST(what_is_alike_is_rarely_called_different),
		TEST(what_differs_is_found),
	};

	return cmocka_run_group_tests_name("judge", tests, NULL, NULL);
}
