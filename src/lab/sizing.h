/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How much memory the workload needs, and how much it gets. One whose size is ours to choose is
 * made to need budget x pressure; of any other the need is measured, and the budget is a part of it
 * unless it was given.
 */
#ifndef SNUG_LAB_SIZING_H
#define SNUG_LAB_SIZING_H

#include "trial.h"

#include <stdint.h>

struct plan;

struct sizing {
	uint64_t budget_bytes;
	uint64_t peak_bytes;  /* without a limit */
	uint64_t spare_bytes; /* what the machine has left for it */
	double real_s;	      /* how long it took then */
};

/* Sets budget and the peak that is wanted, from the plan and the machine. ERR_USAGE where they
 * can't be. */
int sizing_begin(struct sizing *s, int root, const struct plan *plan,
		 const struct workload_ops *workload, struct err *e);

/*
 * Runs t, on a backend without limit, until the peak is as wanted, and notes it. ERR_FAILED: the
 * workload fails even so. -EINTR when t->stop has come.
 */
int sizing_measure(struct sizing *s, struct trial *t, const struct plan *plan, struct err *e);

#endif
