/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Other programs: found, started, and how they ended. */
#ifndef SNUG_WORKLOAD_PROCESS_H
#define SNUG_WORKLOAD_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

/* What PATH is where the environment has none. */
#define PROCESS_PATH "/usr/local/bin:/usr/bin:/bin"

/*
 * The executable file that a shell would run for name, to be freed; -EACCES: there is one, but it
 * may not be executed; -ENOENT: there is none.
 */
int process_find(const char *name, char **ret_path);

/*
 * Runs the file argv[0] in a process group of its own, in this session. stdout and stderr go to
 * output, or, if that is -1, where the caller's go. -errno if it can't be executed.
 */
int process_start(char *const argv[], char *const env[], int output, pid_t *ret);

/* Of wait's status: as a shell's $?; and as the end of a sentence, whose subject is the program. */
int process_exit_status(int status);
#define PROCESS_ENDING_MAX 64
const char *process_ending(int status, char buf[PROCESS_ENDING_MAX]);

#endif
