/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See cgroup.h. Here is how a group is used and ended; cgroup_make.c makes it, cgroup_stat.c reads
 * its figures. What differs between the two versions is the names of the files, so they are in
 * tables, and the functions are the same.
 *
 * Killing is a loop: a group that forks may have new members when the list is through, and one that
 * thrashes takes its time to die. A group that has this process in it is never killed.
 *
 * Removing has only a path, from a journal that may be another process's. It touches nothing whose
 * name is not one that cgroup_make gives.
 */
#include "cgroup.h"

#include "cleanup.h"
#include "clock.h"
#include "err.h"
#include "fields.h"
#include "knob.h"
#include "sysread.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { KILL_MS = 10000, REMOVE_MS = 5000, NAP_MOST_MS = 10 };

static const struct names {
	const char *limit, *no_limit, *usage, *swap, *no_swap;
} names[] = {
	[1] = {"memory.limit_in_bytes", "-1", "memory.usage_in_bytes", "memory.swappiness", "0"},
	[2] = {"memory.max", "max", "memory.current", "memory.swap.max", "0"},
};

int cgroup_enter(const struct cgroup *c)
{
	int r = knob_write(c->root, 0, "0", "%s/cgroup.procs", c->memory);

	if (r < 0 || !*c->cpuset || !strcmp(c->cpuset, c->memory))
		return r;
	return knob_write(c->root, 0, "0", "%s/cgroup.procs", c->cpuset);
}

int cgroup_limit(const struct cgroup *c, uint64_t bytes)
{
	const struct names *n = &names[c->version];
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, bytes);
	return knob_write(c->root, 0, bytes == CGROUP_NO_LIMIT ? n->no_limit : text, "%s/%s",
			  c->memory, n->limit);
}

/* v1 has no word for "as the machine does": it is what the group above says. */
static int usual_swappiness(const struct cgroup *c, char *buf, size_t size)
{
	return sysread_word(c->root, buf, size, "%s/../%s", c->memory, names[1].swap);
}

int cgroup_allow_swap(const struct cgroup *c, bool allowed)
{
	const struct names *n = &names[c->version];
	char value[24] = "max";
	int r = 0;

	if (!allowed)
		strcpy(value, n->no_swap);
	else if (c->version == 1)
		r = usual_swappiness(c, value, sizeof(value));
	if (r == 0)
		r = knob_write(c->root, 0, value, "%s/%s", c->memory, n->swap);
	return r == -ENOENT ? -EOPNOTSUPP : r;
}

int cgroup_usage(const struct cgroup *c, uint64_t *ret_bytes)
{
	int64_t bytes;
	int r = sysread_number(c->root, &bytes, "%s/%s", c->memory, names[c->version].usage);

	if (r == 0)
		*ret_bytes = (uint64_t)bytes;
	return r;
}

int cgroup_population(const struct cgroup *c)
{
	CLEANUP_FREE char *text = NULL;
	int n = 0, r = sysread_text(c->root, &text, "%s/cgroup.procs", c->memory);

	if (r < 0)
		return r;
	for (const char *p = text; *p; fields_next_line(&p))
		n++;
	return n;
}

static bool lists(const char *procs, pid_t pid)
{
	int64_t member;

	for (const char *p = procs; *p; fields_next_line(&p))
		if (fields_number(&p, &member) && member == pid)
			return true;
	return false;
}

/* SIGKILL to each that is in it now; how many there were. */
static int kill_once(const struct cgroup *c)
{
	CLEANUP_FREE char *procs = NULL;
	int64_t pid;
	int n = 0, r = sysread_text(c->root, &procs, "%s/cgroup.procs", c->memory);

	if (r < 0) /* -ENODEV: removed while it was open */
		return r == -ENOENT || r == -ENODEV ? 0 : r;
	if (lists(procs, getpid()))
		return -EDEADLK;
	/* Since Linux 5.14, on v2 only: all at once, those of groups below too. */
	if (*procs)
		knob_write(c->root, 0, "1", "%s/cgroup.kill", c->memory);
	for (const char *p = procs; *p; fields_next_line(&p), n++)
		/* 0: one that this pid namespace does not show. */
		if (fields_number(&p, &pid) && pid > 0 && pid <= INT32_MAX)
			kill((pid_t)pid, SIGKILL);
	return n;
}

/* A nap that grows from 1 ms on; false when the time is up. */
static bool nap(uint64_t until_ns, unsigned *ms)
{
	struct timespec ts = {.tv_nsec = (long)*ms * 1000000};

	if (clock_now_ns() >= until_ns)
		return false;
	nanosleep(&ts, NULL);
	*ms = *ms * 2 < NAP_MOST_MS ? *ms * 2 : NAP_MOST_MS;
	return true;
}

int cgroup_kill(const struct cgroup *c, struct err *e)
{
	uint64_t until = clock_now_ns() + KILL_MS * UINT64_C(1000000);
	unsigned ms = 1;
	int n;

	do
		n = kill_once(c);
	while (n > 0 && nap(until, &ms));
	if (n > 0)
		return err_failed(
			e, -EBUSY,
			"%d processes of the control group /%s are still there %d s after "
			"they were killed; most likely they wait for a device",
			n, c->memory, KILL_MS / 1000);
	if (n == -EDEADLK)
		return err_failed(e, n,
				  "the control group /%s has this very process in it, and is not "
				  "killed; move it out first",
				  c->memory);
	return n < 0 ? err_failed(e, n, "cannot list the processes of the control group /%s: %s",
				  c->memory, err_name(n))
		     : 0;
}

/* "snug-PID-N", as cgroup_make names them. */
static bool is_ours(const char *path)
{
	static const char digits[] = "0123456789";
	const char *name = strrchr(path, '/');
	size_t pid, number;

	if (!name || strncmp(name, "/snug-", 6))
		return false;
	name += 6;
	pid = strspn(name, digits);
	if (!pid || name[pid] != '-')
		return false;
	name += pid + 1;
	number = strspn(name, digits);
	return number && !name[number];
}

static bool has_groups_below(int root, const char *path)
{
	struct stat st;

	return fstatat(root, path, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_nlink > 2;
}

static int remove_folder(int root, const char *path)
{
	uint64_t until = clock_now_ns() + REMOVE_MS * UINT64_C(1000000);
	unsigned ms = 1;
	int r;

	/* What has been killed may still be on its way out. */
	do
		r = unlinkat(root, path, AT_REMOVEDIR) < 0 ? -errno : 0;
	while (r == -EBUSY && !has_groups_below(root, path) && nap(until, &ms));
	return r == -ENOENT ? 0 : r;
}

int cgroup_remove(int root, const char *path, struct err *e)
{
	struct cgroup c = {.root = root};
	int r;

	if (!is_ours(path) || strlen(path) >= sizeof(c.memory))
		return err_failed(e, -EINVAL,
				  "/%s is not named as snug names its control groups, and is left "
				  "alone",
				  path);
	strcpy(c.memory, path);
	if (!sysread_exists(root, path))
		return 0;
	r = cgroup_kill(&c, e);
	if (r < 0)
		return r;
	r = remove_folder(root, path);
	if (r == -EBUSY && has_groups_below(root, path))
		return err_failed(e, r,
				  "cannot remove the control group /%s: what ran in it has made "
				  "groups below it; end them, remove them with rmdir, and then "
				  "this one",
				  path);
	return r < 0 ? err_failed(e, r, "cannot remove the control group /%s: %s", path,
				  err_name(r))
		     : 0;
}
