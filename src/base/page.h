/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The unit of everything here: a page of 4 KiB, whatever the machine's own page size. */
#ifndef SNUG_BASE_PAGE_H
#define SNUG_BASE_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define PAGE_SHIFT 12
#define PAGE_BYTES ((size_t)1 << PAGE_SHIFT)
#define PAGE_WORDS (PAGE_BYTES / sizeof(uint64_t))

/*
 * Is the page one machine word repeated? *ret_word is set if so. page need not be aligned. Most
 * pages are told apart by their first and last words; the rest is 64 bytes a step, which the
 * compiler turns into vector code.
 */
static inline bool page_same_filled(const void *page, uint64_t *ret_word)
{
	const unsigned char *p = page;
	uint64_t first, last, w[8];

	memcpy(&first, p, sizeof(first));
	memcpy(&last, p + PAGE_BYTES - sizeof(last), sizeof(last));
	if (first != last)
		return false;
	for (size_t i = 0; i < PAGE_BYTES; i += sizeof(w)) {
		uint64_t diff = 0;

		memcpy(w, p + i, sizeof(w));
		for (int k = 0; k < 8; k++)
			diff |= w[k] ^ first;
		if (diff)
			return false;
	}
	*ret_word = first;
	return true;
}

static inline void page_fill(void *page, uint64_t word)
{
	unsigned char *p = page;

	for (size_t i = 0; i < PAGE_BYTES; i += sizeof(word))
		memcpy(p + i, &word, sizeof(word));
}

#endif
