/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lzo-rle. First the input is a stream, of a length that its first two bytes say: nothing outside
 * the buffers, and where it is plain LZO1X the same answer as liblzo2's. Then it is a page, with a
 * cap of the same two bytes: it comes back, and a cap is a cap. Blocks of the exact sizes, so that
 * the sanitizer sees a byte too far.
 */
#include "codec.h"
#include "lzo_rle.h"

#include <errno.h>
#include <lzo/lzo1x.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool ok)
{
	if (!ok)
		abort();
}

static void compare_with_liblzo2(const uint8_t *src, size_t size, size_t len, int ours,
				 const uint8_t *out)
{
	uint8_t *other = malloc(len);
	lzo_uint got = len;
	int r = lzo1x_decompress_safe(src, size, other, &got, NULL);

	check((ours == 0) == (r == LZO_E_OK && got == len));
	check(ours != 0 || !memcmp(out, other, len));
	free(other);
}

static void decode(const uint8_t *src, size_t size, size_t len)
{
	uint8_t *out = malloc(len);
	int r = lzo_rle_decompress(src, size, out, len);

	check(r == 0 || r == -EBADMSG);
	if (size && src[0] != 17)
		compare_with_liblzo2(src, size, len, r, out);
	free(out);
}

static void round_trip(const uint8_t *src, size_t size, size_t cap)
{
	size_t room = CODEC_BUFFER_BYTES(size);
	uint16_t *table = malloc(LZO_RLE_TABLE * sizeof(*table));
	uint8_t *dst = malloc(room), *capped = malloc(cap), *out = malloc(size);
	int len = lzo_rle_compress(src, size, dst, room, table), r;

	check(len > 0 && (size_t)len <= room);
	check(lzo_rle_decompress(dst, (size_t)len, out, size) == 0 && !memcmp(src, out, size));
	r = lzo_rle_compress(src, size, capped, cap, table);
	check(r == ((size_t)len <= cap ? len : -ENOSPC));
	check(r < 0 || !memcmp(dst, capped, (size_t)len));
	free(table);
	free(dst);
	free(capped);
	free(out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t number;
	uint8_t *src;

	if (size < 3 || size - 2 > CODEC_INPUT_MAX)
		return 0;
	number = 1 + (data[0] | (size_t)data[1] << 8);
	size -= 2;
	src = malloc(size);
	memcpy(src, data + 2, size);
	decode(src, size, number);
	round_trip(src, size, number);
	free(src);
	return 0;
}
