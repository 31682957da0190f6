/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack is the file: an entry is appended and synced before its change, marked done by one byte
 * in place when it is undone, and cut off once all above it is done. So at every moment the file
 * alone tells what is left, and replaying it twice does no harm.
 *
 * Who holds a journal is told by flock, which the kernel lets go of however the process ends; a
 * process id alone may by then be someone else's.
 */
#include "undo.h"

#include "cleanup.h"
#include "err.h"
#include "fileio.h"
#include "undo_actions.h"
#include "undo_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_MOST = 64, NAME_BYTES = 64 };

struct undo {
	int root; /* borrowed */
	int fd;	  /* holds the lock */
	char path[NAME_BYTES];
	struct undo_line *lines;
	size_t n, cap;
	off_t end;
};

/* -EAGAIN if another process took it for a dead one's before it was locked. */
static int create_locked(int root, const char *path, int *ret_fd)
{
	CLEANUP_CLOSE int fd =
		openat(root, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0 || fstat(fd, &st) < 0 || st.st_nlink == 0)
		return -EAGAIN;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

/* More than one name, for a process with several journals and for what a namesake left. */
static int create(struct undo *u)
{
	int r = -EEXIST;

	for (int i = 0; i < NAMES_MOST && (r == -EEXIST || r == -EAGAIN); i++) {
		snprintf(u->path, sizeof(u->path), i ? "%s/%s%d.%d" : "%s/%s%d", UNDO_DIRECTORY,
			 UNDO_PREFIX, (int)getpid(), i);
		r = create_locked(u->root, u->path, &u->fd);
	}
	return r;
}

static int append(struct undo *u, const char *line)
{
	size_t len = strlen(line);
	int r;

	if (lseek(u->fd, u->end, SEEK_SET) < 0)
		return -errno;
	r = fileio_write_all(u->fd, line, len);
	if (r == 0 && fsync(u->fd) < 0)
		r = -errno;
	if (r < 0)
		return ftruncate(u->fd, u->end) < 0 ? -errno : r;
	u->end += (off_t)len;
	return 0;
}

static int begin(struct undo *u, const char *what)
{
	CLEANUP_FREE char *header = NULL;
	char boot[UNDO_BOOT_MAX];

	undo_boot_id(u->root, boot);
	header = undo_header_format(boot, what);
	return header ? append(u, header) : -ENOMEM;
}

static void discard(struct undo *u)
{
	if (u->fd >= 0)
		close(u->fd);
	free(u->lines);
	free(u);
}

int undo_open(int root, const char *what, struct undo **ret, struct err *e)
{
	struct undo *u;
	int r;

	if (strlen(what) >= UNDO_WHAT_MAX)
		return err_usage(e, -ENAMETOOLONG, "the name '%s' is too long", what);
	r = undo_directory_make(root, e);
	if (r < 0)
		return r;
	u = calloc(1, sizeof(*u));
	if (!u)
		return err_failed(e, -ENOMEM, "out of memory");
	u->root = root;
	u->fd = -1;
	r = create(u);
	if (r == 0)
		r = begin(u, what);
	if (r < 0) {
		err_failed(e, r, "cannot make the journal /%s: %s", u->path, err_name(r));
		if (u->fd >= 0)
			unlinkat(root, u->path, 0);
		discard(u);
		return r;
	}
	*ret = u;
	return 0;
}

int undo_root(const struct undo *u)
{
	return u->root;
}

size_t undo_mark(const struct undo *u)
{
	return u->n;
}

/* '-' for '+': one byte, whole or not at all. */
static int mark_done(int fd, struct undo_line *line)
{
	if (pwrite(fd, "-", 1, line->offset) != 1 || fsync(fd) < 0)
		return -errno;
	line->done = true;
	return 0;
}

static int reserve(struct undo *u)
{
	size_t cap = u->cap ? 2 * u->cap : 16;
	struct undo_line *more;

	if (u->n < u->cap)
		return 0;
	more = reallocarray(u->lines, cap, sizeof(*more));
	if (!more)
		return -ENOMEM;
	u->lines = more;
	u->cap = cap;
	return 0;
}

/* The device has its number: whatever else is being added is not ours. */
static int replace_adding(struct undo *u)
{
	struct undo_line *adding = u->n < 2 ? NULL : &u->lines[u->n - 2];

	if (!adding || adding->entry.action != UNDO_ZRAM_ADDING ||
	    u->lines[u->n - 1].entry.action != UNDO_ZRAM)
		return 0;
	return mark_done(u->fd, adding);
}

int undo_note(struct undo *u, const struct undo_entry *entry, struct err *e)
{
	CLEANUP_FREE char *line = NULL;
	off_t at = u->end;
	int r = undo_action_check(entry);

	if (r < 0)
		return err_failed(e, r, "this can't be journaled: %s /%s",
				  undo_action_name(entry->action), entry->path);
	r = reserve(u);
	if (r == 0) {
		line = undo_line_format(entry);
		r = line ? append(u, line) : -ENOMEM;
	}
	if (r == 0) {
		u->lines[u->n++] = (struct undo_line){.entry = *entry, .offset = at};
		r = replace_adding(u);
	}
	return r < 0 ? err_failed(e, r, "cannot write the journal /%s: %s", u->path, err_name(r))
		     : 0;
}

static int replay_line(int root, int fd, struct undo_line *line, struct err *e)
{
	int r = undo_action_run(root, &line->entry, e);

	if (r == 0) {
		r = mark_done(fd, line);
		if (r < 0)
			err_failed(e, r, "cannot write the journal: %s", err_name(r));
	}
	return r;
}

/* Undoes lines[from..n), the newest first. */
static int replay(int root, int fd, struct undo_line *lines, size_t from, size_t n,
		  const struct undo_watch *watch, struct err *e)
{
	int first = 0;

	for (size_t i = n; i-- > from;) {
		struct err why = {0};
		int r;

		if (lines[i].done)
			continue;
		r = replay_line(root, fd, &lines[i], &why);
		if (watch)
			watch->tried(watch->arg, &lines[i].entry, r < 0 ? &why : NULL);
		if (r < 0 && first == 0) {
			first = r;
			if (e)
				*e = why;
		}
	}
	return first;
}

int undo_back(struct undo *u, size_t mark, struct err *e)
{
	int r = replay(u->root, u->fd, u->lines, mark, u->n, NULL, e);

	while (u->n > mark && u->lines[u->n - 1].done) {
		u->end = u->lines[--u->n].offset;
		if (ftruncate(u->fd, u->end) < 0 && r == 0)
			r = err_failed(e, -errno, "cannot cut the journal /%s: %s", u->path,
				       err_name(-errno));
	}
	return r;
}

int undo_close(struct undo *u, struct err *e)
{
	int r;

	if (!u)
		return 0;
	r = undo_back(u, 0, e);
	if (u->n == 0)
		unlinkat(u->root, u->path, 0);
	discard(u);
	return r;
}

/* What recovering and listing walk over. */
struct found {
	int fd; /* of the journal */
	bool live;
	int pid;
	char path[NAME_BYTES + 256];
	struct undo_journal journal;
};

/*
 * From the descriptor that has the lock: its path may by now be that of a journal which the same
 * process has begun since, and which is live. -ENOENT: this one was removed meanwhile.
 */
static int read_found(struct found *f)
{
	CLEANUP_FREE char *text = NULL;
	struct stat st;
	ssize_t n;

	if (fstat(f->fd, &st) < 0)
		return -errno;
	if (st.st_nlink == 0)
		return -ENOENT;
	if (!S_ISREG(st.st_mode) || (uint64_t)st.st_size > UNDO_JOURNAL_MAX)
		return -EBADMSG;
	text = malloc((size_t)st.st_size + 1);
	if (!text)
		return -ENOMEM;
	n = fileio_pread(f->fd, text, (size_t)st.st_size, 0);
	return n < 0 ? (int)n : undo_journal_parse(text, (size_t)n, &f->journal);
}

/* What went with an earlier boot is done. */
static void forget_boot(int root, struct undo_journal *j)
{
	char boot[UNDO_BOOT_MAX];

	undo_boot_id(root, boot);
	if (strcmp(boot, j->boot) == 0)
		return;
	for (size_t i = 0; i < j->n; i++)
		if (!undo_action_outlives_boot(j->lines[i].entry.action))
			j->lines[i].done = true;
}

static int visit_one(int root, const char *name,
		     int (*visit)(int root, struct found *f, void *arg, struct err *e), void *arg,
		     struct err *e)
{
	struct found f = {.pid = atoi(name + strlen(UNDO_PREFIX))};
	CLEANUP_CLOSE int fd = -1;
	int r;

	snprintf(f.path, sizeof(f.path), "%s/%s", UNDO_DIRECTORY, name);
	fd = openat(root, f.path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0
				       : err_failed(e, -errno, "cannot open the journal /%s: %s",
						    f.path, err_name(-errno));
	f.fd = fd;
	f.live = flock(fd, LOCK_EX | LOCK_NB) < 0;
	r = read_found(&f);
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return f.live ? 0
			      : err_failed(e, r,
					   "/%s is not a journal of snug's (%s); look at it and "
					   "remove it",
					   f.path, err_name(r));
	forget_boot(root, &f.journal);
	r = visit(root, &f, arg, e);
	undo_journal_free(&f.journal);
	return r;
}

/* The first failure does not stop the rest. No folder: nothing was ever journaled. */
static int visit_all(int root, int (*visit)(int root, struct found *f, void *arg, struct err *e),
		     void *arg, struct err *e)
{
	CLEANUP_CLOSEDIR DIR *dir = NULL;
	const struct dirent *d;
	struct stat st;
	int fd, r, first = 0;

	if (fstatat(root, UNDO_DIRECTORY, &st, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		return 0;
	r = undo_directory_check(root, e);
	if (r < 0)
		return r;
	fd = openat(root, UNDO_DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		r = -errno;
		if (fd >= 0)
			close(fd);
		return err_failed(e, r, "cannot read /" UNDO_DIRECTORY ": %s", err_name(r));
	}
	while ((d = readdir(dir))) {
		if (strncmp(d->d_name, UNDO_PREFIX, strlen(UNDO_PREFIX)))
			continue;
		r = visit_one(root, d->d_name, visit, arg, first == 0 ? e : NULL);
		first = first ? first : r;
	}
	return first;
}

static int recover_one(int root, struct found *f, void *arg, struct err *e)
{
	int r;

	if (f->live)
		return 0;
	r = replay(root, f->fd, f->journal.lines, 0, f->journal.n, arg, e);
	if (r < 0)
		return r;
	if (f->journal.damaged)
		return err_failed(e, -EBADMSG,
				  "/%s has a line that is damaged; all others are undone; look at "
				  "it and remove the file",
				  f->path);
	unlinkat(root, f->path, 0);
	return 0;
}

int undo_recover(int root, const struct undo_watch *watch, struct err *e)
{
	return visit_all(root, recover_one, (void *)watch, e);
}

struct listing {
	void (*each)(void *arg, const struct undo_origin *from, const struct undo_entry *entry);
	void *arg;
};

static int list_one(int root, struct found *f, void *arg, struct err *e)
{
	const struct listing *l = arg;
	const struct undo_origin from = {.pid = f->pid, .what = f->journal.what, .live = f->live};

	for (size_t i = f->journal.n; i-- > 0;)
		if (!f->journal.lines[i].done)
			l->each(l->arg, &from, &f->journal.lines[i].entry);
	return 0;
}

int undo_list(int root,
	      void (*each)(void *arg, const struct undo_origin *from,
			   const struct undo_entry *entry),
	      void *arg, struct err *e)
{
	struct listing l = {each, arg};

	return visit_all(root, list_one, &l, e);
}
