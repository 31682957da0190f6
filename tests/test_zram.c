/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zram devices of our own: on trees that look like the sysfs of several kernels, and, as root, on
 * the kernel that runs.
 */
#include "cleanup.h"
#include "err.h"
#include "fileio.h"
#include "undo.h"
#include "zram.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define BOOT "5f3c1d52-0d1f-4c6b-9d8e-3a8f6a1f2b7c"

/* A tree in a temporary folder, which is also what root is. */
struct tree {
	char path[64];
	int root;
	struct undo *undo;
};

static void make_parents(const struct tree *t, const char *path)
{
	char copy[256];

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *slash = copy; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdirat(t->root, copy, 0755) < 0)
			assert_int_equal(errno, EEXIST);
		*slash = '/';
	}
}

static void put(const struct tree *t, const char *path, const char *text)
{
	int fd;

	make_parents(t, path);
	fd = openat(t->root, path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(fileio_write_all(fd, text, strlen(text)), 0);
	close(fd);
}

static void expect(const struct tree *t, const char *path, const char *text)
{
	CLEANUP_FREE char *got = NULL;

	assert_int_equal(fileio_read(t->root, path, 4096, &got), 0);
	assert_string_equal(got, text);
}

/*
 * What differs between kernels: the list of algorithms, mm_stat's columns, files that came and
 * went.
 */
static const struct kernel {
	const char *name, *algorithms, *mm_stat, *other_file;
	int64_t huge, huge_since;
} kernels[] = {
	{"4.14", "[lzo] lz4 lz4hc deflate 842\n",
	 " 1048576   300000   344064        0   348160       12        5\n", "max_comp_streams", -1,
	 -1},
	{"4.19", "[lzo] lz4 zstd \n",
	 " 1048576   300000   344064        0   348160       12        5        3\n",
	 "max_comp_streams", 3, -1},
	{"6.1", "lzo [lzo-rle] lz4 lz4hc 842 zstd \n",
	 " 1048576   300000   344064        0   348160       12        5        3        4\n",
	 "recomp_algorithm", 3, 4},
	{"6.18", "[lzo-rle] lzo lz4 \n",
	 " 1048576   300000   344064        0   348160       12        5        3        4\n",
	 "algorithm_params", 3, 4},
	{"later", "[zstd] lz4 \n",
	 " 1048576   300000   344064        0   348160       12        5        3        4        9       1.5\n",
	 "x", 3, 4},
};

enum { KERNELS = sizeof(kernels) / sizeof(kernels[0]) };

static void make_device(const struct tree *t, const struct kernel *k)
{
	put(t, "sys/block/zram3/comp_algorithm", k->algorithms);
	put(t, "sys/block/zram3/disksize", "0\n");
	put(t, "sys/block/zram3/reset", "");
	put(t, "sys/block/zram3/mem_limit", "");
	put(t, "sys/block/zram3/mm_stat", k->mm_stat);
	put(t, "sys/block/zram3/dev", "253:3\n");
	put(t, "sys/block/zram3/disksize", "0\n");
	put(t, "proc/sys/kernel/random/boot_id", BOOT "\n");
}

static int setup(void **state)
{
	struct tree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	strcpy(t->path, "/tmp/snug-test-zram-XXXXXX");
	assert_non_null(mkdtemp(t->path));
	t->root = open(t->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(t->root >= 0);
	put(t, "sys/class/zram-control/hot_add", "3\n");
	put(t, "sys/class/zram-control/hot_remove", "");
	make_device(t, &kernels[2]);
	assert_int_equal(undo_open(t->root, "test", &t->undo, NULL), 0);
	*state = t;
	return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	return remove(path);
}

static int teardown(void **state)
{
	struct tree *t = *state;

	undo_close(t->undo, NULL);
	close(t->root);
	assert_int_equal(nftw(t->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
	free(t);
	return 0;
}

static void test_life_of_a_device(void **state)
{
	for (int i = 0; i < KERNELS; i++) {
		const struct tree *t = *state;
		struct zram_device d = {0};
		struct err e = {0};

		make_device(t, &kernels[i]);
		put(t, "sys/class/zram-control/hot_remove", "");
		assert_int_equal(zram_add(t->undo, &d, &e), 0);
		assert_int_equal(d.id, 3);
		assert_int_equal(zram_set_algorithm(&d, "lz4", &e), 0);
		assert_int_equal(zram_set_size(&d, 67108864, &e), 0);
		assert_int_equal(zram_set_mem_limit(&d, 33554432, &e), 0);
		expect(t, "sys/block/zram3/comp_algorithm", "lz4");
		expect(t, "sys/block/zram3/disksize", "67108864");
		expect(t, "sys/block/zram3/mem_limit", "33554432");
		assert_int_equal(undo_back(t->undo, 0, &e), 0);
		expect(t, "sys/block/zram3/reset", "1");
		expect(t, "sys/class/zram-control/hot_remove", "3");
	}
}

/* Writeback and parameters: set where the kernel has them, else said which option it lacks. */
static void test_attributes_that_not_all_have(void **state)
{
	const struct tree *t = *state;
	const struct zram_device d = {.root = t->root, .id = 3};
	struct err e;

	assert_int_equal(zram_set_backing(&d, "/dev/loop7", &e), -ENOENT);
	assert_int_equal(e.kind, ERR_MISSING);
	assert_non_null(strstr(e.text, "CONFIG_ZRAM_WRITEBACK"));
	assert_int_equal(zram_set_params(&d, "level=3", &e), -ENOENT);
	assert_non_null(strstr(e.text, "algorithm_params"));
	put(t, "sys/block/zram3/backing_dev", "none\n");
	put(t, "sys/block/zram3/algorithm_params", "");
	assert_int_equal(zram_set_backing(&d, "/dev/loop7", &e), 0);
	assert_int_equal(zram_set_params(&d, "level=3", &e), 0);
	expect(t, "sys/block/zram3/backing_dev", "/dev/loop7");
	expect(t, "sys/block/zram3/algorithm_params", "level=3");
}

/* Killed between the device's making and its number: the one that nobody knows and uses is it. */
static void test_device_that_was_being_added(void **state)
{
	const struct tree *t = *state;

	put(t, "sys/block/zram3/initstate", "0\n");
	put(t, "sys/block/zram30/initstate", "0\n");
	assert_int_equal(zram_remove_added(t->root, "", 0), 0);
	expect(t, "sys/class/zram-control/hot_remove", "");
	put(t, "sys/block/zram3/initstate", "1\n");
	assert_int_equal(zram_remove_added(t->root, "30", 0), 0);
	expect(t, "sys/class/zram-control/hot_remove", "");
	put(t, "sys/block/zram3/initstate", "0\n");
	assert_int_equal(zram_remove_added(t->root, "0,30", 0), 0);
	expect(t, "sys/class/zram-control/hot_remove", "3");
}

static void test_stat_by_kernel(void **state)
{
	const struct tree *t = *state;

	for (int i = 0; i < KERNELS; i++) {
		const struct zram_device d = {.root = t->root, .id = 3};
		struct kerntext_mm_stat st;
		struct err e;

		make_device(t, &kernels[i]);
		assert_int_equal(zram_read_stat(&d, &st, &e), 0);
		assert_int_equal(st.orig_data_size, 1048576);
		assert_int_equal(st.compr_data_size, 300000);
		assert_int_equal(st.mem_used_total, 344064);
		assert_int_equal(st.same_pages, 12);
		assert_true(st.huge_pages == kernels[i].huge);
		assert_true(st.huge_pages_since == kernels[i].huge_since);
	}
}

static void test_stat_that_is_none(void **state)
{
	static const char *const bad[] = {"", "1 2 3 4 5 6\n", "1 2 3 4 5 6 x\n",
					  "-1 2 3 4 5 6 7\n"};
	const struct tree *t = *state;
	const struct zram_device d = {.root = t->root, .id = 3};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct kerntext_mm_stat st;
		struct err e;

		put(t, "sys/block/zram3/mm_stat", bad[i]);
		assert_int_equal(zram_read_stat(&d, &st, &e), -EBADMSG);
		assert_int_equal(e.kind, ERR_FAILED);
		assert_non_null(strstr(e.text, "zram3/mm_stat"));
	}
}

static void test_kernel_without_zram(void **state)
{
	const struct tree *t = *state;
	struct zram_device d = {0};
	struct err e;

	assert_int_equal(unlinkat(t->root, "sys/class/zram-control/hot_add", 0), 0);
	assert_int_equal(zram_add(t->undo, &d, &e), -ENOENT);
	assert_int_equal(e.kind, ERR_MISSING);
	assert_non_null(strstr(e.text, "modprobe zram"));
	assert_non_null(strstr(e.text, "CONFIG_ZRAM"));
}

/* Root is refused nothing by file modes, so as root this runs as nobody. */
static void test_without_root(void **state)
{
	const struct tree *t = *state;
	bool is_root = geteuid() == 0;
	struct zram_device d = {0};
	struct err e;
	int r;

	assert_int_equal(chmod(t->path, 0755), 0);
	assert_int_equal(fchmodat(t->root, "sys/class/zram-control/hot_add", is_root ? 0400 : 0, 0),
			 0);
	if (is_root)
		assert_int_equal(seteuid(65534), 0);
	r = zram_add(t->undo, &d, &e);
	if (is_root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(r, -EACCES);
	assert_int_equal(e.kind, ERR_MISSING);
	assert_non_null(strstr(e.text, "root"));
}

/* A device that could not be removed again is not added. */
static void test_nothing_added_that_could_not_be_removed(void **state)
{
	const struct tree *t = *state;
	struct zram_device d = {0};
	struct err e;

	assert_int_equal(unlinkat(t->root, "sys/class/zram-control/hot_remove", 0), 0);
	assert_true(zram_add(t->undo, &d, &e) < 0);
	assert_int_equal(e.kind, ERR_MISSING);
}

static void test_hot_add_that_says_nonsense(void **state)
{
	const struct tree *t = *state;
	struct zram_device d = {0};
	struct err e;

	put(t, "sys/class/zram-control/hot_add", "three\n");
	assert_int_equal(zram_add(t->undo, &d, &e), -EBADMSG);
}

static void test_node_that_does_not_appear(void **state)
{
	const struct tree *t = *state;
	const struct zram_device d = {.root = t->root, .id = 3, .patience_ms = 30};
	struct err e;
	int fd = -7;

	assert_int_equal(zram_open(&d, &fd, &e), -ENOENT);
	assert_int_equal(e.kind, ERR_MISSING);
	assert_non_null(strstr(e.text, "/dev/zram3"));
	assert_int_equal(fd, -7);
}

static void *make_node_later(void *arg)
{
	usleep(60000);
	put(arg, "dev/zram3", "");
	return NULL;
}

/* It is waited for; and what then is there is no block device, so nothing is written to it. */
static void test_node_that_is_late_and_wrong(void **state)
{
	struct tree *t = *state;
	const struct zram_device d = {.root = t->root, .id = 3, .patience_ms = 5000};
	pthread_t thread;
	struct err e;
	int fd, r;

	assert_int_equal(pthread_create(&thread, NULL, make_node_later, t), 0);
	r = zram_open(&d, &fd, &e);
	pthread_join(thread, NULL);
	if (r == -EINVAL) {
		print_message("SKIP: %s takes no direct I/O\n", t->path);
		skip();
	}
	assert_int_equal(r, -ENXIO);
	assert_non_null(strstr(e.text, "not the device"));
}

/* Removal fails: it is said how to do it by hand, and the journal keeps it for the next try. */
static void test_removal_that_fails(void **state)
{
	const struct tree *t = *state;
	struct zram_device d;
	struct err e;

	assert_int_equal(zram_add(t->undo, &d, NULL), 0);
	assert_int_equal(unlinkat(t->root, "sys/class/zram-control/hot_remove", 0), 0);
	assert_int_equal(mkdirat(t->root, "sys/class/zram-control/hot_remove", 0755), 0);
	assert_int_equal(undo_back(t->undo, 0, &e), -EISDIR);
	assert_non_null(strstr(e.text, "echo 3 >"));
	assert_int_equal(unlinkat(t->root, "sys/class/zram-control/hot_remove", AT_REMOVEDIR), 0);
	put(t, "sys/class/zram-control/hot_remove", "");
	assert_int_equal(undo_back(t->undo, 0, &e), 0);
	expect(t, "sys/class/zram-control/hot_remove", "3");
	assert_int_equal(undo_mark(t->undo), 0);
}

/* From here on the kernel that runs. */

static int real_root(void)
{
	int root;

	if (geteuid() != 0) {
		print_message("SKIP: real zram devices need root\n");
		skip();
	}
	if (access("/sys/class/zram-control/hot_add", F_OK) < 0 ||
	    access("/sys/class/zram-control/hot_remove", W_OK) < 0) {
		print_message("SKIP: no zram here, or /sys is read-only\n");
		skip();
	}
	root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(root >= 0);
	return root;
}

static bool device_exists(int id)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/block/zram%d", id);
	return access(path, F_OK) == 0;
}

static void *close_later(void *arg)
{
	usleep(200000);
	close(*(int *)arg);
	return NULL;
}

static void test_real_device(void **state)
{
	CLEANUP_CLOSE int root = real_root();
	struct zram_device d = {0};
	struct undo *undo = NULL;
	struct kerntext_mm_stat st;
	pthread_t thread;
	struct err e = {0};
	char *page = aligned_alloc(4096, 4096);
	int fd = -1;

	assert_non_null(page);
	if (undo_open(root, "test", &undo, &e) < 0 || zram_add(undo, &d, &e) < 0)
		fail_msg("%s", e.text);
	if (zram_set_algorithm(&d, "no-such", &e) == -EINVAL) {
		assert_int_equal(e.kind, ERR_MISSING);
		assert_non_null(strstr(e.text, "offers"));
	}
	/*
	 * Whatever goes wrong in between, the device is removed; so results are only looked at
	 * after that.
	 */
	memset(page, 'x', 4096);
	strcpy(page, "not same-filled");
	if (zram_set_size(&d, 1 << 20, &e) == 0 && zram_open(&d, &fd, &e) == 0 &&
	    pwrite(fd, page, 4096, 8192) == 4096 && zram_read_stat(&d, &st, &e) == 0) {
		/* Still open: removal has to wait for it. */
		pthread_create(&thread, NULL, close_later, &fd);
		assert_int_equal(undo_close(undo, &e), 0);
		pthread_join(thread, NULL);
		free(page);
		assert_int_equal(st.orig_data_size, 4096);
		assert_true(st.compr_data_size > 0 && st.compr_data_size < 4096);
		assert_false(device_exists(d.id));
		return;
	}
	free(page);
	if (fd >= 0)
		close(fd);
	undo_close(undo, NULL);
	fail_msg("%s", e.text);
}

static void test_real_device_of_a_killed_process(void **state)
{
	CLEANUP_CLOSE int root = real_root();
	int ends[2], id = -1;
	bool while_alive;
	ssize_t got;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (child == 0) {
		struct zram_device d;
		struct undo *undo;

		id = undo_open(root, "test", &undo, NULL) == 0 && zram_add(undo, &d, NULL) == 0
			     ? d.id
			     : -1;
		if (write(ends[1], &id, sizeof(id)) != sizeof(id))
			_exit(1);
		for (;;)
			pause();
	}
	got = read(ends[0], &id, sizeof(id));
	undo_recover(root, NULL, NULL);
	while_alive = device_exists(id);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	undo_recover(root, NULL, NULL);
	assert_int_equal(got, sizeof(id));
	assert_true(id >= 0 && while_alive);
	assert_false(device_exists(id));
	close(ends[0]);
	close(ends[1]);
}

#define ON_TREE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_TREE(test_life_of_a_device),
		ON_TREE(test_attributes_that_not_all_have),
		ON_TREE(test_device_that_was_being_added),
		ON_TREE(test_stat_by_kernel),
		ON_TREE(test_stat_that_is_none),
		ON_TREE(test_kernel_without_zram),
		ON_TREE(test_without_root),
		ON_TREE(test_nothing_added_that_could_not_be_removed),
		ON_TREE(test_hot_add_that_says_nonsense),
		ON_TREE(test_node_that_does_not_appear),
		ON_TREE(test_node_that_is_late_and_wrong),
		ON_TREE(test_removal_that_fails),
		cmocka_unit_test(test_real_device),
		cmocka_unit_test(test_real_device_of_a_killed_process),
	};

	return cmocka_run_group_tests_name("zram", tests, NULL, NULL);
}
