/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel counts since boot: CPU time, block device traffic, paging. A sampler subtracts
 * two readings. The parsers of the texts are strict, as those of kerntext.h: -EBADMSG.
 */
#ifndef SNUG_HOST_COUNTERS_H
#define SNUG_HOST_COUNTERS_H

#include <stdint.h>

/* The "cpu" line of /proc/stat in ticks (USER_HZ); iostat's groups. */
struct counters_cpu {
	uint64_t user, nice, system /* with irq and softirq */, iowait, steal, idle;
};

int counters_cpu(int root, struct counters_cpu *ret);
int counters_parse_cpu(const char *text, struct counters_cpu *ret);

/* /sys/block/X/stat or a partition's: Documentation/block/stat.rst. Sectors of 512 become bytes. */
struct counters_disk {
	uint64_t reads, read_bytes, writes, write_bytes, busy_ms;
};

/* name: as /proc/diskstats has it ("vda1", "zram1"). -ENOENT. */
int counters_disk(int root, const char *name, struct counters_disk *ret);
int counters_parse_disk(const char *text, struct counters_disk *ret);

/* /proc/vmstat; -1 where this kernel does not have it. */
struct counters_vm {
	int64_t pswpin, pswpout, pgmajfault, swap_ra; /* pages */
	int64_t zswpin, zswpout, zswpwb;
};

int counters_vm(int root, struct counters_vm *ret);
int counters_parse_vm(const char *text, struct counters_vm *ret);

#endif
