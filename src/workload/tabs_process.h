/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that holds a tab's content, or draws in the foreground, and the line to it. It answers
 * once when it has begun, once for each visit, and once when it was told to end. Nothing is asked
 * before the answer to what was asked last; one that says anything else has failed or is dead.
 *
 * All die with the process that has started them.
 */
#ifndef SNUG_WORKLOAD_TABS_PROCESS_H
#define SNUG_WORKLOAD_TABS_PROCESS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct tabs_library;
struct workload_frames;

struct tabs_content {
	const struct tabs_library *library;
	unsigned tab;
	size_t n_pages;
};

/* pid 0: there is none, and line is -1. */
struct tabs_process {
	pid_t pid;
	int line; /* readable: there is an answer, or it has ended */
};

struct tabs_answer {
	int code;    /* 0; -EBADMSG: a page was not what it should be; -ENOMEM */
	size_t page; /* that page's index */
};

/* Each page that is filled or visited is counted in done. -errno. */
int tabs_process_tab(const struct tabs_content *c, _Atomic uint64_t *done,
		     struct tabs_process *ret);
/* Draws 60 frames a second until it is told to end; ret_frames, which must be shared, is then set.
 */
int tabs_process_foreground(const struct tabs_content *c, struct workload_frames *ret_frames,
			    struct tabs_process *ret);

/* Tells a tab to verify all of its content and to rewrite a part. */
void tabs_process_visit(const struct tabs_process *p);
/* Tells it to end. */
void tabs_process_end(const struct tabs_process *p);
/* Waits for its answer; -EPIPE: it has ended without one. */
int tabs_process_hear(const struct tabs_process *p, struct tabs_answer *ret);
/* Waits until it has ended, and returns how, as wait does. *p is none then. */
int tabs_process_reap(struct tabs_process *p);

#endif
