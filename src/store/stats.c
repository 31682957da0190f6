/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Statistics: streams and the pool summed up under the kernel's names. */
#include "internal.h"

/* Sums over streams that are at work may for a moment be below zero. */
static uint64_t total(const struct snug_store *s, enum counter c)
{
	int64_t sum = stream_sum(s, c);

	return sum < 0 ? 0 : (uint64_t)sum;
}

void snug_store_get_stats(struct snug_store *s, struct snug_store_stats *ret)
{
	struct pool_usage u;
	uint64_t dict_bytes = atomic_load(&s->dict_bytes);

	pool_get_usage(s->pool, &u);
	*ret = (struct snug_store_stats){
		.orig_data_size = total(s, COUNT_PAGES_STORED) * PAGE_BYTES,
		.compr_data_size = total(s, COUNT_COMPR_BYTES),
		.mem_used_total = u.pages_held * PAGE_BYTES,
		.mem_limit = s->mem_limit,
		.mem_used_max = u.pages_max * PAGE_BYTES,
		.same_pages = total(s, COUNT_SAME_PAGES),
		.pages_compacted = atomic_load(&s->pages_compacted),
		.huge_pages = total(s, COUNT_HUGE_PAGES),
		.huge_pages_since = total(s, COUNT_HUGE_SINCE),
		.failed_reads = total(s, COUNT_FAILED_READS),
		.failed_writes = total(s, COUNT_FAILED_WRITES),
		.invalid_io = total(s, COUNT_INVALID),
		.notify_free = total(s, COUNT_FREED),
		.num_reads = total(s, COUNT_READS),
		.num_writes = total(s, COUNT_WRITES),
		.meta_bytes = s->n_slots * sizeof(*s->table) + u.meta_bytes + dict_bytes,
		.dict_generations = atomic_load(&s->dict_generations),
		.dict_bytes = dict_bytes,
		.dict_in_use = atomic_load(&s->recipe) != 0,
	};
}

double snug_store_ratio(const struct snug_store_stats *st)
{
	uint64_t held = st->mem_used_total + st->meta_bytes;

	return held ? (double)st->orig_data_size / (double)held : 0;
}

void snug_store_set_mem_limit(struct snug_store *s, uint64_t bytes)
{
	s->mem_limit = bytes;
	/* A limit below a page must not become none. */
	pool_set_limit(s->pool, (bytes + PAGE_BYTES - 1) / PAGE_BYTES);
}

void snug_store_reset_mem_used_max(struct snug_store *s)
{
	pool_reset_max(s->pool);
}
