/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/PID/maps names the mappings, /proc/PID/pagemap says which of their pages exist,
 * process_vm_readv reads.
 *
 * Address space is no measure of memory: V8 and Java reserve tens of GiB and touch little.
 * PAGEMAP_SCAN finds what is there in one call; older kernels are asked for the entries themselves,
 * 64 Ki at a time, which took 1.5 ms a reserved GiB where the call took 0.03 (Linux 6.18, EPYC).
 * What cannot be read (no r) is not walked at all; that also takes care of V8's terabyte of
 * PROT_NONE.
 *
 * Shared frames. After a fork, and where KSM merged them, one frame is mapped many times, but takes
 * its place in swap once. A frame that is not exclusive to its mapping is noted in a bitmap and
 * visited the first time only. The bitmap covers 64 TiB of physical addresses, and is memory only
 * where it has been touched.
 *
 * Swapped pages can be read only by bringing them in, which is a change to the machine, if one that
 * any access by their owner makes too. Who reads decides whether it can be borne (survey/sample.c).
 *
 * Declined: /proc/PID/smaps (walks the same tables and then rounds away what we need); ptrace
 * (stops the process); /proc/kpagecount (the same knowledge as the bitmap, a read a page). Two
 * processes that share one address space without being threads (vfork, for the blink before its
 * exec) are counted twice. Without the right to see frame numbers, the huge zero page passes for
 * data (a small one does so only before Linux 6.7).
 */
#include "procmem.h"

#include "cleanup.h"
#include "fileio.h"
#include "kerntext.h"
#include "mapping.h"
#include "page.h"
#include "pagemap.h"
#include "sysread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/uio.h>

#define SEEN_FRAMES (UINT64_C(1) << 34)
#define SEEN_BYTES  ((size_t)(SEEN_FRAMES / 8))

enum { ENTRIES = 64 << 10, RANGES = 256, MAPS_MAX = 64 << 20 };

struct procmem {
	int root;
	uint64_t machine_page;
	struct pagemap_zeros zeros;
	unsigned char *seen; /* a bit a frame; NULL if the system refuses that much address space */
	uint64_t entries[ENTRIES];
};

/* One walk of one process. */
struct walk {
	struct procmem *m;
	int pagemap;
	procmem_visit *visit;
	void *arg;
	struct procmem_totals *totals;
	struct procmem_run run; /* being put together; pages = 0: none */
};

int procmem_open(int root, struct procmem **ret)
{
	struct procmem *m = calloc(1, sizeof(*m));

	if (!m)
		return -ENOMEM;
	m->root = root;
	m->machine_page = (uint64_t)sysconf(_SC_PAGESIZE);
	m->seen = mapping_alloc(SEEN_BYTES);
	pagemap_find_zeros(root, &m->zeros);
	*ret = m;
	return 0;
}

void procmem_close(struct procmem *m)
{
	if (!m)
		return;
	mapping_free(m->seen, SEEN_BYTES);
	free(m);
}

static void flush_run(struct walk *w)
{
	if (!w->run.pages)
		return;
	w->run.pages *= w->m->machine_page / PAGE_BYTES;
	if (w->run.swapped)
		w->totals->swapped += w->run.pages;
	else
		w->totals->resident += w->run.pages;
	w->visit(w->arg, &w->run);
	w->run.pages = 0;
}

static void extend_run(struct walk *w, uint64_t address, bool swapped)
{
	if (w->run.pages && w->run.swapped == swapped &&
	    w->run.address + w->run.pages * w->m->machine_page == address) {
		w->run.pages++;
		return;
	}
	flush_run(w);
	w->run = (struct procmem_run){.address = address, .pages = 1, .swapped = swapped};
}

/* Is this the first mapping of the frame? Unknown frames pass. */
static bool first_sight(struct walk *w, uint64_t entry)
{
	uint64_t frame = pagemap_frame(entry);
	unsigned char bit = (unsigned char)(1u << frame % 8);

	if (pagemap_exclusive(entry) || !frame || frame >= SEEN_FRAMES || !w->m->seen)
		return true;
	if (w->m->seen[frame / 8] & bit) {
		w->totals->shared_again += w->m->machine_page / PAGE_BYTES;
		return false;
	}
	w->m->seen[frame / 8] |= bit;
	return true;
}

static void take_entry(struct walk *w, uint64_t address, uint64_t entry)
{
	enum pagemap_kind kind = pagemap_kind(entry);

	if (kind == PAGEMAP_NONE)
		return;
	if (kind == PAGEMAP_RESIDENT &&
	    (pagemap_is_zero(&w->m->zeros, pagemap_frame(entry)) || !first_sight(w, entry)))
		return;
	extend_run(w, address, kind == PAGEMAP_SWAPPED);
}

static int walk_entries(struct walk *w, uint64_t start, uint64_t end)
{
	uint64_t page = w->m->machine_page;

	while (start < end) {
		uint64_t want = (end - start) / page;
		ssize_t got;

		if (want > ENTRIES)
			want = ENTRIES;
		got = pread(w->pagemap, w->m->entries, want * sizeof(uint64_t),
			    (off_t)(start / page * sizeof(uint64_t)));
		if (got < 0)
			return -errno;
		/* The end: it has exited, or unmapped the top of its space. */
		if (got < (ssize_t)sizeof(uint64_t))
			return 0;
		for (size_t i = 0; i < (size_t)got / sizeof(uint64_t); i++)
			take_entry(w, start + i * page, w->m->entries[i]);
		start += (uint64_t)got / sizeof(uint64_t) * page;
	}
	return 0;
}

static int walk_mapping(struct walk *w, uint64_t start, uint64_t end)
{
	struct pagemap_range ranges[RANGES];
	int r = 0;

	while (r == 0 && start < end) {
		uint64_t next;
		size_t n;

		r = pagemap_scan(w->pagemap, start, end, ranges, RANGES, &n, &next);
		if (r < 0)
			return r == -ENOTTY ? walk_entries(w, start, end) : r;
		for (size_t i = 0; i < n && r == 0; i++)
			r = walk_entries(w, ranges[i].start, ranges[i].end);
		start = next;
	}
	return r;
}

static bool begins(const struct kerntext_map *map, const char *with)
{
	size_t len = strlen(with);

	return map->path_len >= len && !memcmp(map->path, with, len);
}

/* Can the mapping have private anonymous pages that could go to swap and can be read? */
static bool worth_walking(const struct kerntext_map *map)
{
	if (!map->private || !map->readable)
		return false;
	/* The kernel's own: [vdso], [vvar], [vsyscall], [uprobes]. */
	if (begins(map, "[v") || begins(map, "[uprobes"))
		return false;
	/* Pages of hugetlbfs never leave RAM. */
	if (begins(map, "/anon_hugepage") || begins(map, "/hugepages/"))
		return false;
	/* A device's memory has no pages of ours; /dev/zero is the old way to get anonymous ones.
	 */
	if (begins(map, "/dev/") && !begins(map, "/dev/zero") && !begins(map, "/dev/shm/"))
		return false;
	return true;
}

/* Why a process could not be looked into, in the terms of the header. */
static int refusal(const struct procmem *m, pid_t pid, int r)
{
	CLEANUP_FREE char *stat = NULL;
	bool has_memory = true;

	if (r == -ENOENT)
		r = -ESRCH;
	if (r == -EPERM)
		r = -EACCES;
	/* Kernel threads and zombies are refused to some and "no such process" to others, and have
	 * none. */
	if ((r == -EACCES || r == -ESRCH) &&
	    sysread_text(m->root, &stat, "proc/%d/stat", (int)pid) == 0 &&
	    kerntext_stat_has_memory(stat, &has_memory) == 0 && !has_memory)
		return -ENODATA;
	return r;
}

int procmem_may_read(const struct procmem *m, pid_t pid)
{
	char byte, path[64];
	struct iovec local = {&byte, 1}, remote = {NULL, 1};

	/* Nobody has address 0, but the kernel looks at permissions first. */
	if (process_vm_readv(pid, &local, 1, &remote, 1, 0) >= 0 || errno == EFAULT)
		return 0;
	if (errno != ENOSYS)
		return refusal(m, pid, -errno);
	snprintf(path, sizeof(path), "proc/%d/mem", (int)pid);
	if (faccessat(m->root, path, R_OK, 0) < 0)
		return refusal(m, pid, -errno);
	return 0;
}

const char *procmem_advice(int root, char buf[PROCMEM_ADVICE_MAX])
{
	int64_t scope = 0;

	/* Only where the Yama module is in the kernel. */
	sysread_number(root, &scope, "proc/sys/kernel/yama/ptrace_scope");
	if (scope == 3)
		snprintf(
			buf, PROCMEM_ADVICE_MAX,
			"kernel.yama.ptrace_scope is 3, which forbids it to everyone until the next boot");
	else if (geteuid() == 0)
		snprintf(
			buf, PROCMEM_ADVICE_MAX,
			"root is not enough here: it needs CAP_SYS_PTRACE in the user namespace of that process");
	else if (scope > 0)
		snprintf(
			buf, PROCMEM_ADVICE_MAX,
			"run as root or, for processes of your own, set kernel.yama.ptrace_scope to 0 (it is %d)",
			(int)scope);
	else
		snprintf(buf, PROCMEM_ADVICE_MAX, "run as root");
	return buf;
}

static int walk_maps(struct walk *w, const char *maps)
{
	struct kerntext_map map;
	int r;

	while ((r = kerntext_map(&maps, &map)) == 0) {
		if (!worth_walking(&map))
			continue;
		r = walk_mapping(w, map.start, map.end);
		flush_run(w);
		if (r < 0)
			return r;
	}
	return r == -ENOENT ? 0 : r;
}

int procmem_walk(struct procmem *m, pid_t pid, procmem_visit *visit, void *arg,
		 struct procmem_totals *totals)
{
	CLEANUP_CLOSE int fd = -1;
	CLEANUP_FREE char *maps = NULL;
	struct walk w = {.m = m, .visit = visit, .arg = arg, .totals = totals};
	char path[64];
	int r;

	snprintf(path, sizeof(path), "proc/%d/maps", (int)pid);
	r = fileio_read(m->root, path, MAPS_MAX, &maps);
	if (r < 0)
		return refusal(m, pid, r);
	if (!*maps)
		return -ENODATA;
	snprintf(path, sizeof(path), "proc/%d/pagemap", (int)pid);
	fd = openat(m->root, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return refusal(m, pid, -errno);
	w.pagemap = fd;
	return walk_maps(&w, maps);
}

/* How many pages came in one call; -errno. */
static ssize_t read_some(pid_t pid, const uint64_t *addresses, size_t n, char *pages)
{
	struct iovec local = {.iov_base = pages, .iov_len = n * PAGE_BYTES};
	struct iovec remote[IOV_MAX];
	ssize_t got;

	for (size_t i = 0; i < n; i++)
		remote[i] = (struct iovec){(void *)(uintptr_t)addresses[i], PAGE_BYTES};
	got = process_vm_readv(pid, &local, 1, remote, n, 0);
	return got < 0 ? -errno : got / (ssize_t)PAGE_BYTES;
}

/* For kernels without CONFIG_CROSS_MEMORY_ATTACH. */
static ssize_t read_some_by_file(const struct procmem *m, pid_t pid, const uint64_t *addresses,
				 size_t n, char *pages)
{
	CLEANUP_CLOSE int fd = -1;
	char path[64];
	size_t i;

	snprintf(path, sizeof(path), "proc/%d/mem", (int)pid);
	fd = openat(m->root, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	for (i = 0; i < n; i++)
		if (pread(fd, pages + i * PAGE_BYTES, PAGE_BYTES, (off_t)addresses[i]) !=
		    (ssize_t)PAGE_BYTES)
			break;
	return i ? (ssize_t)i : -EFAULT;
}

int procmem_read(struct procmem *m, pid_t pid, const uint64_t *addresses, size_t n, void *pages,
		 size_t *ret_got)
{
	char *out = pages;
	size_t done = 0, kept = 0;
	int r = 0;

	while (done < n) {
		size_t want = n - done < IOV_MAX ? n - done : IOV_MAX;
		ssize_t got = read_some(pid, addresses + done, want, out + kept * PAGE_BYTES);

		if (got == -ENOSYS)
			got = read_some_by_file(m, pid, addresses + done, want,
						out + kept * PAGE_BYTES);
		if (got < 0 && got != -EFAULT) {
			r = got == -EPERM ? -EACCES : (int)got;
			break;
		}
		if (got < 0)
			got = 0;
		kept += (size_t)got;
		/* It ends at the first page that is not there: step over that one. */
		done += (size_t)got + ((size_t)got < want);
	}
	*ret_got = kept;
	return r;
}
