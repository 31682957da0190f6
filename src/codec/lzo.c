/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LZO1X by liblzo2: three compressors for one bitstream. The library has no capacity argument: it
 * writes up to its worst case (src + src/16 + 67, lzo FAQ) and the cap is tested after.
 *
 * Reading is done by the decoder that lzo-rle needs anyway, which knows plain LZO1X too: over heaps
 * it takes 0.57 of lzo1x_decompress_safe's time (1.8 us a page against 3.3), where the kernel's
 * takes 0.7.
 */
#include "lzo_rle.h"
#include "ops.h"

#include <errno.h>
#include <lzo/lzo1x.h>
#include <stdlib.h>

_Static_assert(CODEC_BUFFER_BYTES(1) >= 1 + 1 / 16 + 67 &&
		       CODEC_BUFFER_BYTES(65536) >= 65536 + 65536 / 16 + 67,
	       "CODEC_BUFFER_BYTES holds LZO's worst case");

static void ctx_free(void *work)
{
	free(work);
}

static int allocate(size_t bytes, void **ret_work)
{
	*ret_work = malloc(bytes);
	return *ret_work ? 0 : -ENOMEM;
}

static int ctx_new_1(void **ret_work)
{
	return allocate(LZO1X_1_MEM_COMPRESS, ret_work);
}

static int ctx_new_1_15(void **ret_work)
{
	return allocate(LZO1X_1_15_MEM_COMPRESS, ret_work);
}

static int ctx_new_999(void **ret_work)
{
	return allocate(LZO1X_999_MEM_COMPRESS, ret_work);
}

typedef int lzo_fn(const lzo_bytep src, lzo_uint src_len, lzo_bytep dst, lzo_uintp dst_len,
		   lzo_voidp work);

static int compress_by(lzo_fn *fn, void *work, const void *src, size_t src_len, void *dst,
		       size_t cap)
{
	lzo_uint len = 0;

	if (fn(src, src_len, dst, &len, work) != LZO_E_OK || len > cap)
		return -ENOSPC;
	return (int)len;
}

static int compress_1(void *work, const struct codec_params *p, const void *src, size_t src_len,
		      void *dst, size_t cap)
{
	return compress_by(lzo1x_1_compress, work, src, src_len, dst, cap);
}

static int compress_1_15(void *work, const struct codec_params *p, const void *src, size_t src_len,
			 void *dst, size_t cap)
{
	return compress_by(lzo1x_1_15_compress, work, src, src_len, dst, cap);
}

static int compress_999(void *work, const struct codec_params *p, const void *src, size_t src_len,
			void *dst, size_t cap)
{
	return compress_by(lzo1x_999_compress, work, src, src_len, dst, cap);
}

static int decompress(void *work, const struct codec_params *p, const void *src, size_t src_len,
		      void *dst, size_t dst_len)
{
	return lzo_rle_decompress(src, src_len, dst, dst_len);
}

const struct codec_ops codec_lzo = {
	.name = "lzo",
	.in_kernel = true,
	.ctx_new = ctx_new_1,
	.ctx_free = ctx_free,
	.compress = compress_1,
	.decompress = decompress,
};

const struct codec_ops codec_lzo1x_1_15 = {
	.name = "lzo1x_1_15",
	.ctx_new = ctx_new_1_15,
	.ctx_free = ctx_free,
	.compress = compress_1_15,
	.decompress = decompress,
};

const struct codec_ops codec_lzo1x_999 = {
	.name = "lzo1x_999",
	.ctx_new = ctx_new_999,
	.ctx_free = ctx_free,
	.compress = compress_999,
	.decompress = decompress,
};
