/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decompressor of lzo-rle and of plain LZO1X. decode_one knows the whole format and trusts
 * nothing. decode_fast knows the common instructions only, while both buffers have room for its
 * copies in whole words, and leaves the rest to decode_one, one at a time.
 *
 *   - start <= out <= out_end, in <= in_end; only what is between is read or written.
 *   - What is written beyond out is overwritten by what follows.
 *
 * Declined: to decode near, mid and zeros by selection rather than by branches. It took 15 to 40%
 * longer: a guess hides the wait for where the next instruction is, a selection adds to it.
 */
#include "lzo_rle.h"
#include "lzo_rle_format.h"

#include <errno.h>
#include <stdbool.h>

struct decoder {
	const uint8_t *in, *in_end;
	uint8_t *out, *out_end;
	const uint8_t *start; /* of the output */
	size_t literals;      /* of the last instruction: they tell what a token below 16 is */
	bool with_zeros;      /* version 1 */
};

static inline size_t in_left(const struct decoder *d)
{
	return (size_t)(d->in_end - d->in);
}

static inline size_t out_left(const struct decoder *d)
{
	return (size_t)(d->out_end - d->out);
}

/* For dist below 8: the pattern in a register, as often as it fits in whole. */
static inline void copy_pattern(uint8_t *out, size_t dist, size_t n)
{
	static const uint64_t repeat[8] = {
		[1] = 0x0101010101010101,    [2] = 0x0001000100010001,
		[3] = 0x0001000001000001,    [4] = 0x0000000100000001,
		[5] = 1 | (uint64_t)1 << 40, [6] = 1 | (uint64_t)1 << 48,
		[7] = 1 | (uint64_t)1 << 56,
	};
	static const uint8_t step[8] = {0, 8, 8, 6, 8, 5, 6, 7};
	uint64_t pattern = load64(out - dist) & (((uint64_t)1 << 8 * dist) - 1);

	pattern *= repeat[dist];
	for (size_t i = 0; i < n; i += step[dist])
		store64(out + i, pattern);
}

/* In words, the second read after the first is written. */
static inline void copy16(uint8_t *out, size_t dist)
{
	store64(out, load64(out - dist));
	store64(out + 8, load64(out + 8 - dist));
}

enum { COPY_SLACK = 31 }; /* what copy_wide may write beyond n */

/*
 * A copy that repeats where it overlaps: each word is read after the last one was written. At least
 * 32 bytes, which costs less than a guess at whether fewer would do.
 */
static inline void copy_wide(uint8_t *out, size_t dist, size_t n)
{
	if (UNLIKELY(dist < 8)) {
		copy_pattern(out, dist, n);
		return;
	}
	copy16(out, dist);
	copy16(out + 16, dist);
	for (size_t i = 32; i < n; i += 16)
		copy16(out + i, dist);
}

static bool copy_back(struct decoder *d, size_t dist, size_t n)
{
	if (dist > (size_t)(d->out - d->start) || n > out_left(d))
		return false;
	if (out_left(d) - n >= COPY_SLACK)
		copy_wide(d->out, dist, n);
	else
		for (size_t i = 0; i < n; i++)
			d->out[i] = *(d->out + i - dist);
	d->out += n;
	return true;
}

static bool copy_literals(struct decoder *d, size_t n)
{
	if (n > in_left(d) || n > out_left(d))
		return false;
	memcpy(d->out, d->in, n);
	d->in += n;
	d->out += n;
	d->literals = n;
	return true;
}

/* A length of 0 goes on: each byte of 0 is 255 more, the first other one is the end. */
static bool read_length(struct decoder *d, size_t mask, size_t *len)
{
	*len &= mask;
	if (*len)
		return true;
	for (*len = mask; d->in < d->in_end && *len <= out_left(d); *len += 255) {
		if (*d->in) {
			*len += *d->in++;
			return true;
		}
		d->in++;
	}
	return false;
}

/* A far or mid copy, zeros, or the end, which sets *ret_end. */
static bool decode_far_mid(struct decoder *d, size_t token, bool *ret_end)
{
	size_t n = token, v;

	if (d->with_zeros && in_left(d) >= 3 &&
	    ((token | load16(d->in) << 8) & ZEROS_MASK) == ZEROS_BITS) {
		n = ZEROS_MIN + (token & 7) + ((size_t)d->in[2] << 3);
		if (n > out_left(d))
			return false;
		memset(d->out, 0, n);
		d->out += n;
		d->in += 3;
		return copy_literals(d, d->in[-3] & SS_MAX);
	}
	if (!read_length(d, token >= MID ? 31 : 7, &n) || in_left(d) < 2)
		return false;
	v = load16(d->in);
	d->in += 2;
	if (token < MID && !(token & 8) && v <= SS_MAX) {
		*ret_end = true; /* of any length and with any SS, as liblzo2 has it */
		return true;
	}
	return copy_back(d, (token >= MID ? 1 : MID_DIST + ((token & 8) << 11)) + (v >> 2),
			 n + 2) &&
	       copy_literals(d, v & SS_MAX);
}

/* One instruction with its literals. */
static __attribute__((noinline)) bool decode_one(struct decoder *d, bool *ret_end)
{
	size_t token, n, dist;

	if (d->in == d->in_end)
		return false;
	token = n = *d->in++;
	if (token >= FAR && token < NEAR)
		return decode_far_mid(d, token, ret_end);
	if (token < FAR && d->literals == 0)
		return read_length(d, 15, &n) && copy_literals(d, n + 3);
	if (d->in == d->in_end)
		return false;
	if (token >= NEAR) {
		dist = 1 + (token >> 2 & 7) + ((size_t)*d->in++ << 3);
		n = 1 + (token >> 5);
	} else {
		n = d->literals <= SS_MAX ? 2 : 3;
		dist = (n == 2 ? 1 : 1 + NEAR_DIST) + (token >> 2) + ((size_t)*d->in++ << 2);
	}
	return copy_back(d, dist, n) && copy_literals(d, token & SS_MAX);
}

/* What a round of decode_fast reads and writes at most. */
enum { FAST_IN = 4 + 1 + RUN_MAX, FAST_OUT = MID_MAX + RUN_MAX };

/* The literals of an instruction, or the run after one without; false if it is a long one. */
static inline bool fast_literals(struct decoder *d, size_t ss)
{
	d->literals = ss;
	if (ss || *d->in >= FAR) {
		memcpy(d->out, d->in, 4);
	} else if (*d->in) {
		d->literals = *d->in++ + (size_t)SS_MAX;
		memcpy(d->out, d->in, 16);
		memcpy(d->out + 16, d->in + 16, RUN_MAX - 16);
	} else {
		return false;
	}
	d->in += d->literals;
	d->out += d->literals;
	return true;
}

/* Common instructions, until one is not, or is wrong, or is too near to an end of a buffer. */
static void decode_fast(struct decoder *decoder)
{
	struct decoder d = *decoder;
	const uint8_t *in_last = d.in_end - FAST_IN, *out_last = d.out_end - FAST_OUT;
	uint32_t not_zeros = d.with_zeros ? 0 : 1;

	while (d.in <= in_last && d.out <= out_last) {
		uint32_t v = load32(d.in), token = v & 0xff, ss = v >> 8 & SS_MAX;
		size_t n, dist, bytes = 3;

		if (token >= NEAR) {
			dist = 1 + (token >> 2 & 7) + (v >> 5 & 0x7f8);
			n = 1 + (token >> 5);
			ss = token & SS_MAX;
			bytes = 2;
			if (UNLIKELY(dist > (size_t)(d.out - d.start)))
				break;
			if (LIKELY(dist >= 8))
				store64(d.out, load64(d.out - dist));
			else
				copy_pattern(d.out, dist, n);
		} else if (token >= MID) {
			n = token - MID + 2;
			if (token == MID) { /* the length goes on: mostly in one byte */
				v >>= 8;
				n = MID_MAX + (v & 0xff);
				ss = v >> 8 & SS_MAX;
				bytes = 4;
				if (n == MID_MAX || n > (size_t)(out_last - d.out))
					break;
			}
			dist = 1 + (v >> 10 & 0x3fff);
			if (UNLIKELY(dist > (size_t)(d.out - d.start)))
				break;
			copy_wide(d.out, dist, n);
		} else if (LIKELY(((v & ZEROS_MASK) | not_zeros) == ZEROS_BITS)) {
			n = ZEROS_MIN + (token & 7) + (v >> 21 & 0x7f8);
			bytes = 4;
			if (UNLIKELY(n > (size_t)(out_last - d.out)))
				break;
			memset(d.out, 0, 32);
			if (UNLIKELY(n > 32))
				memset(d.out + 32, 0, n - 32);
		} else {
			break;
		}
		d.in += bytes;
		d.out += n;
		if (UNLIKELY(!fast_literals(&d, ss)))
			break;
	}
	*decoder = d;
}

int lzo_rle_decompress(const void *src, size_t src_len, void *dst, size_t dst_len)
{
	struct decoder d = {
		.in = src,
		.in_end = (const uint8_t *)src + src_len,
		.out = dst,
		.out_end = (uint8_t *)dst + dst_len,
		.start = dst,
	};
	bool end = false;

	if (src_len >= VERSIONED_MIN && *d.in == FIRST) {
		if (d.in[1] != VERSION)
			return -EBADMSG;
		d.with_zeros = true;
		d.in += 2;
	}
	if (in_left(&d) && *d.in > FIRST && !copy_literals(&d, (size_t)*d.in++ - FIRST))
		return -EBADMSG;
	while (!end) {
		if (in_left(&d) >= FAST_IN && out_left(&d) >= FAST_OUT)
			decode_fast(&d);
		if (!decode_one(&d, &end))
			return -EBADMSG;
	}
	return d.in == d.in_end && d.out == d.out_end ? 0 : -EBADMSG;
}
