/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plan.h"

#include "backend.h"
#include "cleanup.h"
#include "err.h"
#include "plan_setting.h"
#include "workload.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void plan_init(struct plan *p)
{
	*p = (struct plan){
		.workload = "build",
		.seed = 1,
		.pressure = 2,
		.thrash_s = 10,
		.thrash_psi = 0.5,
		.interval_s = 1,
	};
}

void plan_free(struct plan *p)
{
	for (size_t i = 0; p->command[i]; i++)
		free(p->command[i]);
	p->command[0] = NULL;
}

unsigned plan_runs(const struct plan *p)
{
	return p->runs ? p->runs : p->quick ? 3 : 5;
}

int plan_set(struct plan *p, const char *name, const char *value, uint64_t ram_bytes,
	     const char *what, struct err *e)
{
	const struct setting *s = plan_setting_find(name);
	struct setting_text text = {.value = value, .what = what, .ram_bytes = ram_bytes};

	return s ? s->set(p, &text, e) : err_usage(e, -EINVAL, "%s: unknown", what);
}

int plan_check(const struct plan *p, struct err *e)
{
	bool is_command = strcmp(p->workload, "command") == 0;
	struct backend b;
	int r = 0;

	if (!workload_find(p->workload, e))
		return -EINVAL;
	if (is_command && !p->command[0])
		return err_usage(e, -EINVAL,
				 "which command? Write it after '--': snug race -- make -j4");
	if (!is_command && p->command[0])
		return err_usage(e, -EINVAL, "a command is given, but the workload is '%s'",
				 p->workload);
	for (size_t i = 0; r == 0 && i < p->n_backends; i++)
		r = backend_parse(&b, p->backends[i], e);
	return r;
}

/* A word as a shell has to be told it. */
static void write_word(FILE *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";

	if (*word && strspn(word, plain) == strlen(word)) {
		fputs(word, out);
		return;
	}
	fputc('\'', out);
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", out);
		else
			fputc(*word, out);
	fputc('\'', out);
}

static void write_setting(FILE *out, const struct setting *s, const struct plan *p)
{
	char buf[SETTING_MAX];
	const char *value;

	for (size_t n = 0; (value = s->show(p, n, buf)); n++) {
		fprintf(out, " --%s", s->name);
		if (*value) {
			fputc(' ', out);
			write_word(out, value);
		}
	}
}

char *plan_command_line(const struct plan *p)
{
	CLEANUP_FREE char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return NULL;
	fputs("snug race", out);
	for (const struct setting *s = plan_settings; s->name; s++)
		write_setting(out, s, p);
	for (size_t i = 0; p->command[i]; i++) {
		fputs(i ? " " : " -- ", out);
		write_word(out, p->command[i]);
	}
	return fclose(out) == 0 ? TAKE(text) : NULL;
}
