/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: the store's own thread, for work that nobody should wait for. It trains dictionaries
 * when the data calls for it, and tidies up: frees dictionaries that no slot uses any more, and
 * compacts when too much of the pool is holes. When nobody has written for a second it does what is
 * worth doing in spare time: trains on what is stored by now, and refreshes what older recipes
 * made. When something is due is policy.c's to say; writers report to it every some pages.
 */
#include "internal.h"

#include "policy.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

enum { IDLE_SECONDS = 1 };

/* Bits of `due`, in the order in which they are done. */
enum task {
	TASK_TRAIN = 1,
	TASK_REFRESH = 2,
	TASK_TIDY = 4,
};

static uint64_t stored(const struct snug_store *s)
{
	int64_t pages = stream_sum(s, COUNT_PAGES_STORED) - stream_sum(s, COUNT_SAME_PAGES);

	return pages < 0 ? 0 : (uint64_t)pages;
}

static bool slack_is_large(struct snug_store *s)
{
	struct pool_usage u;

	pool_get_usage(s->pool, &u);
	return policy_compaction_worth(u.pages_held * PAGE_BYTES, u.object_bytes);
}

/* Is there a dictionary that new pages no longer use? */
static bool has_old_dictionary(const struct snug_store *s)
{
	const struct codec_params *now = s->recipes[s->recipe];

	return atomic_load(&s->dict_bytes) > codec_params_bytes(now);
}

/* Without the lock: the holder of a stream, which training waits for, may be in keeper_report. */
static uint64_t do_task(struct snug_store *s, enum task task, struct rng *rng)
{
	switch (task) {
	case TASK_TRAIN:
		return train(s, rng);
	case TASK_REFRESH:
		/* The new objects have left the places of the old ones full of holes. */
		if (refresh(s))
			snug_store_compact(s);
		recipe_collect(s);
		break;
	case TASK_TIDY:
		recipe_collect(s);
		if (slack_is_large(s))
			snug_store_compact(s);
		break;
	}
	return 0;
}

/* Under the lock: takes the first task that is due. */
static void work(struct snug_store *s, struct rng *rng)
{
	struct keeper *k = &s->keeper;
	enum task task = (enum task)(k->due & -k->due);
	uint64_t expected;

	k->busy = true;
	k->due &= ~(unsigned)task;
	pthread_mutex_unlock(&k->lock);
	expected = do_task(s, task, rng);
	pthread_mutex_lock(&k->lock);
	if (task == TASK_TRAIN) {
		k->trained_with = stored(s);
		k->expected_bytes = expected;
		k->window_pages = k->window_bytes = 0;
	} else {
		k->tidied_at = k->pages;
	}
	k->busy = false;
	pthread_cond_broadcast(&k->idle);
}

/* Under the lock, when nothing is being written: one task that is worth doing in spare time. */
static void find_idle_work(struct snug_store *s)
{
	struct keeper *k = &s->keeper;

	if (s->codec.dict == CODEC_PLAIN)
		return;
	if (policy_idle_training_due(stored(s), k->trained_with))
		k->due |= TASK_TRAIN;
	else if (k->refreshed_at != k->pages &&
		 policy_refresh_worth(recipe_stale_slots(s), stored(s)))
		k->due |= TASK_REFRESH;
	else if (k->tidied_at != k->pages && has_old_dictionary(s))
		k->due |= TASK_TIDY;
	if (k->due & TASK_REFRESH)
		k->refreshed_at = k->pages; /* once, even if it was not finished */
}

/* Under the lock: sleeps until something is due, also if only because nobody writes. */
static void wait_for_work(struct snug_store *s)
{
	struct keeper *k = &s->keeper;

	while (!k->due && !k->stop) {
		struct timespec until;
		uint64_t pages = k->pages;

		/* All that spare time had to give is done: no timer until something is written. */
		if (k->idle_at == pages) {
			pthread_cond_wait(&k->wake, &k->lock);
			continue;
		}
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += IDLE_SECONDS;
		if (pthread_cond_timedwait(&k->wake, &k->lock, &until) != ETIMEDOUT ||
		    k->pages != pages)
			continue;
		find_idle_work(s);
		if (!k->due)
			k->idle_at = pages;
	}
}

static void *keeper_main(void *arg)
{
	struct snug_store *s = arg;
	struct keeper *k = &s->keeper;
	struct rng rng = {.state = 1};

	pthread_mutex_lock(&k->lock);
	for (;;) {
		wait_for_work(s);
		if (k->stop)
			break;
		work(s, &rng);
	}
	pthread_mutex_unlock(&k->lock);
	return NULL;
}

static bool training_due(struct snug_store *s, uint64_t pages, uint64_t bytes)
{
	struct keeper *k = &s->keeper;

	if (s->codec.dict == CODEC_PLAIN)
		return false;
	if (k->window_pages >= POLICY_WINDOW_PAGES)
		k->window_pages = k->window_bytes = 0;
	k->window_pages += pages;
	k->window_bytes += bytes;
	return policy_training_due(k->pages, k->next_at, k->window_pages, k->window_bytes,
				   k->expected_bytes);
}

static bool tidying_due(struct snug_store *s)
{
	struct keeper *k = &s->keeper;

	return policy_tidying_due(k->pages - k->tidied_at, stored(s)) &&
	       (slack_is_large(s) || has_old_dictionary(s));
}

void keeper_report(struct snug_store *s, uint64_t pages, uint64_t bytes)
{
	struct keeper *k = &s->keeper;

	pthread_mutex_lock(&k->lock);
	k->pages += pages;
	if (!k->busy && !(k->due & TASK_TRAIN) && training_due(s, pages, bytes)) {
		k->due |= TASK_TRAIN;
		k->next_at = policy_next_training(k->pages);
	}
	if (!k->busy && !(k->due & TASK_TIDY) && tidying_due(s))
		k->due |= TASK_TIDY;
	/* Also to set its timer going, when it slept without one. */
	if (!k->busy && (k->due || k->idle_at == k->pages - pages))
		pthread_cond_signal(&k->wake);
	pthread_mutex_unlock(&k->lock);
}

int keeper_start(struct snug_store *s)
{
	struct keeper *k = &s->keeper;
	pthread_condattr_t monotonic;
	sigset_t all, old;
	int r;

	pthread_mutex_init(&k->lock, NULL);
	pthread_condattr_init(&monotonic);
	pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
	pthread_cond_init(&k->wake, &monotonic);
	pthread_condattr_destroy(&monotonic);
	pthread_cond_init(&k->idle, NULL);
	k->next_at = POLICY_FIRST_TRAINING;
	/* Signals are for the program's own threads. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = -pthread_create(&k->thread, NULL, keeper_main, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	k->running = r == 0;
	return r;
}

void keeper_stop(struct snug_store *s)
{
	struct keeper *k = &s->keeper;

	if (!k->running)
		return;
	pthread_mutex_lock(&k->lock);
	k->stop = true;
	pthread_cond_signal(&k->wake);
	pthread_mutex_unlock(&k->lock);
	pthread_join(k->thread, NULL);
	pthread_cond_destroy(&k->idle);
	pthread_cond_destroy(&k->wake);
	pthread_mutex_destroy(&k->lock);
}

void keeper_settle(struct snug_store *s)
{
	struct keeper *k = &s->keeper;

	pthread_mutex_lock(&k->lock);
	/* One after the other: what a task has done may make another worth while. */
	for (;;) {
		if (!k->busy && !k->due)
			find_idle_work(s);
		if (!k->busy && !k->due)
			break;
		pthread_cond_signal(&k->wake);
		pthread_cond_wait(&k->idle, &k->lock);
	}
	pthread_mutex_unlock(&k->lock);
}

void keeper_forget(struct snug_store *s)
{
	struct keeper *k = &s->keeper;

	pthread_mutex_lock(&k->lock);
	k->due = 0;
	while (k->busy)
		pthread_cond_wait(&k->idle, &k->lock);
	k->pages = k->trained_with = k->tidied_at = k->refreshed_at = k->idle_at = 0;
	k->window_pages = k->window_bytes = k->expected_bytes = 0;
	k->next_at = POLICY_FIRST_TRAINING;
	pthread_mutex_unlock(&k->lock);
}
