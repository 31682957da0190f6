/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: the store's own thread, for work that nobody should wait for. It trains dictionaries
 * when the data calls for it and compacts when too much of the pool is holes, as a change of
 * dictionary, and with it of all sizes, leaves behind. When either is due is policy.c's to say;
 * writers report to it every some pages.
 */
#include "internal.h"

#include "policy.h"

#include <signal.h>

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
		k->compact_due = false;
	pthread_mutex_unlock(&k->lock);
	/* Not under the lock: the holder of a stream, which training waits for, may be in
	 * keeper_report. */
	if (training)
		expected = train(s, rng);
	else
		snug_store_compact(s);
	pthread_mutex_lock(&k->lock);
	if (training) {
		k->expected_bytes = expected;
		k->window_pages = k->window_bytes = 0;
	} else {
		k->compacted_at = k->pages;
	}
	k->busy = false;
	pthread_cond_broadcast(&k->idle);
}

static void *keeper_main(void *arg)
{
	struct snug_store *s = arg;
	struct keeper *k = &s->keeper;
	struct rng rng = {.state = 1};

	pthread_mutex_lock(&k->lock);
	while (!k->stop) {
		if (k->train_due || k->compact_due)
			work(s, &rng);
		else
			pthread_cond_wait(&k->wake, &k->lock);
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

static bool compaction_due(struct snug_store *s)
{
	struct keeper *k = &s->keeper;
	struct pool_usage u;

	pool_get_usage(s->pool, &u);
	return policy_compaction_due(u.pages_held * PAGE_BYTES, u.object_bytes,
				     k->pages - k->compacted_at, u.objects);
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
	if (!k->busy && !k->compact_due && compaction_due(s))
		k->compact_due = true;
	if (!k->busy && (k->train_due || k->compact_due))
		pthread_cond_signal(&k->wake);
	pthread_mutex_unlock(&k->lock);
}

int keeper_start(struct snug_store *s)
{
	struct keeper *k = &s->keeper;
	sigset_t all, old;
	int r;

	pthread_mutex_init(&k->lock, NULL);
	pthread_cond_init(&k->wake, NULL);
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
	while (k->train_due || k->compact_due || k->busy)
		pthread_cond_wait(&k->idle, &k->lock);
	pthread_mutex_unlock(&k->lock);
}

void keeper_forget(struct snug_store *s)
{
	struct keeper *k = &s->keeper;

	pthread_mutex_lock(&k->lock);
	k->train_due = k->compact_due = false;
	while (k->busy)
		pthread_cond_wait(&k->idle, &k->lock);
	k->pages = k->compacted_at = 0;
	k->window_pages = k->window_bytes = k->expected_bytes = 0;
	k->next_at = POLICY_FIRST_TRAINING;
	pthread_mutex_unlock(&k->lock);
}
