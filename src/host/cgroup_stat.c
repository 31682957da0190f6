/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a control group has used. A table for each version: the file, the key in it, the member.
 * Reading memory.stat makes the kernel add up all CPUs, so each file is read once.
 */
#include "cgroup.h"

#include "cleanup.h"
#include "fields.h"
#include "kerntext.h"
#include "psi.h"
#include "sysread.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

struct row {
	const char *file, *key; /* key NULL: the file is one number */
	size_t member;
	int64_t unit;
};

#define ROW(file, key, member) ROW_IN(file, key, member, 1)
#define ROW_IN(file, key, member, unit)                                \
	{                                                              \
		file, key, offsetof(struct cgroup_stat, member), unit, \
	}

/* Rows of one file stand together. */
static const struct row rows_v1[] = {
	ROW("memory.usage_in_bytes", NULL, usage_bytes),
	ROW("memory.max_usage_in_bytes", NULL, peak_bytes),
	ROW("memory.stat", "total_rss", anon_bytes),
	ROW("memory.stat", "total_cache", file_bytes),
	ROW("memory.stat", "total_swap", swap_bytes),
	ROW("memory.stat", "total_pgmajfault", major_faults),
	ROW("memory.oom_control", "oom_kill", oom_kills), /* since Linux 4.13 */
	{0},
};

static const struct row rows_v2[] = {
	ROW("memory.current", NULL, usage_bytes),
	ROW("memory.peak", NULL, peak_bytes), /* since Linux 5.19 */
	ROW("memory.swap.current", NULL, swap_bytes),
	ROW("memory.stat", "anon", anon_bytes),
	ROW("memory.stat", "file", file_bytes),
	ROW("memory.stat", "zswap", zswap_bytes),
	ROW("memory.stat", "pgmajfault", major_faults),
	ROW("memory.events", "oom_kill", oom_kills),
	ROW_IN("cpu.stat", "user_usec", user_ns, 1000),
	{0},
};

static int64_t value_of(const struct row *row, const char *text)
{
	int64_t value;
	int r = row->key ? fields_of_key(text, row->key, &value) : kerntext_number(text, &value);

	return r < 0 || value > INT64_MAX / row->unit ? -1 : value * row->unit;
}

static void read_rows(const struct cgroup *c, const struct row *row, struct cgroup_stat *s)
{
	while (row->file) {
		CLEANUP_FREE char *text = NULL;
		const char *file = row->file;
		int r = sysread_text(c->root, &text, "%s/%s", c->memory, file);

		for (; row->file && !strcmp(row->file, file); row++)
			if (r == 0)
				*(int64_t *)((char *)s + row->member) = value_of(row, text);
	}
}

/* utime of /proc/PID/stat, in ticks; 0 for one that has gone. */
static int64_t user_ticks(int root, int64_t pid)
{
	enum { STATE = 3, UTIME = 14 };
	CLEANUP_FREE char *text = NULL;
	int64_t ticks = 0;
	const char *p;
	char word[32];

	if (sysread_text(root, &text, "proc/%lld/stat", (long long)pid) < 0)
		return 0;
	/* The name is in brackets and may hold anything, brackets too. */
	p = strrchr(text, ')');
	if (!p)
		return 0;
	p++;
	for (int field = STATE; field < UTIME; field++)
		if (!fields_word(&p, word, sizeof(word)))
			return 0;
	return fields_number(&p, &ticks) ? ticks : 0;
}

/* v1 counts no CPU time with memory; its processes do. */
static int64_t sum_user_ns(const struct cgroup *c)
{
	CLEANUP_FREE char *procs = NULL;
	int64_t pid, second = sysconf(_SC_CLK_TCK);
	double s = 0;

	if (sysread_text(c->root, &procs, "%s/cgroup.procs", c->memory) < 0)
		return -1;
	for (const char *p = procs; *p; fields_next_line(&p))
		if (fields_number(&p, &pid))
			s += (double)user_ticks(c->root, pid) / (double)second;
	return s < 1e9 ? (int64_t)(s * 1e9) : -1;
}

void cgroup_read(const struct cgroup *c, struct cgroup_stat *ret)
{
	struct cgroup_stat s = {-1, -1, -1, -1, -1, -1, -1, -1, -1, NAN, NAN};
	char path[CGROUP_PATH_MAX + 32];
	struct psi psi;

	read_rows(c, c->version == 1 ? rows_v1 : rows_v2, &s);
	if (c->version == 1)
		s.user_ns = sum_user_ns(c);
	snprintf(path, sizeof(path), "%s/memory.pressure", c->memory);
	if (c->version == 2 && psi_read(c->root, path, &psi) == 0) {
		s.psi_some_s = (double)psi.some_us / 1e6;
		s.psi_full_s = (double)psi.full_us / 1e6;
	}
	*ret = s;
}
