/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What compressed memory would give on this machine: taken (survey_run), then shown (pure functions
 * on the result). */
#ifndef SNUG_SURVEY_H
#define SNUG_SURVEY_H

#include "facts.h"
#include "measure.h"
#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct err;

/* What the survey is over when nobody says otherwise: what kernels offer, then what the engine
 * adds. */
#define SURVEY_CODECS	    "lzo-rle,lzo,lz4,lz4hc,zstd:1,zstd,zstd:1+auto,zstd:3+dict,deflate:1"
#define SURVEY_SAMPLE_BYTES ((uint64_t)256 << 20)

struct survey {
	struct facts machine;
	struct sample sample; /* its pages are still there, until survey_free */
	size_t same_pages;
	struct measure_result *codecs;
	size_t n_codecs;
};

/* q->available_bytes is filled in from the machine. Progress is drawn on a terminal. */
int survey_run(const struct sample_request *q, const struct codec_spec *specs, size_t n_specs,
	       struct survey *ret, struct err *e);
void survey_free(struct survey *s); /* also of a zeroed one */

/* Pages over memory: 0 where nothing is held. */
double survey_ratio(const struct survey *s, uint64_t bytes);
/*
 * What `budget` bytes of RAM hold, in bytes of pages, where this sample took mem bytes of which
 * fixed stay the same however many pages there are. 0 where nothing is held.
 */
uint64_t survey_holds(const struct survey *s, uint64_t budget, uint64_t mem, uint64_t fixed);
/* The same of 1 GiB for a codec in snug's engine and in kernel zram; 0 without prediction. */
uint64_t survey_gib_holds(const struct survey *s, const struct measure_result *c);
uint64_t survey_kernel_gib_holds(const struct survey *s, const struct measure_result *c);
/* The codec of the list that needs the least memory in snug's engine; NULL if the list is empty. */
const struct measure_result *survey_densest(const struct survey *s);
/* The one that this kernel offers for certain and whose zram would need the least; NULL for none.
 */
const struct measure_result *survey_densest_of_kernel(const struct survey *s);

/* {"schema":"snug.survey/1",...}, one object and a newline; units are in the names. -ENOMEM, -EIO.
 */
int survey_write_json(const struct survey *s, FILE *out);

/* Sizes as people read them, or in bytes. */
void survey_print_sample(const struct survey *s, bool bytes, FILE *out);
void survey_print_machine(const struct survey *s, bool bytes, FILE *out);
/* Two or three sentences: what it means for this machine. */
void survey_print_meaning(const struct survey *s, FILE *out);

#endif
