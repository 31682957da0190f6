/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A journal's file: what one that is torn, damaged or not ours can't bring about. */
#include "fake_journal.h"

#define BOOT "5f3c1d52-0d1f-4c6b-9d8e-3a8f6a1f2b7c"

/* Which line of text byte `at` belongs to; the header is 0. */
static int line_of(const char *text, size_t at)
{
	int line = 0;

	for (size_t i = 0; i < at; i++)
		line += text[i] == '\n';
	return line;
}

static void test_cut_off_at_every_byte(void **state)
{
	struct machine *m = *state;
	CLEANUP_FREE char *text = three_changes(m);

	for (size_t len = 0; len <= strlen(text); len++) {
		int whole = line_of(text, len);
		struct seen seen;

		change_three(m->root);
		leave_bytes(m->root, text, len);
		assert_int_equal(recover(m->root, &seen, NULL), 0);
		expect_three(m->root, whole > 1, whole > 2, whole > 3);
		assert_false(exists(m->root, JOURNAL));
	}
}

static void test_a_flipped_bit_is_refused(void **state)
{
	struct machine *m = *state;
	CLEANUP_FREE char *text = three_changes(m);
	size_t len = strlen(text);

	for (size_t at = 0; at + 1 < len; at++) {
		int line = line_of(text, at);
		bool joins = text[at] == '\n';
		struct seen seen;
		struct err e;

		change_three(m->root);
		text[at] ^= (char)(1 << at % 8);
		leave_bytes(m->root, text, len);
		text[at] ^= (char)(1 << at % 8);
		assert_int_equal(recover(m->root, &seen, &e), -EBADMSG);
		assert_non_null(strstr(e.text, JOURNAL));
		assert_true(exists(m->root, JOURNAL));
		expect_three(m->root, line > 1, line && line != 2 && !(joins && line == 1),
			     line && line != 3 && !(joins && line == 2));
	}
}

static void test_no_flipped_bit_makes_another_entry(void **state)
{
	CLEANUP_FREE char *text = three_changes(*state);
	size_t len = strlen(text);

	for (size_t bit = 0; bit < 8 * len; bit++) {
		struct undo_journal j;

		text[bit / 8] ^= (char)(1 << bit % 8);
		if (undo_journal_parse(text, len, &j) == 0) {
			assert_true(j.n < 3);
			for (size_t i = 0; i < j.n; i++)
				assert_int_equal(strncmp(j.lines[i].entry.text, "old-", 4) ||
							 j.lines[i].entry.path[4] !=
								 j.lines[i].entry.text[4],
						 0);
			undo_journal_free(&j);
		}
		text[bit / 8] ^= (char)(1 << bit % 8);
	}
}

/* What is behind it would be forgotten, and the journal removed. */
static void test_a_nul_byte_is_damage(void **state)
{
	struct machine *m = *state;
	CLEANUP_FREE char *text = three_changes(m);
	size_t len = strlen(text);
	char *first = strchr(text, '\n') + 1, *blank = strchr(first, ' '),
	     *newline = strchr(first, '\n');
	struct seen seen;

	change_three(m->root);
	*blank = '\0';
	leave_bytes(m->root, text, len);
	assert_int_equal(recover(m->root, &seen, NULL), -EBADMSG);
	expect_three(m->root, false, true, true);
	assert_true(exists(m->root, JOURNAL));

	change_three(m->root);
	*blank = ' ';
	*newline = '\0';
	leave_bytes(m->root, text, len);
	assert_int_equal(recover(m->root, &seen, NULL), -EBADMSG);
	expect_three(m->root, false, false, true);
}

static void test_what_is_done_is_not_done_again(void **state)
{
	struct machine *m = *state;
	CLEANUP_FREE char *text = three_changes(m);
	struct seen seen;

	change_three(m->root);
	*(strchr(text, '\n') + 1) = '-';
	leave_bytes(m->root, text, strlen(text));
	assert_int_equal(recover(m->root, &seen, NULL), 0);
	expect_three(m->root, false, true, true);
	assert_int_equal(seen.done, 2);
}

static void count(void *arg, const struct undo_origin *from, const struct undo_entry *entry)
{
	*(size_t *)arg += 1;
}

static void test_of_another_boot_only_files_are_left(void **state)
{
	struct machine *m = *state;
	struct undo_entry entries[2];
	size_t listed = 0;
	struct seen seen;

	host_text(m->root, "proc/sys/kernel/random/boot_id", BOOT "\n");
	host_text(m->root, "sys/a", "new");
	host_text(m->root, "var/file", "");
	entries[0] = removing(m->root, "var/file");
	entries[1] = restoring("sys/a", "old");
	leave(m->root, "another-boot", entries, 2);
	assert_int_equal(undo_list(m->root, count, &listed, NULL), 0);
	assert_int_equal(listed, 1);
	assert_int_equal(recover(m->root, &seen, NULL), 0);
	assert_int_equal(seen.done, 1);
	assert_false(exists(m->root, "var/file"));
	expect(m->root, "sys/a", "new");
	assert_false(exists(m->root, JOURNAL));
}

static void test_of_this_boot_all(void **state)
{
	struct machine *m = *state;
	const struct undo_entry entry = restoring("sys/a", "old");
	struct seen seen;

	host_text(m->root, "proc/sys/kernel/random/boot_id", BOOT "\n");
	host_text(m->root, "sys/a", "new");
	leave(m->root, BOOT, &entry, 1);
	assert_int_equal(recover(m->root, &seen, NULL), 0);
	expect(m->root, "sys/a", "old");
}

/* Neither noted nor, if a file has it, acted upon. */
static void test_entries_that_are_not_allowed(void **state)
{
	static const struct undo_entry bad[] = {
		{.action = UNDO_WRITE, .path = "etc/passwd"},
		{.action = UNDO_WRITE, .path = "/sys/a"},
		{.action = UNDO_WRITE, .path = "sys/../etc/passwd"},
		{.action = UNDO_WRITE, .path = "sysfs/a"},
		{.action = UNDO_WRITE, .path = ""},
		{.action = UNDO_UNLINK, .path = "/var/file"},
		{.action = UNDO_UNLINK, .path = ".."},
		{.action = UNDO_TREE, .path = "var/tmp/.."},
		{.action = UNDO_TREE, .path = "var//../snug-1-0123456789abcdef"},
		{.action = UNDO_CGROUP, .path = "../sys/fs/cgroup/x"},
		{.action = UNDO_ZRAM, .path = "sys/block/zram1", .number = 1},
		{.action = UNDO_ZRAM, .number = 1ull << 31},
		{.action = UNDO_LOOP, .number = UINT64_MAX},
	};
	struct machine *m = *state;
	struct undo *u = opened(m);
	struct err e;

	host_text(m->root, "etc/passwd", "root");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct seen seen;

		assert_int_equal(undo_note(u, &bad[i], &e), -EINVAL);
		assert_int_equal(undo_mark(u), 0);
		leave(m->root, "-", &bad[i], 1);
		assert_int_equal(recover(m->root, &seen, &e), -EBADMSG);
		assert_int_equal(seen.done + seen.failed, 0);
	}
	expect(m->root, "etc/passwd", "root");
	assert_int_equal(undo_close(u, NULL), 0);
}

static void test_dots_in_names_are_allowed(void **state)
{
	struct undo *u = opened(*state);
	const struct undo_entry entry = {
		.action = UNDO_UNLINK, .path = "var/..a/b../...", .inode = 1};

	note(u, &entry);
	assert_int_equal(undo_close(u, NULL), 0);
}

static void test_only_folders_that_scratch_makes_are_emptied(void **state)
{
	struct machine *m = *state;
	const struct undo_entry entry = {.action = UNDO_TREE, .path = "home/me"};
	struct seen seen;
	struct err e;

	host_text(m->root, "home/me/letter", "dear");
	leave(m->root, "-", &entry, 1);
	assert_int_equal(recover(m->root, &seen, &e), -EPERM);
	assert_non_null(strstr(e.text, "/home/me is not a folder that snug makes"));
	expect(m->root, "home/me/letter", "dear");
}

/* Whatever a path is made of comes back from the file as it was. */
static void keep(void *arg, const struct undo_origin *from, const struct undo_entry *entry)
{
	*(struct undo_entry *)arg = *entry;
}

static void test_any_bytes_in_a_path(void **state)
{
	struct machine *m = *state;
	struct undo_entry entry = restoring("sys/ %25\n\t+-\x7f\xff", ""), listed = {0};

	leave(m->root, "-", &entry, 1);
	assert_int_equal(undo_list(m->root, keep, &listed, NULL), 0);
	assert_memory_equal(&listed, &entry, sizeof(entry));
}

static void test_the_longest_path_and_text(void **state)
{
	struct machine *m = *state;
	struct undo_entry entry = restoring("sys/", ""), listed = {0};

	memset(entry.path + 4, '\x01', UNDO_PATH_MAX - 5);
	memset(entry.text, ' ', UNDO_TEXT_MAX - 1);
	leave(m->root, "-", &entry, 1);
	assert_int_equal(undo_list(m->root, keep, &listed, NULL), 0);
	assert_memory_equal(&listed, &entry, sizeof(entry));
}

/* Who can write to the folder chooses what is undone. */
static void refuses_folder(const struct machine *m, int code, const char *sentence)
{
	struct seen seen;
	struct undo *u;
	struct err e;

	assert_int_equal(recover(m->root, &seen, &e), code);
	assert_non_null(strstr(e.text, sentence));
	assert_int_equal(undo_list(m->root, keep, NULL, NULL), code);
	assert_int_equal(undo_open(m->root, "test", &u, NULL), code);
	expect(m->root, "sys/a", "new");
}

static void leave_one(const struct machine *m)
{
	const struct undo_entry entry = restoring("sys/a", "old");

	host_text(m->root, "sys/a", "new");
	leave(m->root, "-", &entry, 1);
}

static void test_a_folder_that_others_can_write_to(void **state)
{
	struct machine *m = *state;

	leave_one(m);
	assert_int_equal(fchmodat(m->root, "run/snug", 0775, 0), 0);
	refuses_folder(m, -EPERM, "move it away");
	assert_int_equal(fchmodat(m->root, "run/snug", 0757, 0), 0);
	refuses_folder(m, -EPERM, "move it away");
}

static void test_a_folder_that_is_a_link(void **state)
{
	struct machine *m = *state;

	leave_one(m);
	assert_int_equal(renameat(m->root, "run/snug", m->root, "run/other"), 0);
	assert_int_equal(symlinkat("other", m->root, "run/snug"), 0);
	refuses_folder(m, -EPERM, "move it away");
}

static void need_root(void)
{
	if (geteuid() == 0)
		return;
	print_message("needs root\n");
	skip();
}

static void test_a_folder_of_another_user(void **state)
{
	struct machine *m = *state;

	need_root();
	leave_one(m);
	assert_int_equal(fchownat(m->root, "run/snug", 65534, 65534, 0), 0);
	refuses_folder(m, -EPERM, "move it away");
}

/* It was told to move the folder away. */
static void test_without_root_the_folder_of_root_asks_for_sudo(void **state)
{
	struct machine *m = *state;
	struct err e = {0};
	struct undo *u;
	int r;

	need_root();
	leave_one(m);
	assert_int_equal(fchmodat(m->root, ".", 0755, 0), 0);
	assert_int_equal(seteuid(65534), 0);
	r = undo_open(m->root, "test", &u, &e);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(r, -EPERM);
	assert_int_equal(e.kind, ERR_MISSING);
	assert_non_null(strstr(e.text, "sudo"));
}

/* One that is no journal of ours is told of, and does not keep the others from being undone. */
static void beside_a_good_one(const struct machine *m, const char *stranger, int code)
{
	struct seen seen;
	struct err e;

	leave_one(m);
	assert_int_equal(recover(m->root, &seen, &e), code);
	assert_non_null(strstr(e.text, stranger));
	expect(m->root, "sys/a", "old");
	assert_true(exists(m->root, stranger));
}

static void test_a_journal_that_is_a_link(void **state)
{
	struct machine *m = *state;

	host_text(m->root, "run/target", "");
	close(host_file(m->root, "run/snug/other"));
	assert_int_equal(symlinkat("../target", m->root, "run/snug/undo-7"), 0);
	beside_a_good_one(m, "run/snug/undo-7", -ELOOP);
	expect(m->root, "run/target", "");
}

/* It would be waited for. */
static void test_a_journal_that_is_a_pipe(void **state)
{
	struct machine *m = *state;

	close(host_file(m->root, "run/snug/other"));
	assert_int_equal(mkfifoat(m->root, "run/snug/undo-7", 0600), 0);
	beside_a_good_one(m, "run/snug/undo-7", -EBADMSG);
}

static void test_a_journal_of_another_format(void **state)
{
	struct machine *m = *state;

	host_text(m->root, "run/snug/undo-7", "+snug-undo-2 - test 00000000\n");
	beside_a_good_one(m, "run/snug/undo-7", -EBADMSG);
}

static void test_other_files_in_the_folder(void **state)
{
	struct machine *m = *state;
	struct seen seen;

	host_text(m->root, "run/snug/race.lock", "snug race, process 1");
	leave_one(m);
	assert_int_equal(recover(m->root, &seen, NULL), 0);
	expect(m->root, "run/snug/race.lock", "snug race, process 1");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_cut_off_at_every_byte),
		TEST(test_a_flipped_bit_is_refused),
		TEST(test_no_flipped_bit_makes_another_entry),
		TEST(test_a_nul_byte_is_damage),
		TEST(test_what_is_done_is_not_done_again),
		TEST(test_of_another_boot_only_files_are_left),
		TEST(test_of_this_boot_all),
		TEST(test_entries_that_are_not_allowed),
		TEST(test_dots_in_names_are_allowed),
		TEST(test_only_folders_that_scratch_makes_are_emptied),
		TEST(test_any_bytes_in_a_path),
		TEST(test_the_longest_path_and_text),
		TEST(test_a_folder_that_others_can_write_to),
		TEST(test_a_folder_that_is_a_link),
		TEST(test_a_folder_of_another_user),
		TEST(test_without_root_the_folder_of_root_asks_for_sudo),
		TEST(test_a_journal_that_is_a_link),
		TEST(test_a_journal_that_is_a_pipe),
		TEST(test_a_journal_of_another_format),
		TEST(test_other_files_in_the_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
