/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Things that need memory, for the race to run under a limit. A workload is prepared once by the
 * race itself (outside any limit: it may write sources, pick contents, and need not be quick), then
 * run many times, each time in a child process of its own that has already entered its control
 * group and is a session leader; whatever processes it starts stay in both.
 *
 * The child and the race share one struct workload_share. Everything else that a run needs it gets
 * through fork. A run must do the same work each time: that is what makes times comparable.
 *
 * Only base may be used here: no /proc, no /sys, no cgroups.
 */
#ifndef SNUG_WORKLOAD_H
#define SNUG_WORKLOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* Bucket i counts frames of up to 1 ms x 2^(i/4); the last, all that took longer. */
#define WORKLOAD_FRAME_BUCKETS 56

/* Of a foreground frame loop; all 0 without one. */
struct workload_frames {
	uint64_t frames, dropped;
	double fps_min, fps_avg, fps_max; /* of windows of one second */
	uint64_t frame_ns_p50, frame_ns_p95, frame_ns_p99;
	double score; /* frames finished in time, of 1000 due */
	uint64_t histogram[WORKLOAD_FRAME_BUCKETS];
};

/* In MAP_SHARED memory, zeroed before each run. The child writes; the race reads while it runs. */
struct workload_share {
	/* Progress, in any unit; the thrash guard looks whether done moves. */
	_Atomic uint64_t done, total;
	/* Waits that are part of the script, not of the work: subtracted from the time. */
	_Atomic uint64_t idle_ns;
	/* Parts of the session; 0: this workload has no such part. Without the waits. */
	_Atomic uint64_t open_ns, visit_ns, close_ns;
	/* Why the run failed, written last; empty: it did not, or was killed. */
	char failure[160];
	struct workload_frames frames;
};

struct workload_request {
	uint64_t peak_bytes;   /* what all its processes together shall need at most */
	unsigned jobs;	       /* processes at a time */
	uint64_t seed;	       /* the same seed, peak and jobs: the same work */
	const char *directory; /* absolute; empty, 0700, the workload's own, removed by the race */
	char *const *command;  /* NULL-terminated, for `command`; NULL otherwise */
};

struct workload_ops {
	const char *name;
	const char *about; /* one line for --help */
	/* The race chooses its size (prepare's peak_bytes, scale); else it takes what it takes. */
	bool sized;
	/* *ret is the workload's own. ERR_USAGE: a peak smaller than its least, with the least. */
	int (*prepare)(const struct workload_request *q, void **ret, struct err *e);
	/*
	 * A trial run without a limit needed factor times less (> 1) or more (< 1) than wanted:
	 * prepare again with the peak multiplied by factor. NULL where not sized.
	 */
	int (*scale)(void *workload, double factor, struct err *e);
	/*
	 * The work, in the child. stdin is /dev/null, stdout and stderr are the run's output file.
	 * The return value becomes the child's exit status: 0 it was done, all of it and verified.
	 */
	int (*run)(void *workload, struct workload_share *share);
	/* Takes NULL. Removes no files: the directory is the race's. */
	void (*destroy)(void *workload);
};

/* Ends with NULL. */
extern const struct workload_ops *const workloads[];

/* NULL and ERR_USAGE, with the known ones, for an unknown name. */
const struct workload_ops *workload_find(const char *name, struct err *e);

/* The upper bound of a histogram's bucket; UINT64_MAX for the last. */
uint64_t workload_bucket_ns(unsigned bucket);

#endif
