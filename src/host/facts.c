/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See facts.h. Reads only; what one attribute lacks never stops the next. zram's and zswap's part
 * is in facts_zram.c.
 */
#include "facts.h"

#include "cleanup.h"
#include "facts_zram.h"
#include "kconfig.h"
#include "sysread.h"

#include <errno.h>
#include <string.h>

static int64_t number_or_unknown(int root, const char *path)
{
	int64_t value;

	return sysread_number(root, &value, "%s", path) == 0 ? value : FACTS_UNKNOWN;
}

static int64_t meminfo_or_unknown(const char *text, const char *key)
{
	uint64_t bytes;

	return kerntext_meminfo(text, key, &bytes) == 0 ? (int64_t)bytes : FACTS_UNKNOWN;
}

static void read_memory(int root, struct facts *f)
{
	CLEANUP_FREE char *text = NULL;

	f->mem_total_bytes = f->mem_available_bytes = FACTS_UNKNOWN;
	f->swap_total_bytes = f->swap_free_bytes = FACTS_UNKNOWN;
	f->zswap.pool_bytes = f->zswap.stored_bytes = FACTS_UNKNOWN;
	if (sysread_text(root, &text, "proc/meminfo") < 0)
		return;
	f->mem_total_bytes = meminfo_or_unknown(text, "MemTotal");
	f->mem_available_bytes = meminfo_or_unknown(text, "MemAvailable");
	f->swap_total_bytes = meminfo_or_unknown(text, "SwapTotal");
	f->swap_free_bytes = meminfo_or_unknown(text, "SwapFree");
	/* Since Linux 5.19. */
	f->zswap.pool_bytes = meminfo_or_unknown(text, "Zswap");
	f->zswap.stored_bytes = meminfo_or_unknown(text, "Zswapped");
}

static void read_swaps(int root, struct facts *f)
{
	CLEANUP_FREE char *text = NULL;
	const char *cursor;

	if (sysread_text(root, &text, "proc/swaps") < 0)
		return;
	cursor = text;
	while (f->n_swaps < FACTS_SWAPS && kerntext_swap(&cursor, &f->swaps[f->n_swaps]) == 0)
		f->n_swaps++;
}

static void read_kernel(int root, struct facts *f)
{
	CLEANUP_FREE char *text = NULL;
	size_t len;

	if (sysread_text(root, &text, "proc/sys/kernel/osrelease") < 0)
		return;
	len = strcspn(text, "\n");
	if (len >= sizeof(f->kernel) || memchr(text, '/', len) ||
	    kerntext_release(text, &f->kernel_major, &f->kernel_minor) < 0)
		return;
	memcpy(f->kernel, text, len);
}

static void read_cpu(int root, struct facts *f)
{
	/* x86 and old ARM; MIPS; RISC-V; then the board, where the CPU itself has no name (ARM64).
	 */
	static const char *const keys[] = {"model name", "cpu model", "uarch", "cpu"};
	CLEANUP_FREE char *info = NULL, *online = NULL, *board = NULL;
	int r = -ENOENT;

	f->cpus = FACTS_UNKNOWN;
	if (sysread_text(root, &online, "sys/devices/system/cpu/online") == 0)
		kerntext_cpu_list(online, &f->cpus);
	if (sysread_text(root, &info, "proc/cpuinfo") == 0)
		for (size_t i = 0; r < 0 && i < sizeof(keys) / sizeof(keys[0]); i++)
			r = kerntext_cpuinfo(info, keys[i], f->cpu_model, sizeof(f->cpu_model));
	if (r < 0 && sysread_text(root, &board, "sys/firmware/devicetree/base/model") == 0)
		strncpy(f->cpu_model, board, sizeof(f->cpu_model) - 1);
}

static void read_thp(int root, struct facts *f)
{
	struct kerntext_choice c;

	if (sysread_choice(root, &c, "sys/kernel/mm/transparent_hugepage/enabled") == 0 &&
	    c.chosen >= 0)
		memcpy(f->thp, c.words[c.chosen], sizeof(f->thp));
}

static void read_zsmalloc(int root, struct facts *f)
{
	int64_t pages;

	f->zsmalloc_chain_pages = FACTS_UNKNOWN;
	if (f->kernel[0] &&
	    kconfig_number(root, f->kernel, "CONFIG_ZSMALLOC_CHAIN_SIZE", &pages) == 0 &&
	    pages >= 1 && pages <= 16)
		f->zsmalloc_chain_pages = pages;
}

void facts_read(int root, struct facts *ret)
{
	*ret = (struct facts){0};
	read_kernel(root, ret);
	read_cpu(root, ret);
	read_memory(root, ret);
	read_swaps(root, ret);
	read_thp(root, ret);
	read_zsmalloc(root, ret);
	ret->swappiness = number_or_unknown(root, "proc/sys/vm/swappiness");
	ret->page_cluster = number_or_unknown(root, "proc/sys/vm/page-cluster");
	facts_zram_read(root, ret);
	facts_zswap_read(root, &ret->zswap);
}

bool facts_offer_algorithm(const struct facts *f, const char *name)
{
	for (size_t i = 0; i < f->zram_algorithms.n; i++)
		if (!strcmp(f->zram_algorithms.words[i], name))
			return true;
	return false;
}
