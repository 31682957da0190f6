/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs every configuration over the same pages, several times, interleaved: whatever drifts on the
 * machine in the meantime (clock, other load) then touches all of them alike.
 *
 * One run of one configuration: open it fresh; **fill**, every slot written once; **write**, every
 * slot overwritten, the steady state; **read**, every slot into a ring of 1 MiB; and untimed, every
 * slot read again and compared with what was written. A page that differs fails the whole
 * benchmark.
 */
#ifndef SNUG_BENCH_RUN_H
#define SNUG_BENCH_RUN_H

#include "target.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct page_set;

enum bench_metric {
	BENCH_FILL_NS,
	BENCH_FILL_CPU_NS,
	BENCH_WRITE_NS, /* wall time of all threads together, over pages */
	BENCH_WRITE_CPU_NS,
	BENCH_READ_NS,
	BENCH_READ_CPU_NS,
	BENCH_METRICS,
};

/* What one run of one configuration gave; the metrics are ns a page. */
struct bench_sample {
	double metric[BENCH_METRICS];
	struct footprint footprint; /* with all pages written once */
	struct footprint rewritten; /* after all of them were overwritten */
};

struct bench_plan {
	const struct page_set *pages;
	const struct target_config *configs;
	size_t n_configs;
	unsigned runs;
	uint64_t mem_limit_bytes; /* for each target; 0: none */
	int root;		  /* an open "/" */
	const atomic_bool *stop;  /* becomes true when the user wants no more; may be NULL */
	/* Told, from one thread at a time, how much is done of what is to be done; may be NULL. */
	void (*progress)(void *arg, const struct target_config *now, uint64_t done, uint64_t total);
	void *progress_arg;
};

/*
 * samples has n_configs * runs entries, those of configs[i] at i * runs, in the order of the runs.
 * On failure or stop (-EINTR) nothing is left behind that a target made, or the sentence says so.
 */
int bench_run(const struct bench_plan *plan, struct bench_sample *samples, struct err *e);

#endif
