/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/PID/mountinfo: proc_pid_mountinfo(5). */
#ifndef SNUG_HOST_MOUNTINFO_H
#define SNUG_HOST_MOUNTINFO_H

#include <stdbool.h>
#include <stdint.h>

struct mountinfo {
	int64_t id;
	unsigned major, minor;
	/* Within the text, octal escapes resolved. */
	const char *point, *type, *source, *options; /* the super block's options */
};

/*
 * The next mount of the text that *cursor is at; false at the end. Cuts the text up; a line that is
 * not as it should be is passed over.
 */
bool mountinfo_next(char **cursor, struct mountinfo *ret);

/* Is word one of the options? */
bool mountinfo_has_option(const struct mountinfo *m, const char *word);

#endif
