/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lzo-rle as a codec. liblzo2 does not have it, so both directions are here: lzo_rle_compress.c,
 * lzo_rle_decompress.c.
 */
#include "lzo_rle.h"

#include "ops.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

static int ctx_new(void **ret_work)
{
	*ret_work = malloc(LZO_RLE_TABLE * sizeof(uint16_t));
	return *ret_work ? 0 : -ENOMEM;
}

static int compress(void *work, const struct codec_params *p, const void *src, size_t src_len,
		    void *dst, size_t cap)
{
	return lzo_rle_compress(src, src_len, dst, cap, work);
}

static int decompress(void *work, const struct codec_params *p, const void *src, size_t src_len,
		      void *dst, size_t dst_len)
{
	return lzo_rle_decompress(src, src_len, dst, dst_len);
}

const struct codec_ops codec_lzo_rle = {
	.name = "lzo-rle",
	.in_kernel = true,
	.ctx_new = ctx_new,
	.ctx_free = free,
	.compress = compress,
	.decompress = decompress,
};
