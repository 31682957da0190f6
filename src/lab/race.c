/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "race.h"

#include "cgroup.h"
#include "clock.h"
#include "err.h"
#include "facts.h"
#include "judge.h"
#include "lineup.h"
#include "machine.h"
#include "plausible.h"
#include "scratch.h"
#include "sizing.h"
#include "trial.h"
#include "undo.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

/* A trial may take so many times what the reference takes, but at least LEAST_S. */
enum { TIMEOUT_FACTOR = 40, TIMEOUT_FACTOR_QUICK = 20, TIMEOUT_LEAST_S = 60, SIZING_S = 3600 };
/* Until something is known, a limited trial is taken to need so many times the reference's time. */
#define GUESS_FACTOR 3

struct race {
	const struct plan *plan;
	const struct race_hooks *hooks;
	struct race_result *result;
	const struct workload_ops *workload;
	void *work;
	char workload_name[RACE_NAME_MAX];
	unsigned jobs;
	char directory[512];	  /* the workload's own */
	struct backend reference; /* for sizing */
	struct lineup lineup;
	struct sizing sizing;
	struct trial trial; /* what all trials have in common */
	unsigned trials;    /* all that there will be */
	uint64_t begun_ns;
	double expected_s[PLAN_BACKENDS]; /* of a trial of each */
	unsigned left[PLAN_BACKENDS]; /* trials of each that are still to come, this one included */
	size_t now;		      /* the backend that runs */
};

static double since(uint64_t ns)
{
	return (double)(clock_now_ns() - ns) / 1e9;
}

static double left_s(const struct race *r, double elapsed_s)
{
	double sum = 0;

	for (size_t i = 0; i < r->lineup.n; i++)
		sum += r->left[i] * r->expected_s[i];
	if (r->left[r->now])
		sum -= elapsed_s < r->expected_s[r->now] ? elapsed_s : r->expected_s[r->now];
	return sum;
}

static void tell(void *arg, double elapsed_s)
{
	const struct race *r = arg;

	if (r->hooks->tell)
		r->hooks->tell(r->hooks->arg,
			       &(struct race_progress){
				       .doing = r->trial.order ? r->trial.backend->name
							       : "sizing the workload",
				       .trial = r->trial.order,
				       .trials = r->trials,
				       .elapsed_s = since(r->begun_ns),
				       .left_s = left_s(r, elapsed_s),
			       });
}

static bool tell_swap_file(void *arg, uint64_t done_bytes, uint64_t total_bytes)
{
	const struct race *r = arg;

	if (r->hooks->tell)
		r->hooks->tell(r->hooks->arg,
			       &(struct race_progress){.doing = "writing a swap file",
						       .elapsed_s = since(r->begun_ns)});
	return atomic_load(r->hooks->stop);
}

/* "build", or the command's first words. */
static void name_workload(struct race *r)
{
	size_t len = 0;

	if (!r->plan->command[0]) {
		snprintf(r->workload_name, sizeof(r->workload_name), "%s", r->plan->workload);
		return;
	}
	for (size_t i = 0; r->plan->command[i] && len < sizeof(r->workload_name); i++)
		len += (size_t)snprintf(r->workload_name + len, sizeof(r->workload_name) - len,
					"%s%s", i ? " " : "", r->plan->command[i]);
}

static int prepare_workload(struct race *r, struct err *e)
{
	int code = scratch_make(r->trial.setup.undo, r->trial.setup.directory, r->directory,
				sizeof(r->directory), e);

	if (code < 0)
		return code;
	return r->workload->prepare(
		&(struct workload_request){
			.peak_bytes = r->sizing.peak_bytes,
			.jobs = r->jobs,
			.seed = r->plan->seed,
			.directory = r->directory,
			.command = r->plan->command[0] ? r->plan->command : NULL,
		},
		&r->work, e);
}

static int size_workload(struct race *r, struct err *e)
{
	struct backend *none = &r->reference;
	int code = backend_parse(none, "none", e);

	if (code == 0)
		code = none->ops->prepare(none, &r->trial.setup, e);
	if (code < 0)
		return code;
	r->trial.backend = none;
	r->trial.timeout_s = r->plan->timeout_s > 0 ? r->plan->timeout_s : SIZING_S;
	return sizing_measure(&r->sizing, &r->trial, r->plan, e);
}

static double timeout_s(const struct race *r)
{
	double factor = r->plan->quick ? TIMEOUT_FACTOR_QUICK : TIMEOUT_FACTOR;

	if (r->plan->timeout_s > 0)
		return r->plan->timeout_s;
	return r->sizing.real_s * factor < TIMEOUT_LEAST_S ? TIMEOUT_LEAST_S
							   : r->sizing.real_s * factor;
}

static int begin_result(struct race *r, struct err *e)
{
	struct race_result *to = r->result;
	char *line = plan_command_line(r->plan);

	to->plan = (struct race_plan){
		.budget_bytes = (int64_t)r->sizing.budget_bytes,
		.peak_bytes = (int64_t)r->sizing.peak_bytes,
		.naive = r->plan->naive,
		.quick = r->plan->quick,
		.pressure = r->plan->pressure,
		.jobs = r->jobs,
		.runs = plan_runs(r->plan),
		.seed = r->plan->seed,
		.timeout_s = r->trial.timeout_s,
		.thrash_s = r->plan->thrash_s,
		.thrash_psi = r->plan->thrash_psi,
		.interval_s = r->plan->interval_s,
	};
	if (line)
		snprintf(to->plan.command_line, sizeof(to->plan.command_line), "%s", line);
	free(line);
	snprintf(to->plan.workload, sizeof(to->plan.workload), "%s", r->workload_name);
	snprintf(to->plan.cpus, sizeof(to->plan.cpus), "%s", r->plan->cpus);
	to->trials = calloc(r->trials + 1, sizeof(*to->trials));
	to->summary = calloc(r->lineup.n, sizeof(*to->summary));
	if (!to->trials || !to->summary)
		return err_failed(e, -ENOMEM, "out of memory");
	to->n_summary = r->lineup.n;
	for (size_t i = 0; i < r->lineup.n; i++) {
		const struct backend *b = &r->lineup.backends[i];

		snprintf(to->summary[i].backend, RACE_NAME_MAX, "%s", b->name);
		snprintf(to->summary[i].workload, RACE_NAME_MAX, "%s", r->workload_name);
		snprintf(to->summary[i].unavailable, RACE_SENTENCE_MAX, "%s", b->unavailable);
	}
	return 0;
}

static void expect(struct race *r)
{
	for (size_t i = 0; i < r->lineup.n; i++) {
		const struct backend *b = &r->lineup.backends[i];

		r->left[i] = *b->unavailable ? 0 : plan_runs(r->plan);
		r->trials += r->left[i];
		r->expected_s[i] = r->sizing.real_s * (b->unlimited ? 1 : GUESS_FACTOR);
	}
}

/* One trial of backend i. */
static int run_one(struct race *r, size_t i, unsigned run, struct err *e)
{
	struct race_trial *to = &r->result->trials[r->result->n_trials];
	uint64_t begun = clock_now_ns();
	int code;

	r->now = i;
	r->trial.backend = &r->lineup.backends[i];
	r->trial.run = run;
	r->trial.order = (unsigned)r->result->n_trials + 1;
	tell(r, 0);
	code = trial_run(&r->trial, to, e);
	if (code < 0) {
		free(to->samples);
		return code;
	}
	r->result->n_trials++;
	r->left[i]--;
	r->expected_s[i] = since(begun);
	return 0;
}

/* The references first; then the others, beginning with another one each round. */
static int run_round(struct race *r, unsigned run, struct err *e)
{
	size_t n = r->lineup.n;
	int code = 0;

	for (int pass = 0; pass < 2; pass++) {
		for (size_t k = 0; k < n && code == 0; k++) {
			size_t i = pass ? (k + run - 1) % n : k;
			const struct backend *b = &r->lineup.backends[i];

			if (b->unlimited == (pass == 1) || *b->unavailable)
				continue;
			if (atomic_load(r->hooks->stop))
				return 0;
			code = run_one(r, i, run, e);
		}
	}
	return code;
}

static int judge_all(struct race *r, struct err *e)
{
	int code = judge(r->result);

	if (code == 0)
		code = plausible(r->result);
	return code < 0 ? err_failed(e, code, "out of memory") : 0;
}

static int run(struct race *r, struct err *e)
{
	int code = lineup_make(&r->lineup, r->trial.setup.root, r->trial.setup.undo, r->plan, e);

	if (code == 0)
		code = sizing_begin(&r->sizing, r->trial.setup.root, r->plan, r->workload, e);
	if (code < 0)
		return code;
	r->trial.most_bytes = r->sizing.spare_bytes;
	code = prepare_workload(r, e);
	if (code < 0)
		return code;
	r->trial.work = r->work;
	code = size_workload(r, e);
	if (code < 0)
		return code;
	r->trial.budget_bytes = r->sizing.budget_bytes;
	r->trial.timeout_s = timeout_s(r);
	/* What does not fit in the budget, and what the kernel keeps in both. */
	r->trial.setup.swap_bytes = r->sizing.peak_bytes / 4 * 5 + ((uint64_t)32 << 20);
	code = lineup_prepare(&r->lineup, &r->trial.setup, e);
	if (code < 0)
		return code;
	expect(r);
	code = begin_result(r, e);
	for (unsigned i = 1; code == 0 && i <= plan_runs(r->plan) && !atomic_load(r->hooks->stop);
	     i++)
		code = run_round(r, i, e);
	r->result->partial = atomic_load(r->hooks->stop);
	return code < 0 ? code : judge_all(r, e);
}

static void note_begin(struct race_result *ret)
{
	time_t now = time(NULL);
	struct tm tm;

	strftime(ret->begun, sizeof(ret->begun), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
}

int race_run(int root, struct undo *u, const struct plan *plan, const struct race_hooks *hooks,
	     struct race_result *ret, struct err *e)
{
	struct race_result result = {0};
	struct facts facts;
	struct race r = {
		.plan = plan,
		.hooks = hooks,
		.result = &result,
		.begun_ns = clock_now_ns(),
	};
	size_t mark = undo_mark(u);
	int code, back;

	r.workload = workload_find(plan->workload, e);
	if (!r.workload)
		return -EINVAL;
	code = cgroup_check(root, NULL, e);
	if (code < 0)
		return code;
	facts_read(root, &facts);
	r.jobs = plan->jobs ? plan->jobs : facts.cpus > 0 ? (unsigned)facts.cpus : 1;
	name_workload(&r);
	note_begin(&result);
	r.trial = (struct trial){
		.setup = {.undo = u,
			  .root = root,
			  .directory = "/var/tmp",
			  .tell = tell_swap_file,
			  .arg = &r},
		.workload = r.workload,
		.workload_name = r.workload_name,
		.naive = plan->naive,
		.cpus = *plan->cpus ? plan->cpus : NULL,
		.thrash_s = plan->thrash_s,
		.thrash_psi = plan->thrash_psi,
		.interval_s = plan->interval_s,
		.output = hooks->output,
		.stop = hooks->stop,
		.tick = tell,
		.arg = &r,
	};
	machine_read(root, r.trial.setup.directory, &result.machine);
	/* Processes that a workload leaves behind become ours, to be reaped and accounted. */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	code = run(&r, e);
	prctl(PR_SET_CHILD_SUBREAPER, 0);
	r.workload->destroy(r.work);
	back = undo_back(u, mark, code < 0 ? NULL : e);
	if (code == 0)
		code = back;
	result.took_s = since(r.begun_ns);
	if (code < 0)
		race_result_free(&result);
	else
		*ret = result;
	return code;
}
