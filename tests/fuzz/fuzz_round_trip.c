/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every codec: what it compresses comes back, and a cap is a cap. The first bytes pick codec and
 * cap. */
#include "codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct codec_spec spec = {.level = 1};
	struct codec_params *params;
	struct codec_ctx *ctx;
	size_t n = 0, cap, len;
	uint8_t *dst, *out;
	int r;

	while (codec_at(n))
		n++;
	if (size < 4 || size > CODEC_INPUT_MAX || codec_init() < 0)
		return 0;
	spec.ops = codec_at(data[0] % n);
	cap = 1 + (data[1] | (size_t)data[2] << 8) % 8192;
	data += 3;
	len = size - 3;
	if (codec_params_new(&spec, NULL, 0, &params) < 0 || codec_ctx_new(spec.ops, &ctx) < 0)
		abort();
	dst = malloc(CODEC_BUFFER_BYTES(len));
	out = malloc(len);
	r = codec_compress(ctx, params, data, len, dst, cap);
	if (r == 0 || (r < 0 && r != -ENOSPC) || (r > 0 && (size_t)r > cap))
		abort();
	if (r > 0 &&
	    (codec_decompress(ctx, params, dst, (size_t)r, out, len) < 0 || memcmp(out, data, len)))
		abort();
	free(dst);
	free(out);
	codec_ctx_free(ctx);
	codec_params_free(params);
	return 0;
}
