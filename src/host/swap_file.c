/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that swapon takes. It maps the file's blocks once and then writes past the file system, so
 * holes, blocks that are allocated but not yet written (fallocate on XFS), compression and copying
 * on write are all refused or would lose data. Hence real zeros, and FS_NOCOW_FL while the file is
 * still empty: btrfs takes it at no other time.
 *
 * The file has no name (O_TMPFILE) until it is whole and its removal is in the journal, so that
 * whatever ends this process before then, the kernel takes the blocks back. Where the file system
 * has no such files, it is made in a scratch folder, whose removal is journaled before it is made.
 */
#include "swap.h"

#include "cleanup.h"
#include "err.h"
#include "fileio.h"
#include "scratch.h"
#include "undo.h"
#include "units.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { PIECE_BYTES = 1 << 20, MARGIN_BYTES = 64 << 20, NAMES_MOST = 1000 };

/* What is being made. `where` is the folder as the caller named it, or the scratch folder in it. */
struct making {
	struct undo *undo;
	const char *where;
	uint64_t bytes;
	swap_progress *progress;
	void *arg;
	char *ret_path;
	size_t ret_size;
};

static const struct {
	uint32_t magic;
	const char *name;
} unfit[] = {
	{TMPFS_MAGIC, "tmpfs"},
	{RAMFS_MAGIC, "ramfs"},
	{HUGETLBFS_MAGIC, "hugetlbfs"},
	{OVERLAYFS_SUPER_MAGIC, "overlay"},
	{ECRYPTFS_SUPER_MAGIC, "ecryptfs"},
	{NFS_SUPER_MAGIC, "NFS"},
	{SMB_SUPER_MAGIC, "SMB"},
	{CIFS_SUPER_MAGIC, "CIFS"},
	{SMB2_SUPER_MAGIC, "SMB"},
	{CEPH_SUPER_MAGIC, "Ceph"},
	{AFS_FS_MAGIC, "AFS"},
	{V9FS_MAGIC, "9p"},
	{FUSE_SUPER_MAGIC, "FUSE"},
	{SQUASHFS_MAGIC, "squashfs"},
	{EROFS_SUPER_MAGIC_V1, "erofs"},
	{ISOFS_SUPER_MAGIC, "iso9660"},
	{0x2fc12fc1, "ZFS"},
	{0xca451a4e, "bcachefs"},
	{PROC_SUPER_MAGIC, "proc"},
	{SYSFS_MAGIC, "sysfs"},
	{CGROUP_SUPER_MAGIC, "cgroup"},
	{CGROUP2_SUPER_MAGIC, "cgroup2"},
};

static const char *relative(const char *path)
{
	return path + strspn(path, "/");
}

static int open_folder(int root, const char *directory, int *ret_fd, struct err *e)
{
	/* "." for the root itself. */
	const char *path = *relative(directory) ? relative(directory) : ".";
	int fd;

	if (*directory != '/')
		return err_usage(e, -EINVAL,
				 "the folder '%s' for the swap file must be named from / on",
				 directory);
	fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return err_usage(e, -errno, "cannot open the folder %s for a swap file: %s",
				 directory, err_name(-errno));
	*ret_fd = fd;
	return 0;
}

static int check_filesystem(int dir, const struct making *m, struct err *e)
{
	struct statfs fs;

	if (fstatfs(dir, &fs) < 0)
		return err_failed(e, -errno, "cannot see what file system %s is on: %s", m->where,
				  err_name(-errno));
	for (size_t i = 0; i < sizeof(unfit) / sizeof(unfit[0]); i++)
		if ((uint32_t)fs.f_type == unfit[i].magic)
			return err_missing(
				e, -EOPNOTSUPP,
				"%s is on %s, which cannot hold swap; give a folder on a local "
				"disk, as on ext4, XFS or btrfs",
				m->where, unfit[i].name);
	return 0;
}

static int refuse_full(int dir, const struct making *m, struct err *e)
{
	char need[UNITS_SIZE_MAX], margin[UNITS_SIZE_MAX], free_now[UNITS_SIZE_MAX];
	struct statvfs fs = {0};

	fstatvfs(dir, &fs);
	return err_failed(
		e, -ENOSPC,
		"a swap file of %s, and %s to spare, do not fit in %s, where %s are free; "
		"free some, or give another folder",
		units_format_size(m->bytes, need), units_format_size(MARGIN_BYTES, margin),
		m->where, units_format_size((uint64_t)fs.f_bavail * fs.f_frsize, free_now));
}

static int check_space(int dir, const struct making *m, struct err *e)
{
	struct statvfs fs;
	uint64_t available;

	if (fstatvfs(dir, &fs) < 0)
		return err_failed(e, -errno, "cannot see what is free in %s: %s", m->where,
				  err_name(-errno));
	available = (uint64_t)fs.f_bavail * fs.f_frsize;
	if (available < MARGIN_BYTES || m->bytes > available - MARGIN_BYTES)
		return refuse_full(dir, m, e);
	return 0;
}

static int set_no_cow(int fd)
{
	int flags;
	bool failed = ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0;

	if (!failed) {
		flags |= FS_NOCOW_FL;
		failed = ioctl(fd, FS_IOC_SETFLAGS, &flags) < 0;
	}
	return failed && errno != ENOTTY && errno != EOPNOTSUPP ? -errno : 0;
}

static int write_zeros(int fd, const struct making *m)
{
	CLEANUP_FREE char *zeros = calloc(1, PIECE_BYTES);
	uint64_t done = 0;
	int r = zeros ? 0 : -ENOMEM;

	while (r == 0 && done < m->bytes) {
		uint64_t len = m->bytes - done < PIECE_BYTES ? m->bytes - done : PIECE_BYTES;

		r = fileio_write_all(fd, zeros, len);
		/* Begun now, so that the progress is the disk's and fsync finds little left. */
		sync_file_range(fd, (off_t)done, (off_t)len, SYNC_FILE_RANGE_WRITE);
		done += len;
		if (r == 0 && m->progress && m->progress(m->arg, done, m->bytes))
			r = -EINTR;
	}
	return r;
}

static int fill(int dir, int fd, const struct making *m, struct err *e)
{
	int r = set_no_cow(fd);

	if (r == 0)
		r = write_zeros(fd, m);
	if (r == 0 && fsync(fd) < 0)
		r = -errno;
	if (r == -ENOSPC || r == -EDQUOT)
		return refuse_full(dir, m, e);
	if (r == -EINTR)
		return err_failed(e, r, "stopped while the swap file in %s was written", m->where);
	if (r < 0)
		return err_failed(e, r, "cannot write a swap file in %s: %s", m->where,
				  err_name(r));
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	return 0;
}

static int set_path(const struct making *m, int number, struct err *e)
{
	if ((size_t)snprintf(m->ret_path, m->ret_size, "%s/snug-swap-%d-%d", m->where,
			     (int)getpid(), number) >= m->ret_size)
		return err_usage(e, -ENAMETOOLONG, "the name %s is too long", m->where);
	return 0;
}

/* linkat, unlike rename, never replaces what has that name. */
static int give_name(int fd, const struct making *m, struct err *e)
{
	struct undo_entry entry = {.action = UNDO_UNLINK};
	size_t mark = undo_mark(m->undo);
	char self[64];
	struct stat st;
	int r = fstat(fd, &st) < 0 ? -errno : -EEXIST;

	entry.number = st.st_dev;
	entry.inode = st.st_ino;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	for (int i = 0; r == -EEXIST && i < NAMES_MOST; i++) {
		undo_back(m->undo, mark, NULL); /* the name before, which was taken */
		r = set_path(m, i, e);
		if (r < 0)
			return r;
		snprintf(entry.path, sizeof(entry.path), "%s", relative(m->ret_path));
		r = undo_note(m->undo, &entry, e);
		if (r < 0)
			return r;
		if (linkat(AT_FDCWD, self, undo_root(m->undo), entry.path, AT_SYMLINK_FOLLOW) < 0)
			r = -errno;
	}
	return r < 0 ? err_failed(e, r, "cannot name the swap file in %s: %s", m->where,
				  err_name(r))
		     : 0;
}

/* The folder is new and its owner's alone, so the name is free. */
static int make_in_scratch(int dir, struct making *m, struct err *e)
{
	char scratch[UNDO_PATH_MAX];
	CLEANUP_CLOSE int fd = -1;
	int r = scratch_make(m->undo, m->where, scratch, sizeof(scratch), e);

	if (r < 0)
		return r;
	m->where = scratch;
	r = set_path(m, 0, e);
	if (r < 0)
		return r;
	fd = openat(undo_root(m->undo), relative(m->ret_path),
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_failed(e, -errno, "cannot make %s: %s", m->ret_path, err_name(-errno));
	return fill(dir, fd, m, e);
}

static int make(int dir, struct making *m, struct err *e)
{
	CLEANUP_CLOSE int fd = openat(dir, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	int r;

	/* EISDIR from kernels that do not know the flag on this file system. */
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR))
		return make_in_scratch(dir, m, e);
	if (fd < 0 && (errno == EACCES || errno == EPERM || errno == EROFS))
		return err_missing(e, -errno,
				   "cannot make a swap file in %s: %s; run this as root (sudo), "
				   "or give another folder",
				   m->where, err_name(-errno));
	if (fd < 0)
		return err_failed(e, -errno, "cannot make a swap file in %s: %s", m->where,
				  err_name(-errno));
	r = fill(dir, fd, m, e);
	return r < 0 ? r : give_name(fd, m, e);
}

int swap_file_make(struct undo *u, const char *directory, uint64_t bytes, swap_progress *progress,
		   void *arg, char *ret_path, size_t ret_size, struct err *e)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	char path[UNDO_PATH_MAX]; /* ret_path is written on success only */
	struct making m = {u, directory, bytes, progress, arg, path, sizeof(path)};
	size_t mark = undo_mark(u);
	CLEANUP_CLOSE int dir = -1;
	int r = open_folder(undo_root(u), directory, &dir, e);

	if (r == 0)
		r = check_filesystem(dir, &m, e);
	if (r == 0)
		r = check_space(dir, &m, e);
	if (r < 0)
		return r;
	m.bytes = (bytes + page - 1) / page * page;
	r = make(dir, &m, e);
	if (r == 0 && strlen(path) >= ret_size)
		r = err_usage(e, -ENAMETOOLONG, "the name %s is too long", path);
	if (r < 0)
		undo_back(u, mark, NULL);
	else
		strcpy(ret_path, path);
	return r;
}
