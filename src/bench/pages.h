/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pages that a benchmark works on: read from a file, or generated. */
#ifndef SNUG_BENCH_PAGES_H
#define SNUG_BENCH_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct err;

/* n pages of 4096 bytes one after another, at an address that direct I/O takes. Zeroed: none. */
struct page_set {
	unsigned char *data;
	size_t n;
	size_t padded_bytes; /* zeros that fill up the last page */
	char source[256];    /* "heap.bin", "mix:64M" */
};

/* A regular file, whole. ERR_USAGE if it is unreadable, empty or larger than half of RAM. */
int pages_load(const char *path, struct page_set *ret, struct err *e);

/* "KIND:SIZE", see generate.h for the kinds; the same seed gives the same pages. */
int pages_generate(const char *text, uint64_t seed, struct page_set *ret, struct err *e);

/* For the caller's own use (tests): n zeroed pages. -ENOMEM. */
int pages_alloc(size_t n, struct page_set *ret);
void pages_free(struct page_set *p);

#endif
