/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's lzo-rle bitstream (Documentation/staging/lzo.rst, version 1), which liblzo2 does not
 * have.
 */
#ifndef SNUG_CODEC_LZO_RLE_H
#define SNUG_CODEC_LZO_RLE_H

#include <stddef.h>

/* Entries of the match table that lzo_rle_compress needs (uint16_t each). */
#define LZO_RLE_TABLE 8192

/*
 * Compresses 1..65536 bytes; returns the length (1..cap), or -ENOSPC as soon as it would exceed
 * cap. Never writes beyond dst + cap.
 */
int lzo_rle_compress(const void *src, size_t src_len, void *dst, size_t cap, void *table);

/*
 * Decodes version 1 streams and plain LZO1X ones. Exactly dst_len bytes or -EBADMSG; reads nothing
 * outside src and writes nothing outside dst.
 */
int lzo_rle_decompress(const void *src, size_t src_len, void *dst, size_t dst_len);

#endif
