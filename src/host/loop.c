/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loop devices (drivers/block/loop.c). LOOP_CTL_GET_FREE only names a device that is free at that
 * moment; who attaches first has it, and the other gets EBUSY and asks again.
 *
 * Direct I/O matters: without it each block is in the page cache too, and what is measured is RAM.
 * LOOP_CONFIGURE (Linux 5.8) sets all at once; kernels before it, and files that cannot do direct
 * I/O, get what they can do.
 */
#include "loop.h"

#include "cleanup.h"
#include "clock.h"
#include "err.h"
#include "undo.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/loop.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 64, PATIENCE_MS = 2000, STEP_MS = 10, PATH_BYTES = 32 };

static int configure(int loop, int file, uint32_t flags)
{
	struct loop_config config = {.fd = (uint32_t)file, .info.lo_flags = flags};

	return ioctl(loop, LOOP_CONFIGURE, &config) < 0 ? -errno : 0;
}

static int configure_direct(int loop, int file)
{
	return configure(loop, file, LO_FLAGS_DIRECT_IO);
}

static int configure_buffered(int loop, int file)
{
	return configure(loop, file, 0);
}

static int set_fd(int loop, int file)
{
	if (ioctl(loop, LOOP_SET_FD, file) < 0)
		return -errno;
	ioctl(loop, LOOP_SET_DIRECT_IO, 1UL); /* if it can */
	return 0;
}

static int attach(int loop, int file)
{
	/* The best first. */
	static int (*const ways[])(int, int) = {configure_direct, configure_buffered, set_fd};
	int r = -EINVAL;

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]) && (r == -EINVAL || r == -ENOTTY);
	     i++)
		r = ways[i](loop, file);
	return r;
}

/* Its node may take a moment to appear. */
static int open_loop(int root, unsigned number)
{
	const struct timespec step = {.tv_nsec = STEP_MS * 1000000};
	uint64_t until = clock_now_ns() + (uint64_t)PATIENCE_MS * 1000000;
	char path[PATH_BYTES];
	int fd;

	snprintf(path, sizeof(path), "dev/loop%u", number);
	while ((fd = openat(root, path, O_RDWR | O_CLOEXEC)) < 0 && errno == ENOENT &&
	       clock_now_ns() < until)
		nanosleep(&step, NULL);
	return fd < 0 ? -errno : fd;
}

static int attach_number(struct undo *u, unsigned number, int file, struct undo_entry *entry,
			 struct err *e)
{
	CLEANUP_CLOSE int loop = open_loop(undo_root(u), number);
	size_t mark = undo_mark(u);
	int r;

	if (loop == -ENOENT)
		return err_missing(e, loop,
				   "/dev/loop%u has not appeared; device nodes need devtmpfs on "
				   "/dev, or udev",
				   number);
	if (loop < 0)
		return err_failed(e, loop, "cannot open /dev/loop%u: %s", number, err_name(loop));
	entry->number = number;
	r = undo_note(u, entry, e);
	if (r < 0)
		return r;
	r = attach(loop, file);
	if (r == 0)
		return 0;
	undo_back(u, mark, NULL);
	return err_failed(e, r, "cannot attach a file to /dev/loop%u: %s", number, err_name(r));
}

static int open_control(int root, int *ret_fd, struct err *e)
{
	int fd = openat(root, "dev/loop-control", O_RDWR | O_CLOEXEC);

	if (fd < 0 && (errno == ENOENT || errno == ENODEV || errno == ENXIO))
		return err_missing(e, -errno,
				   "this kernel offers no loop devices (no /dev/loop-control); "
				   "load them with 'modprobe loop', or give a block device");
	if (fd < 0)
		return err_missing(e, -errno,
				   "cannot open /dev/loop-control: %s; run this as root (sudo)",
				   err_name(-errno));
	*ret_fd = fd;
	return 0;
}

static int open_file(int root, const char *path, struct undo_entry *entry, int *ret_fd,
		     struct err *e)
{
	int fd = openat(root, path + strspn(path, "/"), O_RDWR | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0) {
		int r = -errno;

		if (fd >= 0)
			close(fd);
		return err_failed(e, r, "cannot open %s: %s", path, err_name(r));
	}
	entry->inode = st.st_ino;
	snprintf(entry->text, sizeof(entry->text), "%" PRIu64, (uint64_t)st.st_dev);
	*ret_fd = fd;
	return 0;
}

int loop_attach(struct undo *u, const char *file, char *ret_path, size_t ret_size, struct err *e)
{
	struct undo_entry entry = {.action = UNDO_LOOP};
	CLEANUP_CLOSE int control = -1, fd = -1;
	int number = -1, r = open_control(undo_root(u), &control, e);

	if (r == 0)
		r = open_file(undo_root(u), file, &entry, &fd, e);
	if (r < 0)
		return r;
	r = -EBUSY;
	for (int i = 0; r == -EBUSY && i < TRIES; i++) {
		number = ioctl(control, LOOP_CTL_GET_FREE);
		if (number < 0)
			return err_failed(e, -errno, "there is no free loop device: %s",
					  err_name(-errno));
		r = attach_number(u, (unsigned)number, fd, &entry, e);
	}
	if (r == 0)
		snprintf(ret_path, ret_size, "/dev/loop%d", number);
	return r;
}

int loop_detach(int root, unsigned number, uint64_t device, uint64_t inode, struct err *e)
{
	char path[PATH_BYTES];
	struct loop_info64 info;
	CLEANUP_CLOSE int fd = -1;

	snprintf(path, sizeof(path), "dev/loop%u", number);
	fd = openat(root, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENXIO || errno == ENODEV))
		return 0;
	if (fd < 0)
		return err_failed(e, -errno, "cannot open /%s: %s", path, err_name(-errno));
	/* lo_device is huge_encode_dev()'s number, which is st_dev. */
	if (ioctl(fd, LOOP_GET_STATUS64, &info) < 0) {
		if (errno == ENXIO || errno == ENOTTY)
			return 0;
		return err_failed(e, -errno, "cannot see what is behind /%s: %s", path,
				  err_name(-errno));
	}
	if (info.lo_device != device || info.lo_inode != inode)
		return 0;
	if (ioctl(fd, LOOP_CLR_FD, 0) < 0 && errno != ENXIO)
		return err_failed(e, -errno, "cannot detach /%s: %s", path, err_name(-errno));
	return 0;
}
