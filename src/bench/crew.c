/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between pieces of work the members sleep. Before one, all are woken and wait, spinning, for the
 * common start, and only then the clocks are read: waking a sleeper takes some 50 us and is no part
 * of the work.
 *
 * They are not pinned to CPUs: the scheduler's choice is part of what a user of the machine gets.
 */
#include "crew.h"

#include "clock.h"
#include "spin.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct member {
	struct crew *crew;
	unsigned worker;
	pthread_t thread;
};

struct crew {
	unsigned workers;
	unsigned started; /* members with a thread, and the caller */
	pthread_mutex_t lock;
	pthread_cond_t called;	 /* calls has grown, or leave is true */
	pthread_cond_t finished; /* busy has become 0 */
	uint64_t calls;
	unsigned busy; /* members at work */
	bool leave;
	atomic_uint ready; /* members awake */
	atomic_bool go;
	void (*work)(void *arg, unsigned worker);
	void *arg;
	struct member members[]; /* [0] is the caller, without a thread */
};

/* Sleeps until there is another piece of work; false: no more. */
static bool next_call(struct crew *c, uint64_t *seen)
{
	bool leave;

	pthread_mutex_lock(&c->lock);
	while (c->calls == *seen && !c->leave)
		pthread_cond_wait(&c->called, &c->lock);
	*seen = c->calls;
	leave = c->leave;
	pthread_mutex_unlock(&c->lock);
	return !leave;
}

static void *member_main(void *arg)
{
	struct member *m = arg;
	struct crew *c = m->crew;
	uint64_t seen = 0;

	while (next_call(c, &seen)) {
		unsigned tries = 0;

		atomic_fetch_add(&c->ready, 1);
		while (!atomic_load_explicit(&c->go, memory_order_acquire))
			spin_wait(&tries);
		c->work(c->arg, m->worker);
		pthread_mutex_lock(&c->lock);
		if (--c->busy == 0)
			pthread_cond_signal(&c->finished);
		pthread_mutex_unlock(&c->lock);
	}
	return NULL;
}

static int start_member(struct crew *c, unsigned worker)
{
	struct member *m = &c->members[worker];
	sigset_t all, old;
	int r;

	*m = (struct member){.crew = c, .worker = worker};
	/* Signals are for the program's own thread. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	r = -pthread_create(&m->thread, NULL, member_main, m);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r;
}

int crew_open(unsigned workers, struct crew **ret)
{
	struct crew *c = calloc(1, sizeof(*c) + workers * sizeof(c->members[0]));
	int r = 0;

	if (!c)
		return -ENOMEM;
	c->workers = workers;
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->called, NULL);
	pthread_cond_init(&c->finished, NULL);
	for (c->started = 1; r == 0 && c->started < workers; c->started += r == 0)
		r = start_member(c, c->started);
	if (r < 0) {
		crew_close(c);
		return r;
	}
	*ret = c;
	return 0;
}

void crew_close(struct crew *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	c->leave = true;
	pthread_cond_broadcast(&c->called);
	pthread_mutex_unlock(&c->lock);
	for (unsigned i = 1; i < c->started; i++)
		pthread_join(c->members[i].thread, NULL);
	pthread_cond_destroy(&c->finished);
	pthread_cond_destroy(&c->called);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

static void wake_members(struct crew *c)
{
	unsigned tries = 0;

	atomic_store(&c->ready, 0);
	atomic_store(&c->go, false);
	pthread_mutex_lock(&c->lock);
	c->busy = c->workers - 1;
	c->calls++;
	pthread_cond_broadcast(&c->called);
	pthread_mutex_unlock(&c->lock);
	while (atomic_load(&c->ready) < c->workers - 1)
		spin_wait(&tries);
}

static void await_members(struct crew *c)
{
	pthread_mutex_lock(&c->lock);
	while (c->busy)
		pthread_cond_wait(&c->finished, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

void crew_run(struct crew *c, void (*work)(void *arg, unsigned worker), void *arg,
	      struct crew_time *ret)
{
	struct crew_time time;

	c->work = work;
	c->arg = arg;
	wake_members(c);
	time.cpu_ns = clock_process_cpu_ns();
	time.wall_ns = clock_now_ns();
	atomic_store_explicit(&c->go, true, memory_order_release);
	work(arg, 0);
	await_members(c);
	time.wall_ns = clock_now_ns() - time.wall_ns;
	time.cpu_ns = clock_process_cpu_ns() - time.cpu_ns;
	if (ret)
		*ret = time;
}
