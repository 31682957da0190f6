/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * LZ4 and LZ4HC by liblz4.
 *
 * A dictionary is loaded once, into a stream that all threads then copy before each page: 16 KiB
 * for lz4, cheap beside the page, and 256 KiB for lz4hc, some 10 us beside its 20 to 50 us.
 * liblz4 1.10 made LZ4_attach_dictionary public, which refers to the loaded stream instead; Debian
 * 12 has 1.9.4, whose shared library does not export it.
 */
#include "ops.h"

#include <errno.h>
#include <lz4.h>
#include <lz4hc.h>
#include <stdlib.h>
#include <string.h>

enum { LZ4_ACCELERATION_HIGHEST = 65537 };

static void params_free(struct codec_params *p)
{
	free(p->prepared);
}

static int params_prepare(struct codec_params *p, size_t bytes)
{
	p->prepared = calloc(1, bytes);
	if (!p->prepared)
		return -ENOMEM;
	p->prepared_bytes = bytes;
	return 0;
}

static int lz4_params_init(struct codec_params *p)
{
	int r = p->dict ? params_prepare(p, sizeof(LZ4_stream_t)) : 0;

	if (r == 0 && p->dict)
		LZ4_loadDict(LZ4_initStream(p->prepared, sizeof(LZ4_stream_t)), p->dict,
			     (int)p->dict_len);
	return r;
}

static int hc_params_init(struct codec_params *p)
{
	int r = p->dict ? params_prepare(p, sizeof(LZ4_streamHC_t)) : 0;

	if (r == 0 && p->dict) {
		LZ4_streamHC_t *s = LZ4_initStreamHC(p->prepared, sizeof(*s));

		LZ4_resetStreamHC_fast(s, p->level);
		LZ4_loadDictHC(s, p->dict, (int)p->dict_len);
	}
	return r;
}

static void ctx_free(void *work)
{
	free(work);
}

static int lz4_ctx_new(void **ret_work)
{
	*ret_work = LZ4_createStream();
	return *ret_work ? 0 : -ENOMEM;
}

static int hc_ctx_new(void **ret_work)
{
	*ret_work = LZ4_createStreamHC();
	return *ret_work ? 0 : -ENOMEM;
}

static int lz4_compress(void *work, const struct codec_params *p, const void *src, size_t src_len,
			void *dst, size_t cap)
{
	int n;

	if (p->prepared) {
		memcpy(work, p->prepared, sizeof(LZ4_stream_t));
		n = LZ4_compress_fast_continue(work, src, dst, (int)src_len, (int)cap, p->level);
	} else {
		n = LZ4_compress_fast_extState(work, src, dst, (int)src_len, (int)cap, p->level);
	}
	return n > 0 ? n : -ENOSPC;
}

static int hc_compress(void *work, const struct codec_params *p, const void *src, size_t src_len,
		       void *dst, size_t cap)
{
	int n;

	/* The streaming calls, since LZ4_compress_HC_extStateHC clears 256 KiB for each page. */
	if (p->prepared)
		memcpy(work, p->prepared, sizeof(LZ4_streamHC_t));
	else
		LZ4_resetStreamHC_fast(work, p->level);
	n = LZ4_compress_HC_continue(work, src, dst, (int)src_len, (int)cap);
	return n > 0 ? n : -ENOSPC;
}

static int decompress(void *work, const struct codec_params *p, const void *src, size_t src_len,
		      void *dst, size_t dst_len)
{
	int n;

	if (p->dict)
		n = LZ4_decompress_safe_usingDict(src, dst, (int)src_len, (int)dst_len, p->dict,
						  (int)p->dict_len);
	else
		n = LZ4_decompress_safe(src, dst, (int)src_len, (int)dst_len);
	return n == (int)dst_len ? 0 : -EBADMSG;
}

const struct codec_ops codec_lz4 = {
	.name = "lz4",
	.level_min = 1,
	.level_max = LZ4_ACCELERATION_HIGHEST,
	.level_default = 1,
	.in_kernel = true,
	.takes_dict = true,
	.params_init = lz4_params_init,
	.params_free = params_free,
	.ctx_new = lz4_ctx_new,
	.ctx_free = ctx_free,
	.compress = lz4_compress,
	.decompress = decompress,
};

const struct codec_ops codec_lz4hc = {
	.name = "lz4hc",
	.level_min = 1,
	.level_max = LZ4HC_CLEVEL_MAX,
	.level_default = LZ4HC_CLEVEL_DEFAULT,
	.in_kernel = true,
	.takes_dict = true,
	.params_init = hc_params_init,
	.params_free = params_free,
	.ctx_new = hc_ctx_new,
	.ctx_free = ctx_free,
	.compress = hc_compress,
	.decompress = decompress,
};
