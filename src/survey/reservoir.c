/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "reservoir.h"

#include "mapping.h"
#include "page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* Uniform in (0, 1): never 0, whose logarithm is none. */
static double uniform(struct rng *rng)
{
	return ((double)(rng_next(rng) >> 11) + 0.5) * 0x1p-53;
}

static void draw_next(struct reservoir *r)
{
	double gap;

	r->w *= exp(log(uniform(&r->rng)) / (double)r->capacity);
	gap = floor(log(uniform(&r->rng)) / log1p(-r->w));
	/* A gap beyond any population, also where w has become 0. */
	r->next += gap < 0x1p62 ? (uint64_t)gap + 1 : UINT64_C(1) << 62;
}

int reservoir_open(struct reservoir *r, size_t capacity, uint64_t seed)
{
	*r = (struct reservoir){.capacity = capacity, .w = 1, .rng = {seed}};
	r->items = mapping_alloc(capacity * sizeof(*r->items));
	if (!r->items)
		return -ENOMEM;
	r->next = capacity - 1;
	draw_next(r);
	return 0;
}

void reservoir_close(struct reservoir *r)
{
	mapping_free(r->items, r->capacity * sizeof(*r->items));
	*r = (struct reservoir){0};
}

static struct reservoir_item nth(struct reservoir_item first, uint64_t n)
{
	first.address += n * PAGE_BYTES;
	return first;
}

void reservoir_offer(struct reservoir *r, struct reservoir_item first, uint64_t count)
{
	uint64_t i = 0;

	for (; i < count && r->n < r->capacity; i++)
		r->items[r->n++] = nth(first, i);
	while (r->next - r->seen < count) {
		r->items[rng_below(&r->rng, r->capacity)] = nth(first, r->next - r->seen);
		draw_next(r);
	}
	r->seen += count;
}

static int by_place(const void *a, const void *b)
{
	const struct reservoir_item *x = a, *y = b;

	if (x->source != y->source)
		return x->source < y->source ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

void reservoir_sort(struct reservoir *r)
{
	qsort(r->items, r->n, sizeof(*r->items), by_place);
}
