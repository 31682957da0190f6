/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "budget.h"

#include "cgroup.h"
#include "clock.h"
#include "err.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A limit below FLOOR would leave a process too little to run at all. */
enum { TICK_MS = 10, BUCKETS = 512, FLOOR_BYTES = 4 << 20 };

struct budget {
	struct budget_plan plan;
	pthread_t thread;
	atomic_bool stop;
	pthread_mutex_t lock; /* of what follows */
	struct budget_report report;
	struct backend_pool pool;
	/* Looks by excess, in steps of half a percent of the budget; the last, all beyond. */
	uint64_t histogram[BUCKETS], looks;
};

static const struct backend_pool no_pool = {-1, -1, -1, -1};

static void sleep_until(uint64_t ns)
{
	const struct timespec at = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static uint64_t step_bytes(const struct budget *b)
{
	return b->plan.bytes / 200 + 1;
}

/* The 95th percentile of the looks, as the upper bound of its step. */
static int64_t excess_p95(const struct budget *b)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < BUCKETS - 1; i++) {
		seen += b->histogram[i];
		if (seen * 100 >= b->looks * 95)
			return (int64_t)(i * step_bytes(b));
	}
	return b->report.excess_bytes;
}

static void note_excess(struct budget *b, int64_t excess)
{
	size_t step;

	if (excess < 0)
		excess = 0;
	step = ((uint64_t)excess + step_bytes(b) - 1) / step_bytes(b);
	b->histogram[step < BUCKETS ? step : BUCKETS - 1]++;
	b->looks++;
	if (excess > b->report.excess_bytes)
		b->report.excess_bytes = excess;
}

static void note_pool(struct budget *b, const struct backend_pool *pool)
{
	b->pool = *pool;
	if (pool->orig_bytes >= b->report.fullest.orig_bytes)
		b->report.fullest = *pool;
}

static int64_t outside_bytes(const struct budget *b, const struct backend_pool *pool)
{
	return b->plan.backend->charged || pool->mem_used_bytes < 0 ? 0 : pool->mem_used_bytes;
}

/* What the workload may have while the pool holds that much. */
static uint64_t share_of(const struct budget *b, int64_t outside)
{
	int64_t share = (int64_t)b->plan.bytes - outside;

	return share < FLOOR_BYTES ? FLOOR_BYTES : (uint64_t)share;
}

static void hold(struct budget *b, const struct backend_pool *pool)
{
	int64_t outside = outside_bytes(b, pool);
	uint64_t usage, share = share_of(b, outside);
	bool follow = !b->plan.naive && (int64_t)share != b->report.limit_bytes;

	if (cgroup_usage(b->plan.group, &usage) == 0) {
		pthread_mutex_lock(&b->lock);
		note_excess(b, (int64_t)usage + outside - (int64_t)b->plan.bytes);
		pthread_mutex_unlock(&b->lock);
	}
	/* Refused (-EBUSY) while nothing can be reclaimed: tried again at the next look. */
	if (follow && cgroup_limit(b->plan.group, share) == 0) {
		pthread_mutex_lock(&b->lock);
		b->report.limit_bytes = (int64_t)share;
		pthread_mutex_unlock(&b->lock);
	}
}

static void look(struct budget *b)
{
	struct backend_pool pool = no_pool;

	if (b->plan.backend->ops->read_pool)
		b->plan.backend->ops->read_pool(b->plan.backend, b->plan.root, &pool);
	pthread_mutex_lock(&b->lock);
	note_pool(b, &pool);
	pthread_mutex_unlock(&b->lock);
	if (b->plan.bytes != CGROUP_NO_LIMIT)
		hold(b, &pool);
}

static void *run(void *arg)
{
	struct budget *b = arg;
	uint64_t last = clock_now_ns();

	while (!atomic_load(&b->stop)) {
		uint64_t now;

		look(b);
		now = clock_now_ns();
		pthread_mutex_lock(&b->lock);
		if ((double)(now - last) / 1e9 > b->report.gap_s)
			b->report.gap_s = (double)(now - last) / 1e9;
		b->report.cpu_s = (double)clock_thread_cpu_ns() / 1e9;
		pthread_mutex_unlock(&b->lock);
		last = now;
		sleep_until(now + TICK_MS * 1000000u);
	}
	return NULL;
}

int budget_begin(const struct budget_plan *plan, struct budget **ret, struct err *e)
{
	struct budget *b = calloc(1, sizeof(*b));
	bool limited = plan->bytes != CGROUP_NO_LIMIT;
	int r;

	if (!b)
		return err_failed(e, -ENOMEM, "out of memory");
	b->plan = *plan;
	b->pool = no_pool;
	b->report = (struct budget_report){
		.fullest = no_pool,
		.excess_bytes = limited ? 0 : -1,
		.limit_bytes = limited ? (int64_t)plan->bytes : -1,
	};
	pthread_mutex_init(&b->lock, NULL);
	r = -pthread_create(&b->thread, NULL, run, b);
	if (r < 0) {
		pthread_mutex_destroy(&b->lock);
		free(b);
		return err_failed(e, r, "cannot start a thread: %s", err_name(r));
	}
	*ret = b;
	return 0;
}

void budget_look(struct budget *b, struct budget_report *ret, struct backend_pool *pool)
{
	pthread_mutex_lock(&b->lock);
	*ret = b->report;
	ret->excess_p95_bytes = b->looks ? excess_p95(b) : -1;
	*pool = b->pool;
	pthread_mutex_unlock(&b->lock);
}

void budget_end(struct budget *b, struct budget_report *ret)
{
	struct backend_pool pool;

	if (!b)
		return;
	atomic_store(&b->stop, true);
	pthread_join(b->thread, NULL);
	if (ret)
		budget_look(b, ret, &pool);
	pthread_mutex_destroy(&b->lock);
	free(b);
}
