/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a result file has: each struct of race_result.h as a table of its fields. */
#ifndef SNUG_LAB_RACE_JSON_FIELDS_H
#define SNUG_LAB_RACE_JSON_FIELDS_H

#include <stddef.h>

enum field_type {
	FIELD_REAL,   /* double; NAN is null */
	FIELD_NUMBER, /* int64_t, at least 0; -1 is null */
	FIELD_COUNT,  /* uint64_t, up to INT64_MAX: JSON's integers, as jansson has them */
	FIELD_SMALL,  /* unsigned */
	FIELD_FLAG,   /* bool */
	FIELD_TEXT,   /* char[size]; "" is null */
	FIELD_NAME,   /* char[size], never "" */
	FIELD_COUNTS, /* uint64_t[size / 8] */
	FIELD_ENUM,   /* one of `names` */
	FIELD_OBJECT, /* a struct, or part of the members of the one around it */
	FIELD_LIST,   /* a pointer to structs of `size`, how many at `n_offset` */
};

struct field {
	const char *name;
	enum field_type type;
	size_t offset, size;
	const struct field *of; /* an object's fields, or those of a list's elements */
	size_t n_offset, most;
	const char *(*value_name)(unsigned value);
	unsigned n_values;
};

/* Ends with a NULL name. */
extern const struct field race_json_fields[];

#endif
