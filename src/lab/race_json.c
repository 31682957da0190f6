/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of race_json_fields.c walked in both directions: `kinds` has for each type of field
 * how it is written and how it is read.
 *
 * What is written can be read again and gives the same, bit for bit: doubles have 17 digits. Two
 * things JSON can't hold are changed on the way out. Infinity becomes null. A command line may have
 * bytes that are not UTF-8; each becomes U+FFFD, which is longer, so that the text is cut where the
 * reader's buffer would end.
 *
 * What is read may be anything. Sentences say where it is wrong but never repeat it, because they
 * go to a terminal.
 */
#include "race_json.h"

#include "cleanup.h"
#include "err.h"
#include "race_json_fields.h"
#include "race_result.h"
#include "utf8.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

/* A place in the file: the member `name`, or (without a name) the element `index`, of `in`. */
struct where {
	const struct where *in; /* NULL: this is the whole file */
	const char *name;
	size_t index;
	struct err *e;
};

/* Of the member at `at`. */
struct kind {
	json_t *(*write)(const struct field *f, const void *at);
	int (*read)(const struct field *f, const json_t *j, void *at, const struct where *where);
};

static const struct kind kinds[FIELD_LIST + 1];

static json_t *write_members(const struct field *fields, const void *base)
{
	json_t *object = json_object();

	for (const struct field *f = fields; f->name; f++) {
		json_t *value = kinds[f->type].write(f, (const char *)base + f->offset);

		/* Fails, too, if one of them is NULL. */
		if (json_object_set_new(object, f->name, value) < 0) {
			json_decref(object);
			return NULL;
		}
	}
	return object;
}

/* "trials[3].outcome", cut if buf has no room for it. */
static size_t name_place(const struct where *w, char *buf, size_t size)
{
	size_t len = w->in ? name_place(w->in, buf, size) : 0;
	int more = 0;

	if (len >= size)
		return len;
	if (w->name)
		more = snprintf(buf + len, size - len, "%s%s", len ? "." : "", w->name);
	else if (w->in)
		more = snprintf(buf + len, size - len, "[%zu]", w->index);
	return len + (size_t)more;
}

static int wrong(const struct where *where, const char *what)
{
	char place[128];

	name_place(where, place, sizeof(place));
	return err_usage(where->e, -EINVAL, "%s %s", place, what);
}

static int read_members(const struct field *fields, const json_t *object, void *base,
			const struct where *in)
{
	int r = 0;

	for (const struct field *f = fields; f->name && r == 0; f++) {
		const struct where where = {.in = in, .name = f->name, .e = in->e};
		const json_t *j = json_object_get(object, f->name);

		r = j ? kinds[f->type].read(f, j, (char *)base + f->offset, &where)
		      : wrong(&where, "is missing");
	}
	return r;
}

static json_t *write_real(const struct field *f, const void *at)
{
	double value = *(const double *)at;

	return isfinite(value) ? json_real(value) : json_null();
}

static int read_real(const struct field *f, const json_t *j, void *at, const struct where *where)
{
	if (!json_is_number(j) && !json_is_null(j))
		return wrong(where, "is neither a number nor null");
	*(double *)at = json_is_null(j) ? NAN : json_number_value(j);
	return 0;
}

static int read_integer(const json_t *j, json_int_t most, json_int_t *ret,
			const struct where *where)
{
	json_int_t value = json_integer_value(j);

	if (!json_is_integer(j))
		return wrong(where, "is not a whole number");
	if (value < 0)
		return wrong(where, "is less than 0");
	if (value > most)
		return wrong(where, "is too large");
	*ret = value;
	return 0;
}

static json_t *write_number(const struct field *f, const void *at)
{
	int64_t value = *(const int64_t *)at;

	return value < 0 ? json_null() : json_integer(value);
}

static int read_number(const struct field *f, const json_t *j, void *at, const struct where *where)
{
	json_int_t value = -1;
	int r = json_is_null(j) ? 0 : read_integer(j, INT64_MAX, &value, where);

	*(int64_t *)at = value;
	return r;
}

static json_t *write_count(const struct field *f, const void *at)
{
	const uint64_t *value = at;

	return json_integer((json_int_t)*value);
}

static int read_count(const struct field *f, const json_t *j, void *at, const struct where *where)
{
	json_int_t value = 0;
	int r = read_integer(j, INT64_MAX, &value, where);

	*(uint64_t *)at = (uint64_t)value;
	return r;
}

static json_t *write_small(const struct field *f, const void *at)
{
	return json_integer(*(const unsigned *)at);
}

static int read_small(const struct field *f, const json_t *j, void *at, const struct where *where)
{
	json_int_t value = 0;
	int r = read_integer(j, UINT_MAX, &value, where);

	*(unsigned *)at = (unsigned)value;
	return r;
}

static json_t *write_flag(const struct field *f, const void *at)
{
	return json_boolean(*(const bool *)at);
}

static int read_flag(const struct field *f, const json_t *j, void *at, const struct where *where)
{
	if (!json_is_boolean(j))
		return wrong(where, "is neither true nor false");
	*(bool *)at = json_is_true(j);
	return 0;
}

static json_t *write_name(const struct field *f, const void *at)
{
	CLEANUP_FREE char *clean = malloc(f->size);
	size_t n = 0, len;

	for (const char *s = at; clean && *s; s += len) {
		bool stray = utf8_decode(s, &len) == UTF8_REPLACEMENT && len == 1;
		size_t more = stray ? 3 : len;

		if (n + more >= f->size)
			break;
		memcpy(clean + n, stray ? "\xef\xbf\xbd" : s, more);
		n += more;
	}
	return clean ? json_stringn(clean, n) : NULL;
}

static json_t *write_text(const struct field *f, const void *at)
{
	return *(const char *)at ? write_name(f, at) : json_null();
}

static int read_text(const struct field *f, const json_t *j, void *at, const struct where *where)
{
	if (json_is_null(j)) {
		*(char *)at = '\0';
		return 0;
	}
	if (!json_is_string(j))
		return wrong(where, "is not a text");
	/* jansson refuses a NUL within. */
	if (json_string_length(j) >= f->size)
		return wrong(where, "is too long");
	strcpy(at, json_string_value(j));
	return 0;
}

static int read_name(const struct field *f, const json_t *j, void *at, const struct where *where)
{
	int r = read_text(f, j, at, where);

	return r == 0 && !*(char *)at ? wrong(where, "is empty") : r;
}

/* n elements of `type`, each `size` long. */
static json_t *write_elements(const struct field *f, enum field_type type, const char *first,
			      size_t n, size_t size)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		if (json_array_append_new(array, kinds[type].write(f, first + i * size)) < 0) {
			json_decref(array);
			return NULL;
		}
	return array;
}

static int read_elements(const struct field *f, enum field_type type, const json_t *array,
			 char *first, size_t size, const struct where *in)
{
	int r = 0;

	for (size_t i = 0; i < json_array_size(array) && r == 0; i++) {
		const struct where where = {.in = in, .index = i, .e = in->e};

		r = kinds[type].read(f, json_array_get(array, i), first + i * size, &where);
	}
	return r;
}

static json_t *write_counts(const struct field *f, const void *at)
{
	return write_elements(f, FIELD_COUNT, at, f->size / sizeof(uint64_t), sizeof(uint64_t));
}

static int read_counts(const struct field *f, const json_t *j, void *at, const struct where *where)
{
	if (!json_is_array(j))
		return wrong(where, "is not a list");
	if (json_array_size(j) != f->size / sizeof(uint64_t))
		return wrong(where, "has too few or too many elements");
	return read_elements(f, FIELD_COUNT, j, at, sizeof(uint64_t), where);
}

static json_t *write_enum(const struct field *f, const void *at)
{
	return json_string(f->value_name(*(const unsigned *)at));
}

static int read_enum(const struct field *f, const json_t *j, void *at, const struct where *where)
{
	const char *text = json_string_value(j);

	for (unsigned i = 0; text && i < f->n_values; i++)
		if (strcmp(text, f->value_name(i)) == 0) {
			*(unsigned *)at = i;
			return 0;
		}
	return wrong(where, "is not one of the words that are known there");
}

static json_t *write_object(const struct field *f, const void *at)
{
	return write_members(f->of, at);
}

static int read_object(const struct field *f, const json_t *j, void *at, const struct where *where)
{
	if (!json_is_object(j))
		return wrong(where, "is not an object");
	return read_members(f->of, j, at, where);
}

/* How many elements the list at `at` has. */
static size_t *list_n(const struct field *f, const void *at)
{
	return (size_t *)((char *)at - f->offset + f->n_offset);
}

static json_t *write_list(const struct field *f, const void *at)
{
	return write_elements(f, FIELD_OBJECT, *(char *const *)at, *list_n(f, at), f->size);
}

/* The list is the result's own, and zero, before it is filled: race_result_free may come any time.
 */
static int read_list(const struct field *f, const json_t *j, void *at, const struct where *where)
{
	size_t n = json_array_size(j);
	char *elements;

	if (!json_is_array(j))
		return wrong(where, "is not a list");
	if (n > f->most)
		return wrong(where, "has too many elements");
	if (n == 0)
		return 0;
	elements = calloc(n, f->size);
	if (!elements)
		return err_failed(where->e, -ENOMEM, "out of memory");
	*(char **)at = elements;
	*list_n(f, at) = n;
	return read_elements(f, FIELD_OBJECT, j, elements, f->size, where);
}

static const struct kind kinds[FIELD_LIST + 1] = {
	[FIELD_REAL] = {write_real, read_real},	   [FIELD_NUMBER] = {write_number, read_number},
	[FIELD_COUNT] = {write_count, read_count}, [FIELD_SMALL] = {write_small, read_small},
	[FIELD_FLAG] = {write_flag, read_flag},	   [FIELD_TEXT] = {write_text, read_text},
	[FIELD_NAME] = {write_name, read_name},	   [FIELD_COUNTS] = {write_counts, read_counts},
	[FIELD_ENUM] = {write_enum, read_enum},	   [FIELD_OBJECT] = {write_object, read_object},
	[FIELD_LIST] = {write_list, read_list},
};

int race_json_write(const struct race_result *r, FILE *out)
{
	json_t *all = json_pack("{s:s}", "schema", RACE_SCHEMA);
	json_t *members = write_members(race_json_fields, r);
	int ret = 0;

	if (!all || json_object_update(all, members) < 0)
		ret = -ENOMEM;
	else if (json_dumpf(all, out, JSON_INDENT(2)) < 0 || fputc('\n', out) == EOF ||
		 fflush(out) != 0)
		ret = ferror(out) ? -EIO : -ENOMEM;
	json_decref(members);
	json_decref(all);
	return ret;
}

static int read_result(const json_t *all, struct race_result *ret, struct err *e)
{
	const char *schema = json_string_value(json_object_get(all, "schema"));
	struct race_result result = {0};
	int r;

	if (!schema || strcmp(schema, RACE_SCHEMA) != 0)
		return err_usage(e, -EINVAL,
				 "its schema is not " RACE_SCHEMA
				 ": it is not the result of a race, or of another version of snug");
	r = read_members(race_json_fields, all, &result, &(struct where){.e = e});
	if (r < 0)
		race_result_free(&result);
	else
		*ret = result;
	return r;
}

int race_json_read(const char *text, size_t len, struct race_result *ret, struct err *e)
{
	json_error_t why;
	json_t *all = json_loadb(text, len, 0, &why);
	int r;

	if (!all)
		return err_usage(e, -EINVAL, "it is not JSON: line %d, column %d", why.line,
				 why.column);
	r = read_result(all, ret, e);
	json_decref(all);
	return r;
}
