/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which zram devices this program added, so that one killed by kill -9 leaves a device behind for
 * no longer than until the next run. Private to zram.c and its tests.
 *
 * A record is a file /run/snug/zram-PID that its process keeps locked (flock) as long as it lives:
 * the kernel lets go of the lock however the process ends, so "is it dead?" needs no guess about
 * reused process ids. It names the boot, the device's number, and the inode of its directory in
 * sysfs, which the kernel does not give out twice in a boot: a number alone may by then be another
 * program's device.
 *
 * Between the kernel's making of a device and the line in the record lie some microseconds in which
 * kill -9 still leaves it behind; nothing can name a device before it exists.
 *
 * root is an open "/", or a tree that looks like one.
 */
#ifndef SNUG_HOST_ZRAM_RECORD_H
#define SNUG_HOST_ZRAM_RECORD_H

struct err;

struct zram_record {
	int fd; /* holds the lock */
	char path[64];
};

/* A locked and empty record, before there is a device; makes /run/snug if need be. */
int zram_record_begin(int root, struct zram_record *ret, struct err *e);
/* Notes the device that now exists. */
int zram_record_device(int root, struct zram_record *r, int id, struct err *e);
/* The device is gone, or never was. */
void zram_record_end(int root, struct zram_record *r);
/* The device could not be removed: the next run shall try. */
void zram_record_leave(struct zram_record *r);

/*
 * Calls remove for each device on record whose process is dead and which is still the same device,
 * and drops the records of those that are gone. Silent: what can't be done now is for the next
 * time.
 */
void zram_record_recover(int root, int (*remove)(int root, int id));

#endif
