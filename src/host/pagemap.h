/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's table of a process's pages: Documentation/admin-guide/mm/pagemap.rst. One entry of
 * eight bytes a page of the machine's own size.
 */
#ifndef SNUG_HOST_PAGEMAP_H
#define SNUG_HOST_PAGEMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pagemap_kind {
	PAGEMAP_NONE,	  /* never touched, or a file's or shared */
	PAGEMAP_RESIDENT, /* anonymous, in RAM */
	PAGEMAP_SWAPPED,
};

static inline enum pagemap_kind pagemap_kind(uint64_t entry)
{
	/* Bit 61: the page belongs to a file or to shared memory. */
	if (entry >> 61 & 1)
		return PAGEMAP_NONE;
	if (entry >> 63 & 1)
		return PAGEMAP_RESIDENT;
	return entry >> 62 & 1 ? PAGEMAP_SWAPPED : PAGEMAP_NONE;
}

/* Mapped here and nowhere else. Since Linux 4.2. */
static inline bool pagemap_exclusive(uint64_t entry)
{
	return entry >> 56 & 1;
}

/* The number of a resident page's frame; 0 for who may not see it (without CAP_SYS_ADMIN). */
static inline uint64_t pagemap_frame(uint64_t entry)
{
	return entry & ((UINT64_C(1) << 55) - 1);
}

struct pagemap_range {
	uint64_t start, end; /* addresses */
};

/*
 * Ranges within [start, end) that have private pages, found by the kernel without a look at each
 * (PAGEMAP_SCAN, since Linux 6.7). *ret_next: where to go on; end when done. -ENOTTY where the
 * kernel does not have it.
 */
int pagemap_scan(int fd, uint64_t start, uint64_t end, struct pagemap_range *ranges, size_t max,
		 size_t *ret_n, uint64_t *ret_next);

/*
 * Frames of the zero page and of the huge one, which stand for memory that was read but never
 * written: they cost nothing and are never swapped. Found by reading such memory of our own; all 0
 * when frame numbers are hidden.
 */
struct pagemap_zeros {
	uint64_t small;
	uint64_t huge_first, huge_end;
};

void pagemap_find_zeros(int root, struct pagemap_zeros *ret);

static inline bool pagemap_is_zero(const struct pagemap_zeros *z, uint64_t frame)
{
	return frame && (frame == z->small || (frame >= z->huge_first && frame < z->huge_end));
}

#endif
