/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All cells are kept until table_print, because only then is it known how wide a column must be.
 *
 * Widths are columns of a terminal, not bytes. The C library could tell them (wcwidth), but only
 * under a locale that the program would have to set; what is printed here (units such as "µs", and
 * names of processes, which may be anything) needs no more than a short list of ranges. Names of
 * processes are also why control characters never reach the terminal.
 */
#include "table.h"

#include "cleanup.h"
#include "utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#define GAP 2 /* blanks between columns */

struct column {
	char *heading;
	enum table_align align;
};

struct table {
	struct column *columns;
	size_t n_columns;
	char **cells;
	size_t n_cells, room;
	bool failed;
};

/* Columns that c takes: the ranges that terminals agree on. */
static int code_width(uint32_t c)
{
	static const struct {
		uint32_t first, last;
		int width;
	} ranges[] = {
		{0x300, 0x36f, 0},     {0x1100, 0x115f, 2},   {0x200b, 0x200f, 0},
		{0x20d0, 0x20ff, 0},   {0x2e80, 0x303e, 2},   {0x3041, 0xa4cf, 2},
		{0xac00, 0xd7a3, 2},   {0xf900, 0xfaff, 2},   {0xfe00, 0xfe0f, 0},
		{0xfe30, 0xfe6f, 2},   {0xff00, 0xff60, 2},   {0xffe0, 0xffe6, 2},
		{0x1f300, 0x1faff, 2}, {0x20000, 0x3fffd, 2},
	};

	for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); i++)
		if (c >= ranges[i].first && c <= ranges[i].last)
			return ranges[i].width;
	return 1;
}

static size_t text_width(const char *s)
{
	size_t width = 0, len;

	for (; *s; s += len)
		width += (size_t)code_width(utf8_decode(s, &len));
	return width;
}

/* In place: each control character and each byte that is not UTF-8 becomes "?". */
static void make_printable(char *s)
{
	char *out = s;
	size_t len;

	for (; *s; s += len) {
		uint32_t c = utf8_decode(s, &len);

		if (c < 0x20 || (c >= 0x7f && c < 0xa0) || (c == UTF8_REPLACEMENT && len == 1)) {
			*out++ = '?';
			continue;
		}
		memmove(out, s, len);
		out += len;
	}
	*out = '\0';
}

struct table *table_new(void)
{
	return calloc(1, sizeof(struct table));
}

void table_free(struct table *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->n_columns; i++)
		free(t->columns[i].heading);
	for (size_t i = 0; i < t->n_cells; i++)
		free(t->cells[i]);
	free(t->columns);
	free(t->cells);
	free(t);
}

void table_column(struct table *t, const char *heading, enum table_align align)
{
	struct column *grown;
	char *copy;

	if (!t || t->failed)
		return;
	grown = realloc(t->columns, (t->n_columns + 1) * sizeof(*grown));
	copy = strdup(heading);
	if (grown)
		t->columns = grown;
	if (!grown || !copy) {
		free(copy);
		t->failed = true;
		return;
	}
	make_printable(copy);
	t->columns[t->n_columns++] = (struct column){.heading = copy, .align = align};
}

static bool make_room(struct table *t)
{
	size_t room = t->room ? 2 * t->room : 64;
	char **grown;

	if (t->n_cells < t->room)
		return true;
	grown = realloc(t->cells, room * sizeof(*grown));
	if (!grown)
		return false;
	t->cells = grown;
	t->room = room;
	return true;
}

void table_cell(struct table *t, const char *fmt, ...)
{
	CLEANUP_FREE char *text = NULL;
	va_list ap;
	int len;

	if (!t || t->failed)
		return;
	va_start(ap, fmt);
	len = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (len < 0)
		text = NULL; /* vasprintf leaves it undefined */
	if (len < 0 || !make_room(t)) {
		t->failed = true;
		return;
	}
	make_printable(text);
	t->cells[t->n_cells++] = TAKE(text);
}

static void measure(const struct table *t, bool headings, size_t *widths)
{
	for (size_t i = 0; i < t->n_columns; i++)
		widths[i] = headings ? text_width(t->columns[i].heading) : 0;
	for (size_t i = 0; i < t->n_cells; i++) {
		size_t width = text_width(t->cells[i]);

		if (width > widths[i % t->n_columns])
			widths[i % t->n_columns] = width;
	}
}

static void pad(FILE *out, size_t n)
{
	while (n--)
		putc(' ', out);
}

/*
 * One line. Blanks are owed, and paid only when something follows them, so that no line ends in
 * one.
 */
static void print_line(const struct table *t, const size_t *widths, FILE *out,
		       const char *const *text, size_t n)
{
	size_t owed = 0;

	for (size_t i = 0; i < n; i++) {
		size_t slack = widths[i] - text_width(text[i]);
		bool right = t->columns[i].align == TABLE_RIGHT;

		if (right)
			owed += slack;
		if (*text[i]) {
			pad(out, owed);
			fputs(text[i], out);
			owed = 0;
		}
		if (!right)
			owed += slack;
		owed += GAP;
	}
	putc('\n', out);
}

int table_print(const struct table *t, FILE *out, bool headings)
{
	CLEANUP_FREE size_t *widths = NULL;
	CLEANUP_FREE const char **top = NULL;

	if (!t || t->failed)
		return -ENOMEM;
	if (t->n_columns == 0)
		return 0;
	widths = calloc(t->n_columns, sizeof(*widths));
	top = calloc(t->n_columns, sizeof(*top));
	if (!widths || !top)
		return -ENOMEM;
	measure(t, headings, widths);
	for (size_t i = 0; i < t->n_columns; i++)
		top[i] = t->columns[i].heading;
	if (headings)
		print_line(t, widths, out, top, t->n_columns);
	for (size_t i = 0; i < t->n_cells; i += t->n_columns) {
		size_t left = t->n_cells - i;

		print_line(t, widths, out, (const char *const *)t->cells + i,
			   left < t->n_columns ? left : t->n_columns);
	}
	return ferror(out) ? -EIO : 0;
}
