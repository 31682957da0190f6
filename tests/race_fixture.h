/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A race that never was, for the tests of what reads, writes and draws races. Six backends, five
 * runs each, interleaved: `zram:lz4` is out of memory twice, `zswap:lzo` can't be had at all. Every
 * figure is made from the table below and the number of the run, so that it is the same everywhere.
 */
#ifndef SNUG_TESTS_RACE_FIXTURE_H
#define SNUG_TESTS_RACE_FIXTURE_H

#include "race_json.h"
#include "race_result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIXTURE_MIB	 (1024 * 1024)
#define FIXTURE_RUNS	 5
#define FIXTURE_BACKENDS 6
#define FIXTURE_RAN	 5 /* all but the last */
#define FIXTURE_BUDGET	 (128ll * FIXTURE_MIB)
#define FIXTURE_SAMPLES	 4

/* The median run of a backend. */
struct fixture_backend {
	const char *name;
	double real_s, user_s, sys_s, psi_full_s, ratio;
	int64_t major_faults, pswpout;
	double fps_avg, fps_min, score;
	int64_t frame_ns_p99;
};

static const struct fixture_backend fixture_backends[FIXTURE_BACKENDS] = {
	{"none", 21.4, 38.2, 2.9, 0, NAN, 12, 0, 58.9, 41.2, 205, 24100000},
	{"file", 96.7, 40.9, 14.2, 51.3, NAN, 48211, 91034, 31.4, 3.1, 162, 310500000},
	{"zram:lzo-rle", 31.8, 39.4, 13.7, 4.6, 3.42, 61250, 104220, 52.7, 14.4, 170, 71300000},
	{"zram:lzo", 32.5, 39.6, 14.9, 4.9, 3.31, 60991, 103870, 52.2, 13.9, 168, 73900000},
	{"zram:lz4", 36.1, 39.9, 17.3, 7.7, 2.87, 72003, 119412, 48.6, 10.2, 165, 94700000},
	{"zswap:lzo", NAN, NAN, NAN, NAN, NAN, -1, -1, NAN, NAN, NAN, -1},
};

/* 0 for the middle one of five runs, a few percent less or more for the others. */
static inline double fixture_jitter(unsigned run)
{
	static const double jitter[FIXTURE_RUNS] = {0.024, -0.011, 0, 0.009, -0.018};

	return jitter[run - 1];
}

static inline bool fixture_oom(const struct fixture_backend *b, unsigned run)
{
	return !strcmp(b->name, "zram:lz4") && (run == 2 || run == 5);
}

static inline struct race_conditions fixture_conditions(bool after)
{
	return (struct race_conditions){
		.page_cluster = 3,
		.swappiness = 60,
		.thp = "madvise",
		.governor = "schedutil",
		.clock_khz = after ? 2397000 : 2400000,
		.throttled = 0,
		.other_swap_bytes = 0,
		.other_swaps = 0,
		.zswap_in_front = 0,
	};
}

static inline struct race_sample fixture_sample(const struct fixture_backend *b, double at_s,
						double share)
{
	bool swaps = b->pswpout > 0, pool = !isnan(b->ratio);
	int64_t orig = pool ? (int64_t)(share * (double)b->pswpout * 1400) : 0;

	return (struct race_sample){
		.at_s = at_s,
		.user = 61.5 - 20 * share,
		.nice = 0,
		.system = swaps ? 21.25 : 4.5,
		.iowait = swaps && !pool ? 9.5 : 0.25,
		.steal = 0.125,
		.idle = swaps && !pool ? 7.625 : 13.625 + 20 * share,
		.tps = swaps ? 1830.5 * share : 0,
		.read_bytes_s = swaps ? 4.5e6 * share : 0,
		.write_bytes_s = swaps ? 7.25e6 * share : 0,
		.read_bytes = swaps ? (int64_t)(4.5e6 * share) : 0,
		.write_bytes = swaps ? (int64_t)(7.25e6 * share) : 0,
		.usage_bytes = (int64_t)(share * (swaps ? 96 : 255) * FIXTURE_MIB),
		.limit_bytes =
			swaps ? FIXTURE_BUDGET - (pool ? (int64_t)((double)orig / b->ratio) : 0)
			      : -1,
		.orig_bytes = pool ? orig : -1,
		.mem_used_bytes = pool ? (int64_t)((double)orig / b->ratio) : -1,
		.swap_bytes = swaps ? (int64_t)(share * (double)b->pswpout * 1400) : 0,
		.psi_some = swaps ? 24.5 * share : 0,
		.psi_full = swaps ? 11.75 * share : 0,
	};
}

/* False: no memory. */
static inline bool fixture_trial(struct race_trial *t, const struct fixture_backend *b,
				 unsigned run, unsigned order)
{
	bool oom = fixture_oom(b, run), swaps = b->pswpout > 0, pool = !isnan(b->ratio);
	double scale = 1 + fixture_jitter(run), part = oom ? 0.25 : 1;

	*t = (struct race_trial){
		.run = run,
		.order = order,
		.outcome = oom ? RACE_OOM : RACE_OK,
		.exit_status = oom ? 137 : 0,
		.real_s = b->real_s * scale * part,
		.user_s = b->user_s * scale * part,
		.sys_s = b->sys_s * scale * part,
		.idle_s = 0,
		.net_s = b->real_s * scale * part,
		.budget_cpu_s = swaps ? 0.31 * part : 0,
		.sampler_cpu_s = 0.04 * part,
		.major_faults = (int64_t)((double)b->major_faults * scale * part),
		.pswpin = (int64_t)((double)b->major_faults * scale * part),
		.pswpout = (int64_t)((double)b->pswpout * scale * part),
		.psi_some_s = 2 * b->psi_full_s * scale * part,
		.psi_full_s = b->psi_full_s * scale * part,
		.orig_bytes = pool ? 140 * FIXTURE_MIB : -1,
		.mem_used_bytes = pool ? (int64_t)(140 * FIXTURE_MIB / b->ratio) : -1,
		.same_pages = pool ? 1210 : -1,
		.huge_pages = pool ? 75 : -1,
		.disk_read_bytes = swaps && !pool ? 188 * FIXTURE_MIB : -1,
		.disk_write_bytes = swaps && !pool ? 355 * FIXTURE_MIB : -1,
		.peak_bytes = (swaps ? 128 : 256) * FIXTURE_MIB,
		.budget_bytes = swaps ? FIXTURE_BUDGET : -1,
		.budget_excess_bytes = swaps ? 5 * FIXTURE_MIB : 0,
		.budget_excess_p95_bytes = swaps ? FIXTURE_MIB : 0,
		.budget_gap_s = swaps ? 0.0213 : NAN,
		.open_s = NAN,
		.visit_s = NAN,
		.close_s = NAN,
		.fps_min = NAN,
		.fps_avg = NAN,
		.fps_max = NAN,
		.score = NAN,
		.frames = -1,
		.dropped = -1,
		.frame_ns_p50 = -1,
		.frame_ns_p95 = -1,
		.frame_ns_p99 = -1,
		.before = fixture_conditions(false),
		.after = fixture_conditions(true),
		.samples = calloc(FIXTURE_SAMPLES, sizeof(*t->samples)),
		.n_samples = FIXTURE_SAMPLES,
	};
	if (!t->samples)
		return false;
	snprintf(t->backend, sizeof(t->backend), "%s", b->name);
	snprintf(t->workload, sizeof(t->workload), "build");
	if (oom)
		snprintf(t->detail, sizeof(t->detail),
			 "the kernel killed 1 of its processes for want of memory");
	for (unsigned i = 0; i < FIXTURE_SAMPLES; i++)
		t->samples[i] = fixture_sample(b, t->real_s * (i + 1) / FIXTURE_SAMPLES,
					       (i + 1.0) / FIXTURE_SAMPLES);
	return true;
}

static inline void fixture_summary(struct race_summary *s, const struct fixture_backend *b)
{
	bool ran = !isnan(b->real_s), some = !strcmp(b->name, "zram:lz4");

	*s = (struct race_summary){
		.runs = ran ? FIXTURE_RUNS : 0,
		.ok = some  ? 3
		      : ran ? FIXTURE_RUNS
			    : 0,
		.median_real_s = b->real_s,
		.low = b->real_s * 0.982,
		.high = b->real_s * 1.024,
		.median_user_s = b->user_s,
		.median_sys_s = b->sys_s,
		.vs_none = b->real_s / fixture_backends[0].real_s,
		.p = !strcmp(b->name, "zram:lzo") ? 0.3095
		     : ran			  ? 0.0317
						  : NAN,
		.significant = !strcmp(b->name, "none") || !strcmp(b->name, "file"),
		.major_faults = b->major_faults,
		.pswpout = b->pswpout,
		.ratio = b->ratio,
		.psi_some_s = 2 * b->psi_full_s,
		.psi_full_s = b->psi_full_s,
		.fps_avg = NAN,
		.fps_min = NAN,
		.score = NAN,
		.frame_ns_p99 = -1,
	};
	snprintf(s->backend, sizeof(s->backend), "%s", b->name);
	snprintf(s->workload, sizeof(s->workload), "build");
	if (ran)
		snprintf(s->outcomes, sizeof(s->outcomes), some ? "3 ok, 2 oom" : "5 ok");
	else
		snprintf(s->unavailable, sizeof(s->unavailable),
			 "this kernel has no zswap (CONFIG_ZSWAP is not set)");
	if (!strcmp(b->name, "file"))
		snprintf(s->outliers, sizeof(s->outliers), "run 1 (99.0 s)");
}

static inline void fixture_texts(struct race_result *r)
{
	static const struct race_check checks[] = {
		{"backend-exercised", RACE_CHECK_OK,
		 "every backend with swap moved at least 91034 pages"},
		{"budget-excess", RACE_CHECK_WARN,
		 "zram:lz4 was 5 MiB above its budget at times, 4% of it; 95% of the time less than 1 MiB"},
		{"thermal", RACE_CHECK_SKIP, "this machine has no counters of throttling"},
		{"same-pages", RACE_CHECK_OK, "3.4% of the swapped pages were same-filled"},
		{"page-cluster", RACE_CHECK_FAIL,
		 "page-cluster was 3 in some trials and 0 in others"},
	};

	memcpy(r->checks, checks, sizeof(checks));
	r->machine = (struct race_machine){
		.kernel = "6.1.0-18-arm64",
		.cpu_model = "Cortex-A53",
		.cpus = 4,
		.mem_total_bytes = 1024ll * FIXTURE_MIB,
		.disk = "mmcblk0, SD card, ext4",
		.disk_link_bytes_per_s = 52428800,
		.cgroup_version = 1,
		.page_cluster = 3,
		.swappiness = 60,
		.thp = "madvise",
		.program = "snug 0.1.0",
	};
	r->plan = (struct race_plan){
		.command_line = "snug race --backend none --backend file --runs 5",
		.workload = "build",
		.budget_bytes = FIXTURE_BUDGET,
		.peak_bytes = 256ll * FIXTURE_MIB,
		.pressure = 2,
		.jobs = 4,
		.runs = FIXTURE_RUNS,
		.seed = INT64_MAX,
		.timeout_s = 856,
		.thrash_s = 10,
		.thrash_psi = 0.5,
		.interval_s = 1,
	};
	r->verdict = (struct race_verdict){
		.backend = "zram:lzo-rle",
		.why = "zram:lzo-rle took 31.8 s, 1.49 times as long as without a limit, and was never out of "
		       "memory. The swap file took 96.7 s; the difference is real (p = 0.032).",
		.unknown =
			"zram:lzo (32.5 s) is too near to call. How it goes at another pressure than 2 was not "
			"measured.",
	};
}

/* The race over the workload `build`. Aborts without memory; free with race_result_free. */
static inline void race_fixture(struct race_result *ret)
{
	unsigned order = 0;

	*ret = (struct race_result){
		.begun = "2026-12-05T18:04:09Z",
		.took_s = 1093.25,
		.trials = calloc(FIXTURE_RUNS * FIXTURE_RAN, sizeof(*ret->trials)),
		.n_trials = FIXTURE_RUNS * FIXTURE_RAN,
		.summary = calloc(FIXTURE_BACKENDS, sizeof(*ret->summary)),
		.n_summary = FIXTURE_BACKENDS,
		.checks = calloc(5, sizeof(*ret->checks)),
		.n_checks = 5,
	};
	if (!ret->trials || !ret->summary || !ret->checks)
		abort();
	for (unsigned run = 1; run <= FIXTURE_RUNS; run++)
		for (unsigned b = 0; b < FIXTURE_RAN; b++, order++)
			if (!fixture_trial(&ret->trials[order], &fixture_backends[b], run,
					   order + 1))
				abort();
	for (unsigned b = 0; b < FIXTURE_BACKENDS; b++)
		fixture_summary(&ret->summary[b], &fixture_backends[b]);
	fixture_texts(ret);
}

/* From the median's bucket (17: up to 19 ms) to that of the 99th percentile, less in each; the
 * wider, the flatter. */
static inline void fixture_histogram(struct race_trial *t)
{
	uint64_t left = (uint64_t)t->frames;
	unsigned steps = 0;

	for (double ns = 19.03e6; ns < (double)t->frame_ns_p99; ns *= 1.1892)
		steps++;
	for (unsigned i = 0; i < steps; i++) {
		uint64_t n = left * 4 / (steps + 4);

		t->frame_histogram[17 + i] = n;
		left -= n;
	}
	t->frame_histogram[17 + steps] = left;
}

static inline void fixture_trial_frames(struct race_trial *t, const struct fixture_backend *b)
{
	double scale = 1 + fixture_jitter(t->run);

	snprintf(t->workload, sizeof(t->workload), "tabs");
	t->idle_s = 12;
	t->real_s += 12;
	t->open_s = t->net_s * 0.6;
	t->visit_s = t->net_s * 0.3;
	t->close_s = t->net_s * 0.1;
	t->fps_min = b->fps_min / scale;
	t->fps_avg = b->fps_avg / scale;
	t->fps_max = 60;
	t->score = b->score / scale;
	t->frames = (int64_t)(t->fps_avg * t->real_s);
	t->dropped = (int64_t)(60 * t->real_s) - t->frames;
	t->frame_ns_p50 = 16700000;
	t->frame_ns_p95 = (t->frame_ns_p50 + b->frame_ns_p99) / 2;
	t->frame_ns_p99 = b->frame_ns_p99;
	fixture_histogram(t);
}

/* The same over the workload `tabs`, with its frames. */
static inline void race_fixture_tabs(struct race_result *ret)
{
	race_fixture(ret);
	snprintf(ret->plan.workload, sizeof(ret->plan.workload), "tabs");
	for (size_t i = 0; i < ret->n_trials; i++)
		fixture_trial_frames(&ret->trials[i], &fixture_backends[i % FIXTURE_RAN]);
	for (size_t i = 0; i < ret->n_summary; i++) {
		struct race_summary *s = &ret->summary[i];
		const struct fixture_backend *b = &fixture_backends[i];

		snprintf(s->workload, sizeof(s->workload), "tabs");
		s->fps_avg = b->fps_avg;
		s->fps_min = b->fps_min;
		s->score = b->score;
		s->frame_ns_p99 = b->frame_ns_p99;
	}
}

/* The first, but with one of each: trial, sample, line of the summary, check. */
static inline void race_fixture_small(struct race_result *ret)
{
	race_fixture(ret);
	while (ret->n_trials > 1)
		free(ret->trials[--ret->n_trials].samples);
	ret->trials[0].n_samples = ret->n_summary = ret->n_checks = 1;
}

/* As a result file. Aborts if it can't be written. */
static inline char *race_fixture_text(const struct race_result *r)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out || race_json_write(r, out) < 0 || fclose(out) != 0)
		abort();
	return text;
}

#endif
