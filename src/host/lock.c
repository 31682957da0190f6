/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lock.h"

#include "err.h"
#include "fileio.h"
#include "undo_journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { HOLDER_MAX = 128 };

static int write_holder(int fd, const char *verb)
{
	char text[HOLDER_MAX], since[32];
	time_t now = time(NULL);
	struct tm tm;

	strftime(since, sizeof(since), "%Y-%m-%d %H:%M:%S", localtime_r(&now, &tm));
	snprintf(text, sizeof(text), "snug %s, process %d, since %s", verb, (int)getpid(), since);
	if (ftruncate(fd, 0) < 0)
		return -errno;
	return fileio_write_all(fd, text, strlen(text));
}

static int refuse(int fd, const char *name, struct err *e)
{
	char text[HOLDER_MAX];
	ssize_t n = fileio_pread(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return err_failed(e, -EBUSY, "another one runs already: %s; wait for it, or stop it",
			  *text ? text : name);
}

int lock_take(int root, const char *name, const char *verb, struct lock *ret, struct err *e)
{
	char path[128];
	int fd, r = undo_directory_make(root, e);

	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/%s.lock", UNDO_DIRECTORY, name);
	fd = openat(root, path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_failed(e, -errno, "cannot make the lock /%s: %s", path,
				  err_name(-errno));
	if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		r = errno == EWOULDBLOCK
			    ? refuse(fd, name, e)
			    : err_failed(e, -errno, "cannot lock /%s: %s", path, err_name(-errno));
	} else {
		r = write_holder(fd, verb);
		if (r < 0)
			err_failed(e, r, "cannot write the lock /%s: %s", path, err_name(r));
	}
	if (r < 0) {
		close(fd);
		return r;
	}
	ret->fd = fd;
	return 0;
}

void lock_drop(struct lock *l)
{
	if (l->fd < 0)
		return;
	/* The file stays: removing it would let a third process lock another one of its name. */
	close(l->fd);
	l->fd = -1;
}
