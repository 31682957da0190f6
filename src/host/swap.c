/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats and switches swap. All paths are below the root, so that a test's tree is never taken for
 * the machine.
 *
 * What /proc/swaps calls a file may not be what its caller does: the kernel writes the path behind
 * all symbolic links (/dev/disk/by-label/snug is /dev/sdb2 there). So a line is found by what its
 * path leads to, and by name only if that is gone.
 *
 * mkswap is given the descriptor that was looked at, not the path: whoever may write in the folder
 * of a swap file could put another file there in between.
 *
 * swapoff(2) may last as long as reading the whole of swap, and ends early only by a signal; so it
 * is made in a child, which can be killed. The child blocks all other signals, as ctrl-C is sent to
 * it too and must not stop the undoing.
 */
#include "swap.h"

#include "cleanup.h"
#include "clock.h"
#include "err.h"
#include "kerntext.h"
#include "sysread.h"
#include "undo.h"
#include "units.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/swap.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEP_MS = 20, FORMAT_TRIES = 100, MESSAGE_BYTES = 256, PASSED_FD = 3 };

#define DELETED " (deleted)"

static const char *relative(const char *path)
{
	return path + strspn(path, "/");
}

static void sleep_step(void)
{
	const struct timespec step = {.tv_nsec = STEP_MS * 1000000};

	nanosleep(&step, NULL);
}

static bool leads_to(int root, const char *path, const struct stat *wanted)
{
	struct stat st;

	if (fstatat(root, relative(path), &st, 0) < 0)
		return false;
	if (S_ISBLK(st.st_mode) && S_ISBLK(wanted->st_mode))
		return st.st_rdev == wanted->st_rdev;
	return st.st_dev == wanted->st_dev && st.st_ino == wanted->st_ino;
}

static bool is_deleted(const char *listed, const char *path)
{
	size_t len = strlen(path);

	return strncmp(listed, path, len) == 0 && strcmp(listed + len, DELETED) == 0;
}

int swap_used(int root, const char *path, uint64_t *ret_bytes)
{
	CLEANUP_FREE char *text = NULL;
	struct kerntext_swap line;
	const char *cursor;
	struct stat st;
	bool there = fstatat(root, relative(path), &st, 0) == 0;
	int r = sysread_text(root, &text, "proc/swaps");

	if (r < 0)
		return r;
	for (cursor = text; (r = kerntext_swap(&cursor, &line)) == 0;) {
		if (strcmp(line.path, path) && !is_deleted(line.path, path) &&
		    !(there && leads_to(root, line.path, &st)))
			continue;
		*ret_bytes = line.used_bytes;
		return 0;
	}
	return r;
}

static const char *find_mkswap(void)
{
	static const char *const places[] = {"/sbin/mkswap", "/usr/sbin/mkswap"};

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (access(places[i], X_OK) == 0)
			return places[i];
	return NULL;
}

/* What a program says, up to size; the rest is read and dropped, so that it is never blocked. */
static void read_message(int fd, char *buf, size_t size)
{
	char piece[MESSAGE_BYTES];
	size_t len = 0;
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) > 0 || (n < 0 && errno == EINTR))
		for (ssize_t i = 0; i < n && len < size - 1; i++)
			buf[len++] = piece[i];
	while (len && buf[len - 1] == '\n')
		len--;
	buf[len] = '\0';
}

/* Runs it with target as PASSED_FD; its exit status (127: not started) and its messages. */
static int run_mkswap(const char *program, int target, char message[MESSAGE_BYTES])
{
	char path[] = "/proc/self/fd/3", label[] = SWAP_LABEL, name[] = "mkswap", option[] = "-L";
	char *argv[] = {name, option, label, path, NULL};
	char locale[] = "LC_ALL=C", *env[] = {locale, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2], status, r;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
	posix_spawn_file_actions_adddup2(&actions, target, PASSED_FD);
	r = -posix_spawn(&pid, program, &actions, NULL, argv, env);
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	if (r == 0)
		read_message(ends[0], message, MESSAGE_BYTES);
	close(ends[0]);
	if (r < 0)
		return r;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -errno;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* Is it a file of swap_file_make's, itself and not through a link? */
static bool is_our_file(int root, const char *path, const struct stat *open)
{
	const char *slash = strrchr(path, '/');
	struct stat named;

	return slash && strncmp(slash + 1, "snug-swap-", 10) == 0 && S_ISREG(open->st_mode) &&
	       open->st_uid == geteuid() && open->st_nlink == 1 &&
	       fstatat(root, relative(path), &named, AT_SYMLINK_NOFOLLOW) == 0 &&
	       named.st_dev == open->st_dev && named.st_ino == open->st_ino;
}

static bool is_zram(int root, dev_t device)
{
	char path[64];

	snprintf(path, sizeof(path), "sys/dev/block/%u:%u/mm_stat", major(device), minor(device));
	return sysread_exists(root, path);
}

static int check_target(int root, const char *path, int fd, struct err *e)
{
	uint64_t bytes;
	struct stat st;

	if (fstat(fd, &st) < 0)
		return err_failed(e, -errno, "cannot look at %s: %s", path, err_name(-errno));
	if (swap_used(root, path, &bytes) == 0)
		return err_failed(e, -EBUSY, "%s is in use as swap", path);
	if (is_our_file(root, path, &st) || (S_ISBLK(st.st_mode) && is_zram(root, st.st_rdev)))
		return 0;
	if (S_ISBLK(st.st_mode))
		return swap_device_check(root, path, &bytes, e);
	return err_failed(e, -EPERM, "%s is not a swap file that snug made: not formatted", path);
}

int swap_format(int root, const char *path, struct err *e)
{
	const char *program = find_mkswap();
	char message[MESSAGE_BYTES] = "";
	CLEANUP_CLOSE int fd = -1;
	int r;

	if (!program)
		return err_missing(e, -ENOENT,
				   "there is no /sbin/mkswap; install util-linux, which has it");
	fd = openat(root, relative(path), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return err_failed(e, -errno, "cannot open %s to format it: %s", path,
				  err_name(-errno));
	r = check_target(root, path, fd, e);
	if (r < 0)
		return r;
	r = run_mkswap(program, fd, message);
	for (int i = 1; r > 0 && strstr(message, err_name(-EBUSY)) && i < FORMAT_TRIES; i++) {
		sleep_step();
		r = run_mkswap(program, fd, message);
	}
	if (r < 0)
		return err_failed(e, r, "cannot run %s: %s", program, err_name(r));
	return r > 0 ? err_failed(e, -EIO, "cannot format %s as swap: %s", path, message) : 0;
}

int swap_on(struct undo *u, const char *path, int priority, struct err *e)
{
	struct undo_entry entry = {.action = UNDO_SWAPOFF};
	char below_root[64 + UNDO_PATH_MAX];
	int r;

	if (priority < 0 || priority > SWAP_FLAG_PRIO_MASK)
		return err_usage(e, -ERANGE, "the priority of swap is 0 to %d, not %d",
				 SWAP_FLAG_PRIO_MASK, priority);
	if ((size_t)snprintf(entry.path, sizeof(entry.path), "%s", relative(path)) >=
	    sizeof(entry.path))
		return err_usage(e, -ENAMETOOLONG, "the name %s is too long", path);
	r = undo_note(u, &entry, e);
	if (r < 0)
		return r;
	snprintf(below_root, sizeof(below_root), "/proc/self/fd/%d/%s", undo_root(u), entry.path);
	if (swapon(below_root, SWAP_FLAG_PREFER | priority) == 0)
		return 0;
	r = -errno;
	if (r == -EPERM)
		return err_missing(e, r, "swapping on %s needs root; run this as root (sudo)",
				   path);
	if (r == -EINVAL)
		return err_missing(e, r,
				   "the kernel cannot swap on %s: its file system does not "
				   "support it, or it is not formatted; give another folder",
				   path);
	return err_failed(e, r, "cannot swap on %s: %s", path, err_name(r));
}

/* The child's exit status is errno. It keeps nothing of ours open, a journal's lock above all. */
static pid_t spawn_swapoff(int root, const char *path)
{
	sigset_t all, before;
	pid_t pid;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = fork();
	if (pid == 0) {
		if (fchdir(root) < 0)
			_exit(errno);
		close_range(0, ~0u, 0);
		_exit(swapoff(relative(path)) < 0 ? errno : 0);
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return pid < 0 ? -errno : pid;
}

/* One wait for the child: 1 once it has ended, with its result. */
static int reap(pid_t pid, int flags, int *ret_result)
{
	int status;
	pid_t done = waitpid(pid, &status, flags);

	if (done == 0 || (done < 0 && errno == EINTR))
		return 0;
	if (done < 0)
		*ret_result = -errno;
	else
		*ret_result = WIFEXITED(status) ? -WEXITSTATUS(status) : -EINTR;
	return 1;
}

/* Its result: swapoff's, or why it was killed; one that was done in time nevertheless is done. */
static int watch_swapoff(pid_t pid, int root, const char *path, uint64_t used, unsigned limit_ms,
			 swap_progress *progress, void *arg)
{
	uint64_t until = clock_now_ns() + (uint64_t)limit_ms * 1000000, left = used;
	int killed = 0, r;

	while (!reap(pid, WNOHANG, &r)) {
		if (clock_now_ns() >= until)
			killed = -ETIMEDOUT;
		else if (progress && swap_used(root, path, &left) == 0 && left <= used &&
			 progress(arg, used - left, used))
			killed = -EINTR;
		if (killed)
			break;
		sleep_step();
	}
	if (!killed)
		return r == -EINTR ? -ENOMEM : r;
	kill(pid, SIGKILL);
	while (!reap(pid, 0, &r))
		;
	return r == 0 ? 0 : killed;
}

static int explain_swapoff(int code, int root, const char *path, struct err *e)
{
	char size[UNITS_SIZE_MAX];
	uint64_t used = 0;

	swap_used(root, path, &used);
	units_format_size(used, size);
	switch (code) {
	case -ETIMEDOUT:
		return err_failed(e, code,
				  "swapoff %s takes too long and was given up, with %s still on "
				  "it; it goes on swapping",
				  path, size);
	case -EINTR:
		return err_failed(e, code, "swapoff %s was stopped, with %s still on it", path,
				  size);
	case -ENOMEM:
		return err_failed(e, code,
				  "there is not enough RAM for the %s on %s: end some programs, "
				  "then run 'swapoff %s'",
				  size, path, path);
	case -EPERM:
		return err_missing(e, code, "swapoff %s needs root; run this as root (sudo)", path);
	case -ENOENT:
		return err_failed(e, code,
				  "%s is in use as swap, but that name is gone; run swapoff with "
				  "another name of the device",
				  path);
	default:
		return err_failed(e, code, "cannot turn off swap on %s: %s", path, err_name(code));
	}
}

int swap_off(int root, const char *path, unsigned limit_ms, swap_progress *progress, void *arg,
	     struct err *e)
{
	uint64_t used = 0;
	pid_t pid;
	int r = swap_used(root, path, &used);

	if (r == -ENOENT)
		return 0;
	/* Whatever else is wrong with /proc/swaps, the kernel knows. */
	pid = spawn_swapoff(root, path);
	if (pid < 0)
		return err_failed(e, pid, "cannot start swapoff: %s", err_name(pid));
	r = watch_swapoff(pid, root, path, used, limit_ms, progress, arg);
	if (r == 0 || r == -EINVAL)
		return 0; /* -EINVAL: not swap any more */
	return explain_swapoff(r, root, path, e);
}
