/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text form of a codec. */
#include "testing.h"

#include "codec.h"
#include "err.h"

#include <errno.h>

static void good(const char *text, const char *canonical, int level, enum codec_dict_mode dict)
{
	struct codec_spec spec;
	char name[CODEC_NAME_MAX];
	struct err e;

	assert_int_equal(codec_parse(text, &spec, &e), 0);
	assert_string_equal(codec_format(&spec, name), canonical);
	assert_int_equal(spec.level, level);
	assert_int_equal(spec.dict, dict);
}

static void test_good(void **state)
{
	good("lzo", "lzo", 0, CODEC_PLAIN);
	good("lzo-rle", "lzo-rle", 0, CODEC_PLAIN);
	good("lz4", "lz4", 1, CODEC_PLAIN);
	good("lz4:1", "lz4", 1, CODEC_PLAIN);
	good("lz4:8+dict", "lz4:8+dict", 8, CODEC_DICT);
	good("lz4hc", "lz4hc", 9, CODEC_PLAIN);
	good("zstd", "zstd", 3, CODEC_PLAIN);
	good("zstd:-5", "zstd:-5", -5, CODEC_PLAIN);
	good("zstd:1+auto", "zstd:1+auto", 1, CODEC_AUTO);
	good("zstd+dict", "zstd+dict", 3, CODEC_DICT);
	good("deflate:12", "deflate:12", 12, CODEC_PLAIN);
	good("none", "none", 0, CODEC_PLAIN);
}

static void bad(const char *text, int code, const char *part)
{
	struct codec_spec spec = {.level = 77};
	struct err e;

	assert_int_equal(codec_parse(text, &spec, &e), code);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.text, part));
	assert_int_equal(spec.level, 77); /* results are written only on success */
}

static void test_bad(void **state)
{
	bad("lzma", -EINVAL, "known are lzo, lzo-rle");
	bad("", -EINVAL, "unknown codec ''");
	bad("LZO", -EINVAL, "unknown codec");
	bad("zstd:23", -ERANGE, "-131072 to 22");
	bad("zstd:", -EINVAL, "whole number");
	bad("zstd:1x", -EINVAL, "whole number");
	bad("zstd: 1", -EINVAL, "whole number");
	bad("zstd:99999999999999999999", -ERANGE, "range");
	bad("lz4hc:0", -ERANGE, "1 to 12");
	bad("lzo:3", -EINVAL, "takes no level");
	bad("deflate+dict", -EINVAL, "lz4, lz4hc, zstd");
	bad("none+auto", -EINVAL, "takes no dictionary");
	bad("zstd:1+dictionary", -EINVAL, "+dict and +auto");
	bad("zstd+dict:1", -EINVAL, "unknown suffix");
}

static void test_list(void **state)
{
	struct codec_spec *specs;
	size_t n;

	assert_int_equal(codec_parse_list("lzo,zstd:2+dict,none", &specs, &n, NULL), 0);
	assert_int_equal(n, 3);
	assert_int_equal(specs[1].level, 2);
	free(specs);
	assert_int_equal(codec_parse_list("lzo,,none", &specs, &n, NULL), -EINVAL);
	assert_int_equal(codec_parse_list("", &specs, &n, NULL), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
		cmocka_unit_test(test_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
