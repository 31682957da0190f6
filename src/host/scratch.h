/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder for files that are needed for a while. */
#ifndef SNUG_HOST_SCRATCH_H
#define SNUG_HOST_SCRATCH_H

#include <stddef.h>

struct err;
struct undo;

/* parent/snug-PID-RANDOM, mode 0700; its removal, with all that is in it, is journaled. parent:
 * absolute. */
int scratch_make(struct undo *u, const char *parent, char *ret_path, size_t ret_size,
		 struct err *e);

/*
 * Removes the folder and all below it, if it is one that scratch_make made: a folder of this user
 * with such a name. Symbolic links are removed, never followed; other file systems are not entered.
 * path: relative to root. 0 if there is none.
 */
int scratch_remove(int root, const char *path, struct err *e);

#endif
