/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sheet.h"

#include "cleanup.h"
#include "table.h"
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

void sheet_table(struct sheet *s, struct table *t, bool headings)
{
	if (s->code == 0)
		s->code = table_print(t, s->out, headings);
	table_free(t);
}

void sheet_empty_line(struct sheet *s)
{
	if (s->code == 0)
		putc('\n', s->out);
}

void sheet_paragraph(struct sheet *s, const char *fmt, ...)
{
	struct table *t = table_new();
	CLEANUP_FREE char *text = NULL;
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0) {
		text = NULL; /* vasprintf leaves it undefined */
		if (s->code == 0)
			s->code = -ENOMEM;
	} else {
		table_column(t, "", TABLE_LEFT);
		sheet_cell_wrapped(t, text, SHEET_WIDTH, 0);
	}
	sheet_table(s, t, false);
}

const char *sheet_size(const struct sheet *s, int64_t bytes, char buf[SHEET_SIZE_MAX])
{
	char units[UNITS_SIZE_MAX];

	if (bytes < 0)
		snprintf(buf, SHEET_SIZE_MAX, "-");
	else if (s->bytes)
		snprintf(buf, SHEET_SIZE_MAX, "%" PRId64, bytes);
	else
		snprintf(buf, SHEET_SIZE_MAX, "%s", units_format_size((uint64_t)bytes, units));
	return buf;
}

void sheet_columns(struct table *t, const char *const *headings)
{
	for (; *headings; headings++)
		table_column(t, *headings, TABLE_RIGHT);
}

void sheet_cell_real(struct table *t, const char *fmt, double x)
{
	if (isnan(x))
		table_cell(t, "-");
	else
		table_cell(t, fmt, x);
}

void sheet_cell_count(struct table *t, int64_t n)
{
	if (n < 0)
		table_cell(t, "-");
	else
		table_cell(t, "%" PRId64, n);
}

void sheet_cell_size(const struct sheet *s, struct table *t, int64_t bytes)
{
	char buf[SHEET_SIZE_MAX];

	table_cell(t, "%s", sheet_size(s, bytes, buf));
}

/* Bytes of text that fit in width, cut at a blank if there is one. What follows the first byte of a
 * character in UTF-8 takes no column. */
static size_t line_length(const char *text, size_t width)
{
	size_t columns = 0, blank = 0, i;

	for (i = 0; text[i] && columns <= width; i++) {
		if (text[i] == ' ')
			blank = i;
		columns += ((unsigned char)text[i] & 0xc0) != 0x80;
	}
	if (columns <= width)
		return i;
	return blank ? blank : strcspn(text, " ");
}

void sheet_cell_wrapped(struct table *t, const char *text, size_t width, unsigned cells_before)
{
	for (;;) {
		size_t len = line_length(text, width);

		table_cell(t, "%.*s", (int)len, text);
		text += len + strspn(text + len, " ");
		if (!*text)
			return;
		for (unsigned i = 0; i < cells_before; i++)
			table_cell(t, "%s", "");
	}
}
