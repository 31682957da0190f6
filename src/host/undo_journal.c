/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "undo_journal.h"

#include "err.h"
#include "kerntext.h"
#include "sysread.h"
#include "undo_actions.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER "snug-undo-1"

enum {
	FIELDS = 5, /* action, number, inode, path, text */
	LINE_MAX_BYTES = 3 * (UNDO_PATH_MAX + UNDO_TEXT_MAX) + 128,
};

int undo_directory_check(int root, struct err *e)
{
	struct stat st;

	if (fstatat(root, UNDO_DIRECTORY, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_failed(e, -errno, "cannot look at /" UNDO_DIRECTORY ": %s",
				  err_name(-errno));
	if (S_ISDIR(st.st_mode) && st.st_uid == 0 && geteuid() != 0)
		return err_missing(e, -EPERM,
				   "/" UNDO_DIRECTORY " belongs to root; run this as root (sudo)");
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return err_failed(e, -EPERM,
				  "/" UNDO_DIRECTORY
				  " is not a directory that only user %d can write to; "
				  "move it away",
				  (int)geteuid());
	return 0;
}

int undo_directory_make(int root, struct err *e)
{
	if (mkdirat(root, "run", 0755) < 0 && errno != EEXIST)
		return err_missing(e, -errno, "cannot make /run: %s", err_name(-errno));
	if (mkdirat(root, UNDO_DIRECTORY, 0700) < 0 && errno != EEXIST)
		return err_missing(e, -errno,
				   "cannot make /" UNDO_DIRECTORY ": %s; run this as root (sudo)",
				   err_name(-errno));
	return undo_directory_check(root, e);
}

void undo_boot_id(int root, char buf[UNDO_BOOT_MAX])
{
	if (sysread_word(root, buf, UNDO_BOOT_MAX, "proc/sys/kernel/random/boot_id") < 0)
		strcpy(buf, "-");
}

/* FNV-1a: this is against torn writes and bad memory, not against people. */
static uint32_t checksum(const char *text, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * 16777619u;
	return h;
}

/* Anything but plain printing characters becomes %XX; an empty word becomes "%". */
static size_t escape(char *out, const char *text)
{
	size_t n = 0;

	for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
		if (*c > ' ' && *c < 0x7f && *c != '%')
			out[n++] = (char)*c;
		else
			n += (size_t)sprintf(out + n, "%%%02X", *c);
	}
	if (n == 0)
		out[n++] = '%';
	out[n] = '\0';
	return n;
}

static int hex_digit(char c)
{
	const char *digits = "0123456789ABCDEF";
	const char *at = c ? strchr(digits, c) : NULL;

	return at ? (int)(at - digits) : -1;
}

static int unescape(const char *word, char *out, size_t size)
{
	size_t n = 0;

	if (strcmp(word, "%") == 0)
		word++;
	for (; *word; word++) {
		char c = *word;

		if (c == '%') {
			int high = hex_digit(word[1]), low = high < 0 ? -1 : hex_digit(word[2]);

			if (low < 0 || high * 16 + low == 0)
				return -EBADMSG;
			c = (char)(high * 16 + low);
			word += 2;
		}
		if (n + 1 >= size)
			return -EBADMSG;
		out[n++] = c;
	}
	out[n] = '\0';
	return 0;
}

/* Adds the mark in front and the checksum behind. */
static char *seal(const char *body)
{
	char *line = NULL;

	if (asprintf(&line, "+%s %08" PRIx32 "\n", body, checksum(body, strlen(body))) < 0)
		return NULL;
	return line;
}

char *undo_header_format(const char *boot, const char *what)
{
	char body[sizeof(HEADER) + 3 * (UNDO_BOOT_MAX + UNDO_WHAT_MAX) + 8];
	size_t n = (size_t)sprintf(body, "%s ", HEADER);

	n += escape(body + n, boot);
	body[n++] = ' ';
	escape(body + n, what);
	return seal(body);
}

char *undo_line_format(const struct undo_entry *entry)
{
	char body[LINE_MAX_BYTES];
	size_t n = (size_t)sprintf(body, "%s %" PRIu64 " %" PRIu64 " ",
				   undo_action_name(entry->action), entry->number, entry->inode);

	n += escape(body + n, entry->path);
	body[n++] = ' ';
	escape(body + n, entry->text);
	return seal(body);
}

/* Checks and takes off mark and checksum; what is left is split at single blanks. */
static int open_line(char *line, bool *ret_done, char **words, size_t n_words)
{
	char expected[16];
	char *sum = strrchr(line, ' ');
	char *rest = line + 1;

	if (!sum || sum == line || (*line != '+' && *line != '-'))
		return -EBADMSG;
	snprintf(expected, sizeof(expected), "%08" PRIx32, checksum(rest, (size_t)(sum - rest)));
	if (strcmp(sum + 1, expected))
		return -EBADMSG;
	*sum = '\0';
	*ret_done = *line == '-';
	for (size_t i = 0; i < n_words; i++) {
		words[i] = strsep(&rest, " ");
		if (!words[i] || !*words[i])
			return -EBADMSG;
	}
	return rest ? -EBADMSG : 0;
}

static int parse_number(const char *word, uint64_t *ret)
{
	char back[24];

	*ret = strtoull(word, NULL, 10);
	snprintf(back, sizeof(back), "%" PRIu64, *ret);
	return strcmp(word, back) ? -EBADMSG : 0;
}

static int parse_entry(char *line, struct undo_line *ret)
{
	char *words[FIELDS];
	struct undo_entry *entry = &ret->entry;

	if (open_line(line, &ret->done, words, FIELDS) < 0 ||
	    undo_action_find(words[0], &entry->action) < 0 ||
	    parse_number(words[1], &entry->number) < 0 ||
	    parse_number(words[2], &entry->inode) < 0 ||
	    unescape(words[3], entry->path, sizeof(entry->path)) < 0 ||
	    unescape(words[4], entry->text, sizeof(entry->text)) < 0)
		return -EBADMSG;
	return undo_action_check(entry);
}

static int parse_header(char *line, struct undo_journal *j)
{
	char *words[3];
	bool done;

	if (open_line(line, &done, words, 3) < 0 || strcmp(words[0], HEADER) ||
	    unescape(words[1], j->boot, sizeof(j->boot)) < 0 ||
	    unescape(words[2], j->what, sizeof(j->what)) < 0)
		return -EBADMSG;
	return 0;
}

static int parse_lines(char *text, size_t len, struct undo_journal *j)
{
	bool header = true;
	char *newline;

	for (char *line = text; (newline = memchr(line, '\n', len - (size_t)(line - text)));
	     line = newline + 1) {
		struct undo_line parsed = {.offset = line - text};
		struct undo_line *more;
		bool whole = !memchr(line, '\0', (size_t)(newline - line));

		*newline = '\0';
		if (header) {
			if (!whole || parse_header(line, j) < 0)
				return -EBADMSG;
			header = false;
			continue;
		}
		if (!whole || parse_entry(line, &parsed) < 0) {
			j->damaged = true;
			continue;
		}
		more = reallocarray(j->lines, j->n + 1, sizeof(*more));
		if (!more)
			return -ENOMEM;
		j->lines = more;
		j->lines[j->n++] = parsed;
	}
	return 0;
}

int undo_journal_parse(const char *text, size_t len, struct undo_journal *ret)
{
	struct undo_journal j = {0};
	char *copy = malloc(len + 1);
	int r = -ENOMEM;

	if (copy) {
		memcpy(copy, text, len);
		r = parse_lines(copy, len, &j);
	}
	free(copy);
	if (r < 0)
		undo_journal_free(&j);
	else
		*ret = j;
	return r;
}

void undo_journal_free(struct undo_journal *j)
{
	free(j->lines);
	*j = (struct undo_journal){0};
}
