/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cases of the medium, the pool and the limit. */
#ifndef SNUG_TESTS_PLAUSIBLE_CASES_MEMORY_H
#define SNUG_TESTS_PLAUSIBLE_CASES_MEMORY_H

#include "plausible_case.h"

static void rate_above_link(struct race_result *r)
{
	trial(r, FILE_, 2)->samples[1].read_bytes_s = 60e6;
}

/* zram's own traffic is no disk's. */
static void rate_of_zram(struct race_result *r)
{
	trial(r, LZO, 2)->samples[1].write_bytes_s = 900e6;
}

/* Another disk may be faster. */
static void rate_elsewhere(struct race_result *r)
{
	for (struct race_trial *t = r->trials; t < r->trials + r->n_trials; t++)
		if (!strcmp(t->backend, "file")) {
			snprintf(t->backend, sizeof(t->backend), "file:/mnt");
			t->samples[0].read_bytes_s = 900e6;
		}
}

static void link_unknown(struct race_result *r)
{
	r->machine.disk_link_bytes_per_s = -1;
}

static void medium_read_nothing(struct race_result *r)
{
	trial(r, FILE_, 3)->disk_read_bytes = 4 * FIXTURE_MIB;
}

static void medium_read_less(struct race_result *r)
{
	trial(r, FILE_, 3)->disk_read_bytes = 120 * FIXTURE_MIB;
}

static void medium_wrote_half(struct race_result *r)
{
	trial(r, FILE_, 4)->disk_write_bytes = 150 * FIXTURE_MIB;
}

static void medium_wrote_less(struct race_result *r)
{
	trial(r, FILE_, 4)->disk_write_bytes = 250 * FIXTURE_MIB;
}

/* What a share is taken of must be something. */
static void hardly_swapped(struct race_result *r)
{
	for (struct race_trial *t = r->trials; t < r->trials + r->n_trials; t++)
		if (!strcmp(t->backend, "file"))
			t->pswpin = t->pswpout = 20;
}

static void medium_uncounted(struct race_result *r)
{
	for (struct race_trial *t = r->trials; t < r->trials + r->n_trials; t++)
		t->disk_read_bytes = t->disk_write_bytes = -1;
}

static void others_wrote(struct race_result *r)
{
	trial(r, FILE_, 1)->disk_write_bytes += 128 * FIXTURE_MIB;
}

static void same_filled(struct race_result *r)
{
	trial(r, LZO, 3)->same_pages = 140 * 256 / 4;
}

static void no_pools(struct race_result *r)
{
	for (struct race_trial *t = r->trials; t < r->trials + r->n_trials; t++)
		t->orig_bytes = t->mem_used_bytes = t->same_pages = t->huge_pages = -1;
}

static void easy_data(struct race_result *r)
{
	trial(r, LZO_RLE, 5)->mem_used_bytes = 20 * FIXTURE_MIB;
}

static void nothing_swapped(struct race_result *r)
{
	trial(r, FILE_, 5)->pswpout = 256;
}

/* zswap keeps pages that are never counted as swapped out. */
static void only_in_pool(struct race_result *r)
{
	trial(r, LZO, 5)->pswpout = 0;
}

/* It ended too early to say anything. */
static void oom_before_swapping(struct race_result *r)
{
	trial(r, LZ4, 2)->pswpout = 0;
	trial(r, LZ4, 2)->orig_bytes = 0;
}

static void none_limited(struct race_result *r)
{
	for (struct race_trial *t = r->trials; t < r->trials + r->n_trials; t++)
		if (!strcmp(t->backend, "none")) {
			snprintf(t->backend, sizeof(t->backend), "none:limited");
			t->budget_bytes = FIXTURE_BUDGET;
		}
}

static void naive(struct race_result *r)
{
	r->plan.naive = true;
}

static void naive_without_pools(struct race_result *r)
{
	r->plan.naive = true;
	no_pools(r);
}

/* The kernel charges that one. */
static void naive_zswap_v2(struct race_result *r)
{
	r->plan.naive = true;
	r->machine.cgroup_version = 2;
	for (struct race_trial *t = r->trials; t < r->trials + r->n_trials; t++)
		if (t->mem_used_bytes >= 0)
			snprintf(t->backend, sizeof(t->backend), "zswap:lzo");
}

static void often_above_budget(struct race_result *r)
{
	trial(r, LZO, 4)->budget_excess_p95_bytes = 5 * FIXTURE_MIB;
}

static void far_above_budget(struct race_result *r)
{
	trial(r, LZO, 4)->budget_excess_p95_bytes = 20 * FIXTURE_MIB;
}

/* Rarely, so that it is told and no more. */
static void once_above_budget(struct race_result *r)
{
	trial(r, LZO, 4)->budget_excess_bytes = 64 * FIXTURE_MIB;
}

static void another_budget(struct race_result *r)
{
	trial(r, LZ4, 3)->budget_bytes = 64 * FIXTURE_MIB;
}

static void no_budget(struct race_result *r)
{
	trial(r, LZ4, 3)->budget_bytes = -1;
}

static void cgroup_unknown(struct race_result *r)
{
	r->machine.cgroup_version = -1;
}

/* clang-format off */
static const struct plausible_case memory_cases[] = {
	{"link-rate", as_it_is, RACE_CHECK_OK, "at most 6.9M/s (file run 1); the link to the disk carries 50.0M/s"},
	{"link-rate", rate_above_link, RACE_CHECK_FAIL, "at most 57.2M/s (file run 2)"},
	{"link-rate", rate_of_zram, RACE_CHECK_OK, "(file run 1)"},
	{"link-rate", rate_elsewhere, RACE_CHECK_SKIP, "no run swapped on the disk of mmcblk0"},
	{"link-rate", link_unknown, RACE_CHECK_SKIP, "not known"},

	{"cache-instead-of-device", as_it_is, RACE_CHECK_OK, "file run 1: 193M were swapped in, the medium read 188M"},
	{"cache-instead-of-device", medium_read_less, RACE_CHECK_WARN, "file run 3: 188M were swapped in, the medium read 120M"},
	{"cache-instead-of-device", medium_read_nothing, RACE_CHECK_FAIL, "the medium read 4.0M"},
	{"cache-instead-of-device", hardly_swapped, RACE_CHECK_SKIP, "no run"},
	{"cache-instead-of-device", medium_uncounted, RACE_CHECK_SKIP, "no run"},

	{"compressed-medium", as_it_is, RACE_CHECK_OK, "file run 1: 364M were swapped out, the medium wrote 355M"},
	{"compressed-medium", medium_wrote_less, RACE_CHECK_WARN, "file run 4"},
	{"compressed-medium", medium_wrote_half, RACE_CHECK_FAIL, "the medium wrote 150M"},
	{"compressed-medium", hardly_swapped, RACE_CHECK_SKIP, "no run"},

	{"dirty-pages", as_it_is, RACE_CHECK_OK, "file run 5: besides what was swapped the medium wrote 5.8M"},
	{"dirty-pages", others_wrote, RACE_CHECK_WARN, "file run 1: besides what was swapped the medium wrote 119M"},
	{"dirty-pages", medium_uncounted, RACE_CHECK_SKIP, "no run"},

	{"same-pages", as_it_is, RACE_CHECK_OK, "zram:lzo-rle run 1: 3.4% of the pool's pages were same-filled; 0.2% did not compress"},
	{"same-pages", same_filled, RACE_CHECK_WARN, "zram:lzo run 3: 25.0%"},
	{"same-pages", no_pools, RACE_CHECK_SKIP, "no run"},

	{"data-too-easy", as_it_is, RACE_CHECK_OK, "zram:lzo-rle run 1: 140M of pages took 40.9M, a ratio of 3.4"},
	{"data-too-easy", easy_data, RACE_CHECK_WARN, "zram:lzo-rle run 5: 140M of pages took 20.0M, a ratio of 7.0"},
	{"data-too-easy", no_pools, RACE_CHECK_SKIP, "no run"},

	{"no-pressure", as_it_is, RACE_CHECK_OK, "file run 5 swapped out least: 349M, with a budget of 128M"},
	{"no-pressure", nothing_swapped, RACE_CHECK_FAIL, "file run 5 swapped out least: 1.0M"},
	{"no-pressure", only_in_pool, RACE_CHECK_OK, "zram:lzo run 5 swapped out least: 140M"},
	{"no-pressure", oom_before_swapping, RACE_CHECK_OK, "file run 5"},
	{"no-pressure", none_limited, RACE_CHECK_OK, "file run 5"},
	{"no-pressure", no_trials, RACE_CHECK_SKIP, "no run"},

	{"pool-outside-limit", as_it_is, RACE_CHECK_OK, "at most 48.8M (zram:lz4 run 1)"},
	{"pool-outside-limit", naive, RACE_CHECK_WARN, "zram:lz4 run 1 had 48.8M of pool beyond its 128M"},
	{"pool-outside-limit", naive_without_pools, RACE_CHECK_OK, "no run had a pool"},
	{"pool-outside-limit", naive_zswap_v2, RACE_CHECK_OK, "no run had a pool"},

	{"budget-excess", as_it_is, RACE_CHECK_OK, "at most 0.8% above the budget (file run 1); the largest excess was 5.0M, 3.9% (file run 1)"},
	{"budget-excess", once_above_budget, RACE_CHECK_OK, "the largest excess was 64.0M, 50.0% (zram:lzo run 4)"},
	{"budget-excess", often_above_budget, RACE_CHECK_WARN, "at most 3.9% above the budget (zram:lzo run 4)"},
	{"budget-excess", far_above_budget, RACE_CHECK_FAIL, "at most 15.6% above"},
	{"budget-excess", naive, RACE_CHECK_SKIP, "naive"},
	{"budget-excess", no_trials, RACE_CHECK_SKIP, "no run"},

	{"limits-mixed", as_it_is, RACE_CHECK_OK, "128M for all, by control groups of version 1"},
	{"limits-mixed", another_budget, RACE_CHECK_FAIL, "zram:lz4 run 3 had 64.0M, the plan has 128M"},
	{"limits-mixed", no_budget, RACE_CHECK_FAIL, "zram:lz4 run 3 had no limit, others had 128M"},
	{"limits-mixed", cgroup_unknown, RACE_CHECK_SKIP, "not known"},
	{"limits-mixed", no_trials, RACE_CHECK_SKIP, "no run"},
};
/* clang-format on */

#endif
