/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recipes: how an object was made, by a number that each slot keeps. A retrained dictionary is a
 * new recipe; slots made by an old one keep it alive.
 *
 * When may params be freed? A writer picks the current recipe while it holds a stream, and counts
 * the slot in that stream before it lets go. So once a recipe is no longer current and every stream
 * has been free since (stream_quiesce), its count can only fall; streams are summed one after
 * another, which then can err only upwards, and zero is zero. Readers hold their slot locked, which
 * keeps it counted.
 *
 * Only the keeper's thread, open, reset and close call anything here.
 */
#include "internal.h"

#include <errno.h>

int recipe_install(struct snug_store *s, struct codec_params *params)
{
	for (unsigned i = 0; i < SLOT_RECIPES; i++) {
		if (atomic_load_explicit(&s->recipes[i], memory_order_relaxed))
			continue;
		atomic_store_explicit(&s->recipes[i], params, memory_order_release);
		atomic_store(&s->recipe, i);
		if (i) {
			atomic_fetch_add(&s->dict_bytes, codec_params_bytes(params));
			atomic_fetch_add(&s->dict_generations, 1);
		}
		return 0;
	}
	return -ENOSPC;
}

static int64_t live_slots(const struct snug_store *s, unsigned recipe)
{
	int64_t sum = 0;

	for (unsigned i = 0; i < s->n_streams; i++)
		sum += atomic_load_explicit(&s->streams[i].recipe_live[recipe],
					    memory_order_acquire);
	return sum;
}

static void free_recipe(struct snug_store *s, unsigned i)
{
	struct codec_params *params = atomic_exchange(&s->recipes[i], NULL);

	if (params && i)
		atomic_fetch_sub(&s->dict_bytes, codec_params_bytes(params));
	codec_params_free(params);
}

void recipe_collect(struct snug_store *s)
{
	stream_quiesce(s);
	for (unsigned i = 1; i < SLOT_RECIPES; i++)
		if (i != atomic_load(&s->recipe) && atomic_load(&s->recipes[i]) &&
		    live_slots(s, i) == 0)
			free_recipe(s, i);
}

uint64_t recipe_stale_slots(const struct snug_store *s)
{
	unsigned now = atomic_load(&s->recipe);
	int64_t stale = 0;

	for (unsigned i = 0; i < SLOT_RECIPES; i++)
		stale += i == now ? 0 : live_slots(s, i);
	/* Huge pages are kept under recipe 0 whatever was tried. */
	if (now)
		stale -= stream_sum(s, COUNT_HUGE_PAGES);
	return stale < 0 ? 0 : (uint64_t)stale;
}

void recipe_forget(struct snug_store *s)
{
	atomic_store(&s->recipe, 0);
	for (unsigned i = 1; i < SLOT_RECIPES; i++)
		free_recipe(s, i);
}

void recipe_teardown(struct snug_store *s)
{
	recipe_forget(s);
	free_recipe(s, 0);
}
