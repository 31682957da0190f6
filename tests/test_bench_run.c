/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snug bench pages below its verb: what a run does to its targets, and what is made of what it
 * measured.
 */
#include "codec.h"
#include "crew.h"
#include "err.h"
#include "page.h"
#include "pages.h"
#include "result.h"
#include "run.h"
#include "target.h"

#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void generate(const char *text, uint64_t seed, struct page_set *ret)
{
	struct err e;

	if (pages_generate(text, seed, ret, &e) < 0)
		fail_msg("%s", e.text);
}

static size_t same_filled(const struct page_set *p)
{
	uint64_t word;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += page_same_filled(p->data + i * PAGE_BYTES, &word);
	return n;
}

/* All metrics are there, and nothing that was measured is nothing. */
static void check_sample(const struct bench_sample *s)
{
	for (int m = 0; m < BENCH_METRICS; m++)
		assert_true(s->metric[m] > 0);
}

static struct bench_sample *run_lists(const struct page_set *pages,
				      const struct target_lists *lists, unsigned runs,
				      struct target_config **ret_configs, size_t *ret_n)
{
	struct bench_plan plan = {.pages = pages, .runs = runs, .root = -1};
	struct target_config *configs;
	struct bench_sample *samples;
	struct err e;

	if (target_plan(lists, &configs, &plan.n_configs, &e) < 0)
		fail_msg("%s", e.text);
	plan.configs = configs;
	samples = calloc(plan.n_configs * runs, sizeof(*samples));
	assert_non_null(samples);
	if (bench_run(&plan, samples, &e) < 0)
		fail_msg("%s", e.text);
	for (size_t i = 0; i < plan.n_configs * runs; i++)
		check_sample(&samples[i]);
	*ret_configs = configs;
	*ret_n = plan.n_configs;
	return samples;
}

/*
 * bench_run compares all that it reads back, so every codec that comes through has made the round
 * trip.
 */
static void test_raw_round_trip_by_every_codec(void **state)
{
	char list[512] = "zstd:-5,zstd:1+dict,zstd:1+auto,lz4+dict,lz4:8,lz4hc:1+dict";
	struct target_lists lists = {
		.targets = "raw", .codecs = list, .pools = "zsmalloc", .threads = "1,2"};
	struct target_config *configs;
	struct bench_sample *samples;
	struct page_set p;
	size_t n, same;

	for (size_t i = 0; codec_at(i); i++)
		snprintf(list + strlen(list), sizeof(list) - strlen(list), ",%s",
			 codec_name(codec_at(i)));
	generate("mix:2M", 3, &p);
	same = same_filled(&p);
	samples = run_lists(&p, &lists, 1, &configs, &n);
	for (size_t i = 0; i < n; i++) {
		const struct footprint *f = &samples[i].footprint;

		assert_int_equal(f->orig_bytes, p.n * PAGE_BYTES);
		assert_int_equal(f->same_pages, same);
		assert_true(f->huge_pages >= 20); /* the random ones of the mix */
		assert_int_equal(f->mem_used_bytes, f->compr_bytes + 8 * same);
		assert_true(f->meta_bytes >= 8 * p.n);
		if (!strcmp(configs[i].codec, "none"))
			assert_int_equal(f->compr_bytes, (p.n - same) * PAGE_BYTES);
		else
			assert_true(f->compr_bytes < f->orig_bytes / 2);
		/* The same work by two threads. (+auto also goes by time.) */
		if (configs[i].threads == 2 && !strstr(configs[i].codec, "+auto"))
			assert_int_equal(f->compr_bytes, samples[i - 1].footprint.compr_bytes);
	}
	free(samples);
	free(configs);
	pages_free(&p);
}

/* Both count the same pages in the same terms. */
static void test_engine_agrees_with_raw(void **state)
{
	const struct target_lists lists = {.targets = "raw,engine",
					   .codecs = "lzo,none",
					   .pools = "zsmalloc",
					   .threads = "1,3"};
	struct target_config *configs;
	struct bench_sample *samples;
	struct page_set p;
	size_t n;

	generate("mix:1M", 4, &p);
	samples = run_lists(&p, &lists, 2, &configs, &n);
	assert_int_equal(n, 8);
	for (size_t i = 0; i < 4; i++) {
		const struct footprint *raw = &samples[2 * i].footprint;
		const struct footprint *engine = &samples[2 * (i + 4)].footprint;

		assert_int_equal(raw->orig_bytes, engine->orig_bytes);
		assert_int_equal(raw->same_pages, engine->same_pages);
		assert_int_equal(raw->huge_pages, engine->huge_pages);
		assert_int_equal(raw->compr_bytes, engine->compr_bytes);
		assert_true(engine->mem_used_bytes >= engine->compr_bytes);
	}
	free(samples);
	free(configs);
	pages_free(&p);
}

/*
 * Sizes that are no multiple of the page set, of the ring, of the threads; and smaller than the
 * page set.
 */
static void test_sizes_repeat_and_cut(void **state)
{
	const struct target_lists lists = {.targets = "raw,engine",
					   .codecs = "lz4",
					   .pools = "zsmalloc",
					   .threads = "1,3",
					   .sizes = "4K,2828K,40K"};
	static const uint64_t sizes[] = {4096, 2828 << 10, 40 << 10};
	struct target_config *configs;
	struct bench_sample *samples;
	struct page_set p;
	size_t n;

	generate("heap:1028K", 4, &p);
	samples = run_lists(&p, &lists, 1, &configs, &n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(samples[i].footprint.orig_bytes, sizes[i % 3]);
	free(samples);
	free(configs);
	pages_free(&p);
}

static void test_over_the_memory_limit(void **state)
{
	const struct target_lists lists = {
		.targets = "raw,engine", .codecs = "none", .pools = "zsmalloc", .threads = "1"};
	struct target_config *configs;
	struct bench_sample samples[2];
	struct page_set p;
	size_t n;

	generate("random:1M", 4, &p);
	assert_int_equal(target_plan(&lists, &configs, &n, NULL), 0);
	for (size_t i = 0; i < n; i++) {
		const struct bench_plan plan = {.pages = &p,
						.configs = &configs[i],
						.n_configs = 1,
						.runs = 1,
						.mem_limit_bytes = 256 << 10};
		struct err e;

		assert_int_equal(bench_run(&plan, samples, &e), -ENOMEM);
		assert_non_null(strstr(e.text, configs[i].name));
	}
	free(configs);
	pages_free(&p);
}

/* A target of our own: an array, and faults on demand. */

struct fake {
	unsigned char *data;
	bool corrupt;	 /* every read of slot 5 differs in its last byte */
	int write_error; /* at slot 300 */
	unsigned opened, closed;
	char order[64];	   /* names as they were opened */
	atomic_bool *stop; /* raised in the second write pass */
	unsigned writes;
};

static struct fake fake;

static int fake_open(const struct target_setup *setup, void **ret, struct err *e)
{
	fake.opened++;
	strncat(fake.order, setup->config->name, sizeof(fake.order) - strlen(fake.order) - 1);
	fake.data = calloc(setup->n_slots, PAGE_BYTES);
	*ret = &fake;
	return fake.data ? 0 : -ENOMEM;
}

static int fake_close(void *target, struct err *e)
{
	struct fake *f = target;

	if (f) {
		f->closed++;
		free(f->data);
		f->data = NULL;
	}
	return 0;
}

static int fake_write(void *target, unsigned worker, uint64_t slot, const void *pages, size_t n)
{
	struct fake *f = target;

	if (f->write_error && slot <= 300 && 300 < slot + n)
		return f->write_error;
	if (f->stop && ++f->writes > 2)
		atomic_store(f->stop, true);
	memcpy(f->data + slot * PAGE_BYTES, pages, n * PAGE_BYTES);
	return 0;
}

static int fake_read(void *target, unsigned worker, uint64_t slot, void *pages, size_t n)
{
	struct fake *f = target;

	memcpy(pages, f->data + slot * PAGE_BYTES, n * PAGE_BYTES);
	if (f->corrupt && slot <= 5 && 5 < slot + n)
		((unsigned char *)pages)[(5 - slot + 1) * PAGE_BYTES - 1] ^= 1;
	return 0;
}

static int fake_measure(void *target, struct footprint *ret, struct err *e)
{
	*ret = (struct footprint){.orig_bytes = 8192, .mem_used_bytes = 1000, .meta_bytes = 24};
	return 0;
}

static const struct target_ops fake_ops = {
	.name = "fake",
	.open = fake_open,
	.close = fake_close,
	.write = fake_write,
	.read = fake_read,
	.measure = fake_measure,
};

static int run_fake(unsigned n_configs, unsigned runs, atomic_bool *stop, struct err *e)
{
	struct target_config configs[3] = {
		{.ops = &fake_ops, .name = "a", .codec = "x", .threads = 1},
		{.ops = &fake_ops, .name = "b", .codec = "x", .threads = 2},
		{.ops = &fake_ops, .name = "c", .codec = "x", .threads = 1}};
	struct bench_sample *samples = calloc((size_t)n_configs * runs, sizeof(*samples));
	struct page_set p;
	int r;

	assert_non_null(samples);
	generate("text:2M", 1, &p);
	{
		const struct bench_plan plan = {.pages = &p,
						.configs = configs,
						.n_configs = n_configs,
						.runs = runs,
						.stop = stop};

		r = bench_run(&plan, samples, e);
	}
	pages_free(&p);
	free(samples);
	return r;
}

static void test_runs_are_interleaved_and_rotate(void **state)
{
	fake = (struct fake){0};
	assert_int_equal(run_fake(3, 4, NULL, NULL), 0);
	assert_string_equal(fake.order, "abcbcacababc");
	assert_int_equal(fake.opened, fake.closed);
}

static void test_a_page_that_differs_is_found(void **state)
{
	struct err e;

	fake = (struct fake){.corrupt = true};
	assert_int_equal(run_fake(1, 1, NULL, &e), -EILSEQ);
	assert_int_equal(e.kind, ERR_FAILED);
	assert_non_null(strstr(e.text, "page 5 "));
	assert_int_equal(fake.closed, 1);
}

static void test_a_write_that_fails(void **state)
{
	struct err e;

	fake = (struct fake){.write_error = -EIO};
	assert_int_equal(run_fake(2, 1, NULL, &e), -EIO);
	assert_non_null(strstr(e.text, "writing"));
	assert_non_null(strstr(e.text, "256")); /* the chunk that 300 is in */
	assert_int_equal(fake.closed, 1);
}

static void test_stop_closes_what_is_open(void **state)
{
	atomic_bool stop = false;
	struct err e;

	fake = (struct fake){.stop = &stop};
	assert_int_equal(run_fake(3, 4, &stop, &e), -EINTR);
	assert_int_equal(fake.opened, 1);
	assert_int_equal(fake.closed, 1);
}

/* Crew. */

struct tally {
	atomic_uint by_worker[4];
};

static void count_call(void *arg, unsigned worker)
{
	struct tally *t = arg;

	atomic_fetch_add(&t->by_worker[worker], 1);
	if (worker == 3)
		usleep(2000);
}

static void test_crew_runs_every_worker_once(void **state)
{
	struct tally tally = {0};
	struct crew_time time;
	struct crew *crew;

	assert_int_equal(crew_open(4, &crew), 0);
	for (int i = 0; i < 50; i++) {
		crew_run(crew, count_call, &tally, &time);
		assert_true(time.wall_ns >= 2000000);
		assert_true(time.cpu_ns < 4 * time.wall_ns);
	}
	crew_close(crew);
	crew_close(NULL);
	for (int i = 0; i < 4; i++)
		assert_int_equal(atomic_load(&tally.by_worker[i]), 50);
}

/* Rows. */

static void test_row_arithmetic(void **state)
{
	const struct target_config config = {
		.ops = &target_raw, .name = "raw", .codec = "lzo", .threads = 2};
	struct bench_sample samples[3] = {0};
	struct bench_row row;

	for (int i = 0; i < 3; i++) {
		for (int m = 0; m < BENCH_METRICS; m++)
			samples[i].metric[m] = 100 * m + (int[]){7, 3, 4}[i];
		samples[i].footprint =
			(struct footprint){.orig_bytes = 40960,
					   .compr_bytes = 8000,
					   .mem_used_bytes = (uint64_t[]){9000, 8192, 12288}[i],
					   .meta_bytes = 1240};
	}
	assert_int_equal(bench_row_make(&config, samples, 3, &row), 0);
	for (int m = 0; m < BENCH_METRICS; m++) {
		assert_true(fabs(row.metric[m].median - (100 * m + 4)) < 1e-9);
		assert_true(row.metric[m].interval.low >= 100 * m + 3);
		assert_true(row.metric[m].interval.high <= 100 * m + 7);
	}
	/* Bytes of the run in the middle, and everything counted. */
	assert_int_equal(row.footprint.mem_used_bytes, 9000);
	assert_true(fabs(row.ratio - 4.0) < 1e-9);
	assert_true(bench_ratio(&(struct footprint){0}) == 0);
}

static void check_keys(const json_t *row)
{
	static const char *const numbers[] = {"threads",      "write_ns",	"read_ns",
					      "write_cpu_ns", "read_cpu_ns",	"orig_bytes",
					      "compr_bytes",  "mem_used_bytes", "meta_bytes",
					      "ratio",	      "same_pages",	"huge_pages"};
	static const char *const texts[] = {"target", "codec"};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!json_is_number(json_object_get(row, numbers[i])))
			fail_msg("%s is no number", numbers[i]);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		assert_true(json_is_string(json_object_get(row, texts[i])));
}

static void test_json_has_the_promised_fields(void **state)
{
	const struct target_config configs[] = {
		{.ops = &target_raw, .name = "raw", .codec = "lzo", .threads = 1},
		{.ops = &target_zram,
		 .name = "zram:lzo@4k",
		 .codec = "lzo",
		 .threads = 1,
		 .block_bytes = 4096},
	};
	const struct bench_sample samples[2] = {
		{.metric = {1, 2, 3, 4, 5, 6},
		 .footprint = {.orig_bytes = 8192, .mem_used_bytes = 4096}},
		{.metric = {2, 3, 4, 5, 6, 7}}};
	struct page_set pages = {.n = 2, .padded_bytes = 7, .source = "x.bin"};
	struct bench_row rows[2];
	json_t *result, *list;

	for (int i = 0; i < 2; i++)
		assert_int_equal(bench_row_make(&configs[i], samples, 2, &rows[i]), 0);
	result = bench_result_json(&pages, rows, 2);
	assert_non_null(result);
	assert_string_equal(json_string_value(json_object_get(result, "schema")),
			    "snug.bench.pages/1");
	assert_int_equal(json_integer_value(json_object_get(result, "padded_bytes")), 7);
	list = json_object_get(result, "rows");
	assert_int_equal(json_array_size(list), 2);
	check_keys(json_array_get(list, 0));
	check_keys(json_array_get(list, 1));
	assert_true(json_is_null(json_object_get(json_array_get(list, 0), "pool")));
	assert_string_equal(json_string_value(json_object_get(json_array_get(list, 1), "pool")),
			    "zsmalloc");
	json_decref(result);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_raw_round_trip_by_every_codec),
		cmocka_unit_test(test_engine_agrees_with_raw),
		cmocka_unit_test(test_sizes_repeat_and_cut),
		cmocka_unit_test(test_over_the_memory_limit),
		cmocka_unit_test(test_runs_are_interleaved_and_rotate),
		cmocka_unit_test(test_a_page_that_differs_is_found),
		cmocka_unit_test(test_a_write_that_fails),
		cmocka_unit_test(test_stop_closes_what_is_open),
		cmocka_unit_test(test_crew_runs_every_worker_once),
		cmocka_unit_test(test_row_arithmetic),
		cmocka_unit_test(test_json_has_the_promised_fields),
	};

	return cmocka_run_group_tests_name("bench run", tests, NULL, NULL);
}
