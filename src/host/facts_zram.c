/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "facts_zram.h"

#include "cleanup.h"
#include "facts.h"
#include "sysread.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

/* "zram12": 12. */
static bool zram_number(const char *name, unsigned *ret)
{
	int64_t value;

	if (strncmp(name, "zram", 4) || kerntext_number(name + 4, &value) < 0 || value > 65535)
		return false;
	*ret = (unsigned)value;
	return true;
}

static void read_device(int root, unsigned number, struct facts *f)
{
	struct facts_zram z = {.number = number, .disksize_bytes = FACTS_UNKNOWN};
	CLEANUP_FREE char *mm = NULL, *backing = NULL;
	struct kerntext_choice algorithms;

	z.mm.orig_data_size = FACTS_UNKNOWN;
	if (sysread_choice(root, &algorithms, "sys/block/zram%u/comp_algorithm", number) == 0) {
		if (!f->zram_algorithms.n)
			f->zram_algorithms = algorithms;
		if (algorithms.chosen >= 0)
			memcpy(z.algorithm, algorithms.words[algorithms.chosen],
			       sizeof(z.algorithm));
	}
	sysread_number(root, &z.disksize_bytes, "sys/block/zram%u/disksize", number);
	if (z.disksize_bytes <= 0 || f->n_zrams == FACTS_ZRAMS)
		return;
	if (sysread_text(root, &mm, "sys/block/zram%u/mm_stat", number) == 0)
		kerntext_mm_stat(mm, &z.mm);
	if (sysread_text(root, &backing, "sys/block/zram%u/backing_dev", number) == 0 &&
	    strncmp(backing, "none", 4)) {
		backing[strcspn(backing, "\n")] = '\0';
		strncpy(z.backing, backing, sizeof(z.backing) - 1);
	}
	f->zrams[f->n_zrams++] = z;
}

static int by_number(const void *a, const void *b)
{
	const struct facts_zram *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static bool is_module(int root, const char *kernel)
{
	CLEANUP_FREE char *text = NULL;

	return sysread_text(root, &text, "lib/modules/%s/modules.dep", kernel) == 0 &&
	       strstr(text, "/zram.ko");
}

void facts_zram_read(int root, struct facts *f)
{
	int fd = openat(root, "sys/block", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	unsigned number;
	bool seen = false;

	while (dir && (entry = readdir(dir))) {
		if (!zram_number(entry->d_name, &number))
			continue;
		seen = true;
		read_device(root, number, f);
	}
	qsort(f->zrams, f->n_zrams, sizeof(f->zrams[0]), by_number);
	if (seen || sysread_exists(root, "sys/class/zram-control"))
		f->zram = FACTS_ZRAM_PRESENT;
	else if (f->kernel[0] && is_module(root, f->kernel))
		f->zram = FACTS_ZRAM_LOADABLE;
	else
		f->zram = FACTS_ZRAM_ABSENT;
}

void facts_zswap_read(int root, struct facts_zswap *z)
{
	CLEANUP_FREE char *enabled = NULL;
	int64_t pages;

	z->max_pool_percent = FACTS_UNKNOWN;
	if (!sysread_exists(root, "sys/module/zswap"))
		return;
	z->present = true;
	if (sysread_text(root, &enabled, "sys/module/zswap/parameters/enabled") == 0)
		kerntext_bool(enabled, &z->enabled);
	sysread_word(root, z->compressor, sizeof(z->compressor),
		     "sys/module/zswap/parameters/compressor");
	sysread_word(root, z->zpool, sizeof(z->zpool), "sys/module/zswap/parameters/zpool");
	sysread_number(root, &z->max_pool_percent, "sys/module/zswap/parameters/max_pool_percent");
	/* Before /proc/meminfo had them, only root saw them, and only where debugfs is mounted. */
	if (z->pool_bytes < 0)
		sysread_number(root, &z->pool_bytes, "sys/kernel/debug/zswap/pool_total_size");
	if (z->stored_bytes < 0 &&
	    sysread_number(root, &pages, "sys/kernel/debug/zswap/stored_pages") == 0)
		z->stored_bytes = pages * 4096;
}
