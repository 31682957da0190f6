/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Real loop devices over a small file. */
#include "fake_host.h"

#include "err.h"
#include "loop.h"
#include "sysread.h"
#include "undo.h"

#include <errno.h>

struct machine {
	int root;
	struct undo *undo;
	char file[64];
	struct stat st;
};

static int setup(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));
	int fd;

	assert_non_null(m);
	m->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	strcpy(m->file, "/var/tmp/snug-test-loop-XXXXXX");
	fd = mkostemp(m->file, O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 1 << 20), 0);
	assert_int_equal(fstat(fd, &m->st), 0);
	close(fd);
	if (geteuid() == 0 && access("/dev/loop-control", R_OK | W_OK) == 0)
		assert_int_equal(undo_open(m->root, "test", &m->undo, NULL), 0);
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	struct machine *m = *state;
	int r = undo_close(m->undo, NULL);

	unlink(m->file);
	close(m->root);
	free(m);
	return r;
}

static void need_loops(const struct machine *m)
{
	if (m->undo)
		return;
	print_message("needs root and /dev/loop-control\n");
	skip();
}

static unsigned attached(const struct machine *m)
{
	char path[32];
	unsigned number;
	struct err e;

	if (loop_attach(m->undo, m->file, path, sizeof(path), &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(sscanf(path, "/dev/loop%u", &number), 1);
	return number;
}

/* An attached one has the folder loop/, with the file's path. */
static bool is_attached(const struct machine *m, unsigned number)
{
	char file[256];

	return sysread_word(m->root, file, sizeof(file), "sys/block/loop%u/loop/backing_file",
			    number) == 0 &&
	       strcmp(file, m->file) == 0;
}

static int detach(const struct machine *m, unsigned number, uint64_t inode)
{
	return loop_detach(m->root, number, m->st.st_dev, inode, NULL);
}

static void test_attached_and_undone(void **state)
{
	struct machine *m = *state;
	unsigned number;

	need_loops(m);
	number = attached(m);
	assert_true(is_attached(m, number));
	assert_int_equal(undo_back(m->undo, 0, NULL), 0);
	assert_false(is_attached(m, number));
}

static void test_direct_io(void **state)
{
	struct machine *m = *state;
	int fd = open(m->file, O_RDWR | O_DIRECT | O_CLOEXEC);
	int64_t direct;

	need_loops(m);
	if (fd < 0) {
		print_message("/var/tmp has no direct I/O\n");
		skip();
	}
	close(fd);
	assert_int_equal(sysread_number(m->root, &direct, "sys/block/loop%u/loop/dio", attached(m)),
			 0);
	assert_int_equal(direct, 1);
}

static void test_each_has_its_own(void **state)
{
	struct machine *m = *state;

	need_loops(m);
	assert_int_not_equal(attached(m), attached(m));
}

static void test_detach_twice(void **state)
{
	struct machine *m = *state;
	unsigned number;

	need_loops(m);
	number = attached(m);
	assert_int_equal(detach(m, number, m->st.st_ino), 0);
	assert_false(is_attached(m, number));
	assert_int_equal(detach(m, number, m->st.st_ino), 0);
}

static void test_another_file_is_left_attached(void **state)
{
	struct machine *m = *state;
	unsigned number;

	need_loops(m);
	number = attached(m);
	assert_int_equal(detach(m, number, m->st.st_ino + 1), 0);
	assert_true(is_attached(m, number));
	assert_int_equal(loop_detach(m->root, number, m->st.st_dev + 1, m->st.st_ino, NULL), 0);
	assert_true(is_attached(m, number));
}

static void test_detach_a_number_that_is_not_there(void **state)
{
	assert_int_equal(detach(*state, 987654, 1), 0);
}

static void test_no_such_file(void **state)
{
	struct machine *m = *state;
	char path[32] = "as it was";
	struct err e;

	need_loops(m);
	assert_int_equal(loop_attach(m->undo, "/nonexistent/x", path, sizeof(path), &e), -ENOENT);
	assert_string_equal(path, "as it was");
	assert_non_null(strstr(e.text, "/nonexistent/x"));
	assert_int_equal(undo_mark(m->undo), 0);
}

static void test_without_loop_devices(void **state)
{
	char tree[64], path[32];
	int root = made_host(tree);
	struct undo *undo;
	struct err e;

	assert_int_equal(undo_open(root, "test", &undo, NULL), 0);
	assert_int_equal(loop_attach(undo, "/x", path, sizeof(path), &e), -ENOENT);
	assert_int_equal(e.kind, ERR_MISSING);
	assert_non_null(strstr(e.text, "modprobe loop"));
	assert_int_equal(undo_close(undo, NULL), 0);
	made_host_end(root, tree);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_attached_and_undone),
		TEST(test_direct_io),
		TEST(test_each_has_its_own),
		TEST(test_detach_twice),
		TEST(test_another_file_is_left_attached),
		TEST(test_detach_a_number_that_is_not_there),
		TEST(test_no_such_file),
		TEST(test_without_loop_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
