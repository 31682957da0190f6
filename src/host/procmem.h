/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The private anonymous pages of other processes: where they are, and what is in them. Nothing is
 * stopped, and nothing is written.
 *
 * Units: addresses of 4 KiB pages, also where the machine's own are larger.
 */
#ifndef SNUG_HOST_PROCMEM_H
#define SNUG_HOST_PROCMEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct procmem;

struct procmem_run {
	uint64_t address;
	uint64_t pages;
	bool swapped;
};

/* Adds up over walks. */
struct procmem_totals {
	uint64_t resident, swapped; /* pages, each frame once */
	uint64_t shared_again; /* pages left out because an earlier mapping of the frame was counted
				*/
};

/* root: the directory that has proc below it. -ENOMEM. */
int procmem_open(int root, struct procmem **ret);
void procmem_close(struct procmem *m);

/* May the memory of pid be read, not only listed? -ESRCH; -EACCES. */
int procmem_may_read(const struct procmem *m, pid_t pid);

/*
 * The way out for who is not permitted, as half a sentence ("run as root, or ..."), from what this
 * system has in front of it. Returns buf.
 */
#define PROCMEM_ADVICE_MAX 200
const char *procmem_advice(int root, char buf[PROCMEM_ADVICE_MAX]);

/*
 * Calls visit for every run of pages of one process, by rising address. What is mapped in several
 * processes (after a fork) is visited once over the life of m, if the caller may see frame numbers
 * (root). -ESRCH: it is gone; -EACCES: not permitted; -ENODATA: a kernel thread or zombie, which
 * has no memory.
 */
typedef void procmem_visit(void *arg, const struct procmem_run *run);
int procmem_walk(struct procmem *m, pid_t pid, procmem_visit *visit, void *arg,
		 struct procmem_totals *totals);

/*
 * Reads the n pages of a process that begin at `addresses` into `pages`, one after another; those
 * that are not there any more are left out. *ret_got: how many came. -ESRCH or -EACCES if it
 * stopped for that (what came is still good). A page that is swapped out is brought into RAM.
 */
int procmem_read(struct procmem *m, pid_t pid, const uint64_t *addresses, size_t n, void *pages,
		 size_t *ret_got);

#endif
