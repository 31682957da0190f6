/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can go wrong between fork and the work: the race may be gone before PR_SET_PDEATHSIG is set,
 * so its pid is compared; descriptors of the race's journal must not stay open here, or its lock
 * would outlive it; the race's signal handlers would only raise a flag that nobody here looks at.
 *
 * The group is not the race's: it is entered by the child, so that nothing is charged to the group
 * that the race itself allocated.
 */
#include "child.h"

#include "cgroup.h"
#include "cleanup.h"
#include "err.h"
#include "knob.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NO_START = 125 }; /* as env(1) and timeout(1) say that they could not begin */

static void default_signals(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};

	for (size_t i = 0; i < sizeof(caught) / sizeof(caught[0]); i++)
		signal(caught[i], SIG_DFL);
}

/* Descriptors 0 to 2 and no more. */
static int redirect(int output)
{
	int null = open("/dev/null", O_RDONLY);

	if (null < 0 || dup2(null, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
		return -errno;
	if (syscall(SYS_close_range, 3, ~0u, 0) == 0)
		return 0;
	for (int fd = 3, most = (int)sysconf(_SC_OPEN_MAX); fd < most; fd++)
		close(fd);
	return 0;
}

static int prepare(int root, pid_t race, const struct cgroup *group, int output)
{
	int r;

	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return -errno;
	if (getppid() != race)
		return -ESRCH;
	setsid();
	default_signals();
	r = cgroup_enter(group);
	/* Not vital: without /proc there is no way to offer oneself. */
	knob_write(root, 0, "1000", "proc/self/oom_score_adj");
	return r < 0 ? r : redirect(output);
}

int child_start(int root, const struct cgroup *group, const struct workload_ops *workload,
		void *work, struct workload_share *share, int output, struct child *ret,
		struct err *e)
{
	pid_t race = getpid(), pid = fork();

	if (pid < 0)
		return err_failed(e, -errno, "cannot start a process: %s", err_name(-errno));
	if (pid == 0)
		_exit(prepare(root, race, group, output) < 0 ? NO_START
							     : workload->run(work, share));
	*ret = (struct child){.pid = pid, .pidfd = (int)syscall(SYS_pidfd_open, pid, 0)};
	return 0;
}

bool child_ended(const struct child *c, int ms)
{
	struct pollfd poll_fd = {.fd = c->pidfd, .events = POLLIN};
	siginfo_t info = {0};

	/* Without pidfds (Linux before 5.3), a timer that looks often enough. */
	if (c->pidfd < 0)
		poll(NULL, 0, ms < 5 ? ms : 5);
	else
		poll(&poll_fd, 1, ms);
	return waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
	       info.si_pid == c->pid;
}

static double seconds(const struct timeval *t)
{
	return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

static int status_of(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

int child_finish(struct child *c, const struct cgroup *group, struct err *e)
{
	struct rusage use;
	int status, r;
	pid_t pid;

	r = cgroup_kill(group, e);
	kill(c->pid, SIGKILL); /* it may not have come as far as the group */
	while ((pid = wait4(-1, &status, 0, &use)) > 0 || errno == EINTR) {
		if (pid < 0)
			continue;
		c->user_s += seconds(&use.ru_utime);
		c->system_s += seconds(&use.ru_stime);
		if (pid == c->pid)
			c->exit_status = status_of(status);
	}
	if (c->pidfd >= 0)
		close(c->pidfd);
	c->pidfd = -1;
	return r;
}
