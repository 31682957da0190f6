/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "conditions.h"

#include "cleanup.h"
#include "fields.h"
#include "sysread.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define CPUS "sys/devices/system/cpu"

static int64_t number_or_unknown(int root, const char *path)
{
	int64_t value;

	return sysread_number(root, &value, "%s", path) == 0 ? value : -1;
}

static void read_thp(int root, struct conditions *c)
{
	struct kerntext_choice choice;

	if (sysread_choice(root, &choice, "sys/kernel/mm/transparent_hugepage/enabled") == 0 &&
	    choice.chosen >= 0)
		strcpy(c->thp, choice.words[choice.chosen]);
}

/* What is summed up while going over the CPUs. */
struct clocks {
	int64_t khz, n;
};

static void read_cpu(int root, const char *cpu, struct conditions *c, struct clocks *clocks)
{
	static const char *const throttles[] = {"core_throttle_count", "package_throttle_count"};
	char governor[KERNTEXT_WORD_MAX];
	int64_t value;

	if (sysread_word(root, governor, sizeof(governor), CPUS "/%s/cpufreq/scaling_governor",
			 cpu) == 0)
		strcpy(c->governor,
		       !*c->governor || !strcmp(c->governor, governor) ? governor : "mixed");
	if (sysread_number(root, &value, CPUS "/%s/cpufreq/scaling_cur_freq", cpu) == 0 &&
	    value <= INT32_MAX) {
		clocks->khz += value;
		clocks->n++;
	}
	for (size_t i = 0; i < sizeof(throttles) / sizeof(throttles[0]); i++) {
		if (sysread_number(root, &value, CPUS "/%s/thermal_throttle/%s", cpu,
				   throttles[i]) == 0 &&
		    value <= INT32_MAX)
			c->throttled = (c->throttled < 0 ? 0 : c->throttled) + value;
	}
}

/* "2095.999" as kHz; -1. */
static int64_t khz_of(const char *mhz)
{
	size_t whole = strspn(mhz, "0123456789");
	int64_t khz = 0;

	if (whole < 1 || whole > 6 || (mhz[whole] && mhz[whole] != '.'))
		return -1;
	for (size_t i = 0; i < whole; i++)
		khz = khz * 10 + (mhz[i] - '0');
	mhz += whole + (mhz[whole] == '.');
	for (int i = 0; i < 3; i++)
		khz = khz * 10 + (*mhz >= '0' && *mhz <= '9' ? *mhz++ - '0' : 0);
	return khz;
}

static void read_cpuinfo_clocks(int root, struct clocks *clocks)
{
	static const char key[] = "cpu MHz";
	CLEANUP_FREE char *text = NULL;
	char mhz[32];

	if (sysread_text(root, &text, "proc/cpuinfo") < 0)
		return;
	for (const char *p = text; *p; fields_next_line(&p)) {
		int64_t khz;

		if (strncmp(p, key, strlen(key)) || kerntext_cpuinfo(p, key, mhz, sizeof(mhz)) < 0)
			continue;
		khz = khz_of(mhz);
		clocks->khz += khz < 0 ? 0 : khz;
		clocks->n += khz >= 0;
	}
}

static void read_cpus(int root, struct conditions *c)
{
	int fd = openat(root, CPUS, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct clocks clocks = {0};
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (!strncmp(entry->d_name, "cpu", 3) && entry->d_name[3] >= '0' &&
		    entry->d_name[3] <= '9')
			read_cpu(root, entry->d_name, c, &clocks);
	if (!clocks.n)
		read_cpuinfo_clocks(root, &clocks);
	if (clocks.n)
		c->clock_khz = clocks.khz / clocks.n;
}

static void read_swaps(int root, struct conditions *c)
{
	CLEANUP_FREE char *text = NULL;
	struct kerntext_swap swap;
	int64_t used = 0, n = 0;
	const char *cursor;
	int r;

	if (sysread_text(root, &text, "proc/swaps") < 0)
		return;
	for (cursor = text; (r = kerntext_swap(&cursor, &swap)) == 0; n++)
		if (__builtin_add_overflow(used, (int64_t)swap.used_bytes, &used))
			return;
	if (r != -ENOENT)
		return;
	c->other_swap_bytes = used;
	c->other_swaps = n;
}

static void read_zswap(int root, struct conditions *c)
{
	CLEANUP_FREE char *text = NULL;
	bool enabled;

	if (sysread_text(root, &text, "sys/module/zswap/parameters/enabled") == 0 &&
	    kerntext_bool(text, &enabled) == 0)
		c->zswap_enabled = enabled ? 'Y' : 'N';
}

void conditions_read(int root, struct conditions *ret)
{
	struct conditions c = {
		.page_cluster = number_or_unknown(root, "proc/sys/vm/page-cluster"),
		.swappiness = number_or_unknown(root, "proc/sys/vm/swappiness"),
		.watermark_scale_factor =
			number_or_unknown(root, "proc/sys/vm/watermark_scale_factor"),
		.clock_khz = -1,
		.throttled = -1,
		.other_swap_bytes = -1,
		.other_swaps = -1,
	};

	read_thp(root, &c);
	read_cpus(root, &c);
	read_swaps(root, &c);
	read_zswap(root, &c);
	*ret = c;
}
