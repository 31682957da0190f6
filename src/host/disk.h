/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a file or a swap device is stored on, as far as sysfs tells. */
#ifndef SNUG_HOST_DISK_H
#define SNUG_HOST_DISK_H

#include <stdint.h>

struct disk {
	char name[32];	     /* the whole disk, "nvme0n1"; empty: not on a block device */
	char partition[32];  /* what /proc/diskstats counts for it: "nvme0n1p2", or the name */
	char filesystem[32]; /* "ext4"; empty for a device */
	char model[64];
	char media[16]; /* "hdd", "ssd", "nvme", "sd", "emmc", "zram", "loop", "virtual"; empty */
	char link[48];	/* "PCIe 8.0 GT/s x4", "USB 480 Mb/s", "SATA 6.0 Gb/s"; empty: unknown */
	int64_t link_bytes_per_s; /* at most, after encoding, over every upstream link; -1: unknown
				   */
	int64_t size_bytes;
};

/* path: a file, a folder, or a block device. 0 with empty fields for what is not known; -errno if
 * the path is not there. */
int disk_of(int root, const char *path, struct disk *ret);

#endif
