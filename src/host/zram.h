/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel zram devices of our own: added, set up, read and removed again. No existing device is ever
 * touched.
 *
 * Adding one is journaled (undo.h), so it is removed by undo_back on every ordinary way out, and by
 * undo_recover after kill -9. All other functions may be called from one thread a device.
 *
 * Errors: ERR_MISSING when the kernel has no zram, lacks the algorithm or the attribute, or root is
 * needed.
 */
#ifndef SNUG_HOST_ZRAM_H
#define SNUG_HOST_ZRAM_H

#include "kerntext.h"

#include <stdint.h>

struct err;
struct undo;

struct zram_device {
	int root; /* borrowed */
	int id;
	unsigned patience_ms; /* how long to wait for what is missing or busy; zram_add sets 5000 */
};

/* A device on /sys/class/zram-control/hot_add's terms: new, without algorithm or size of ours. */
int zram_add(struct undo *u, struct zram_device *ret, struct err *e);

/* Only before the size is set. An unknown one is an error that lists what this kernel offers. */
int zram_set_algorithm(const struct zram_device *d, const char *name, struct err *e);
/* After the algorithm, before the size: "level=3". */
int zram_set_params(const struct zram_device *d, const char *params, struct err *e);
/* Before the size: the block device that writeback goes to. */
int zram_set_backing(const struct zram_device *d, const char *path, struct err *e);
int zram_set_size(const struct zram_device *d, uint64_t bytes, struct err *e);
/* Once the size is set: what it may use of RAM. Writes beyond fail. */
int zram_set_mem_limit(const struct zram_device *d, uint64_t bytes, struct err *e);

/* Marks all pages idle; those not touched until then are what writeback "idle" takes. */
int zram_mark_idle(const struct zram_device *d, struct err *e);
/* mode: "idle", "huge", ... */
int zram_writeback(const struct zram_device *d, const char *mode, struct err *e);

/*
 * Opens /dev/zramN for direct I/O, once it is there and free, and only if it is the block device
 * that sysfs says. Buffers, offsets and lengths are then multiples of 4096. To be closed before
 * the device is removed.
 */
int zram_open(const struct zram_device *d, int *ret_fd, struct err *e);

int zram_read_stat(const struct zram_device *d, struct kerntext_mm_stat *ret, struct err *e);

/*
 * What the journal's entries do. Reset and removal wait while udev or the like have the device
 * open; 0 if it is gone. zram_remove_added: the one device that is neither in `before` ("0,1") nor
 * set up; if there are several, none is touched, for nobody can tell which is ours.
 */
int zram_remove_id(int root, int id, unsigned patience_ms);
int zram_remove_added(int root, const char *before, unsigned patience_ms);

#endif
