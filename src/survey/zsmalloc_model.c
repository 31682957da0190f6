/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's mm/zsmalloc.c in numbers. 255 size classes 16 bytes apart, 32 to 4096. A class is
 * served by zspages of one to chain_pages pages that are cut into objects of its size. Classes
 * whose zspages come out alike (as many pages and as many objects) are merged into the largest of
 * them. Every object is 8 bytes longer than what it holds, for its handle. zram writes what would
 * land in a class without gain as a whole page of 4096.
 *
 * On a fresh device each class fills one zspage after another, so all but the last of each class
 * are full, and the pages are a matter of counting. After overwrites there are holes: then
 * mem_used_total is higher, until compaction.
 *
 * How the pages of a zspage are chosen changed in Linux 6.3: from the highest whole percentage used
 * to the fewest bytes wasted, and from at most 4 pages to CONFIG_ZSMALLOC_CHAIN_SIZE (8 unless set
 * otherwise). Before 4.17 zram had a fixed limit of three quarters of a page instead of asking the
 * pool.
 *
 * Against real devices (tests/test_zsmalloc_model.c, chain of 8): equal to the page when the
 * lengths are the kernel's.
 *
 * Declined: pages larger than 4 KiB (the survey gives no prediction there), and 32-bit kernels,
 * whose handles are 4 bytes long (predicted up to 1% too high).
 */
#include "zsmalloc_model.h"

#include <limits.h>
#include <string.h>

enum {
	KERNEL_PAGE = 4096,
	SIZE_LEAST = 32,
	SIZE_STEP = 16,
	HANDLE_BYTES = 8,
	CHAIN_OLD = 4,
	CHAIN_DEFAULT = 8,
};

void zsmalloc_rules_of(unsigned major, unsigned minor, int64_t chain_pages,
		       struct zsmalloc_rules *ret)
{
	bool known = major > 0;
	bool old = known && (major < 6 || (major == 6 && minor < 3));

	*ret = (struct zsmalloc_rules){
		.chain_pages = old ? CHAIN_OLD : CHAIN_DEFAULT,
		.least_waste = !old,
	};
	if (chain_pages >= 1 && !old)
		ret->chain_pages = (unsigned)chain_pages;
	if (known && (major < 4 || (major == 4 && minor < 17)))
		ret->huge_size = KERNEL_PAGE / 4 * 3 + 1;
}

static unsigned size_of(unsigned class)
{
	return SIZE_LEAST + class * SIZE_STEP;
}

static unsigned pages_by_waste(unsigned size, unsigned chain_pages)
{
	unsigned best = 1, least = UINT_MAX;

	for (unsigned pages = 1; pages <= chain_pages; pages++) {
		unsigned waste = pages * KERNEL_PAGE % size;

		if (waste < least) {
			least = waste;
			best = pages;
		}
	}
	return best;
}

static unsigned pages_by_percent(unsigned size, unsigned chain_pages)
{
	unsigned best = 1, most = 0;

	for (unsigned pages = 1; pages <= chain_pages; pages++) {
		unsigned bytes = pages * KERNEL_PAGE;
		unsigned percent = (bytes - bytes % size) * 100 / bytes;

		if (percent > most) {
			most = percent;
			best = pages;
		}
	}
	return best;
}

void zsmalloc_model_init(struct zsmalloc_model *m, const struct zsmalloc_rules *rules)
{
	unsigned above = ZSMALLOC_CLASSES - 1;

	memset(m, 0, sizeof(*m));
	m->huge_size = rules->huge_size;
	for (unsigned i = ZSMALLOC_CLASSES; i-- > 0;) {
		struct zsmalloc_class *c = &m->classes[i];
		const struct zsmalloc_class *larger = &m->classes[above];
		unsigned size = size_of(i);

		c->pages_per_zspage = rules->least_waste
					      ? pages_by_waste(size, rules->chain_pages)
					      : pages_by_percent(size, rules->chain_pages);
		c->objects_per_zspage = c->pages_per_zspage * KERNEL_PAGE / size;
		/* The largest object that shares a zspage with another tells what is huge. */
		if (!m->huge_size && c->pages_per_zspage > 1 && c->objects_per_zspage > 1)
			m->huge_size = size - (HANDLE_BYTES - 1);
		if (larger->pages_per_zspage != c->pages_per_zspage ||
		    larger->objects_per_zspage != c->objects_per_zspage)
			above = i;
		m->merged_into[i] = (uint8_t)above;
	}
	/* Chains of one page: no two objects longer than half a page share one. */
	if (!m->huge_size)
		m->huge_size = KERNEL_PAGE;
}

void zsmalloc_model_add(struct zsmalloc_model *m, size_t len)
{
	unsigned class = 0;

	if (len >= m->huge_size) {
		len = KERNEL_PAGE;
		m->huge_pages++;
	}
	m->compr_data_size += len;
	if (len + HANDLE_BYTES > SIZE_LEAST)
		class = (unsigned)(len + HANDLE_BYTES - SIZE_LEAST + SIZE_STEP - 1) / SIZE_STEP;
	if (class >= ZSMALLOC_CLASSES)
		class = ZSMALLOC_CLASSES - 1;
	m->classes[m->merged_into[class]].objects++;
}

static uint64_t zspages_of(const struct zsmalloc_class *c)
{
	return (c->objects + c->objects_per_zspage - 1) / c->objects_per_zspage;
}

uint64_t zsmalloc_model_mem_used(const struct zsmalloc_model *m)
{
	uint64_t pages = 0;

	for (size_t i = 0; i < ZSMALLOC_CLASSES; i++)
		pages += zspages_of(&m->classes[i]) * m->classes[i].pages_per_zspage;
	return pages * KERNEL_PAGE;
}

uint64_t zsmalloc_model_spare(const struct zsmalloc_model *m)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < ZSMALLOC_CLASSES; i++) {
		const struct zsmalloc_class *c = &m->classes[i];
		uint64_t unused = zspages_of(c) * c->objects_per_zspage - c->objects;

		bytes += unused * c->pages_per_zspage * KERNEL_PAGE / c->objects_per_zspage;
	}
	return bytes;
}
