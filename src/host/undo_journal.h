/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal's file: a header line that names the boot and the verb, then a line an entry. Each
 * line starts with '+' (to be undone) or '-' (done; one byte, overwritten in place) and ends in a
 * checksum, so that a torn or damaged one is never acted upon. Private to undo*.c.
 */
#ifndef SNUG_HOST_UNDO_JOURNAL_H
#define SNUG_HOST_UNDO_JOURNAL_H

#include "undo.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define UNDO_DIRECTORY	 "run/snug"
#define UNDO_PREFIX	 "undo-"
#define UNDO_WHAT_MAX	 32
#define UNDO_BOOT_MAX	 64
#define UNDO_JOURNAL_MAX ((size_t)4 << 20)

struct undo_line {
	struct undo_entry entry;
	off_t offset; /* of its first byte in the file */
	bool done;
};

struct undo_journal {
	char boot[UNDO_BOOT_MAX], what[UNDO_WHAT_MAX];
	struct undo_line *lines;
	size_t n;
	bool damaged; /* a whole line that is not one of ours; a torn last one does not count */
};

/* A folder that only this user can write to: whoever else could would choose what is undone. */
int undo_directory_check(int root, struct err *e);
int undo_directory_make(int root, struct err *e);

/* Without a boot id (no /proc) "-": a journal holds then as long as /run does. */
void undo_boot_id(int root, char buf[UNDO_BOOT_MAX]);

/* Lines with their newline, to be freed; NULL: no memory. */
char *undo_header_format(const char *boot, const char *what);
char *undo_line_format(const struct undo_entry *entry);

/* -EBADMSG: the header is not one. A torn header is an empty journal. */
int undo_journal_parse(const char *text, size_t len, struct undo_journal *ret);
void undo_journal_free(struct undo_journal *j);

#endif
