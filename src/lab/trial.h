/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run of one workload on one backend: set up, run in a control group of its own, watch, stop,
 * clean up. Everything on the machine is as before when it returns, and no process of the workload
 * is left, whatever the outcome.
 */
#ifndef SNUG_LAB_TRIAL_H
#define SNUG_LAB_TRIAL_H

#include "backend.h"
#include "race_result.h"
#include "workload.h"

#include <stdatomic.h>
#include <stdint.h>

struct err;

struct trial {
	struct backend_setup setup; /* root and journal too */
	struct backend *backend;
	const struct workload_ops *workload;
	void *work; /* prepared */
	const char *workload_name;
	uint64_t budget_bytes; /* not for a backend that is unlimited */
	uint64_t most_bytes;   /* what the machine can spare: the limit of one that is unlimited */
	bool naive;
	const char *cpus; /* NULL: all */
	double timeout_s, thrash_s, thrash_psi, interval_s;
	int output; /* the workload's stdout and stderr */
	unsigned run, order;
	const atomic_bool *stop;
	/* Told some times a second while it runs. May be NULL. */
	void (*tick)(void *arg, double elapsed_s);
	void *arg;
};

/*
 * Fills ret, whatever the outcome; its samples are the caller's to free. An error is one of the
 * machine: it could not be put back, or the control group can't be made. A backend that can't be
 * started is an outcome (RACE_FAILED).
 */
int trial_run(const struct trial *t, struct race_trial *ret, struct err *e);

#endif
