/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A text table whose columns line up, in the manner of util-linux. */
#ifndef SNUG_REPORT_TABLE_H
#define SNUG_REPORT_TABLE_H

#include <stdbool.h>
#include <stdio.h>

struct table;

enum table_align { TABLE_LEFT, TABLE_RIGHT };

/* Aborts a table on memory exhaustion: later calls do nothing and table_print returns -ENOMEM. */
struct table *table_new(void);
void table_free(struct table *t);
/* All columns first, then cells, row after row, left to right. */
void table_column(struct table *t, const char *heading, enum table_align align);
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* No trailing blanks. 0, -ENOMEM, or -EIO when out fails. */
int table_print(const struct table *t, FILE *out, bool headings);

#endif
