/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where on this machine can memory be limited, and a group of our own there.
 *
 * The mounts tell. Of v1 each controller may have a tree of its own, and memory and cpuset usually
 * do: then a process has to enter two groups. A machine may have both versions (hybrid), but a
 * controller is in one of them only: a mounted v1 with memory has it, and v2 has it if its list of
 * controllers says so. A controller that v2 has is still to be enabled for the groups below the
 * top.
 *
 * Trap: a new cpuset group of v1 has no memory nodes, and takes no process until it has.
 */
#include "cgroup.h"

#include "cleanup.h"
#include "err.h"
#include "fields.h"
#include "kerntext.h"
#include "knob.h"
#include "mountinfo.h"
#include "sysread.h"
#include "undo.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { NAME_BYTES = 48, GROUPS_MOST = 10000 };

/* The top groups that have the controllers, relative to the root; empty: none. */
struct hierarchy {
	int version;
	char memory[CGROUP_PATH_MAX - NAME_BYTES];
	char cpuset[CGROUP_PATH_MAX - NAME_BYTES];
};

static bool has_controller(int root, const struct mountinfo *m, const char *name)
{
	CLEANUP_FREE char *text = NULL;

	if (!strcmp(m->type, "cgroup"))
		return mountinfo_has_option(m, name);
	return sysread_text(root, &text, "%s/cgroup.controllers", m->point + 1) == 0 &&
	       fields_have(text, name);
}

static void take_mount(int root, const struct mountinfo *m, struct hierarchy *h)
{
	if (*m->point != '/' || strlen(m->point) > sizeof(h->memory))
		return;
	if (!*h->memory && has_controller(root, m, "memory"))
		strcpy(h->memory, m->point + 1);
	if (!*h->cpuset && has_controller(root, m, "cpuset"))
		strcpy(h->cpuset, m->point + 1);
}

static int find_hierarchy(int root, struct hierarchy *ret)
{
	struct hierarchy v1 = {.version = 1}, v2 = {.version = 2};
	CLEANUP_FREE char *text = NULL;
	struct mountinfo m;
	char *cursor;
	int r = sysread_text(root, &text, "proc/self/mountinfo");

	if (r < 0)
		return r;
	cursor = text;
	while (mountinfo_next(&cursor, &m)) {
		if (!strcmp(m.type, "cgroup"))
			take_mount(root, &m, &v1);
		else if (!strcmp(m.type, "cgroup2"))
			take_mount(root, &m, &v2);
	}
	*ret = *v1.memory ? v1 : v2;
	return *ret->memory ? 0 : -ENOENT;
}

static int explain(int code, const char *path, struct err *e)
{
	switch (code) {
	case -EACCES:
	case -EPERM:
		return err_missing(e, code,
				   "a control group in /%s needs root; run this as root "
				   "(sudo)",
				   path);
	case -EROFS:
		return err_missing(e, code,
				   "/%s is read-only here, as in a container; control "
				   "groups need the host, or a privileged container",
				   path);
	default:
		return err_failed(e, code, "cannot make a control group in /%s: %s", path,
				  err_name(code));
	}
}

static int check(int root, struct hierarchy *ret, struct err *e)
{
	int r = find_hierarchy(root, ret);

	if (r == -ENOENT)
		return err_missing(
			e, r,
			"no control group here can limit memory; mount one (mount -t cgroup2 none "
			"/sys/fs/cgroup), or, if /proc/cgroups says that memory is disabled, add "
			"cgroup_enable=memory to the kernel's command line (Raspberry Pi: "
			"cmdline.txt)");
	if (r == 0 && faccessat(root, ret->memory, W_OK | X_OK, AT_EACCESS) < 0)
		r = -errno;
	return r < 0 ? explain(r, ret->memory, e) : 0;
}

int cgroup_check(int root, int *ret_version, struct err *e)
{
	struct hierarchy h;
	int r = check(root, &h, e);

	if (r == 0 && ret_version)
		*ret_version = h.version;
	return r;
}

/* Of a list that kerntext_cpu_list has found good. */
static bool next_range(const char **p, unsigned long *first, unsigned long *last)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	*first = *last = strtoul(*p, &end, 10);
	if (*end == '-')
		*last = strtoul(end + 1, &end, 10);
	*p = end + (*end == ',');
	return true;
}

/* The kernel joins ranges that touch, so that each one asked for lies in one of those online. */
static bool cpus_within(const char *cpus, const char *online)
{
	unsigned long first, last, low, high;

	while (next_range(&cpus, &first, &last)) {
		const char *p = online;
		bool found = false;

		while (!found && next_range(&p, &low, &high))
			found = low <= first && last <= high;
		if (!found)
			return false;
	}
	return true;
}

static int check_cpus(int root, const struct hierarchy *h, const char *cpus, struct err *e)
{
	CLEANUP_FREE char *online = NULL;
	int64_t n;

	if (kerntext_cpu_list(cpus, &n) < 0)
		return err_usage(e, -EINVAL, "'%s' is no list of CPUs; write it as \"0-1,3\"",
				 cpus);
	if (sysread_text(root, &online, "sys/devices/system/cpu/online") == 0 &&
	    kerntext_cpu_list(online, &n) == 0 && !cpus_within(cpus, online))
		return err_usage(e, -EINVAL, "not all of the CPUs %s are there; online are %.*s",
				 cpus, (int)strcspn(online, "\n"), online);
	if (!*h->cpuset)
		return err_missing(e, -ENOENT,
				   "no control group here can bind processes to CPUs (no cpuset "
				   "controller); leave the CPUs to the kernel");
	return 0;
}

/* Lets the groups below the top have it. What undoes it is not the old text, but the other sign. */
static int enable(struct undo *u, const char *top, const char *controller, struct err *e)
{
	struct undo_entry entry = {.action = UNDO_WRITE};
	CLEANUP_FREE char *text = NULL;
	char value[16];
	int root = undo_root(u), r;

	snprintf(entry.path, sizeof(entry.path), "%s/cgroup.subtree_control", top);
	r = sysread_text(root, &text, "%s", entry.path);
	if (r < 0)
		return explain(r, top, e);
	if (fields_have(text, controller))
		return 0;
	snprintf(entry.text, sizeof(entry.text), "-%s", controller);
	r = undo_note(u, &entry, e);
	if (r < 0)
		return r;
	snprintf(value, sizeof(value), "+%s", controller);
	r = knob_write(root, 0, value, "%s", entry.path);
	if (r == -EBUSY || r == -EOPNOTSUPP)
		return err_missing(e, r,
				   "cannot enable the %s controller in /%s: that group has "
				   "processes itself, as in a container; run this on the host",
				   controller, top);
	return r < 0 ? explain(r, top, e) : 0;
}

/* Names carry our process id, so that nobody else makes one between the look and the mkdir. */
static int make_folder(struct undo *u, const char *top, char path[CGROUP_PATH_MAX], struct err *e)
{
	struct undo_entry entry = {.action = UNDO_CGROUP};
	int root = undo_root(u), n = 0, r;

	do
		snprintf(entry.path, sizeof(entry.path), "%s/snug-%d-%d", top, (int)getpid(), n);
	while (sysread_exists(root, entry.path) && ++n < GROUPS_MOST);
	if (n == GROUPS_MOST)
		return explain(-EEXIST, top, e);
	r = undo_note(u, &entry, e);
	if (r < 0)
		return r;
	if (mkdirat(root, entry.path, 0755) < 0)
		return explain(-errno, top, e);
	snprintf(path, CGROUP_PATH_MAX, "%.*s", CGROUP_PATH_MAX - 1, entry.path);
	return 0;
}

static int bind_cpus(const struct cgroup *c, const char *top, const char *cpus, struct err *e)
{
	CLEANUP_FREE char *nodes = NULL;
	int r = 0;

	if (c->version == 1) {
		r = sysread_text(c->root, &nodes, "%s/cpuset.mems", top);
		if (r == 0)
			r = knob_write(c->root, 0, nodes, "%s/cpuset.mems", c->cpuset);
	}
	if (r == 0)
		r = knob_write(c->root, 0, cpus, "%s/cpuset.cpus", c->cpuset);
	if (r == -EINVAL || r == -EACCES || r == -ERANGE)
		return err_usage(e, r, "the CPUs %s are not to be had: %s", cpus, err_name(r));
	return r < 0 ? err_failed(e, r, "cannot bind the control group /%s to the CPUs %s: %s",
				  c->cpuset, cpus, err_name(r))
		     : 0;
}

static int make(struct undo *u, const struct hierarchy *h, const char *cpus, struct cgroup *c,
		struct err *e)
{
	int r = 0;

	if (h->version == 2)
		r = enable(u, h->memory, "memory", e);
	if (r == 0 && h->version == 2 && cpus)
		r = enable(u, h->cpuset, "cpuset", e);
	if (r == 0)
		r = make_folder(u, h->memory, c->memory, e);
	if (r < 0 || !cpus)
		return r;
	if (!strcmp(h->cpuset, h->memory))
		strcpy(c->cpuset, c->memory);
	else
		r = make_folder(u, h->cpuset, c->cpuset, e);
	return r < 0 ? r : bind_cpus(c, h->cpuset, cpus, e);
}

int cgroup_make(struct undo *u, const char *cpus, struct cgroup *ret, struct err *e)
{
	struct cgroup c = {.root = undo_root(u)};
	size_t mark = undo_mark(u);
	struct hierarchy h;
	int r = check(c.root, &h, e);

	if (r == 0 && cpus)
		r = check_cpus(c.root, &h, cpus, e);
	if (r < 0)
		return r;
	c.version = h.version;
	r = make(u, &h, cpus, &c, e);
	if (r < 0) {
		undo_back(u, mark, NULL);
		return r;
	}
	*ret = c;
	return 0;
}
