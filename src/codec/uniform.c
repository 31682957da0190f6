/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The test is the sum of squares of the byte counts (the statistic of Pearson's chi-square): for n
 * bytes drawn evenly out of 256 it is n + n(n-1)/256, with a standard deviation of about n *
 * sqrt(2/256). Order-0 entropy of 7.5 bits, a sixteenth less than 8, means a sum of at least n * n
 * / 2^7.5, far above that.
 *
 * First over 128 bytes, a test that nearly every compressible page fails (half of a heap is zeros),
 * then over 1024, which is enough to tell: counting all 4096 takes 2 us, more than lz4 takes to
 * give up.
 */
#include "uniform.h"

#include <stdint.h>

enum {
	LEAST_BYTES = 1024, /* less is not worth the trouble */
	FEW_WORDS = 16,
	/* Expected 128 + 63 with a deviation of 11; an even choice of 64 values (base64) has 382.
	 */
	FEW_SQUARES_MAX = 280,
	MANY_WORDS = 128,
	/* Expected 1024 + 4092 with a deviation of 90; entropy of 7.5 bits has 5793 and more. */
	MANY_SQUARES_MAX = 5650,
};

/* Of so many words of 8 bytes, spread over the data. */
static unsigned sum_of_squares(const uint8_t *p, size_t len, size_t words)
{
	uint16_t counts[256] = {0};
	unsigned squares = 0;

	for (size_t w = 0; w < words; w++)
		/* c squared is the sum of the first c odd numbers. */
		for (size_t i = 0; i < 8; i++)
			squares += 2u * counts[p[w * (len / words) + i]]++ + 1;
	return squares;
}

bool bytes_are_uniform(const void *data, size_t len)
{
	return len >= LEAST_BYTES && sum_of_squares(data, len, FEW_WORDS) <= FEW_SQUARES_MAX &&
	       sum_of_squares(data, len, MANY_WORDS) <= MANY_SQUARES_MAX;
}
