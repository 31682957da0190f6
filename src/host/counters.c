/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "counters.h"

#include "cleanup.h"
#include "fields.h"
#include "sysread.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { SECTOR = 512 };

/* The numbers up to the line's end, at most `most`; how many, or -EBADMSG. Later columns than
 * those known are let be. */
static int take_numbers(const char *p, int64_t *values, int most)
{
	int n = 0;

	while (n < most && fields_number(&p, &values[n]))
		n++;
	return n == most || p[strspn(p, " \t")] == '\n' || !p[strspn(p, " \t")] ? n : -EBADMSG;
}

int counters_parse_cpu(const char *text, struct counters_cpu *ret)
{
	/* What Linux 2.4 had, and all there is today but the guests', which user and nice include.
	 */
	enum { USER, NICE, SYSTEM, IDLE, LEAST, IOWAIT = LEAST, IRQ, SOFTIRQ, STEAL, COLUMNS };
	int64_t v[COLUMNS] = {0};

	if (strncmp(text, "cpu ", 4) || take_numbers(text + 4, v, COLUMNS) < LEAST)
		return -EBADMSG;
	*ret = (struct counters_cpu){
		.user = (uint64_t)v[USER],
		.nice = (uint64_t)v[NICE],
		.system = (uint64_t)v[SYSTEM] + (uint64_t)v[IRQ] + (uint64_t)v[SOFTIRQ],
		.iowait = (uint64_t)v[IOWAIT],
		.steal = (uint64_t)v[STEAL],
		.idle = (uint64_t)v[IDLE],
	};
	return 0;
}

int counters_cpu(int root, struct counters_cpu *ret)
{
	CLEANUP_FREE char *text = NULL;
	int r = sysread_text(root, &text, "proc/stat");

	return r < 0 ? r : counters_parse_cpu(text, ret);
}

int counters_parse_disk(const char *text, struct counters_disk *ret)
{
	enum { READS, READ_SECTORS = 2, WRITES = 4, WRITE_SECTORS = 6, BUSY = 9, COLUMNS = 11 };
	int64_t v[COLUMNS];

	if (take_numbers(text, v, COLUMNS) < COLUMNS || v[READ_SECTORS] > INT64_MAX / SECTOR ||
	    v[WRITE_SECTORS] > INT64_MAX / SECTOR)
		return -EBADMSG;
	*ret = (struct counters_disk){
		.reads = (uint64_t)v[READS],
		.read_bytes = (uint64_t)v[READ_SECTORS] * SECTOR,
		.writes = (uint64_t)v[WRITES],
		.write_bytes = (uint64_t)v[WRITE_SECTORS] * SECTOR,
		.busy_ms = (uint64_t)v[BUSY],
	};
	return 0;
}

int counters_disk(int root, const char *name, struct counters_disk *ret)
{
	CLEANUP_FREE char *text = NULL;
	char folder[NAME_MAX + 1];
	int r;

	if (!*name || (size_t)snprintf(folder, sizeof(folder), "%s", name) >= sizeof(folder))
		return -ENOENT;
	/* As sysfs writes "cciss/c0d0". */
	for (char *slash = folder; (slash = strchr(slash, '/'));)
		*slash = '!';
	r = sysread_text(root, &text, "sys/class/block/%s/stat", folder);
	return r < 0 ? r : counters_parse_disk(text, ret);
}

int counters_parse_vm(const char *text, struct counters_vm *ret)
{
	static const struct {
		const char *key;
		size_t member;
	} rows[] = {
		{"pswpin", offsetof(struct counters_vm, pswpin)},
		{"pswpout", offsetof(struct counters_vm, pswpout)},
		{"pgmajfault", offsetof(struct counters_vm, pgmajfault)},
		{"swap_ra", offsetof(struct counters_vm, swap_ra)},
		{"zswpin", offsetof(struct counters_vm, zswpin)},
		{"zswpout", offsetof(struct counters_vm, zswpout)},
		{"zswpwb", offsetof(struct counters_vm, zswpwb)},
	};
	struct counters_vm v;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int64_t *value = (int64_t *)((char *)&v + rows[i].member);
		int r = fields_of_key(text, rows[i].key, value);

		if (r == -ENOENT)
			*value = -1;
		else if (r < 0)
			return r;
	}
	*ret = v;
	return 0;
}

int counters_vm(int root, struct counters_vm *ret)
{
	CLEANUP_FREE char *text = NULL;
	int r = sysread_text(root, &text, "proc/vmstat");

	return r < 0 ? r : counters_parse_vm(text, ret);
}
