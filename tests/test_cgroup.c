/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Control groups on trees that look like those of four kernels: found, made, read, ended.
 * test_cgroup_kernel.c has the kernel that runs.
 *
 * In the trees a group's list of processes is empty or has numbers that no process has: what is in
 * it would be killed.
 */
#include "fake_host.h"

#include "cgroup.h"
#include "err.h"
#include "fileio.h"
#include "sysread.h"
#include "undo.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>

#define MIB ((uint64_t)1 << 20)

static int version_of(const char *tree)
{
	int version = -1, root = fake_host(tree), r = cgroup_check(root, &version, NULL);

	close(root);
	return r < 0 ? r : version;
}

static void test_check_four_kernels(void **state)
{
	assert_int_equal(version_of("linux-4.19"), 1);
	assert_int_equal(version_of("linux-6.1"), 2);
	assert_int_equal(version_of("linux-6.12"), 2);
	assert_int_equal(version_of("linux-6.18"), 1);
	assert_int_equal(version_of("cgroup-v2"), 2);
}

/* A tree of the test's own; undo is open in it. */
struct host {
	char path[64];
	int root;
	struct undo *undo;
	struct cgroup c;
	struct err e;
};

static int empty_begin(void **state)
{
	struct host *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	h->root = made_host(h->path);
	*state = h;
	return 0;
}

static int v2_begin(void **state)
{
	static const char self[] = __FILE__;
	char command[512];
	struct host *h;

	empty_begin(state);
	h = *state;
	snprintf(command, sizeof(command), "cp -R '%.*s/fake_host/cgroup-v2/.' '%s'",
		 (int)(sizeof(self) - sizeof("/test_cgroup.c")), self, h->path);
	assert_int_equal(system(command), 0);
	assert_int_equal(undo_open(h->root, "test", &h->undo, NULL), 0);
	return 0;
}

static int host_end(void **state)
{
	struct host *h = *state;

	undo_close(h->undo, NULL);
	made_host_end(h->root, h->path);
	free(h);
	return 0;
}

static void expect(const struct host *h, const char *path, const char *text)
{
	char *got;

	assert_int_equal(fileio_read(h->root, path, 4096, &got), 0);
	assert_string_equal(got, text);
	free(got);
}

static void test_check_without_memory(void **state)
{
	struct host *h = *state;

	host_text(h->root, "proc/self/mountinfo",
		  "26 22 0:25 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
		  "27 22 0:26 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n");
	host_text(h->root, "sys/fs/cgroup/cgroup.controllers", "cpu pids\n");
	assert_int_equal(cgroup_check(h->root, NULL, &h->e), -ENOENT);
	assert_int_equal(h->e.kind, ERR_MISSING);
	assert_non_null(strstr(h->e.text, "cgroup_enable=memory"));
}

/* A mounted v1 has the controller, whatever v2 says. */
static void test_check_hybrid(void **state)
{
	struct host *h = *state;
	int version = -1;

	host_text(h->root, "proc/self/mountinfo",
		  "26 22 0:25 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
		  "27 22 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
	host_text(h->root, "sys/fs/cgroup/unified/cgroup.controllers", "memory\n");
	host_text(h->root, "sys/fs/cgroup/memory/cgroup.procs", "");
	assert_int_equal(cgroup_check(h->root, &version, NULL), 0);
	assert_int_equal(version, 1);
}

static void test_check_mount_is_gone(void **state)
{
	struct host *h = *state;

	host_text(h->root, "proc/self/mountinfo",
		  "26 22 0:25 / /sys/fs/cgroup/gone rw - cgroup cgroup rw,memory\n");
	assert_int_equal(cgroup_check(h->root, NULL, &h->e), -ENOENT);
	assert_int_equal(h->e.kind, ERR_FAILED);
}

static void test_check_hostile_mounts(void **state)
{
	struct host *h = *state;
	char line[1024], point[600];

	memset(point, 'a', sizeof(point));
	point[0] = '/';
	point[sizeof(point) - 1] = '\0';
	snprintf(line, sizeof(line),
		 "26 22 0:25 / %s rw - cgroup c rw,memory\n27 22 0:25 / x rw - cgroup c rw,memory",
		 point);
	host_text(h->root, "proc/self/mountinfo", line);
	assert_int_equal(cgroup_check(h->root, NULL, NULL), -ENOENT);
}

static bool become_nobody(const struct host *h)
{
	return setresuid(65534, 65534, 65534) == 0;
}

static bool mount_read_only(const struct host *h)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/sys/fs/cgroup", h->path);
	return unshare(CLONE_NEWNS) == 0 &&
	       mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("none", path, "tmpfs", MS_RDONLY, NULL) == 0;
}

/* What cgroup_check says in a child that has changed itself; skips where it can't. */
static void expect_refusal(const struct host *h, bool (*change)(const struct host *h), int code,
			   const char *says)
{
	enum { AS_EXPECTED, DIFFERENT, NO_CHANGE };
	int status;
	pid_t pid;

	host_text(h->root, "proc/self/mountinfo",
		  "26 22 0:25 / /sys/fs/cgroup rw - cgroup cgroup rw,memory\n");
	host_text(h->root, "sys/fs/cgroup/cgroup.procs", "");
	assert_int_equal(chmod(h->path, 0755), 0);
	pid = fork();
	if (pid == 0) {
		struct err e = {0};
		int root;

		if (!change(h))
			_exit(NO_CHANGE);
		root = open(h->path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		_exit(cgroup_check(root, NULL, &e) == code && e.kind == ERR_MISSING &&
				      strstr(e.text, says)
			      ? AS_EXPECTED
			      : DIFFERENT);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == NO_CHANGE) {
		print_message("needs root to become somebody else, and to mount\n");
		skip();
	}
	assert_int_equal(WEXITSTATUS(status), AS_EXPECTED);
}

static void test_check_without_root(void **state)
{
	expect_refusal(*state, become_nobody, -EACCES, "sudo");
}

static void test_check_read_only(void **state)
{
	expect_refusal(*state, mount_read_only, -EROFS, "container");
}

static void test_v2_make_enables_memory(void **state)
{
	struct host *h = *state;
	char path[CGROUP_PATH_MAX];

	assert_int_equal(cgroup_make(h->undo, NULL, &h->c, &h->e), 0);
	snprintf(path, sizeof(path), "sys/fs/cgroup/snug-%d-0", (int)getpid());
	assert_int_equal(h->c.version, 2);
	assert_string_equal(h->c.memory, path);
	assert_string_equal(h->c.cpuset, "");
	assert_true(sysread_exists(h->root, path));
	expect(h, "sys/fs/cgroup/cgroup.subtree_control", "+memory");
}

static void test_v2_undo_takes_it_all_back(void **state)
{
	struct host *h = *state;

	assert_int_equal(cgroup_make(h->undo, NULL, &h->c, &h->e), 0);
	assert_int_equal(undo_back(h->undo, 0, &h->e), 0);
	assert_false(sysread_exists(h->root, h->c.memory));
	expect(h, "sys/fs/cgroup/cgroup.subtree_control", "-memory");
}

static void test_v2_enabled_already(void **state)
{
	struct host *h = *state;

	host_text(h->root, "sys/fs/cgroup/cgroup.subtree_control", "cpuset memory\n");
	assert_int_equal(cgroup_make(h->undo, NULL, &h->c, &h->e), 0);
	assert_int_equal(undo_back(h->undo, 0, &h->e), 0);
	expect(h, "sys/fs/cgroup/cgroup.subtree_control", "cpuset memory\n");
}

static void test_v2_two_groups(void **state)
{
	struct host *h = *state;
	struct cgroup second;

	assert_int_equal(cgroup_make(h->undo, NULL, &h->c, &h->e), 0);
	assert_int_equal(cgroup_make(h->undo, NULL, &second, &h->e), 0);
	assert_string_not_equal(h->c.memory, second.memory);
}

/* Here nothing makes the files of a new group, so that the CPUs can't be set. */
static void test_v2_failed_make_leaves_nothing(void **state)
{
	struct host *h = *state;
	char path[CGROUP_PATH_MAX];

	host_text(h->root, "sys/fs/cgroup/cgroup.subtree_control", "cpuset memory\n");
	assert_int_equal(cgroup_make(h->undo, "0-1", &h->c, &h->e), -ENOENT);
	snprintf(path, sizeof(path), "sys/fs/cgroup/snug-%d-0", (int)getpid());
	assert_false(sysread_exists(h->root, path));
	assert_int_equal(undo_mark(h->undo), 0);
}

static void test_bad_cpus(void **state)
{
	static const char *const lists[] = {"",	 "x",	"1-0", "0,", "0-",
					    "7", "0-2", "1,2", "-1", "99999999999999999999"};
	struct host *h = *state;

	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		assert_int_equal(cgroup_make(h->undo, lists[i], &h->c, &h->e), -EINVAL);
		assert_int_equal(h->e.kind, ERR_USAGE);
	}
	assert_int_equal(undo_mark(h->undo), 0);
}

static void test_no_cpuset_controller(void **state)
{
	struct host *h = *state;

	host_text(h->root, "sys/fs/cgroup/cgroup.controllers", "memory\n");
	assert_int_equal(cgroup_make(h->undo, "0", &h->c, &h->e), -ENOENT);
	assert_int_equal(h->e.kind, ERR_MISSING);
}

/* The group that the 4.19 and 6.1 trees have, on a root that may be written. */
static struct cgroup group_at(const struct host *h, int version)
{
	return (struct cgroup){h->root, version, "sys/fs/cgroup/snug-7-0", ""};
}

static void test_limit_texts(void **state)
{
	struct host *h = *state;
	struct cgroup v1 = group_at(h, 1), v2 = group_at(h, 2);

	host_text(h->root, "sys/fs/cgroup/snug-7-0/memory.max", "");
	host_text(h->root, "sys/fs/cgroup/snug-7-0/memory.limit_in_bytes", "");
	assert_int_equal(cgroup_limit(&v1, 64 * MIB), 0);
	assert_int_equal(cgroup_limit(&v2, 32 * MIB), 0);
	expect(h, "sys/fs/cgroup/snug-7-0/memory.limit_in_bytes", "67108864");
	expect(h, "sys/fs/cgroup/snug-7-0/memory.max", "33554432");
	assert_int_equal(cgroup_limit(&v1, CGROUP_NO_LIMIT), 0);
	assert_int_equal(cgroup_limit(&v2, CGROUP_NO_LIMIT), 0);
	expect(h, "sys/fs/cgroup/snug-7-0/memory.limit_in_bytes", "-1");
	expect(h, "sys/fs/cgroup/snug-7-0/memory.max", "max");
}

static void test_allow_swap_texts(void **state)
{
	struct host *h = *state;
	struct cgroup v1 = group_at(h, 1), v2 = group_at(h, 2);

	host_text(h->root, "sys/fs/cgroup/memory.swappiness", "60\n");
	host_text(h->root, "sys/fs/cgroup/snug-7-0/memory.swappiness", "60\n");
	host_text(h->root, "sys/fs/cgroup/snug-7-0/memory.swap.max", "max\n");
	assert_int_equal(cgroup_allow_swap(&v1, false), 0);
	assert_int_equal(cgroup_allow_swap(&v2, false), 0);
	expect(h, "sys/fs/cgroup/snug-7-0/memory.swappiness", "0");
	expect(h, "sys/fs/cgroup/snug-7-0/memory.swap.max", "0");
	assert_int_equal(cgroup_allow_swap(&v1, true), 0);
	assert_int_equal(cgroup_allow_swap(&v2, true), 0);
	expect(h, "sys/fs/cgroup/snug-7-0/memory.swappiness", "60");
	expect(h, "sys/fs/cgroup/snug-7-0/memory.swap.max", "max");
}

static void test_allow_swap_unknown(void **state)
{
	struct host *h = *state;
	struct cgroup c = group_at(h, 2);

	assert_int_equal(cgroup_allow_swap(&c, false), -EOPNOTSUPP);
	c.version = 1;
	assert_int_equal(cgroup_allow_swap(&c, false), -EOPNOTSUPP);
	assert_int_equal(cgroup_allow_swap(&c, true), -EOPNOTSUPP);
}

static void test_read_v1(void **state)
{
	int root = fake_host("linux-4.19");
	struct cgroup c = {root, 1, "sys/fs/cgroup/memory/snug-7-0", ""};
	struct cgroup_stat s;
	uint64_t usage = 0;

	cgroup_read(&c, &s);
	assert_int_equal(s.usage_bytes, 13303808);
	assert_int_equal(s.peak_bytes, 67108864);
	assert_int_equal(s.anon_bytes, 12369920);
	assert_int_equal(s.file_bytes, 946176);
	assert_int_equal(s.swap_bytes, -1);
	assert_int_equal(s.zswap_bytes, -1);
	assert_int_equal(s.major_faults, 1056);
	assert_int_equal(s.oom_kills, 2);
	assert_int_equal(s.user_ns, 0);
	assert_true(isnan(s.psi_some_s) && isnan(s.psi_full_s));
	assert_int_equal(cgroup_usage(&c, &usage), 0);
	assert_int_equal(usage, 13303808);
	assert_int_equal(cgroup_population(&c), 0);
	close(root);
}

static void test_read_v2(void **state)
{
	int root = fake_host("linux-6.1");
	struct cgroup c = {root, 2, "sys/fs/cgroup/snug-7-0", ""};
	struct cgroup_stat s;
	uint64_t usage = 0;

	cgroup_read(&c, &s);
	assert_int_equal(s.usage_bytes, 13303808);
	assert_int_equal(s.peak_bytes, 67108864);
	assert_int_equal(s.anon_bytes, 12369920);
	assert_int_equal(s.file_bytes, 946176);
	assert_int_equal(s.swap_bytes, 4096);
	assert_int_equal(s.zswap_bytes, 0);
	assert_int_equal(s.major_faults, 1056);
	assert_int_equal(s.oom_kills, 2);
	assert_int_equal(s.user_ns, 1750000000);
	assert_true(s.psi_some_s == 1.5);
	assert_true(s.psi_full_s == 1.25);
	assert_int_equal(cgroup_usage(&c, &usage), 0);
	assert_int_equal(usage, 13303808);
	close(root);
}

static void test_read_nothing(void **state)
{
	struct host *h = *state;
	struct cgroup c = group_at(h, 2);
	struct cgroup_stat s;
	uint64_t usage;

	cgroup_read(&c, &s);
	assert_int_equal(s.usage_bytes, -1);
	assert_int_equal(s.major_faults, -1);
	assert_int_equal(s.user_ns, -1);
	assert_true(isnan(s.psi_full_s));
	assert_int_equal(cgroup_usage(&c, &usage), -ENOENT);
	assert_int_equal(cgroup_population(&c), -ENOENT);
}

static void test_read_hostile(void **state)
{
	struct host *h = *state;
	struct cgroup c = group_at(h, 2);
	struct cgroup_stat s;

	host_text(h->root, "sys/fs/cgroup/snug-7-0/memory.current", "-5\n");
	host_text(h->root, "sys/fs/cgroup/snug-7-0/memory.peak", "max\n");
	host_text(h->root, "sys/fs/cgroup/snug-7-0/memory.stat", "anon\nfile x\nzswap 1 2\nanon 5");
	host_text(h->root, "sys/fs/cgroup/snug-7-0/cpu.stat", "user_usec 9223372036854775807\n");
	cgroup_read(&c, &s);
	assert_int_equal(s.usage_bytes, -1);
	assert_int_equal(s.peak_bytes, -1);
	assert_int_equal(s.anon_bytes, 5);
	assert_int_equal(s.file_bytes, -1);
	assert_int_equal(s.zswap_bytes, -1);
	assert_int_equal(s.user_ns, -1);
}

/* Numbers that no process has, since the tree has its own /proc. */
static void test_user_time_of_odd_names(void **state)
{
	struct host *h = *state;
	struct cgroup c = group_at(h, 1);
	struct cgroup_stat s;
	int64_t second = sysconf(_SC_CLK_TCK);

	host_text(h->root, "sys/fs/cgroup/snug-7-0/cgroup.procs", "11\n12\n13\n0\n14\n");
	host_text(h->root, "proc/11/stat",
		  "11 (a) b (c) S 1 1 1 0 -1 4194304 1 2 3 4 100 7 0 0 20");
	host_text(h->root, "proc/12/stat", "12 (ok) R 1 1 1 0 -1 4194304 1 2 3 4 23 7 0 0 20 0 1");
	host_text(h->root, "proc/13/stat", "13 (cut) R 1 1 1 0");
	cgroup_read(&c, &s);
	assert_int_equal(s.user_ns, 123 * (INT64_C(1000000000) / second));
}

static void test_remove_refuses_foreign_names(void **state)
{
	static const char *const paths[] = {"sys/fs/cgroup/memory",
					    "sys/fs/cgroup/snug-",
					    "sys/fs/cgroup/snug-7",
					    "sys/fs/cgroup/snug-7-",
					    "sys/fs/cgroup/snug-7-x",
					    "sys/fs/cgroup/snug-7-0/",
					    "sys/fs/cgroup/snug--0",
					    "sys/fs/cgroup/asnug-7-0",
					    "sys/fs/cgroup/snug-7-0/..",
					    "snug-7-0",
					    ""};
	struct host *h = *state;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_int_equal(cgroup_remove(h->root, paths[i], &h->e), -EINVAL);
}

static void test_remove_what_is_gone(void **state)
{
	struct host *h = *state;

	assert_int_equal(cgroup_remove(h->root, "sys/fs/cgroup/snug-7-0", &h->e), 0);
}

static void test_never_kills_itself(void **state)
{
	struct host *h = *state;
	struct cgroup c = group_at(h, 1);
	char procs[32];

	snprintf(procs, sizeof(procs), "0\n%d\n", (int)getpid());
	host_text(h->root, "sys/fs/cgroup/snug-7-0/cgroup.procs", procs);
	assert_int_equal(cgroup_kill(&c, &h->e), -EDEADLK);
	assert_int_equal(cgroup_remove(h->root, c.memory, &h->e), -EDEADLK);
	assert_true(sysread_exists(h->root, c.memory));
}

#define ON(test, begin, end) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_check_four_kernels),
		ON(test_check_without_memory, empty_begin, host_end),
		ON(test_check_hybrid, empty_begin, host_end),
		ON(test_check_mount_is_gone, empty_begin, host_end),
		ON(test_check_read_only, empty_begin, host_end),
		ON(test_check_hostile_mounts, empty_begin, host_end),
		ON(test_check_without_root, empty_begin, host_end),
		ON(test_v2_make_enables_memory, v2_begin, host_end),
		ON(test_v2_undo_takes_it_all_back, v2_begin, host_end),
		ON(test_v2_enabled_already, v2_begin, host_end),
		ON(test_v2_two_groups, v2_begin, host_end),
		ON(test_v2_failed_make_leaves_nothing, v2_begin, host_end),
		ON(test_bad_cpus, v2_begin, host_end),
		ON(test_no_cpuset_controller, v2_begin, host_end),
		ON(test_limit_texts, empty_begin, host_end),
		ON(test_allow_swap_texts, empty_begin, host_end),
		ON(test_allow_swap_unknown, empty_begin, host_end),
		cmocka_unit_test(test_read_v1),
		cmocka_unit_test(test_read_v2),
		ON(test_read_nothing, empty_begin, host_end),
		ON(test_read_hostile, empty_begin, host_end),
		ON(test_user_time_of_odd_names, empty_begin, host_end),
		ON(test_remove_refuses_foreign_names, empty_begin, host_end),
		ON(test_remove_what_is_gone, empty_begin, host_end),
		ON(test_never_kills_itself, empty_begin, host_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
