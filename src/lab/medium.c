/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Swap on a disk, for `file`, `dev` and what `zswap` has behind it. A file is made once a race: it
 * is written fully, which may take a while, and its place on the medium is then the same in all
 * trials. A fresh swap header is written for each.
 */
#include "backends.h"

#include "disk.h"
#include "err.h"
#include "swap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool is_device(const struct backend *b)
{
	return strncmp(b->medium, "/dev/", 5) == 0;
}

static int prepare_device(struct backend *b, const struct backend_setup *s, struct err *e)
{
	uint64_t bytes;
	int r = swap_device_check(s->root, b->medium, &bytes, e);

	if (r < 0)
		return r;
	if (bytes < s->swap_bytes)
		return err_usage(
			e, -ENOSPC,
			"%s has %llu MiB and this race may swap %llu MiB; give it a larger "
			"one, or lower --budget",
			b->medium, (unsigned long long)(bytes >> 20),
			(unsigned long long)(s->swap_bytes >> 20));
	strcpy(b->swap_path, b->medium);
	return 0;
}

int medium_prepare(struct backend *b, const struct backend_setup *s, struct err *e)
{
	struct disk disk;
	int r;

	if (is_device(b))
		r = prepare_device(b, s, e);
	else
		r = swap_file_make(s->undo, *b->medium ? b->medium : s->directory, s->swap_bytes,
				   s->tell, s->arg, b->swap_path, sizeof(b->swap_path), e);
	if (r < 0)
		return r;
	if (disk_of(s->root, b->swap_path, &disk) == 0 && *disk.partition) {
		strcpy(b->disk, disk.name);
		strcpy(b->traffic[0], disk.partition);
		b->n_traffic = 1;
	}
	return 0;
}

int medium_start(struct backend *b, const struct backend_setup *s, struct err *e)
{
	int r = swap_format(s->root, b->swap_path, e);

	return r < 0 ? r : swap_on(s->undo, b->swap_path, BACKEND_PRIORITY, e);
}

static int file_option(struct backend *b, const char *key, const char *value, struct err *e)
{
	if (*key)
		return backend_unknown_option(b, key, e);
	if (*value != '/' || strncmp(value, "/dev/", 5) == 0)
		return err_usage(
			e, -EINVAL,
			"backend 'file:%s': name a folder, from / on, that is on the medium to "
			"be measured%s",
			value, *value == '/' ? "; a device is dev:PATH" : "");
	return backend_take_word(b, key, value, b->medium, sizeof(b->medium), e);
}

static int dev_option(struct backend *b, const char *key, const char *value, struct err *e)
{
	if (*key)
		return backend_unknown_option(b, key, e);
	if (strncmp(value, "/dev/", 5))
		return err_usage(e, -EINVAL,
				 "backend 'dev:%s': name a block device, as in dev:/dev/sdb2",
				 value);
	return backend_take_word(b, key, value, b->medium, sizeof(b->medium), e);
}

const struct backend_ops backend_file = {
	.name = "file",
	.grammar = "[:FOLDER]",
	.about = "a swap file, made in that folder (default /var/tmp)",
	.option = file_option,
	.prepare = medium_prepare,
	.start = medium_start,
};

const struct backend_ops backend_dev = {
	.name = "dev",
	.grammar = ":/dev/X",
	.about = "a swap device that was given to snug with 'mkswap -L snug'",
	.needs_argument = true,
	.option = dev_option,
	.prepare = medium_prepare,
	.start = medium_start,
};
