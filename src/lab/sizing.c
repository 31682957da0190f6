/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sizing.h"

#include "err.h"
#include "facts.h"
#include "plan.h"
#include "units.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

enum { TRIES = 4 };

#define CLOSE_ENOUGH	  0.05
#define DEFAULT_BUDGET	  ((uint64_t)64 << 20)
#define DEFAULT_RAM_PARTS 8
#define SPARE_SHARE	  0.9

int sizing_begin(struct sizing *s, int root, const struct plan *plan,
		 const struct workload_ops *workload, struct err *e)
{
	struct facts facts;
	char want[UNITS_SIZE_MAX], have[UNITS_SIZE_MAX];
	uint64_t ram;

	facts_read(root, &facts);
	if (facts.mem_total_bytes <= 0 || facts.mem_available_bytes <= 0)
		return err_missing(e, -ENODATA,
				   "/proc/meminfo does not tell how much RAM there is");
	ram = (uint64_t)facts.mem_total_bytes;
	*s = (struct sizing){
		.budget_bytes = plan->budget_bytes,
		.spare_bytes = (uint64_t)((double)facts.mem_available_bytes * SPARE_SHARE),
	};
	if (s->budget_bytes > ram)
		return err_usage(e, -ERANGE, "--budget %s is more than this machine's RAM, %s",
				 units_format_size(s->budget_bytes, want),
				 units_format_size(ram, have));
	if (!workload->sized)
		return 0;
	if (!s->budget_bytes)
		s->budget_bytes = ram / DEFAULT_RAM_PARTS < DEFAULT_BUDGET ? ram / DEFAULT_RAM_PARTS
									   : DEFAULT_BUDGET;
	s->peak_bytes = (uint64_t)((double)s->budget_bytes * plan->pressure);
	if (s->peak_bytes > s->spare_bytes)
		return err_usage(
			e, -ERANGE,
			"the workload is to need %s (--budget times --pressure), and the "
			"reference has to run without swapping, but only %s are free; lower "
			"one of them",
			units_format_size(s->peak_bytes, want),
			units_format_size(s->spare_bytes, have));
	return 0;
}

static int run_once(struct sizing *s, struct trial *t, struct race_trial *ret, struct err *e)
{
	int r = trial_run(t, ret, e);

	free(ret->samples);
	if (r < 0)
		return r;
	if (ret->outcome == RACE_STOPPED)
		return -EINTR;
	if (ret->outcome != RACE_OK)
		return err_failed(e, -ECHILD, "the workload fails even without a limit: %s",
				  ret->detail);
	if (ret->peak_bytes <= 0)
		return err_missing(
			e, -ENODATA,
			"this kernel does not tell how much memory a control group has used "
			"at most (Linux 5.19 or later does, with cgroup v2)");
	s->real_s = ret->net_s;
	return 0;
}

static int warn_small(const struct sizing *s, struct err *e)
{
	char peak[UNITS_SIZE_MAX], budget[UNITS_SIZE_MAX];

	return err_usage(
		e, -ERANGE,
		"the workload needs only %s, so that nothing is swapped within --budget %s; "
		"lower it, or leave it out",
		units_format_size(s->peak_bytes, peak), units_format_size(s->budget_bytes, budget));
}

int sizing_measure(struct sizing *s, struct trial *t, const struct plan *plan, struct err *e)
{
	uint64_t wanted = s->peak_bytes;
	struct race_trial trial;
	int r = 0;

	for (int i = 0; i < TRIES; i++) {
		double factor;

		r = run_once(s, t, &trial, e);
		if (r < 0)
			return r;
		s->peak_bytes = (uint64_t)trial.peak_bytes;
		if (!t->workload->sized)
			break;
		factor = (double)wanted / (double)trial.peak_bytes;
		if (fabs(factor - 1) <= CLOSE_ENOUGH || i == TRIES - 1)
			break;
		r = t->workload->scale(t->work, factor, e);
		if (r < 0)
			return r;
	}
	if (!s->budget_bytes)
		s->budget_bytes = (uint64_t)((double)s->peak_bytes / plan->pressure);
	return s->budget_bytes >= s->peak_bytes ? warn_small(s, e) : 0;
}
