/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A result at a terminal: paragraphs and tables, one after another. The first error stays in code,
 * and nothing is printed after it, so that callers look once, at the end.
 *
 * Prose goes through tables as well: names and sentences may come from a workload or from a file of
 * results, and a table lets no control character through.
 */
#ifndef SNUG_REPORT_SHEET_H
#define SNUG_REPORT_SHEET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct table;

#define SHEET_WIDTH    80 /* of prose; tables have the width that they need */
#define SHEET_SIZE_MAX 24

struct sheet {
	FILE *out;
	bool bytes; /* sizes in bytes, not as "1.5G" */
	int code;   /* 0, -ENOMEM or -EIO */
};

void sheet_paragraph(struct sheet *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void sheet_empty_line(struct sheet *s);
/* Prints t and frees it. */
void sheet_table(struct sheet *s, struct table *t, bool headings);

/* "-" for a negative size. */
const char *sheet_size(const struct sheet *s, int64_t bytes, char buf[SHEET_SIZE_MAX]);

/* Columns of figures: headings up to a NULL. */
void sheet_columns(struct table *t, const char *const *headings);
/* Cells; "-" for NAN and what is negative, which is not known. fmt has one %f. */
void sheet_cell_real(struct table *t, const char *fmt, double x);
void sheet_cell_count(struct table *t, int64_t n);
void sheet_cell_size(const struct sheet *s, struct table *t, int64_t bytes);
/* The last cell of a row, and rows below it, after as many empty cells as were before it, for what
 * does not fit in width. */
void sheet_cell_wrapped(struct table *t, const char *text, size_t width, unsigned cells_before);

#endif
