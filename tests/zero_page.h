/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Does this kernel map the zero page where memory is only read? Some give each read a page of its
 * own. */
#ifndef SNUG_TESTS_ZERO_PAGE_H
#define SNUG_TESTS_ZERO_PAGE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>

static inline long resident_pages(void)
{
	FILE *f = fopen("/proc/self/statm", "r");
	long pages = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%*d %ld", &pages) != 1)
		pages = 0;
	fclose(f);
	return pages;
}

static inline bool zero_page_is_used(void)
{
	enum { PAGES = 4096 };
	volatile char *area = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
				   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long before = resident_pages(), more;
	char sum = 0;

	if (area == MAP_FAILED)
		return true;
	madvise((void *)area, PAGES * 4096, MADV_NOHUGEPAGE);
	for (int i = 0; i < PAGES; i++)
		sum += area[i * 4096];
	(void)sum;
	more = resident_pages() - before;
	munmap((void *)area, PAGES * 4096);
	return more < PAGES / 2;
}

#endif
