/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Dictionaries trained on pages, and whether one pays. Pages are 4096 bytes each, one after
 * another.
 */
#ifndef SNUG_CODEC_DICT_H
#define SNUG_CODEC_DICT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct codec_params;
struct codec_spec;

#define DICT_BYTES	 ((size_t)8 << 10) /* see dict.c for why so small */
#define DICT_TRAIN_PAGES 192 /* a sample that is enough to train on: 64 are within 3% of 512 */
#define DICT_CHECK_PAGES 96  /* and to measure on */

/*
 * A dictionary for spec's codec into dict, which has max_len bytes. -ENODATA when the pages have
 * nothing in common, or are too few, to make one of.
 */
int dict_train(const struct codec_spec *spec, const void *pages, size_t n_pages, size_t max_len,
	       void *dict, size_t *ret_len);

/* Params with such a dictionary; errors likewise. */
int dict_params_train(const struct codec_spec *spec, const void *pages, size_t n_pages,
		      struct codec_params **ret);

/* What compressing some pages costs. */
struct dict_cost {
	uint64_t bytes; /* compressed; a page that does not compress counts whole */
	uint64_t ns;	/* CPU time, compression and decompression */
};

int dict_measure(const struct codec_params *p, const void *pages, size_t n_pages,
		 struct dict_cost *ret);

/* Is a clearly better than b, by size first and then by time? Two close ones are neither. */
#define DICT_MARGIN 0.01 /* what a difference must be to mean anything: 1% of size */
bool dict_better(const struct dict_cost *a, const struct dict_cost *b, double margin);

/*
 * The whole of it for a sample at rest: trains on the first two thirds, measures on the last, and
 * for CODEC_AUTO keeps what is better. *ret is params with or without a dictionary.
 */
int dict_params_from_sample(const struct codec_spec *spec, const void *pages, size_t n_pages,
			    struct codec_params **ret);

#endif
