/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Help in two columns: what it is called, and what it does, wrapped at WIDTH. The width is fixed,
 * not the terminal's, so that help looks the same in a manual, a bug report and a test.
 */
#include "help.h"

#include "cli.h"

#include <stdbool.h>
#include <string.h>

#define WIDTH  80
#define MARGIN 2  /* before the left column */
#define WIDEST 24 /* a name longer than this has the line to itself */

static void blanks(FILE *out, size_t n)
{
	fprintf(out, "%*s", (int)n, "");
}

/*
 * How much of text can't be torn apart: a word; of a list that has no blanks and is longer than
 * room, one member with its comma.
 */
static size_t piece_length(const char *text, size_t room)
{
	size_t word = strcspn(text, " \n"), member = strcspn(text, ",");

	return word > room && member < word ? member + 1 : word;
}

/*
 * The words of text between column indent and WIDTH; the cursor already stands at column at. A
 * newline in text counts as a blank.
 */
static void print_wrapped(const char *text, size_t at, size_t indent, FILE *out)
{
	for (;;) {
		size_t blank = strspn(text, " \n"), len, gap;

		text += blank;
		if (!*text)
			break;
		/* The rest of a list that was torn goes on member by member. */
		len = piece_length(text, at > indent && !blank ? 0 : WIDTH - indent);
		if (at > indent && at + (blank > 0) + len > WIDTH) {
			putc('\n', out);
			at = 0;
		}
		gap = at < indent ? indent - at : at > indent && blank > 0;
		fprintf(out, "%*s%.*s", (int)gap, "", (int)len, text);
		at += gap + len;
		text += len;
	}
	putc('\n', out);
}

static void print_entry(const char *left, const char *right, size_t column, FILE *out)
{
	size_t at = MARGIN + strlen(left);

	blanks(out, MARGIN);
	fputs(left, out);
	if (at + 2 > column) {
		putc('\n', out);
		at = 0;
	}
	print_wrapped(right, at, column, out);
}

/* "--name ARGUMENT" in buf. */
static const char *option_text(const struct cli_option *o, char *buf, size_t size)
{
	snprintf(buf, size, "--%s%s%s", o->name, o->argument ? " " : "",
		 o->argument ? o->argument : "");
	return buf;
}

static size_t wider(size_t width, const char *text)
{
	size_t len = strlen(text);

	return len <= WIDEST && len > width ? len : width;
}

void help_verb(const struct cli_verb *verb, FILE *out)
{
	size_t column = strlen("--help");
	char text[64];

	for (const struct cli_option *o = verb->options; o && o->name; o++)
		column = wider(column, option_text(o, text, sizeof(text)));
	column += MARGIN + 2;

	fprintf(out, "usage: snug %s %s\n\n", verb->name, verb->usage);
	print_wrapped(verb->summary, 0, 0, out);
	fputs("\nOptions:\n", out);
	for (const struct cli_option *o = verb->options; o && o->name; o++)
		print_entry(option_text(o, text, sizeof(text)), o->help, column, out);
	print_entry("--help", "show this text", column, out);
	if (verb->examples)
		fprintf(out, "\nExamples:\n%s", verb->examples);
}

static bool in_family(const struct cli_verb *verb, const char *first)
{
	size_t len = strlen(first);

	return !first[0] || (strncmp(verb->name, first, len) == 0 && verb->name[len] == ' ');
}

/* The verbs whose first word is first; all of them if that is "". */
static void print_verbs(const struct cli_verb *const *verbs, const char *first, FILE *out)
{
	size_t column = 0;

	for (const struct cli_verb *const *v = verbs; *v; v++)
		if (in_family(*v, first))
			column = wider(column, (*v)->name);
	for (const struct cli_verb *const *v = verbs; *v; v++)
		if (in_family(*v, first))
			print_entry((*v)->name, (*v)->summary, column + MARGIN + 2, out);
}

void help_family(const struct cli_verb *const *verbs, const char *first, FILE *out)
{
	fprintf(out, "usage: snug %s VERB [OPTIONS]\n\nVerbs:\n", first);
	print_verbs(verbs, first, out);
}

void help_program(const struct cli_verb *const *verbs, FILE *out)
{
	fputs("usage: snug VERB [OPTIONS]\n"
	      "       snug VERB --help\n\n"
	      "What compressed memory gives on this machine, measured with its own pages.\n\n"
	      "Verbs:\n",
	      out);
	print_verbs(verbs, "", out);
	fputs("\nOptions:\n", out);
	print_entry("--help", "show this text", strlen("--version") + MARGIN + 2, out);
	print_entry("--version", "show the version", strlen("--version") + MARGIN + 2, out);
	fputs("\nExit status: 0 done; 1 it failed; 2 the request is wrong; 3 the machine or a\n"
	      "permission lacks something.\n",
	      out);
}
