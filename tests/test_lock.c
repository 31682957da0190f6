/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fake_journal.h"

#include "lock.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void test_the_second_is_told_of_the_first(void **state)
{
	struct machine *m = *state;
	struct lock first, second = {.fd = -1};
	char pid[32];
	struct err e;

	assert_int_equal(lock_take(m->root, "race", "race", &first, NULL), 0);
	assert_int_equal(lock_take(m->root, "race", "undo", &second, &e), -EBUSY);
	assert_int_equal(second.fd, -1);
	assert_int_equal(e.kind, ERR_FAILED);
	snprintf(pid, sizeof(pid), "snug race, process %d,", (int)getpid());
	assert_non_null(strstr(e.text, pid));
	lock_drop(&first);
}

static void test_free_once_dropped(void **state)
{
	struct machine *m = *state;
	struct lock l;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(lock_take(m->root, "race", "race", &l, NULL), 0);
		lock_drop(&l);
		assert_int_equal(l.fd, -1);
		lock_drop(&l);
	}
}

static void test_names_are_locks_of_their_own(void **state)
{
	struct machine *m = *state;
	struct lock a, b;

	assert_int_equal(lock_take(m->root, "race", "race", &a, NULL), 0);
	assert_int_equal(lock_take(m->root, "other", "race", &b, NULL), 0);
	lock_drop(&a);
	lock_drop(&b);
}

static void test_free_once_its_holder_is_killed(void **state)
{
	struct machine *m = *state;
	struct lock l;
	pid_t child = fork();

	if (child == 0) {
		lock_take(m->root, "race", "race", &l, NULL);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(lock_take(m->root, "race", "undo", &l, NULL), 0);
	lock_drop(&l);
}

/* A full disk left no sentence. */
static void test_one_that_cannot_be_written_is_not_taken(void **state)
{
	struct machine *m = *state;
	struct rlimit before, none;
	struct lock l;
	struct err e = {0};
	int r;

	getrlimit(RLIMIT_FSIZE, &before);
	none = (struct rlimit){0, before.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &none);
	r = lock_take(m->root, "race", "race", &l, &e);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(r, -EFBIG);
	assert_non_null(strstr(e.text, "run/snug/race.lock"));
	assert_int_equal(lock_take(m->root, "race", "race", &l, NULL), 0);
	lock_drop(&l);
}

static void test_a_link_is_not_followed(void **state)
{
	struct machine *m = *state;
	struct lock l;

	host_text(m->root, "run/target", "");
	close(host_file(m->root, "run/snug/other"));
	assert_int_equal(symlinkat("../target", m->root, "run/snug/race.lock"), 0);
	assert_int_equal(lock_take(m->root, "race", "race", &l, NULL), -ELOOP);
	expect(m->root, "run/target", "");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_second_is_told_of_the_first),
		TEST(test_free_once_dropped),
		TEST(test_names_are_locks_of_their_own),
		TEST(test_free_once_its_holder_is_killed),
		TEST(test_one_that_cannot_be_written_is_not_taken),
		TEST(test_a_link_is_not_followed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
