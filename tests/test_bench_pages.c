/* SPDX-License-Identifier: GPL-2.0-or-later */
/* snug bench pages below its verb: where pages come from, and which rows there are to be. */
#include "codec.h"
#include "err.h"
#include "page.h"
#include "pages.h"
#include "pool.h"
#include "target.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

/* Files. */

static char file_path[] = "/tmp/snug-test-pages-XXXXXX";

static int make_file(void **state)
{
	int fd;

	strcpy(file_path + strlen(file_path) - 6, "XXXXXX");
	fd = mkstemp(file_path);
	assert_true(fd >= 0);
	close(fd);
	return 0;
}

static int remove_file(void **state)
{
	return unlink(file_path);
}

static void fill_file(size_t bytes, int byte)
{
	FILE *f = fopen(file_path, "w");

	assert_non_null(f);
	for (size_t i = 0; i < bytes; i++)
		putc(byte, f);
	assert_int_equal(fclose(f), 0);
}

static void test_load_whole_pages(void **state)
{
	struct page_set p = {0};
	struct err e;

	fill_file(3 * PAGE_BYTES, 'a');
	assert_int_equal(pages_load(file_path, &p, &e), 0);
	assert_int_equal(p.n, 3);
	assert_int_equal(p.padded_bytes, 0);
	for (size_t i = 0; i < 3 * PAGE_BYTES; i++)
		assert_int_equal(p.data[i], 'a');
	pages_free(&p);
	pages_free(&p);
}

static void test_load_pads_the_tail(void **state)
{
	struct page_set p = {0};

	fill_file(PAGE_BYTES + 5, 'a');
	assert_int_equal(pages_load(file_path, &p, NULL), 0);
	assert_int_equal(p.n, 2);
	assert_int_equal(p.padded_bytes, PAGE_BYTES - 5);
	assert_int_equal(p.data[PAGE_BYTES + 4], 'a');
	for (size_t i = PAGE_BYTES + 5; i < 2 * PAGE_BYTES; i++)
		assert_int_equal(p.data[i], 0);
	pages_free(&p);
}

static void refuse_file(const char *path, int code, const char *word)
{
	struct page_set p = {.n = 77};
	struct err e = {0};

	assert_int_equal(pages_load(path, &p, &e), code);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.text, path));
	assert_non_null(strstr(e.text, word));
	assert_int_equal(p.n, 77);
}

static void test_load_refuses(void **state)
{
	refuse_file(file_path, -ENODATA, "empty");
	refuse_file("/tmp", -EINVAL, "regular");
	refuse_file("/dev/zero", -EINVAL, "regular");
	unlink(file_path);
	refuse_file(file_path, -ENOENT, "No such");
	assert_int_equal(mkfifo(file_path, 0600), 0);
	refuse_file(file_path, -EINVAL, "regular"); /* and does not wait for a writer */
}

/* Generated pages. */

static void generate(const char *text, uint64_t seed, struct page_set *ret)
{
	struct err e;

	if (pages_generate(text, seed, ret, &e) < 0)
		fail_msg("%s", e.text);
}

static void test_generate_is_seeded(void **state)
{
	static const char *const kinds[] = {"text:256K", "heap:256K", "random:256K", "mix:256K"};

	for (size_t i = 0; i < 4; i++) {
		struct page_set a, b, c;

		generate(kinds[i], 1, &a);
		generate(kinds[i], 1, &b);
		generate(kinds[i], 2, &c);
		assert_int_equal(a.n, 64);
		assert_memory_equal(a.data, b.data, a.n * PAGE_BYTES);
		assert_true(memcmp(a.data, c.data, a.n * PAGE_BYTES));
		pages_free(&a);
		pages_free(&b);
		pages_free(&c);
	}
}

/* orig / compressed by lzo; a page that does not compress counts whole. */
static double lzo_ratio(const struct page_set *p)
{
	static unsigned char buffer[CODEC_BUFFER_BYTES(PAGE_BYTES)];
	struct codec_params *params;
	struct codec_ctx *ctx;
	struct codec_spec spec;
	size_t bytes = 0;

	assert_int_equal(codec_init(), 0);
	assert_int_equal(codec_parse("lzo", &spec, NULL), 0);
	assert_int_equal(codec_params_new(&spec, NULL, 0, &params), 0);
	assert_int_equal(codec_ctx_new(spec.ops, &ctx), 0);
	for (size_t i = 0; i < p->n; i++) {
		int n = codec_compress(ctx, params, p->data + i * PAGE_BYTES, PAGE_BYTES, buffer,
				       PAGE_BYTES);

		bytes += n < 0 ? PAGE_BYTES : (size_t)n;
	}
	codec_ctx_free(ctx);
	codec_params_free(params);
	return (double)(p->n * PAGE_BYTES) / (double)bytes;
}

static size_t same_filled(const struct page_set *p)
{
	uint64_t word;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++)
		n += page_same_filled(p->data + i * PAGE_BYTES, &word);
	return n;
}

static void test_generated_pages_are_like_real_ones(void **state)
{
	static const struct {
		const char *text;
		double least, most; /* ratio by lzo */
		size_t same_least, same_most;
	} kinds[] = {
		{"heap:4M", 3.0, 4.1, 0, 20},	{"text:4M", 1.3, 1.8, 0, 0},
		{"random:4M", 1.0, 1.0, 0, 0},	{"zero:4M", 50, 1e9, 1024, 1024},
		{"mix:4M", 2.0, 3.5, 100, 250},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct page_set p;
		double ratio;

		generate(kinds[i].text, 1, &p);
		ratio = lzo_ratio(&p);
		if (ratio < kinds[i].least || ratio > kinds[i].most)
			fail_msg("%s: ratio %.3f", kinds[i].text, ratio);
		assert_in_range(same_filled(&p), kinds[i].same_least, kinds[i].same_most);
		pages_free(&p);
	}
}

static void test_generate_refuses(void **state)
{
	static const char *const bad[] = {"music:1M", "text",	    "text:",	 "text:0",
					  "text:-1",  "text:12Q",   "text:200%", ":1M",
					  "",	      "text:4000P", "TEXT:1M"};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct page_set p = {.n = 77};
		struct err e = {0};

		assert_true(pages_generate(bad[i], 1, &p, &e) < 0);
		assert_int_equal(e.kind, ERR_USAGE);
		assert_int_equal(p.n, 77);
	}
}

/* Which rows. */

static const struct target_lists lists_default = {
	.targets = "raw,engine",
	.codecs = "lzo,zstd:1+dict",
	.pools = "zsmalloc,zbud",
	.threads = "1,2",
};

static void test_plan_is_the_product(void **state)
{
	struct target_lists lists = lists_default;
	struct target_config *c;
	struct err e;
	size_t n;

	lists.targets = "raw,engine,zram:lzo-rle";
	lists.sizes = "1M,2M";
	assert_int_equal(target_plan(&lists, &c, &n, &e), 0);
	/* By size and threads; raw also by codec, engine by codec and pool, zram by block. */
	assert_int_equal(n, 4 * (2 + 2 * 2 + 2));
	assert_string_equal(c[0].name, "raw");
	assert_string_equal(c[0].codec, "lzo");
	assert_null(c[0].pool);
	assert_int_equal(c[0].threads, 1);
	assert_int_equal(c[0].size_bytes, 1 << 20);
	assert_int_equal(c[1].size_bytes, 2 << 20);
	assert_int_equal(c[2].threads, 2);
	assert_string_equal(c[4].codec, "zstd:1+dict");
	assert_string_equal(c[8].name, "engine");
	assert_string_equal(pool_name(c[8].pool), "zsmalloc");
	assert_string_equal(pool_name(c[12].pool), "zbud");
	assert_string_equal(c[24].name, "zram:lzo-rle@4k");
	assert_string_equal(c[24].codec, "lzo-rle");
	assert_int_equal(c[24].block_bytes, 4096);
	assert_string_equal(c[28].name, "zram:lzo-rle@1m");
	assert_int_equal(c[28].block_bytes, 1 << 20);
	free(c);
}

static void test_plan_of_one_zram_block(void **state)
{
	struct target_lists lists = lists_default;
	struct target_config *c;
	size_t n;

	lists.targets = "zram:zstd@1m";
	lists.threads = "1";
	assert_int_equal(target_plan(&lists, &c, &n, NULL), 0);
	assert_int_equal(n, 1);
	assert_string_equal(c[0].name, "zram:zstd@1m");
	assert_int_equal(c[0].size_bytes, 0);
	free(c);
}

static void refuse_plan(struct target_lists lists, const char *word)
{
	struct target_config *c = NULL;
	struct err e = {0};
	size_t n = 77;

	assert_true(target_plan(&lists, &c, &n, &e) < 0);
	assert_int_equal(e.kind, ERR_USAGE);
	if (!strstr(e.text, word))
		fail_msg("no '%s' in: %s", word, e.text);
	assert_null(c);
	assert_int_equal(n, 77);
}

#define REFUSE(field, text, word)                           \
	do {                                                \
		struct target_lists lists_ = lists_default; \
		lists_.field = text;                        \
		refuse_plan(lists_, word);                  \
	} while (0)

static void test_plan_refuses(void **state)
{
	REFUSE(targets, "disk", "raw, engine, zram:ALG");
	REFUSE(targets, "", "raw, engine");
	REFUSE(targets, "raw,", "raw, engine");
	REFUSE(targets, "raw:lzo", "raw");
	REFUSE(targets, "zram", "algorithm");
	REFUSE(targets, "zram:", "algorithm");
	REFUSE(targets, "zram:lzo@8k", "4k and 1m");
	REFUSE(targets, "zram:a-name-that-is-longer-than-any-algorithm-has", "algorithm");
	REFUSE(codecs, "lz5", "lz5");
	REFUSE(codecs, "", "known");
	REFUSE(codecs, "lzo+dict", "dictionary");
	REFUSE(codecs, "lzo:3", "level");
	REFUSE(pools, "zpool", "zsmalloc");
	REFUSE(threads, "0", "--threads");
	REFUSE(threads, "1,,2", "--threads");
	REFUSE(threads, "2x", "--threads");
	REFUSE(sizes, "1000", "4096");
	REFUSE(sizes, "0", "4096");
	REFUSE(sizes, "50%", "percentage");
}

#define ON_FILE(f) cmocka_unit_test_setup_teardown(f, make_file, remove_file)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FILE(test_load_whole_pages),
		ON_FILE(test_load_pads_the_tail),
		ON_FILE(test_load_refuses),
		cmocka_unit_test(test_generate_is_seeded),
		cmocka_unit_test(test_generated_pages_are_like_real_ones),
		cmocka_unit_test(test_generate_refuses),
		cmocka_unit_test(test_plan_is_the_product),
		cmocka_unit_test(test_plan_of_one_zram_block),
		cmocka_unit_test(test_plan_refuses),
	};

	return cmocka_run_group_tests_name("bench pages", tests, NULL, NULL);
}
