/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See kerntext.h. Each parser walks a cursor over the text through the few helpers below, which
 * take exactly what the kernel's printf wrote: no signs, no blanks and no bases that strtoull would
 * accept besides.
 */
#include "kerntext.h"

#include <errno.h>
#include <string.h>

static bool take_digits(const char **p, unsigned base, uint64_t *ret)
{
	const char *start = *p;
	uint64_t value = 0;

	for (;; (*p)++) {
		unsigned char c = (unsigned char)**p;
		unsigned digit = c - '0';

		if (digit > 9)
			digit = base == 16 && c >= 'a' && c <= 'f' ? c - 'a' + 10u : 99;
		if (digit >= base)
			break;
		if (value > (UINT64_MAX - digit) / base)
			return false;
		value = value * base + digit;
	}
	*ret = value;
	return *p != start;
}

static bool take_char(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

static void skip_blanks(const char **p)
{
	while (**p == ' ' || **p == '\t')
		(*p)++;
}

/* At the end, or at the newline that is the end. */
static bool at_end(const char *p)
{
	return !*p || (*p == '\n' && !p[1]);
}

/* Over the newline, to the next line; false if anything is left on this one. */
static bool take_newline(const char **p)
{
	if (!**p)
		return true;
	return take_char(p, '\n');
}

static bool take_word(const char **p, char *buf, size_t size)
{
	size_t len = strcspn(*p, " \t\n");

	if (!len || len >= size)
		return false;
	memcpy(buf, *p, len);
	buf[len] = '\0';
	*p += len;
	return true;
}

static bool to_kib_bytes(uint64_t kib, uint64_t *ret)
{
	if (kib > INT64_MAX / 1024)
		return false;
	*ret = kib * 1024;
	return true;
}

int kerntext_number(const char *text, int64_t *ret)
{
	uint64_t value;

	if (!take_digits(&text, 10, &value) || value > INT64_MAX || !at_end(text))
		return -EBADMSG;
	*ret = (int64_t)value;
	return 0;
}

int kerntext_bool(const char *text, bool *ret)
{
	char c = *text;

	if (!c || !strchr("YN10", c) || !at_end(text + 1))
		return -EBADMSG;
	*ret = c == 'Y' || c == '1';
	return 0;
}

int kerntext_word(const char *text, char *buf, size_t size)
{
	size_t len = strcspn(text, " \t\n");

	if (!len || !at_end(text + len))
		return -EBADMSG;
	if (len >= size)
		return -ENAMETOOLONG;
	memcpy(buf, text, len);
	buf[len] = '\0';
	return 0;
}

int kerntext_meminfo(const char *text, const char *key, uint64_t *ret_bytes)
{
	size_t key_len = strlen(key);
	uint64_t bytes = 0;
	bool found = false;

	while (*text) {
		const char *p = text;

		text += strcspn(text, "\n");
		text += *text == '\n';
		if (strncmp(p, key, key_len) || p[key_len] != ':')
			continue;
		p += key_len + 1;
		skip_blanks(&p);
		if (found || !take_digits(&p, 10, &bytes) || !to_kib_bytes(bytes, &bytes) ||
		    strncmp(p, " kB", 3) || (p[3] != '\n' && p[3]))
			return -EBADMSG;
		found = true;
	}
	if (!found)
		return -ENOENT;
	*ret_bytes = bytes;
	return 0;
}

int kerntext_choice(const char *text, struct kerntext_choice *ret)
{
	struct kerntext_choice c = {.chosen = -1};

	for (skip_blanks(&text); !at_end(text); skip_blanks(&text)) {
		size_t len = strcspn(text, " \t\n");
		bool chosen = *text == '[';

		if (chosen && (len < 3 || text[len - 1] != ']' || c.chosen >= 0))
			return -EBADMSG;
		text += chosen;
		len -= 2 * (size_t)chosen;
		if (!len || len >= KERNTEXT_WORD_MAX || c.n == KERNTEXT_CHOICES)
			return -EBADMSG;
		memcpy(c.words[c.n], text, len);
		if (chosen)
			c.chosen = (int)c.n;
		c.n++;
		text += len + chosen;
	}
	if (!c.n)
		return -EBADMSG;
	*ret = c;
	return 0;
}

/* The kernel writes blank, tab, newline and backslash in names as \ooo. */
static bool unescape(char *name)
{
	char *out = name;

	for (; *name; name++) {
		unsigned value = 0;

		if (*name != '\\') {
			*out++ = *name;
			continue;
		}
		for (int i = 1; i <= 3; i++) {
			if (name[i] < '0' || name[i] > '7')
				return false;
			value = value * 8 + (unsigned)(name[i] - '0');
		}
		*out++ = (char)value;
		name += 3;
	}
	*out = '\0';
	return true;
}

int kerntext_swap(const char **cursor, struct kerntext_swap *ret)
{
	struct kerntext_swap s = {0};
	const char *p = *cursor;
	uint64_t priority, size, used;
	bool negative;

	if (!strncmp(p, "Filename", 8)) {
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	if (!*p)
		return -ENOENT;
	if (!take_word(&p, s.path, sizeof(s.path)) || !unescape(s.path))
		return -EBADMSG;
	skip_blanks(&p);
	/* A file whose name was removed while in use. */
	if (!strncmp(p, "(deleted)", 9)) {
		p += 9;
		skip_blanks(&p);
	}
	if (!take_word(&p, s.type, sizeof(s.type)))
		return -EBADMSG;
	skip_blanks(&p);
	if (!take_digits(&p, 10, &size) || !to_kib_bytes(size, &s.size_bytes))
		return -EBADMSG;
	skip_blanks(&p);
	if (!take_digits(&p, 10, &used) || !to_kib_bytes(used, &s.used_bytes))
		return -EBADMSG;
	skip_blanks(&p);
	negative = take_char(&p, '-');
	if (!take_digits(&p, 10, &priority) || priority > 32768 || !take_newline(&p))
		return -EBADMSG;
	s.priority = negative ? -(int)priority : (int)priority;
	*ret = s;
	*cursor = p;
	return 0;
}

int kerntext_mm_stat(const char *text, struct kerntext_mm_stat *ret)
{
	/* Seven columns since Linux 4.1, huge_pages since 4.18, huge_pages_since since 5.13. */
	enum { COLUMNS_LEAST = 7, COLUMNS_MOST = 9 };
	int64_t v[COLUMNS_MOST] = {[7] = -1, [8] = -1};
	int n = 0;

	for (skip_blanks(&text); !at_end(text); skip_blanks(&text)) {
		uint64_t value;

		if (n == COLUMNS_MOST || !take_digits(&text, 10, &value) || value > INT64_MAX ||
		    (*text && !strchr(" \t\n", *text)))
			return -EBADMSG;
		v[n++] = (int64_t)value;
	}
	if (n < COLUMNS_LEAST)
		return -EBADMSG;
	*ret = (struct kerntext_mm_stat){v[0], v[1], v[2], v[3], v[4], v[5], v[6], v[7], v[8]};
	return 0;
}

int kerntext_cpu_list(const char *text, int64_t *ret_count)
{
	uint64_t count = 0, first, last, previous = 0;

	while (!at_end(text)) {
		if (count && !take_char(&text, ','))
			return -EBADMSG;
		if (!take_digits(&text, 10, &first))
			return -EBADMSG;
		last = first;
		if (take_char(&text, '-') && !take_digits(&text, 10, &last))
			return -EBADMSG;
		if (last < first || last > 1 << 20 || (count && first <= previous))
			return -EBADMSG;
		count += last - first + 1;
		previous = last;
	}
	if (!count)
		return -EBADMSG;
	*ret_count = (int64_t)count;
	return 0;
}

int kerntext_release(const char *text, unsigned *ret_major, unsigned *ret_minor)
{
	uint64_t major, minor;

	if (!take_digits(&text, 10, &major) || !take_char(&text, '.') ||
	    !take_digits(&text, 10, &minor) || major > 1000 || minor > 1000)
		return -EBADMSG;
	*ret_major = (unsigned)major;
	*ret_minor = (unsigned)minor;
	return 0;
}

int kerntext_cpuinfo(const char *text, const char *key, char *buf, size_t size)
{
	size_t key_len = strlen(key);

	while (*text) {
		const char *p = text;
		size_t len;

		text += strcspn(text, "\n");
		text += *text == '\n';
		if (strncmp(p, key, key_len))
			continue;
		p += key_len;
		skip_blanks(&p);
		if (!take_char(&p, ':'))
			continue;
		skip_blanks(&p);
		len = strcspn(p, "\n");
		if (!len)
			continue;
		if (len >= size)
			len = size - 1;
		memcpy(buf, p, len);
		buf[len] = '\0';
		return 0;
	}
	return -ENOENT;
}

int kerntext_stat_has_memory(const char *text, bool *ret)
{
	enum { FLAGS_FIELD = 9, PF_KTHREAD = 0x00200000 };
	/* The name is in brackets and may contain anything, brackets too. */
	const char *p = strrchr(text, ')');
	uint64_t flags;
	char state;

	if (!p)
		return -EBADMSG;
	p++;
	if (!take_char(&p, ' ') || !*p || *p == '\n')
		return -EBADMSG;
	state = *p;
	for (int field = 3; field < FLAGS_FIELD; field++) {
		p += strcspn(p, " ");
		if (!take_char(&p, ' '))
			return -EBADMSG;
	}
	if (!take_digits(&p, 10, &flags) || *p != ' ')
		return -EBADMSG;
	*ret = !(flags & PF_KTHREAD) && state != 'Z' && state != 'X';
	return 0;
}

/* "rw-p": four letters, each its own or a dash; the last is p or s. */
static bool take_permissions(const char **p, struct kerntext_map *m)
{
	const char *s = *p;

	if ((s[0] != 'r' && s[0] != '-') || (s[1] != 'w' && s[1] != '-') ||
	    (s[2] != 'x' && s[2] != '-') || (s[3] != 'p' && s[3] != 's'))
		return false;
	m->readable = s[0] == 'r';
	m->private = s[3] == 'p';
	*p += 4;
	return true;
}

int kerntext_map(const char **cursor, struct kerntext_map *ret)
{
	struct kerntext_map m = {0};
	const char *p = *cursor;
	uint64_t offset, dev;

	if (!*p)
		return -ENOENT;
	if (!take_digits(&p, 16, &m.start) || !take_char(&p, '-') || !take_digits(&p, 16, &m.end) ||
	    m.end <= m.start || !take_char(&p, ' ') || !take_permissions(&p, &m) ||
	    !take_char(&p, ' ') || !take_digits(&p, 16, &offset) || !take_char(&p, ' ') ||
	    !take_digits(&p, 16, &dev) || !take_char(&p, ':') || !take_digits(&p, 16, &dev) ||
	    !take_char(&p, ' ') || !take_digits(&p, 10, &m.inode))
		return -EBADMSG;
	skip_blanks(&p);
	m.path = p;
	m.path_len = strcspn(p, "\n");
	p += m.path_len;
	if (!take_newline(&p))
		return -EBADMSG;
	*ret = m;
	*cursor = p;
	return 0;
}
