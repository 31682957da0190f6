/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * getopt_long would do most of this, but it takes abbreviations (so that a new option can break an
 * old script), prints its errors itself, and keeps its place in global variables.
 */
#include "cli.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The option whose name is the len bytes at name; CLI_BAD if there is none. */
static int find_option(const struct cli_verb *verb, const char *name, size_t len)
{
	for (int i = 0; verb->options && verb->options[i].name; i++)
		if (strlen(verb->options[i].name) == len &&
		    strncmp(verb->options[i].name, name, len) == 0)
			return i;
	return CLI_BAD;
}

/* Appends to the text in buf, cutting off what does not fit. */
static void append(char *buf, size_t size, const char *text)
{
	size_t used = strlen(buf);

	snprintf(buf + used, size - used, "%s", text);
}

static int unknown_option(const struct cli_verb *verb, const char *word, struct err *e)
{
	char known[400] = "";

	for (int i = 0; verb->options && verb->options[i].name; i++) {
		append(known, sizeof(known), "--");
		append(known, sizeof(known), verb->options[i].name);
		append(known, sizeof(known), ", ");
	}
	append(known, sizeof(known), "--help");
	err_usage(e, -EINVAL, "unknown option '%.60s'; the known ones are %s", word, known);
	return CLI_BAD;
}

int cli_next(struct cli_args *a, struct err *e)
{
	const char *word, *equals;
	size_t len;
	int index;

	a->value = NULL;
	if (a->next >= a->argc)
		return CLI_END;
	word = a->argv[a->next];
	if (word[0] != '-' || word[1] == '\0')
		return CLI_END;
	a->next++;
	if (strcmp(word, "--") == 0)
		return CLI_END;
	if (word[1] != '-')
		return unknown_option(a->verb, word, e);
	len = strcspn(word + 2, "=");
	equals = word[2 + len] ? word + 2 + len : NULL;
	index = find_option(a->verb, word + 2, len);
	if (index < 0)
		return unknown_option(a->verb, word, e);
	if (!a->verb->options[index].argument) {
		if (!equals)
			return index;
		err_usage(e, -EINVAL, "--%s takes no argument", a->verb->options[index].name);
		return CLI_BAD;
	}
	if (equals)
		a->value = equals + 1;
	else if (a->next < a->argc)
		a->value = a->argv[a->next++];
	if (a->value)
		return index;
	err_usage(e, -EINVAL, "--%s needs an argument: %s", a->verb->options[index].name,
		  a->verb->options[index].argument);
	return CLI_BAD;
}

int cli_fail(const struct cli_verb *verb, const struct err *e)
{
	fprintf(stderr, "snug %s: %s\n", verb->name, e->text);
	return e->kind ? (int)e->kind : ERR_FAILED;
}
