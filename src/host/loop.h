/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop device over a file, for what takes block devices only. */
#ifndef SNUG_HOST_LOOP_H
#define SNUG_HOST_LOOP_H

#include <stddef.h>

struct err;
struct undo;

/*
 * A free loop device with direct I/O where the file allows it; journaled before it is attached.
 * ret_path: "/dev/loopN". ERR_MISSING without loop devices or root.
 */
int loop_attach(struct undo *u, const char *file, char *ret_path, size_t ret_size, struct err *e);

#endif
