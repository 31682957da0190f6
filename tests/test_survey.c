/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sampling, measuring and showing: on files and on a child whose pages are known. */
#include "fake_host.h"

#include "codec.h"
#include "err.h"
#include "mapping.h"
#include "reservoir.h"
#include "sample.h"
#include "survey.h"
#include "zero_page.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/wait.h>

static int root_of_machine(void)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);

	assert_true(root >= 0);
	return root;
}

static void test_reservoir_keeps_all_of_a_small_population(void **state)
{
	struct reservoir r;

	assert_int_equal(reservoir_open(&r, 100, 1), 0);
	reservoir_offer(&r, (struct reservoir_item){.source = 2, .address = 0x5000}, 40);
	reservoir_offer(&r, (struct reservoir_item){.source = 1, .address = 0x9000}, 60);
	reservoir_sort(&r);
	assert_int_equal(r.n, 100);
	assert_int_equal(r.seen, 100);
	for (size_t i = 0; i < 60; i++)
		assert_int_equal(r.items[i].address, 0x9000 + i * 4096);
	assert_int_equal(r.items[60].source, 2);
	reservoir_close(&r);
}

/* Every tenth of the population has its tenth of the sample, whatever the lengths of the runs. */
static void test_reservoir_is_uniform(void **state)
{
	enum { SAMPLE = 1000, ROUNDS = 100, POPULATION = 50000, PARTS = 10 };
	uint64_t hits[PARTS] = {0};
	struct rng rng = {3};
	double chi2 = 0, expected = (double)SAMPLE * ROUNDS / PARTS;

	for (uint64_t seed = 1; seed <= ROUNDS; seed++) {
		struct reservoir r;
		uint64_t offered = 0;

		assert_int_equal(reservoir_open(&r, SAMPLE, seed), 0);
		while (offered < POPULATION) {
			uint64_t n = 1 + rng_below(&rng, 3000);

			if (n > POPULATION - offered)
				n = POPULATION - offered;
			reservoir_offer(&r, (struct reservoir_item){.address = offered * 4096}, n);
			offered += n;
		}
		assert_int_equal(r.n, SAMPLE);
		for (size_t i = 0; i < r.n; i++)
			hits[r.items[i].address / 4096 / (POPULATION / PARTS)]++;
		reservoir_sort(&r);
		for (size_t i = 1; i < r.n; i++)
			assert_true(r.items[i].address > r.items[i - 1].address);
		reservoir_close(&r);
	}
	for (int i = 0; i < PARTS; i++)
		chi2 += ((double)hits[i] - expected) * ((double)hits[i] - expected) / expected;
	/* 9 degrees of freedom: 27.9 is exceeded once in a thousand; the seeds are fixed. */
	assert_true(chi2 < 27.9);
}

static void test_reservoir_of_one_huge_run(void **state)
{
	struct reservoir r;

	assert_int_equal(reservoir_open(&r, 10, 5), 0);
	reservoir_offer(&r, (struct reservoir_item){0}, UINT64_C(1) << 40);
	assert_int_equal(r.n, 10);
	assert_int_equal(r.seen, UINT64_C(1) << 40);
	reservoir_close(&r);
}

static void test_what_may_be_brought_in(void **state)
{
	assert_true(sample_may_bring_in(0, 0));
	assert_true(sample_may_bring_in(1 << 20, 8 << 20));
	assert_false(sample_may_bring_in((1 << 20) + 1, 8 << 20));
	assert_false(sample_may_bring_in(4096, -1));
}

/* A file of n text pages and then some more bytes; its path is in buf. */
static void make_file(char buf[64], size_t n, size_t more)
{
	unsigned char page[PAGE_BYTES];
	int fd;

	strcpy(buf, "/tmp/snug-test-XXXXXX");
	fd = mkstemp(buf);
	assert_true(fd >= 0);
	for (size_t i = 0; i < n; i++) {
		make_page(i % 4 ? KIND_TEXT : KIND_FILLED, i, page);
		assert_int_equal(write(fd, page, PAGE_BYTES), PAGE_BYTES);
	}
	memset(page, 'x', sizeof(page));
	assert_int_equal(write(fd, page, more), (ssize_t)more);
	close(fd);
}

static int sample_file(char *path, uint64_t max_bytes, struct sample *ret, struct err *e)
{
	char *files[] = {path};
	struct sample_request q = {.root = root_of_machine(),
				   .files = files,
				   .n_files = 1,
				   .max_bytes = max_bytes,
				   .available_bytes = -1,
				   .seed = 9};
	int r = sample_take(&q, ret, e);

	close(q.root);
	return r;
}

static void test_whole_file(void **state)
{
	unsigned char page[PAGE_BYTES];
	struct sample s;
	struct err e = {0};
	char path[64];

	make_file(path, 40, 100);
	assert_int_equal(sample_file(path, 1 << 20, &s, &e), 0);
	assert_int_equal(s.n_pages, 41);
	assert_int_equal(s.population, 41);
	assert_int_equal(s.padded_files, 1);
	assert_int_equal(s.padded_bytes, PAGE_BYTES - 100);
	make_page(KIND_TEXT, 39, page);
	assert_memory_equal(s.pages + 39 * PAGE_BYTES, page, PAGE_BYTES);
	assert_int_equal(s.pages[40 * PAGE_BYTES + 99], 'x');
	assert_int_equal(s.pages[40 * PAGE_BYTES + 100], 0);
	assert_int_equal(s.pages[41 * PAGE_BYTES - 1], 0);
	sample_free(&s);
	assert_int_equal(sample_file(path, 10 * PAGE_BYTES + 5, &s, &e), 0);
	assert_int_equal(s.n_pages, 10);
	assert_int_equal(s.population, 41);
	sample_free(&s);
	unlink(path);
}

static void test_bad_files(void **state)
{
	struct sample s;
	struct err e = {0};
	char path[64];

	make_file(path, 0, 0);
	assert_int_equal(sample_file(path, 1 << 20, &s, &e), -ENODATA);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.text, "empty"));
	unlink(path);
	assert_int_equal(sample_file(path, 1 << 20, &s, &e), -ENOENT);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_int_equal(sample_file((char *)"/tmp", 1 << 20, &s, &e), -EINVAL);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_int_equal(sample_file((char *)"/dev/null", 1 << 20, &s, &e), -EINVAL);
	assert_int_equal(e.kind, ERR_USAGE);
}

static void test_bad_processes(void **state)
{
	struct sample_request q = {.root = root_of_machine(), .max_bytes = 1 << 20, .n_pids = 1};
	pid_t pid = fork();
	struct sample s;
	struct err e = {0};

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	q.pids = &pid;
	assert_int_equal(sample_take(&q, &s, &e), -ESRCH);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.text, "no process"));
	/* Ourselves: nothing is left to sample. */
	pid = getpid();
	assert_int_equal(sample_take(&q, &s, &e), -ENODATA);
	assert_int_equal(e.kind, ERR_FAILED);
	close(q.root);
}

/* As nobody, with a process of root's: exit status of the child. */
static int sample_as_nobody(pid_t pid)
{
	struct sample_request q = {
		.root = root_of_machine(), .max_bytes = 1 << 20, .n_pids = 1, .pids = &pid};
	struct sample s;
	struct err e = {0};

	if (setgid(65534) < 0 || setuid(65534) < 0)
		return 1;
	if (sample_take(&q, &s, &e) != -EACCES || e.kind != ERR_MISSING || !strstr(e.text, "root"))
		return 2;
	/* Not named but found: counted. */
	q.n_pids = 0;
	q.all = true;
	if (sample_take(&q, &s, &e) == 0) {
		bool named = false;

		for (size_t i = 0; i < s.n_skipped; i++)
			named |= s.skipped[i].pid == pid && s.skipped[i].reason == SAMPLE_DENIED;
		return named ? 0 : 3;
	}
	return e.kind == ERR_MISSING ? 0 : 4;
}

static void test_not_permitted(void **state)
{
	pid_t pid;
	int status;

	if (geteuid()) {
		print_message("SKIP: only root can become somebody else\n");
		skip();
	}
	pid = fork();
	if (pid == 0)
		_exit(sample_as_nobody(getppid()));
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

enum { TEXT_PAGES = 6000, SAME_PAGES = 3000, ZERO_PAGES = 1000, UNTOUCHED_PAGES = 1000 };
enum { AREA_PAGES = TEXT_PAGES + SAME_PAGES + ZERO_PAGES + UNTOUCHED_PAGES };

/* The program itself: its heap, its libraries' data, what the fork copied; a sanitizer's shadow. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { OWN_PAGES = 20000 };
#else
enum { OWN_PAGES = 600 };
#endif

/* A child whose memory is the area above and what a program needs to live. */
static pid_t start_child(int *ret_hold)
{
	int ready[2], hold[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe(ready) | pipe(hold), 0);
	pid = fork();
	if (pid == 0) {
		unsigned char *area = mapping_alloc(AREA_PAGES * PAGE_BYTES);
		volatile unsigned char sum = 0;

		madvise(area, AREA_PAGES * PAGE_BYTES, MADV_NOHUGEPAGE);
		for (size_t i = 0; i < TEXT_PAGES; i++)
			make_page(KIND_TEXT, i, area + i * PAGE_BYTES);
		area += TEXT_PAGES * PAGE_BYTES;
		for (size_t i = 0; i < SAME_PAGES; i++)
			page_fill(area + i * PAGE_BYTES, i + 1);
		area += SAME_PAGES * PAGE_BYTES;
		for (size_t i = 0; i < ZERO_PAGES; i++)
			sum += area[i * PAGE_BYTES];
		close(hold[1]);
		if (write(ready[1], "r", 1) == 1)
			_exit(read(hold[0], &byte, 1) != 0);
		_exit(1);
	}
	close(ready[1]);
	close(hold[0]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	*ret_hold = hold[1];
	return pid;
}

static void survey_child(pid_t pid, uint64_t max_bytes, const char *codecs, struct survey *ret)
{
	struct sample_request q = {.root = root_of_machine(),
				   .pids = &pid,
				   .n_pids = 1,
				   .max_bytes = max_bytes,
				   .leave_swapped = true,
				   .seed = 4};
	struct codec_spec *specs;
	struct err e = {0};
	size_t n;

	if (codec_parse_list(codecs, &specs, &n, &e) < 0 || survey_run(&q, specs, n, ret, &e) < 0)
		fail_msg("%s", e.text);
	free(specs);
	close(q.root);
}

static void test_known_child(void **state)
{
	/* What was only read is the zero page's, mostly. */
	size_t same = SAME_PAGES + (zero_page_is_used() ? 0 : ZERO_PAGES);
	struct survey s;
	size_t third;
	int hold;
	pid_t pid = start_child(&hold);

	survey_child(pid, (uint64_t)64 << 20, "lzo,zstd:1+dict", &s);
	assert_in_range(s.sample.population, TEXT_PAGES + same, TEXT_PAGES + same + OWN_PAGES);
	assert_int_equal(s.sample.n_pages + s.sample.lost, s.sample.population);
	assert_in_range(s.same_pages, same, same + OWN_PAGES);
	assert_int_equal(s.sample.processes, 1);
	assert_int_equal(s.n_codecs, 2);
	/* Eight words of text: a dictionary pays. */
	assert_true(s.codecs[1].dict_in_use);
	assert_true(s.codecs[1].compr_bytes < s.codecs[0].compr_bytes);
	third = s.same_pages * 900 / s.sample.n_pages;
	survey_free(&s);

	/* A tenth of it looks like all of it. */
	survey_child(pid, 900 * PAGE_BYTES, "lzo", &s);
	assert_int_equal(s.sample.n_pages + s.sample.lost, 900);
	assert_in_range(s.same_pages, third - 60, third + 60);
	survey_free(&s);
	close(hold);
	waitpid(pid, NULL, 0);
}

/* A survey of pages made here, for all that follows from it. */
static void survey_pages(size_t n, size_t more, const char *codecs, struct survey *ret)
{
	struct sample_request q = {
		.root = root_of_machine(), .n_files = 1, .max_bytes = (uint64_t)1 << 30, .seed = 1};
	struct codec_spec *specs;
	struct err e = {0};
	char path[64], *files[] = {path};
	size_t n_specs;

	make_file(path, n, more);
	q.files = files;
	if (codec_parse_list(codecs, &specs, &n_specs, &e) < 0 ||
	    survey_run(&q, specs, n_specs, ret, &e) < 0)
		fail_msg("%s", e.text);
	free(specs);
	unlink(path);
	close(q.root);
}

static void test_sizes_add_up(void **state)
{
	struct survey s;

	survey_pages(2000, 0, "none,lz4,zstd:1,zstd:1+auto,lz4+dict", &s);
	assert_int_equal(s.same_pages, 500);
	for (size_t i = 0; i < s.n_codecs; i++) {
		const struct measure_result *c = &s.codecs[i];

		assert_int_equal(c->mem_used_bytes, c->pool_bytes + c->meta_bytes);
		assert_true(c->pool_bytes >= c->compr_bytes);
		assert_true(c->meta_bytes >= 2000 * 8);
		assert_true(c->compress_ns_p99 >= c->compress_ns_p50);
		assert_true(survey_ratio(&s, c->mem_used_bytes) <=
			    survey_ratio(&s, c->compr_bytes));
	}
	/* none stores whole pages, and no kernel has it. */
	assert_int_equal(s.codecs[0].huge_pages, 1500);
	assert_int_equal(s.codecs[0].compr_bytes, 1500 * PAGE_BYTES);
	assert_null(s.codecs[0].kernel_name);
	assert_int_equal(s.codecs[0].kernel_mem_used_bytes, -1);
	assert_string_equal(s.codecs[1].kernel_name, "lz4");
	assert_int_equal(s.codecs[1].kernel_compr_bytes, s.codecs[1].compr_bytes);
	/* A dictionary of ours is none of the kernel's. */
	assert_null(s.codecs[3].kernel_name);
	survey_free(&s);
}

static void test_same_result_twice(void **state)
{
	struct survey a, b;

	survey_pages(600, 9, "lzo,lz4hc,zstd:1+dict", &a);
	survey_pages(600, 9, "lzo,lz4hc,zstd:1+dict", &b);
	for (size_t i = 0; i < a.n_codecs; i++) {
		assert_int_equal(a.codecs[i].compr_bytes, b.codecs[i].compr_bytes);
		assert_int_equal(a.codecs[i].mem_used_bytes, b.codecs[i].mem_used_bytes);
	}
	survey_free(&a);
	survey_free(&b);
}

/* From one page, from same-filled ones only: nothing to train on, nothing to divide by. */
static void test_next_to_nothing(void **state)
{
	FILE *out = fopen("/dev/null", "w");
	struct survey s;

	assert_non_null(out);
	for (size_t pages = 1; pages < 4; pages++) {
		survey_pages(pages, 0, "lzo,zstd:1+auto,lz4+dict,none", &s);
		assert_int_equal(s.same_pages, 1);
		survey_print_sample(&s, true, out);
		survey_print_meaning(&s, out);
		assert_int_equal(survey_write_json(&s, out), 0);
		survey_free(&s);
	}
	fclose(out);
}

static json_t *json_of(const struct survey *s)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);
	json_t *j;

	assert_int_equal(survey_write_json(s, out), 0);
	fclose(out);
	j = json_loads(text, 0, NULL);
	assert_non_null(j);
	free(text);
	return j;
}

static void test_json(void **state)
{
	static const char *const numbers[] = {"ratio",
					      "mem_ratio",
					      "compr_bytes",
					      "mem_used_bytes",
					      "kernel_mem_used_bytes",
					      "huge_pages",
					      "compress_ns_p50",
					      "compress_ns_p99",
					      "decompress_ns_p50",
					      "decompress_ns_p99"};
	struct survey s;
	json_t *j, *codec;

	survey_pages(300, 0, "lzo,zstd:1+dict", &s);
	j = json_of(&s);
	assert_string_equal(json_string_value(json_object_get(j, "schema")), "snug.survey/1");
	assert_int_equal(json_integer_value(json_object_get(j, "pages")), 300);
	assert_int_equal(json_integer_value(json_object_get(j, "same_pages")), 75);
	assert_true(json_is_object(json_object_get(j, "machine")));
	assert_int_equal(json_array_size(json_object_get(j, "codecs")), 2);
	codec = json_array_get(json_object_get(j, "codecs"), 0);
	assert_string_equal(json_string_value(json_object_get(codec, "name")), "lzo");
	assert_true(json_is_true(json_object_get(codec, "kernel")));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (!json_is_number(json_object_get(codec, numbers[i])))
			fail_msg("%s is no number", numbers[i]);
	codec = json_array_get(json_object_get(j, "codecs"), 1);
	assert_true(json_is_false(json_object_get(codec, "kernel")));
	assert_true(json_is_null(json_object_get(codec, "kernel_mem_used_bytes")));
	json_decref(j);
	survey_free(&s);
}

static char *text_of(const struct survey *s)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	survey_print_sample(s, false, out);
	survey_print_machine(s, false, out);
	survey_print_meaning(s, out);
	fclose(out);
	return text;
}

/* The machine of a tree, with a sample from here. */
static void test_text(void **state)
{
	int root = fake_host("linux-6.12");
	struct survey s;
	char *text;

	survey_pages(2000, 7, "lz4,zstd:1+auto", &s);
	facts_read(root, &s.machine);
	text = text_of(&s);
	assert_non_null(strstr(text, "padded"));
	assert_non_null(strstr(text, "1 GiB of RAM holds"));
	assert_non_null(strstr(text, "zram0: zstd"));
	assert_non_null(strstr(text, "/dev/nvme0n1p4"));
	assert_non_null(strstr(text, "zswap is on in front of zram"));
	free(text);
	s.machine = (struct facts){0};
	s.sample.skipped = calloc(1, sizeof(*s.sample.skipped));
	s.sample.skipped[0] = (struct sample_skipped){77, "shy", SAMPLE_DENIED};
	s.sample.n_skipped = 1;
	text = text_of(&s);
	assert_non_null(strstr(text, "shy 77"));
	assert_non_null(strstr(text, "this kernel has no zram"));
	free(text);
	survey_free(&s);
	close(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reservoir_keeps_all_of_a_small_population),
		cmocka_unit_test(test_reservoir_is_uniform),
		cmocka_unit_test(test_reservoir_of_one_huge_run),
		cmocka_unit_test(test_what_may_be_brought_in),
		cmocka_unit_test(test_whole_file),
		cmocka_unit_test(test_bad_files),
		cmocka_unit_test(test_bad_processes),
		cmocka_unit_test(test_not_permitted),
		cmocka_unit_test(test_known_child),
		cmocka_unit_test(test_sizes_add_up),
		cmocka_unit_test(test_same_result_twice),
		cmocka_unit_test(test_next_to_nothing),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_text),
	};

	assert_int_equal(codec_init(), 0);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
