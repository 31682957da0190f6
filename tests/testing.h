/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests share: cmocka in the order it wants, seeded pages of many kinds. */
#ifndef SNUG_TESTS_TESTING_H
#define SNUG_TESTS_TESTING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "page.h"
#include "rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum kind {
	KIND_ZERO,
	KIND_FILLED, /* one word, repeated */
	KIND_TEXT,
	KIND_POINTERS,
	KIND_SPARSE, /* mostly zeros */
	KIND_RUNS,
	KIND_RANDOM,
	KIND_HALF_RANDOM,
	KINDS,
};

/* len bytes of that kind; the same seed gives the same bytes. */
static inline void make_data(enum kind kind, uint64_t seed, void *dst, size_t len)
{
	static const char *const words[] = {"memory ", "page ",	  "compressed ", "the ",
					    "of ",     "kernel ", "swap ",	 "slot\n"};
	struct rng r = {.state = seed * KINDS + (uint64_t)kind};
	unsigned char *p = dst;
	uint64_t word = rng_next(&r);

	for (size_t i = 0; i < len;) {
		unsigned char chunk[16];
		size_t n = 8;
		uint64_t v = rng_next(&r);

		switch (kind) {
		case KIND_ZERO:
			v = 0;
			break;
		case KIND_FILLED:
			v = word;
			break;
		case KIND_POINTERS:
			v = v % 3 ? 0x7f3a00000000 + (v >> 40) % 4096 * 16 : v >> 60;
			break;
		case KIND_SPARSE:
			v = v % 16 ? 0 : v >> 32;
			break;
		case KIND_HALF_RANDOM:
			v = i < len / 2 ? v : 0;
			break;
		default:
			break;
		}
		memcpy(chunk, &v, 8);
		if (kind == KIND_TEXT) {
			n = strlen(words[v % 8]);
			memcpy(chunk, words[v % 8], n);
		} else if (kind == KIND_RUNS) {
			n = 1 + v % 16;
			memset(chunk, (int)(v >> 56) & 3, n);
		}
		if (n > len - i)
			n = len - i;
		memcpy(p + i, chunk, n);
		i += n;
	}
}

/* A fresh page that is not same-filled unless the kind is. */
static inline void make_page(enum kind kind, uint64_t seed, void *page)
{
	make_data(kind, seed, page, PAGE_BYTES);
}

#endif
