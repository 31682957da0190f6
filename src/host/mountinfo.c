/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mountinfo.h"

#include "kerntext.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

/* The kernel writes blank, tab, newline and backslash as \ooo; a backslash else is itself. */
static void unescape(char *text)
{
	char *out = text;

	while (*text) {
		if (text[0] == '\\' && strspn(text + 1, "01234567") >= 3) {
			*out++ = (char)((text[1] - '0') << 6 | (text[2] - '0') << 3 |
					(text[3] - '0'));
			text += 4;
		} else {
			*out++ = *text++;
		}
	}
	*out = '\0';
}

static bool parse_device(char *text, struct mountinfo *m)
{
	char *minor = text;
	int64_t first, second;

	strsep(&minor, ":");
	if (!minor || kerntext_number(text, &first) < 0 || kerntext_number(minor, &second) < 0 ||
	    first > INT_MAX || second > INT_MAX)
		return false;
	m->major = (unsigned)first;
	m->minor = (unsigned)second;
	return true;
}

/* "34 30 0:31 / /sys/fs/cgroup/memory rw,relatime shared:9 - cgroup cgroup rw,memory" */
static bool parse_line(char *line, struct mountinfo *m)
{
	enum { ID, PARENT, DEVICE, ROOT, POINT, OPTIONS, FIELDS };
	char *field[FIELDS], *tag, *type, *source;

	for (int i = 0; i < FIELDS; i++)
		if (!(field[i] = strsep(&line, " ")))
			return false;
	/* Any number of tags. */
	while ((tag = strsep(&line, " ")) && strcmp(tag, "-"))
		;
	type = strsep(&line, " ");
	source = strsep(&line, " ");
	if (!source || !line || kerntext_number(field[ID], &m->id) < 0 ||
	    !parse_device(field[DEVICE], m))
		return false;
	unescape(field[POINT]);
	unescape(source);
	m->point = field[POINT];
	m->type = type;
	m->source = source;
	m->options = line;
	return true;
}

bool mountinfo_next(char **cursor, struct mountinfo *ret)
{
	struct mountinfo m = {0};
	char *line;

	while ((line = strsep(cursor, "\n"))) {
		if (!parse_line(line, &m))
			continue;
		*ret = m;
		return true;
	}
	return false;
}

bool mountinfo_has_option(const struct mountinfo *m, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = m->options; p; p = strchr(p, ',')) {
		p += *p == ',';
		if (!strncmp(p, word, len) && (!p[len] || p[len] == ','))
			return true;
	}
	return false;
}
