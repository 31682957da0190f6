/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compressor of lzo-rle. What a survey promises must be what zram would hold, so this makes the
 * choices of the kernel's (64-bit): the hash, which positions are tried and which remembered, how
 * matches end. Up to 48 KiB its streams are the same, byte for byte; beyond, the kernel starts
 * anew, and this does not. To match better would be easy, and would answer another question.
 *
 *   - What is before anchor is written; from there to pos are literals that wait for a match.
 *   - A table entry is less than pos, so that each is a candidate; 0 where nothing is known yet.
 *   - out <= end, and the end marker fits behind end: a stream is known to be longer than cap at
 *     the first instruction that does not fit.
 */
#include "codec.h"
#include "lzo_rle.h"
#include "lzo_rle_format.h"

#include <errno.h>
#include <stdbool.h>

/* The put functions return the new end of the output. */

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
