/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "zram_record.h"

#include "cleanup.h"
#include "err.h"
#include "fileio.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY "run/snug"
#define PREFIX	  "zram-"

enum { RECORD_MAX = 256, BOOT_ID_MAX = 64, NAMES_MOST = 64 };

/* What a record says. */
struct entry {
	char boot_id[BOOT_ID_MAX];
	int id;
	uint64_t inode;
};

/*
 * Without a boot id (no /proc) a record holds only as long as /run does, which is as long as the
 * boot.
 */
static void read_boot_id(int root, char buf[BOOT_ID_MAX])
{
	CLEANUP_FREE char *text = NULL;

	strcpy(buf, "-");
	if (fileio_read(root, "proc/sys/kernel/random/boot_id", RECORD_MAX, &text) < 0)
		return;
	text[strcspn(text, " \n")] = '\0';
	if (*text && strlen(text) < BOOT_ID_MAX)
		strcpy(buf, text);
}

static int device_inode(int root, int id, uint64_t *ret)
{
	char path[64];
	struct stat st;

	snprintf(path, sizeof(path), "sys/block/zram%d", id);
	if (fstatat(root, path, &st, 0) < 0)
		return -errno;
	*ret = st.st_ino;
	return 0;
}

/* A directory that only we can write to: whoever else could would choose what is removed. */
static int check_directory(int root, struct err *e)
{
	struct stat st;

	if (fstatat(root, DIRECTORY, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return err_failed(e, -errno, "cannot look at /" DIRECTORY ": %s", err_name(-errno));
	if (!S_ISDIR(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)))
		return err_failed(e, -EPERM,
				  "/" DIRECTORY
				  " is not a directory that only user %d can write to; "
				  "move it away",
				  (int)geteuid());
	return 0;
}

static int make_directory(int root, struct err *e)
{
	if (mkdirat(root, "run", 0755) < 0 && errno != EEXIST)
		return err_failed(e, -errno, "cannot make /run: %s", err_name(-errno));
	if (mkdirat(root, DIRECTORY, 0700) < 0 && errno != EEXIST)
		return err_failed(e, -errno, "cannot make /" DIRECTORY ": %s", err_name(-errno));
	return check_directory(root, e);
}

/*
 * Makes and locks one file; -EAGAIN if another process took it for a dead one's before it was
 * locked.
 */
static int create_locked(int root, const char *path, int *ret_fd)
{
	CLEANUP_CLOSE int fd =
		openat(root, path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return -EAGAIN;
	if (fstat(fd, &st) < 0 || st.st_nlink == 0)
		return -EAGAIN;
	*ret_fd = fd;
	fd = -1;
	return 0;
}

int zram_record_begin(int root, struct zram_record *ret, struct err *e)
{
	struct zram_record r = {.fd = -1};
	int code = make_directory(root, e);

	if (code < 0)
		return code;
	/* More than one name, for a process with several devices and for what a namesake left. */
	for (int i = 0; i < NAMES_MOST; i++) {
		snprintf(r.path, sizeof(r.path),
			 i ? DIRECTORY "/" PREFIX "%d.%d" : DIRECTORY "/" PREFIX "%d",
			 (int)getpid(), i);
		code = create_locked(root, r.path, &r.fd);
		if (code == 0) {
			*ret = r;
			return 0;
		}
		if (code != -EEXIST && code != -EAGAIN)
			break;
	}
	return err_failed(e, code, "cannot make a record of the zram device, /%s: %s", r.path,
			  err_name(code));
}

int zram_record_device(int root, struct zram_record *r, int id, struct err *e)
{
	char text[RECORD_MAX], boot_id[BOOT_ID_MAX];
	uint64_t inode = 0;
	int code = device_inode(root, id, &inode);

	if (code < 0)
		return err_failed(e, code, "zram%d was added, but /sys/block/zram%d is not there",
				  id, id);
	read_boot_id(root, boot_id);
	snprintf(text, sizeof(text), "%s %d %" PRIu64 "\n", boot_id, id, inode);
	code = fileio_write_all(r->fd, text, strlen(text));
	if (code < 0)
		return err_failed(e, code, "cannot write /%s: %s", r->path, err_name(code));
	return 0;
}

void zram_record_end(int root, struct zram_record *r)
{
	unlinkat(root, r->path, 0);
	zram_record_leave(r);
}

void zram_record_leave(struct zram_record *r)
{
	close(r->fd);
	r->fd = -1;
}

static bool parse(const char *text, struct entry *ret)
{
	struct entry entry;
	int end = 0;

	if (sscanf(text, "%63s %d %" SCNu64 "%n", entry.boot_id, &entry.id, &entry.inode, &end) !=
		    3 ||
	    strcmp(text + end, "\n") || entry.id < 0)
		return false;
	*ret = entry;
	return true;
}

/* Is the device on record still there, and still that one? */
static bool still_there(int root, const struct entry *entry)
{
	char boot_id[BOOT_ID_MAX];
	uint64_t inode = 0;

	read_boot_id(root, boot_id);
	return !strcmp(boot_id, entry->boot_id) && device_inode(root, entry->id, &inode) == 0 &&
	       inode == entry->inode;
}

static void recover_one(int root, int dirfd, const char *name, int (*remove)(int root, int id))
{
	CLEANUP_CLOSE int fd = openat(dirfd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	CLEANUP_FREE char *text = NULL;
	struct entry entry;

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return;
	if (fileio_read(dirfd, name, RECORD_MAX, &text) < 0)
		return;
	if (parse(text, &entry) && still_there(root, &entry) && remove(root, entry.id) < 0)
		return;
	unlinkat(dirfd, name, 0);
}

void zram_record_recover(int root, int (*remove)(int root, int id))
{
	CLEANUP_CLOSEDIR DIR *dir = NULL;
	const struct dirent *d;
	int fd;

	if (check_directory(root, NULL) < 0)
		return;
	fd = openat(root, DIRECTORY, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return;
	dir = fdopendir(fd);
	if (!dir) {
		close(fd);
		return;
	}
	while ((d = readdir(dir)))
		if (!strncmp(d->d_name, PREFIX, strlen(PREFIX)))
			recover_one(root, dirfd(dir), d->d_name, remove);
}
