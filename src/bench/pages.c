/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages are copied into anonymous memory and not mapped from the file: a page cache that gives
 * pages back under pressure would add reads from the disk to what is measured.
 */
#include "pages.h"

#include "cleanup.h"
#include "err.h"
#include "fileio.h"
#include "generate.h"
#include "mapping.h"
#include "page.h"
#include "units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int pages_alloc(size_t n, struct page_set *ret)
{
	struct page_set p = {.n = n};

	p.data = mapping_alloc(n * PAGE_BYTES);
	if (!p.data)
		return -ENOMEM;
	*ret = p;
	return 0;
}

void pages_free(struct page_set *p)
{
	mapping_free(p->data, p->n * PAGE_BYTES);
	*p = (struct page_set){0};
}

/* Beside the pages there is what they are compressed into; more would swap or be killed. */
static int check_fits(uint64_t bytes, const char *what, struct err *e)
{
	uint64_t ram = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	char size[UNITS_SIZE_MAX], most[UNITS_SIZE_MAX];

	if (bytes <= ram / 2)
		return 0;
	return err_usage(
		e, -EFBIG,
		"%s: %s do not fit beside their compressed copies; take at most %s, half of RAM",
		what, units_format_size(bytes, size), units_format_size(ram / 2, most));
}

static int alloc_bytes(uint64_t bytes, const char *what, struct page_set *ret, struct err *e)
{
	int r = check_fits(bytes, what, e);

	if (r < 0)
		return r;
	if (pages_alloc((bytes + PAGE_BYTES - 1) / PAGE_BYTES, ret) < 0)
		return err_failed(e, -ENOMEM, "no memory for the pages of %s", what);
	snprintf(ret->source, sizeof(ret->source), "%s", what);
	return 0;
}

static int read_whole(int fd, unsigned char *data, uint64_t bytes)
{
	ssize_t n = fileio_pread(fd, data, bytes, 0);

	if (n < 0)
		return (int)n;
	return (uint64_t)n < bytes ? -ESPIPE : 0; /* it became shorter */
}

int pages_load(const char *path, struct page_set *ret, struct err *e)
{
	/* O_NONBLOCK: a pipe is refused below, and must not hang here. */
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct page_set p;
	struct stat st;
	uint64_t bytes;
	int r;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_usage(e, -errno, "cannot read %s: %s", path, err_name(-errno));
	if (!S_ISREG(st.st_mode))
		return err_usage(e, -EINVAL,
				 "%s is not a regular file; pages are taken from a file of pages",
				 path);
	if (st.st_size == 0)
		return err_usage(e, -ENODATA, "%s is empty; pages are taken from a file of pages",
				 path);
	bytes = (uint64_t)st.st_size;
	r = alloc_bytes(bytes, path, &p, e);
	if (r < 0)
		return r;
	r = read_whole(fd, p.data, bytes);
	if (r < 0) {
		pages_free(&p);
		return err_usage(e, r, "cannot read %s: %s", path,
				 r == -ESPIPE ? "it became shorter meanwhile" : err_name(r));
	}
	p.padded_bytes = p.n * PAGE_BYTES - bytes;
	*ret = p;
	return 0;
}

int pages_generate(const char *text, uint64_t seed, struct page_set *ret, struct err *e)
{
	size_t kind_len = strcspn(text, ":");
	struct page_set p;
	uint64_t bytes;
	char kind[32], known[GENERATE_KINDS_MAX];
	int r;

	if (!text[kind_len] || kind_len >= sizeof(kind))
		return err_usage(e, -EINVAL,
				 "--generate: '%s' is not KIND:SIZE, as in heap:64M; kinds are %s",
				 text, generate_kinds(known));
	snprintf(kind, sizeof(kind), "%.*s", (int)kind_len, text);
	if (!generate_knows(kind))
		return err_usage(e, -EINVAL, "--generate: unknown kind '%s'; known are %s", kind,
				 generate_kinds(known));
	r = units_parse_size(text + kind_len + 1, 0, "--generate", &bytes, e);
	if (r < 0)
		return r;
	if (bytes == 0)
		return err_usage(e, -EINVAL, "--generate: '%s' is no pages at all", text);
	r = alloc_bytes(bytes, text, &p, e);
	if (r < 0)
		return r;
	if (generate_pages(kind, seed, p.data, p.n) < 0) {
		pages_free(&p);
		return err_failed(e, -ENOMEM, "out of memory");
	}
	*ret = p;
	return 0;
}
