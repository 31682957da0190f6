/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Small files read whole; result files written so that they are whole or not there. */
#ifndef SNUG_BASE_FILEIO_H
#define SNUG_BASE_FILEIO_H

#include <stddef.h>
#include <sys/types.h>

struct err;

/*
 * The text of a small file (as /proc and /sys have them) below dirfd (AT_FDCWD for the usual
 * meaning), NUL-terminated, to be freed. Reads at most max bytes; a longer file is -EFBIG.
 */
int fileio_read(int dirfd, const char *path, size_t max, char **ret_text);

/* Up to len bytes from offset on, over short reads and EINTR; how many, fewer only at the end, or
 * -errno. */
ssize_t fileio_pread(int fd, void *buf, size_t len, off_t offset);

/* All of len bytes, over short writes and EINTR; 0 or -errno. */
int fileio_write_all(int fd, const void *data, size_t len);

/*
 * A new file, mode 0600, that appears under path only when finished. fileio_new_begin refuses an
 * existing path and symbolic links; fileio_new_commit syncs it and gives it its name;
 * fileio_new_abort (safe after commit, and on a zeroed struct) leaves nothing behind.
 */
struct fileio_new {
	int fd;
	char *path;
	char *temporary; /* NULL for a file without a name */
};

int fileio_new_begin(struct fileio_new *f, const char *path, struct err *e);
int fileio_new_commit(struct fileio_new *f, struct err *e);
void fileio_new_abort(struct fileio_new *f);

#endif
