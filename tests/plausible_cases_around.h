/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases of the machine around a race, and of runs against each other. */
#ifndef SNUG_TESTS_PLAUSIBLE_CASES_AROUND_H
#define SNUG_TESTS_PLAUSIBLE_CASES_AROUND_H

#include "plausible_case.h"

static void page_cluster_changed(struct race_result *r)
{
	trial(r, LZ4, 3)->after.page_cluster = 0;
}

static void swappiness_changed(struct race_result *r)
{
	trial(r, LZ4, 3)->before.swappiness = 100;
}

static void thp_changed(struct race_result *r)
{
	strcpy(trial(r, NONE, 2)->before.thp, "always");
}

static void governor_changed(struct race_result *r)
{
	strcpy(trial(r, NONE, 2)->after.governor, "powersave");
}

static void setting_unknown_once(struct race_result *r)
{
	trial(r, NONE, 2)->after.page_cluster = -1;
	*trial(r, NONE, 2)->after.governor = '\0';
}

static void settings_unknown(struct race_result *r)
{
	for (struct race_trial *t = r->trials; t < r->trials + r->n_trials; t++) {
		t->before = t->after = (struct race_conditions){.page_cluster = -1,
								.swappiness = -1,
								.clock_khz = -1,
								.throttled = -1,
								.other_swap_bytes = -1,
								.other_swaps = -1,
								.zswap_in_front = -1};
	}
}

static void throttled(struct race_result *r)
{
	trial(r, LZ4, 1)->before.throttled = 7;
	trial(r, LZ4, 1)->after.throttled = 10;
}

static void clock_fell(struct race_result *r)
{
	trial(r, LZ4, 1)->after.clock_khz = 1500000;
}

/* An idle machine may wake up. */
static void clock_rose(struct race_result *r)
{
	for (struct race_trial *t = r->trials; t < r->trials + r->n_trials; t++)
		t->before.clock_khz = 600000;
}

static void zswap_on(struct race_result *r)
{
	trial(r, LZO, 1)->before.zswap_in_front = 1;
}

static void other_swap_there(struct race_result *r)
{
	trial(r, LZO, 1)->after.other_swaps = 1;
}

static void other_swap_used(struct race_result *r)
{
	trial(r, LZO, 1)->after.other_swap_bytes = 30 * FIXTURE_MIB;
}

static void first_slower(struct race_result *r)
{
	trial(r, FILE_, 1)->net_s = 120;
}

/* It is not the first that is far off. */
static void second_slower(struct race_result *r)
{
	trial(r, FILE_, 2)->net_s = 120;
}

/* Of so few that none can be told from the rest. */
static void two_runs(struct race_result *r)
{
	r->n_trials = 2 * FIXTURE_RAN;
	for (size_t i = r->n_trials; i < FIXTURE_RUNS * FIXTURE_RAN; i++)
		free(r->trials[i].samples);
}

static void overlap_called(struct race_result *r)
{
	r->summary[LZO].significant = true;
}

static void none_called(struct race_result *r)
{
	for (size_t i = 0; i < r->n_summary; i++)
		r->summary[i].significant = false;
}

static void none_named(struct race_result *r)
{
	*r->verdict.backend = '\0';
}

static void three_runs(struct race_result *r)
{
	r->n_trials = 3 * FIXTURE_RAN;
	for (size_t i = r->n_trials; i < FIXTURE_RUNS * FIXTURE_RAN; i++)
		free(r->trials[i].samples);
	r->summary[LZO_RLE].ok = 3;
}

/* Each backend more asks for more runs: 2 / C(10, 5) times 7 is 0.056. */
static void eight_backends(struct race_result *r)
{
	struct race_trial *more = calloc(FIXTURE_RUNS * 8, sizeof(*more));
	struct race_summary *rows = calloc(8, sizeof(*rows));

	assert_non_null(more);
	assert_non_null(rows);
	for (int i = 0; i < FIXTURE_RUNS * 8; i++) {
		more[i].outcome = RACE_OK;
		more[i].net_s = i;
		snprintf(more[i].backend, sizeof(more[i].backend), "zram:%d", i % 8);
	}
	for (int i = 0; i < 8; i++)
		snprintf(rows[i].backend, sizeof(rows[i].backend), "zram:%d", i);
	race_result_free(r);
	r->trials = more;
	r->n_trials = FIXTURE_RUNS * 8;
	r->summary = rows;
	r->n_summary = 8;
	rows[3].ok = FIXTURE_RUNS;
	strcpy(r->verdict.backend, "zram:3");
}

static void best_alone(struct race_result *r)
{
	r->n_summary = 1;
	strcpy(r->verdict.backend, r->summary[0].backend);
}

static void sampler_busy(struct race_result *r)
{
	trial(r, NONE, 5)->sampler_cpu_s = 0.2;
}

/* clang-format off */
static const struct plausible_case around_cases[] = {
	{"conditions-differ", as_it_is, RACE_CHECK_OK, "the same for all: page-cluster 3, swappiness 60, transparent huge pages madvise, the governor schedutil"},
	{"conditions-differ", setting_unknown_once, RACE_CHECK_OK, "page-cluster 3"},
	{"conditions-differ", page_cluster_changed, RACE_CHECK_FAIL, "page-cluster was 3 at none run 1 and 0 at zram:lz4 run 3"},
	{"conditions-differ", swappiness_changed, RACE_CHECK_FAIL, "swappiness was 60 at none run 1 and 100 at zram:lz4 run 3"},
	{"conditions-differ", thp_changed, RACE_CHECK_FAIL, "transparent huge pages was madvise at none run 1 and always at none run 2"},
	{"conditions-differ", governor_changed, RACE_CHECK_FAIL, "the governor was schedutil at none run 1 and powersave at none run 2"},
	{"conditions-differ", settings_unknown, RACE_CHECK_SKIP, "none of its settings"},

	{"throttled", as_it_is, RACE_CHECK_OK, "none run 1: the clock was 2400 MHz before and 2397 MHz after; the CPU was never throttled"},
	{"throttled", clock_rose, RACE_CHECK_OK, "600 MHz before"},
	{"throttled", throttled, RACE_CHECK_WARN, "zram:lz4 run 1: the CPU was throttled 3 times"},
	{"throttled", clock_fell, RACE_CHECK_WARN, "zram:lz4 run 1: the clock was 2400 MHz before and 1500 MHz after"},
	{"throttled", settings_unknown, RACE_CHECK_SKIP, "neither"},

	{"other-swap", as_it_is, RACE_CHECK_OK, "0 other swap devices"},
	{"other-swap", other_swap_there, RACE_CHECK_WARN, "1 other swap devices or files were on (zram:lzo run 1)"},
	{"other-swap", other_swap_used, RACE_CHECK_FAIL, "zram:lzo run 1: other swap took 30.0M"},
	{"other-swap", zswap_on, RACE_CHECK_FAIL, "zram:lzo run 1: zswap was on"},
	{"other-swap", settings_unknown, RACE_CHECK_SKIP, "not known"},

	{"first-run", as_it_is, RACE_CHECK_OK, "1.5% longer than the slowest of the others"},
	{"first-run", first_slower, RACE_CHECK_WARN, "the first run of file took 120.00 s, 23.0% longer"},
	{"first-run", second_slower, RACE_CHECK_OK, ""},
	{"first-run", two_runs, RACE_CHECK_SKIP, "2 others"},

	{"overlap", as_it_is, RACE_CHECK_OK, "of the 2 that are called different from zram:lzo-rle"},
	{"overlap", none_called, RACE_CHECK_OK, "none is called different"},
	{"overlap", overlap_called, RACE_CHECK_FAIL, "zram:lzo (31.91 to 33.28 s) is called different from zram:lzo-rle (31.23 to 32.56 s)"},
	{"overlap", none_named, RACE_CHECK_SKIP, "no backend"},

	/* 2 / C(8, 3), of zram:lz4 with three runs that were ok, the last in Holm's order. */
	{"too-few-runs", as_it_is, RACE_CHECK_OK, "with 5 runs of zram:lzo-rle that were ok, p can be as low as 0.036"},
	/* 2 / C(6, 3) four times. */
	{"too-few-runs", three_runs, RACE_CHECK_WARN, "with 3 runs of zram:lzo-rle that were ok, p can be as low as 0.400, which proves nothing"},
	{"too-few-runs", eight_backends, RACE_CHECK_WARN, "as low as 0.056"},
	{"too-few-runs", none_named, RACE_CHECK_SKIP, "no backend"},
	{"too-few-runs", best_alone, RACE_CHECK_SKIP, "nothing to compare"},

	{"sampler-cost", as_it_is, RACE_CHECK_OK, "none run 5: 0.19% of one CPU (0.04 s)"},
	{"sampler-cost", sampler_busy, RACE_CHECK_WARN, "none run 5: 0.95% of one CPU (0.20 s)"},
	{"sampler-cost", no_trials, RACE_CHECK_SKIP, "no run"},
};
/* clang-format on */

#endif
