/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run.h"

#include "clock.h"
#include "crew.h"
#include "err.h"
#include "mapping.h"
#include "page.h"
#include "pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RING_BYTES = TARGET_CHUNK * PAGE_BYTES, PASSES = 4 /* fill, write, read, verify */ };

enum pass { PASS_WRITE, PASS_READ, PASS_VERIFY };

/* One configuration at work. */
struct trial {
	const struct bench_plan *plan;
	const struct target_config *config;
	uint64_t n_slots;
	void *target;
	struct crew *crew;
	unsigned char *rings; /* one a worker */
	enum pass pass;
	uint64_t done, total; /* pages of the whole benchmark; done is worker 0's estimate */
	atomic_bool failed;   /* the others need not go on */
	atomic_int code;      /* of the first failure, and its slot, or the first of its chunk */
	_Atomic uint64_t at_slot;
};

static bool stopped(const struct bench_plan *plan)
{
	return plan->stop && atomic_load_explicit(plan->stop, memory_order_relaxed);
}

static void fail(struct trial *t, int code, uint64_t slot)
{
	if (atomic_exchange(&t->failed, true))
		return;
	atomic_store(&t->code, code);
	atomic_store(&t->at_slot, slot);
}

/* Slots from first that may go in one call: their pages must be one piece of the page set. */
static size_t chunk_at(const struct trial *t, uint64_t first, uint64_t end)
{
	size_t n_pages = t->plan->pages->n;
	uint64_t left_in_set = n_pages - first % n_pages, n = end - first;

	if (n > TARGET_CHUNK)
		n = TARGET_CHUNK;
	return n > left_in_set ? left_in_set : n;
}

static const unsigned char *page_of(const struct trial *t, uint64_t slot)
{
	return t->plan->pages->data + slot % t->plan->pages->n * PAGE_BYTES;
}

static int verify_chunk(struct trial *t, unsigned worker, uint64_t first, unsigned char *ring,
			size_t n)
{
	int r = t->config->ops->read(t->target, worker, first, ring, n);

	for (size_t i = 0; r == 0 && i < n; i++) {
		if (memcmp(ring + i * PAGE_BYTES, page_of(t, first + i), PAGE_BYTES)) {
			fail(t, -EILSEQ, first + i);
			return -EILSEQ;
		}
	}
	return r;
}

static int do_chunk(struct trial *t, unsigned worker, uint64_t first, unsigned char *ring, size_t n)
{
	const struct target_ops *ops = t->config->ops;

	switch (t->pass) {
	case PASS_WRITE:
		return ops->write(t->target, worker, first, page_of(t, first), n);
	case PASS_READ:
		return ops->read(t->target, worker, first, ring, n);
	case PASS_VERIFY:
		break;
	}
	return verify_chunk(t, worker, first, ring, n);
}

static void tell_progress(const struct trial *t, uint64_t done)
{
	if (t->plan->progress)
		t->plan->progress(t->plan->progress_arg, t->config, t->done + done, t->total);
}

static bool do_chunks(struct trial *t, unsigned worker, uint64_t slot, uint64_t end)
{
	unsigned char *ring = t->rings + (size_t)worker * RING_BYTES;

	while (slot < end && !atomic_load_explicit(&t->failed, memory_order_relaxed)) {
		size_t n = chunk_at(t, slot, end);
		int r = stopped(t->plan) ? -EINTR : do_chunk(t, worker, slot, ring, n);

		if (r < 0) {
			fail(t, r, slot);
			return false;
		}
		slot += n;
	}
	return slot >= end;
}

/*
 * A worker's part of a pass: every so-many-th chunk, since one half of a heap may take twice the
 * time of the other, and the slower worker would be all that is measured.
 */
static void work(void *arg, unsigned worker)
{
	struct trial *t = arg;
	uint64_t step = (uint64_t)t->config->threads * TARGET_CHUNK;

	for (uint64_t slot = (uint64_t)worker * TARGET_CHUNK; slot < t->n_slots; slot += step) {
		uint64_t end = slot + TARGET_CHUNK;

		if (!do_chunks(t, worker, slot, end < t->n_slots ? end : t->n_slots))
			return;
		if (worker == 0)
			tell_progress(t, slot);
	}
}

static int explain(const struct trial *t, struct err *e)
{
	static const char *const doing[] = {"writing", "reading", "verifying"};
	unsigned long long slot = atomic_load(&t->at_slot);
	int code = atomic_load(&t->code);

	if (code == -EINTR)
		return err_failed(e, code, "interrupted");
	if (code == -EILSEQ)
		return err_failed(
			e, code,
			"%s with codec %s: page %llu read back differs from what was written",
			t->config->name, t->config->codec, slot);
	return err_failed(e, code,
			  "%s with codec %s: %s page %llu or one of the next %d failed: %s",
			  t->config->name, t->config->codec, doing[t->pass], slot, TARGET_CHUNK - 1,
			  err_name(code));
}

static int run_pass(struct trial *t, enum pass pass, struct crew_time *ret, struct err *e)
{
	t->pass = pass;
	crew_run(t->crew, work, t, ret);
	t->done += t->n_slots;
	return atomic_load(&t->failed) ? explain(t, e) : 0;
}

/*
 * A write pass, and the work that it left to helper threads: that is CPU time of writes, not of the
 * next reads.
 */
static int run_write_pass(struct trial *t, struct crew_time *ret, struct err *e)
{
	int r = run_pass(t, PASS_WRITE, ret, e);
	uint64_t cpu = clock_process_cpu_ns();

	if (r == 0 && t->config->ops->settle) {
		t->config->ops->settle(t->target);
		ret->cpu_ns += clock_process_cpu_ns() - cpu;
	}
	return r;
}

static void note(const struct trial *t, const struct crew_time *time, enum bench_metric wall,
		 struct bench_sample *sample)
{
	sample->metric[wall] = (double)time->wall_ns / (double)t->n_slots;
	sample->metric[wall + 1] = (double)time->cpu_ns / (double)t->n_slots;
}

static int run_passes(struct trial *t, struct bench_sample *ret, struct err *e)
{
	const struct target_ops *ops = t->config->ops;
	struct crew_time fill, write, read;
	int r = run_write_pass(t, &fill, e);

	if (r == 0)
		r = ops->measure(t->target, &ret->footprint, e);
	if (r == 0)
		r = run_write_pass(t, &write, e);
	if (r == 0)
		r = ops->measure(t->target, &ret->rewritten, e);
	if (r == 0)
		r = run_pass(t, PASS_READ, &read, e);
	if (r == 0)
		r = run_pass(t, PASS_VERIFY, NULL, e);
	if (r < 0)
		return r;
	note(t, &fill, BENCH_FILL_NS, ret);
	note(t, &write, BENCH_WRITE_NS, ret);
	note(t, &read, BENCH_READ_NS, ret);
	return 0;
}

static uint64_t slots_of(const struct bench_plan *plan, const struct target_config *config)
{
	return config->size_bytes ? config->size_bytes / PAGE_BYTES : plan->pages->n;
}

static struct target_setup setup_of(const struct bench_plan *plan,
				    const struct target_config *config)
{
	return (struct target_setup){
		.config = config,
		.pages = plan->pages,
		.n_slots = slots_of(plan, config),
		.mem_limit_bytes = plan->mem_limit_bytes,
		.root = plan->root,
	};
}

static int open_trial(struct trial *t, struct err *e)
{
	const struct target_setup setup = setup_of(t->plan, t->config);
	size_t bytes = (size_t)t->config->threads * RING_BYTES;
	int r = crew_open(t->config->threads, &t->crew);

	if (r < 0)
		return err_failed(e, r, "cannot start %u threads: %s", t->config->threads,
				  err_name(r));
	t->rings = mapping_alloc(bytes);
	if (!t->rings)
		return err_failed(e, -ENOMEM, "out of memory");
	memset(t->rings, 1, bytes); /* so that the first pass does not pay for its pages */
	return t->config->ops->open(&setup, &t->target, e);
}

static int close_trial(struct trial *t, struct err *e)
{
	crew_close(t->crew);
	mapping_free(t->rings, (size_t)t->config->threads * RING_BYTES);
	return t->config->ops->close(t->target, e);
}

static int run_trial(struct trial *t, struct bench_sample *ret, struct err *e)
{
	struct err left;
	int r = stopped(t->plan) ? err_failed(e, -EINTR, "interrupted") : open_trial(t, e), closed;

	if (r == 0)
		r = run_passes(t, ret, e);
	closed = close_trial(t, &left);
	if (closed < 0 && r < 0)
		target_also(e, &left);
	else if (closed < 0 && e)
		*e = left;
	return r < 0 ? r : closed;
}

static int check_all(const struct bench_plan *plan, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < plan->n_configs; i++) {
		const struct target_setup setup = setup_of(plan, &plan->configs[i]);

		if (setup.config->ops->check)
			r = stopped(plan) ? err_failed(e, -EINTR, "interrupted")
					  : setup.config->ops->check(&setup, e);
	}
	return r;
}

int bench_run(const struct bench_plan *plan, struct bench_sample *samples, struct err *e)
{
	uint64_t done = 0, total = 0;
	int r = check_all(plan, e);

	for (size_t i = 0; i < plan->n_configs; i++)
		total += slots_of(plan, &plan->configs[i]) * PASSES * plan->runs;
	for (unsigned run = 0; r == 0 && run < plan->runs; run++) {
		for (size_t k = 0; r == 0 && k < plan->n_configs; k++) {
			/* Each run begins with another: none is always the one after the pause. */
			size_t i = (k + run) % plan->n_configs;
			struct trial t = {
				.plan = plan,
				.config = &plan->configs[i],
				.n_slots = slots_of(plan, &plan->configs[i]),
				.done = done,
				.total = total,
			};

			r = run_trial(&t, &samples[i * plan->runs + run], e);
			done = t.done;
		}
	}
	return r;
}
