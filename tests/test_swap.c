/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Swap files and devices on the kernel here: small files in /var/tmp, loop devices over them, a
 * small file system of ext4. All of it is journaled, so that the teardown undoes what a failed test
 * has left.
 */
#include "fake_host.h"

#include "err.h"
#include "kerntext.h"
#include "loop.h"
#include "swap.h"
#include "sysread.h"
#include "undo.h"

#include <dirent.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#define MIB ((uint64_t)1 << 20)

enum { PRIORITY = 5, PATH_BYTES = 256 };

struct machine {
	int root;
	char folder[64];
	struct undo *undo; /* NULL: not root */
	bool mounted;	   /* a file system on the folder below */
	char point[PATH_BYTES];
	struct err e;
};

/* Nobody else sees what is mounted here. */
static int setup_group(void **state)
{
	if (geteuid() != 0)
		return 0;
	return unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0;
}

static int setup(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));

	assert_non_null(m);
	m->root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	strcpy(m->folder, "/var/tmp/snug-test-swap-XXXXXX");
	assert_non_null(mkdtemp(m->folder));
	snprintf(m->point, sizeof(m->point), "%s/point", m->folder);
	if (geteuid() == 0)
		assert_int_equal(undo_open(m->root, "test", &m->undo, NULL), 0);
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	struct machine *m = *state;
	int r;

	if (m->mounted)
		umount2(m->point, MNT_DETACH);
	r = undo_close(m->undo, NULL);
	rmdir(m->point);
	/* Not empty if anything was left behind. */
	if (rmdir(m->folder) < 0)
		r = -errno;
	close(m->root);
	free(m);
	return r;
}

static struct machine *need_root(void **state)
{
	struct machine *m = *state;

	if (!m->undo) {
		print_message("needs root\n");
		skip();
	}
	return m;
}

static bool is_empty(const char *folder)
{
	DIR *dir = opendir(folder);
	int n = 0;

	assert_non_null(dir);
	while (readdir(dir))
		n++;
	closedir(dir);
	return n == 2;
}

static void make(struct machine *m, uint64_t bytes, char path[PATH_BYTES])
{
	if (swap_file_make(m->undo, m->folder, bytes, NULL, NULL, path, PATH_BYTES, &m->e) < 0)
		fail_msg("%s", m->e.text);
}

/* Fails with that code and kind, a sentence that has these words, and nothing left. */
static void refuses(struct machine *m, const char *folder, uint64_t bytes, swap_progress *progress,
		    int code, enum err_kind kind, const char *words)
{
	size_t mark = undo_mark(m->undo);
	char path[PATH_BYTES] = "as it was";

	assert_int_equal(
		swap_file_make(m->undo, folder, bytes, progress, m, path, sizeof(path), &m->e),
		code);
	assert_int_equal(m->e.kind, kind);
	if (!strstr(m->e.text, words))
		fail_msg("no '%s' in: %s", words, m->e.text);
	assert_string_equal(path, "as it was");
	assert_int_equal(undo_mark(m->undo), mark);
}

static void test_file_is_private_and_of_real_blocks(void **state)
{
	struct machine *m = need_root(state);
	char path[PATH_BYTES], wanted[PATH_BYTES];
	struct stat st;
	int fd;

	make(m, 4 * MIB, path);
	snprintf(wanted, sizeof(wanted), "%s/snug-swap-%d-0", m->folder, (int)getpid());
	assert_string_equal(path, wanted);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(fstat(fd, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(st.st_size, 4 * MIB);
	assert_true((uint64_t)st.st_blocks * 512 >= 4 * MIB);
	assert_int_equal(lseek(fd, 0, SEEK_HOLE), 4 * MIB);
	close(fd);
}

static void test_size_is_whole_pages(void **state)
{
	struct machine *m = need_root(state);
	char path[PATH_BYTES];
	struct stat st;

	make(m, MIB + 1, path);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, MIB + (uint64_t)sysconf(_SC_PAGESIZE));
}

static void test_file_is_removed_by_undo(void **state)
{
	struct machine *m = need_root(state);
	char path[PATH_BYTES];

	make(m, MIB, path);
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(undo_back(m->undo, 0, NULL), 0);
	assert_true(is_empty(m->folder));
}

static void test_a_name_that_is_taken_is_left_alone(void **state)
{
	struct machine *m = need_root(state);
	char taken[PATH_BYTES], path[PATH_BYTES], target[PATH_BYTES];
	ssize_t len;

	snprintf(taken, sizeof(taken), "%s/snug-swap-%d-0", m->folder, (int)getpid());
	assert_int_equal(symlink("/nonexistent/target", taken), 0);
	make(m, MIB, path);
	len = readlink(taken, target, sizeof(target));
	unlink(taken);
	assert_int_equal(len, strlen("/nonexistent/target"));
	assert_string_equal(path + strlen(path) - 2, "-1");
}

static bool stop_at_half(void *arg, uint64_t done, uint64_t total)
{
	return done >= total / 2;
}

static void test_stopped_by_its_progress(void **state)
{
	struct machine *m = need_root(state);

	refuses(m, m->folder, 4 * MIB, stop_at_half, -EINTR, ERR_FAILED, "stopped");
	assert_true(is_empty(m->folder));
}

static void test_more_than_is_free(void **state)
{
	struct machine *m = need_root(state);
	struct statvfs fs;

	assert_int_equal(statvfs(m->folder, &fs), 0);
	refuses(m, m->folder, fs.f_bavail * fs.f_frsize, NULL, -ENOSPC, ERR_FAILED, "are free");
	refuses(m, m->folder, UINT64_MAX, NULL, -ENOSPC, ERR_FAILED, "are free");
	assert_true(is_empty(m->folder));
}

static void test_folders_that_cannot_hold_swap(void **state)
{
	struct machine *m = need_root(state);

	refuses(m, "/dev/shm", MIB, NULL, -EOPNOTSUPP, ERR_MISSING, "tmpfs");
	refuses(m, "/proc", MIB, NULL, -EOPNOTSUPP, ERR_MISSING, "proc");
	refuses(m, "var/tmp", MIB, NULL, -EINVAL, ERR_USAGE, "from / on");
	refuses(m, "/nonexistent", MIB, NULL, -ENOENT, ERR_USAGE, "/nonexistent");
}

/* A loop device over a new file; with `command` run on it ("%s": its path). */
static void make_device(struct machine *m, uint64_t bytes, const char *command,
			char path[PATH_BYTES])
{
	char file[PATH_BYTES], line[2 * PATH_BYTES];

	make(m, bytes, file);
	if (loop_attach(m->undo, file, path, PATH_BYTES, &m->e) < 0) {
		print_message("%s\n", m->e.text);
		skip();
	}
	if (!command)
		return;
	snprintf(line, sizeof(line), "%s %s >/dev/null 2>&1", command, path);
	if (system(line) != 0) {
		print_message("cannot run: %s\n", line);
		skip();
	}
}

static void mount_ext4(struct machine *m, uint64_t bytes, char device[PATH_BYTES])
{
	make_device(m, bytes, "mkfs.ext4 -q -m 0", device);
	assert_int_equal(mkdir(m->point, 0700), 0);
	if (mount(device, m->point, "ext4", 0, NULL) < 0) {
		print_message("cannot mount: %s\n", strerror(errno));
		skip();
	}
	m->mounted = true;
}

/* Another program takes all that is free while the file is written. */
static bool fill_disk(void *arg, uint64_t done, uint64_t total)
{
	const struct machine *m = arg;
	char path[PATH_BYTES + 8];
	struct statvfs fs;
	int fd;

	if (done != MIB)
		return false;
	snprintf(path, sizeof(path), "%s/other", m->point);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(fstatvfs(fd, &fs), 0);
	posix_fallocate(fd, 0, (off_t)((fs.f_bavail - 256) * fs.f_frsize));
	close(fd);
	return false;
}

static void test_disk_that_fills_up_meanwhile(void **state)
{
	struct machine *m = need_root(state);
	char device[PATH_BYTES], other[PATH_BYTES + 8];
	struct dirent **entries;
	int n;

	mount_ext4(m, 128 * MIB, device);
	refuses(m, m->point, 16 * MIB, fill_disk, -ENOSPC, ERR_FAILED, "are free");
	snprintf(other, sizeof(other), "%s/other", m->point);
	assert_int_equal(unlink(other), 0);
	n = scandir(m->point, &entries, NULL, alphasort);
	assert_int_equal(n, 3); /* . .. lost+found */
	assert_string_equal(entries[2]->d_name, "lost+found");
	while (n)
		free(entries[--n]);
	free(entries);
}

/* openat fails with EOPNOTSUPP from now on if it is to make a file without a name. */
static int forbid_nameless_files(void)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_TMPFILE & ~O_DIRECTORY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EOPNOTSUPP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* In a child, since the filter stays. Its exit status says how far it came. */
static int make_without_nameless_files(const struct machine *m)
{
	char path[PATH_BYTES];
	struct undo *undo;
	struct stat st;

	if (forbid_nameless_files() < 0)
		return 77;
	if (undo_open(m->root, "test", &undo, NULL) < 0)
		return 1;
	if (swap_file_make(undo, m->folder, 4 * MIB, stop_at_half, NULL, path, sizeof(path),
			   NULL) != -EINTR ||
	    !is_empty(m->folder))
		return 2;
	if (swap_file_make(undo, m->folder, MIB, NULL, NULL, path, sizeof(path), NULL) < 0)
		return 3;
	if (stat(path, &st) < 0 || st.st_size != MIB || st.st_mode != (S_IFREG | 0600) ||
	    strncmp(path, m->folder, strlen(m->folder)) ||
	    strncmp(strrchr(path, '/'), "/snug-swap-", 11))
		return 4;
	return undo_close(undo, NULL) < 0 ? 5 : 0;
}

static void test_file_system_without_nameless_files(void **state)
{
	struct machine *m = need_root(state);
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(make_without_nameless_files(m));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_true(is_empty(m->folder));
}

static void start_swap(struct machine *m, const char *path)
{
	if (swap_format(m->root, path, &m->e) < 0 || swap_on(m->undo, path, PRIORITY, &m->e) < 0)
		fail_msg("%s", m->e.text);
}

static void test_swap_on_and_off(void **state)
{
	struct machine *m = need_root(state);
	struct kerntext_swap line = {0};
	uint64_t used = 1;
	char path[PATH_BYTES], *text;
	const char *cursor;

	make(m, 16 * MIB, path);
	start_swap(m, path);
	assert_int_equal(sysread_text(m->root, &text, "proc/swaps"), 0);
	for (cursor = text; strcmp(line.path, path) && kerntext_swap(&cursor, &line) == 0;)
		;
	free(text);
	assert_string_equal(line.path, path);
	assert_int_equal(line.priority, PRIORITY);
	assert_int_equal(swap_used(m->root, path, &used), 0);
	assert_true(used < 16 * MIB);
	assert_int_equal(swap_format(m->root, path, &m->e), -EBUSY);
	assert_int_equal(swap_off(m->root, path, 10000, NULL, NULL, NULL), 0);
	assert_int_equal(swap_used(m->root, path, &used), -ENOENT);
	/* Once more, on what is not swap. */
	assert_int_equal(swap_off(m->root, path, 10000, NULL, NULL, NULL), 0);
}

static void test_undo_turns_swap_off(void **state)
{
	struct machine *m = need_root(state);
	char path[PATH_BYTES];
	uint64_t used;

	make(m, 16 * MIB, path);
	start_swap(m, path);
	assert_int_equal(undo_back(m->undo, 0, NULL), 0);
	assert_int_equal(swap_used(m->root, path, &used), -ENOENT);
	assert_true(is_empty(m->folder));
}

/* /proc/swaps has the name behind the link. */
static void test_swap_off_through_a_link(void **state)
{
	struct machine *m = need_root(state);
	char path[PATH_BYTES], link[PATH_BYTES];
	uint64_t used;
	int r;

	make(m, 16 * MIB, path);
	start_swap(m, path);
	snprintf(link, sizeof(link), "%s/link", m->folder);
	assert_int_equal(symlink(path, link), 0);
	r = swap_off(m->root, link, 10000, NULL, NULL, NULL);
	unlink(link);
	assert_int_equal(r, 0);
	assert_int_equal(swap_used(m->root, path, &used), -ENOENT);
}

static void test_only_what_snug_made_is_formatted(void **state)
{
	struct machine *m = need_root(state);
	char ours[PATH_BYTES], link[PATH_BYTES], plain[PATH_BYTES];
	int r[2];

	make(m, MIB, ours);
	snprintf(plain, sizeof(plain), "%s/plain", m->folder);
	snprintf(link, sizeof(link), "%s/snug-swap-1-1", m->folder);
	assert_int_equal(rename(ours, plain), 0);
	assert_int_equal(symlink(plain, link), 0);
	r[0] = swap_format(m->root, plain, NULL);
	r[1] = swap_format(m->root, link, NULL);
	unlink(link);
	assert_int_equal(rename(plain, ours), 0);
	assert_int_equal(r[0], -EPERM);
	assert_int_equal(r[1], -EPERM);
	/* Not a byte of a header in it: the kernel sees no swap. */
	assert_int_equal(swap_on(m->undo, ours, PRIORITY, &m->e), -EINVAL);
	assert_int_equal(m->e.kind, ERR_MISSING);
}

static void test_priority_out_of_range(void **state)
{
	struct machine *m = need_root(state);

	assert_int_equal(swap_on(m->undo, "/x", -1, NULL), -ERANGE);
	assert_int_equal(swap_on(m->undo, "/x", 32768, &m->e), -ERANGE);
	assert_int_equal(m->e.kind, ERR_USAGE);
	assert_int_equal(undo_mark(m->undo), 0);
}

/* Refused with that code and a sentence with these words. */
static void device_is(struct machine *m, const char *path, int code, const char *words)
{
	uint64_t bytes = 1;

	assert_int_equal(swap_device_check(m->root, path, &bytes, &m->e), code);
	assert_int_equal(bytes, 1);
	if (!strstr(m->e.text, words))
		fail_msg("no '%s' in: %s", words, m->e.text);
}

static void test_device_with_the_label(void **state)
{
	struct machine *m = need_root(state);
	char path[PATH_BYTES];
	uint64_t bytes = 0;

	make_device(m, 16 * MIB, "mkswap -L snug", path);
	if (swap_device_check(m->root, path, &bytes, &m->e) < 0)
		fail_msg("%s", m->e.text);
	assert_int_equal(bytes, 16 * MIB);
	start_swap(m, path);
	device_is(m, path, -EBUSY, "in use as swap");
	assert_int_equal(swap_off(m->root, path, 10000, NULL, NULL, NULL), 0);
}

static void test_devices_that_were_not_given(void **state)
{
	static const struct {
		const char *command;
		int code;
		const char *words;
	} cases[] = {
		{NULL, -EPERM, "is empty"},
		{"mkswap", -EPERM, "swap without a label"},
		{"mkswap -L other", -EPERM, "label 'other'"},
		{"mkfs.ext4 -q", -EPERM, "holds ext4"},
		{"sh -c 'printf \"\\125\\252\" | dd bs=1 seek=510 of=$0'", -EBUSY,
		 "partition table (dos)"},
	};
	struct machine *m = need_root(state);
	char path[PATH_BYTES];

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_device(m, 4 * MIB, cases[i].command, path);
		device_is(m, path, cases[i].code, cases[i].words);
		assert_int_equal(m->e.kind, ERR_USAGE);
		if (cases[i].code == -EPERM)
			assert_non_null(strstr(m->e.text, "mkswap -L snug /dev/loop"));
		assert_true(swap_format(m->root, path, NULL) < 0);
		device_is(m, path, cases[i].code, cases[i].words);
		assert_int_equal(undo_back(m->undo, 0, NULL), 0);
	}
}

static void test_device_that_is_mounted(void **state)
{
	struct machine *m = need_root(state);
	char path[PATH_BYTES];

	mount_ext4(m, 16 * MIB, path);
	device_is(m, path, -EBUSY, m->point);
}

static void test_device_that_another_program_holds(void **state)
{
	struct machine *m = need_root(state);
	char path[PATH_BYTES];
	int fd;

	make_device(m, 4 * MIB, "mkswap -L snug", path);
	fd = open(path, O_RDONLY | O_EXCL | O_CLOEXEC);
	device_is(m, path, -EBUSY, "another program");
	close(fd);
}

static void test_no_device_at_all(void **state)
{
	struct machine *m = *state;

	device_is(m, "/dev/null", -ENOTBLK, "not a block device");
	device_is(m, "/dev/snug-none", -ENOENT, "/dev/snug-none");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_file_is_private_and_of_real_blocks),
		TEST(test_size_is_whole_pages),
		TEST(test_file_is_removed_by_undo),
		TEST(test_a_name_that_is_taken_is_left_alone),
		TEST(test_stopped_by_its_progress),
		TEST(test_more_than_is_free),
		TEST(test_folders_that_cannot_hold_swap),
		TEST(test_disk_that_fills_up_meanwhile),
		TEST(test_file_system_without_nameless_files),
		TEST(test_swap_on_and_off),
		TEST(test_undo_turns_swap_off),
		TEST(test_swap_off_through_a_link),
		TEST(test_only_what_snug_made_is_formatted),
		TEST(test_priority_out_of_range),
		TEST(test_device_with_the_label),
		TEST(test_devices_that_were_not_given),
		TEST(test_device_that_is_mounted),
		TEST(test_device_that_another_program_holds),
		TEST(test_no_device_at_all),
	};

	return cmocka_run_group_tests(tests, setup_group, NULL);
}
