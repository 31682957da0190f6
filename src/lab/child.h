/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that a workload runs in. It leads a session of its own, is in the control group
 * before it does anything, has nothing of the race open, dies with the race, and is what the kernel
 * should kill first if the whole machine runs out of memory.
 */
#ifndef SNUG_LAB_CHILD_H
#define SNUG_LAB_CHILD_H

#include "workload.h"

#include <stdint.h>
#include <sys/types.h>

struct cgroup;
struct err;

struct child {
	pid_t pid;
	int pidfd;
	/* Once it has ended: */
	int exit_status;	 /* 128 + signal */
	double user_s, system_s; /* of it and of all that it waited for, and of those that it left
				    behind */
};

/* stdin: /dev/null; stdout and stderr: output. */
int child_start(int root, const struct cgroup *group, const struct workload_ops *workload,
		void *work, struct workload_share *share, int output, struct child *ret,
		struct err *e);

/* Waits at most ms; has it ended? Cut short by signals. Its end is not taken note of yet. */
bool child_ended(const struct child *c, int ms);

/*
 * Kills it and all in the group, reaps every one, and fills in how it ended: status and times.
 * Those of its descendants come to the race, which must be a subreaper.
 */
int child_finish(struct child *c, const struct cgroup *group, struct err *e);

#endif
