/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A command in one line of text, as words. Blanks part them; '...' keeps all as it is, "..." all
 * but
 * \" and \\, and \ keeps the next character. What a shell would expand ($, `, *, ~) stands for
 * itself.
 */
#include "err.h"
#include "plan_setting.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The word at *s goes to `to`, which has room for all that is left; *s is after it. false: a quote
 * or backslash has no end. */
static bool take_word(const char **s, char *to)
{
	const char *at = *s;
	char quote = '\0';

	for (; *at && (quote || !strchr(" \t", *at)); at++) {
		bool escapes = *at == '\\' && quote != '\'';

		if (escapes && quote && at[1] != '"' && at[1] != '\\')
			escapes = false;
		if (escapes && !*++at)
			return false;
		if (!escapes && (quote ? *at == quote : *at == '\'' || *at == '"'))
			quote = quote ? '\0' : *at;
		else
			*to++ = *at;
	}
	*to = '\0';
	*s = at;
	return !quote;
}

static int add_word(struct plan *p, size_t n, const char **s, const char *what, struct err *e)
{
	char *word;

	if (n == PLAN_COMMAND_MAX)
		return err_usage(e, -E2BIG, "%s: more than %d words; put the command in a script",
				 what, PLAN_COMMAND_MAX);
	word = malloc(strlen(*s) + 1);
	if (!word)
		return err_failed(e, -ENOMEM, "out of memory");
	p->command[n] = word;
	p->command[n + 1] = NULL;
	return take_word(s, word) ? 0 : err_usage(e, -EINVAL, "%s: a quote has no end", what);
}

int plan_set_command(struct plan *p, const struct setting_text *text, struct err *e)
{
	const char *s = text->value + strspn(text->value, " \t");
	size_t n = 0;
	int r = 0;

	plan_free(p);
	if (!*s)
		return err_usage(e, -EINVAL, "%s: it is empty", text->what);
	for (; r == 0 && *s; s += strspn(s, " \t"))
		r = add_word(p, n++, &s, text->what, e);
	if (r == 0)
		strcpy(p->workload, "command");
	return r;
}
