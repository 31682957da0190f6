/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Trees with journals in them: written by a process that is gone, or open in this one. */
#ifndef SNUG_TESTS_FAKE_JOURNAL_H
#define SNUG_TESTS_FAKE_JOURNAL_H

#include "fake_host.h"

#include "cleanup.h"
#include "err.h"
#include "fileio.h"
#include "undo.h"
#include "undo_journal.h"

#include <errno.h>

#define JOURNAL "run/snug/undo-4242"

struct machine {
	int root;
	char path[64];
};

static inline int setup(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->root = made_host(m->path);
	*state = m;
	return 0;
}

static inline int teardown(void **state)
{
	struct machine *m = *state;

	made_host_end(m->root, m->path);
	free(m);
	return 0;
}

static inline void expect(int root, const char *path, const char *text)
{
	CLEANUP_FREE char *got = NULL;

	assert_int_equal(fileio_read(root, path, 4096, &got), 0);
	assert_string_equal(got, text);
}

static inline bool exists(int root, const char *path)
{
	return faccessat(root, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static inline struct undo_entry restoring(const char *path, const char *old)
{
	struct undo_entry entry = {.action = UNDO_WRITE};

	snprintf(entry.path, sizeof(entry.path), "%s", path);
	snprintf(entry.text, sizeof(entry.text), "%s", old);
	return entry;
}

static inline struct undo_entry removing(int root, const char *path)
{
	struct undo_entry entry = {.action = UNDO_UNLINK};
	struct stat st;

	assert_int_equal(fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW), 0);
	snprintf(entry.path, sizeof(entry.path), "%s", path);
	entry.number = st.st_dev;
	entry.inode = st.st_ino;
	return entry;
}

/* The text of a journal, to be freed. */
static inline char *journal_text(const char *boot, const struct undo_entry *entries, size_t n)
{
	char *text = undo_header_format(boot, "test");

	assert_non_null(text);
	for (size_t i = 0; i < n; i++) {
		char *line = undo_line_format(&entries[i]), *longer;

		assert_non_null(line);
		assert_true(asprintf(&longer, "%s%s", text, line) > 0);
		free(line);
		free(text);
		text = longer;
	}
	return text;
}

/* What a process that is gone has left. */
static inline void leave_bytes(int root, const char *text, size_t len)
{
	int fd = host_file(root, JOURNAL);

	assert_int_equal(fileio_write_all(fd, text, len), 0);
	close(fd);
}

static inline void leave(int root, const char *boot, const struct undo_entry *entries, size_t n)
{
	CLEANUP_FREE char *text = journal_text(boot, entries, n);

	leave_bytes(root, text, strlen(text));
}

struct seen {
	size_t done, failed;
	char order[256]; /* the texts of what was tried */
};

static inline void see(void *arg, const struct undo_entry *entry, const struct err *why)
{
	struct seen *s = arg;
	size_t len = strlen(s->order);

	*(why ? &s->failed : &s->done) += 1;
	snprintf(s->order + len, sizeof(s->order) - len, "%s ", entry->text);
}

static inline int recover(int root, struct seen *ret, struct err *e)
{
	*ret = (struct seen){0};
	return undo_recover(root, &(struct undo_watch){see, ret}, e);
}

static inline struct undo *opened(const struct machine *m)
{
	struct undo *u;
	struct err e;

	if (undo_open(m->root, "test", &u, &e) < 0)
		fail_msg("%s", e.text);
	return u;
}

static inline void note(struct undo *u, const struct undo_entry *entry)
{
	struct err e;

	if (undo_note(u, entry, &e) < 0)
		fail_msg("%s", e.text);
}

static inline void change(struct undo *u, const char *path, const char *old, const char *new)
{
	struct undo_entry entry = restoring(path, old);

	note(u, &entry);
	host_text(undo_root(u), path, new);
}

/* Three files that were changed, and the journal of it. */
static inline char *three_changes(const struct machine *m)
{
	const struct undo_entry entries[] = {restoring("sys/a", "old-a"),
					     restoring("sys/b", "old-b"),
					     restoring("sys/c", "old-c")};

	return journal_text("-", entries, 3);
}

static inline void change_three(int root)
{
	for (char name[] = "sys/a"; name[4] <= 'c'; name[4]++)
		host_text(root, name, "new");
}

static inline void expect_three(int root, bool a, bool b, bool c)
{
	expect(root, "sys/a", a ? "old-a" : "new");
	expect(root, "sys/b", b ? "old-b" : "new");
	expect(root, "sys/c", c ? "old-c" : "new");
}

static inline int journal_fd(void)
{
	char link[64], target[256];

	for (int fd = 3; fd < 64; fd++) {
		ssize_t n;

		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, target, sizeof(target) - 1);
		target[n > 0 ? n : 0] = '\0';
		if (strstr(target, "/run/snug/undo-"))
			return fd;
	}
	fail_msg("no journal is open");
	return -1;
}

/* The journal that this process has open, made one that can't be written to, and whole again. */
struct broken_journal {
	int fd, kept;
};

static inline struct broken_journal journal_break(void)
{
	struct broken_journal b = {.fd = journal_fd()};
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	b.kept = dup(b.fd);
	assert_true(null >= 0 && b.kept >= 0);
	assert_int_equal(dup2(null, b.fd), b.fd);
	close(null);
	return b;
}

static inline void journal_mend(const struct broken_journal *b)
{
	assert_int_equal(dup2(b->kept, b->fd), b->fd);
	close(b->kept);
}

#endif
