/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"

#include "cleanup.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Prints t, frees it, and compares. */
static void expect(struct table *t, bool headings, const char *wanted)
{
	CLEANUP_FREE char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(table_print(t, out, headings), 0);
	fclose(out);
	table_free(t);
	assert_string_equal(text, wanted);
}

static struct table *names_and_sizes(void)
{
	struct table *t = table_new();

	assert_non_null(t);
	table_column(t, "NAME", TABLE_LEFT);
	table_column(t, "SIZE", TABLE_RIGHT);
	return t;
}

static void test_columns_line_up(void **state)
{
	struct table *t = names_and_sizes();

	table_cell(t, "lzo-rle");
	table_cell(t, "%d", 7);
	table_cell(t, "lz4");
	table_cell(t, "%d", 123456);
	expect(t, true, "NAME       SIZE\nlzo-rle       7\nlz4      123456\n");
}

static void test_without_headings_narrower(void **state)
{
	struct table *t = names_and_sizes();

	table_cell(t, "a");
	table_cell(t, "1");
	table_cell(t, "bc");
	table_cell(t, "22");
	expect(t, false, "a    1\nbc  22\n");
}

static void test_no_trailing_blanks(void **state)
{
	struct table *t = table_new();

	table_column(t, "A", TABLE_LEFT);
	table_column(t, "NOTE", TABLE_LEFT);
	table_column(t, "N", TABLE_RIGHT);
	table_cell(t, "x");
	table_cell(t, "%s", "");
	table_cell(t, "%s", "");
	table_cell(t, "x");
	table_cell(t, "%s", "");
	table_cell(t, "1");
	expect(t, true, "A  NOTE  N\nx\nx        1\n");
}

static void test_unfinished_row(void **state)
{
	struct table *t = names_and_sizes();

	table_cell(t, "alone");
	expect(t, true, "NAME   SIZE\nalone\n");
}

static void test_no_rows(void **state)
{
	expect(names_and_sizes(), true, "NAME  SIZE\n");
	expect(names_and_sizes(), false, "");
	expect(table_new(), true, "");
}

static void test_utf8_width(void **state)
{
	struct table *t = names_and_sizes();

	table_cell(t, "µs");
	table_cell(t, "1");
	table_cell(t, "e\u0301a"); /* a combining accent takes no column */
	table_cell(t, "2");
	table_cell(t, "編集"); /* two columns each */
	table_cell(t, "3");
	expect(t, false, "µs    1\ne\u0301a    2\n編集  3\n");
}

/* A process may call itself anything; its name must not move the cursor or end the line. */
static void test_hostile_names(void **state)
{
	struct table *t = names_and_sizes();

	table_cell(t, "a\nb\033[2J");
	table_cell(t, "1");
	table_cell(t, "%s", "\xff\xc3(\xed"); /* no UTF-8 */
	table_cell(t, "2");
	table_cell(t, "%s", "\xc2\x9b\x7f"); /* a control character of Latin-1, DEL */
	table_cell(t, "3");
	expect(t, false, "a?b?[2J  1\n?\?(?     2\n?\?       3\n");
}

static void test_many_rows(void **state)
{
	struct table *t = names_and_sizes();
	CLEANUP_FREE char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	for (int i = 0; i < 2000; i++)
		table_cell(t, "%d", i % 10);
	assert_int_equal(table_print(t, out, false), 0);
	fclose(out);
	table_free(t);
	assert_int_equal(len, 1000 * strlen("1  2\n"));
}

static void test_write_error(void **state)
{
	struct table *t = names_and_sizes();
	FILE *full = fopen("/dev/full", "w");

	if (!full)
		skip();
	setvbuf(full, NULL, _IONBF, 0);
	assert_int_equal(table_print(t, full, true), -EIO);
	fclose(full);
	table_free(t);
}

static void test_out_of_memory(void **state)
{
	/* What table_new returns when there is no memory. */
	table_column(NULL, "NAME", TABLE_LEFT);
	table_cell(NULL, "x");
	assert_int_equal(table_print(NULL, stdout, true), -ENOMEM);
	table_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_columns_line_up),
		cmocka_unit_test(test_without_headings_narrower),
		cmocka_unit_test(test_no_trailing_blanks),
		cmocka_unit_test(test_unfinished_row),
		cmocka_unit_test(test_no_rows),
		cmocka_unit_test(test_utf8_width),
		cmocka_unit_test(test_hostile_names),
		cmocka_unit_test(test_many_rows),
		cmocka_unit_test(test_write_error),
		cmocka_unit_test(test_out_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
