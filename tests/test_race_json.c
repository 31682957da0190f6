/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Result files: whatever is written is read again as the same. All fields of the tables are tested,
 * so that a new one is tested by being listed; that all are listed is a test, too. What is refused:
 * test_race_json_refused.c.
 */
#include "race_fixture.h"
#include "testing.h"

#include "race_json.h"
#include "race_json_fields.h"

#include "cleanup.h"
#include "err.h"
#include "fileio.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <jansson.h>
#include <limits.h>

static void read_well(const char *text, struct race_result *ret)
{
	struct err e = {0};
	int r = race_json_read(text, strlen(text), ret, &e);

	if (r < 0)
		print_error("%s\n", e.text);
	assert_int_equal(r, 0);
}

/* The same race after it was written and read; frees r. */
static struct race_result again(struct race_result *r)
{
	struct race_result ret;
	CLEANUP_FREE char *text = race_fixture_text(r);

	read_well(text, &ret);
	race_result_free(r);
	return ret;
}

static size_t list_length(const struct field *f, const void *base)
{
	return *(const size_t *)((const char *)base + f->n_offset);
}

static bool same(const struct field *fields, const void *a, const void *b);

static bool same_field(const struct field *f, const void *a, const void *b)
{
	const char *at_a = (const char *)a + f->offset, *at_b = (const char *)b + f->offset;

	switch (f->type) {
	case FIELD_TEXT:
	case FIELD_NAME:
		return strcmp(at_a, at_b) == 0;
	case FIELD_OBJECT:
		return same(f->of, at_a, at_b);
	case FIELD_LIST:
		if (list_length(f, a) != list_length(f, b))
			return false;
		for (size_t i = 0; i < list_length(f, a); i++)
			if (!same(f->of, *(char *const *)at_a + i * f->size,
				  *(char *const *)at_b + i * f->size))
				return false;
		return true;
	case FIELD_REAL:
		if (isnan(*(const double *)at_a))
			return isnan(*(const double *)at_b);
		return memcmp(at_a, at_b, f->size) == 0;
	default:
		return memcmp(at_a, at_b, f->size) == 0;
	}
}

/* Of the members themselves, not of their texts. */
static bool same(const struct field *fields, const void *a, const void *b)
{
	for (const struct field *f = fields; f->name; f++)
		if (!same_field(f, a, b)) {
			print_error("%s is not the same\n", f->name);
			return false;
		}
	return true;
}

static void survives(struct race_result *r)
{
	CLEANUP_FREE char *first = race_fixture_text(r);
	CLEANUP_FREE char *second = NULL;
	struct race_result copy;

	read_well(first, &copy);
	second = race_fixture_text(&copy);
	assert_string_equal(first, second);
	assert_true(same(race_json_fields, r, &copy));
	race_result_free(&copy);
	race_result_free(r);
}

static void races_survive(void **state)
{
	struct race_result r;

	race_fixture(&r);
	survives(&r);
	race_fixture_tabs(&r);
	survives(&r);
}

static void a_race_with_nothing_in_it_survives(void **state)
{
	struct race_result r = {0};

	survives(&r);
}

static double any_real(struct rng *rng)
{
	static const double special[] = {NAN,	  0,	   -0.0,   0.1,	 1e308, -1e308,
					 DBL_MAX, DBL_MIN, 5e-324, 1e21, 2.5,	1 / 3.0};
	uint64_t bits = rng_next(rng);
	double value;

	memcpy(&value, &bits, sizeof(value));
	if (bits % 2 || !isfinite(value))
		return special[rng_below(rng, sizeof(special) / sizeof(special[0]))];
	return value;
}

/* Of any length that fits; the longest are as frequent as the rest. */
static void any_text(struct rng *rng, char *text, size_t size, size_t least)
{
	static const char *const pieces[] = {
		"a",	"/",	    "\"",	    "\\",   "\n", "<",
		"\x01", "\xc3\xa4", "\xe2\x80\xa8", "\x7f", "%s", "\xf4\x8f\xbf\xbf"};
	size_t len = rng_next(rng) % 2 ? size - 1 : least + rng_below(rng, size - least), n = 0;

	while (n < len) {
		const char *piece = pieces[rng_below(rng, sizeof(pieces) / sizeof(pieces[0]))];

		if (n + strlen(piece) > len)
			piece = "z";
		n += (size_t)sprintf(text + n, "%s", piece);
	}
	text[n] = '\0';
}

static void fill(const struct field *fields, void *base, struct rng *rng);

static void fill_field(const struct field *f, void *base, struct rng *rng)
{
	char *at = (char *)base + f->offset;
	uint64_t any = rng_next(rng), number = any % 4 ? any >> 1 : (uint64_t)INT64_MAX * (any & 1);

	if (f->type == FIELD_REAL)
		*(double *)at = any_real(rng);
	else if (f->type == FIELD_NUMBER)
		*(int64_t *)at = any % 8 ? (int64_t)number : -1;
	else if (f->type == FIELD_COUNT)
		*(uint64_t *)at = number;
	else if (f->type == FIELD_SMALL)
		*(unsigned *)at = any % 4 ? (unsigned)any : UINT_MAX;
	else if (f->type == FIELD_FLAG)
		*(bool *)at = any & 1;
	else if (f->type == FIELD_TEXT || f->type == FIELD_NAME)
		any_text(rng, at, f->size, f->type == FIELD_NAME);
	else if (f->type == FIELD_ENUM)
		*(unsigned *)at = (unsigned)rng_below(rng, f->n_values);
	else if (f->type == FIELD_OBJECT)
		fill(f->of, at, rng);
	for (size_t i = 0; f->type == FIELD_COUNTS && i < f->size / sizeof(uint64_t); i++)
		((uint64_t *)at)[i] = i % 3 ? rng_next(rng) >> 1 : (uint64_t)INT64_MAX * (i & 1);
	for (size_t i = 0; f->type == FIELD_LIST && i < list_length(f, base); i++)
		fill(f->of, *(char **)at + i * f->size, rng);
}

static void fill(const struct field *fields, void *base, struct rng *rng)
{
	for (const struct field *f = fields; f->name; f++)
		fill_field(f, base, rng);
}

static void any_values_survive(void **state)
{
	struct rng rng = {.state = 1};

	for (int i = 0; i < 200; i++) {
		struct race_result r;

		race_fixture_small(&r);
		fill(race_json_fields, &r, &rng);
		survives(&r);
	}
}

static void infinity_becomes_unknown(void **state)
{
	struct race_result r;

	race_fixture_small(&r);
	r.took_s = INFINITY;
	r.trials[0].net_s = -INFINITY;
	r = again(&r);
	assert_true(isnan(r.took_s) && isnan(r.trials[0].net_s));
	race_result_free(&r);
}

static void bytes_that_are_not_utf8_are_replaced(void **state)
{
	struct race_result r;

	race_fixture_small(&r);
	strcpy(r.plan.command_line, "make \xff\xc3(\xed\xa0\x80 \xe2\x82");
	r = again(&r);
	assert_string_equal(r.plan.command_line,
			    "make \xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd "
			    "\xef\xbf\xbd\xef\xbf\xbd");
	race_result_free(&r);
}

/* The buffer has 1024 bytes. What would be cut in its middle is left out. */
static void what_grows_past_the_buffer_is_cut(void **state)
{
	struct race_result r;
	char *line = r.plan.command_line;

	race_fixture_small(&r);
	memset(line, 0xff, 1023);
	r = again(&r);
	assert_int_equal(strlen(line), 3 * 341);

	memset(line, 'x', 1023);
	line[1020] = (char)0xff;
	r = again(&r);
	assert_int_equal(strlen(line), 1023);
	assert_string_equal(line + 1020, "\xef\xbf\xbd");

	memset(line, 'x', 1023);
	line[1021] = (char)0xff;
	r = again(&r);
	assert_int_equal(strlen(line), 1021);
	race_result_free(&r);
}

static void the_schema_comes_first_and_lists_are_always_there(void **state)
{
	struct race_result r = {0};
	CLEANUP_FREE char *text = race_fixture_text(&r);
	static const char begin[] = "{\n  \"schema\": \"snug.race/1\",\n  \"begun\": null,\n";

	assert_memory_equal(text, begin, strlen(begin));
	assert_non_null(strstr(text, "\"trials\": [],\n  \"summary\": [],\n  \"checks\": [],\n"));
	assert_string_equal(text + strlen(text) - 3, "\n}\n");
}

static void errors_of_the_output_are_told(void **state)
{
	struct race_result r;
	FILE *full = fopen("/dev/full", "w");

	if (!full)
		skip();
	race_fixture_small(&r);
	assert_int_equal(race_json_write(&r, full), -EIO);
	fclose(full);
	race_result_free(&r);
}

static size_t allocations;

static void *failing_malloc(size_t size)
{
	return allocations && allocations-- ? malloc(size) : NULL;
}

/* Whichever allocation of jansson's fails. */
static void want_of_memory_is_told(void **state)
{
	struct race_result r;
	CLEANUP_FCLOSE FILE *null = fopen("/dev/null", "w");
	int ret = -ENOMEM;

	assert_non_null(null);
	race_fixture_small(&r);
	json_set_alloc_funcs(failing_malloc, free);
	for (size_t n = 0; ret == -ENOMEM && n < 100000; n++) {
		allocations = n;
		ret = race_json_write(&r, null);
	}
	json_set_alloc_funcs(malloc, free);
	assert_int_equal(ret, 0);
	race_result_free(&r);
}

/* Marks in `members` what the tables have. */
static void unmark(const struct field *fields, unsigned char *members)
{
	for (const struct field *f = fields; f->name; f++) {
		if (f->type == FIELD_OBJECT) {
			unmark(f->of, members + f->offset);
			continue;
		}
		memset(members + f->offset, 0, f->type == FIELD_LIST ? sizeof(void *) : f->size);
		if (f->type == FIELD_LIST)
			memset(members + f->n_offset, 0, sizeof(size_t));
	}
}

static const struct field *list_of(const struct field *fields, const char *name)
{
	while (strcmp(fields->name, name) != 0)
		fields++;
	return fields->of;
}

/* All bytes of the struct but its padding, without those of its fields: nothing. */
#define ALL_LISTED(type, fields)                                       \
	do {                                                           \
		static const type nothing;                             \
		type members;                                          \
		memset(&members, 0xff, sizeof(members));               \
		__builtin_clear_padding(&members);                     \
		unmark(fields, (unsigned char *)&members);             \
		assert_memory_equal(&members, &nothing, sizeof(type)); \
	} while (0)

static void every_member_is_in_the_file(void **state)
{
#if __has_builtin(__builtin_clear_padding)
	const struct field *trial = list_of(race_json_fields, "trials");

	ALL_LISTED(struct race_result, race_json_fields);
	ALL_LISTED(struct race_trial, trial);
	ALL_LISTED(struct race_sample, list_of(trial, "samples"));
	ALL_LISTED(struct race_summary, list_of(race_json_fields, "summary"));
	ALL_LISTED(struct race_check, list_of(race_json_fields, "checks"));
#else
	skip();
#endif
}

/* As a reader sees it. On another kind of processor the last digits may be others. */
static char *without_last_digits(const char *text)
{
	json_t *all = json_loads(text, 0, NULL);
	char *ret = all ? json_dumps(all, JSON_COMPACT | JSON_REAL_PRECISION(12)) : NULL;

	json_decref(all);
	assert_non_null(ret);
	return ret;
}

/* Beside this file: compilers are run, as tests are, in the build folder. */
static void the_fixture_of_other_tests_is_what_is_written(void **state)
{
	static const char self[] = __FILE__;
	char path[512];
	struct race_result r;
	CLEANUP_FREE char *file = NULL, *wanted = NULL, *found = NULL, *text = NULL;

	snprintf(path, sizeof(path), "%.*s/fixtures/race.json",
		 (int)(strlen(self) - strlen("/test_race_json.c")), self);
	race_fixture_tabs(&r);
	text = race_fixture_text(&r);
	wanted = without_last_digits(text);
	race_result_free(&r);
	assert_int_equal(fileio_read(AT_FDCWD, path, 1 << 20, &file), 0);
	found = without_last_digits(file);
	if (strcmp(found, wanted) != 0) {
		FILE *out = fopen("race.json", "w");

		assert_non_null(out);
		fprintf(out, "%s\n", wanted);
		fclose(out);
		fail_msg("%s is not what is written; race.json in this folder is", path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(races_survive),
		cmocka_unit_test(a_race_with_nothing_in_it_survives),
		cmocka_unit_test(any_values_survive),
		cmocka_unit_test(infinity_becomes_unknown),
		cmocka_unit_test(bytes_that_are_not_utf8_are_replaced),
		cmocka_unit_test(what_grows_past_the_buffer_is_cut),
		cmocka_unit_test(the_schema_comes_first_and_lists_are_always_there),
		cmocka_unit_test(errors_of_the_output_are_told),
		cmocka_unit_test(want_of_memory_is_told),
		cmocka_unit_test(every_member_is_in_the_file),
		cmocka_unit_test(the_fixture_of_other_tests_is_what_is_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
