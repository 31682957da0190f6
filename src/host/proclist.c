/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "proclist.h"

#include "cleanup.h"
#include "err.h"
#include "fileio.h"
#include "kerntext.h"
#include "sysread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>

/* The place in the list where pid is or belongs. */
static size_t find(const struct proclist *l, pid_t pid)
{
	size_t low = 0, high = l->n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (l->pids[middle] < pid)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool proclist_has(const struct proclist *l, pid_t pid)
{
	size_t at = find(l, pid);

	return at < l->n && l->pids[at] == pid;
}

int proclist_add(struct proclist *l, pid_t pid)
{
	size_t at = find(l, pid);

	if (at < l->n && l->pids[at] == pid)
		return 0;
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 256;
		pid_t *grown = realloc(l->pids, cap * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		l->pids = grown;
		l->cap = cap;
	}
	memmove(l->pids + at + 1, l->pids + at, (l->n - at) * sizeof(*l->pids));
	l->pids[at] = pid;
	l->n++;
	return 0;
}

void proclist_free(struct proclist *l)
{
	free(l->pids);
	*l = (struct proclist){0};
}

static bool parse_pid(const char *text, pid_t *ret)
{
	int64_t value;

	if (kerntext_number(text, &value) < 0 || value < 1 || value > INT_MAX)
		return false;
	*ret = (pid_t)value;
	return true;
}

int proclist_add_all(int root, struct proclist *l, struct err *e)
{
	int fd = openat(root, "proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	pid_t pid;

	if (!dir)
		return err_missing(e, -errno, "cannot list processes: /proc: %s; mount it",
				   err_name(-errno));
	while ((entry = readdir(dir)))
		if (parse_pid(entry->d_name, &pid) && proclist_add(l, pid) < 0)
			return err_failed(e, -ENOMEM, "out of memory");
	return 0;
}

/* -EOPNOTSUPP, from a threaded cgroup of v2, is no error: its processes are listed by the cgroup
 * above. */
static int add_procs_of(int dir, struct proclist *l)
{
	CLEANUP_FREE char *text = NULL;
	char *save = NULL;
	int r = fileio_read(dir, "cgroup.procs", SYSREAD_MAX, &text);

	if (r == -EOPNOTSUPP)
		return 0;
	if (r < 0)
		return r;
	for (char *line = strtok_r(text, "\n", &save); line && r == 0;
	     line = strtok_r(NULL, "\n", &save)) {
		pid_t pid;

		/* 0: a process outside this pid namespace. */
		if (parse_pid(line, &pid))
			r = proclist_add(l, pid);
	}
	return r;
}

/* Takes over fd. The kernel's cgroup trees nest no deeper than a path name is long. */
static int add_tree(int fd, struct proclist *l, int depth)
{
	CLEANUP_CLOSEDIR DIR *dir = fdopendir(fd);
	struct dirent *entry;
	int r;

	if (!dir) {
		r = -errno;
		close(fd);
		return r;
	}
	r = add_procs_of(dirfd(dir), l);
	while (r == 0 && depth && (entry = readdir(dir))) {
		int child;

		if (entry->d_name[0] == '.' ||
		    (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN))
			continue;
		child = openat(dirfd(dir), entry->d_name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		/* Removed meanwhile, or no directory after all. */
		if (child < 0)
			continue;
		r = add_tree(child, l, depth - 1);
		if (r == -ENOENT || r == -ENODEV)
			r = 0;
	}
	return r;
}

static int open_cgroup(int root, const char *path)
{
	/* The second is v2 beside v1; then the trees of v1 that hold all processes. */
	static const char *const trees[] = {"sys/fs/cgroup", "sys/fs/cgroup/unified",
					    "sys/fs/cgroup/memory", "sys/fs/cgroup/systemd", "."};
	char full[PATH_MAX];

	for (size_t i = 0; i < sizeof(trees) / sizeof(trees[0]); i++) {
		int fd, len = snprintf(full, sizeof(full), "%s/%s", trees[i], path);

		if (len < 0 || (size_t)len >= sizeof(full))
			return -ENAMETOOLONG;
		fd = openat(root, full, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			continue;
		if (faccessat(fd, "cgroup.procs", F_OK, 0) == 0)
			return fd;
		close(fd);
	}
	return -ENOENT;
}

int proclist_add_cgroup(int root, struct proclist *l, const char *path, struct err *e)
{
	enum { DEPTH_MAX = 64 };
	int r, fd = open_cgroup(root, path);

	if (fd < 0)
		return err_usage(
			e, fd,
			"no cgroup '%s'; give its directory under /sys/fs/cgroup, or its name as in "
			"/proc/PID/cgroup",
			path);
	r = add_tree(fd, l, DEPTH_MAX);
	if (r == -EACCES)
		return err_missing(
			e, r, "not permitted to list the processes of cgroup '%s'; run as root",
			path);
	return r < 0 ? err_failed(e, r, "cannot list the processes of cgroup '%s': %s", path,
				  err_name(r))
		     : 0;
}

const char *proclist_name(int root, pid_t pid, char buf[PROCLIST_NAME_MAX])
{
	CLEANUP_FREE char *text = NULL;
	size_t len = 0;

	if (sysread_text(root, &text, "proc/%d/comm", (int)pid) == 0)
		for (; text[len] && text[len] != '\n' && len < PROCLIST_NAME_MAX - 1; len++)
			/* It ends up on a terminal. */
			buf[len] = text[len] >= ' ' && text[len] < 0x7f ? text[len] : '?';
	if (!len)
		buf[len++] = '?';
	buf[len] = '\0';
	return buf;
}
