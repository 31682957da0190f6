/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which processes there are: all, or those of a cgroup. */
#ifndef SNUG_HOST_PROCLIST_H
#define SNUG_HOST_PROCLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct err;

/* Ordered by pid, each once. Zero it first. */
struct proclist {
	pid_t *pids;
	size_t n, cap;
};

void proclist_free(struct proclist *l);

/* Each adds to what the list has. */
int proclist_add(struct proclist *l, pid_t pid);
int proclist_add_all(int root, struct proclist *l, struct err *e);
/*
 * Processes of a cgroup and of those below it. path: where it is ("/sys/fs/cgroup/x"), or what
 * /proc/PID/cgroup calls it ("/x" or "x"), looked for in the v2 tree and then in those of v1.
 */
int proclist_add_cgroup(int root, struct proclist *l, const char *path, struct err *e);
bool proclist_has(const struct proclist *l, pid_t pid);

#define PROCLIST_NAME_MAX 32
/* The command's name, for sentences; "?" once it is gone. Returns buf. */
const char *proclist_name(int root, pid_t pid, char buf[PROCLIST_NAME_MAX]);

#endif
