/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The content is verified and rewritten in one pass. A visit rewrites one run of pages in four,
 * another one each time, so that the version of each page follows from the number of visits and
 * nothing has to be remembered, in memory that might itself be swapped.
 *
 * The foreground is a tab that is visited in each frame: it draws by reading all of its working set
 * and writing a quarter of it.
 *
 * The line is a socket and not a pipe because each process has a copy of the other lines, too:
 * shutdown() reaches the one at the other end all the same.
 */
#include "tabs_process.h"

#include "clock.h"
#include "frames.h"
#include "mapping.h"
#include "page.h"
#include "tabs_page.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { RUN_PAGES = 16, PARTS = 4 };

#define SECOND_NS UINT64_C(1000000000)
#define PERIOD_NS (SECOND_NS / 60)

/* What such a process knows. */
struct life {
	const struct tabs_content *content;
	int line;
	unsigned char *pages;
	uint64_t visits;
	_Atomic uint64_t *done;		/* a tab's */
	struct workload_frames *frames; /* the foreground's */
};

static int answer(const struct life *l, int code, size_t page)
{
	struct tabs_answer a = {.code = code, .page = page};

	send(l->line, &a, sizeof(a), MSG_NOSIGNAL);
	return code;
}

static int begin(struct life *l)
{
	const struct tabs_content *c = l->content;
	struct tabs_page name = {.tab = c->tab};

	l->pages = mapping_alloc(c->n_pages * PAGE_BYTES);
	if (!l->pages)
		return answer(l, -ENOMEM, 0);
	for (; name.index < c->n_pages; name.index++) {
		tabs_page_fill(c->library, &name, l->pages + name.index * PAGE_BYTES);
		atomic_fetch_add(l->done, 1);
	}
	return answer(l, 0, 0);
}

/* The visit that was the last to rewrite a page; 0: none has. */
static uint64_t version_after(uint64_t visits, size_t index)
{
	uint64_t ago = (index / RUN_PAGES + visits) % PARTS;

	return ago < visits ? visits - ago : 0;
}

/* Returns the first page that is wrong, or n_pages. */
static size_t visit(struct life *l)
{
	const struct tabs_content *c = l->content;
	struct tabs_page name = {.tab = c->tab};

	for (; name.index < c->n_pages; name.index++) {
		unsigned char *page = l->pages + name.index * PAGE_BYTES;

		name.version = version_after(l->visits, name.index);
		if (!tabs_page_verify(c->library, &name, page))
			return name.index;
		name.version = version_after(l->visits + 1, name.index);
		if (name.version == l->visits + 1)
			tabs_page_fill(c->library, &name, page);
		atomic_fetch_add(l->done, 1);
	}
	l->visits++;
	return c->n_pages;
}

static int live_as_tab(struct life *l)
{
	int r = begin(l);
	char word;

	while (r == 0 && recv(l->line, &word, sizeof(word), 0) > 0) {
		size_t wrong = visit(l);

		r = answer(l, wrong < l->content->n_pages ? -EBADMSG : 0, wrong);
	}
	return r < 0 ? r : answer(l, 0, 0);
}

static void sleep_until(uint64_t ns)
{
	struct timespec at = {.tv_sec = (time_t)(ns / SECOND_NS),
			      .tv_nsec = (long)(ns % SECOND_NS)};

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
		;
}

static bool told_to_end(const struct life *l)
{
	char word;

	return recv(l->line, &word, sizeof(word), MSG_DONTWAIT) == 0;
}

static int draw_frames(struct life *l, struct frames *f)
{
	uint64_t begun = clock_now_ns();

	for (uint64_t slots = 0; !told_to_end(l);) {
		uint64_t due = begun + slots * PERIOD_NS;
		size_t wrong;

		sleep_until(due);
		wrong = visit(l);
		if (wrong < l->content->n_pages)
			return answer(l, -EBADMSG, wrong);
		slots += frames_add(f, clock_now_ns() - due);
	}
	frames_finish(f, l->frames);
	return answer(l, 0, 0);
}

static int live_in_foreground(struct life *l)
{
	_Atomic uint64_t pages = 0;
	struct frames *f = frames_new(PERIOD_NS);
	int r;

	if (!f)
		return answer(l, -ENOMEM, 0);
	l->done = &pages; /* not the script's progress */
	r = begin(l);
	if (r == 0)
		r = draw_frames(l, f);
	frames_free(f);
	return r;
}

static int start(struct life *l, int (*live)(struct life *l), struct tabs_process *ret)
{
	pid_t parent = getpid(), pid;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return -errno;
	pid = fork();
	if (pid == 0) {
		/* The parent may have died before it was asked for. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
			_exit(EXIT_FAILURE);
		close(ends[0]);
		l->line = ends[1];
		_exit(live(l) < 0 ? EXIT_FAILURE : EXIT_SUCCESS);
	}
	close(ends[1]);
	if (pid < 0) {
		int r = -errno;

		close(ends[0]);
		return r;
	}
	*ret = (struct tabs_process){.pid = pid, .line = ends[0]};
	return 0;
}

int tabs_process_tab(const struct tabs_content *c, _Atomic uint64_t *done, struct tabs_process *ret)
{
	return start(&(struct life){.content = c, .done = done}, live_as_tab, ret);
}

int tabs_process_foreground(const struct tabs_content *c, struct workload_frames *ret_frames,
			    struct tabs_process *ret)
{
	return start(&(struct life){.content = c, .frames = ret_frames}, live_in_foreground, ret);
}

/* To one that is dead nothing can be sent; that it is will be heard. */
void tabs_process_visit(const struct tabs_process *p)
{
	send(p->line, "", 1, MSG_NOSIGNAL);
}

void tabs_process_end(const struct tabs_process *p)
{
	shutdown(p->line, SHUT_WR);
}

int tabs_process_hear(const struct tabs_process *p, struct tabs_answer *ret)
{
	struct tabs_answer a;

	if (TEMP_FAILURE_RETRY(recv(p->line, &a, sizeof(a), 0)) != sizeof(a))
		return -EPIPE;
	*ret = a;
	return 0;
}

int tabs_process_reap(struct tabs_process *p)
{
	int status = 0;

	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	close(p->line);
	*p = (struct tabs_process){.line = -1};
	return status;
}
