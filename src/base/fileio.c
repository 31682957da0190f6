/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fileio.h"

#include "cleanup.h"
#include "err.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int fileio_read(int dirfd, const char *path, size_t max, char **ret_text)
{
	CLEANUP_CLOSE int fd = openat(dirfd, path, O_RDONLY | O_CLOEXEC);
	CLEANUP_FREE char *text = NULL;
	size_t len = 0, cap = 0;

	if (fd < 0)
		return -errno;
	for (;;) {
		ssize_t n;

		if (len == cap) {
			char *grown = realloc(text, (cap = cap ? cap * 2 : 4096) + 1);

			if (!grown)
				return -ENOMEM;
			text = grown;
		}
		n = read(fd, text + len, cap - len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
		if (len > max)
			return -EFBIG;
	}
	text[len] = '\0';
	*ret_text = TAKE(text);
	return 0;
}

ssize_t fileio_pread(int fd, void *buf, size_t len, off_t offset)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)buf + done, len - done, offset + (off_t)done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

int fileio_write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		p += n;
		len -= (size_t)n;
	}
	return 0;
}

/*
 * A file without a name, in the folder of path, which vanishes with this process unless it is given
 * one; or, where the file system has no such files, one with a name beside path.
 */
static int open_unnamed(struct fileio_new *f, const char *path)
{
	const char *slash = strrchr(path, '/');
	CLEANUP_FREE char *dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");

	if (!dir)
		return -ENOMEM;
	f->fd = open(dir, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	if (f->fd >= 0)
		return 0;
	if (errno != EOPNOTSUPP && errno != EISDIR)
		return -errno;
	if (asprintf(&f->temporary, "%s.part-%d", path, (int)getpid()) < 0) {
		f->temporary = NULL;
		return -ENOMEM;
	}
	f->fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (f->fd >= 0)
		return 0;
	free(TAKE(f->temporary)); /* not ours to remove */
	return -errno;
}

int fileio_new_begin(struct fileio_new *f, const char *path, struct err *e)
{
	struct stat st;
	int r;

	*f = (struct fileio_new){.fd = -1};
	if (lstat(path, &st) == 0)
		return err_usage(e, S_ISLNK(st.st_mode) ? -ELOOP : -EEXIST,
				 "%s %s; nothing is overwritten, choose another name", path,
				 S_ISLNK(st.st_mode) ? "is a symbolic link" : "exists");
	if (errno != ENOENT)
		return err_usage(e, -errno, "cannot create %s: %s", path, err_name(-errno));
	f->path = strdup(path);
	r = f->path ? open_unnamed(f, path) : -ENOMEM;
	if (r == 0)
		return 0;
	fileio_new_abort(f);
	if (r == -ENOMEM)
		return err_failed(e, r, "out of memory");
	return err_usage(e, r, "cannot create %s: %s", path, err_name(r));
}

/* link and not rename: it fails if the name has appeared meanwhile. */
static int give_name(const struct fileio_new *f)
{
	char self[64];

	if (f->temporary)
		return link(f->temporary, f->path) < 0 ? -errno : 0;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", f->fd);
	return linkat(AT_FDCWD, self, AT_FDCWD, f->path, AT_SYMLINK_FOLLOW) < 0 ? -errno : 0;
}

int fileio_new_commit(struct fileio_new *f, struct err *e)
{
	int r = fsync(f->fd) < 0 ? -errno : give_name(f);

	if (r < 0)
		err_failed(e, r, "cannot save %s: %s", f->path, err_name(r));
	fileio_new_abort(f);
	return r;
}

void fileio_new_abort(struct fileio_new *f)
{
	if (f->temporary)
		unlink(f->temporary);
	if (f->path && f->fd >= 0)
		close(f->fd);
	free(f->temporary);
	free(f->path);
	*f = (struct fileio_new){.fd = -1};
}
