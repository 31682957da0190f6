/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: the store's own thread, for work that nobody should wait for. It trains dictionaries
 * when the data calls for it, and tidies up: frees dictionaries that no slot uses any more, and
 * compacts when too much of the pool is holes, as a change of dictionary, and with it of all sizes,
 * leaves behind. When either is due is policy.c's to say; writers report to it every some pages.
 */
#include "internal.h"

#include "policy.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

enum { IDLE_SECONDS = 1 };

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

static void tidy(struct snug_store *s)
{
	recipe_collect(s);
	if (slack_is_large(s))
		snug_store_compact(s);
}

/* Under the lock: takes one piece of work that is due and does it without the lock. */
static void work(struct snug_store *s, struct rng *rng)
{
	struct keeper *k = &s->keeper;
	bool training = k->train_due;
	uint64_t expected = 0;

	k->busy = true;
	if (training)
		k->train_due = false;
	else
		k->tidy_due = false;
	pthread_mutex_unlock(&k->lock);
	/* Not under the lock: the holder of a stream, which training waits for, may be in
	 * keeper_report. */
	if (training)
		expected = train(s, rng);
	else
		tidy(s);
	pthread_mutex_lock(&k->lock);
	if (training) {
		k->trained_with = stored(s);
		k->expected_bytes = expected;
		k->window_pages = k->window_bytes = 0;
	} else {
		k->tidied_at = k->pages;
	}
	k->busy = false;
	pthread_cond_broadcast(&k->idle);
}

/* Under the lock, when nothing is being written: what is worth doing in spare time. */
static void find_idle_work(struct snug_store *s)
{
	struct keeper *k = &s->keeper;

	if (s->codec.dict != CODEC_PLAIN && policy_idle_training_due(stored(s), k->trained_with))
		k->train_due = true;
	if (k->pages != k->tidied_at && (slack_is_large(s) || has_old_dictionary(s)))
		k->tidy_due = true;
}

static bool nothing_due(const struct keeper *k)
{
	return !k->train_due && !k->tidy_due && !k->stop;
}

/* Under the lock: sleeps until something is due, also if only because nobody writes. */
static void wait_for_work(struct snug_store *s)
{
	struct keeper *k = &s->keeper;

	while (nothing_due(k)) {
		struct timespec until;
		uint64_t pages = k->pages;

		/* All that spare time had to give is done: no timer is needed until something is
		 * written. */
		if (k->idle_at == pages) {
			pthread_cond_wait(&k->wake, &k->lock);
			continue;
		}
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += IDLE_SECONDS;
		if (pthread_cond_timedwait(&k->wake, &k->lock, &until) == ETIMEDOUT &&
		    k->pages == pages) {
			k->idle_at = pages;
			find_idle_work(s);
		}
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
	if (!k->busy && !k->train_due && training_due(s, pages, bytes)) {
		k->train_due = true;
		k->next_at = policy_next_training(k->pages);
	}
	if (!k->busy && !k->tidy_due && tidying_due(s))
		k->tidy_due = true;
	/* Also to set its timer going, when it slept without one. */
	if (!k->busy && (!nothing_due(k) || k->idle_at == k->pages - pages))
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
	/* One after the other: a new dictionary may be the reason to tidy up. */
	for (;;) {
		if (!k->busy && !k->train_due && !k->tidy_due)
			find_idle_work(s);
		if (!k->busy && !k->train_due && !k->tidy_due)
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
	k->train_due = k->tidy_due = false;
	while (k->busy)
		pthread_cond_wait(&k->idle, &k->lock);
	k->pages = k->tidied_at = k->trained_with = k->idle_at = 0;
	k->window_pages = k->window_bytes = k->expected_bytes = 0;
	k->next_at = POLICY_FIRST_TRAINING;
	pthread_mutex_unlock(&k->lock);
}
