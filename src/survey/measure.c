/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One codec over the sample, in two passes as memory pressure has them: all pages out, later all
 * pages in again. The second pass finds neither pages nor objects in the CPU's cache, as a real
 * fault does.
 *
 * Dictionaries. No page may be measured with a dictionary that has seen it, and yet all pages must
 * count, or compr_bytes would be of another set of pages for each codec. So two are trained, on two
 * small disjoint parts of the sample: the first serves all pages but those that it was trained on,
 * the second serves these.
 *
 * Time is the clock around each call, less what reading the clock costs. On a busy machine a call
 * is now and then interrupted for milliseconds: medians don't mind, and the throughput leaves out
 * the slowest hundredth.
 *
 * Overhead is counted as the store would have it: a real pool filled with the objects, eight bytes
 * a slot of slot table, same-filled pages too, and one dictionary with its digested tables.
 */
#include "measure.h"

#include "clock.h"
#include "dict.h"
#include "err.h"
#include "mapping.h"
#include "page.h"
#include "pool.h"
#include "rng.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SLOT_BYTES = 8,
	TRAINING_PAGES = DICT_TRAIN_PAGES + DICT_CHECK_PAGES,
	REPORT_EVERY = 64,
	/* Magic, descriptor, content size and block header, which the kernel writes and we don't.
	 */
	KERNEL_ZSTD_HEADER = 4 + 1 + 2 + 3,
};

/* A page in the pool. */
struct object {
	uint64_t handle;
	uint32_t len;
};

/* One codec at work. */
struct bench {
	const struct measure_pages *pages;
	const struct codec_spec *spec;
	struct codec_params
		*params[2]; /* [1] for the first n_training of order; the same without dictionary */
	size_t n_training;
	bool *trained_on; /* a page */
	struct codec_ctx *ctx;
	struct pool *pool;
	uint64_t empty_pool_bytes;
	struct object *objects;
	uint32_t *compress_ns, *decompress_ns; /* in the order of pages, without the same-filled */
	unsigned char *buf, *out;
	size_t huge_size, cap;
	struct zsmalloc_model model;
	size_t kernel_header;
	uint32_t clock_ns;
	void (*done)(void *arg, uint64_t pages);
	void *arg;
};

int measure_pages_open(const unsigned char *data, size_t n, uint64_t seed,
		       struct measure_pages *ret)
{
	struct measure_pages p = {.data = data, .n = n};
	struct rng rng = {seed};
	uint64_t word;

	p.same = calloc(n, sizeof(*p.same));
	p.order = calloc(n, sizeof(*p.order));
	if (!p.same || !p.order) {
		measure_pages_close(&p);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		p.same[i] = page_same_filled(data + i * PAGE_BYTES, &word);
		if (p.same[i])
			p.n_same++;
		else
			p.order[p.n_order++] = i;
	}
	for (size_t i = p.n_order; i > 1; i--) {
		size_t other = rng_below(&rng, i), index = p.order[i - 1];

		p.order[i - 1] = p.order[other];
		p.order[other] = index;
	}
	*ret = p;
	return 0;
}

void measure_pages_close(struct measure_pages *p)
{
	free(p->same);
	free(p->order);
	*p = (struct measure_pages){0};
}

/* The pages order[first, first + n) side by side, as dict.h wants them; to be unmapped. */
static unsigned char *collect(const struct measure_pages *p, size_t first, size_t n)
{
	unsigned char *copy = mapping_alloc((n ? n : 1) * PAGE_BYTES);

	for (size_t i = 0; copy && i < n; i++)
		memcpy(copy + i * PAGE_BYTES, p->data + p->order[first + i] * PAGE_BYTES,
		       PAGE_BYTES);
	return copy;
}

static int train(struct bench *b, size_t first, struct codec_params **ret)
{
	size_t n = b->n_training;
	unsigned char *pages = collect(b->pages, first, n);
	int r = pages ? dict_params_from_sample(b->spec, pages, n, ret) : -ENOMEM;

	mapping_free(pages, (n ? n : 1) * PAGE_BYTES);
	return r;
}

static int prepare_params(struct bench *b)
{
	size_t n = b->pages->n_order;
	int r;

	if (b->spec->dict == CODEC_PLAIN)
		return codec_params_new(b->spec, NULL, 0, &b->params[0]);
	b->n_training = n / 2 < TRAINING_PAGES ? n / 2 : TRAINING_PAGES;
	r = train(b, 0, &b->params[0]);
	if (r == 0)
		r = train(b, b->n_training, &b->params[1]);
	for (size_t i = 0; r == 0 && i < b->n_training; i++)
		b->trained_on[b->pages->order[i]] = true;
	return r;
}

static const struct codec_params *params_for(const struct bench *b, size_t page)
{
	return b->params[b->trained_on[page]];
}

static int by_value(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* What two readings of the clock with nothing between them are apart. */
static uint32_t clock_cost(void)
{
	uint32_t apart[255];
	enum { N = sizeof(apart) / sizeof(apart[0]) };

	for (int i = 0; i < N; i++) {
		uint64_t begun = clock_now_ns();

		apart[i] = (uint32_t)(clock_now_ns() - begun);
	}
	qsort(apart, N, sizeof(apart[0]), by_value);
	return apart[N / 2];
}

static uint32_t elapsed(const struct bench *b, uint64_t begun)
{
	uint64_t ns = clock_now_ns() - begun;

	ns -= ns < b->clock_ns ? ns : b->clock_ns;
	return ns > UINT32_MAX ? UINT32_MAX : (uint32_t)ns;
}

static int store_object(struct bench *b, size_t index, const void *data, size_t len)
{
	struct object *o = &b->objects[index];
	int r = pool_alloc(b->pool, len, &o->handle);

	if (r < 0)
		return r;
	o->len = (uint32_t)len;
	pool_write(b->pool, o->handle, data, len);
	return 0;
}

static int compress_page(struct bench *b, size_t index, uint32_t *ret_ns)
{
	const unsigned char *page = b->pages->data + index * PAGE_BYTES;
	uint64_t begun = clock_now_ns();
	int n = codec_compress(b->ctx, params_for(b, index), page, PAGE_BYTES, b->buf, b->cap);

	*ret_ns = elapsed(b, begun);
	if (n < 0 && n != -ENOSPC)
		return n;
	zsmalloc_model_add(&b->model, n < 0 ? PAGE_BYTES : (size_t)n + b->kernel_header);
	if (n < 0 || (size_t)n >= b->huge_size)
		return store_object(b, index, page, PAGE_BYTES);
	return store_object(b, index, b->buf, (size_t)n);
}

static int decompress_page(struct bench *b, size_t index, uint32_t *ret_ns)
{
	const struct object *o = &b->objects[index];
	const void *stored = pool_read(b->pool, o->handle);
	uint64_t begun = clock_now_ns();
	int r = 0;

	if (o->len == PAGE_BYTES)
		memcpy(b->out, stored, PAGE_BYTES);
	else
		r = codec_decompress(b->ctx, params_for(b, index), stored, o->len, b->out,
				     PAGE_BYTES);
	*ret_ns = elapsed(b, begun);
	if (r == 0 && memcmp(b->out, b->pages->data + index * PAGE_BYTES, PAGE_BYTES))
		r = -EBADMSG;
	return r;
}

static int run_pass(struct bench *b, int (*page)(struct bench *, size_t, uint32_t *), uint32_t *ns,
		    uint64_t before)
{
	size_t k = 0;

	for (size_t i = 0; i < b->pages->n; i++) {
		int r = b->pages->same[i] ? 0 : page(b, i, &ns[k++]);

		if (r < 0)
			return r;
		if (b->done && i % REPORT_EVERY == 0)
			b->done(b->arg, before + i);
	}
	return 0;
}

/* Sorts the times. */
static void summarize(uint32_t *ns, size_t n, double *ret_p50, double *ret_p99, double *ret_gb_s)
{
	size_t most = n > 1 ? n - (n + 99) / 100 : n;
	uint64_t total = 0;

	*ret_p50 = *ret_p99 = *ret_gb_s = 0;
	if (!n)
		return;
	qsort(ns, n, sizeof(*ns), by_value);
	*ret_p50 = ns[n / 2];
	*ret_p99 = ns[most - 1];
	for (size_t i = 0; i < most; i++)
		total += ns[i];
	if (total)
		*ret_gb_s = (double)(most * PAGE_BYTES) / (double)total;
}

static void count_sizes(const struct bench *b, struct measure_result *res)
{
	uint64_t dict_bytes = codec_params_bytes(b->params[0]);
	struct pool_usage usage;

	pool_get_usage(b->pool, &usage);
	for (size_t i = 0; i < b->pages->n; i++)
		res->huge_pages += b->objects[i].len == PAGE_BYTES;
	res->compr_bytes = usage.object_bytes;
	res->pool_bytes = usage.pages_held * PAGE_BYTES;
	res->meta_bytes = usage.meta_bytes + b->pages->n * SLOT_BYTES + dict_bytes;
	res->mem_used_bytes = res->pool_bytes + res->meta_bytes;
	res->fixed_bytes = b->empty_pool_bytes + dict_bytes;
	res->dict_in_use = dict_bytes > 0;
}

static void predict_kernel(const struct bench *b, const struct zsmalloc_rules *rules,
			   struct measure_result *res)
{
	const char *name = codec_name(b->spec->ops);

	res->kernel_compr_bytes = res->kernel_mem_used_bytes = -1;
	res->kernel_fixed_bytes = res->kernel_huge_pages = -1;
	/* Its dictionaries are files made beforehand: other ones than ours, if any. */
	if (!codec_in_kernel(b->spec->ops) || b->spec->dict != CODEC_PLAIN)
		return;
	res->kernel_name = name;
	/* zlib and not libdeflate; and its own copy of zstd, of another version. */
	res->kernel_approximate = !strcmp(name, "deflate") || !strcmp(name, "zstd");
	if (!rules)
		return;
	res->kernel_compr_bytes = (int64_t)b->model.compr_data_size;
	res->kernel_mem_used_bytes = (int64_t)zsmalloc_model_mem_used(&b->model);
	res->kernel_fixed_bytes = (int64_t)zsmalloc_model_spare(&b->model);
	res->kernel_huge_pages = (int64_t)b->model.huge_pages;
}

static int open_pool(struct bench *b, struct err *e)
{
	const struct pool_options options = {
		.capacity_bytes = b->pages->n * PAGE_BYTES,
		.one_thread = true, /* the same pages give the same result */
	};
	const struct pool_ops *ops;
	struct pool_usage usage;
	int r = pool_find("zsmalloc", &ops, e);

	if (r == 0)
		r = pool_open(ops, &options, &b->pool, e);
	if (r < 0)
		return r;
	pool_get_usage(b->pool, &usage);
	b->empty_pool_bytes = usage.meta_bytes;
	return 0;
}

static int prepare(struct bench *b, const struct zsmalloc_rules *rules, struct err *e)
{
	static const struct zsmalloc_rules none = {.chain_pages = 1, .least_waste = true};
	size_t n = b->pages->n;
	int r = open_pool(b, e);

	if (r < 0)
		return r;
	zsmalloc_model_init(&b->model, rules ? rules : &none);
	b->huge_size = pool_huge_size(b->pool);
	/* The longer of the two limits, so that both can be told from one compression. */
	b->cap = (b->huge_size > b->model.huge_size ? b->huge_size : b->model.huge_size) - 1;
	b->kernel_header = strcmp(codec_name(b->spec->ops), "zstd") ? 0 : KERNEL_ZSTD_HEADER;
	b->clock_ns = clock_cost();
	b->buf = mapping_alloc(CODEC_BUFFER_BYTES(PAGE_BYTES));
	b->out = mapping_alloc(PAGE_BYTES);
	b->objects = calloc(n, sizeof(*b->objects));
	b->compress_ns = calloc(n, sizeof(*b->compress_ns));
	b->decompress_ns = calloc(n, sizeof(*b->decompress_ns));
	b->trained_on = calloc(n, sizeof(*b->trained_on));
	if (!b->buf || !b->out || !b->objects || !b->compress_ns || !b->decompress_ns ||
	    !b->trained_on)
		r = -ENOMEM;
	if (r == 0)
		r = codec_ctx_new(b->spec->ops, &b->ctx);
	if (r == 0)
		r = prepare_params(b);
	return r < 0 ? err_failed(e, r, "cannot prepare codec %s: %s", codec_name(b->spec->ops),
				  err_name(r))
		     : 0;
}

static void release(struct bench *b)
{
	codec_params_free(b->params[0]);
	codec_params_free(b->params[1]);
	codec_ctx_free(b->ctx);
	pool_close(b->pool);
	mapping_free(b->buf, CODEC_BUFFER_BYTES(PAGE_BYTES));
	mapping_free(b->out, PAGE_BYTES);
	free(b->objects);
	free(b->compress_ns);
	free(b->decompress_ns);
	free(b->trained_on);
}

int measure_codec(const struct measure_pages *p, const struct codec_spec *spec,
		  const struct zsmalloc_rules *rules, void (*done)(void *arg, uint64_t pages),
		  void *arg, struct measure_result *ret, struct err *e)
{
	struct bench b = {.pages = p, .spec = spec, .done = done, .arg = arg};
	struct measure_result res = {0};
	int r = prepare(&b, rules, e);

	codec_format(spec, res.name);
	if (r == 0) {
		r = run_pass(&b, compress_page, b.compress_ns, 0);
		if (r == 0)
			r = run_pass(&b, decompress_page, b.decompress_ns, p->n);
		if (r == -EBADMSG)
			err_failed(
				e, r,
				"codec %s gave back other pages than it got: a fault of the library",
				res.name);
		else if (r < 0)
			err_failed(e, r, "codec %s failed: %s", res.name, err_name(r));
	}
	if (r == 0) {
		count_sizes(&b, &res);
		predict_kernel(&b, rules, &res);
		summarize(b.compress_ns, p->n_order, &res.compress_ns_p50, &res.compress_ns_p99,
			  &res.compress_gb_s);
		summarize(b.decompress_ns, p->n_order, &res.decompress_ns_p50,
			  &res.decompress_ns_p99, &res.decompress_gb_s);
		*ret = res;
	}
	release(&b);
	return r;
}
