/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cli.h"
#include "help.h"

#include "cleanup.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const struct cli_option options[] = {
	{"pid", "N",
	 "read the pages of process N; may be repeated, and this text is long enough to "
	 "need a second line of 80 columns"},
	{"json", NULL, "one object on stdout"},
	{"an-option-with-a-long-name", "ARGUMENT", "it's [here]"},
	{"codec", "LIST",
	 "default "
	 "lzo-rle,lzo,lz4,lz4hc,zstd:1,zstd,zstd:1+auto,zstd:3+dict,deflate:1,none"},
	{NULL, NULL, NULL},
};

enum { OPTION_PID, OPTION_JSON };

static const struct cli_verb verb = {
	.name = "try this",
	.summary = "Try it.",
	.usage = "[OPTIONS]",
	.options = options,
	.examples = "  snug try this --pid 1\n",
};

static const struct cli_verb other = {.name = "other", .summary = "Other.", .usage = ""};
static const struct cli_verb *const verbs[] = {&verb, &other, NULL};

/* completion.c refers to the program's table, which is in main.c. */
const struct cli_verb *const cli_verbs[] = {NULL};

#define ARGS(...)                                                         \
	{                                                                 \
		.verb = &verb, .argv = (char *[]){__VA_ARGS__},           \
		.argc = sizeof((char *[]){__VA_ARGS__}) / sizeof(char *), \
	}

static void test_both_spellings(void **state)
{
	struct cli_args a = ARGS("--pid", "12", "--pid=34", "--json", "rest", "--json");
	struct err e;

	assert_int_equal(cli_next(&a, &e), OPTION_PID);
	assert_string_equal(a.value, "12");
	assert_int_equal(cli_next(&a, &e), OPTION_PID);
	assert_string_equal(a.value, "34");
	assert_int_equal(cli_next(&a, &e), OPTION_JSON);
	assert_null(a.value);
	assert_int_equal(cli_next(&a, &e), CLI_END);
	assert_string_equal(a.argv[a.next], "rest");
}

static void test_end_of_options(void **state)
{
	struct cli_args a = ARGS("--json", "--", "--json");
	struct err e;

	assert_int_equal(cli_next(&a, &e), OPTION_JSON);
	assert_int_equal(cli_next(&a, &e), CLI_END);
	assert_int_equal(a.next, 2);
}

static void test_nothing(void **state)
{
	struct cli_args a = {.verb = &verb};
	struct err e;

	assert_int_equal(cli_next(&a, &e), CLI_END);
	assert_int_equal(cli_next(&a, &e), CLI_END);
}

static void test_dash_is_an_operand(void **state)
{
	struct cli_args a = ARGS("-");
	struct err e;

	assert_int_equal(cli_next(&a, &e), CLI_END);
	assert_int_equal(a.next, 0);
}

/* An argument may look like an option: "--sample -1" is a bad size, not a missing one. */
static void test_argument_with_dash(void **state)
{
	struct cli_args a = ARGS("--pid", "-1", "--pid=", "--pid=a=b");
	struct err e;

	assert_int_equal(cli_next(&a, &e), OPTION_PID);
	assert_string_equal(a.value, "-1");
	assert_int_equal(cli_next(&a, &e), OPTION_PID);
	assert_string_equal(a.value, "");
	assert_int_equal(cli_next(&a, &e), OPTION_PID);
	assert_string_equal(a.value, "a=b");
}

static void expect_bad(struct cli_args *a, const char *in_sentence)
{
	struct err e = {0};

	assert_int_equal(cli_next(a, &e), CLI_BAD);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.text, in_sentence));
}

static void test_bad_options(void **state)
{
	struct cli_args unknown = ARGS("--pidx", "1"), shortened = ARGS("--pi", "1"),
			single = ARGS("-p"), missing = ARGS("--pid"), unwanted = ARGS("--json=1");

	expect_bad(&unknown, "'--pidx'; the known ones are --pid, --json");
	expect_bad(&shortened, "'--pi'");
	expect_bad(&single, "'-p'");
	expect_bad(&missing, "--pid needs an argument: N");
	expect_bad(&unwanted, "--json takes no argument");
}

static void test_error_may_be_unwanted(void **state)
{
	struct cli_args a = ARGS("--pidx");

	assert_int_equal(cli_next(&a, NULL), CLI_BAD);
}

static void test_verb_without_options(void **state)
{
	char *words[] = {"--json"};
	struct cli_args a = {.verb = &other, .argc = 1, .argv = words};

	expect_bad(&a, "'--json'; the known ones are --help");
}

static void test_fail_gives_exit_status(void **state)
{
	struct err e = {0};

	err_missing(&e, -EPERM, "a test's own message");
	assert_int_equal(cli_fail(&verb, &e), 3);
	e.kind = 0;
	assert_int_equal(cli_fail(&verb, &e), 1);
}

static char *help_text(void)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	help_verb(&verb, out);
	fclose(out);
	return text;
}

static void test_help_wraps(void **state)
{
	CLEANUP_FREE char *text = help_text();

	assert_non_null(strstr(text, "usage: snug try this [OPTIONS]\n"));
	assert_non_null(strstr(text, "\n  --json        one object on stdout\n"));
	assert_non_null(
		strstr(text, "\n  --an-option-with-a-long-name ARGUMENT\n                it's"));
	/* A list too long for a line is torn behind a comma. */
	assert_non_null(strstr(
		text,
		"lzo-rle,lzo,lz4,lz4hc,zstd:1,zstd,zstd:1+auto,\n                zstd:3+dict,"));
	assert_non_null(strstr(text, "\n  --help        "));
	assert_non_null(strstr(text, "\nExamples:\n  snug try this --pid 1\n"));
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		assert_true(strlen(line) <= 80);
		assert_true(line[strlen(line) - 1] != ' ');
	}
}

static void test_completion_knows_all_options(void **state)
{
	static const char *const shells[] = {"bash", "zsh"};

	for (size_t i = 0; i < 2; i++) {
		CLEANUP_FREE char *text = NULL;
		size_t len = 0;
		FILE *out = open_memstream(&text, &len);

		assert_int_equal(completion_print(shells[i], verbs, out), 0);
		fclose(out);
		for (const struct cli_option *o = options; o->name; o++)
			assert_non_null(strstr(text, o->name));
		assert_non_null(strstr(text, "other"));
	}
	assert_int_equal(completion_print("tcsh", verbs, stdout), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_spellings),
		cmocka_unit_test(test_end_of_options),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_dash_is_an_operand),
		cmocka_unit_test(test_argument_with_dash),
		cmocka_unit_test(test_bad_options),
		cmocka_unit_test(test_error_may_be_unwanted),
		cmocka_unit_test(test_verb_without_options),
		cmocka_unit_test(test_fail_gives_exit_status),
		cmocka_unit_test(test_help_wraps),
		cmocka_unit_test(test_completion_knows_all_options),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
