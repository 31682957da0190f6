/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a device was given to snug. Only its owner can have said so, and the one way to say it is
 * the label of its swap header: a wrong name on the command line then destroys nothing. libblkid
 * looks at the device itself, not into its cache.
 *
 * O_EXCL is what the kernel keeps mounts, swap, partitions in use and other drivers apart with; the
 * texts in /proc and /sys only serve to say which of them it is.
 */
#include "swap.h"

#include "cleanup.h"
#include "err.h"
#include "mountinfo.h"
#include "sysread.h"

#include <blkid/blkid.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { NAME_BYTES = 256 };

struct device {
	int root;
	const char *path;
	dev_t number;
};

static bool find_mount(const struct device *d, char *buf, size_t size)
{
	CLEANUP_FREE char *text = NULL;
	struct mountinfo m;
	char *cursor;

	if (sysread_text(d->root, &text, "proc/self/mountinfo") < 0)
		return false;
	for (cursor = text; mountinfo_next(&cursor, &m);) {
		if (makedev(m.major, m.minor) != d->number)
			continue;
		snprintf(buf, size, "mounted on %s", m.point);
		return true;
	}
	return false;
}

static bool find_swap(const struct device *d, char *buf, size_t size)
{
	uint64_t bytes;

	if (swap_used(d->root, d->path, &bytes) < 0)
		return false;
	snprintf(buf, size, "in use as swap");
	return true;
}

/* "dm-0", "md127" */
static bool find_holder(const struct device *d, char *buf, size_t size)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "sys/dev/block/%u:%u/holders", major(d->number),
		 minor(d->number));
	fd = openat(d->root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;

	while (dir && (entry = readdir(dir))) {
		if (*entry->d_name == '.')
			continue;
		snprintf(buf, size, "a part of %s", entry->d_name);
		return true;
	}
	return false;
}

static bool (*const uses[])(const struct device *d, char *buf, size_t size) = {
	find_mount,
	find_swap,
	find_holder,
};

/* Opens it for us alone. */
static int open_device(const struct device *d, int *ret_fd, struct err *e)
{
	char use[NAME_BYTES] = "in use by a partition on it, by a driver, or by another program";
	bool used = false;
	int fd;

	for (size_t i = 0; !used && i < sizeof(uses) / sizeof(uses[0]); i++)
		used = uses[i](d, use, sizeof(use));
	fd = used ? -1
		  : openat(d->root, d->path + strspn(d->path, "/"),
			   O_RDONLY | O_EXCL | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && (used || errno == EBUSY))
		return err_usage(e, -EBUSY, "%s is %s; give another device", d->path, use);
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		return err_missing(e, -errno, "cannot open %s: %s; run this as root (sudo)",
				   d->path, err_name(-errno));
	if (fd < 0)
		return err_failed(e, -errno, "cannot open %s: %s", d->path, err_name(-errno));
	*ret_fd = fd;
	return 0;
}

static void cleanup_probe(blkid_probe *p)
{
	blkid_free_probe(*p);
}

static const char *value_of(blkid_probe probe, const char *name)
{
	const char *value;

	return blkid_probe_lookup_value(probe, name, &value, NULL) == 0 ? value : NULL;
}

static int refuse(const struct device *d, struct err *e, const char *what)
{
	return err_usage(e, -EPERM,
			 "%s %s, and was not given to snug; if nothing on it is needed, give it "
			 "with: mkswap -L " SWAP_LABEL " %s",
			 d->path, what, d->path);
}

static int judge(const struct device *d, blkid_probe probe, struct err *e)
{
	const char *type = value_of(probe, "TYPE"), *label = value_of(probe, "LABEL");
	const char *table = value_of(probe, "PTTYPE");
	char what[NAME_BYTES];

	if (table)
		return err_usage(e, -EBUSY,
				 "%s holds a partition table (%s); give one of its partitions, or "
				 "another device",
				 d->path, table);
	if (type && label && strcmp(type, "swap") == 0 && strcmp(label, SWAP_LABEL) == 0)
		return 0;
	if (type && strcmp(type, "swap") == 0)
		snprintf(what, sizeof(what),
			 label ? "holds swap with the label '%s'" : "holds swap without a label",
			 label);
	else
		snprintf(what, sizeof(what), "holds %s", type ? type : "something unknown");
	return refuse(d, e, what);
}

static int probe_device(const struct device *d, int fd, struct err *e)
{
	CLEANUP(cleanup_probe) blkid_probe probe = blkid_new_probe();

	if (!probe || blkid_probe_set_device(probe, fd, 0, 0) < 0)
		return err_failed(e, -EIO, "cannot look at what is on %s", d->path);
	blkid_probe_enable_superblocks(probe, 1);
	blkid_probe_set_superblocks_flags(probe, BLKID_SUBLKS_TYPE | BLKID_SUBLKS_LABEL);
	blkid_probe_enable_partitions(probe, 1);
	switch (blkid_do_safeprobe(probe)) {
	case 0:
		return judge(d, probe, e);
	case 1:
		return refuse(d, e, "is empty, as far as libblkid can tell");
	case -2:
		return refuse(d, e, "holds more than one thing");
	default:
		return err_failed(e, -EIO, "cannot read what is on %s", d->path);
	}
}

int swap_device_check(int root, const char *path, uint64_t *ret_bytes, struct err *e)
{
	struct device d = {.root = root, .path = path};
	CLEANUP_CLOSE int fd = -1;
	struct stat st;
	uint64_t bytes;
	int r;

	if (fstatat(root, path + strspn(path, "/"), &st, 0) < 0)
		return err_usage(e, -errno, "cannot use %s: %s", path, err_name(-errno));
	if (!S_ISBLK(st.st_mode))
		return err_usage(e, -ENOTBLK, "%s is not a block device", path);
	d.number = st.st_rdev;
	r = open_device(&d, &fd, e);
	if (r == 0)
		r = probe_device(&d, fd, e);
	if (r < 0)
		return r;
	if (ioctl(fd, BLKGETSIZE64, &bytes) < 0)
		return err_failed(e, -errno, "cannot see how large %s is: %s", path,
				  err_name(-errno));
	*ret_bytes = bytes;
	return 0;
}
