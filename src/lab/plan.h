/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a race is to do: a plain struct, filled from options or from a file. One table of settings
 * serves both: --runs 5 on the command line is `runs = 5` in a plan's section, with the same parser
 * and the same sentence when it is wrong.
 *
 * A plan file: `key = value` lines in sections, # and ; comments; keys that may be repeated
 * (backend) add up; a key in a section where it does not belong, an unknown key or section, a value
 * given twice, are refused with the file, the line, and the known ones.
 *
 *     [race]          runs, quick, timeout, thrash, thrash-psi, interval, cpus
 *     [budget]        budget, pressure
 *     [workload]      workload, jobs, seed, command
 *     [backends]      backend = zram:lzo-rle   (repeated)
 */
#ifndef SNUG_LAB_PLAN_H
#define SNUG_LAB_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

#define PLAN_BACKENDS	 32
#define PLAN_BACKEND_MAX 128
#define PLAN_COMMAND_MAX 64
#define PLAN_CPUS_MAX	 64

struct plan {
	char backends[PLAN_BACKENDS][PLAN_BACKEND_MAX]; /* as written; the race parses them */
	size_t n_backends;				/* 0: the race's default choice */
	char workload[32];
	/* NULL-terminated words, each owned; command[0] NULL: none. A plan file splits its value at
	 * blanks, with '...' and "..." quoting, never a shell. */
	char *command[PLAN_COMMAND_MAX + 1];
	unsigned jobs;	       /* 0: the number of CPUs */
	uint64_t seed;	       /* default 1 */
	uint64_t budget_bytes; /* 0: chosen by the race */
	bool naive;	 /* the budget does not follow the pool: `budget = naive`, or `naive,64M` */
	double pressure; /* peak over budget; default 2 */
	unsigned runs;	 /* 0: plan_runs tells */
	bool quick;
	double timeout_s;  /* of one trial; 0: chosen by the race */
	double thrash_s;   /* how long without progress is thrashing; default 10 */
	double thrash_psi; /* while memory pressure "full" is above this share; default 0.5 */
	double interval_s; /* of the samples; default 1, at least 0.1 */
	char cpus[PLAN_CPUS_MAX]; /* "0-1,3"; empty: all */
};

/* The defaults. plan_free releases the words of command; takes a zeroed plan. */
void plan_init(struct plan *p);
void plan_free(struct plan *p);

/* How many of each: 5, or 3 of a quick race, unless the plan says. */
unsigned plan_runs(const struct plan *p);

/*
 * One setting by its name; ram_bytes for sizes in percent. what: how to name it in a sentence
 * ("--runs", "plan.ini:3: runs"). ERR_USAGE.
 */
int plan_set(struct plan *p, const char *name, const char *value, uint64_t ram_bytes,
	     const char *what, struct err *e);

/* Reads a file into p, which has defaults or more. ERR_USAGE for what is wrong in it. */
int plan_read(struct plan *p, const char *path, uint64_t ram_bytes, struct err *e);

/* What can be said without looking at the machine: that its workload and backends are known, and
 * that settings fit together. ERR_USAGE. */
int plan_check(const struct plan *p, struct err *e);

/* The command line that repeats it: "snug race --backend none ... -- make -j4", words quoted as a
 * shell needs them. To be freed; NULL: no memory. */
char *plan_command_line(const struct plan *p);

#endif
