/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Codecs: one page (or a group of pages) in, fewer bytes out.
 *
 * Three things, as in the kernel's zcomp: a spec is what a person wrote ("zstd:1+dict"); params are
 * immutable and shared by all threads (level, digested dictionary); a ctx is the working memory of
 * one thread at a time. A ctx serves any params of its codec, in any order.
 *
 * Ownership: params and ctx belong to whoever made them. params must outlive every call that names
 * them, not the ctx. Nothing here locks.
 */
#ifndef SNUG_CODEC_H
#define SNUG_CODEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct codec_ops;
struct codec_params;
struct codec_ctx;

#define CODEC_INPUT_MAX ((size_t)64 << 10) /* bytes of one input */
#define CODEC_NAME_MAX	32

enum codec_dict_mode {
	CODEC_PLAIN, /* no dictionary */
	CODEC_DICT,  /* one trained on the data itself */
	CODEC_AUTO,  /* measure both, keep the better */
};

struct codec_spec {
	const struct codec_ops *ops;
	int level; /* lz4: acceleration */
	enum codec_dict_mode dict;
};

/* "name[:level][+dict|+auto]"; names are the kernel's. -EINVAL or -ERANGE, with the known ones. */
int codec_parse(const char *text, struct codec_spec *ret, struct err *e);

/* The canonical text of a spec; a level is written only if it is not the default. Returns buf. */
const char *codec_format(const struct codec_spec *spec, char buf[CODEC_NAME_MAX]);

/* Comma-separated specs. *ret_specs is to be freed. */
int codec_parse_list(const char *text, struct codec_spec **ret_specs, size_t *ret_n, struct err *e);

/* The table, in the order of `--help`; NULL beyond its end. */
const struct codec_ops *codec_at(size_t index);
const char *codec_name(const struct codec_ops *ops);
/* Does the kernel's crypto or zram have it under this name? */
bool codec_in_kernel(const struct codec_ops *ops);
bool codec_takes_dict(const struct codec_ops *ops);
bool codec_takes_level(const struct codec_ops *ops, int *ret_min, int *ret_max, int *ret_default);

/* dict (copied) may be NULL. -ENOMEM; -EOPNOTSUPP for a dictionary on a codec without. */
int codec_params_new(const struct codec_spec *spec, const void *dict, size_t dict_len,
		     struct codec_params **ret);
void codec_params_free(struct codec_params *p);
/* Bytes that params hold beyond a plain one: dictionary and digested tables. */
size_t codec_params_bytes(const struct codec_params *p);

int codec_ctx_new(const struct codec_ops *ops, struct codec_ctx **ret);
void codec_ctx_free(struct codec_ctx *c);

/*
 * Bytes that dst must have for a cap to be respected. Libraries that cannot stop early (lzo) write
 * up to their worst case first, so the buffer is larger than any cap.
 */
#define CODEC_BUFFER_BYTES(src_len) ((src_len) + (src_len) / 8 + 512)

/*
 * Compresses src_len bytes (1 to CODEC_INPUT_MAX) into dst, which has CODEC_BUFFER_BYTES(src_len).
 * Returns the length, 1 to cap, or -ENOSPC when the result would be longer than cap (zstd: or no
 * shorter than src): as early as the library can tell.
 */
int codec_compress(struct codec_ctx *c, const struct codec_params *p, const void *src,
		   size_t src_len, void *dst, size_t cap);

/*
 * Exactly dst_len bytes out of src_len, or -EBADMSG if src is not what codec_compress makes of that
 * many bytes. Whatever src is, nothing outside src and dst is touched; dst is then undefined.
 */
int codec_decompress(struct codec_ctx *c, const struct codec_params *p, const void *src,
		     size_t src_len, void *dst, size_t dst_len);

/* Whatever a library needs once in a process; idempotent. 0 or -ENOSYS on a broken build. */
int codec_init(void);

#endif
