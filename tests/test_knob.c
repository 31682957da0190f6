/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Settings of the machine: journaled first, put back, and what is said when that can't be. */
#include "fake_journal.h"

#include "knob.h"

#define KNOB "sys/module/zswap/parameters/compressor"

static void test_set_and_put_back(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);

	host_text(m->root, KNOB, "lzo\n");
	assert_int_equal(knob_set(u, KNOB, "zstd", NULL), 0);
	expect(m->root, KNOB, "zstd");
	assert_int_equal(undo_close(u, NULL), 0);
	expect(m->root, KNOB, "lzo");
}

/* Of a choice, the word that is chosen is what is put back. */
static void test_a_choice(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);

	host_text(m->root, KNOB, "always [madvise] never\n");
	assert_int_equal(knob_set(u, KNOB, "never", NULL), 0);
	assert_int_equal(undo_close(u, NULL), 0);
	expect(m->root, KNOB, "madvise");
}

static void test_the_same_value_is_not_journaled(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);

	host_text(m->root, KNOB, "lzo [zstd]\n");
	assert_int_equal(knob_set(u, KNOB, "zstd", NULL), 0);
	assert_int_equal(undo_mark(u), 0);
	expect(m->root, KNOB, "lzo [zstd]\n");
	assert_int_equal(undo_close(u, NULL), 0);
}

static void test_without_a_journal_nothing_is_changed(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);
	struct broken_journal broken;
	struct err e;
	int r;

	host_text(m->root, KNOB, "lzo\n");
	broken = journal_break();
	r = knob_set(u, KNOB, "zstd", &e);
	journal_mend(&broken);
	assert_true(r < 0);
	assert_non_null(strstr(e.text, "journal"));
	expect(m->root, KNOB, "lzo\n");
	assert_int_equal(undo_mark(u), 0);
	assert_int_equal(undo_close(u, NULL), 0);
}

static void test_one_that_this_kernel_lacks(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);
	struct err e;

	assert_int_equal(knob_set(u, KNOB, "zstd", &e), -ENOENT);
	assert_int_equal(e.kind, ERR_MISSING);
	assert_string_equal(e.text, "this kernel has no /" KNOB);
	assert_int_equal(undo_mark(u), 0);
	assert_int_equal(undo_close(u, NULL), 0);
}

static void test_one_that_may_not_be_written(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);
	bool root = geteuid() == 0;
	struct err e = {0};
	int r;

	host_text(m->root, KNOB, "lzo\n");
	assert_int_equal(fchmodat(m->root, KNOB, 0444, 0), 0);
	assert_int_equal(fchmodat(m->root, ".", 0755, 0), 0);
	if (root)
		assert_int_equal(seteuid(65534), 0);
	r = knob_set(u, KNOB, "zstd", &e);
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(r, -EACCES);
	assert_int_equal(e.kind, ERR_MISSING);
	assert_non_null(strstr(e.text, "cannot set /" KNOB));
	assert_non_null(strstr(e.text, "sudo"));
	expect(m->root, KNOB, "lzo\n");
	assert_int_equal(fchmodat(m->root, KNOB, 0644, 0), 0);
	assert_int_equal(undo_close(u, NULL), 0);
}

/* Some attributes take anything and keep what they had. */
static void test_one_that_does_not_take_the_value(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);
	struct err e;

	host_text(m->root, "sys/other", "");
	assert_int_equal(symlinkat("/dev/null", m->root, "sys/deaf"), 0);
	assert_int_equal(knob_set(u, "sys/deaf", "zstd", &e), -EINVAL);
	assert_string_equal(e.text, "/sys/deaf did not take 'zstd': it says ''");
	assert_int_equal(undo_close(u, NULL), 0);
}

static void test_a_value_too_long_to_be_journaled(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);
	char text[UNDO_TEXT_MAX + 1];

	memset(text, 'x', UNDO_TEXT_MAX);
	text[UNDO_TEXT_MAX] = '\0';
	host_text(m->root, KNOB, text);
	assert_int_equal(knob_set(u, KNOB, "zstd", NULL), -EFBIG);
	expect(m->root, KNOB, text);
	assert_int_equal(undo_close(u, NULL), 0);
}

static void test_elsewhere_than_in_sys_and_proc(void **state)
{
	struct machine *m = *state;
	struct undo *u = opened(m);

	host_text(m->root, "sys/a", "");
	host_text(m->root, "etc/passwd", "root");
	assert_int_equal(knob_set(u, "etc/passwd", "x", NULL), -EINVAL);
	assert_int_equal(knob_set(u, "sys/../etc/passwd", "x", NULL), -EINVAL);
	expect(m->root, "etc/passwd", "root");
	assert_int_equal(undo_close(u, NULL), 0);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_set_and_put_back),
		TEST(test_a_choice),
		TEST(test_the_same_value_is_not_journaled),
		TEST(test_without_a_journal_nothing_is_changed),
		TEST(test_one_that_this_kernel_lacks),
		TEST(test_one_that_may_not_be_written),
		TEST(test_one_that_does_not_take_the_value),
		TEST(test_a_value_too_long_to_be_journaled),
		TEST(test_elsewhere_than_in_sys_and_proc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
