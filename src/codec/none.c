/* SPDX-License-Identifier: GPL-2.0-or-later */
/* No compression: what the rest of the engine costs. */
#include "ops.h"

#include <errno.h>
#include <string.h>

static int compress(void *work, const struct codec_params *p, const void *src, size_t src_len,
		    void *dst, size_t cap)
{
	if (src_len > cap)
		return -ENOSPC;
	memcpy(dst, src, src_len);
	return (int)src_len;
}

static int decompress(void *work, const struct codec_params *p, const void *src, size_t src_len,
		      void *dst, size_t dst_len)
{
	if (src_len != dst_len)
		return -EBADMSG;
	memcpy(dst, src, src_len);
	return 0;
}

const struct codec_ops codec_none = {
	.name = "none",
	.compress = compress,
	.decompress = decompress,
};
