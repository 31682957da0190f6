/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * HTML from plain structs: one table of fields says where a value is, what it is called and how it
 * is written. All text is escaped here, nowhere else. Errors of the output stay in the FILE, to be
 * asked for once at the end.
 */
#ifndef SNUG_REPORT_HTML_H
#define SNUG_REPORT_HTML_H

#include <stddef.h>
#include <stdio.h>

#define HTML_VALUE_MAX 32

/* A value as text, in buf or somewhere else that lasts; "" for one that is not known. */
typedef const char *html_form(const void *value, char buf[HTML_VALUE_MAX]);

html_form html_string;	 /* char[] */
html_form html_flag;	 /* bool */
html_form html_unsigned; /* unsigned */
html_form html_uint64;
html_form html_count;	/* int64_t; less than 0: not known */
html_form html_bytes;	/* the same, "1.5G" */
html_form html_ns;	/* the same, written as milliseconds */
html_form html_seconds; /* double; NAN: not known; all three */
html_form html_ratio;
html_form html_probability;

enum html_kind {
	HTML_WORDS,
	HTML_NUMBER, /* set to the right */
	HTML_STATE,  /* one word out of a few, which is also a class of the style sheet */
};

struct html_field {
	const char *name;
	const char *about; /* shown when one points at the name; may be NULL */
	enum html_kind kind;
	html_form *form;
	size_t offset; /* of the value in its struct */
};

/* Rows of a table, whose first field names the row. */
struct html_rows {
	const char *caption;
	const struct html_field *fields; /* at most 64; ends with a NULL name */
	const void *rows;
	size_t n, size;	    /* how many, sizeof one */
	html_form *instead; /* of a whole row: the sentence that stands for it, or ""; or NULL */
};

/* Escaped, for content and for attributes in double quotes. */
void html_text(FILE *out, const char *text);

/* JSON for a <script> element: no text in it can end the element. Blanks between values are left
 * out. */
void html_json(FILE *out, const char *json, size_t len);

/* A table in a container that scrolls by itself. A column in which nothing is known is left out. */
void html_table(FILE *out, const struct html_rows *t);

/* Names and values of one struct; what is not known is left out. */
void html_list(FILE *out, const struct html_field *fields, const void *object);

#endif
