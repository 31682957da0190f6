/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process.h"

#include "cleanup.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int check_executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -ENOENT;
	return S_ISREG(st.st_mode) && access(path, X_OK) == 0 ? 0 : -EACCES;
}

/* name in the first folder of list, up to its colon; an empty one is the current folder. */
static char *join(const char *list, size_t len, const char *name)
{
	char *path;

	if (asprintf(&path, "%.*s%s%s", (int)len, list, len ? "/" : "./", name) < 0)
		return NULL;
	return path;
}

int process_find(const char *name, char **ret_path)
{
	const char *list = strchr(name, '/') ? "" : getenv("PATH");
	int result = -ENOENT;

	if (strchr(name, '/')) {
		result = check_executable(name);
		if (result == 0 && !(*ret_path = strdup(name)))
			return -ENOMEM;
		return result;
	}
	for (list = list ? list : PROCESS_PATH; *name && list; list = strchr(list, ':')) {
		CLEANUP_FREE char *path = NULL;
		int r;

		list += *list == ':';
		path = join(list, strcspn(list, ":"), name);
		r = path ? check_executable(path) : -ENOMEM;
		if (r == 0)
			*ret_path = TAKE(path);
		if (r == 0 || r == -ENOMEM)
			return r;
		if (r == -EACCES)
			result = r;
	}
	return result;
}

int process_start(char *const argv[], char *const env[], int output, pid_t *ret)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int r;

	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
	if (output >= 0) {
		posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
		posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
	}
	r = -posix_spawn(ret, argv[0], &actions, &attributes, argv, env);
	posix_spawnattr_destroy(&attributes);
	posix_spawn_file_actions_destroy(&actions);
	return r;
}

int process_exit_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

const char *process_ending(int status, char buf[PROCESS_ENDING_MAX])
{
	const char *name;

	if (!WIFSIGNALED(status)) {
		snprintf(buf, PROCESS_ENDING_MAX, "ended with exit status %d", WEXITSTATUS(status));
		return buf;
	}
	name = sigabbrev_np(WTERMSIG(status));
	snprintf(buf, PROCESS_ENDING_MAX, "was killed by signal %d%s%s%s", WTERMSIG(status),
		 name ? " (SIG" : "", name ? name : "", name ? ")" : "");
	return buf;
}
