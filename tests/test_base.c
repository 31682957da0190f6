/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/: sizes, numbers, files, UTF-8, same-filled pages. */
#include "testing.h"

#include "err.h"
#include "fileio.h"
#include "units.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static void size_is(const char *text, uint64_t whole, uint64_t bytes)
{
	uint64_t got = 0;

	assert_int_equal(units_parse_size(text, whole, "size", &got, NULL), 0);
	assert_int_equal(got, bytes);
}

static void test_sizes(void **state)
{
	size_is("0", 0, 0);
	size_is("4096", 0, 4096);
	size_is("4096B", 0, 4096);
	size_is("64K", 0, 65536);
	size_is("64k", 0, 65536);
	size_is("64KiB", 0, 65536);
	size_is("64kb", 0, 65536);
	size_is("1.5G", 0, 1610612736);
	size_is("0.25M", 0, 262144);
	size_is("2T", 0, UINT64_C(2) << 40);
	size_is("25%", 1000, 250);
	size_is("100%", 12345, 12345);
}

static void size_refused(const char *text, uint64_t whole, int code, const char *part)
{
	uint64_t got = 42;
	struct err e;

	assert_int_equal(units_parse_size(text, whole, "--size", &got, &e), code);
	assert_int_equal(got, 42);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.text, "--size"));
	assert_non_null(strstr(e.text, part));
}

static void test_sizes_refused(void **state)
{
	size_refused("-1", 0, -EINVAL, "not a size");
	size_refused("+1", 0, -EINVAL, "not a size");
	size_refused("", 0, -EINVAL, "not a size");
	size_refused(" 1", 0, -EINVAL, "not a size");
	size_refused("0x10", 0, -EINVAL, "unknown unit");
	size_refused("1e3", 0, -EINVAL, "unknown unit");
	size_refused("12Q", 0, -EINVAL, "unknown unit");
	size_refused("1.M", 0, -EINVAL, "not a size");
	size_refused("5MM", 0, -EINVAL, "unknown unit");
	size_refused("200%", 1000, -EINVAL, "more than 100%");
	size_refused("20%", 0, -EINVAL, "makes no sense");
	size_refused("9000P", 0, -ERANGE, "too large");
	size_refused("99999999999999999999999", 0, -ERANGE, "too large");
}

static void format_is(uint64_t bytes, const char *text)
{
	char buf[UNITS_SIZE_MAX];

	assert_string_equal(units_format_size(bytes, buf), text);
}

static void test_format(void **state)
{
	format_is(0, "0B");
	format_is(1023, "1023B");
	format_is(1024, "1.0K");
	format_is(1536, "1.5K");
	format_is(102400, "100K");
	format_is(1048575, "1.0M"); /* not 1024K */
	format_is(UINT64_C(3) << 30, "3.0G");
}

static void test_same_filled(void **state)
{
	char page[PAGE_BYTES + 1], *unaligned = page + 1;
	uint64_t word = 1;

	page_fill(unaligned, 0x0123456789abcdef);
	assert_true(page_same_filled(unaligned, &word));
	assert_true(word == 0x0123456789abcdef);
	for (size_t i = 0; i < PAGE_BYTES; i += 61) {
		unaligned[i] ^= 1;
		assert_false(page_same_filled(unaligned, &word));
		unaligned[i] ^= 1;
	}
	/* Every byte equal is a repeated word as well. */
	memset(unaligned, 0xff, PAGE_BYTES);
	assert_true(page_same_filled(unaligned, &word));
	assert_true(word == UINT64_MAX);
	/* A period of 16 bytes is not. */
	for (size_t i = 0; i < PAGE_BYTES; i++)
		unaligned[i] = (char)(i % 16);
	assert_false(page_same_filled(unaligned, &word));
}

static int enter_scratch(void **state)
{
	char dir[] = "/tmp/snug-test-XXXXXX";

	assert_non_null(mkdtemp(dir));
	*state = strdup(dir);
	return chdir(dir);
}

static int leave_scratch(void **state)
{
	int r = chdir("/") || rmdir(*state);

	free(*state);
	return r;
}

static void test_new_file(void **state)
{
	struct fileio_new f;
	struct stat st;
	char *text;

	assert_int_equal(fileio_new_begin(&f, "result", NULL), 0);
	assert_int_equal(access("result", F_OK), -1); /* not there until it is whole */
	assert_int_equal(fileio_write_all(f.fd, "abc", 3), 0);
	assert_int_equal(fileio_new_commit(&f, NULL), 0);
	fileio_new_abort(&f);
	assert_int_equal(stat("result", &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(st.st_nlink, 1);
	assert_int_equal(fileio_read(AT_FDCWD, "result", 100, &text), 0);
	assert_string_equal(text, "abc");
	free(text);
	assert_int_equal(fileio_read(AT_FDCWD, "result", 2, &text), -EFBIG);
	unlink("result");
}

static void test_new_file_aborted(void **state)
{
	struct fileio_new f;

	assert_int_equal(fileio_new_begin(&f, "result", NULL), 0);
	fileio_new_abort(&f);
	assert_int_equal(access("result", F_OK), -1);
	/* leave_scratch fails if a temporary file is left. */
}

static void test_new_file_refused(void **state)
{
	struct fileio_new f;
	struct err e;
	int fd = open("there", O_CREAT | O_WRONLY, 0600);

	close(fd);
	assert_int_equal(symlink("elsewhere", "link"), 0);
	assert_int_equal(fileio_new_begin(&f, "there", &e), -EEXIST);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_int_equal(fileio_new_begin(&f, "link", &e), -ELOOP);
	assert_non_null(strstr(e.text, "symbolic link"));
	assert_int_equal(fileio_new_begin(&f, "no/such/dir", &e), -ENOENT);
	unlink("there");
	unlink("link");
}

/* The name may be taken while the file is written: it is not overwritten then either. */
static void test_new_file_raced(void **state)
{
	struct fileio_new f;
	struct stat st;

	assert_int_equal(fileio_new_begin(&f, "result", NULL), 0);
	assert_int_equal(symlink("elsewhere", "result"), 0);
	assert_int_equal(fileio_new_commit(&f, NULL), -EEXIST);
	assert_int_equal(lstat("elsewhere", &st), -1);
	unlink("result");
}

static void test_numbers_and_times(void **state)
{
	static const char *const bad[] = {"",	"-1", "+1", "1e3", "0x1", "nan",
					  " 1", "1 ", "1.", ".5",  "5d"};
	double value = -1;

	assert_int_equal(units_parse_number("1.25", 1, 2, "x", &value, NULL), 0);
	assert_true(value == 1.25);
	assert_int_equal(units_parse_number("50%", 0, 1, "x", &value, NULL), 0);
	assert_true(value == 0.5);
	assert_int_equal(units_parse_number("2.1", 1, 2, "x", &value, NULL), -ERANGE);
	assert_int_equal(units_parse_time("90", "x", &value, NULL), 0);
	assert_true(value == 90);
	assert_int_equal(units_parse_time("1.5m", "x", &value, NULL), 0);
	assert_true(value == 90);
	assert_int_equal(units_parse_time("2h", "x", &value, NULL), 0);
	assert_true(value == 7200);
	assert_int_equal(units_parse_time("250ms", "x", &value, NULL), 0);
	assert_true(value == 0.25);
	assert_int_equal(units_parse_time("9000h", "x", &value, NULL), -ERANGE);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(units_parse_number(bad[i], 0, 1000, "x", &value, NULL), -EINVAL);
		assert_int_equal(units_parse_time(bad[i], "x", &value, NULL), -EINVAL);
	}
	assert_true(value == 0.25);
}

static void decodes_to(const char *text, uint32_t code, size_t len)
{
	size_t got_len;

	assert_int_equal(utf8_decode(text, &got_len), code);
	assert_int_equal(got_len, len);
}

/* The ranges of the Unicode Standard's table 3-7, well-formed UTF-8 byte sequences: first and last.
 */
static void test_utf8(void **state)
{
	decodes_to("A", 'A', 1);
	decodes_to("\x7f", 0x7f, 1);
	decodes_to("\xc2\x80", 0x80, 2);
	decodes_to("\xdf\xbf", 0x7ff, 2);
	decodes_to("\xe0\xa0\x80", 0x800, 3);
	decodes_to("\xed\x9f\xbf", 0xd7ff, 3);
	decodes_to("\xee\x80\x80", 0xe000, 3);
	decodes_to("\xef\xbf\xbd", UTF8_REPLACEMENT, 3);
	decodes_to("\xf0\x90\x80\x80", 0x10000, 4);
	decodes_to("\xf4\x8f\xbf\xbf", 0x10ffff, 4);
}

static void test_utf8_ill_formed(void **state)
{
	static const char *const texts[] = {
		"\x80",
		"\xbf",
		"\xc0\x80",
		"\xc1\xbf",
		"\xe0\x9f\xbf",
		"\xed\xa0\x80",
		"\xed\xbf\xbf",
		"\xf0\x8f\xbf\xbf",
		"\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
		"\xff",
		"\xc3",
		"\xe2\x82",
		"\xf0\x9f\x98",
		"\xc3(",
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		decodes_to(texts[i], UTF8_REPLACEMENT, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sizes),
		cmocka_unit_test(test_sizes_refused),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_numbers_and_times),
		cmocka_unit_test(test_same_filled),
		cmocka_unit_test(test_utf8),
		cmocka_unit_test(test_utf8_ill_formed),
		cmocka_unit_test_setup_teardown(test_new_file, enter_scratch, leave_scratch),
		cmocka_unit_test_setup_teardown(test_new_file_aborted, enter_scratch,
						leave_scratch),
		cmocka_unit_test_setup_teardown(test_new_file_refused, enter_scratch,
						leave_scratch),
		cmocka_unit_test_setup_teardown(test_new_file_raced, enter_scratch, leave_scratch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
