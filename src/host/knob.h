/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one way in which snug writes to /proc and /sys. Paths are relative to the root. */
#ifndef SNUG_HOST_KNOB_H
#define SNUG_HOST_KNOB_H

struct err;
struct undo;

/*
 * An attribute of what snug itself made and will remove: its own zram device, its own cgroup. Not
 * journaled. Tried again for patience_ms while it is -EBUSY.
 */
int knob_write(int root, unsigned patience_ms, const char *value, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * A setting of the machine: its old value is read and journaled, then the new one is written and
 * read back. Of a choice ("lzo [lz4]") the bracketed word counts. Nothing is done if it has that
 * value. ERR_MISSING where this kernel lacks it or root is needed.
 */
int knob_set(struct undo *u, const char *path, const char *value, struct err *e);

#endif
