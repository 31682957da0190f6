/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Zstandard (RFC 8878) by libzstd. An object is one compressed block without the frame around it:
 * both sides know what a frame header would say (magic, descriptor, window, content size,
 * dictionary id), and a page is one block, so neither block header nor checksum is needed. Against
 * a magicless frame that saves 5 bytes, 0.7% of a typical page, and 0.3 us of setting up.
 *
 * Most of what zstd:1 spends on a 4 KiB page is not the search for matches but the making of
 * entropy tables, which a dictionary brings along: measured on heaps, 13 us a page without and 8 us
 * with one of 4 KiB. It is digested once (CDict, DDict) in params and referred to by every thread.
 *
 * Declined: a match finder of our own before libzstd's entropy coder (ZSTD_compressSequences).
 * Prototypes with fewer sequences a page came out larger, since the dictionary's tables fit the
 * library's own choices, and slower.
 *
 * A context keeps copies of literals, page content that is, so its memory comes from mappings which
 * core dumps leave out.
 */
#define ZSTD_STATIC_LINKING_ONLY
#define ZSTD_DISABLE_DEPRECATE_WARNINGS	 /* the block calls: "deprecated" asks for explicit framing \
					  */
#include "mapping.h"
#include "ops.h"
#include "page.h"
#include "uniform.h"

#include <errno.h>
#include <lz4.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

struct digested {
	ZSTD_CDict *cdict;
	ZSTD_DDict *ddict;
};

struct work {
	ZSTD_CCtx *cctx;
	ZSTD_DCtx *dctx;
	LZ4_stream_t *lz4;
};

/* zstd frees without telling the size: it stands in front, in a block that keeps alignment. */
enum { PREFIX_BYTES = 64 };

static void *dumpless_alloc(void *opaque, size_t bytes)
{
	char *mem = mapping_alloc(bytes + PREFIX_BYTES);

	if (!mem)
		return NULL;
	*(size_t *)mem = bytes;
	return mem + PREFIX_BYTES;
}

static void dumpless_free(void *opaque, void *address)
{
	char *mem = (char *)address - PREFIX_BYTES;

	if (address)
		mapping_free(mem, *(size_t *)mem + PREFIX_BYTES);
}

static const ZSTD_customMem dumpless = {dumpless_alloc, dumpless_free, NULL};

static void params_free(struct codec_params *p)
{
	struct digested *d = p->prepared;

	ZSTD_freeCDict(d->cdict);
	ZSTD_freeDDict(d->ddict);
	free(d);
}

/* The level's parameters, less what is only large for the sake of large inputs. */
static ZSTD_compressionParameters tuned_for_pages(const struct codec_params *p)
{
	ZSTD_compressionParameters cp = ZSTD_getCParams(p->level, PAGE_BYTES, p->dict_len);

	/* A table entry for each byte of a page is enough; more does not fit the first-level cache.
	 */
	if (cp.strategy == ZSTD_fast && cp.hashLog > PAGE_SHIFT)
		cp.hashLog = PAGE_SHIFT;
	/* With a dictionary libzstd looks for 6 bytes; 5 make pages 0.5 to 1.5% smaller at no cost.
	 */
	if (cp.strategy == ZSTD_fast && cp.minMatch > 5)
		cp.minMatch = 5;
	return cp;
}

static int params_init(struct codec_params *p)
{
	struct digested *d;

	if (!p->dict)
		return 0;
	p->prepared = d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->cdict = ZSTD_createCDict_advanced(p->dict, p->dict_len, ZSTD_dlm_byRef, ZSTD_dct_auto,
					     tuned_for_pages(p), dumpless);
	d->ddict = ZSTD_createDDict_advanced(p->dict, p->dict_len, ZSTD_dlm_byRef, ZSTD_dct_auto,
					     dumpless);
	if (!d->cdict || !d->ddict)
		return -ENOMEM;
	p->prepared_bytes = ZSTD_sizeof_CDict(d->cdict) + ZSTD_sizeof_DDict(d->ddict);
	return 0;
}

static void ctx_free(void *work)
{
	struct work *w = work;

	ZSTD_freeCCtx(w->cctx);
	ZSTD_freeDCtx(w->dctx);
	LZ4_freeStream(w->lz4);
	free(w);
}

static int ctx_new(void **ret_work)
{
	struct work *w = calloc(1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	w->cctx = ZSTD_createCCtx_advanced(dumpless);
	w->dctx = ZSTD_createDCtx_advanced(dumpless);
	w->lz4 = LZ4_createStream();
	if (!w->cctx || !w->dctx || !w->lz4) {
		ctx_free(w);
		return -ENOMEM;
	}
	*ret_work = w;
	return 0;
}

/* No content size, no checksum, no dictionary id: there is no frame to put them in. */
static const ZSTD_frameParameters no_frame = {0, 0, 1};

static size_t begin_compress(ZSTD_CCtx *c, const struct codec_params *p, size_t src_len)
{
	const struct digested *d = p->prepared;

	if (d)
		return ZSTD_compressBegin_usingCDict_advanced(c, d->cdict, no_frame, src_len);
	return ZSTD_compressBegin_advanced(
		c, NULL, 0, (ZSTD_parameters){ZSTD_getCParams(p->level, src_len, 0), no_frame},
		src_len);
}

/*
 * libzstd takes as long over random bytes as over half a page of text before it gives up. Where no
 * byte value stands out, lz4, which gives up in 1 us, tells whether there are at least repeats.
 */
static bool is_random(struct work *w, const void *src, size_t src_len, void *dst, size_t cap)
{
	return bytes_are_uniform(src, src_len) &&
	       LZ4_compress_fast_extState(w->lz4, src, dst, (int)src_len, (int)cap, 1) == 0;
}

static int compress(void *work, const struct codec_params *p, const void *src, size_t src_len,
		    void *dst, size_t cap)
{
	struct work *w = work;
	size_t n;

	if (is_random(w, src, src_len, dst, cap))
		return -ENOSPC;
	n = begin_compress(w->cctx, p, src_len);
	if (ZSTD_isError(n))
		return -ENOMEM;
	n = ZSTD_compressBlock(w->cctx, dst, cap, src, src_len);
	/* 0: would be no shorter than src. */
	return n == 0 || ZSTD_isError(n) ? -ENOSPC : (int)n;
}

static int decompress(void *work, const struct codec_params *p, const void *src, size_t src_len,
		      void *dst, size_t dst_len)
{
	const struct digested *d = p->prepared;
	struct work *w = work;
	size_t n = d ? ZSTD_decompressBegin_usingDDict(w->dctx, d->ddict)
		     : ZSTD_decompressBegin(w->dctx);

	if (ZSTD_isError(n))
		return -EBADMSG;
	return ZSTD_decompressBlock(w->dctx, dst, dst_len, src, src_len) == dst_len ? 0 : -EBADMSG;
}

const struct codec_ops codec_zstd = {
	.name = "zstd",
	.level_min = -131072, /* ZSTD_minCLevel() */
	.level_max = 22,      /* ZSTD_maxCLevel() */
	.level_default = 3,
	.in_kernel = true,
	.takes_dict = true,
	.params_init = params_init,
	.params_free = params_free,
	.ctx_new = ctx_new,
	.ctx_free = ctx_free,
	.compress = compress,
	.decompress = decompress,
};
