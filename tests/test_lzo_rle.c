/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lzo-rle against three witnesses: streams made by hand after the kernel's lzo.rst, liblzo2 for all
 * that is plain LZO1X, and check sums of what the kernel's compressor makes. Buffers are blocks of
 * their own and end where they must, so that the sanitizer build sees any byte beyond.
 */
#include "testing.h"

#include "codec.h"
#include "lzo_rle.h"

#include <errno.h>
#include <lzo/lzo1x.h>

#define BYTES(...)  ((const uint8_t[]){__VA_ARGS__})
#define END	    17, 0, 0
#define ROOM(len)   CODEC_BUFFER_BYTES(len)
#define STREAM(...) BYTES(__VA_ARGS__), sizeof(BYTES(__VA_ARGS__))

static uint16_t table[LZO_RLE_TABLE];

static void *copy_of(const void *src, size_t len)
{
	void *p = malloc(len ? len : 1);

	assert_non_null(p);
	return memcpy(p, src, len);
}

/* Decodes from and into blocks of the exact sizes; *ret_out, if asked for, is to be freed. */
static int decode(const void *src, size_t src_len, size_t dst_len, uint8_t **ret_out)
{
	uint8_t *in = copy_of(src, src_len), *out = malloc(dst_len ? dst_len : 1);
	int r;

	assert_non_null(out);
	memset(out, 0xa5, dst_len);
	r = lzo_rle_decompress(in, src_len, out, dst_len);
	free(in);
	if (ret_out)
		*ret_out = out;
	else
		free(out);
	return r;
}

static void expect(const void *src, size_t src_len, const void *wanted, size_t wanted_len)
{
	uint8_t *out;

	assert_int_equal(decode(src, src_len, wanted_len, &out), 0);
	assert_memory_equal(out, wanted, wanted_len);
	free(out);
	assert_int_equal(decode(src, src_len, wanted_len + 1, NULL), -EBADMSG);
	if (wanted_len)
		assert_int_equal(decode(src, src_len, wanted_len - 1, NULL), -EBADMSG);
}

static void expect_text(const void *src, size_t src_len, const char *wanted)
{
	expect(src, src_len, wanted, strlen(wanted));
}

static void test_decodes_each_instruction(void **state)
{
	/* First byte: 4 or more literals; 1 to 3 of them, after which a token below 16 copies 2. */
	expect_text(STREAM(21, 'a', 'b', 'c', 'd', END), "abcd");
	expect_text(STREAM(20, 'a', 'b', 'c', 2 << 2, 0, END), "abcab");
	expect_text(STREAM(20, 'a', 'b', 'c', 2 << 2 | 1, 0, 'z', END), "abcabz");
	/* A run as an instruction, with its length in the token and after it. */
	expect_text(STREAM(17, 1, 1, 'a', 'b', 'c', 'd', END), "abcd");
	expect_text(STREAM(17, 1, 0, 1, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l',
			   'm', 'n', 'o', 'p', 'q', 'r', 's', END),
		    "abcdefghijklmnopqrs");
	/* Near: 3 and 8 bytes; one that overlaps; literals after; a run after none. */
	expect_text(STREAM(21, 'a', 'b', 'c', 'd', 2 << 5 | 3 << 2, 0, END), "abcdabc");
	expect_text(STREAM(21, 'a', 'b', 'c', 'd', 7 << 5 | 3 << 2, 0, END), "abcdabcdabcd");
	expect_text(STREAM(21, 'a', 'b', 'c', 'd', 3 << 5 | 0 << 2, 0, END), "abcddddd");
	expect_text(STREAM(21, 'a', 'b', 'c', 'd', 2 << 5 | 3 << 2 | 2, 0, 'x', 'y', END),
		    "abcdabcxy");
	expect_text(STREAM(21, 'a', 'b', 'c', 'd', 2 << 5 | 3 << 2, 0, 1, 'w', 'x', 'y', 'z', END),
		    "abcdabcwxyz");
	/* Mid: in the token, beyond it. */
	expect_text(STREAM(21, 'a', 'b', 'c', 'd', 32 | 7, 3 << 2 | 1, 0, 'x', END),
		    "abcdabcdabcdax");
	expect_text(STREAM(21, 'a', 'b', 'c', 'd', 32, 3, 3 << 2, 0, END),
		    "abcdabcdabcdabcdabcdabcdabcdabcdabcdabcd");
	/* The end of nothing. */
	expect_text(STREAM(END), "");
	expect_text(STREAM(17, 1, END), "");
	/* The end has any length and any count of literals, as liblzo2 reads it; found by fuzzing.
	 */
	expect_text(STREAM(21, 'a', 'b', 'c', 'd', 18, 3, 0), "abcd");
	expect_text(STREAM(21, 'a', 'b', 'c', 'd', 23, 0, 0), "abcd");
}

/* After a literal, since as a first byte their token would be one of literals. */
static void test_decodes_zeros(void **state)
{
	uint8_t wanted[2100] = "abcd";

	expect(STREAM(17, 1, 18, 'a', 0x18, 0xfc, 0xff, 0, END), "a\0\0\0\0", 1 + 4);
	wanted[1] = wanted[2] = wanted[3] = 0;
	expect(STREAM(17, 1, 18, 'a', 0x1f, 0xfc, 0xff, 0, END), wanted, 1 + 11);
	expect(STREAM(17, 1, 18, 'a', 0x18, 0xfc, 0xff, 1, END), wanted, 1 + 12);
	expect(STREAM(17, 1, 18, 'a', 0x1f, 0xfc, 0xff, 255, END), wanted, 1 + 2051);
	memcpy(wanted, "abcd", 4);
	memcpy(wanted + 4 + 35, "xy", 2);
	expect(STREAM(17, 1, 21, 'a', 'b', 'c', 'd', 0x1f, 0xfe, 0xff, 3, 'x', 'y', END), wanted,
	       4 + 37);
	/* No literals after them, so that a run may follow. */
	expect(STREAM(17, 1, 18, 'a', 0x18, 0xfc, 0xff, 0, 1, 'a', 'b', 'c', 'd', END),
	       "a\0\0\0\0abcd", 9);
}

/* Literals for far copies to come from: a stream in out with a run of n, and the run itself. */
static size_t long_run(uint8_t *out, uint8_t *data, size_t n)
{
	size_t len = 0, rest = n - 18;

	make_data(KIND_RANDOM, n, data, n);
	out[len++] = 0;
	for (; rest > 255; rest -= 255)
		out[len++] = 0;
	out[len++] = (uint8_t)rest;
	memcpy(out + len, data, n);
	return len + n;
}

/* data is a run and what each of these makes of it. */
static void expect_after_run(size_t run, const uint8_t *tail, size_t tail_len, size_t dist,
			     size_t n)
{
	static uint8_t stream[70000], data[70000];
	size_t len = long_run(stream, data, run);

	memcpy(stream + len, tail, tail_len);
	for (size_t i = 0; i < n; i++)
		data[run + i] = data[run + i - dist];
	expect(stream, len + tail_len, data, run + n);
}

static void test_decodes_far_and_low(void **state)
{
	/* 3 bytes from 2049 on, after a run; the farthest of them. */
	expect_after_run(4000, STREAM(0, 0, END), 2049, 3);
	expect_after_run(4000, STREAM(3 << 2, 255, END), 3072, 3);
	/* The farthest near and mid; the nearest and the farthest far. */
	expect_after_run(4000, STREAM(2 << 5 | 7 << 2, 255, END), 2048, 3);
	expect_after_run(20000, STREAM(32 | 31, 0xfc, 0xff, END), 16384, 33);
	expect_after_run(20000, STREAM(16 | 7, 1 << 2, 0, END), 16385, 9);
	expect_after_run(40000, STREAM(24 | 1, 0, 0, END), 32768, 3);
	expect_after_run(60000, STREAM(24 | 3, 0xf8, 0xff, END), 0xbffe, 5);
	expect_after_run(60000, STREAM(24, 2, 0xf8, 0xff, END), 0xbffe, 11);
	/* Plain, this is a copy; what makes it zeros is the version. */
	expect_after_run(60000, STREAM(24 | 3, 0xfc, 0xff, END), 0xbfff, 5);
	/* A length in three bytes, of a copy that repeats the last one. */
	expect_after_run(4000, STREAM(32, 0, 0, 1, 0, 0, END), 1, 33 + 511);
}

static void test_rejects(void **state)
{
	const struct {
		const uint8_t *bytes;
		size_t len, dst_len;
	} bad[] = {
		{STREAM(0), 0},			     /* no end */
		{STREAM(17), 0},		     /* half an end */
		{STREAM(17, 0), 0},		     /* the same */
		{STREAM(END, 0), 0},		     /* more behind it */
		{STREAM(17, 1, END, 0), 0},	     /* more behind it */
		{STREAM(17, 2, END), 0},	     /* another version */
		{STREAM(17, 0, END), 0},	     /* a version that has no number */
		{STREAM(21, 'a', 'b', 'c', 'd'), 4}, /* no end */
		{STREAM(21, 'a', 'b', 'c'), 4},	     /* literals that are not there */
		{STREAM(21, 'a', 'b', 'c', END), 4}, /* the end is a literal */
		{STREAM(21, 'a', 'b', 'c', 'd', 0x50, 0, END),
		 7}, /* a copy from before the start */
		{STREAM(21, 'a', 'b', 'c', 'd', 0x25, 16, 0, END), 11}, /* the same */
		{STREAM(21, 'a', 'b', 'c', 'd', 0, 0, END), 7},		/* the same */
		{STREAM(17, 1, 0x18, 0xfc, 0xff), 4},	  /* zeros without their length */
		{STREAM(17, 1, 32, 0, 0, 0, 0, 0), 1000}, /* a length without an end */
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		int r = decode(bad[i].bytes, bad[i].len, bad[i].dst_len, NULL);

		if (r != -EBADMSG)
			fail_msg("stream %zu of those that are wrong: %d", i, r);
	}
	assert_int_equal(decode("", 0, 0, NULL), -EBADMSG);
	assert_int_equal(decode("", 0, 4096, NULL), -EBADMSG);
}

static void expect_stream(const void *src, size_t len, const uint8_t *wanted, size_t wanted_len)
{
	uint8_t dst[600];

	assert_int_equal(lzo_rle_compress(src, len, dst, sizeof(dst), table), wanted_len);
	assert_memory_equal(dst, wanted, wanted_len);
	expect(dst, wanted_len, src, len);
}

static void test_encodes_by_the_rules(void **state)
{
	uint8_t src[300], wanted[300] = {17, 1, 17 + 238};

	/* Short ones are literals in the first byte, for as long as it can count them. */
	expect_stream("a", 1, STREAM(17, 1, 18, 'a', END));
	expect_stream("abcdefgh", 8,
		      STREAM(17, 1, 25, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', END));
	for (size_t i = 0; i < sizeof(src); i++)
		src[i] = (uint8_t)(i * i / 2 + i);
	memcpy(wanted + 3, src, 238);
	memcpy(wanted + 3 + 238, BYTES(END), 3);
	expect_stream(src, 238, wanted, 3 + 238 + 3);
	memcpy(wanted + 2, BYTES(0, 239 - 18), 2);
	memcpy(wanted + 4, src, 239);
	memcpy(wanted + 4 + 239, BYTES(END), 3);
	expect_stream(src, 239, wanted, 4 + 239 + 3);
	/* Nothing is looked for in 31 bytes; in 32 from the sixth byte on, up to 20 from the end.
	 */
	memset(src, 'a', sizeof(src));
	memset(wanted, 'a', sizeof(wanted));
	memcpy(wanted, BYTES(17, 1, 17 + 31), 3);
	memcpy(wanted + 3 + 31, BYTES(END), 3);
	expect_stream(src, 31, wanted, 3 + 31 + 3);
	memcpy(wanted, BYTES(17, 1, 2, 'a', 'a', 'a', 'a', 'a', 32 | 10, 4 << 2, 0, 12), 12);
	memset(wanted + 12, 'a', 15);
	memcpy(wanted + 12 + 15, BYTES(END), 3);
	expect_stream(src, 32, wanted, 12 + 15 + 3);
	/* Zeros end 20 bytes before the end: 5 literals, 75 zeros, a run of 20. */
	memset(src, 0, sizeof(src));
	memcpy(src, "abcde", 5);
	memset(wanted, 0, sizeof(wanted));
	memcpy(wanted, BYTES(17, 1, 2, 'a', 'b', 'c', 'd', 'e', 0x1f, 0xfc, 0xff, 8, 0, 2), 14);
	memcpy(wanted + 14 + 20, BYTES(END), 3);
	expect_stream(src, 100, wanted, 14 + 20 + 3);
	/* A near copy of 8, which counts 2 literals; a mid one of 10; the last 20 are literals. */
	expect_stream("abcdefghabcdefgh12abcdefgh123===================", 48,
		      STREAM(17, 1, 5, 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 0xfe, 0, '1', '2',
			     32 | 8, 9 << 2, 0, 0, 2, '3', '=', '=', '=', '=', '=', '=', '=', '=',
			     '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', '=', END));
}

/* Compresses into a block of the exact cap; checks what comes back. */
static int round_trip(const uint8_t *src, size_t len, size_t cap)
{
	uint8_t *in = copy_of(src, len), *dst = malloc(cap ? cap : 1), *out;
	int r = lzo_rle_compress(in, len, dst, cap, table);

	if (r > 0) {
		assert_true((size_t)r <= cap);
		assert_int_equal(decode(dst, (size_t)r, len, &out), 0);
		assert_memory_equal(out, src, len);
		free(out);
	} else {
		assert_int_equal(r, -ENOSPC);
	}
	free(in);
	free(dst);
	return r;
}

static void test_round_trips_of_every_size(void **state)
{
	static uint8_t src[5000];

	for (enum kind kind = 0; kind < KINDS; kind++) {
		for (size_t len = 1; len <= sizeof(src); len++) {
			make_data(kind, len, src, len);
			assert_true(round_trip(src, len, ROOM(len)) > 0);
		}
	}
}

static void test_round_trips_of_large_sizes(void **state)
{
	static const size_t sizes[] = {16384, 16404, 32768, 49151, 49152,
				       49171, 49172, 65535, 65536};
	static uint8_t src[CODEC_INPUT_MAX];

	for (enum kind kind = 0; kind < KINDS; kind++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			make_data(kind, i, src, sizes[i]);
			/* So that there are copies from any distance. */
			for (size_t at = 1000; at + 9000 < sizes[i]; at += 9000)
				memcpy(src + at, src, at % 700);
			assert_true(round_trip(src, sizes[i], ROOM(sizes[i])) > 0);
		}
	}
}

/* The copy that lzo.rst forbids, as it would be read as zeros: see cut_ambiguous. */
static void test_ambiguous_far_copies(void **state)
{
	static uint8_t src[CODEC_INPUT_MAX];

	for (size_t dist = 0x803f; dist <= 0xbfff; dist += 0x40) {
		for (size_t n = 259; n <= 266; n++) {
			size_t at = 8 + dist;

			memset(src, 0, at);
			make_data(KIND_RANDOM, dist, src, 400);
			src[8] = 1;
			memcpy(src + at, src + 8, n);
			/* It ends there, and 3 literals follow. */
			memcpy(src + at + n, BYTES((uint8_t)~src[8 + n], 1, 2), 3);
			memcpy(src + at + n + 3, src + 20, 30);
			assert_true(round_trip(src, at + n + 33, ROOM(at + n + 33)) > 0);
		}
	}
}

static void test_cap_is_honoured(void **state)
{
	static uint8_t page[PAGE_BYTES];

	for (enum kind kind = 0; kind < KINDS; kind++) {
		int full;

		make_page(kind, 7, page);
		full = round_trip(page, sizeof(page), ROOM(sizeof(page)));
		assert_true(full > 0);
		assert_int_equal(round_trip(page, sizeof(page), (size_t)full), full);
		for (size_t cap = 0; cap < (size_t)full; cap++)
			assert_int_equal(round_trip(page, sizeof(page), cap), -ENOSPC);
		for (size_t cap = (size_t)full; cap < (size_t)full + 60; cap++)
			assert_int_equal(round_trip(page, sizeof(page), cap), full);
	}
}

/* Small inputs at every cap, so that each kind of instruction is the one that does not fit. */
static void test_caps_of_small_inputs(void **state)
{
	uint8_t src[400];

	for (size_t len = 1; len < sizeof(src); len += 7) {
		for (enum kind kind = 0; kind < KINDS; kind++) {
			int full;

			make_data(kind, len, src, len);
			full = round_trip(src, len, ROOM(len));
			for (size_t cap = 0; cap < (size_t)full; cap++)
				assert_int_equal(round_trip(src, len, cap), -ENOSPC);
			assert_int_equal(round_trip(src, len, (size_t)full), full);
		}
	}
}

typedef int lzo_fn(const lzo_bytep src, lzo_uint src_len, lzo_bytep dst, lzo_uintp dst_len,
		   lzo_voidp work);

static void expect_from_liblzo2(lzo_fn *fn, size_t work_bytes)
{
	static const size_t sizes[] = {1, 4, 20, 100, 239, 1000, 4096, 5000, 30000, 65536};
	static uint8_t src[CODEC_INPUT_MAX], dst[ROOM(CODEC_INPUT_MAX)];
	void *work = malloc(work_bytes);

	for (enum kind kind = 0; kind < KINDS; kind++) {
		for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
			lzo_uint len = 0;

			make_data(kind, i, src, sizes[i]);
			assert_int_equal(fn(src, sizes[i], dst, &len, work), LZO_E_OK);
			expect(dst, len, src, sizes[i]);
		}
	}
	free(work);
}

static void test_decodes_plain_lzo1x(void **state)
{
	assert_int_equal(lzo_init(), LZO_E_OK);
	expect_from_liblzo2(lzo1x_1_compress, LZO1X_1_MEM_COMPRESS);
	expect_from_liblzo2(lzo1x_1_15_compress, LZO1X_1_15_MEM_COMPRESS);
	expect_from_liblzo2(lzo1x_999_compress, LZO1X_999_MEM_COMPRESS);
}

/* What has no four zeros in a row has no zeros instruction: without its version it is plain. */
static void test_liblzo2_decodes_ours(void **state)
{
	static uint8_t src[5000], dst[ROOM(5000)], out[5000];

	assert_int_equal(lzo_init(), LZO_E_OK);
	for (enum kind kind = KIND_TEXT; kind < KINDS; kind++) {
		for (size_t len = 1; len <= sizeof(src); len += len < 500 ? 1 : 97) {
			lzo_uint got = len;
			int r;

			make_data(kind, len, src, len);
			for (size_t i = 0; i < len; i++)
				src[i] |= 1;
			r = lzo_rle_compress(src, len, dst, sizeof(dst), table);
			assert_true(r > 5);
			assert_int_equal(
				lzo1x_decompress_safe(dst + 2, (lzo_uint)r - 2, out, &got, NULL),
				LZO_E_OK);
			assert_int_equal(got, len);
			assert_memory_equal(out, src, len);
			expect(dst + 2, (size_t)r - 2, src, len);
		}
	}
}

/* Numbers of our own, so that no change to testing.h can change what the kernel was asked. */
static void make_heap(uint32_t seed, uint8_t *dst, size_t len)
{
	uint32_t x = seed * 2654435761U + 1, n = 0, kind = 0;

	for (size_t i = 0; i < len; i++) {
		if (n-- == 0) {
			x = x * 1664525 + 1013904223;
			n = x >> 24 & 63;
			kind = x >> 16 & 7;
		}
		if (kind < 2)
			dst[i] = 0;
		else if (kind == 2 && i >= 40000)
			dst[i] = dst[i - 39000];
		else if (kind == 2 && i >= 17000)
			dst[i] = dst[i - 16500];
		else if (kind < 5 && i >= 4000)
			dst[i] = dst[i - 40 * (kind + seed) - 8];
		else if (kind < 5 && i >= 160)
			dst[i] = dst[i - 40 * kind + 16];
		else
			dst[i] = (uint8_t)((x = x * 1664525 + 1013904223) >> (kind == 7 ? 24 : 30));
	}
}

static uint32_t fnv(const uint8_t *p, size_t n)
{
	uint32_t h = 2166136261U;

	while (n--)
		h = (h ^ *p++) * 16777619;
	return h;
}

/* Made by lzorle1x_1_compress of Linux 6.1, which is that of 6.18 as far as the stream goes. */
static const struct {
	uint32_t seed;
	size_t len, stream_len;
	uint32_t sum;
} kernel_streams[] = {
	{1, 31, 37, 0x903bb1b9},       {2, 32, 40, 0x675ba50c},
	{3, 100, 87, 0x402c9b67},      {4, 1000, 487, 0x0d0e6256},
	{5, 4096, 1546, 0x8791867b},   {6, 4096, 1923, 0x91878168},
	{7, 4096, 1477, 0xfc2e94a9},   {8, 4096, 1443, 0x80711a1b},
	{9, 5000, 2220, 0x7e6b40c5},   {10, 16384, 6498, 0x8033ec2c},
	{11, 20000, 7205, 0x1beecdd7}, {12, 49151, 18447, 0x09bd33c6},
};

static void test_streams_are_the_kernels(void **state)
{
	static uint8_t src[49151], dst[ROOM(49151)];

	for (size_t i = 0; i < sizeof(kernel_streams) / sizeof(*kernel_streams); i++) {
		size_t len = kernel_streams[i].len;
		int r;

		make_heap(kernel_streams[i].seed, src, len);
		r = lzo_rle_compress(src, len, dst, sizeof(dst), table);
		assert_int_equal(r, kernel_streams[i].stream_len);
		assert_int_equal(fnv(dst, (size_t)r), kernel_streams[i].sum);
		expect(dst, (size_t)r, src, len);
	}
}

/* Streams to break: ours and a plain one of the most thorough compressor, which uses all there is.
 */
static size_t make_stream(enum kind kind, size_t len, uint8_t *dst, bool plain)
{
	static uint8_t src[PAGE_BYTES], work[LZO1X_999_MEM_COMPRESS];
	lzo_uint n = 0;

	make_data(kind, 3, src, len);
	if (!plain)
		return (size_t)lzo_rle_compress(src, len, dst, ROOM(len), table);
	assert_int_equal(lzo1x_999_compress(src, len, dst, &n, work), LZO_E_OK);
	return n;
}

static void test_truncated_streams(void **state)
{
	static uint8_t dst[ROOM(PAGE_BYTES)];

	for (enum kind kind = 0; kind < KINDS; kind++) {
		for (int plain = 0; plain < 2; plain++) {
			size_t n = make_stream(kind, PAGE_BYTES, dst, plain);

			for (size_t len = 0; len < n; len++)
				assert_int_equal(decode(dst, len, PAGE_BYTES, NULL), -EBADMSG);
			assert_int_equal(decode(dst, n, PAGE_BYTES, NULL), 0);
		}
	}
}

static void test_flipped_bytes(void **state)
{
	static const uint8_t flips[] = {1, 2, 4, 8, 16, 32, 64, 128, 255};
	static uint8_t dst[ROOM(PAGE_BYTES)];

	for (enum kind kind = 0; kind < KINDS; kind++) {
		for (int plain = 0; plain < 2; plain++) {
			size_t n = make_stream(kind, 1200, dst, plain);

			for (size_t i = 0; i < n * sizeof(flips); i++) {
				int r;

				dst[i / sizeof(flips)] ^= flips[i % sizeof(flips)];
				r = decode(dst, n, 1200, NULL);
				assert_true(r == 0 || r == -EBADMSG);
				dst[i / sizeof(flips)] ^= flips[i % sizeof(flips)];
			}
		}
	}
}

static void test_random_bytes(void **state)
{
	uint8_t src[200];

	for (uint64_t seed = 0; seed < 50000; seed++) {
		size_t len = seed % sizeof(src);
		int r;

		make_data(seed % 5 ? KIND_RANDOM : KIND_RUNS, seed, src, len);
		if (seed % 2 && len > 2)
			memcpy(src, BYTES(17, 1), 2);
		r = decode(src, len, seed % 700, NULL);
		assert_true(r == 0 || r == -EBADMSG);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decodes_each_instruction),
		cmocka_unit_test(test_decodes_zeros),
		cmocka_unit_test(test_decodes_far_and_low),
		cmocka_unit_test(test_rejects),
		cmocka_unit_test(test_encodes_by_the_rules),
		cmocka_unit_test(test_round_trips_of_every_size),
		cmocka_unit_test(test_round_trips_of_large_sizes),
		cmocka_unit_test(test_ambiguous_far_copies),
		cmocka_unit_test(test_cap_is_honoured),
		cmocka_unit_test(test_caps_of_small_inputs),
		cmocka_unit_test(test_decodes_plain_lzo1x),
		cmocka_unit_test(test_liblzo2_decodes_ours),
		cmocka_unit_test(test_streams_are_the_kernels),
		cmocka_unit_test(test_truncated_streams),
		cmocka_unit_test(test_flipped_bytes),
		cmocka_unit_test(test_random_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
