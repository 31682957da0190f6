/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw deflate (RFC 1951) by libdeflate, without zlib's header and checksum. */
#include "ops.h"

#include <errno.h>
#include <libdeflate.h>
#include <stdlib.h>

struct work {
	struct libdeflate_compressor *compressor; /* made at the first use, for level */
	int level;
	struct libdeflate_decompressor *decompressor;
};

static void ctx_free(void *work)
{
	struct work *w = work;

	libdeflate_free_compressor(w->compressor);
	libdeflate_free_decompressor(w->decompressor);
	free(w);
}

static int ctx_new(void **ret_work)
{
	struct work *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->decompressor = libdeflate_alloc_decompressor();
	if (!w->decompressor) {
		free(w);
		return -ENOMEM;
	}
	*ret_work = w;
	return 0;
}

static int compress(void *work, const struct codec_params *p, const void *src, size_t src_len,
		    void *dst, size_t cap)
{
	struct work *w = work;
	size_t n;

	if (!w->compressor || w->level != p->level) {
		libdeflate_free_compressor(w->compressor);
		w->compressor = libdeflate_alloc_compressor(p->level);
		w->level = p->level;
		if (!w->compressor)
			return -ENOMEM;
	}
	n = libdeflate_deflate_compress(w->compressor, src, src_len, dst, cap);
	return n ? (int)n : -ENOSPC;
}

static int decompress(void *work, const struct codec_params *p, const void *src, size_t src_len,
		      void *dst, size_t dst_len)
{
	struct work *w = work;
	size_t used;

	/* Without a place for the output length, libdeflate demands exactly dst_len. */
	if (libdeflate_deflate_decompress_ex(w->decompressor, src, src_len, dst, dst_len, &used,
					     NULL) != LIBDEFLATE_SUCCESS ||
	    used != src_len)
		return -EBADMSG;
	return 0;
}

const struct codec_ops codec_deflate = {
	.name = "deflate",
	.level_min = 1,
	.level_max = 12,
	.level_default = 6,
	.in_kernel = true,
	.ctx_new = ctx_new,
	.ctx_free = ctx_free,
	.compress = compress,
	.decompress = decompress,
};
