/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is no result file is refused, with a sentence that names the place and repeats nothing of
 * the file. Each field of the tables is left out, and given each kind of value, in turn.
 */
#include "race_fixture.h"
#include "testing.h"

#include "race_json_fields.h"

#include "cleanup.h"
#include "err.h"

#include <errno.h>
#include <jansson.h>

/* 0 or -EINVAL, and then the sentence. */
static int try_text(const char *text, size_t len, struct err *e)
{
	struct race_result result = {.took_s = 5}, untouched = result;
	int r = race_json_read(text, len, &result, e);

	if (r == 0) {
		race_result_free(&result);
		return 0;
	}
	assert_int_equal(r, -EINVAL);
	assert_int_equal(e->kind, ERR_USAGE);
	assert_memory_equal(&result, &untouched, sizeof(result));
	return r;
}

static int try_json(const json_t *all, struct err *e)
{
	CLEANUP_FREE char *text = json_dumps(all, 0);

	assert_non_null(text);
	return try_text(text, strlen(text), e);
}

static void refused(const char *text, const char *sentence)
{
	struct err e = {0};

	assert_int_equal(try_text(text, strlen(text), &e), -EINVAL);
	assert_string_equal(e.text, sentence);
}

static json_t *parsed(const char *text)
{
	json_t *j = json_loads(text, JSON_DECODE_ANY, NULL);

	assert_non_null(j);
	return j;
}

static json_t *small_file(void)
{
	struct race_result r;
	CLEANUP_FREE char *text = NULL;

	race_fixture_small(&r);
	text = race_fixture_text(&r);
	race_result_free(&r);
	return parsed(text);
}

/* The small file with another value at `name`, which is in the object (of a list: the first) at
 * `object`, or "". Takes over value. */
static void refused_with(const char *object, const char *name, json_t *value, const char *sentence)
{
	json_t *all = small_file(), *at = json_object_get(all, object);
	struct err e = {0};

	if (json_is_array(at))
		at = json_array_get(at, 0);
	assert_int_equal(json_object_set_new(*object ? at : all, name, value), 0);
	assert_int_equal(try_json(all, &e), -EINVAL);
	assert_string_equal(e.text, sentence);
	json_decref(all);
}

struct walk {
	json_t *all;
	void (*visit)(struct walk *w, const struct field *f, json_t *object, const char *place);
	unsigned fields;
};

/* Visits every field once, in objects of the small file, of lists in the first element. */
static void walk(struct walk *w, const struct field *fields, json_t *object, const char *in)
{
	char place[256];

	for (const struct field *f = fields; f->name; f++) {
		json_t *value = json_object_get(object, f->name);

		snprintf(place, sizeof(place), "%s%s%s", in, *in ? "." : "", f->name);
		if (f->type == FIELD_OBJECT)
			walk(w, f->of, value, place);
		w->visit(w, f, object, place);
		w->fields++;
		if (f->type != FIELD_LIST)
			continue;
		strcat(place, "[0]");
		walk(w, f->of, json_array_get(json_object_get(object, f->name), 0), place);
	}
}

static void walk_all(void (*visit)(struct walk *w, const struct field *f, json_t *object,
				   const char *place))
{
	struct walk w = {.all = small_file(), .visit = visit};

	walk(&w, race_json_fields, w.all, "");
	assert_true(w.fields > 100);
	json_decref(w.all);
}

static void leave_out(struct walk *w, const struct field *f, json_t *object, const char *place)
{
	json_t *value = json_incref(json_object_get(object, f->name));
	char wanted[300];
	struct err e = {0};

	json_object_del(object, f->name);
	snprintf(wanted, sizeof(wanted), "%s is missing", place);
	assert_int_equal(try_json(w->all, &e), -EINVAL);
	assert_string_equal(e.text, wanted);
	json_object_set_new(object, f->name, value);
}

static void each_field_must_be_there(void **state)
{
	walk_all(leave_out);
}

/* Values, and the types of fields that take them. */
static const struct {
	const char *json;
	unsigned takers;
} values[] = {
#define TAKES(type) (1u << FIELD_##type)
	{"null", TAKES(REAL) | TAKES(NUMBER) | TAKES(TEXT)},
	{"true", TAKES(FLAG)},
	{"7", TAKES(REAL) | TAKES(NUMBER) | TAKES(COUNT) | TAKES(SMALL)},
	{"-1", TAKES(REAL)},
	{"4294967295", TAKES(REAL) | TAKES(NUMBER) | TAKES(COUNT) | TAKES(SMALL)},
	{"4294967296", TAKES(REAL) | TAKES(NUMBER) | TAKES(COUNT)},
	{"9223372036854775807", TAKES(REAL) | TAKES(NUMBER) | TAKES(COUNT)},
	{"1.0", TAKES(REAL)},
	{"1e300", TAKES(REAL)},
	{"\"ok\"", TAKES(TEXT) | TAKES(NAME) | TAKES(ENUM)},
	{"\"OK\"", TAKES(TEXT) | TAKES(NAME)},
	{"\"\"", TAKES(TEXT)},
	{"[]", TAKES(LIST)},
	{"[7]", 0},
	{"[{}]", 0},
	{"{}", 0},
};

static void put_values(struct walk *w, const struct field *f, json_t *object, const char *place)
{
	json_t *value = json_incref(json_object_get(object, f->name));

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		bool taken = values[i].takers & 1u << f->type;
		struct err e = {0};
		int r;

		json_object_set_new(object, f->name, parsed(values[i].json));
		r = try_json(w->all, &e);
		if (r != (taken ? 0 : -EINVAL))
			fail_msg("%s: %s: %d, %s", place, values[i].json, r, e.text);
		if (!taken && (strncmp(e.text, place, strlen(place)) != 0 ||
			       !strchr(" .[", e.text[strlen(place)])))
			fail_msg("%s: %s: %s", place, values[i].json, e.text);
	}
	json_object_set_new(object, f->name, value);
}

static void each_field_takes_its_own_kind_of_value(void **state)
{
	walk_all(put_values);
}

/* A text one byte longer than its buffer has room for. */
static void put_long_text(struct walk *w, const struct field *f, json_t *object, const char *place)
{
	json_t *value = json_object_get(object, f->name);
	char text[2048], wanted[300];
	struct err e = {0};

	if (f->type != FIELD_TEXT && f->type != FIELD_NAME)
		return;
	json_incref(value);
	memset(text, 'x', sizeof(text));
	json_object_set_new(object, f->name, json_stringn(text, f->size));
	snprintf(wanted, sizeof(wanted), "%s is too long", place);
	assert_int_equal(try_json(w->all, &e), -EINVAL);
	assert_string_equal(e.text, wanted);

	json_object_set_new(object, f->name, json_stringn(text, f->size - 1));
	assert_int_equal(try_json(w->all, NULL), 0);
	json_object_set_new(object, f->name, value);
}

static void texts_have_to_fit(void **state)
{
	walk_all(put_long_text);
}

static json_t *zeros(size_t n)
{
	json_t *list = json_array();

	while (n--)
		json_array_append_new(list, json_integer(0));
	return list;
}

static void lists_have_their_lengths(void **state)
{
	static const char few[] = "trials[0].frame_histogram has too few or too many elements";

	refused_with("trials", "frame_histogram", zeros(RACE_FRAME_BUCKETS - 1), few);
	refused_with("trials", "frame_histogram", zeros(RACE_FRAME_BUCKETS + 1), few);
	refused_with("", "checks", zeros(10001), "checks has too many elements");
	refused_with("", "checks", zeros(10000), "checks[0] is not an object");
}

static void places_are_named_to_the_last(void **state)
{
	json_t *histogram = zeros(RACE_FRAME_BUCKETS);

	json_array_set_new(histogram, 41, json_integer(-3));
	refused_with("trials", "frame_histogram", histogram,
		     "trials[0].frame_histogram[41] is less than 0");
	refused_with("trials", "conditions", parsed("{\"before\": []}"),
		     "trials[0].conditions.before is not an object");
	refused_with("machine", "cpus", parsed("-2"), "machine.cpus is less than 0");
}

static void nothing_of_the_file_is_repeated(void **state)
{
	refused_with("trials", "outcome", json_string("\x1b[31mEVIL"),
		     "trials[0].outcome is not one of the words that are known there");
	refused("{\"schema\": \"snug.race/1\", \x1b[31mEVIL", "it is not JSON: line 1, column 27");
	refused("{\n\n  \"EVIL\": \"EVIL\" \"EVIL\"}", "it is not JSON: line 3, column 23");
}

static void another_schema_is_refused(void **state)
{
	static const char *const others[] = {
		"{}",
		"[]",
		"[{\"schema\": \"snug.race/1\"}]",
		"{\"schema\": null}",
		"{\"schema\": 1}",
		"{\"schema\": \"snug.race/2\"}",
		"{\"schema\": \"snug.race/10\"}",
		"{\"schema\": \"snug.survey/1\"}",
	};

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		refused(others[i], "its schema is not snug.race/1: it is not the result of a race, "
				   "or of another version of snug");
	refused("{\"schema\": \"snug.race/1\"}", "begun is missing");
}

static void fields_of_a_later_snug_are_ignored(void **state)
{
	json_t *all = small_file();
	json_t *trial = json_array_get(json_object_get(all, "trials"), 0);

	json_object_set_new(all, "weather", json_string("fair"));
	json_object_set_new(trial, "weather", json_string("fair"));
	assert_int_equal(try_json(all, NULL), 0);
	json_decref(all);
}

static void a_file_cut_anywhere_is_refused(void **state)
{
	json_t *all = small_file();
	CLEANUP_FREE char *text = json_dumps(all, JSON_COMPACT);
	size_t len = strlen(text);
	struct err e;

	for (size_t n = 0; n < len; n++) {
		/* Of its own, so that a sanitizer sees a step too far. */
		CLEANUP_FREE char *part = malloc(n ? n : 1);

		assert_non_null(part);
		memcpy(part, text, n);
		assert_int_equal(try_text(part, n, &e), -EINVAL);
	}
	assert_int_equal(try_text(text, len, &e), 0);
	json_decref(all);
}

static void what_follows_the_file_is_refused(void **state)
{
	json_t *all = small_file();
	CLEANUP_FREE char *text = json_dumps(all, JSON_COMPACT);
	CLEANUP_FREE char *twice = NULL;
	struct err e;

	assert_true(asprintf(&twice, "%s%s", text, text) > 0);
	assert_int_equal(try_text(twice, strlen(twice), &e), -EINVAL);
	json_decref(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_field_must_be_there),
		cmocka_unit_test(each_field_takes_its_own_kind_of_value),
		cmocka_unit_test(texts_have_to_fit),
		cmocka_unit_test(lists_have_their_lengths),
		cmocka_unit_test(places_are_named_to_the_last),
		cmocka_unit_test(nothing_of_the_file_is_repeated),
		cmocka_unit_test(another_schema_is_refused),
		cmocka_unit_test(fields_of_a_later_snug_are_ignored),
		cmocka_unit_test(a_file_cut_anywhere_is_refused),
		cmocka_unit_test(what_follows_the_file_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
