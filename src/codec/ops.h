/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a codec implements; private to this folder. One file a library, each ending in its ops.
 * Optional members: params_init/params_free (nothing to prepare), ctx_new/ctx_free (no working
 * memory).
 */
#ifndef SNUG_CODEC_OPS_H
#define SNUG_CODEC_OPS_H

#include "codec.h"

struct codec_params {
	const struct codec_ops *ops;
	int level;
	void *dict; /* copy, in memory kept out of core dumps; NULL for none */
	size_t dict_len;
	size_t prepared_bytes; /* set by params_init */
	void *prepared;	       /* owned by ops: digested dictionary and the like */
};

struct codec_ctx {
	const struct codec_ops *ops;
	void *work; /* owned by ops */
};

struct codec_ops {
	const char *name;
	int level_min, level_max, level_default; /* all 0: takes no level */
	bool in_kernel;
	bool takes_dict;
	int (*params_init)(struct codec_params *p); /* 0 or -errno */
	void (*params_free)(struct codec_params *p);
	int (*ctx_new)(void **ret_work);
	void (*ctx_free)(void *work);
	int (*compress)(void *work, const struct codec_params *p, const void *src, size_t src_len,
			void *dst, size_t cap);
	int (*decompress)(void *work, const struct codec_params *p, const void *src, size_t src_len,
			  void *dst, size_t dst_len);
};

extern const struct codec_ops codec_lzo, codec_lzo1x_1_15, codec_lzo1x_999, codec_lzo_rle,
	codec_lz4, codec_lz4hc, codec_zstd, codec_deflate, codec_none;

#endif
