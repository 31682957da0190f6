/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A loop device over a file, for what takes block devices only. */
#ifndef SNUG_HOST_LOOP_H
#define SNUG_HOST_LOOP_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct undo;

/*
 * A free loop device with direct I/O where the file allows it; journaled before it is attached.
 * ret_path: "/dev/loopN". ERR_MISSING without loop devices or root.
 */
int loop_attach(struct undo *u, const char *file, char *ret_path, size_t ret_size, struct err *e);

/* Detaches loopN if what backs it is that inode of that device (st_dev); 0 if it is not, or is
 * free. */
int loop_detach(int root, unsigned number, uint64_t device, uint64_t inode, struct err *e);

#endif
