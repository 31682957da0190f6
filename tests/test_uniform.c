/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is not worth compressing, and that nothing else is taken for it. */
#include "testing.h"

#include "codec.h"
#include "uniform.h"

#include <errno.h>

static void test_kinds(void **state)
{
	unsigned char page[PAGE_BYTES];

	for (uint64_t seed = 0; seed < 300; seed++) {
		make_page(KIND_RANDOM, seed, page);
		assert_true(bytes_are_uniform(page, PAGE_BYTES));
		for (int kind = 0; kind < KINDS; kind++) {
			make_page((enum kind)kind, seed, page);
			if (kind != KIND_RANDOM)
				assert_false(bytes_are_uniform(page, PAGE_BYTES));
		}
	}
}

/* base64 has 64 of 256 values: a quarter may be saved. */
static void test_base64(void **state)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	unsigned char page[PAGE_BYTES];

	for (uint64_t seed = 0; seed < 300; seed++) {
		make_page(KIND_RANDOM, seed, page);
		for (size_t i = 0; i < PAGE_BYTES; i++)
			page[i] = (unsigned char)digits[page[i] % 64];
		assert_false(bytes_are_uniform(page, PAGE_BYTES));
	}
}

/* Uniform by its bytes, but one half repeats the other: zstd must still find that. */
static void test_repeated_random(void **state)
{
	unsigned char page[PAGE_BYTES], out[CODEC_BUFFER_BYTES(PAGE_BYTES)];
	struct codec_params *params;
	struct codec_spec spec;
	struct codec_ctx *ctx;

	assert_int_equal(codec_parse("zstd:1", &spec, NULL), 0);
	assert_int_equal(codec_params_new(&spec, NULL, 0, &params), 0);
	assert_int_equal(codec_ctx_new(spec.ops, &ctx), 0);
	for (uint64_t seed = 0; seed < 100; seed++) {
		make_page(KIND_RANDOM, seed, page);
		assert_int_equal(codec_compress(ctx, params, page, PAGE_BYTES, out, 3840), -ENOSPC);
		memcpy(page + PAGE_BYTES / 2 + 3, page, PAGE_BYTES / 2 - 3);
		assert_in_range(codec_compress(ctx, params, page, PAGE_BYTES, out, 3840), 1, 2300);
	}
	codec_ctx_free(ctx);
	codec_params_free(params);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_base64),
		cmocka_unit_test(test_repeated_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
