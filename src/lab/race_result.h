/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a race has measured: the one type that crosses from measuring (lab) to showing (report).
 * Plain data. Unknown or not applicable: -1 for integers, NAN for doubles, "" for texts; JSON null.
 */
#ifndef SNUG_LAB_RACE_RESULT_H
#define SNUG_LAB_RACE_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RACE_SCHEMA	   "snug.race/1"
#define RACE_NAME_MAX	   160
#define RACE_SENTENCE_MAX  512
#define RACE_FRAME_BUCKETS 56 /* as WORKLOAD_FRAME_BUCKETS */

enum race_outcome {
	RACE_OK,
	RACE_OOM,      /* the kernel killed some of it for want of memory */
	RACE_TIMEOUT,  /* took longer than it may */
	RACE_THRASHED, /* made no progress while all waited for memory */
	RACE_FAILED,   /* it ended with an error of its own */
	RACE_STOPPED,  /* by Ctrl-C, SIGTERM */
	RACE_OUTCOMES,
};

/* "ok", "oom", "timeout", "thrashed", "failed", "stopped". */
const char *race_outcome_name(enum race_outcome o);

/* One interval of a trial. Rates are over the interval, levels at its end. */
struct race_sample {
	double at_s; /* the interval's end, from the trial's start */
	/* shares of all CPUs, percent: iostat's columns */
	double user, nice, system, iowait, steal, idle;
	/* traffic of the swap devices of the backend (0 without one): transfers a second, bytes a
	 * second */
	double tps, read_bytes_s, write_bytes_s;
	int64_t read_bytes, write_bytes;    /* in this interval */
	int64_t usage_bytes;		    /* of the control group */
	int64_t limit_bytes;		    /* its limit then; -1: none */
	int64_t orig_bytes, mem_used_bytes; /* the pool: before compression, what it holds */
	int64_t swap_bytes;		    /* swapped out, before compression */
	double psi_some, psi_full;	    /* percent of the interval */
};

/* The machine around a trial, before (0) and after (1). */
struct race_conditions {
	int64_t page_cluster, swappiness;
	char thp[32], governor[32];
	int64_t clock_khz, throttled;
	int64_t other_swap_bytes, other_swaps; /* swap that is not the backend's */
	int64_t zswap_in_front;		       /* 1: zswap was on though the backend is not zswap */
};

struct race_trial {
	char backend[RACE_NAME_MAX], workload[RACE_NAME_MAX];
	unsigned run;	/* from 1 */
	unsigned order; /* of all trials, from 1 */
	enum race_outcome outcome;
	char detail[RACE_SENTENCE_MAX]; /* of an outcome that is not ok */
	int64_t exit_status;		/* of the workload; 128 + signal */
	double real_s, user_s, sys_s;
	double idle_s, net_s; /* scripted waits; real without them: what is compared */
	double budget_cpu_s;  /* spent on holding the budget, for the workload: not in sys_s */
	double sampler_cpu_s;
	int64_t major_faults, pswpin, pswpout; /* pages */
	double psi_some_s, psi_full_s;
	/* The pool when it held most: pages before compression, RAM it takes. */
	int64_t orig_bytes, mem_used_bytes;
	int64_t same_pages, huge_pages;
	int64_t disk_read_bytes,
		disk_write_bytes;    /* of the medium behind swap, by its own counters */
	int64_t peak_bytes;	     /* the control group's highest usage */
	int64_t budget_bytes;	     /* -1: not limited */
	int64_t budget_excess_bytes; /* largest of usage + pool - budget, at least 0 */
	int64_t budget_excess_p95_bytes;
	double budget_gap_s; /* the longest time between two settings of the limit */
	double open_s, visit_s, close_s;
	double fps_min, fps_avg, fps_max, score;
	int64_t frames, dropped;
	int64_t frame_ns_p50, frame_ns_p95, frame_ns_p99;
	uint64_t frame_histogram[RACE_FRAME_BUCKETS];
	struct race_conditions before, after;
	struct race_sample *samples;
	size_t n_samples;
};

/* One backend over all its runs. Medians are of net_s over the runs that are ok. */
struct race_summary {
	char backend[RACE_NAME_MAX], workload[RACE_NAME_MAX];
	char unavailable[RACE_SENTENCE_MAX]; /* why it could not be run; then nothing below counts
					      */
	unsigned runs, ok;
	char outcomes[96];		 /* "5 ok", "3 ok, 2 oom" */
	double median_real_s, low, high; /* 95% interval of the median */
	double median_user_s, median_sys_s;
	double vs_none; /* median over the median of `none` */
	/* Against the fastest of those that were always ok (the winner: against the next): */
	double p;		       /* Mann-Whitney, after Holm */
	bool significant;	       /* a difference, real and larger than the noise */
	int64_t major_faults, pswpout; /* medians */
	double ratio;		       /* orig_bytes over mem_used_bytes, of the medians */
	double psi_some_s, psi_full_s;
	double fps_avg, fps_min, score;
	int64_t frame_ns_p99;
	char outliers[96]; /* runs far from the rest, "run 1 (12.1 s)"; kept in all figures */
};

enum race_check_verdict { RACE_CHECK_OK, RACE_CHECK_WARN, RACE_CHECK_FAIL, RACE_CHECK_SKIP };

/* "ok", "warn", "fail", "skip". */
const char *race_check_name(enum race_check_verdict v);

struct race_check {
	char name[48];
	enum race_check_verdict verdict;
	char detail[RACE_SENTENCE_MAX];
};

struct race_machine {
	char kernel[96], cpu_model[96];
	int64_t cpus, mem_total_bytes;
	char disk[RACE_NAME_MAX]; /* where swap files are: "vda, virtual, ext4" */
	int64_t disk_link_bytes_per_s;
	int64_t cgroup_version;
	int64_t page_cluster, swappiness;
	char thp[32];
	char program[32]; /* of snug, its version */
};

/* The plan as it was run, all defaults resolved. */
struct race_plan {
	char command_line[1024];
	char workload[RACE_NAME_MAX];	  /* "build" or the command */
	int64_t budget_bytes, peak_bytes; /* peak: measured without a limit */
	bool naive, quick;
	double pressure; /* asked for */
	unsigned jobs, runs;
	uint64_t seed;
	double timeout_s, thrash_s, thrash_psi, interval_s;
	char cpus[64];
};

struct race_verdict {
	char backend[RACE_NAME_MAX]; /* "": none can be named */
	char why[1024];
	char unknown[1024]; /* what this race could not tell */
};

struct race_result {
	char begun[32]; /* UTC, RFC 3339 */
	double took_s;
	bool partial; /* it was interrupted */
	struct race_machine machine;
	struct race_plan plan;
	struct race_trial *trials; /* in the order they were run */
	size_t n_trials;
	struct race_summary *summary; /* in the plan's order, the unavailable ones too */
	size_t n_summary;
	struct race_check *checks;
	size_t n_checks;
	struct race_verdict verdict;
};

void race_result_free(struct race_result *r);

#endif
