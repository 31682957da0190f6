/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A uniform sample of pages from a population whose size is not known before its end, in one pass.
 *
 * Algorithm L (Li, "Reservoir-sampling algorithms of time complexity O(n(1 + log(N/n)))", TOMS
 * 1994): the gap to the next page that enters is drawn, so that runs of pages cost nothing but for
 * those that do.
 */
#ifndef SNUG_SURVEY_RESERVOIR_H
#define SNUG_SURVEY_RESERVOIR_H

#include "rng.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct reservoir_item {
	uint64_t address; /* or offset in a file */
	uint32_t source;
	bool swapped;
};

struct reservoir {
	struct reservoir_item *items;
	size_t n, capacity;
	uint64_t seen; /* pages offered so far */
	uint64_t next; /* the page, counted as seen is, that enters next once it is full */
	double w;
	struct rng rng;
};

/* -ENOMEM. Costs memory only for what is taken. */
int reservoir_open(struct reservoir *r, size_t capacity, uint64_t seed);
void reservoir_close(struct reservoir *r); /* also of a zeroed one */

/* Offers count pages: first, and those that follow it in its source. */
void reservoir_offer(struct reservoir *r, struct reservoir_item first, uint64_t count);

/* Once all is offered: by source and address, so that what is together is read together. */
void reservoir_sort(struct reservoir *r);

#endif
