/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lzo-rle, the default of zram: LZO1X with one more instruction, for runs of zeros. This is what
 * its two directions share; private to them. The format is from the kernel's account of it
 * (Documentation/staging/lzo.rst). After the bytes 17 and 1, instructions up to the end marker:
 *
 *   run    0000LLLL                              literals, if the last instruction had none
 *   low    0000DDSS DDDDDDDD                     a copy of 2 or 3 bytes, if it had some
 *   far    0001DLLL DDDDDDSS DDDDDDDD            a copy from beyond 16 KiB; from 16 KiB: the end
 *   zeros  00011LLL 111111SS 11111111 LLLLLLLL
 *   mid    001LLLLL DDDDDDSS DDDDDDDD            a copy from within 16 KiB
 *   near   LLLDDDSS DDDDDDDD                     a copy of 3 to 8 bytes from within 2 KiB
 *
 * SS literals follow each but the run. L of 0 goes on in bytes of its own, after the token.
 */
#ifndef SNUG_CODEC_LZO_RLE_FORMAT_H
#define SNUG_CODEC_LZO_RLE_FORMAT_H

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define LIKELY(x)   __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

/* The first byte: this with a version after it, or, if beyond it, a run of the difference. */
enum { FIRST = 17, FIRST_RUN_MAX = 255 - FIRST, VERSION = 1, VERSIONED_MIN = 5 };

/* The lowest token of each kind; the most whose number is in the token or in SS; the farthest. */
enum { FAR = 16, MID = 32, NEAR = 64 };
enum { SS_MAX = 3, RUN_MAX = 18, FAR_MAX = 9, MID_MAX = 33, NEAR_MAX = 8 };
enum { NEAR_DIST = 1 << 11, MID_DIST = 1 << 14, FAR_DIST = 0xbffe };

/* What is fixed in its four bytes, as a little-endian number, and where; and the lengths. */
enum { ZEROS_BITS = 0xfffc18, ZEROS_MASK = 0xfffcf8, ZEROS_MIN = 4, ZEROS_MAX = 4 + 2047 };

static const uint8_t end_marker[] = {FAR | 1, 0, 0};

/* load16(p), store16(p, v) and so on: little-endian, anywhere. */
#define DEFINE_ACCESS(bits)                                          \
	static inline uint##bits##_t load##bits(const uint8_t *p)    \
	{                                                            \
		uint##bits##_t v;                                    \
                                                                     \
		memcpy(&v, p, sizeof(v));                            \
		return le##bits##toh(v);                             \
	}                                                            \
	static inline void store##bits(uint8_t *p, uint##bits##_t v) \
	{                                                            \
		v = htole##bits(v);                                  \
		memcpy(p, &v, sizeof(v));                            \
	}
DEFINE_ACCESS(16)
DEFINE_ACCESS(32)
DEFINE_ACCESS(64)

static inline size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

#endif
