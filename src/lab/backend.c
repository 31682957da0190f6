/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend.h"

#include "backends.h"
#include "err.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

const struct backend_ops *const backend_table[] = {
	&backend_none, &backend_file, &backend_dev, &backend_zram, &backend_zswap, NULL,
};

const char *backend_kinds(char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; backend_table[i] && len < size; i++)
		len += (size_t)snprintf(buf + len, size - len, "%s%s%s", i ? ", " : "",
					backend_table[i]->name, backend_table[i]->grammar);
	return buf;
}

static const struct backend_ops *find(const char *name, size_t len, struct err *e)
{
	char known[512];

	for (size_t i = 0; backend_table[i]; i++)
		if (strlen(backend_table[i]->name) == len &&
		    strncmp(backend_table[i]->name, name, len) == 0)
			return backend_table[i];
	err_usage(e, -EINVAL, "unknown backend '%.*s'; known are %s", (int)len, name,
		  backend_kinds(known, sizeof(known)));
	return NULL;
}

int backend_take_word(const struct backend *b, const char *key, const char *value, char *buf,
		      size_t size, struct err *e)
{
	if (!*value || strlen(value) >= size)
		return err_usage(e, -EINVAL, "backend '%s': %s%s'%s' is %s", b->name, key,
				 *key ? "=" : "", value, *value ? "too long" : "empty");
	strcpy(buf, value);
	return 0;
}

int backend_unknown_option(const struct backend *b, const char *key, struct err *e)
{
	return err_usage(e, -EINVAL, "backend '%s': unknown option '%s'; it is written %s%s",
			 b->name, key, b->ops->name, b->ops->grammar);
}

/* One part between commas: the first is the argument, the rest are key=value. */
static int take_part(struct backend *b, char *part, bool first, struct err *e)
{
	char *equals = strchr(part, '=');

	if (first)
		return b->ops->option(b, "", part, e);
	if (!equals)
		return err_usage(e, -EINVAL,
				 "backend '%s': '%s' is not key=value; it is written %s%s", b->name,
				 part, b->ops->name, b->ops->grammar);
	*equals = '\0';
	return b->ops->option(b, part, equals + 1, e);
}

int backend_parse(struct backend *b, const char *text, struct err *e)
{
	char copy[PLAN_BACKEND_MAX];
	size_t kind_len = strcspn(text, ":");
	bool first = true;
	int r = 0;

	*b = (struct backend){.max_percent = -1, .devices = 1};
	if (strlen(text) >= sizeof(copy))
		return err_usage(e, -EINVAL, "backend '%.40s...' is too long", text);
	strcpy(b->name, text);
	b->ops = find(text, kind_len, e);
	if (!b->ops)
		return -EINVAL;
	if (!text[kind_len] && b->ops->needs_argument)
		return err_usage(e, -EINVAL, "backend '%s' needs more; it is written %s%s", text,
				 b->ops->name, b->ops->grammar);
	if (!text[kind_len])
		return 0;
	strcpy(copy, text + kind_len + 1);
	for (char *part = copy, *next; r == 0 && part; part = next, first = false) {
		next = strchr(part, ',');
		if (next)
			*next++ = '\0';
		r = take_part(b, part, first, e);
	}
	return r;
}
