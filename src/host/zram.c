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
#include "knob.h"
#include "sysread.h"
#include "undo.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
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

static void attribute_path(int id, const char *attribute, char path[PATH_BYTES])
{
	snprintf(path, PATH_BYTES, "sys/block/zram%d/%s", id, attribute);
}

static int write_attribute(const struct zram_device *d, const char *attribute, const char *text)
{
	return knob_write(d->root, d->patience_ms, text, "sys/block/zram%d/%s", d->id, attribute);
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

int zram_remove_id(int root, int id, unsigned patience_ms)
{
	char number[16];
	int r = knob_write(root, patience_ms, "1", "sys/block/zram%d/reset", id);

	if (r == 0) {
		snprintf(number, sizeof(number), "%d", id);
		r = knob_write(root, patience_ms, number, HOT_REMOVE);
	}
	return r == -ENOENT || r == -ENODEV ? 0 : r; /* somebody removed it already */
}

/* Is id one of the numbers in "0,1,7"? */
static bool is_listed(const char *list, int id)
{
	for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
		if (atoi(at) == id && *at != ',')
			return true;
	return false;
}

/* Calls each with the number of every zram device that there is. */
static int each_device(int root, void (*each)(void *arg, int root, int id), void *arg)
{
	CLEANUP_CLOSEDIR DIR *dir = NULL;
	const struct dirent *d;
	int64_t id;
	int fd = openat(root, "sys/block", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		int code = -errno;

		if (fd >= 0)
			close(fd);
		return code;
	}
	while ((d = readdir(dir)))
		if (strncmp(d->d_name, "zram", 4) == 0 &&
		    kerntext_number(d->d_name + 4, &id) == 0 && id <= INT32_MAX)
			each(arg, root, (int)id);
	return 0;
}

struct stray {
	const char *before;
	int id, n;
};

static void find_stray(void *arg, int root, int id)
{
	struct stray *s = arg;
	int64_t set_up;

	if (is_listed(s->before, id) ||
	    sysread_number(root, &set_up, "sys/block/zram%d/initstate", id) < 0 || set_up)
		return;
	s->id = id;
	s->n++;
}

int zram_remove_added(int root, const char *before, unsigned patience_ms)
{
	struct stray s = {.before = before};
	int r = each_device(root, find_stray, &s);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	return s.n == 1 ? zram_remove_id(root, s.id, patience_ms) : 0;
}

static void list_id(void *arg, int root, int id)
{
	struct undo_entry *entry = arg;
	size_t len = strlen(entry->text);

	snprintf(entry->text + len, sizeof(entry->text) - len, "%s%d", len ? "," : "", id);
}

static int note_adding(struct undo *u, struct err *e)
{
	struct undo_entry entry = {.action = UNDO_ZRAM_ADDING};
	int r = each_device(undo_root(u), list_id, &entry);

	if (r < 0)
		return err_failed(e, r, "cannot read /sys/block: %s", err_name(r));
	return undo_note(u, &entry, e);
}

static int note_added(struct undo *u, int id, struct err *e)
{
	struct undo_entry entry = {.action = UNDO_ZRAM, .number = (uint64_t)id};
	char path[PATH_BYTES];
	struct stat st;

	snprintf(path, sizeof(path), "sys/block/zram%d", id);
	if (fstatat(undo_root(u), path, &st, 0) < 0)
		return err_failed(e, -errno, "zram%d was added, but /%s is not there", id, path);
	entry.inode = st.st_ino;
	return undo_note(u, &entry, e);
}

int zram_add(struct undo *u, struct zram_device *ret, struct err *e)
{
	struct zram_device d = {.root = undo_root(u), .patience_ms = PATIENCE_MS};
	CLEANUP_CLOSE int fd = -1;
	size_t mark = undo_mark(u);
	int r = open_hot_add(d.root, &fd, e);

	if (r == 0)
		r = note_adding(u, e);
	if (r < 0)
		return r;
	d.id = read_new_id(fd);
	r = d.id < 0 ? explain(d.id, e) : note_added(u, d.id, e);
	if (r < 0) {
		undo_back(u, mark, NULL);
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

/* One that not every kernel has. */
static int set_optional(const struct zram_device *d, const char *attribute, const char *text,
			const char *config, struct err *e)
{
	int r = write_attribute(d, attribute, text);

	if (r == -ENOENT)
		return err_missing(e, r, "this kernel's zram has no %s (%s)", attribute, config);
	if (r < 0)
		return err_failed(e, r, "cannot set %s of zram%d to '%s': %s", attribute, d->id,
				  text, err_name(r));
	return 0;
}

int zram_set_params(const struct zram_device *d, const char *params, struct err *e)
{
	return set_optional(d, "algorithm_params", params, "it came with Linux 6.12", e);
}

int zram_set_backing(const struct zram_device *d, const char *path, struct err *e)
{
	return set_optional(d, "backing_dev", path, "it is built without CONFIG_ZRAM_WRITEBACK", e);
}

int zram_mark_idle(const struct zram_device *d, struct err *e)
{
	return set_optional(d, "idle", "all", "it is built without CONFIG_ZRAM_WRITEBACK", e);
}

int zram_writeback(const struct zram_device *d, const char *mode, struct err *e)
{
	return set_optional(d, "writeback", mode, "it is built without CONFIG_ZRAM_WRITEBACK", e);
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
