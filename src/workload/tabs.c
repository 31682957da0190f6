/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A browser's session: two waves of tabs are opened, as many at a time as there are jobs; then each
 * tab is visited in turn, and once more, since what the first visits wrote must come back, too;
 * then all are closed. A program in the foreground draws all the while.
 *
 * This process is the script. It holds next to nothing, and waits: for the one that it has asked,
 * for the user to think, but always for any other to fail, so that no end goes unnoticed.
 *
 * The number of tabs is fixed and their size follows from the peak: the script, with its waits, is
 * the same at any size. A wait counts as long as the script says, which is the least that it takes:
 * what it takes longer, because this process itself was swapped out, is not the user's.
 *
 * Declined: tabs that compute as they load. It would hide, in the time of a trial, what memory
 * costs.
 */
#include "ops.h"

#include "clock.h"
#include "err.h"
#include "page.h"
#include "process.h"
#include "tabs_page.h"
#include "tabs_process.h"
#include "units.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum {
	WAVES = 2,
	WAVE_TABS = 8,
	TABS = WAVES * WAVE_TABS,
	VISITS = 2, /* of each tab */
	FOREGROUND = TABS,
	PROCESSES,
	SETTLE_MS = 1000, /* after a wave */
	LOOK_MS = 125,	  /* at a tab, after each visit */
	FOREGROUND_PAGES = 1024,
	TAB_PAGES_LEAST = 256,
};

/* Measured in a control group: what the processes need besides their content. */
#define PROCESS_BYTES (200.0 * (1 << 10))
#define FIXED_BYTES   (PROCESSES * PROCESS_BYTES + (double)FOREGROUND_PAGES * PAGE_BYTES)

struct tabs {
	struct tabs_library *library;
	double peak_bytes;
	unsigned jobs;
	size_t tab_pages;
};

struct session {
	const struct tabs *tabs;
	struct workload_share *share;
	struct tabs_content contents[PROCESSES];
	struct tabs_process processes[PROCESSES];
};

static void tabs_destroy(void *workload)
{
	struct tabs *t = workload;

	if (!t)
		return;
	tabs_library_free(t->library);
	free(t);
}

static int size_tabs(struct tabs *t, struct err *e)
{
	double pages = (t->peak_bytes - FIXED_BYTES) / TABS / (double)PAGE_BYTES;
	double least = FIXED_BYTES + (double)TABS * TAB_PAGES_LEAST * (double)PAGE_BYTES;
	char text[UNITS_SIZE_MAX];

	if (pages < TAB_PAGES_LEAST)
		return err_usage(e, -ERANGE,
				 "the workload 'tabs' needs at least %s (%d tabs); raise --budget",
				 units_format_size((uint64_t)least, text), TABS);
	t->tab_pages = (size_t)pages;
	return 0;
}

static int tabs_prepare(const struct workload_request *q, void **ret, struct err *e)
{
	struct tabs *t = calloc(1, sizeof(*t));
	int r;

	if (!t || tabs_library_new(q->seed, &t->library) < 0) {
		tabs_destroy(t);
		return err_failed(e, -ENOMEM, "out of memory");
	}
	t->peak_bytes = (double)q->peak_bytes;
	t->jobs = q->jobs;
	r = size_tabs(t, e);
	if (r == 0)
		*ret = t;
	else
		tabs_destroy(t);
	return r;
}

static int tabs_scale(void *workload, double factor, struct err *e)
{
	struct tabs *t = workload;

	t->peak_bytes *= factor;
	return size_tabs(t, e);
}

static void stop_all(struct session *s)
{
	for (unsigned i = 0; i < PROCESSES; i++) {
		if (!s->processes[i].pid)
			continue;
		kill(s->processes[i].pid, SIGKILL);
		tabs_process_reap(&s->processes[i]);
	}
}

/* The sentence's subject is the process; the rest of it is given. */
__attribute__((format(printf, 3, 4))) static int fail(struct session *s, unsigned process,
						      const char *fmt, ...)
{
	char who[32] = "the program in the foreground", what[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	if (process != FOREGROUND)
		snprintf(who, sizeof(who), "tab %u of %d", process + 1, TABS);
	stop_all(s);
	snprintf(s->share->failure, sizeof(s->share->failure), "%s %s", who, what);
	return -ECHILD;
}

static int fail_ended(struct session *s, unsigned process, int status)
{
	char ending[PROCESS_ENDING_MAX];

	return fail(s, process, "%s", process_ending(status, ending));
}

/* 0: the process has done what it was asked for. */
static int hear(struct session *s, unsigned process)
{
	struct tabs_answer a;

	if (tabs_process_hear(&s->processes[process], &a) < 0)
		return fail_ended(s, process, tabs_process_reap(&s->processes[process]));
	if (a.code == -EBADMSG)
		return fail(s, process, "did not read back what it had written: page %zu of %zu",
			    a.page + 1, s->contents[process].n_pages);
	return a.code < 0 ? fail(s, process, "could not begin: %s", err_name(a.code)) : 0;
}

/* Waits for one to answer. 1: it has; 0: none has in that time; ms is -1: however long it takes. */
static int wait_answer(struct session *s, int ms)
{
	struct pollfd polled[PROCESSES];
	unsigned i = 0;
	int r;

	for (unsigned k = 0; k < PROCESSES; k++)
		polled[k] = (struct pollfd){.fd = s->processes[k].line, .events = POLLIN};
	if (TEMP_FAILURE_RETRY(poll(polled, PROCESSES, ms)) <= 0)
		return 0;
	while (!polled[i].revents)
		i++;
	r = hear(s, i);
	return r < 0 ? r : 1;
}

static int think(struct session *s, unsigned ms)
{
	int r = wait_answer(s, (int)ms);

	atomic_fetch_add(&s->share->idle_ns, ms * UINT64_C(1000000));
	return r;
}

static int start(struct session *s, unsigned i)
{
	bool is_tab = i != FOREGROUND;
	int r;

	s->contents[i] = (struct tabs_content){
		.library = s->tabs->library,
		.tab = i,
		.n_pages = is_tab ? s->tabs->tab_pages : FOREGROUND_PAGES,
	};
	r = is_tab ? tabs_process_tab(&s->contents[i], &s->share->done, &s->processes[i])
		   : tabs_process_foreground(&s->contents[i], &s->share->frames, &s->processes[i]);
	return r < 0 ? fail(s, i, "could not be started: %s", err_name(r)) : 0;
}

static int open_wave(struct session *s, unsigned first)
{
	uint64_t begun = clock_now_ns();
	unsigned started = 0, loading = 0;
	int r = 0;

	while (r >= 0 && (started < WAVE_TABS || loading)) {
		if (started < WAVE_TABS && loading < s->tabs->jobs) {
			r = start(s, first + started++);
			loading++;
		} else {
			r = wait_answer(s, -1);
			loading--;
		}
	}
	atomic_fetch_add(&s->share->open_ns, clock_now_ns() - begun);
	return r < 0 ? r : think(s, SETTLE_MS);
}

static int visit(struct session *s, unsigned tab)
{
	uint64_t begun = clock_now_ns();
	int r;

	tabs_process_visit(&s->processes[tab]);
	r = wait_answer(s, -1);
	atomic_fetch_add(&s->share->visit_ns, clock_now_ns() - begun);
	return r < 0 ? r : think(s, LOOK_MS);
}

/* It has been told to end. */
static int see_end(struct session *s, unsigned process)
{
	int r = hear(s, process), status;

	if (r < 0)
		return r;
	status = tabs_process_reap(&s->processes[process]);
	return status ? fail_ended(s, process, status) : 0;
}

static int close_tabs(struct session *s)
{
	uint64_t begun = clock_now_ns();
	int r = 0;

	for (unsigned i = 0; i < TABS; i++)
		tabs_process_end(&s->processes[i]);
	for (unsigned i = 0; r == 0 && i < TABS; i++)
		r = see_end(s, i);
	atomic_fetch_add(&s->share->close_ns, clock_now_ns() - begun);
	return r;
}

static int start_foreground(struct session *s)
{
	int r = start(s, FOREGROUND);

	return r < 0 ? r : wait_answer(s, -1);
}

static int tabs_run(void *workload, struct workload_share *share)
{
	struct session s = {.tabs = workload, .share = share};
	int r;

	for (unsigned i = 0; i < PROCESSES; i++)
		s.processes[i].line = -1;
	share->total = s.tabs->tab_pages * TABS * (1 + VISITS);
	r = start_foreground(&s);
	for (unsigned i = 0; r >= 0 && i < WAVES; i++)
		r = open_wave(&s, i * WAVE_TABS);
	for (unsigned i = 0; r >= 0 && i < VISITS * TABS; i++)
		r = visit(&s, i % TABS);
	if (r >= 0)
		r = close_tabs(&s);
	if (r >= 0) {
		tabs_process_end(&s.processes[FOREGROUND]);
		r = see_end(&s, FOREGROUND);
	}
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

const struct workload_ops workload_tabs = {
	.name = "tabs",
	.about = "a browser's session, with a program in the foreground that draws frames",
	.sized = true,
	.prepare = tabs_prepare,
	.scale = tabs_scale,
	.run = tabs_run,
	.destroy = tabs_destroy,
};
