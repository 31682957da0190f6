/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any program, with its own arguments, environment and working directory: the caller's. */
#include "ops.h"

#include "err.h"
#include "process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

struct command {
	const char *name;
	char **argv; /* [0] is the file; the rest is the request's, which outlives this */
};

static void command_destroy(void *workload)
{
	struct command *c = workload;

	if (!c)
		return;
	if (c->argv)
		free(c->argv[0]);
	free(c->argv);
	free(c);
}

static struct command *command_alloc(char *const *argv)
{
	struct command *c = calloc(1, sizeof(*c));
	size_t n = 0;

	if (!c)
		return NULL;
	while (argv[n])
		n++;
	c->name = argv[0];
	c->argv = calloc(n + 1, sizeof(*argv));
	if (c->argv) {
		memcpy(c->argv, argv, n * sizeof(*argv));
		c->argv[0] = NULL;
		return c;
	}
	command_destroy(c);
	return NULL;
}

static int command_prepare(const struct workload_request *q, void **ret, struct err *e)
{
	struct command *c;
	int r;

	if (!q->command || !q->command[0])
		return err_usage(e, -EINVAL,
				 "the workload 'command' needs a command; write it after --");
	c = command_alloc(q->command);
	r = c ? process_find(c->name, &c->argv[0]) : -ENOMEM;
	if (r == 0) {
		*ret = c;
		return 0;
	}
	command_destroy(c);
	if (r == -ENOMEM)
		return err_failed(e, r, "out of memory");
	return err_usage(e, r, "cannot run the command '%s': %s", q->command[0],
			 r == -ENOENT ? "there is no such program"
				      : "it is not an executable file");
}

static int command_run(void *workload, struct workload_share *share)
{
	struct command *c = workload;
	char ending[PROCESS_ENDING_MAX];
	int status, r;
	pid_t pid;

	share->total = 1;
	r = process_start(c->argv, environ, -1, &pid);
	if (r < 0) {
		snprintf(share->failure, sizeof(share->failure), "cannot start %s: %s", c->name,
			 err_name(r));
		return EXIT_FAILURE;
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (status)
		snprintf(share->failure, sizeof(share->failure), "%s %s", c->name,
			 process_ending(status, ending));
	else
		share->done = 1;
	return process_exit_status(status);
}

const struct workload_ops workload_command = {
	.name = "command",
	.about = "any program, given after --",
	.prepare = command_prepare,
	.run = command_run,
	.destroy = command_destroy,
};
