/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One suite over the whole table of codecs: a new codec is tested by being listed. Buffers end at
 * the end of a malloc'ed block, so that the sanitizer build sees any byte read or written beyond.
 */
#include "testing.h"

#include "codec.h"
#include "dict.h"
#include "err.h"

#include <errno.h>

enum { SPECS_MAX = 64, DICT_PAGES = 300 };

static struct codec_spec specs[SPECS_MAX];
static struct codec_params *params[SPECS_MAX];
static size_t n_specs;

static void add(const struct codec_ops *ops, int level, const void *dict, size_t dict_len)
{
	assert_true(n_specs < SPECS_MAX);
	specs[n_specs] = (struct codec_spec){ops, level, dict ? CODEC_DICT : CODEC_PLAIN};
	assert_int_equal(codec_params_new(&specs[n_specs], dict, dict_len, &params[n_specs]), 0);
	n_specs++;
}

/* Each codec at its default and extreme levels, and with a dictionary where it takes one. */
static int setup(void **state)
{
	static char pages[DICT_PAGES * PAGE_BYTES], dict[DICT_BYTES];
	size_t dict_len;

	assert_int_equal(codec_init(), 0);
	for (size_t i = 0; i < DICT_PAGES; i++)
		make_page(i % 2 ? KIND_POINTERS : KIND_TEXT, i, pages + i * PAGE_BYTES);
	for (size_t i = 0; codec_at(i); i++) {
		const struct codec_ops *ops = codec_at(i);
		int min, max, def;

		if (codec_takes_level(ops, &min, &max, &def)) {
			add(ops, min, NULL, 0);
			add(ops, max, NULL, 0);
		}
		add(ops, def, NULL, 0);
		if (codec_takes_dict(ops)) {
			struct codec_spec spec = {ops, def, CODEC_DICT};

			assert_int_equal(
				dict_train(&spec, pages, DICT_PAGES, sizeof(dict), dict, &dict_len),
				0);
			add(ops, def, dict, dict_len);
		}
	}
	return 0;
}

static int teardown(void **state)
{
	while (n_specs)
		codec_params_free(params[--n_specs]);
	return 0;
}

/* Compresses and decompresses len bytes; returns what compress did. */
static int round_trip(struct codec_ctx *c, const struct codec_params *p, const void *data,
		      size_t len, size_t cap)
{
	char *src = malloc(len), *dst = malloc(CODEC_BUFFER_BYTES(len)), *out = malloc(len),
	     *packed;
	int n;

	memcpy(src, data, len);
	n = codec_compress(c, p, src, len, dst, cap);
	assert_memory_equal(src, data, len);
	if (n != -ENOSPC) {
		assert_in_range(n, 1, cap);
		packed = malloc((size_t)n);
		memcpy(packed, dst, (size_t)n);
		assert_int_equal(codec_decompress(c, p, packed, (size_t)n, out, len), 0);
		assert_memory_equal(out, data, len);
		free(packed);
	}
	free(src);
	free(dst);
	free(out);
	return n;
}

/* Does it make compressible pages smaller? Not "none", nor the fastest levels, which skip too far.
 */
static bool shrinks(const struct codec_spec *spec)
{
	return strcmp(codec_name(spec->ops), "none") && spec->level > -100 && spec->level < 100;
}

static void for_each_spec(void (*test)(struct codec_ctx *c, const struct codec_params *p,
				       bool smaller))
{
	for (size_t i = 0; i < n_specs; i++) {
		struct codec_ctx *c;

		assert_int_equal(codec_ctx_new(specs[i].ops, &c), 0);
		test(c, params[i], shrinks(&specs[i]));
		codec_ctx_free(c);
	}
}

static void pages_of_every_kind(struct codec_ctx *c, const struct codec_params *p, bool smaller)
{
	char page[PAGE_BYTES];

	for (int kind = 0; kind < KINDS; kind++) {
		for (uint64_t seed = 0; seed < 6; seed++) {
			make_page((enum kind)kind, seed, page);
			int n = round_trip(c, p, page, PAGE_BYTES, CODEC_BUFFER_BYTES(PAGE_BYTES));

			if ((kind == KIND_ZERO || kind == KIND_TEXT) && smaller)
				assert_in_range(n, 1, PAGE_BYTES * 3 / 4);
		}
	}
}

static void test_pages_of_every_kind(void **state)
{
	for_each_spec(pages_of_every_kind);
}

static void every_length(struct codec_ctx *c, const struct codec_params *p, bool smaller)
{
	static char data[CODEC_INPUT_MAX];

	make_data(KIND_TEXT, 1, data, sizeof(data));
	for (size_t len = 1; len <= sizeof(data); len += len < 600 ? 1 + len / 40 : len / 7)
		round_trip(c, p, data, len, CODEC_BUFFER_BYTES(len));
	round_trip(c, p, data, sizeof(data), sizeof(data));
}

static void test_every_length(void **state)
{
	for_each_spec(every_length);
}

static void cap_is_respected(struct codec_ctx *c, const struct codec_params *p, bool smaller)
{
	char page[PAGE_BYTES];
	int whole;

	make_page(KIND_POINTERS, 7, page);
	if (!smaller)
		return;
	whole = round_trip(c, p, page, PAGE_BYTES, CODEC_BUFFER_BYTES(PAGE_BYTES));
	for (int cap = whole + 3; cap > 1; cap -= cap > whole - 4 ? 1 : cap / 3 + 1)
		assert_true(round_trip(c, p, page, PAGE_BYTES, (size_t)cap) <= cap);
	assert_int_equal(round_trip(c, p, page, PAGE_BYTES, (size_t)whole / 2), -ENOSPC);
	make_page(KIND_RANDOM, 7, page);
	assert_int_equal(round_trip(c, p, page, PAGE_BYTES, PAGE_BYTES * 15 / 16), -ENOSPC);
	/* A context is as good as new after it gave up. */
	make_page(KIND_POINTERS, 7, page);
	assert_int_equal(round_trip(c, p, page, PAGE_BYTES, PAGE_BYTES), whole);
}

static void test_cap_is_respected(void **state)
{
	for_each_spec(cap_is_respected);
}

/* Whatever comes in, decompress says yes or -EBADMSG and touches nothing outside. */
static void decode_hostile(struct codec_ctx *c, const struct codec_params *p, const void *data,
			   size_t len, size_t out_len)
{
	char *src = malloc(len), *out = malloc(out_len);
	int r;

	memcpy(src, data, len);
	r = codec_decompress(c, p, src, len, out, out_len);
	assert_true(r == 0 || r == -EBADMSG);
	free(src);
	free(out);
}

static void hostile_input(struct codec_ctx *c, const struct codec_params *p, bool smaller)
{
	char page[PAGE_BYTES], good[CODEC_BUFFER_BYTES(PAGE_BYTES)], bad[sizeof(good)];
	struct rng r = {.state = 5};
	int n;

	make_page(KIND_POINTERS, 3, page);
	n = codec_compress(c, p, page, PAGE_BYTES, good, sizeof(good));
	if (n == -ENOSPC && !smaller)
		return;
	assert_true(n > 0);
	/* Cut short, the stream cannot make a whole page. */
	for (int len = 1; len < n; len += 1 + n / 97) {
		char *src = malloc((size_t)len), *out = malloc(PAGE_BYTES);

		memcpy(src, good, (size_t)len);
		assert_int_equal(codec_decompress(c, p, src, (size_t)len, out, PAGE_BYTES),
				 -EBADMSG);
		free(src);
		free(out);
	}
	/* The right stream for the wrong length of output. */
	char *out = malloc(PAGE_BYTES * 2);
	assert_int_equal(codec_decompress(c, p, good, (size_t)n, out, PAGE_BYTES - 1), -EBADMSG);
	assert_int_equal(codec_decompress(c, p, good, (size_t)n, out, PAGE_BYTES + 1), -EBADMSG);
	free(out);
	for (int i = 0; i < 2000; i++) {
		memcpy(bad, good, (size_t)n);
		for (int flips = 1 + i % 4; flips; flips--)
			bad[rng_below(&r, (uint64_t)n)] ^= (char)(1u << rng_below(&r, 8));
		decode_hostile(c, p, bad, (size_t)n, PAGE_BYTES);
	}
	for (int i = 0; i < 2000; i++) {
		size_t len = 1 + rng_below(&r, 300);

		make_data(i % 2 ? KIND_RANDOM : KIND_RUNS, (uint64_t)i, bad, len);
		decode_hostile(c, p, bad, len, i % 3 ? PAGE_BYTES : 1 + rng_below(&r, 64));
	}
}

static void test_hostile_input(void **state)
{
	for_each_spec(hostile_input);
}

/* One context serves several params in turn: with and without dictionary, other levels. */
static void test_params_in_any_order(void **state)
{
	char page[PAGE_BYTES];
	struct codec_ctx *c;

	make_page(KIND_TEXT, 11, page);
	for (size_t i = 0; i < n_specs; i++) {
		assert_int_equal(codec_ctx_new(specs[i].ops, &c), 0);
		for (int turn = 0; turn < 3; turn++)
			for (size_t k = 0; k < n_specs; k++)
				if (specs[k].ops == specs[i].ops)
					round_trip(c, params[k], page, PAGE_BYTES, PAGE_BYTES);
		codec_ctx_free(c);
	}
}

/* A dictionary of the same kind of pages makes zstd smaller. */
static void test_dictionary_pays(void **state)
{
	static char pages[DICT_PAGES * PAGE_BYTES];
	struct codec_spec spec;
	struct codec_params *plain, *with;
	struct dict_cost plain_cost, with_cost;

	for (size_t i = 0; i < DICT_PAGES; i++)
		make_page(KIND_TEXT, i, pages + i * PAGE_BYTES);
	assert_int_equal(codec_parse("zstd:1+dict", &spec, NULL), 0);
	assert_int_equal(codec_params_new(&spec, NULL, 0, &plain), 0);
	assert_int_equal(dict_params_from_sample(&spec, pages, DICT_PAGES, &with), 0);
	assert_true(codec_params_bytes(with) > 0);
	assert_int_equal(dict_measure(plain, pages, 50, &plain_cost), 0);
	assert_int_equal(dict_measure(with, pages, 50, &with_cost), 0);
	assert_true(with_cost.bytes < plain_cost.bytes);
	codec_params_free(plain);
	codec_params_free(with);
}

static void test_dictionary_of_too_few_pages(void **state)
{
	static char pages[3 * PAGE_BYTES], dict[DICT_BYTES];
	struct codec_spec spec;
	size_t len;

	assert_int_equal(codec_parse("zstd:1+dict", &spec, NULL), 0);
	assert_int_equal(dict_train(&spec, pages, 3, sizeof(dict), dict, &len), -ENODATA);
}

static void test_dict_better(void **state)
{
	struct dict_cost a = {.bytes = 1000, .ns = 1000}, smaller = {.bytes = 950, .ns = 1000},
			 faster = {.bytes = 1000, .ns = 500}, slow = {.bytes = 990, .ns = 3000};

	assert_true(dict_better(&smaller, &a, DICT_MARGIN));
	assert_false(dict_better(&a, &smaller, DICT_MARGIN));
	assert_true(dict_better(&faster, &a, DICT_MARGIN));
	assert_false(dict_better(&slow, &a, DICT_MARGIN));
	assert_false(dict_better(&a, &a, 0));
	assert_false(dict_better(&smaller, &a, 0.06));
}

static void test_dict_on_codec_without(void **state)
{
	struct codec_spec spec = {codec_at(0), 0, CODEC_DICT};
	struct codec_params *p;

	assert_string_equal(codec_name(spec.ops), "lzo");
	assert_int_equal(codec_params_new(&spec, "abc", 3, &p), -EOPNOTSUPP);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pages_of_every_kind),
		cmocka_unit_test(test_every_length),
		cmocka_unit_test(test_cap_is_respected),
		cmocka_unit_test(test_hostile_input),
		cmocka_unit_test(test_params_in_any_order),
		cmocka_unit_test(test_dictionary_pays),
		cmocka_unit_test(test_dictionary_of_too_few_pages),
		cmocka_unit_test(test_dict_better),
		cmocka_unit_test(test_dict_on_codec_without),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
