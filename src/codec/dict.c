/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Training: ZDICT's fast cover (Liao, Petri, Moffat, Wirth, "Effective construction of relative
 * Lempel-Ziv dictionaries", WWW 2016) with fixed parameters. Searching for the best parameters, as
 * ZDICT_trainFromBuffer does, takes a second and gains below 1% on pages.
 *
 * Size: what a dictionary gives to 4 KiB pages is its entropy tables more than its content. On
 * heaps of cc1plus, java and python3, 5 KiB was within 0.7% of 16 KiB and 1% of 64 KiB, and a small
 * one stays in the first-level cache beside the page.
 *
 * lz4 has no entropy stage and takes the content alone.
 */
#define ZDICT_STATIC_LINKING_ONLY
#include "dict.h"

#include "clock.h"
#include "codec.h"
#include "mapping.h"
#include "ops.h"
#include "page.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zdict.h>

enum { PAGES_LEAST = 16 };

/* A tenth of time is worth a hundredth of size. */
#define TIME_WEIGHT 0.1

int dict_train(const struct codec_spec *spec, const void *pages, size_t n_pages, size_t max_len,
	       void *dict, size_t *ret_len)
{
	ZDICT_fastCover_params_t cover = {
		.k = 256,
		.d = 8,
		.f = 16,
		.accel = 4,
		.splitPoint = 1.0,
		.zParams = {.compressionLevel = spec->level},
	};
	size_t *sizes, len, header;

	if (n_pages < PAGES_LEAST)
		return -ENODATA;
	sizes = malloc(n_pages * sizeof(*sizes));
	if (!sizes)
		return -ENOMEM;
	for (size_t i = 0; i < n_pages; i++)
		sizes[i] = PAGE_BYTES;
	len = ZDICT_trainFromBuffer_fastCover(dict, max_len, pages, sizes, (unsigned)n_pages,
					      cover);
	free(sizes);
	if (ZDICT_isError(len))
		return -ENODATA;
	if (spec->ops != &codec_zstd) {
		header = ZDICT_getDictHeaderSize(dict, len);
		if (ZDICT_isError(header))
			return -ENODATA;
		memmove(dict, (char *)dict + header, len -= header);
	}
	*ret_len = len;
	return 0;
}

int dict_params_train(const struct codec_spec *spec, const void *pages, size_t n_pages,
		      struct codec_params **ret)
{
	char *dict = mapping_alloc(DICT_BYTES);
	size_t len;
	int r = dict ? dict_train(spec, pages, n_pages, DICT_BYTES, dict, &len) : -ENOMEM;

	if (r == 0)
		r = codec_params_new(spec, dict, len, ret);
	mapping_free(dict, DICT_BYTES);
	return r;
}

static int measure_with(struct codec_ctx *c, const struct codec_params *p, const char *pages,
			size_t n_pages, char *buf, struct dict_cost *ret)
{
	char *out = buf + CODEC_BUFFER_BYTES(PAGE_BYTES);
	struct dict_cost cost = {0};
	uint64_t begun = clock_thread_cpu_ns();

	for (size_t i = 0; i < n_pages; i++) {
		int n = codec_compress(c, p, pages + i * PAGE_BYTES, PAGE_BYTES, buf, PAGE_BYTES);

		if (n < 0 && n != -ENOSPC)
			return n;
		cost.bytes += n < 0 ? PAGE_BYTES : (size_t)n;
		if (n > 0 && codec_decompress(c, p, buf, (size_t)n, out, PAGE_BYTES) < 0)
			return -EBADMSG;
	}
	cost.ns = clock_thread_cpu_ns() - begun;
	*ret = cost;
	return 0;
}

int dict_measure(const struct codec_params *p, const void *pages, size_t n_pages,
		 struct dict_cost *ret)
{
	size_t buf_bytes = CODEC_BUFFER_BYTES(PAGE_BYTES) + PAGE_BYTES;
	char *buf = mapping_alloc(buf_bytes);
	struct codec_ctx *c = NULL;
	int r = buf ? codec_ctx_new(p->ops, &c) : -ENOMEM;

	/* The first pages warm caches and tables, which would count against whoever is first. */
	if (r == 0)
		r = measure_with(c, p, pages, n_pages < PAGES_LEAST ? n_pages : PAGES_LEAST, buf,
				 ret);
	if (r == 0)
		r = measure_with(c, p, pages, n_pages, buf, ret);
	codec_ctx_free(c);
	mapping_free(buf, buf_bytes);
	return r;
}

bool dict_better(const struct dict_cost *a, const struct dict_cost *b, double margin)
{
	double size = log((double)a->bytes / (double)b->bytes);
	double time = log((double)a->ns / (double)b->ns);

	return size + TIME_WEIGHT * time < -margin;
}

static int choose(const char *check, size_t n_check, struct codec_params **plain,
		  struct codec_params **with)
{
	struct dict_cost plain_cost, with_cost;
	int r = dict_measure(*plain, check, n_check, &plain_cost);

	if (r == 0)
		r = dict_measure(*with, check, n_check, &with_cost);
	if (r == 0 && dict_better(&plain_cost, &with_cost, DICT_MARGIN)) {
		struct codec_params *worse = *with;

		*with = *plain;
		*plain = worse;
	}
	return r;
}

int dict_params_from_sample(const struct codec_spec *spec, const void *pages, size_t n_pages,
			    struct codec_params **ret)
{
	size_t n_train = n_pages - n_pages / 3;
	struct codec_params *plain = NULL, *with = NULL;
	int r = codec_params_new(spec, NULL, 0, &plain);

	if (r == 0 && spec->dict != CODEC_PLAIN) {
		r = dict_params_train(spec, pages, n_train, &with);
		if (r == 0 && spec->dict == CODEC_AUTO)
			r = choose((const char *)pages + n_train * PAGE_BYTES, n_pages - n_train,
				   &plain, &with);
		if (r == -ENODATA)
			r = 0;
	}
	if (r == 0) {
		*ret = with ? with : plain;
		if (with)
			codec_params_free(plain);
	} else {
		codec_params_free(plain);
		codec_params_free(with);
	}
	return r;
}
