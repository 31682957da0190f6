/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel zram devices of our own: added, set up, read and removed again. No existing device is ever
 * touched.
 *
 * root is an open "/", or a tree that looks like one (tests). All functions here may be called from
 * one thread a device.
 *
 * Whoever adds a device removes it, on every way out; zram_remove takes a zeroed struct and one
 * removed already, so it can stand in the cleanup of whatever holds the struct. Signals are the
 * caller's: catch them, leave the loops, and let the cleanup run. For kill -9 see zram_recover.
 *
 * Errors: ERR_MISSING when the kernel has no zram, lacks the algorithm, or root is needed.
 */
#ifndef SNUG_HOST_ZRAM_H
#define SNUG_HOST_ZRAM_H

#include "kerntext.h"
#include "zram_record.h"

#include <stdbool.h>
#include <stdint.h>

struct zram_device {
	bool present;
	int root; /* borrowed */
	int id;
	unsigned patience_ms; /* how long to wait for what is missing or busy; zram_add sets 5000 */
	struct zram_record record;
};

/* A device on /sys/class/zram-control/hot_add's terms: new, without algorithm or size of ours. */
int zram_add(int root, struct zram_device *ret, struct err *e);

/* Only before the size is set. An unknown one is an error that lists what this kernel offers. */
int zram_set_algorithm(const struct zram_device *d, const char *name, struct err *e);
int zram_set_size(const struct zram_device *d, uint64_t bytes, struct err *e);
/* Once the size is set: what it may use of RAM. Writes beyond fail. */
int zram_set_mem_limit(const struct zram_device *d, uint64_t bytes, struct err *e);

/*
 * Opens /dev/zramN for direct I/O, once it is there and free, and only if it is the block device
 * that sysfs says. Buffers, offsets and lengths are then multiples of 4096. To be closed before
 * zram_remove.
 */
int zram_open(const struct zram_device *d, int *ret_fd, struct err *e);

int zram_read_stat(const struct zram_device *d, struct kerntext_mm_stat *ret, struct err *e);

/* Resets and removes it, waiting while udev or the like have it open. */
int zram_remove(struct zram_device *d, struct err *e);

/* Removes devices that processes of this program left when they were killed; see zram_record.h. */
void zram_recover(int root);

#endif
