/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each codec makes of a sample: size, memory with all overhead, time a page. */
#ifndef SNUG_SURVEY_MEASURE_H
#define SNUG_SURVEY_MEASURE_H

#include "codec.h"
#include "zsmalloc_model.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;

/* The pages, and what is known of them before any codec. */
struct measure_pages {
	const unsigned char *data;
	size_t n;
	bool *same; /* n of them: same-filled, which no codec sees */
	size_t n_same;
	size_t *order; /* indexes of the others, shuffled: dictionaries are trained on its beginning
			*/
	size_t n_order;
};

/* data is borrowed. -ENOMEM. */
int measure_pages_open(const unsigned char *data, size_t n, uint64_t seed,
		       struct measure_pages *ret);
void measure_pages_close(struct measure_pages *p); /* also of a zeroed one */

struct measure_result {
	char name[CODEC_NAME_MAX];
	const char *kernel_name; /* the kernel's name for what the spec says; NULL if it has no such
				    thing */
	bool kernel_approximate; /* the kernel has another implementation: its figures are near, not
				    equal */
	bool dict_in_use;	 /* of +dict and +auto: did one pay? */

	uint64_t compr_bytes;	 /* of the objects; huge pages count whole */
	uint64_t pool_bytes;	 /* pages that snug's pool holds for them */
	uint64_t meta_bytes;	 /* slot table, descriptors, dictionary */
	uint64_t mem_used_bytes; /* pool_bytes + meta_bytes */
	uint64_t
		fixed_bytes; /* the part that does not grow with the pages stored: the dictionary */
	uint64_t huge_pages;

	int64_t kernel_compr_bytes; /* what mm_stat of kernel zram would show; -1 without prediction
				     */
	int64_t kernel_mem_used_bytes;
	int64_t kernel_fixed_bytes; /* as fixed_bytes: the last zspages of its classes */
	int64_t kernel_huge_pages;

	/* A page, same-filled ones aside; all 0 if there are no others. */
	double compress_ns_p50, compress_ns_p99, decompress_ns_p50, decompress_ns_p99;
	/* On one core, 10^9 bytes of pages a second, over all but the slowest hundredth. */
	double compress_gb_s, decompress_gb_s;
};

/*
 * Every page is compressed, put in a pool, taken out, decompressed and compared. rules: NULL for no
 * prediction. done is called with the pages finished so far, of 2 * n a codec.
 */
int measure_codec(const struct measure_pages *p, const struct codec_spec *spec,
		  const struct zsmalloc_rules *rules, void (*done)(void *arg, uint64_t pages),
		  void *arg, struct measure_result *ret, struct err *e);

#endif
