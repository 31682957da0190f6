/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order matters: the backend's swap is on, the limit is set and the budget is held before the
 * workload's process exists; what is counted is read as close to its start and end as can be; its
 * processes are dead before the group and the swap are taken away, so that swapoff has nothing to
 * read back.
 */
#include "trial.h"

#include "budget.h"
#include "cgroup.h"
#include "child.h"
#include "clock.h"
#include "conditions.h"
#include "counters.h"
#include "err.h"
#include "guard.h"
#include "sampler.h"
#include "undo.h"
#include "zswap.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { LOOK_MS = 100, TEND_MS = 1000 };

/* What is read before and after, and subtracted. */
struct counts {
	struct counters_vm vm;
	struct psi psi;
	struct counters_disk disk;
	bool psi_known, disk_known;
};

struct running {
	const struct trial *t;
	struct cgroup group;
	struct workload_share *share;
	struct child child;
	struct budget *budget;
	struct sampler sampler;
	struct guard guard;
	struct counts before, after;
	uint64_t begun_ns, ended_ns;
	enum race_outcome cut_short; /* RACE_OK: it was not */
};

static void read_counts(const struct running *r, struct counts *ret)
{
	*ret = (struct counts){0};
	if (counters_vm(r->t->setup.root, &ret->vm) < 0)
		ret->vm = (struct counters_vm){.pswpin = -1, .pswpout = -1};
	ret->psi_known = sampler_pressure(r->t->setup.root, &r->group, &ret->psi);
	ret->disk_known = *r->t->backend->disk &&
			  counters_disk(r->t->setup.root, r->t->backend->disk, &ret->disk) == 0;
}

/* Without the backend's swap: before it is on, after it is off. */
static void read_conditions(const struct trial *t, struct race_conditions *ret)
{
	struct conditions c;

	conditions_read(t->setup.root, &c);
	*ret = (struct race_conditions){
		.page_cluster = c.page_cluster,
		.swappiness = c.swappiness,
		.clock_khz = c.clock_khz,
		.throttled = c.throttled,
		.other_swap_bytes = c.other_swap_bytes,
		.other_swaps = c.other_swaps,
	};
	snprintf(ret->thp, sizeof(ret->thp), "%s", c.thp);
	snprintf(ret->governor, sizeof(ret->governor), "%s", c.governor);
}

static bool zswap_in_front(const struct trial *t)
{
	struct conditions c;

	conditions_read(t->setup.root, &c);
	return c.zswap_enabled == 'Y' && !t->backend->uses_zswap;
}

static void tell(const struct running *r, uint64_t now)
{
	if (r->t->tick)
		r->t->tick(r->t->arg, (double)(now - r->begun_ns) / 1e9);
}

static bool thrashes(struct running *r, uint64_t now)
{
	struct guard_reading reading = {.at_ns = now, .done = atomic_load(&r->share->done)};
	struct cgroup_stat stat;
	struct psi psi;

	cgroup_read(&r->group, &stat);
	sampler_pressure(r->t->setup.root, &r->group, &psi);
	reading.full_us = psi.full_us;
	reading.user_ns = stat.user_ns > 0 ? (uint64_t)stat.user_ns : 0;
	return guard_thrashes(&r->guard, &reading);
}

/* Until it has ended or must. Samples at the interval, the rest every LOOK_MS. */
static int watch(struct running *r)
{
	const struct trial *t = r->t;
	uint64_t interval = (uint64_t)(t->interval_s * 1e9), sample = r->begun_ns + interval,
		 tend = r->begun_ns;

	for (;;) {
		uint64_t now = clock_now_ns(),
			 wait_ms = sample > now ? (sample - now) / 1000000 : 0;

		if (child_ended(&r->child, wait_ms < LOOK_MS ? (int)wait_ms : LOOK_MS))
			return 0;
		now = clock_now_ns();
		if (now >= sample) {
			if (sampler_look(&r->sampler) < 0)
				return -ENOMEM;
			sample += ((now - sample) / interval + 1) * interval;
		}
		if (atomic_load(t->stop))
			r->cut_short = RACE_STOPPED;
		else if (t->timeout_s > 0 && (double)(now - r->begun_ns) / 1e9 > t->timeout_s)
			r->cut_short = RACE_TIMEOUT;
		else if (thrashes(r, now))
			r->cut_short = RACE_THRASHED;
		if (r->cut_short != RACE_OK)
			return 0;
		if (t->backend->ops->tend && now >= tend + TEND_MS * 1000000ull) {
			t->backend->ops->tend(t->backend, t->setup.root);
			tend = now;
		}
		tell(r, now);
	}
}

static void fill_outcome(const struct running *r, const struct cgroup_stat *stat,
			 struct race_trial *ret)
{
	const struct trial *t = r->t;

	ret->exit_status = r->child.exit_status;
	ret->outcome = r->cut_short;
	if (r->cut_short == RACE_TIMEOUT)
		snprintf(ret->detail, sizeof(ret->detail), "not done after %.0f s", t->timeout_s);
	else if (r->cut_short == RACE_THRASHED)
		snprintf(ret->detail, sizeof(ret->detail),
			 "no progress in %.0f s, %.0f%% of which all of it waited for memory",
			 t->thrash_s, t->thrash_psi * 100);
	else if (r->cut_short == RACE_STOPPED)
		snprintf(ret->detail, sizeof(ret->detail), "interrupted");
	if (r->cut_short != RACE_OK)
		return;
	/* Also where the workload has coped with it: it is not what was asked for. */
	if (stat->oom_kills > 0) {
		ret->outcome = RACE_OOM;
		snprintf(ret->detail, sizeof(ret->detail),
			 "the kernel killed %lld of its processes", (long long)stat->oom_kills);
	} else if (ret->exit_status != 0) {
		ret->outcome = RACE_FAILED;
		snprintf(ret->detail, sizeof(ret->detail), "%s (exit status %lld)",
			 *r->share->failure ? r->share->failure : "it ended with an error",
			 (long long)ret->exit_status);
	}
}

static int64_t gained(int64_t before, int64_t after)
{
	return before < 0 || after < before ? -1 : after - before;
}

static int64_t or_none(int64_t count)
{
	return count < 0 ? 0 : count;
}

/* Pages that were swapped, to zswap or to swap itself; zswap's writeback would count again. */
static int64_t swapped_in(const struct counters_vm *v)
{
	return v->pswpin < 0 ? -1 : v->pswpin + or_none(v->zswpin);
}

static int64_t swapped_out(const struct counters_vm *v)
{
	return v->pswpout < 0 ? -1 : v->pswpout + or_none(v->zswpout) - or_none(v->zswpwb);
}

static void fill_counts(const struct running *r, struct race_trial *ret)
{
	const struct counts *a = &r->before, *b = &r->after;

	ret->pswpin = gained(swapped_in(&a->vm), swapped_in(&b->vm));
	ret->pswpout = gained(swapped_out(&a->vm), swapped_out(&b->vm));
	ret->psi_some_s = ret->psi_full_s = NAN;
	if (a->psi_known && b->psi_known) {
		ret->psi_some_s = (double)(b->psi.some_us - a->psi.some_us) / 1e6;
		ret->psi_full_s = (double)(b->psi.full_us - a->psi.full_us) / 1e6;
	}
	ret->disk_read_bytes = ret->disk_write_bytes = -1;
	if (!a->disk_known || !b->disk_known)
		return;
	ret->disk_read_bytes = (int64_t)(b->disk.read_bytes - a->disk.read_bytes);
	ret->disk_write_bytes = (int64_t)(b->disk.write_bytes - a->disk.write_bytes);
}

static double ns_or_unknown(uint64_t ns)
{
	return ns ? (double)ns / 1e9 : NAN;
}

static void fill_session(const struct running *r, struct race_trial *ret)
{
	const struct workload_frames *f = &r->share->frames;

	ret->open_s = ns_or_unknown(atomic_load(&r->share->open_ns));
	ret->visit_s = ns_or_unknown(atomic_load(&r->share->visit_ns));
	ret->close_s = ns_or_unknown(atomic_load(&r->share->close_ns));
	ret->fps_min = ret->fps_avg = ret->fps_max = ret->score = NAN;
	ret->frames = ret->dropped = -1;
	ret->frame_ns_p50 = ret->frame_ns_p95 = ret->frame_ns_p99 = -1;
	if (!f->frames)
		return;
	ret->fps_min = f->fps_min;
	ret->fps_avg = f->fps_avg;
	ret->fps_max = f->fps_max;
	ret->score = f->score;
	ret->frames = (int64_t)f->frames;
	ret->dropped = (int64_t)f->dropped;
	ret->frame_ns_p50 = (int64_t)f->frame_ns_p50;
	ret->frame_ns_p95 = (int64_t)f->frame_ns_p95;
	ret->frame_ns_p99 = (int64_t)f->frame_ns_p99;
	_Static_assert(sizeof(ret->frame_histogram) == sizeof(f->histogram), "one histogram");
	memcpy(ret->frame_histogram, f->histogram, sizeof(f->histogram));
}

static void fill_budget(const struct budget_report *report, struct race_trial *ret)
{
	ret->orig_bytes = report->fullest.orig_bytes;
	ret->mem_used_bytes = report->fullest.mem_used_bytes;
	ret->same_pages = report->fullest.same_pages;
	ret->huge_pages = report->fullest.huge_pages;
	ret->budget_excess_bytes = report->excess_bytes;
	ret->budget_excess_p95_bytes = report->excess_p95_bytes;
	ret->budget_gap_s = report->gap_s;
	ret->budget_cpu_s = report->cpu_s;
}

static void fill_times(const struct running *r, struct race_trial *ret)
{
	ret->real_s = (double)(r->ended_ns - r->begun_ns) / 1e9;
	ret->idle_s = (double)atomic_load(&r->share->idle_ns) / 1e9;
	ret->net_s = ret->real_s - ret->idle_s;
	ret->user_s = r->child.user_s;
	ret->sys_s = r->child.system_s;
	ret->sampler_cpu_s = (double)r->sampler.cpu_ns / 1e9;
}

/* The workload runs; it and all that it started are dead afterwards. */
static int run_child(struct running *r, struct race_trial *ret, struct err *e)
{
	const struct trial *t = r->t;
	struct budget_report report;
	struct cgroup_stat stat;
	int code, finished;

	ret->before.zswap_in_front = zswap_in_front(t);
	read_counts(r, &r->before);
	sampler_begin(&r->sampler, t->setup.root, t->backend, &r->group, r->budget);
	r->begun_ns = clock_now_ns();
	code = child_start(t->setup.root, &r->group, t->workload, t->work, r->share, t->output,
			   &r->child, e);
	if (code < 0)
		return code;
	code = watch(r);
	r->ended_ns = clock_now_ns();
	if (code == 0)
		code = sampler_look(&r->sampler);
	read_counts(r, &r->after);
	cgroup_read(&r->group, &stat);
	finished = child_finish(&r->child, &r->group, e);
	budget_end(r->budget, &report);
	r->budget = NULL;
	ret->after.zswap_in_front = zswap_in_front(t);
	if (code < 0)
		return err_failed(e, code, "out of memory");
	if (finished < 0)
		return finished;
	fill_outcome(r, &stat, ret);
	fill_times(r, ret);
	fill_counts(r, ret);
	fill_session(r, ret);
	fill_budget(&report, ret);
	ret->major_faults = stat.major_faults;
	ret->peak_bytes = stat.peak_bytes;
	sampler_take(&r->sampler, &ret->samples, &ret->n_samples);
	return 0;
}

/* The control group with its limit, and the thread that holds it. */
static int limit(struct running *r, struct err *e)
{
	const struct trial *t = r->t;
	bool unlimited = t->backend->unlimited;
	int code = cgroup_make(t->setup.undo, t->cpus, &r->group, e);

	if (code < 0)
		return code;
	code = cgroup_limit(&r->group, unlimited ? t->most_bytes : t->budget_bytes);
	if (code == 0 && (t->backend->swapless || unlimited))
		code = cgroup_allow_swap(&r->group, false);
	if (code < 0 && code != -EOPNOTSUPP)
		return err_failed(e, code, "cannot set the limits of /%s: %s", r->group.memory,
				  err_name(code));
	return budget_begin(
		&(struct budget_plan){
			.root = t->setup.root,
			.group = &r->group,
			.backend = t->backend,
			.bytes = unlimited ? CGROUP_NO_LIMIT : t->budget_bytes,
			.naive = t->naive,
		},
		&r->budget, e);
}

/* Swap on, and nothing in front of it. A failure here is the backend's, an outcome. */
static int start_backend(const struct trial *t, struct race_trial *ret)
{
	struct err why;
	int r = t->backend->uses_zswap ? 0 : zswap_disable(t->setup.undo, &why);

	if (r == 0 && t->backend->ops->start)
		r = t->backend->ops->start(t->backend, &t->setup, &why);
	if (r < 0) {
		ret->outcome = RACE_FAILED;
		snprintf(ret->detail, sizeof(ret->detail), "%s", why.text);
	}
	return r;
}

static void begin_result(const struct trial *t, struct race_trial *ret)
{
	*ret = (struct race_trial){
		.run = t->run,
		.order = t->order,
		.exit_status = -1,
		.budget_bytes = t->backend->unlimited ? -1 : (int64_t)t->budget_bytes,
		.real_s = NAN,
		.user_s = NAN,
		.sys_s = NAN,
		.idle_s = NAN,
		.net_s = NAN,
	};
	snprintf(ret->backend, sizeof(ret->backend), "%s", t->backend->name);
	snprintf(ret->workload, sizeof(ret->workload), "%s", t->workload_name);
}

int trial_run(const struct trial *t, struct race_trial *ret, struct err *e)
{
	struct running r = {
		.t = t,
		.guard = {.patience_s = t->thrash_s, .full_share = t->thrash_psi},
	};
	size_t mark = undo_mark(t->setup.undo);
	int64_t during;
	int code = 0, back;

	begin_result(t, ret);
	r.share = mmap(NULL, sizeof(*r.share), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		       -1, 0);
	if (r.share == MAP_FAILED)
		return err_failed(e, -ENOMEM, "out of memory");
	read_conditions(t, &ret->before);
	/* What earlier trials have left to write would be written during this one. */
	sync();
	if (start_backend(t, ret) == 0) {
		code = limit(&r, e);
		if (code == 0)
			code = run_child(&r, ret, e);
		budget_end(r.budget, NULL);
		sampler_end(&r.sampler);
	}
	munmap(r.share, sizeof(*r.share));
	back = undo_back(t->setup.undo, mark, code < 0 ? NULL : e);
	during = ret->after.zswap_in_front;
	read_conditions(t, &ret->after);
	ret->after.zswap_in_front = during;
	return code < 0 ? code : back;
}
