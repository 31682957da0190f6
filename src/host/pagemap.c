/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pagemap.h"

#include "cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

/* <linux/fs.h> has these since 6.7; Debian 12 ships that of 6.1. */
#define SCAN_IS_FILE	(UINT64_C(1) << 2)
#define SCAN_IS_PRESENT (UINT64_C(1) << 3)
#define SCAN_IS_SWAPPED (UINT64_C(1) << 4)
#define SCAN_IS_PFNZERO (UINT64_C(1) << 5)

struct scan_region {
	uint64_t start, end, categories;
};

struct scan_arg {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

#define SCAN_IOCTL _IOWR('f', 16, struct scan_arg)

int pagemap_scan(int fd, uint64_t start, uint64_t end, struct pagemap_range *ranges, size_t max,
		 size_t *ret_n, uint64_t *ret_next)
{
	enum { AT_ONCE = 256 };
	struct scan_region regions[AT_ONCE];
	struct scan_arg arg = {
		.size = sizeof(arg),
		.start = start,
		.end = end,
		.vec = (uint64_t)(uintptr_t)regions,
		.vec_len = max < AT_ONCE ? max : AT_ONCE,
		/* Neither a file's nor the zero page, and either of the two that hold data. */
		.category_inverted = SCAN_IS_FILE | SCAN_IS_PFNZERO,
		.category_mask = SCAN_IS_FILE | SCAN_IS_PFNZERO,
		.category_anyof_mask = SCAN_IS_PRESENT | SCAN_IS_SWAPPED,
	};
	int n = ioctl(fd, SCAN_IOCTL, &arg);

	if (n < 0)
		return errno == EINVAL ? -ENOTTY : -errno;
	for (int i = 0; i < n; i++)
		ranges[i] = (struct pagemap_range){regions[i].start, regions[i].end};
	*ret_n = (size_t)n;
	/* No room left in the vector is the one reason to stop early; never stand still. */
	*ret_next = n && arg.walk_end > start ? arg.walk_end : end;
	return 0;
}

static uint64_t entry_of(int fd, const volatile char *address)
{
	uint64_t entry;
	off_t at = (off_t)((uintptr_t)address / (size_t)sysconf(_SC_PAGESIZE) * sizeof(entry));

	return pread(fd, &entry, sizeof(entry), at) == sizeof(entry) ? entry : 0;
}

/* The frame that is in two places where nothing was ever written; 0: they have a page each. */
static uint64_t frame_of_both(int fd, const volatile char *one, const volatile char *other)
{
	uint64_t frame;

	(void)*one;
	(void)*other;
	frame = pagemap_frame(entry_of(fd, one));
	return frame == pagemap_frame(entry_of(fd, other)) ? frame : 0;
}

void pagemap_find_zeros(int root, struct pagemap_zeros *ret)
{
	enum { HUGE_BYTES = 2 << 20 };
	CLEANUP_CLOSE int fd = openat(root, "proc/self/pagemap", O_RDONLY | O_CLOEXEC);
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct pagemap_zeros z = {0};
	volatile char *at;
	char *mem;

	*ret = z;
	if (fd < 0)
		return;
	mem = mmap(NULL, 4 * HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		   0);
	if (mem == MAP_FAILED)
		return;
	at = mem + (HUGE_BYTES - (uintptr_t)mem % HUGE_BYTES) % HUGE_BYTES;
	madvise((char *)at, 2 * HUGE_BYTES, MADV_HUGEPAGE);
	z.huge_first = frame_of_both(fd, at, at + HUGE_BYTES);
	/* The page after the one read is there too: it is the huge one. */
	if (z.huge_first && entry_of(fd, at + page) >> 63)
		z.huge_end = z.huge_first + HUGE_BYTES / page;
	else
		z.huge_first = 0;
	at += 2 * HUGE_BYTES;
	madvise((char *)at, 2 * page, MADV_NOHUGEPAGE);
	z.small = frame_of_both(fd, at, at + page);
	munmap(mem, 4 * HUGE_BYTES);
	*ret = z;
}
