/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is undone, when, and what is left alone; on trees of its own. */
#include "fake_journal.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* In a child that is killed before it can undo anything. */
static void change_and_die(const struct machine *m)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		change(opened(m), "sys/a", "old", "new");
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
}

static void test_a_killed_process_is_undone(void **state)
{
	struct machine *m = *state;
	struct seen seen;

	change_and_die(m);
	expect(m->root, "sys/a", "new");
	assert_int_equal(recover(m->root, &seen, NULL), 0);
	expect(m->root, "sys/a", "old");
	assert_int_equal(seen.done, 1);
	assert_int_equal(recover(m->root, &seen, NULL), 0);
	assert_int_equal(seen.done, 0);
}

static void test_nothing_was_ever_journaled(void **state)
{
	struct machine *m = *state;
	struct seen seen;

	assert_int_equal(recover(m->root, &seen, NULL), 0);
	assert_int_equal(seen.done, 0);
	assert_false(exists(m->root, "run"));
}

static void test_a_live_holder_is_left_alone(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);
	struct seen seen;

	change(u, "sys/a", "old", "new");
	assert_int_equal(recover(m->root, &seen, NULL), 0);
	assert_int_equal(seen.done, 0);
	expect(m->root, "sys/a", "new");
	assert_int_equal(undo_close(u, NULL), 0);
	expect(m->root, "sys/a", "old");
}

/* What another process does just before undo_recover locks a journal that it has found. */
static struct {
	const struct machine *m;
	struct undo *undo;
} meanwhile;

int __real_flock(int fd, int operation);
int __wrap_flock(int fd, int operation);

int __wrap_flock(int fd, int operation)
{
	const struct machine *m = meanwhile.m;

	meanwhile.m = NULL;
	if (m) {
		assert_int_equal(undo_close(meanwhile.undo, NULL), 0);
		meanwhile.undo = opened(m);
		change(meanwhile.undo, "sys/a", "old", "new");
	}
	return __real_flock(fd, operation);
}

/*
 * One process opens a journal after another under one name. What undo_recover has locked is the old
 * one, which is gone; its name is the new one's.
 */
static void test_a_journal_that_is_replaced_is_left_alone(void **state)
{
	struct machine *m = *state;
	struct seen seen;

	meanwhile.undo = opened(m);
	meanwhile.m = m;
	assert_int_equal(recover(m->root, &seen, NULL), 0);
	assert_null(meanwhile.m);
	expect(m->root, "sys/a", "new");
	assert_int_equal(recover(m->root, &seen, NULL), 0);
	assert_int_equal(undo_mark(meanwhile.undo), 1);
	assert_int_equal(undo_close(meanwhile.undo, NULL), 0);
	expect(m->root, "sys/a", "old");
}

static void test_backwards(void **state)
{
	struct machine *m = *state;
	const struct undo_entry entries[] = {restoring("sys/a", "first"),
					     restoring("sys/a", "second"),
					     restoring("sys/b", "third")};
	struct seen seen;

	host_text(m->root, "sys/a", "now");
	host_text(m->root, "sys/b", "now");
	leave(m->root, "-", entries, 3);
	assert_int_equal(recover(m->root, &seen, NULL), 0);
	assert_string_equal(seen.order, "third second first ");
	expect(m->root, "sys/a", "first");
}

/* sys/b is a folder until it is made a file: writing to it fails. */
static void test_one_that_fails_stays_while_the_others_are_undone(void **state)
{
	struct machine *m = *state;
	CLEANUP_FREE char *text = three_changes(m);
	struct seen seen;
	struct err e;

	change_three(m->root);
	assert_int_equal(unlinkat(m->root, "sys/b", 0), 0);
	assert_int_equal(mkdirat(m->root, "sys/b", 0755), 0);
	leave_bytes(m->root, text, strlen(text));
	assert_int_equal(recover(m->root, &seen, &e), -EISDIR);
	assert_int_equal(seen.failed, 1);
	assert_int_equal(seen.done, 2);
	assert_non_null(strstr(e.text, "by hand: echo 'old-b' > /sys/b"));

	assert_int_equal(unlinkat(m->root, "sys/b", AT_REMOVEDIR), 0);
	change_three(m->root);
	assert_int_equal(recover(m->root, &seen, NULL), 0);
	expect_three(m->root, false, true, false);
	assert_false(exists(m->root, JOURNAL));
}

static void test_a_failed_one_survives_its_process(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);
	struct undo_entry entry = restoring("sys/b", "old-b");
	struct seen seen;

	note(u, &entry);
	close(host_file(m->root, "sys/b/file"));
	assert_int_equal(undo_close(u, NULL), -EISDIR);
	assert_int_equal(unlinkat(m->root, "sys/b/file", 0), 0);
	assert_int_equal(unlinkat(m->root, "sys/b", AT_REMOVEDIR), 0);
	host_text(m->root, "sys/b", "new");
	assert_int_equal(recover(m->root, &seen, NULL), 0);
	expect(m->root, "sys/b", "old-b");
}

static void test_back_to_a_mark(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);
	size_t mark;

	change(u, "sys/a", "old-a", "new");
	mark = undo_mark(u);
	change(u, "sys/b", "old-b", "new");
	change(u, "sys/c", "old-c", "new");
	assert_int_equal(undo_back(u, mark, NULL), 0);
	expect_three(m->root, false, true, true);
	assert_int_equal(undo_mark(u), mark);
	change(u, "sys/b", "old-b", "new");
	expect_three(m->root, false, false, true);
	assert_int_equal(undo_close(u, NULL), 0);
	expect_three(m->root, true, true, true);
}

/* A disk that fills up in the middle of a line. */
static void test_a_torn_line_is_cut_off(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);
	struct undo_entry entry = restoring("sys/b", "old-b");
	struct rlimit before, small;
	struct stat st;
	struct err e;

	change(u, "sys/a", "old-a", "new");
	assert_int_equal(fstat(journal_fd(), &st), 0);
	getrlimit(RLIMIT_FSIZE, &before);
	small = (struct rlimit){(rlim_t)st.st_size + 10, before.rlim_max};
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &small);
	assert_int_equal(undo_note(u, &entry, &e), -EFBIG);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_non_null(strstr(e.text, "run/snug/undo-"));
	assert_int_equal(undo_mark(u), 1);
	change(u, "sys/c", "old-c", "new");
	assert_int_equal(undo_close(u, NULL), 0);
	expect(m->root, "sys/a", "old-a");
	expect(m->root, "sys/c", "old-c");
}

/* Undone, but the journal does not know it: it is tried again, which does no harm. */
static void test_a_mark_that_is_not_written_is_not_done(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);
	struct broken_journal broken;

	change(u, "sys/a", "old", "new");
	broken = journal_break();
	assert_true(undo_back(u, 0, NULL) < 0);
	assert_int_equal(undo_mark(u), 1);
	journal_mend(&broken);
	assert_int_equal(undo_back(u, 0, NULL), 0);
	assert_int_equal(undo_mark(u), 0);
	assert_int_equal(undo_close(u, NULL), 0);
}

static void test_only_the_very_file_is_removed(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);
	struct undo_entry entry;

	host_text(m->root, "var/ours", "");
	host_text(m->root, "var/inode", "");
	host_text(m->root, "var/device", "");
	host_text(m->root, "var/target", "");
	assert_int_equal(symlinkat("target", m->root, "var/link"), 0);
	entry = removing(m->root, "var/ours");
	note(u, &entry);
	entry = removing(m->root, "var/inode");
	entry.inode++;
	note(u, &entry);
	entry = removing(m->root, "var/device");
	entry.number++;
	note(u, &entry);
	entry = removing(m->root, "var/link");
	note(u, &entry);
	entry = removing(m->root, "var/target");
	strcpy(entry.path, "var/link");
	note(u, &entry);
	assert_int_equal(undo_close(u, NULL), 0);
	assert_false(exists(m->root, "var/ours"));
	assert_true(exists(m->root, "var/inode"));
	assert_true(exists(m->root, "var/device"));
	assert_true(exists(m->root, "var/link"));
	assert_true(exists(m->root, "var/target"));
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_killed_process_is_undone),
		TEST(test_nothing_was_ever_journaled),
		TEST(test_a_live_holder_is_left_alone),
		TEST(test_a_journal_that_is_replaced_is_left_alone),
		TEST(test_backwards),
		TEST(test_one_that_fails_stays_while_the_others_are_undone),
		TEST(test_a_failed_one_survives_its_process),
		TEST(test_back_to_a_mark),
		TEST(test_a_torn_line_is_cut_off),
		TEST(test_a_mark_that_is_not_written_is_not_done),
		TEST(test_only_the_very_file_is_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
