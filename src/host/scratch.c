/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removing a tree as root is the most dangerous thing that this program does, so it is bound
 * thrice: the name must be one that scratch_make chooses, the folder must belong to this user, and
 * the walk goes downwards by descriptors, so that no link and no folder that is swapped for another
 * leads it elsewhere.
 */
#include "scratch.h"

#include "cleanup.h"
#include "err.h"
#include "undo.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

enum { RANDOM_DIGITS = 16 };

/* "snug-123-0123456789abcdef" */
static bool is_ours(const char *name)
{
	if (strncmp(name, "snug-", 5))
		return false;
	name += 5;
	if (!strspn(name, "0123456789"))
		return false;
	name += strspn(name, "0123456789");
	return *name == '-' && strspn(name + 1, "0123456789abcdef") == RANDOM_DIGITS &&
	       strlen(name + 1) == RANDOM_DIGITS;
}

int scratch_make(struct undo *u, const char *parent, char *ret_path, size_t ret_size, struct err *e)
{
	struct undo_entry entry = {.action = UNDO_TREE};
	uint64_t random;
	int r;

	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return err_failed(e, -errno, "no random numbers: %s", err_name(-errno));
	if ((size_t)snprintf(ret_path, ret_size, "%s/snug-%d-%0*" PRIx64, parent, (int)getpid(),
			     RANDOM_DIGITS, random) >= ret_size)
		return err_usage(e, -ENAMETOOLONG, "the name %s is too long", parent);
	snprintf(entry.path, sizeof(entry.path), "%s", ret_path + strspn(ret_path, "/"));
	r = undo_note(u, &entry, e);
	if (r < 0)
		return r;
	if (mkdirat(undo_root(u), entry.path, 0700) < 0)
		return err_failed(e, -errno, "cannot make the folder %s: %s", ret_path,
				  err_name(-errno));
	return 0;
}

/* Empties the open folder dirfd, which it closes. */
static int empty(int dirfd, dev_t device)
{
	CLEANUP_CLOSEDIR DIR *dir = fdopendir(dirfd);
	const struct dirent *d;
	int r = 0;

	if (!dir) {
		close(dirfd);
		return -errno;
	}
	while (r == 0 && (d = readdir(dir))) {
		struct stat st;
		int fd;

		if (strcmp(d->d_name, ".") == 0 || strcmp(d->d_name, "..") == 0)
			continue;
		if (unlinkat(dirfd, d->d_name, 0) == 0)
			continue;
		if (errno != EISDIR && errno != EPERM)
			return -errno;
		fd = openat(dirfd, d->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		if (fstat(fd, &st) < 0 || st.st_dev != device) {
			close(fd);
			return -EXDEV;
		}
		r = empty(fd, device);
		if (r == 0 && unlinkat(dirfd, d->d_name, AT_REMOVEDIR) < 0)
			r = -errno;
	}
	return r;
}

int scratch_remove(int root, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/');
	struct stat st;
	int fd, r;

	if (!is_ours(slash ? slash + 1 : path))
		return err_failed(e, -EPERM, "/%s is not a folder that snug makes: left alone",
				  path);
	fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != geteuid()) {
		r = fd < 0 ? -errno : -EPERM;
		if (fd >= 0)
			close(fd);
		return err_failed(e, r, "cannot remove the folder /%s: %s", path, err_name(r));
	}
	r = empty(fd, st.st_dev);
	if (r == 0 && unlinkat(root, path, AT_REMOVEDIR) < 0)
		r = -errno;
	return r < 0 ? err_failed(e, r, "cannot remove the folder /%s: %s", path, err_name(r)) : 0;
}
