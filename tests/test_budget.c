/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The budget's thread over a made-up machine: a zram device whose mm_stat the test writes, a
 * control group whose limit it reads. And the sampler, which looks at the same.
 */
#include "budget.h"
#include "cgroup.h"
#include "err.h"
#include "fake_host.h"
#include "fileio.h"
#include "sampler.h"

#include <math.h>
#include <time.h>

#define MIB ((uint64_t)1 << 20)

struct machine {
	int root;
	char path[64];
	struct cgroup group;
	struct backend backend;
};

static void pause_ms(long ms)
{
	const struct timespec t = {.tv_nsec = ms * 1000000};

	nanosleep(&t, NULL);
}

/* Replaced in one step, as the kernel's are. */
static void set_text(struct machine *m, const char *path, const char *text)
{
	host_text(m->root, "new", text);
	assert_int_equal(renameat(m->root, "new", m->root, path), 0);
}

static void set_pool(struct machine *m, unsigned orig_mib, unsigned used_mib)
{
	char text[160];

	snprintf(text, sizeof(text), "%llu %llu %llu 0 %llu 3 0 4\n",
		 (unsigned long long)(orig_mib * MIB), (unsigned long long)(used_mib * MIB),
		 (unsigned long long)(used_mib * MIB), (unsigned long long)(used_mib * MIB));
	set_text(m, "sys/block/zram7/mm_stat", text);
}

static void set_usage(struct machine *m, unsigned mib)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu\n", (unsigned long long)(mib * MIB));
	set_text(m, "sys/fs/cgroup/memory/snug-1-0/memory.usage_in_bytes", text);
}

static int64_t limit_mib(const struct machine *m)
{
	char *text;
	long long bytes;

	assert_int_equal(fileio_read(m->root, "sys/fs/cgroup/memory/snug-1-0/memory.limit_in_bytes",
				     64, &text),
			 0);
	bytes = atoll(text);
	free(text);
	return bytes / (long long)MIB;
}

static int setup(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));
	struct err e;

	m->root = made_host(m->path);
	host_text(m->root, "sys/block/zram7/mm_stat", "");
	host_text(m->root, "sys/fs/cgroup/memory/snug-1-0/memory.limit_in_bytes", "67108864\n");
	host_text(m->root, "sys/fs/cgroup/memory/snug-1-0/memory.usage_in_bytes", "0\n");
	set_pool(m, 0, 0);
	m->group = (struct cgroup){.root = m->root, .version = 1};
	strcpy(m->group.memory, "sys/fs/cgroup/memory/snug-1-0");
	assert_int_equal(backend_parse(&m->backend, "zram:lzo", &e), 0);
	m->backend.zram_ids[0] = 7;
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	struct machine *m = *state;

	made_host_end(m->root, m->path);
	free(m);
	return 0;
}

static struct budget *begin(struct machine *m, uint64_t bytes, bool naive)
{
	struct budget *b;
	struct err e;

	assert_int_equal(budget_begin(&(struct budget_plan){.root = m->root,
							    .group = &m->group,
							    .backend = &m->backend,
							    .bytes = bytes,
							    .naive = naive},
				      &b, &e),
			 0);
	return b;
}

static void the_limit_follows_the_pool(void **state)
{
	struct machine *m = *state;
	struct budget *b = begin(m, 64 * MIB, false);
	struct budget_report report;

	set_pool(m, 30, 10);
	pause_ms(100);
	assert_int_equal(limit_mib(m), 54);
	set_pool(m, 60, 20);
	pause_ms(100);
	assert_int_equal(limit_mib(m), 44);
	set_pool(m, 6, 2);
	pause_ms(100);
	assert_int_equal(limit_mib(m), 62);
	budget_end(b, &report);
	/* What it held at its fullest, not at the end. */
	assert_int_equal(report.fullest.orig_bytes, 60 * MIB);
	assert_int_equal(report.fullest.mem_used_bytes, 20 * MIB);
	assert_int_equal(report.fullest.same_pages, 3);
	assert_int_equal(report.fullest.huge_pages, 4);
	assert_true(report.gap_s > 0);
	assert_int_equal(report.excess_bytes, 0);
}

static void what_is_over_is_told(void **state)
{
	struct machine *m = *state;
	struct budget *b;
	struct budget_report report;

	set_pool(m, 60, 20);
	set_usage(m, 60);
	b = begin(m, 64 * MIB, false);
	pause_ms(100);
	set_usage(m, 40);
	pause_ms(100);
	budget_end(b, &report);
	assert_int_equal(report.excess_bytes, 16 * MIB);
	/* Half of the time: the 95th percentile is as far over, to half a percent of the budget. */
	assert_in_range(report.excess_p95_bytes, 16 * MIB, 17 * MIB);
}

static void a_naive_budget_stays(void **state)
{
	struct machine *m = *state;
	struct budget *b = begin(m, 64 * MIB, true);
	struct budget_report report;

	set_pool(m, 60, 20);
	set_usage(m, 64);
	pause_ms(100);
	budget_end(b, &report);
	assert_int_equal(limit_mib(m), 64);
	/* And is told by how much it is more than it seems. */
	assert_int_equal(report.excess_bytes, 20 * MIB);
}

static void a_pool_within_the_group_is_not_subtracted(void **state)
{
	struct machine *m = *state;
	struct budget *b;
	struct budget_report report;

	m->backend.charged = true;
	b = begin(m, 64 * MIB, false);
	set_pool(m, 60, 20);
	set_usage(m, 64);
	pause_ms(100);
	budget_end(b, &report);
	assert_int_equal(limit_mib(m), 64);
	assert_int_equal(report.excess_bytes, 0);
}

static void a_pool_larger_than_the_budget_leaves_a_floor(void **state)
{
	struct machine *m = *state;
	struct budget *b = begin(m, 64 * MIB, false);

	set_pool(m, 300, 100);
	pause_ms(100);
	budget_end(b, NULL);
	assert_int_equal(limit_mib(m), 4);
}

static void without_a_limit_the_pool_is_watched(void **state)
{
	struct machine *m = *state;
	struct budget *b = begin(m, CGROUP_NO_LIMIT, false);
	struct budget_report report;

	set_pool(m, 60, 20);
	pause_ms(100);
	budget_end(b, &report);
	assert_int_equal(limit_mib(m), 64);
	assert_int_equal(report.fullest.orig_bytes, 60 * MIB);
	assert_int_equal(report.excess_bytes, -1);
	assert_int_equal(report.excess_p95_bytes, -1);
	assert_int_equal(report.limit_bytes, -1);
}

static void samples_are_differences(void **state)
{
	struct machine *m = *state;
	struct budget *b = begin(m, 64 * MIB, false);
	struct sampler s;
	struct race_sample *samples;
	size_t n;

	host_text(m->root, "proc/stat", "cpu  100 0 50 800 50 0 0 0 0 0\n");
	host_text(m->root, "proc/diskstats", " 254 7 zram7 10 0 80 1 20 0 160 2 0 3 3\n");
	host_text(m->root, "sys/class/block/zram7/stat", "10 0 80 1 20 0 160 2 0 3 3\n");
	host_text(m->root, "proc/pressure/memory",
		  "some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
		  "full avg10=0.00 avg60=0.00 avg300=0.00 total=0\n");
	strcpy(m->backend.traffic[0], "zram7");
	m->backend.n_traffic = 1;
	sampler_begin(&s, m->root, &m->backend, &m->group, b);
	set_text(m, "proc/stat", "cpu  150 0 75 820 55 0 0 0 0 0\n");
	set_text(m, "proc/diskstats", " 254 7 zram7 15 0 120 1 25 0 240 2 0 3 3\n");
	set_text(m, "sys/class/block/zram7/stat", "15 0 120 1 25 0 240 2 0 3 3\n");
	set_usage(m, 40);
	set_pool(m, 60, 20);
	pause_ms(200);
	assert_int_equal(sampler_look(&s), 0);
	sampler_take(&s, &samples, &n);
	assert_int_equal(n, 1);
	assert_true(fabs(samples[0].user - 50) < 1e-9);
	assert_true(fabs(samples[0].system - 25) < 1e-9);
	assert_true(fabs(samples[0].idle - 20) < 1e-9);
	assert_true(fabs(samples[0].iowait - 5) < 1e-9);
	assert_int_equal(samples[0].read_bytes, 40 * 512);
	assert_int_equal(samples[0].write_bytes, 80 * 512);
	assert_true(samples[0].tps > 10 && samples[0].tps < 50.1);
	assert_int_equal(samples[0].usage_bytes, 40 * MIB);
	assert_int_equal(samples[0].orig_bytes, 60 * MIB);
	assert_int_equal(samples[0].limit_bytes, 44 * MIB);
	free(samples);
	sampler_end(&s);
	budget_end(b, NULL);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_limit_follows_the_pool),
		CASE(what_is_over_is_told),
		CASE(a_naive_budget_stays),
		CASE(a_pool_within_the_group_is_not_subtracted),
		CASE(a_pool_larger_than_the_budget_leaves_a_floor),
		CASE(without_a_limit_the_pool_is_watched),
		CASE(samples_are_differences),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
