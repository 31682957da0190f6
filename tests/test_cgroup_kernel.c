/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups on the kernel that runs, whichever version it has; needs root. Groups are made at
 * the top of its hierarchy, with a child or two inside, and are gone after each test.
 */
#include "testing.h"

#include "cgroup.h"
#include "clock.h"
#include "err.h"
#include "sysread.h"
#include "undo.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((uint64_t)1 << 20)

struct host {
	int root;
	struct undo *undo;
	struct cgroup c;
	struct err e;
};

static int real_begin(void **state)
{
	struct host *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	*state = h;
	h->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (cgroup_check(h->root, NULL, &h->e) == 0 && geteuid() == 0)
		assert_int_equal(undo_open(h->root, "test", &h->undo, NULL), 0);
	return 0;
}

static int real_end(void **state)
{
	struct host *h = *state;
	struct err e;
	int r = undo_close(h->undo, &e);

	if (r < 0)
		print_error("%s\n", e.text);
	if (*h->c.memory && sysread_exists(h->root, h->c.memory))
		r = -EBUSY;
	if (*h->c.cpuset && sysread_exists(h->root, h->c.cpuset))
		r = -EBUSY;
	close(h->root);
	free(h);
	return r;
}

static void make_or_skip(struct host *h, const char *cpus)
{
	if (!h->undo) {
		print_message("no control groups: %s\n", *h->e.text ? h->e.text : "no root");
		skip();
	}
	if (cgroup_make(h->undo, cpus, &h->c, &h->e) < 0) {
		if (h->e.kind == ERR_MISSING) {
			print_message("%s\n", h->e.text);
			skip();
		}
		fail_msg("%s", h->e.text);
	}
}

/* A child in the group; act says through the pipe when it is done, and then the child sleeps. */
static pid_t start(const struct host *h, void (*act)(void))
{
	int pipe_fds[2];
	char done = 0;
	pid_t pid;

	assert_int_equal(pipe(pipe_fds), 0);
	pid = fork();
	if (pid == 0) {
		if (cgroup_enter(&h->c) < 0)
			_exit(1);
		if (act)
			act();
		if (write(pipe_fds[1], "x", 1) != 1)
			_exit(2);
		for (;;)
			pause();
	}
	close(pipe_fds[1]);
	assert_int_equal(read(pipe_fds[0], &done, 1), 1);
	close(pipe_fds[0]);
	return pid;
}

static void take_memory(void)
{
	char *p = mmap(NULL, 32 * MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		_exit(3);
	for (size_t i = 0; i < 32 * MIB; i += 4096)
		p[i] = (char)(1 + i % 251);
}

static void test_enter_and_count(void **state)
{
	struct host *h = *state;
	pid_t pid;

	make_or_skip(h, NULL);
	assert_int_equal(cgroup_population(&h->c), 0);
	pid = start(h, NULL);
	assert_int_equal(cgroup_population(&h->c), 1);
	assert_int_equal(cgroup_kill(&h->c, &h->e), 0);
	assert_int_equal(cgroup_population(&h->c), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void test_memory_is_charged(void **state)
{
	struct host *h = *state;
	struct cgroup_stat s;
	uint64_t usage;
	pid_t pid;

	make_or_skip(h, NULL);
	pid = start(h, take_memory);
	cgroup_read(&h->c, &s);
	assert_int_equal(cgroup_usage(&h->c, &usage), 0);
	cgroup_kill(&h->c, &h->e);
	waitpid(pid, NULL, 0);
	assert_true(usage >= 32 * MIB && usage < 48 * MIB);
	assert_true(s.usage_bytes >= (int64_t)(32 * MIB));
	/* The kernel adds it up with some delay. */
	assert_true(s.anon_bytes >= (int64_t)(28 * MIB));
	assert_true(s.peak_bytes == -1 || s.peak_bytes >= s.usage_bytes);
	assert_true(s.file_bytes >= 0 && s.major_faults >= 0 && s.user_ns >= 0);
	assert_int_equal(s.oom_kills, 0);
	assert_true(s.swap_bytes <= 0);
}

/* Without swap nothing of it can be reclaimed: v1 refuses. v2 would kill. */
static void test_limit_below_what_is_held(void **state)
{
	struct host *h = *state;
	uint64_t usage;
	pid_t pid;
	int r;

	make_or_skip(h, NULL);
	if (h->c.version != 1) {
		print_message("version 2 kills where version 1 refuses\n");
		skip();
	}
	assert_int_equal(cgroup_limit(&h->c, 64 * MIB), 0);
	assert_int_equal(cgroup_allow_swap(&h->c, false), 0);
	pid = start(h, take_memory);
	r = cgroup_limit(&h->c, 8 * MIB);
	assert_int_equal(cgroup_usage(&h->c, &usage), 0);
	assert_int_equal(cgroup_kill(&h->c, &h->e), 0);
	waitpid(pid, NULL, 0);
	assert_int_equal(r, -EBUSY);
	assert_true(usage >= 32 * MIB);
}

static void test_limit_kills(void **state)
{
	struct host *h = *state;
	struct cgroup_stat s;
	int status = 0;
	pid_t pid;

	make_or_skip(h, NULL);
	assert_int_equal(cgroup_limit(&h->c, 8 * MIB), 0);
	assert_int_equal(cgroup_allow_swap(&h->c, false), 0);
	pid = fork();
	if (pid == 0) {
		if (cgroup_enter(&h->c) < 0)
			_exit(1);
		take_memory();
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	cgroup_read(&h->c, &s);
	assert_int_equal(s.oom_kills, 1);
	assert_int_equal(cgroup_limit(&h->c, CGROUP_NO_LIMIT), 0);
}

/* Each child forks the next and ends: whoever is listed is gone soon. Bounded, should killing fail.
 */
static void fork_on_and_on(void)
{
	uint64_t until = clock_now_ns() + 2 * UINT64_C(1000000000);

	if (fork() != 0)
		return;
	for (int i = 0; i < 20000 && clock_now_ns() < until; i++) {
		pid_t pid = fork();

		if (pid != 0)
			_exit(0);
	}
	_exit(0);
}

static void test_kill_what_forks(void **state)
{
	struct host *h = *state;
	uint64_t begun;
	pid_t pid;

	make_or_skip(h, NULL);
	pid = start(h, fork_on_and_on);
	begun = clock_now_ns();
	assert_int_equal(cgroup_kill(&h->c, &h->e), 0);
	waitpid(pid, NULL, 0);
	assert_int_equal(cgroup_population(&h->c), 0);
	assert_true(clock_now_ns() - begun < 5 * UINT64_C(1000000000));
}

static void test_undo_kills_and_removes(void **state)
{
	struct host *h = *state;
	pid_t pid;
	int status;

	make_or_skip(h, NULL);
	pid = start(h, NULL);
	assert_int_equal(undo_back(h->undo, 0, &h->e), 0);
	assert_false(sysread_exists(h->root, h->c.memory));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

static void test_groups_below_are_named(void **state)
{
	struct host *h = *state;
	char below[CGROUP_PATH_MAX + 8];
	uint64_t begun;
	int r;

	make_or_skip(h, NULL);
	snprintf(below, sizeof(below), "%s/below", h->c.memory);
	assert_int_equal(mkdirat(h->root, below, 0755), 0);
	begun = clock_now_ns();
	r = cgroup_remove(h->root, h->c.memory, &h->e);
	unlinkat(h->root, below, AT_REMOVEDIR);
	assert_int_equal(r, -EBUSY);
	/* It is no use to wait for them. */
	assert_true(clock_now_ns() - begun < UINT64_C(1000000000));
	assert_non_null(strstr(h->e.text, "groups below"));
}

static void test_cpus(void **state)
{
	struct host *h = *state;
	cpu_set_t set;
	pid_t pid;
	int r;

	make_or_skip(h, "0");
	assert_string_not_equal(h->c.cpuset, "");
	pid = start(h, NULL);
	r = sched_getaffinity(pid, sizeof(set), &set);
	assert_int_equal(cgroup_kill(&h->c, &h->e), 0);
	waitpid(pid, NULL, 0);
	assert_int_equal(r, 0);
	assert_int_equal(CPU_COUNT(&set), 1);
	assert_true(CPU_ISSET(0, &set));
}

static void test_cpus_not_there(void **state)
{
	struct host *h = *state;

	if (!h->undo)
		skip();
	assert_int_equal(cgroup_make(h->undo, "100000", &h->c, &h->e), -EINVAL);
	assert_int_equal(h->e.kind, ERR_USAGE);
}

#define ON(test) cmocka_unit_test_setup_teardown(test, real_begin, real_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON(test_enter_and_count),	   ON(test_memory_is_charged),
		ON(test_limit_below_what_is_held), ON(test_limit_kills),
		ON(test_kill_what_forks),	   ON(test_undo_kills_and_removes),
		ON(test_groups_below_are_named),   ON(test_cpus),
		ON(test_cpus_not_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
