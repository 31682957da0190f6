/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Training: take a reservoir sample of the store's own slots, make a dictionary of it, measure the
 * choices on a part it was not trained on, and let new pages go by the best.
 *
 * The sample is read out of the slots themselves, as any reader would, so writers pay nothing but a
 * count, the sample is what is stored now and not what passed by, and no buffer of pages is kept
 * between trainings. Nobody waits for it: the keeper's thread does it (keeper.c), and readers and
 * writers go on with the recipes there are.
 */
#include "internal.h"

#include "dict.h"
#include "mapping.h"

#include <stdlib.h>

enum { SAMPLE_PAGES = DICT_TRAIN_PAGES + DICT_CHECK_PAGES };

/* Slots of SAMPLE_PAGES objects drawn uniformly (Vitter's algorithm R), in random order. */
static size_t draw_slots(struct snug_store *s, struct rng *rng, uint64_t *slots)
{
	uint64_t seen = 0;
	size_t n;

	for (uint64_t i = 0; i < s->n_slots; i++) {
		uint64_t at, entry = atomic_load_explicit(&s->table[i], memory_order_relaxed);

		if (slot_kind(entry) != SLOT_OBJECT)
			continue;
		at = seen < SAMPLE_PAGES ? seen : rng_below(rng, seen + 1);
		if (at < SAMPLE_PAGES)
			slots[at] = i;
		seen++;
	}
	n = seen < SAMPLE_PAGES ? seen : SAMPLE_PAGES;
	for (size_t i = n; i > 1; i--) {
		size_t k = rng_below(rng, i);
		uint64_t swap = slots[k];

		slots[k] = slots[i - 1];
		slots[i - 1] = swap;
	}
	return n;
}

/* Their pages; a slot that is no longer an object of use is left out. Returns how many. */
static size_t read_pages(struct snug_store *s, const uint64_t *slots, size_t n, char *pages)
{
	size_t got = 0;
	uint64_t word;

	for (size_t i = 0; i < n; i++) {
		char *page = pages + got * PAGE_BYTES;
		struct stream *st = stream_get(s);

		if (!st)
			break;
		if (entry_read(s, st, slots[i], page) == 0 && !page_same_filled(page, &word))
			got++;
		stream_put(st);
	}
	return got;
}

/* The best so far of what new pages may go by, and what it costs on pages it was not trained on. */
struct choice {
	struct codec_params *params;
	struct dict_cost cost;
};

static void consider(struct choice *best, struct codec_params *params, double margin,
		     const char *pages, size_t n)
{
	struct dict_cost cost;

	if (!params || dict_measure(params, pages, n, &cost) < 0)
		return;
	if (!best->params || dict_better(&cost, &best->cost, margin))
		*best = (struct choice){params, cost};
}

/*
 * Weighs the recipe in use, for +auto none at all, and a fresh dictionary. Returns the bytes a page
 * to be expected from now on, 0 if unknown.
 */
static uint64_t choose(struct snug_store *s, const char *pages, size_t n)
{
	size_t n_check = n / 3, n_train = n - n_check;
	const char *check = pages + n_train * PAGE_BYTES;
	struct codec_params *plain = atomic_load(&s->recipes[0]);
	struct codec_params *now = atomic_load(&s->recipes[atomic_load(&s->recipe)]);
	struct codec_params *fresh = NULL;
	struct choice best = {0};

	/* Without one, the others are still to be weighed. */
	if (dict_params_train(&s->codec, pages, n_train, &fresh) < 0)
		fresh = NULL;
	if (now != plain)
		consider(&best, now, 0, check, n_check);
	if (s->codec.dict == CODEC_AUTO)
		consider(&best, plain, DICT_MARGIN, check, n_check);
	consider(&best, fresh, DICT_MARGIN, check, n_check);
	if (!best.params || best.params != fresh || recipe_install(s, fresh) < 0)
		codec_params_free(fresh);
	if (best.params == plain)
		atomic_store(&s->recipe, 0);
	return n_check && best.params ? best.cost.bytes / n_check : 0;
}

uint64_t train(struct snug_store *s, struct rng *rng)
{
	uint64_t *slots = malloc(SAMPLE_PAGES * sizeof(*slots));
	char *pages = mapping_alloc(SAMPLE_PAGES * PAGE_BYTES);
	uint64_t expected = 0;

	recipe_collect(s);
	if (slots && pages) {
		size_t n = draw_slots(s, rng, slots);

		expected = choose(s, pages, read_pages(s, slots, n, pages));
	}
	mapping_free(pages, SAMPLE_PAGES * PAGE_BYTES);
	free(slots);
	return expected;
}
