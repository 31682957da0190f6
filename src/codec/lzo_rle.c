/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lzo-rle, the default of zram: LZO1X with one more instruction, for runs of zeros. liblzo2 does
 * not have it, so both directions are here, from the kernel's account of the format
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
 *
 * Compressor. What a survey promises must be what zram would hold, so this makes the choices of
 * the kernel's (64-bit): the hash, which positions are tried and which remembered, how matches end.
 * Up to 48 KiB its streams are the same, byte for byte; beyond, the kernel starts anew, and this
 * does not. To match better would be easy, and would answer another question.
 *
 *   - What is before anchor is written; from there to pos are literals that wait for a match.
 *   - A table entry is less than pos, so that each is a candidate; 0 where nothing is known yet.
 *   - out <= end, and the end marker fits behind end: a stream is known to be longer than cap at
 *     the first instruction that does not fit.
 *
 * Decompressor. decode_one knows the whole format and trusts nothing. decode_fast knows the common
 * instructions only, while both buffers have room for its copies in whole words, and leaves the
 * rest to decode_one, one at a time.
 *
 *   - start <= out <= out_end, in <= in_end; only what is between is read or written.
 *   - What is written beyond out is overwritten by what follows.
 *
 * Declined: to decode near, mid and zeros by selection rather than by branches. It took 15 to 40%
 * longer: a guess hides the wait for where the next instruction is, a selection adds to it.
 */
#include "lzo_rle.h"

#include "ops.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
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

/* ---- Compressor. The put functions return the new end of the output. */

/* The bytes after a token whose length, of more than max, is not in it. */
static inline uint8_t *put_length(uint8_t *out, size_t len, size_t max)
{
	for (len -= max; UNLIKELY(len > 255); len -= 255)
		*out++ = 0;
	*out++ = (uint8_t)len;
	return out;
}

/* What comes before n literals; ss is the byte of the last instruction that may count them. */
static inline uint8_t *put_run(uint8_t *out, uint8_t *ss, size_t n)
{
	if (n <= SS_MAX)
		*ss |= (uint8_t)n;
	else
		*out++ = n <= RUN_MAX ? (uint8_t)(n - SS_MAX) : 0;
	return n <= RUN_MAX ? out : put_length(out, n, RUN_MAX);
}

static inline uint8_t *put_copy(uint8_t *out, size_t dist, size_t len)
{
	size_t max = MID_MAX, d = dist - 1;
	uint8_t token = MID;

	if (len <= NEAR_MAX && dist <= NEAR_DIST) {
		*out++ = (uint8_t)((len - 1) << 5 | (d & 7) << 2);
		*out++ = (uint8_t)(d >> 3);
		return out;
	}
	if (UNLIKELY(dist > MID_DIST)) {
		max = FAR_MAX;
		d = dist - MID_DIST;
		token = (uint8_t)(FAR | (d >> 11 & 8));
	}
	if (len <= max) {
		*out++ = (uint8_t)(token | (len - 2));
	} else {
		*out++ = token;
		out = put_length(out, len, max);
	}
	store16(out, (uint16_t)(d << 2));
	return out + 2;
}

/* At pos is what was dist bytes before it, or zeros if dist is 0. */
struct match {
	size_t pos, dist, len;
};

static inline uint8_t *put_match(uint8_t *out, const struct match *m)
{
	size_t n = m->len - ZEROS_MIN;

	if (m->dist)
		return put_copy(out, m->dist, m->len);
	store32(out, (uint32_t)(ZEROS_BITS | (n & 7) | n >> 3 << 24));
	return out + 4;
}

/* n literals and a match. Instructions are made aside to see if all fits; NULL if not. */
static __attribute__((noinline)) uint8_t *put_any(uint8_t *out, const uint8_t *end, uint8_t *ss,
						  const uint8_t *lit, size_t n,
						  const struct match *m)
{
	uint8_t run[CODEC_INPUT_MAX / 255 + 2], match[CODEC_INPUT_MAX / 255 + 5];
	size_t run_len = (size_t)(put_run(run, ss, n) - run);
	size_t match_len = m ? (size_t)(put_match(match, m) - match) : 0;

	if (run_len + n + match_len > (size_t)(end - out))
		return NULL;
	out = mempcpy(out, run, run_len);
	out = mempcpy(out, lit, n);
	return mempcpy(out, match, match_len);
}

/* The same where n is up to RUN_MAX and there is room for it: whole words of literals. */
enum { PUT_FAST_ROOM = 1 + RUN_MAX + 4, PUT_FAST_LEN = MID_MAX + 255 };

static inline uint8_t *put_fast(uint8_t *out, uint8_t *ss, const uint8_t *lit, size_t n,
				const struct match *m)
{
	if (n <= SS_MAX) {
		*ss |= (uint8_t)n;
		memcpy(out, lit, 4);
	} else {
		*out++ = (uint8_t)(n - SS_MAX);
		memcpy(out, lit, 16);
		memcpy(out + 16, lit + 16, RUN_MAX - 16);
	}
	return put_match(out + n, m);
}

/* Bytes that a and b have in common, of which 4 are known; as the kernel's, up to 7 beyond max. */
static inline size_t common(const uint8_t *a, const uint8_t *b, size_t max)
{
	size_t n = 4;

	do {
		uint64_t v = load64(a + n) ^ load64(b + n);

		if (v)
			return n + (size_t)__builtin_ctzll(v) / 8;
		n += 8;
	} while (n < max);
	return n;
}

/* Zeros from p on, of which 4 are known; no more than max, unless that is less than 4. */
static inline size_t zeros(const uint8_t *p, size_t max)
{
	size_t n = ZEROS_MIN;
	uint64_t v = 0;

	max = min_size(max, ZEROS_MAX);
	while (n < max && !(v = load64(p + n)))
		n += 8;
	if (v)
		n += (size_t)__builtin_ctzll(v) / 8;
	/* A branch that is mostly guessed right lets the search go on before n is known: 4% less
	 * time. */
	return n <= ZEROS_MIN ? ZEROS_MIN : min_size(n, max);
}

/* Does something start at pos? *from is where it was before, or pos itself for zeros. */
static inline bool probe(const uint8_t *src, size_t pos, uint16_t *table, size_t *from)
{
	uint32_t v = load32(src + pos);
	uint16_t *entry = &table[v * 0x1824429dU >> 19]; /* the kernel's hash */

	if (v == 0) { /* not remembered: a run needs no place to come from */
		*from = pos;
		return true;
	}
	*from = *entry;
	*entry = (uint16_t)pos;
	return load32(src + *from) == v && pos - *from <= FAR_DIST;
}

/*
 * The next match from pos on, where the last one ended at anchor. Each position is tried for 32
 * bytes, then ever fewer: where nothing matched for long, nothing will soon. The first 32 have a
 * loop of their own: a step that is computed from pos would delay each try until the last one's.
 */
static inline bool find(const uint8_t *src, size_t pos, size_t anchor, size_t limit,
			uint16_t *table, struct match *ret)
{
	size_t dense = min_size(anchor + 32, limit), from;

	for (; pos < dense; pos++)
		if (probe(src, pos, table, &from))
			goto found;
	for (; pos < limit; pos += 1 + (pos - anchor) / 32)
		if (probe(src, pos, table, &from))
			goto found;
	return false;
found:
	ret->pos = pos;
	ret->dist = pos - from;
	ret->len = from == pos ? zeros(src + pos, limit - pos)
			       : common(src + pos, src + from, limit - pos);
	return true;
}

/* The rule of lzo.rst: before 3 literals, such a far copy would be taken for zeros. */
static void cut_ambiguous(struct match *m)
{
	if ((m->dist & 0x803f) == 0x803f && m->len >= 261 && m->len <= 264)
		m->len = 260;
}

/* The literals after the last match, and the end marker, for which there is room at end. */
static uint8_t *put_rest(uint8_t *out, uint8_t *end, uint8_t *ss, const uint8_t *lit, size_t n,
			 bool first)
{
	if (first && n <= FIRST_RUN_MAX) {
		if (n >= (size_t)(end - out))
			return NULL;
		*out++ = (uint8_t)(FIRST + n);
		out = mempcpy(out, lit, n);
	} else {
		out = put_any(out, end, ss, lit, n, NULL);
		if (!out)
			return NULL;
	}
	return mempcpy(out, end_marker, sizeof(end_marker));
}

/* Not tried: less than LEAST; the head, as a run comes first; the tail, in which wide loads end. */
enum { LEAST = 32, HEAD = 5, TAIL = 20 };

int lzo_rle_compress(const void *source, size_t src_len, void *dst, size_t cap, void *table)
{
	const uint8_t *src = source;
	uint8_t *out = dst, *end, *ss = NULL;
	size_t limit = src_len < LEAST ? 0 : src_len - TAIL, pos = HEAD, anchor = 0;
	struct match m;

	if (cap <= 2 + sizeof(end_marker))
		return -ENOSPC;
	end = out + cap - sizeof(end_marker);
	*out++ = FIRST;
	*out++ = VERSION;
	memset(table, 0, LZO_RLE_TABLE * sizeof(uint16_t));
	for (; find(src, pos, anchor, limit, table, &m); pos = anchor = m.pos + m.len) {
		const uint8_t *lit = src + anchor;
		size_t n = m.pos - anchor;

		if (LIKELY(n <= RUN_MAX && end - out >= PUT_FAST_ROOM && m.len <= PUT_FAST_LEN &&
			   m.dist <= MID_DIST)) {
			out = put_fast(out, ss, lit, n, &m);
		} else {
			cut_ambiguous(&m);
			out = put_any(out, end, ss, lit, n, &m);
			if (!out)
				return -ENOSPC;
		}
		ss = out - (m.dist ? 2 : 3);
	}
	out = put_rest(out, end, ss, src + anchor, src_len - anchor, anchor == 0);
	return out ? (int)(out - (uint8_t *)dst) : -ENOSPC;
}

/* ---- Decompressor */

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

/* ---- The codec */

static int ctx_new(void **ret_work)
{
	*ret_work = malloc(LZO_RLE_TABLE * sizeof(uint16_t));
	return *ret_work ? 0 : -ENOMEM;
}

static int compress(void *work, const struct codec_params *p, const void *src, size_t src_len,
		    void *dst, size_t cap)
{
	return lzo_rle_compress(src, src_len, dst, cap, work);
}

static int decompress(void *work, const struct codec_params *p, const void *src, size_t src_len,
		      void *dst, size_t dst_len)
{
	return lzo_rle_decompress(src, src_len, dst, dst_len);
}

const struct codec_ops codec_lzo_rle = {
	.name = "lzo-rle",
	.about = "LZO1X with runs of zeros, the default of zram",
	.in_kernel = true,
	.ctx_new = ctx_new,
	.ctx_free = free,
	.compress = compress,
	.decompress = decompress,
};
