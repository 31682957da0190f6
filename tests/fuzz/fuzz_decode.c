/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every decoder on whatever comes: the first byte picks the codec, the next two the length wanted.
 */
#include "codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char dict[] =
		"a dictionary need not be much: 0123456789abcdef 0123456789abcdef";
	struct codec_spec spec = {0};
	struct codec_params *params;
	struct codec_ctx *ctx;
	size_t n = 0, len;
	uint8_t *src, *out;
	int r;

	while (codec_at(n))
		n++;
	if (size < 4 || codec_init() < 0)
		return 0;
	spec.ops = codec_at(data[0] % 16 % n);
	spec.level = 1;
	/* A raw dictionary, for the codecs that take one. */
	r = codec_params_new(&spec, data[0] & 0x80 && codec_takes_dict(spec.ops) ? dict : NULL,
			     sizeof(dict), &params);
	if (r < 0 || codec_ctx_new(spec.ops, &ctx) < 0)
		abort();
	len = 1 + (data[1] | (size_t)data[2] << 8) % 8192;
	/* Blocks of their own, so that the sanitizer sees a byte too far. */
	src = malloc(size - 3);
	out = malloc(len);
	memcpy(src, data + 3, size - 3);
	r = codec_decompress(ctx, params, src, size - 3, out, len);
	if (r != 0 && r != -EBADMSG)
		abort();
	free(src);
	free(out);
	codec_ctx_free(ctx);
	codec_params_free(params);
	return 0;
}
