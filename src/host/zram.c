/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zram by its sysfs files (Documentation/admin-guide/blockdev/zram.rst). Traps, each seen in
 * reports of others:
 *
 * Reading hot_add is what adds a device, and it works on a read-only /sys, where nothing would then
 * be able to remove it. So hot_remove is tried for writing first.
 *
 * Just after hot_add, and again after disksize, udev opens the device to look at it: the node may
 * not exist yet, and reset and hot_remove are EBUSY for some milliseconds. All three wait.
 *
 * comp_algorithm's list may be shorter than what it takes: kernels before 6.12 load crypto modules
 * by name. So a name is tried, not looked up, and the list only serves the error.
 *
 * /dev/zramN in a container may be an old node with another device behind it, which a benchmark
 * would overwrite: its number is compared with what sysfs says.
 */
#include "zram.h"

#include "cleanup.h"
#include "clock.h"
#include "err.h"
#include "fileio.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#define HOT_ADD	   "sys/class/zram-control/hot_add"
#define HOT_REMOVE "sys/class/zram-control/hot_remove"

enum { PATIENCE_MS = 5000, STEP_MS = 10, ATTRIBUTE_MAX = 4096, PATH_BYTES = 96, STAT_COLUMNS = 9 };

/* Time left to wait, used up in steps. */
struct patience {
	uint64_t until_ns;
};

static struct patience patience_of(unsigned ms)
{
	return (struct patience){clock_now_ns() + (uint64_t)ms * 1000000};
}

static bool wait_more(const struct patience *p)
{
	const struct timespec step = {.tv_nsec = STEP_MS * 1000000};

	if (clock_now_ns() >= p->until_ns)
		return false;
	nanosleep(&step, NULL);
	return true;
}

static int write_once(int root, const char *path, const char *text)
{
	CLEANUP_CLOSE int fd = openat(root, path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	return fd < 0 ? -errno : fileio_write_all(fd, text, strlen(text));
}

static int write_patiently(int root, const char *path, const char *text, unsigned patience_ms)
{
	struct patience p = patience_of(patience_ms);
	int r;

	do
		r = write_once(root, path, text);
	while (r == -EBUSY && wait_more(&p));
	return r;
}

static void attribute_path(int id, const char *attribute, char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "sys/block/zram%d/%s", id, attribute);
}

static int write_attribute(const struct zram_device *d, const char *attribute, const char *text)
{
	char path[PATH_BYTES];

	attribute_path(d->id, attribute, path);
	return write_patiently(d->root, path, text, d->patience_ms);
}

static int read_attribute(const struct zram_device *d, const char *attribute, char **ret_text)
{
	char path[PATH_BYTES];

	attribute_path(d->id, attribute, path);
	return fileio_read(d->root, path, ATTRIBUTE_MAX, ret_text);
}

/* The sentence for what adding and removing may be refused with. */
static int explain(int code, struct err *e)
{
	switch (code) {
	case -ENOENT:
		return err_missing(e, code,
				   "this kernel offers no zram (no /" HOT_ADD
				   "); load it with 'modprobe zram', "
				   "or use a kernel built with CONFIG_ZRAM");
	case -EACCES:
	case -EPERM:
		return err_missing(e, code,
				   "adding a zram device needs root; run this as root (sudo)");
	case -EROFS:
		return err_missing(
			e, code,
			"/sys is read-only here, as in a container; zram devices need the host, "
			"or a privileged container");
	default:
		return err_failed(e, code, "cannot add a zram device: %s", err_name(code));
	}
}

/* May we add, and could we remove? Opening changes nothing yet. */
static int open_hot_add(int root, int *ret_fd, struct err *e)
{
	CLEANUP_CLOSE int add = openat(root, HOT_ADD, O_RDONLY | O_CLOEXEC);
	CLEANUP_CLOSE int remove = -1;

	if (add < 0)
		return explain(-errno, e);
	remove = openat(root, HOT_REMOVE, O_WRONLY | O_CLOEXEC);
	if (remove < 0)
		return explain(-errno, e);
	*ret_fd = add;
	add = -1;
	return 0;
}

/* The one read that makes a device; its number. */
static int read_new_id(int fd)
{
	char text[16];
	int64_t id;
	ssize_t n = read(fd, text, sizeof(text) - 1);

	if (n < 0)
		return -errno;
	text[n] = '\0';
	if (kerntext_number(text, &id) < 0 || id < 0 || id > INT32_MAX)
		return -EBADMSG;
	return (int)id;
}

static int remove_id(int root, int id, unsigned patience_ms)
{
	char path[PATH_BYTES], number[16];
	int r;

	attribute_path(id, "reset", path);
	r = write_patiently(root, path, "1", patience_ms);
	if (r == 0) {
		snprintf(number, sizeof(number), "%d", id);
		r = write_patiently(root, HOT_REMOVE, number, patience_ms);
	}
	return r == -ENOENT || r == -ENODEV ? 0 : r; /* somebody removed it already */
}

int zram_add(int root, struct zram_device *ret, struct err *e)
{
	struct zram_device d = {.root = root, .patience_ms = PATIENCE_MS};
	CLEANUP_CLOSE int fd = -1;
	int r = open_hot_add(root, &fd, e);

	if (r == 0)
		r = zram_record_begin(root, &d.record, e);
	if (r < 0)
		return r;
	d.id = read_new_id(fd);
	if (d.id < 0) {
		zram_record_end(root, &d.record);
		return explain(d.id, e);
	}
	d.present = true;
	r = zram_record_device(root, &d.record, d.id, e);
	if (r < 0) {
		zram_remove(&d, NULL);
		return r;
	}
	*ret = d;
	return 0;
}

static int explain_algorithm(const struct zram_device *d, const char *name, int code, struct err *e)
{
	CLEANUP_FREE char *text = NULL;
	struct kerntext_choice offered;
	char list[512];
	size_t len = 0;

	if (code != -EINVAL || read_attribute(d, "comp_algorithm", &text) < 0 ||
	    kerntext_choice(text, &offered) < 0)
		return err_failed(e, code, "cannot set the algorithm of zram%d to '%s': %s", d->id,
				  name, err_name(code));
	list[0] = '\0';
	for (size_t i = 0; i < offered.n && len < sizeof(list); i++)
		len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%s", i ? ", " : "",
					offered.words[i]);
	return err_missing(e, code, "this kernel's zram has no algorithm '%s'; it offers %s", name,
			   list);
}

int zram_set_algorithm(const struct zram_device *d, const char *name, struct err *e)
{
	int r = write_attribute(d, "comp_algorithm", name);

	return r < 0 ? explain_algorithm(d, name, r, e) : 0;
}

static int set_bytes(const struct zram_device *d, const char *attribute, uint64_t bytes,
		     struct err *e)
{
	char text[24];
	int r;

	snprintf(text, sizeof(text), "%" PRIu64, bytes);
	r = write_attribute(d, attribute, text);
	if (r < 0)
		return err_failed(e, r, "cannot set %s of zram%d to %s: %s", attribute, d->id, text,
				  err_name(r));
	return 0;
}

int zram_set_size(const struct zram_device *d, uint64_t bytes, struct err *e)
{
	return set_bytes(d, "disksize", bytes, e);
}

int zram_set_mem_limit(const struct zram_device *d, uint64_t bytes, struct err *e)
{
	return set_bytes(d, "mem_limit", bytes, e);
}

/* Is fd the device that sysfs has under this number? */
static bool is_the_device(const struct zram_device *d, int fd)
{
	CLEANUP_FREE char *text = NULL;
	unsigned major_number, minor_number;
	struct stat st;

	if (read_attribute(d, "dev", &text) < 0 ||
	    sscanf(text, "%u:%u", &major_number, &minor_number) != 2)
		return false;
	return fstat(fd, &st) == 0 && S_ISBLK(st.st_mode) &&
	       st.st_rdev == makedev(major_number, minor_number);
}

/* O_EXCL: so that nothing mounts it or swaps on it while we write. */
static int open_node(const struct zram_device *d, const char *path)
{
	int fd = openat(d->root, path, O_RDWR | O_DIRECT | O_EXCL | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int zram_open(const struct zram_device *d, int *ret_fd, struct err *e)
{
	struct patience p = patience_of(d->patience_ms);
	char path[PATH_BYTES];
	int fd;

	snprintf(path, sizeof(path), "dev/zram%d", d->id);
	do
		fd = open_node(d, path);
	while ((fd == -ENOENT || fd == -EBUSY || fd == -ENXIO || fd == -ENODEV) && wait_more(&p));
	if (fd == -ENOENT)
		return err_missing(
			e, fd, "/%s has not appeared; device nodes need devtmpfs on /dev, or udev",
			path);
	if (fd < 0)
		return err_failed(e, fd, "cannot open /%s for direct I/O: %s", path, err_name(fd));
	if (!is_the_device(d, fd)) {
		close(fd);
		return err_failed(
			e, -ENXIO,
			"/%s is not the device that /sys/block/zram%d/dev names; remove that node",
			path, d->id);
	}
	*ret_fd = fd;
	return 0;
}

/* Cuts what a later kernel adds behind the columns known today. */
static void cut_columns(char *text, int n)
{
	for (; n > 0; n--) {
		text += strspn(text, " \t\n");
		text += strcspn(text, " \t\n");
	}
	*text = '\0';
}

int zram_read_stat(const struct zram_device *d, struct kerntext_mm_stat *ret, struct err *e)
{
	CLEANUP_FREE char *text = NULL;
	int r = read_attribute(d, "mm_stat", &text);

	if (r == 0) {
		cut_columns(text, STAT_COLUMNS);
		r = kerntext_mm_stat(text, ret);
	}
	if (r < 0)
		return err_failed(e, r, "cannot read /sys/block/zram%d/mm_stat: %s", d->id,
				  r == -EBADMSG ? "it does not have the columns that are documented"
						: err_name(r));
	return 0;
}

int zram_remove(struct zram_device *d, struct err *e)
{
	int r;

	if (!d->present)
		return 0;
	d->present = false;
	r = remove_id(d->root, d->id, d->patience_ms);
	if (r < 0) {
		zram_record_leave(&d->record);
		return err_failed(
			e, r,
			"cannot remove zram%d: %s; the next run tries again, or do it by hand: "
			"echo 1 > /sys/block/zram%d/reset; echo %d > /" HOT_REMOVE,
			d->id, err_name(r), d->id, d->id);
	}
	zram_record_end(d->root, &d->record);
	return 0;
}

static int remove_now(int root, int id)
{
	return remove_id(root, id, 0);
}

void zram_recover(int root)
{
	zram_record_recover(root, remove_now);
}
