/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fields.h"

#include "kerntext.h"

#include <errno.h>
#include <string.h>

static const char *skip_blanks(const char *p)
{
	return p + strspn(p, " \t");
}

bool fields_word(const char **p, char *buf, size_t size)
{
	const char *start = skip_blanks(*p);
	size_t len = strcspn(start, " \t\n");

	if (!len || len >= size)
		return false;
	memcpy(buf, start, len);
	buf[len] = '\0';
	*p = start + len;
	return true;
}

bool fields_number(const char **p, int64_t *ret)
{
	const char *at = *p;
	char buf[24];

	if (!fields_word(&at, buf, sizeof(buf)) || kerntext_number(buf, ret) < 0)
		return false;
	*p = at;
	return true;
}

void fields_next_line(const char **p)
{
	*p += strcspn(*p, "\n");
	*p += **p == '\n';
}

int fields_of_key(const char *text, const char *key, int64_t *ret)
{
	size_t len = strlen(key);

	for (; *text; fields_next_line(&text)) {
		const char *p = text + len;
		int64_t value;

		if (strncmp(text, key, len) || *p != ' ')
			continue;
		if (!fields_number(&p, &value) || (*p && *p != '\n'))
			return -EBADMSG;
		*ret = value;
		return 0;
	}
	return -ENOENT;
}

bool fields_have(const char *text, const char *word)
{
	size_t len = strlen(word);

	for (const char *p = skip_blanks(text); *p && *p != '\n'; p = skip_blanks(p)) {
		size_t n = strcspn(p, " \t\n");

		if (n == len && !memcmp(p, word, n))
			return true;
		p += n;
	}
	return false;
}
