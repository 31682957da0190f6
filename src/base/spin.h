/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A lock for sections of some tens of nanoseconds, where waking a sleeper costs a thousand times
 * the section. A waiter spins a little and then yields, so a preempted holder gets its CPU back.
 */
#ifndef SNUG_BASE_SPIN_H
#define SNUG_BASE_SPIN_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct {
	atomic_bool held;
} spin_t;

static inline void spin_pause(void)
{
#if defined(__x86_64__) || defined(__i386__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* One step of waiting; *tries counts them and starts at 0. */
static inline void spin_wait(unsigned *tries)
{
	if (++*tries % 128)
		spin_pause();
	else
		sched_yield();
}

static inline bool spin_trylock(spin_t *l)
{
	return !atomic_exchange_explicit(&l->held, true, memory_order_acquire);
}

static inline void spin_lock(spin_t *l)
{
	unsigned tries = 0;

	while (!spin_trylock(l))
		do
			spin_wait(&tries);
		while (atomic_load_explicit(&l->held, memory_order_relaxed));
}

static inline void spin_unlock(spin_t *l)
{
	atomic_store_explicit(&l->held, false, memory_order_release);
}

#endif
