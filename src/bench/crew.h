/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that start a piece of work together, and how long it took them. The caller's thread is
 * worker 0, so a crew of one costs nothing.
 */
#ifndef SNUG_BENCH_CREW_H
#define SNUG_BENCH_CREW_H

#include <stdint.h>

struct crew;

struct crew_time {
	uint64_t wall_ns; /* from the common start until the last is done */
	uint64_t cpu_ns;  /* of the whole process meanwhile: user and kernel, helper threads too */
};

int crew_open(unsigned workers, struct crew **ret); /* -ENOMEM, -EAGAIN */
void crew_close(struct crew *c);

/* Runs work(arg, 0) to work(arg, workers - 1) at once, waits for all. ret may be NULL. */
void crew_run(struct crew *c, void (*work)(void *arg, unsigned worker), void *arg,
	      struct crew_time *ret);

#endif
