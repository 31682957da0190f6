/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plans from files. A line is a section, a setting, a comment or empty; nothing goes on in the next
 * line, and a # in a value is part of it.
 */
#include "cleanup.h"
#include "err.h"
#include "plan_setting.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 4096, SETTINGS_MAX = 32 };

struct reader {
	struct plan *plan;
	uint64_t ram_bytes;
	const char *path;
	unsigned line;
	const char *section; /* NULL: before the first */
	bool given[SETTINGS_MAX];
	struct err *e;
};

/* Without blanks around it, in place. */
static char *trim(char *s)
{
	size_t len;

	while (isspace((unsigned char)*s))
		s++;
	len = strlen(s);
	while (len && isspace((unsigned char)s[len - 1]))
		len--;
	s[len] = '\0';
	return s;
}

/* The settings of a section, or, if section is NULL, the sections. */
static const char *list(const char *section, char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (const struct setting *s = plan_settings; s->name && len < size; s++) {
		bool again = s > plan_settings && strcmp(s->section, s[-1].section) == 0;

		if (section ? strcmp(s->section, section) == 0 : !again)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
						section ? s->name : s->section);
	}
	return buf;
}

static int begin_section(struct reader *r, char *line)
{
	size_t len = strlen(line);
	char known[256], *name;

	if (line[len - 1] != ']')
		return err_usage(r->e, -EINVAL, "%s:%u: a section ends with ]", r->path, r->line);
	line[len - 1] = '\0';
	name = trim(line + 1);
	for (const struct setting *s = plan_settings; s->name; s++)
		if (strcmp(s->section, name) == 0) {
			r->section = s->section;
			return 0;
		}
	return err_usage(r->e, -EINVAL, "%s:%u: unknown section '%.40s'; known are %s", r->path,
			 r->line, name, list(NULL, known, sizeof(known)));
}

static int take_setting(struct reader *r, const char *name, const char *value)
{
	const struct setting *s = plan_setting_find(name);
	struct setting_text text = {.value = value, .ram_bytes = r->ram_bytes};
	char known[256], what[256];
	bool *given;

	if (!r->section)
		return err_usage(r->e, -EINVAL,
				 "%s:%u: '%.40s' stands before any section; known are %s", r->path,
				 r->line, name, list(NULL, known, sizeof(known)));
	if (!s || strcmp(s->section, r->section) != 0)
		return err_usage(r->e, -EINVAL, "%s:%u: unknown key '%.40s' in [%s]; known are %s",
				 r->path, r->line, name, r->section,
				 list(r->section, known, sizeof(known)));
	given = &r->given[s - plan_settings];
	if (*given && !s->repeats)
		return err_usage(r->e, -EINVAL, "%s:%u: %s is given twice", r->path, r->line, name);
	*given = true;
	snprintf(what, sizeof(what), "%s:%u: %s", r->path, r->line, name);
	text.what = what;
	return s->set(r->plan, &text, r->e);
}

static int take_line(struct reader *r, char *line)
{
	char *equals = strchr(line, '=');

	if (*line == '\0' || *line == '#' || *line == ';')
		return 0;
	if (*line == '[')
		return begin_section(r, line);
	if (!equals)
		return err_usage(r->e, -EINVAL, "%s:%u: neither [section] nor key = value", r->path,
				 r->line);
	*equals = '\0';
	return take_setting(r, trim(line), trim(equals + 1));
}

/* 1: a line, without its newline; 0: the end. */
static int read_line(struct reader *r, FILE *file, char **line, size_t *cap)
{
	ssize_t len = getline(line, cap, file);

	r->line++;
	if (len < 0)
		return ferror(file) ? err_usage(r->e, -EIO, "cannot read %s: %s", r->path,
						err_name(-errno))
				    : 0;
	if (len > LINE_MAX_BYTES || strlen(*line) != (size_t)len)
		return err_usage(r->e, -EINVAL, "%s:%u: this is not a line of text", r->path,
				 r->line);
	return 1;
}

int plan_read(struct plan *p, const char *path, uint64_t ram_bytes, struct err *e)
{
	CLEANUP_FCLOSE FILE *file = fopen(path, "re");
	CLEANUP_FREE char *line = NULL;
	struct reader reader = {.plan = p, .ram_bytes = ram_bytes, .path = path, .e = e};
	size_t cap = 0;
	int r;

	if (!file)
		return err_usage(e, -errno, "cannot open %s: %s", path, err_name(-errno));
	while ((r = read_line(&reader, file, &line, &cap)) > 0) {
		r = take_line(&reader, trim(line));
		if (r < 0)
			return r;
	}
	return r;
}
