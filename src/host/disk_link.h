/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How fast the way to a disk can be at most. */
#ifndef SNUG_HOST_DISK_LINK_H
#define SNUG_HOST_DISK_LINK_H

struct disk;

/* Sets link and link_bytes_per_s, if anything is known, to the slowest link above folder, which is
 * the disk's or its controller's below sys/devices. */
void disk_link_read(int root, const char *folder, struct disk *d);

#endif
