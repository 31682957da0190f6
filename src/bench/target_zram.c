/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's zram, on a device that is added for each run and removed after it. Requests are
 * direct I/O of one size: 4 KiB, a system call and a bio a page, is nearest to what swapping in
 * costs; 1 MiB, where both are spread over 256 pages, is what writeback and a file system do, and
 * the fairer comparison with a library call.
 */
#include "target.h"

#include "err.h"
#include "page.h"
#include "pages.h"
#include "undo.h"
#include "zram.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct zram_target {
	struct undo *undo;
	struct zram_device device;
	int fd;
	size_t block_bytes;
};

static const struct block {
	const char *name;
	size_t bytes;
} blocks[] = {{"4k", 4096}, {"1m", TARGET_CHUNK *PAGE_BYTES}};

_Static_assert(sizeof(blocks) / sizeof(blocks[0]) == TARGET_VARIANTS, "room for every block size");

static int zram_variants(const char *argument, struct target_config *configs, size_t *ret_n,
			 struct err *e)
{
	size_t len = argument ? strcspn(argument, "@") : 0, n = 0;
	const char *wanted = len && argument[len] ? argument + len + 1 : NULL;

	if (len == 0 || len >= TARGET_ALGORITHM_MAX)
		return err_usage(e, -EINVAL, "target zram needs an algorithm, as in zram:lzo-rle");
	for (size_t i = 0; i < TARGET_VARIANTS; i++) {
		if (wanted && strcmp(wanted, blocks[i].name))
			continue;
		snprintf(configs[n].codec, sizeof(configs[n].codec), "%.*s", (int)len, argument);
		snprintf(configs[n].name, sizeof(configs[n].name), "zram:%s@%s", configs[n].codec,
			 blocks[i].name);
		configs[n++].block_bytes = blocks[i].bytes;
	}
	if (n == 0)
		return err_usage(e, -EINVAL,
				 "target zram: unknown block size '%s'; known are 4k and 1m",
				 wanted);
	*ret_n = n;
	return 0;
}

static int zram_close(void *target, struct err *e)
{
	struct zram_target *t = target;
	int r = 0;

	if (!t)
		return 0;
	if (t->fd >= 0)
		close(t->fd);
	r = undo_close(t->undo, e);
	free(t);
	return r;
}

static int zram_target_open(const struct target_setup *setup, void **ret, struct err *e)
{
	struct zram_target *t = calloc(1, sizeof(*t));
	struct err left;
	int r;

	if (!t)
		return err_failed(e, -ENOMEM, "out of memory");
	t->fd = -1;
	t->block_bytes = setup->config->block_bytes;
	r = undo_open(setup->root, "bench pages", &t->undo, e);
	if (r == 0)
		r = zram_add(t->undo, &t->device, e);
	if (r == 0)
		r = zram_set_algorithm(&t->device, setup->config->codec, e);
	if (r == 0)
		r = zram_set_size(&t->device, setup->n_slots * PAGE_BYTES, e);
	if (r == 0 && setup->mem_limit_bytes)
		r = zram_set_mem_limit(&t->device, setup->mem_limit_bytes, e);
	if (r == 0)
		r = zram_open(&t->device, &t->fd, e);
	if (r < 0) {
		if (zram_close(t, &left) < 0)
			target_also(e, &left);
		return r;
	}
	*ret = t;
	return 0;
}

/* Adds a device and removes it again, after those that killed runs left behind. */
static int zram_check(const struct target_setup *setup, struct err *e)
{
	struct zram_device d = {0};
	struct undo *undo = NULL;
	struct err left = {0};
	int r, removed;

	undo_recover(setup->root, NULL, NULL);
	r = undo_open(setup->root, "bench pages", &undo, e);
	if (r == 0)
		r = zram_add(undo, &d, e);
	if (r == 0)
		r = zram_set_algorithm(&d, setup->config->codec, e);
	removed = undo_close(undo, &left);
	if (removed < 0 && r < 0)
		target_also(e, &left);
	else if (removed < 0 && e)
		*e = left;
	return r < 0 ? r : removed;
}

typedef ssize_t transfer_fn(int fd, unsigned char *data, size_t len, off_t at);

static ssize_t transfer_out(int fd, unsigned char *data, size_t len, off_t at)
{
	return pwrite(fd, data, len, at);
}

static ssize_t transfer_in(int fd, unsigned char *data, size_t len, off_t at)
{
	return pread(fd, data, len, at);
}

static int transfer(const struct zram_target *t, transfer_fn *fn, uint64_t slot,
		    unsigned char *pages, size_t n)
{
	size_t total = n * PAGE_BYTES;

	for (size_t done = 0; done < total;) {
		size_t len = total - done < t->block_bytes ? total - done : t->block_bytes;
		ssize_t got = fn(t->fd, pages + done, len, (off_t)(slot * PAGE_BYTES + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got < 0 ? -errno : -EIO;
		done += (size_t)got;
	}
	return 0;
}

static int zram_write(void *target, unsigned worker, uint64_t slot, const void *pages, size_t n)
{
	return transfer(target, transfer_out, slot, (void *)pages, n);
}

static int zram_read(void *target, unsigned worker, uint64_t slot, void *pages, size_t n)
{
	return transfer(target, transfer_in, slot, pages, n);
}

static int zram_measure(void *target, struct footprint *ret, struct err *e)
{
	struct zram_target *t = target;
	struct kerntext_mm_stat st;
	int r = zram_read_stat(&t->device, &st, e);

	if (r < 0)
		return r;
	/* What the table costs (16 to 24 bytes a page) zram does not tell: meta_bytes stays 0. */
	*ret = (struct footprint){
		.orig_bytes = (uint64_t)st.orig_data_size,
		.compr_bytes = (uint64_t)st.compr_data_size,
		.mem_used_bytes = (uint64_t)st.mem_used_total,
		.same_pages = (uint64_t)st.same_pages,
		.huge_pages = st.huge_pages,
	};
	return 0;
}

const struct target_ops target_zram = {
	.name = "zram",
	.about =
		"the kernel's zram, on a device added for it; @4k and @1m: direct I/O of that size",
	.variants = zram_variants,
	.check = zram_check,
	.open = zram_target_open,
	.close = zram_close,
	.write = zram_write,
	.read = zram_read,
	.measure = zram_measure,
};
