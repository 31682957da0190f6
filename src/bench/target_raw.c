/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The limit that a store can come near to: the codec, and the least that any store has to do
 * besides.
 *
 * Memory is laid out as in a store that is full and perfectly packed: one array in which the
 * compressed bytes of consecutive pages lie one behind the other, and a table of 8 bytes a slot
 * that says where. Same-filled pages are told apart as everywhere (or zeros, which the codecs take
 * long for, would make the limit slower than the store), and the codec has the same cap. A write
 * compresses into a scratch buffer and copies to the page's place; a read decompresses from there.
 * No locks, no allocation, no statistics.
 *
 * Each worker's part of the slots has its own part of the array, which is reserved for
 * incompressible pages and touched only as far as it is used. Codecs are deterministic, so an
 * overwrite with the same page has the same length and fits where the first write put it; another
 * length is -EPROTO.
 */
#include "target.h"

#include "codec.h"
#include "dict.h"
#include "err.h"
#include "mapping.h"
#include "page.h"
#include "pages.h"
#include "pool.h"
#include "rng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { SAMPLE_PAGES = DICT_TRAIN_PAGES + DICT_CHECK_PAGES, SAMPLE_SEED = 7 };

/* Where a slot's bytes are. For same-filled pages (length 0), the offset of the word. */
struct place {
	uint64_t offset : 48;
	uint64_t length : 15;
	uint64_t used : 1;
};

struct hand { /* of one worker */
	_Alignas(64) struct codec_ctx *ctx;
	unsigned char *scratch;
	uint64_t end;  /* of what it has placed in the array */
	uint64_t room; /* bytes that it may still place */
	bool begun;
};

struct raw {
	struct codec_params *params;
	size_t cap; /* longest result that counts as compressed */
	uint64_t n_slots;
	uint64_t mem_limit_bytes;
	unsigned char *array; /* a region for each worker */
	size_t region_bytes;
	unsigned n_hands_max;
	struct place *places;
	unsigned n_hands;
	struct hand *hands;
};

static int raw_close(void *target, struct err *e)
{
	struct raw *t = target;

	if (!t)
		return 0;
	for (unsigned i = 0; t->hands && i < t->n_hands; i++) {
		codec_ctx_free(t->hands[i].ctx);
		mapping_free(t->hands[i].scratch, CODEC_BUFFER_BYTES(PAGE_BYTES));
	}
	free(t->hands);
	codec_params_free(t->params);
	mapping_free(t->array, t->n_hands_max * t->region_bytes);
	mapping_free(t->places, t->n_slots * sizeof(*t->places));
	free(t);
	return 0;
}

/* Pages drawn uniformly that are not same-filled, with replacement; returns how many. */
static size_t draw_sample(const struct page_set *pages, unsigned char *sample)
{
	struct rng rng = {SAMPLE_SEED};
	size_t n = 0;
	uint64_t word;

	for (size_t tries = 0; n < SAMPLE_PAGES && tries < 8 * SAMPLE_PAGES; tries++) {
		const unsigned char *page = pages->data + rng_below(&rng, pages->n) * PAGE_BYTES;

		if (!page_same_filled(page, &word))
			memcpy(sample + n++ * PAGE_BYTES, page, PAGE_BYTES);
	}
	return n;
}

static int make_params(struct raw *t, const struct target_setup *setup)
{
	const struct codec_spec *spec = &setup->config->spec;
	unsigned char *sample;
	int r;

	if (spec->dict == CODEC_PLAIN)
		return codec_params_new(spec, NULL, 0, &t->params);
	sample = mapping_alloc(SAMPLE_PAGES * PAGE_BYTES);
	if (!sample)
		return -ENOMEM;
	r = dict_params_from_sample(spec, sample, draw_sample(setup->pages, sample), &t->params);
	mapping_free(sample, SAMPLE_PAGES * PAGE_BYTES);
	return r;
}

/* The cap of the default pool, whose contract knows it only of an open one. */
static int find_cap(size_t *ret, struct err *e)
{
	const struct pool_options options = {.capacity_bytes = 1 << 20};
	struct pool *pool;
	int r = pool_open(pool_at(0), &options, &pool, e);

	if (r < 0)
		return r;
	*ret = pool_huge_size(pool) - 1;
	pool_close(pool);
	return 0;
}

static int make_hands(struct raw *t, const struct target_config *config)
{
	int r = 0;

	t->hands = aligned_alloc(_Alignof(struct hand), config->threads * sizeof(*t->hands));
	if (!t->hands)
		return -ENOMEM;
	memset(t->hands, 0, config->threads * sizeof(*t->hands));
	for (t->n_hands = 0; r == 0 && t->n_hands < config->threads; t->n_hands++) {
		struct hand *h = &t->hands[t->n_hands];

		h->room = t->mem_limit_bytes ? t->mem_limit_bytes / config->threads : UINT64_MAX;
		h->scratch = mapping_alloc(CODEC_BUFFER_BYTES(PAGE_BYTES));
		r = h->scratch ? codec_ctx_new(config->spec.ops, &h->ctx) : -ENOMEM;
	}
	return r;
}

static int raw_open(const struct target_setup *setup, void **ret, struct err *e)
{
	struct raw *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return err_failed(e, -ENOMEM, "out of memory");
	t->n_slots = setup->n_slots;
	t->mem_limit_bytes = setup->mem_limit_bytes;
	/* A worker has its share of the chunks, and perhaps one more. */
	t->n_hands_max = setup->config->threads;
	t->region_bytes = (t->n_slots / t->n_hands_max + TARGET_CHUNK) * PAGE_BYTES;
	t->array = mapping_alloc(t->n_hands_max * t->region_bytes);
	t->places = mapping_alloc(t->n_slots * sizeof(*t->places));
	r = t->array && t->places ? codec_init() : -ENOMEM;
	if (r == 0)
		r = make_params(t, setup);
	if (r == 0)
		r = make_hands(t, setup->config);
	if (r < 0)
		err_failed(e, r, "cannot set up the bare codec %s: %s", setup->config->codec,
			   err_name(r));
	if (r == 0)
		r = find_cap(&t->cap, e);
	if (r < 0) {
		raw_close(t, NULL);
		return r;
	}
	*ret = t;
	return 0;
}

/*
 * Puts bytes where the slot's bytes are, or, the first time, behind those of the worker's last
 * slot.
 */
static int put(struct raw *t, struct hand *h, uint64_t slot, const void *data, size_t stored,
	       size_t length)
{
	struct place *p = &t->places[slot];

	if (!p->used) {
		if (stored > h->room)
			return -ENOMEM;
		h->room -= stored;
		*p = (struct place){.offset = h->end, .length = length, .used = 1};
		h->end += stored;
	} else if (p->length != length) {
		return -EPROTO;
	}
	memcpy(t->array + p->offset, data, stored);
	return 0;
}

static int write_page(struct raw *t, struct hand *h, uint64_t slot, const unsigned char *page)
{
	uint64_t word;
	int len;

	if (page_same_filled(page, &word))
		return put(t, h, slot, &word, sizeof(word), 0);
	len = codec_compress(h->ctx, t->params, page, PAGE_BYTES, h->scratch, t->cap);
	if (len == -ENOSPC)
		return put(t, h, slot, page, PAGE_BYTES, PAGE_BYTES);
	return len < 0 ? len : put(t, h, slot, h->scratch, (size_t)len, (size_t)len);
}

static int raw_write(void *target, unsigned worker, uint64_t slot, const void *pages, size_t n)
{
	struct raw *t = target;
	struct hand *h = &t->hands[worker];
	int r = 0;

	if (!h->begun) {
		h->begun = true;
		h->end = worker * t->region_bytes;
	}
	for (size_t i = 0; r == 0 && i < n; i++)
		r = write_page(t, h, slot + i, (const unsigned char *)pages + i * PAGE_BYTES);
	return r;
}

static int read_page(const struct raw *t, const struct hand *h, uint64_t slot, unsigned char *page)
{
	const struct place *p = &t->places[slot];
	const unsigned char *data = t->array + p->offset;
	uint64_t word;

	if (p->length == 0) {
		memcpy(&word, data, sizeof(word));
		page_fill(page, word);
		return 0;
	}
	if (p->length == PAGE_BYTES) {
		memcpy(page, data, PAGE_BYTES);
		return 0;
	}
	return codec_decompress(h->ctx, t->params, data, p->length, page, PAGE_BYTES);
}

static int raw_read(void *target, unsigned worker, uint64_t slot, void *pages, size_t n)
{
	struct raw *t = target;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = read_page(t, &t->hands[worker], slot + i,
			      (unsigned char *)pages + i * PAGE_BYTES);
	return r;
}

static int raw_measure(void *target, struct footprint *ret, struct err *e)
{
	const struct raw *t = target;
	struct footprint f = {
		.orig_bytes = t->n_slots * PAGE_BYTES,
		.meta_bytes = t->n_slots * sizeof(*t->places) + codec_params_bytes(t->params),
		.dict_bytes = codec_params_bytes(t->params),
	};

	for (uint64_t i = 0; i < t->n_slots; i++) {
		f.same_pages += t->places[i].length == 0;
		f.huge_pages += t->places[i].length == PAGE_BYTES;
		f.compr_bytes += t->places[i].length;
	}
	f.mem_used_bytes = f.compr_bytes + f.same_pages * sizeof(uint64_t);
	*ret = f;
	return 0;
}

const struct target_ops target_raw = {
	.name = "raw",
	.about = "the bare codec loop: the limit",
	.by_codec = true,
	.open = raw_open,
	.close = raw_close,
	.write = raw_write,
	.read = raw_read,
	.measure = raw_measure,
};
