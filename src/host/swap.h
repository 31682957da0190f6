/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Swap space of snug's own: files that it makes, and devices that were given to it (their label is
 * "snug"). mkswap(8) formats, libblkid looks what is there; nothing else is ever formatted.
 */
#ifndef SNUG_HOST_SWAP_H
#define SNUG_HOST_SWAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct undo;

#define SWAP_LABEL "snug"

/* Told while long work goes on; returns true to stop it (-EINTR). May be NULL. */
typedef bool swap_progress(void *arg, uint64_t done_bytes, uint64_t total_bytes);

/*
 * A file of real blocks: mode 0600, no holes (fully written, synced), not compressed and not copied
 * on write (FS_NOCOW_FL) where the file system knows that. New: an existing path and symbolic links
 * are refused. Its removal is journaled, before it has its name. ret_path: where it is, below
 * `directory` (absolute), named snug-swap-PID-N. ERR_FAILED when the disk is full (with what is
 * free; nothing is left behind), ERR_MISSING on file systems that can't hold swap (tmpfs, overlay,
 * NFS, ...).
 */
int swap_file_make(struct undo *u, const char *directory, uint64_t bytes, swap_progress *progress,
		   void *arg, char *ret_path, size_t ret_size, struct err *e);

/*
 * May snug swap on this block device? Only if it is swap space with label "snug", and neither
 * mounted, nor in use as swap, nor held by another driver. -EBUSY or -EPERM with a sentence that
 * says what is on it and how to give it to snug (`mkswap -L snug`). ret_bytes: its size.
 */
int swap_device_check(int root, const char *path, uint64_t *ret_bytes, struct err *e);

/* mkswap on what snug made: its file, or its zram device. Waits while udev has it open. */
int swap_format(int root, const char *path, struct err *e);

/* swapon at that priority (0 to 32767, the highest is used first), journaled. */
int swap_on(struct undo *u, const char *path, int priority, struct err *e);

/*
 * swapoff, which reads everything back and so may take long: tells of it, gives up after limit_ms
 * (-ETIMEDOUT, swapping goes on). 0 if it is not swap now.
 */
int swap_off(int root, const char *path, unsigned limit_ms, swap_progress *progress, void *arg,
	     struct err *e);

/* Bytes of swap in use on that path; -ENOENT if it is not swap. path as /proc/swaps has it. */
int swap_used(int root, const char *path, uint64_t *ret_bytes);

#endif
