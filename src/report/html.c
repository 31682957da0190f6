/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of backends and commands come from files that anyone may have written. In content and in
 * quoted attributes four characters matter. In a script element HTML knows no escapes: it ends at
 * "</script" and changes its state at "<!--", wherever they stand; but JSON can write "<" in
 * another way, and "<" can only be inside its strings.
 */
#include "html.h"

#include "units.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

const char *html_string(const void *value, char buf[HTML_VALUE_MAX])
{
	return value;
}

const char *html_flag(const void *value, char buf[HTML_VALUE_MAX])
{
	return *(const bool *)value ? "yes" : "no";
}

const char *html_unsigned(const void *value, char buf[HTML_VALUE_MAX])
{
	snprintf(buf, HTML_VALUE_MAX, "%u", *(const unsigned *)value);
	return buf;
}

const char *html_uint64(const void *value, char buf[HTML_VALUE_MAX])
{
	snprintf(buf, HTML_VALUE_MAX, "%" PRIu64, *(const uint64_t *)value);
	return buf;
}

const char *html_count(const void *value, char buf[HTML_VALUE_MAX])
{
	int64_t n = *(const int64_t *)value;

	if (n < 0)
		return "";
	snprintf(buf, HTML_VALUE_MAX, "%" PRId64, n);
	return buf;
}

const char *html_bytes(const void *value, char buf[HTML_VALUE_MAX])
{
	int64_t n = *(const int64_t *)value;

	return n < 0 ? "" : units_format_size((uint64_t)n, buf);
}

static const char *real(double x, const char *fmt, char buf[HTML_VALUE_MAX])
{
	if (isnan(x))
		return "";
	snprintf(buf, HTML_VALUE_MAX, fmt, x);
	return buf;
}

const char *html_ns(const void *value, char buf[HTML_VALUE_MAX])
{
	int64_t ns = *(const int64_t *)value;

	return real(ns < 0 ? NAN : (double)ns / 1e6, "%.1f", buf);
}

const char *html_seconds(const void *value, char buf[HTML_VALUE_MAX])
{
	double s = *(const double *)value;

	return real(s, fabs(s) < 10 ? "%.2f" : "%.1f", buf);
}

const char *html_ratio(const void *value, char buf[HTML_VALUE_MAX])
{
	return real(*(const double *)value, "%.2f", buf);
}

const char *html_probability(const void *value, char buf[HTML_VALUE_MAX])
{
	return real(*(const double *)value, "%.4f", buf);
}

void html_text(FILE *out, const char *text)
{
	for (; *text; text++)
		switch (*text) {
		case '&':
			fputs("&amp;", out);
			break;
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			putc(*text, out);
		}
}

void html_json(FILE *out, const char *json, size_t len)
{
	bool inside = false, escaped = false; /* a string; behind its backslash */

	for (size_t i = 0; i < len; i++) {
		char c = json[i];

		if (c == '<')
			fputs("\\u003c", out);
		else if (inside || (c != ' ' && c != '\n'))
			putc(c, out);
		if (c == '"' && !escaped)
			inside = !inside;
		escaped = inside && c == '\\' && !escaped;
	}
}

static const char *value_of(const struct html_field *f, const void *object,
			    char buf[HTML_VALUE_MAX])
{
	return f->form((const char *)object + f->offset, buf);
}

static const void *row_of(const struct html_rows *t, size_t i)
{
	return (const char *)t->rows + i * t->size;
}

static const char *instead_of(const struct html_rows *t, size_t i, char buf[HTML_VALUE_MAX])
{
	return t->instead ? t->instead(row_of(t, i), buf) : "";
}

static bool known_somewhere(const struct html_rows *t, const struct html_field *f)
{
	char buf[HTML_VALUE_MAX];

	for (size_t i = 0; i < t->n; i++)
		if (!*instead_of(t, i, buf) && *value_of(f, row_of(t, i), buf))
			return true;
	return false;
}

/* One bit a field, from the second on. */
static uint64_t shown_columns(const struct html_rows *t)
{
	uint64_t shown = 0;

	for (unsigned i = 1; t->fields[i].name; i++)
		if (known_somewhere(t, &t->fields[i]))
			shown |= UINT64_C(1) << i;
	return shown;
}

static void put_cell(FILE *out, const struct html_field *f, const char *value)
{
	fputs("<td", out);
	if (f->kind == HTML_NUMBER)
		fputs(" class=\"number\"", out);
	if (f->kind == HTML_STATE && *value)
		fprintf(out, " class=\"%s\"", value);
	putc('>', out);
	html_text(out, *value ? value : "\xe2\x80\x93"); /* an en dash */
	fputs("</td>", out);
}

static void put_head(FILE *out, const struct html_field *f)
{
	fputs("<th scope=\"col\"", out);
	if (f->kind == HTML_NUMBER)
		fputs(" class=\"number\"", out);
	if (f->about) {
		fputs(" title=\"", out);
		html_text(out, f->about);
		putc('"', out);
	}
	putc('>', out);
	html_text(out, f->name);
	fputs("</th>", out);
}

static void put_row(FILE *out, const struct html_rows *t, uint64_t shown, size_t i)
{
	char buf[HTML_VALUE_MAX], reason[HTML_VALUE_MAX];
	const char *instead = instead_of(t, i, reason);

	fputs("<tr><th scope=\"row\">", out);
	html_text(out, value_of(&t->fields[0], row_of(t, i), buf));
	fputs("</th>", out);
	if (*instead) {
		fprintf(out, "<td colspan=\"%d\">", shown ? __builtin_popcountll(shown) : 1);
		html_text(out, instead);
		fputs("</td>", out);
	}
	for (unsigned f = 1; !*instead && t->fields[f].name; f++)
		if (shown >> f & 1)
			put_cell(out, &t->fields[f], value_of(&t->fields[f], row_of(t, i), buf));
	fputs("</tr>\n", out);
}

void html_table(FILE *out, const struct html_rows *t)
{
	uint64_t shown = shown_columns(t);

	/* Reached by the keyboard as well, or it could not be scrolled there. */
	fputs("<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"", out);
	html_text(out, t->caption);
	fputs("\">\n<table>\n<caption>", out);
	html_text(out, t->caption);
	fputs("</caption>\n<thead><tr>", out);
	for (unsigned f = 0; t->fields[f].name; f++)
		if (f == 0 || shown >> f & 1)
			put_head(out, &t->fields[f]);
	fputs("</tr></thead>\n<tbody>\n", out);
	for (size_t i = 0; i < t->n; i++)
		put_row(out, t, shown, i);
	fputs("</tbody>\n</table>\n</div>\n", out);
}

void html_list(FILE *out, const struct html_field *fields, const void *object)
{
	fputs("<dl>\n", out);
	for (const struct html_field *f = fields; f->name; f++) {
		char buf[HTML_VALUE_MAX];
		const char *value = value_of(f, object, buf);

		if (!*value)
			continue;
		fputs("<div><dt>", out);
		html_text(out, f->name);
		fputs("</dt><dd>", out);
		html_text(out, value);
		fputs("</dd></div>\n", out);
	}
	fputs("</dl>\n", out);
}
