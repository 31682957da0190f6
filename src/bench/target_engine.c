/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine, by its public door. Pages go in and out in batches of up to 1 MiB, as they come to a
 * block device under load.
 */
#include "target.h"

#include "err.h"
#include "page.h"
#include "pages.h"
#include "pool.h"
#include "store.h"

#include <errno.h>
#include <stdlib.h>

struct engine {
	struct snug_store *store;
	struct snug_io (*io)[TARGET_CHUNK]; /* one batch a worker */
};

static int engine_close(void *target, struct err *e)
{
	struct engine *t = target;

	if (t) {
		snug_store_close(t->store);
		free(t->io);
		free(t);
	}
	return 0;
}

static int engine_open(const struct target_setup *setup, void **ret, struct err *e)
{
	const struct snug_store_options options = {
		.size_bytes = setup->n_slots * PAGE_BYTES,
		.codec = setup->config->codec,
		.pool = pool_name(setup->config->pool),
		.mem_limit_bytes = setup->mem_limit_bytes,
	};
	struct engine *t = calloc(1, sizeof(*t));
	int r;

	if (!t)
		return err_failed(e, -ENOMEM, "out of memory");
	t->io = calloc(setup->config->threads, sizeof(*t->io));
	r = t->io ? snug_store_open(&options, &t->store, e)
		  : err_failed(e, -ENOMEM, "out of memory");
	if (r < 0) {
		engine_close(t, NULL);
		return r;
	}
	*ret = t;
	return 0;
}

static struct snug_io *fill_batch(struct engine *t, unsigned worker, uint64_t slot,
				  unsigned char *pages, size_t n)
{
	struct snug_io *io = t->io[worker];

	for (size_t i = 0; i < n; i++)
		io[i] = (struct snug_io){slot + i, pages + i * PAGE_BYTES};
	return io;
}

static int engine_write(void *target, unsigned worker, uint64_t slot, const void *pages, size_t n)
{
	struct engine *t = target;

	return snug_store_writev(t->store, fill_batch(t, worker, slot, (void *)pages, n), n, NULL);
}

static int engine_read(void *target, unsigned worker, uint64_t slot, void *pages, size_t n)
{
	struct engine *t = target;

	return snug_store_readv(t->store, fill_batch(t, worker, slot, pages, n), n, NULL);
}

static void engine_settle(void *target)
{
	struct engine *t = target;

	snug_store_settle(t->store);
}

static int engine_measure(void *target, struct footprint *ret, struct err *e)
{
	struct engine *t = target;
	struct snug_store_stats st;

	snug_store_get_stats(t->store, &st);
	*ret = (struct footprint){
		.orig_bytes = st.orig_data_size,
		.compr_bytes = st.compr_data_size,
		.mem_used_bytes = st.mem_used_total,
		.meta_bytes = st.meta_bytes,
		.dict_bytes = st.dict_bytes,
		.same_pages = st.same_pages,
		.huge_pages = (int64_t)st.huge_pages,
	};
	return 0;
}

const struct target_ops target_engine = {
	.name = "engine",
	.about = "snug's own compressed store",
	.by_codec = true,
	.by_pool = true,
	.open = engine_open,
	.close = engine_close,
	.write = engine_write,
	.read = engine_read,
	.settle = engine_settle,
	.measure = engine_measure,
};
