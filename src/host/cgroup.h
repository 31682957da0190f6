/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A control group of snug's own that limits memory, whichever version this machine has:
 * Documentation/admin-guide/cgroup-v1/memory.rst and cgroup-v2.rst. On a machine with both (hybrid)
 * the one that has the memory controller. The group is made beside, not below, the caller's, at the
 * top of the hierarchy, where v2 lets it have controllers; it is named snug-PID-N.
 *
 * Only the hard limit (memory.max, memory.limit_in_bytes) is ever used, never memory.high: results
 * of the two can't be compared.
 */
#ifndef SNUG_HOST_CGROUP_H
#define SNUG_HOST_CGROUP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct err;
struct undo;

#define CGROUP_PATH_MAX 256
#define CGROUP_NO_LIMIT UINT64_MAX

struct cgroup {
	int root;		      /* borrowed */
	int version;		      /* 1 or 2, of the memory controller */
	char memory[CGROUP_PATH_MAX]; /* folder, relative to the root */
	char cpuset[CGROUP_PATH_MAX]; /* on v1 one of its own, empty if not asked for; on v2 the
					 same */
};

/* Could cgroup_make succeed? ERR_MISSING with what to do; changes nothing. ret_version may be NULL.
 */
int cgroup_check(int root, int *ret_version, struct err *e);

/*
 * Journaled. cpus: a list as the kernel writes it ("0-1,3"), or NULL for all. On v2, enables the
 * controllers at the top (cgroup.subtree_control) if they are not, which is journaled as well.
 */
int cgroup_make(struct undo *u, const char *cpus, struct cgroup *ret, struct err *e);

/* The calling process moves in. Async-signal-safe enough for a child after fork; -errno. */
int cgroup_enter(const struct cgroup *c);

/*
 * Sets the memory limit (CGROUP_NO_LIMIT: none). Reclaims until usage is below it. v1 refuses with
 * -EBUSY where that is not possible and keeps the old one; v2 sets it and may kill. No sentence: it
 * is called a hundred times a second.
 */
int cgroup_limit(const struct cgroup *c, uint64_t bytes);

/*
 * May it swap? Only on v2 (memory.swap.max 0 or max); on v1 by memory.swappiness, or where memsw is
 * accounted, not needed since there is no swap to be had. -EOPNOTSUPP where it can't be told.
 */
int cgroup_allow_swap(const struct cgroup *c, bool allowed);

/* -1 where this kernel does not tell. */
struct cgroup_stat {
	int64_t usage_bytes; /* memory charged now */
	int64_t peak_bytes;  /* the highest usage since it was made (not on v2 before 5.19) */
	int64_t anon_bytes, file_bytes;
	int64_t swap_bytes;  /* swapped out now, before compression */
	int64_t zswap_bytes; /* v2: charged for the zswap pool, and so within usage_bytes */
	int64_t major_faults;
	int64_t oom_kills;
	int64_t user_ns; /* CPU time in user mode of its processes; may step back when one ends */
	double psi_some_s, psi_full_s; /* v2 only; NAN */
};

void cgroup_read(const struct cgroup *c, struct cgroup_stat *ret);

/* usage_bytes alone, for the budget's tight loop; -errno. */
int cgroup_usage(const struct cgroup *c, uint64_t *ret_bytes);

/* How many processes are in it; -errno. */
int cgroup_population(const struct cgroup *c);

/* SIGKILL to all in it, again and again until it is empty (new ones fork meanwhile), at most 10 s.
 */
int cgroup_kill(const struct cgroup *c, struct err *e);

/* Kills, waits and removes one by its path; what UNDO_CGROUP does. 0 if it is gone. */
int cgroup_remove(int root, const char *path, struct err *e);

#endif
