/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "signals.h"

#include <signal.h>
#include <stdbool.h>

static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOPPING = sizeof(stopping) / sizeof(stopping[0]) };

/* A signal handler can reach nothing else. Zero or the signal that came. */
static volatile sig_atomic_t signal_seen;
static atomic_bool stop;
static struct sigaction old[STOPPING];

static void note_signal(int signal)
{
	signal_seen = signal;
	atomic_store(&stop, true);
}

void signals_catch(void)
{
	struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};

	sigemptyset(&action.sa_mask);
	for (int i = 0; i < STOPPING; i++) {
		sigaction(stopping[i], &action, &old[i]);
		/*
		 * nohup. (SIGINT is ignored for whatever a script runs behind an '&'; who sends it
		 * means it.)
		 */
		if (stopping[i] == SIGHUP && old[i].sa_handler == SIG_IGN)
			sigaction(SIGHUP, &old[i], NULL);
	}
}

const atomic_bool *signals_stop(void)
{
	return &stop;
}

void signals_release(void)
{
	for (int i = 0; i < STOPPING; i++)
		sigaction(stopping[i], &old[i], NULL);
	if (signal_seen)
		raise(signal_seen);
}
