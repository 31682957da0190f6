/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of codecs, the text form of a spec, and the parts that are the same for all: ownership
 * of the dictionary, checks of lengths. What differs by library is behind struct codec_ops.
 */
#include "codec.h"

#include "cleanup.h"
#include "err.h"
#include "mapping.h"
#include "ops.h"
#include "units.h"

#include <errno.h>
#include <lzo/lzoconf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct codec_ops *const table[] = {
	&codec_lzo,   &codec_lzo_rle, &codec_lzo1x_1_15, &codec_lzo1x_999, &codec_lz4,
	&codec_lz4hc, &codec_zstd,    &codec_deflate,	 &codec_none,
};

enum { TABLE_LEN = sizeof(table) / sizeof(table[0]) };

const struct codec_ops *codec_at(size_t index)
{
	return index < TABLE_LEN ? table[index] : NULL;
}

const char *codec_name(const struct codec_ops *ops)
{
	return ops->name;
}

bool codec_in_kernel(const struct codec_ops *ops)
{
	return ops->in_kernel;
}

bool codec_takes_dict(const struct codec_ops *ops)
{
	return ops->takes_dict;
}

bool codec_takes_level(const struct codec_ops *ops, int *ret_min, int *ret_max, int *ret_default)
{
	*ret_min = ops->level_min;
	*ret_max = ops->level_max;
	*ret_default = ops->level_default;
	return ops->level_min != ops->level_max;
}

/* What of the table `wanted` picks, as "a, b, c", for sentences. */
static void list_names(bool (*wanted)(const struct codec_ops *), char *buf, size_t size)
{
	size_t len = 0;

	buf[0] = '\0';
	for (size_t i = 0; i < TABLE_LEN; i++)
		if (wanted(table[i]) && len < size)
			len += (size_t)snprintf(buf + len, size - len, "%s%s", len ? ", " : "",
						table[i]->name);
}

static bool any(const struct codec_ops *ops)
{
	return true;
}

static int find(const char *name, size_t len, const struct codec_ops **ret, struct err *e)
{
	char known[256];

	for (size_t i = 0; i < TABLE_LEN; i++) {
		if (strlen(table[i]->name) == len && !memcmp(table[i]->name, name, len)) {
			*ret = table[i];
			return 0;
		}
	}
	list_names(any, known, sizeof(known));
	return err_usage(e, -EINVAL, "unknown codec '%.*s'; known are %s", (int)len, name, known);
}

static int parse_dict_mode(const char *suffix, struct codec_spec *spec, struct err *e)
{
	char known[256];

	if (!*suffix) {
		spec->dict = CODEC_PLAIN;
		return 0;
	}
	if (!strcmp(suffix, "+dict"))
		spec->dict = CODEC_DICT;
	else if (!strcmp(suffix, "+auto"))
		spec->dict = CODEC_AUTO;
	else
		return err_usage(e, -EINVAL,
				 "codec %s: unknown suffix '%s'; known are +dict and +auto",
				 spec->ops->name, suffix);
	if (!spec->ops->takes_dict) {
		list_names(codec_takes_dict, known, sizeof(known));
		return err_usage(e, -EINVAL,
				 "codec %s takes no dictionary (%s); those that do are %s",
				 spec->ops->name, suffix, known);
	}
	return 0;
}

int codec_parse(const char *text, struct codec_spec *ret, struct err *e)
{
	struct codec_spec spec = {0};
	size_t name_len = strcspn(text, ":+");
	const char *rest = text + name_len;
	int r = find(text, name_len, &spec.ops, e);

	if (r < 0)
		return r;
	spec.level = spec.ops->level_default;
	if (*rest == ':') {
		char level[16], what[64];
		size_t level_len = strcspn(++rest, "+");
		int64_t value;

		if (spec.ops->level_min == spec.ops->level_max)
			return err_usage(e, -EINVAL, "codec %s takes no level", spec.ops->name);
		snprintf(what, sizeof(what), "level of codec %s", spec.ops->name);
		snprintf(level, sizeof(level), "%.*s", (int)level_len, rest);
		r = units_parse_int(level, spec.ops->level_min, spec.ops->level_max, what, &value,
				    e);
		if (r < 0)
			return r;
		spec.level = (int)value;
		rest += level_len;
	}
	r = parse_dict_mode(rest, &spec, e);
	if (r < 0)
		return r;
	*ret = spec;
	return 0;
}

const char *codec_format(const struct codec_spec *spec, char buf[CODEC_NAME_MAX])
{
	static const char *const suffix[] = {
		[CODEC_PLAIN] = "",
		[CODEC_DICT] = "+dict",
		[CODEC_AUTO] = "+auto",
	};

	if (spec->level == spec->ops->level_default)
		snprintf(buf, CODEC_NAME_MAX, "%s%s", spec->ops->name, suffix[spec->dict]);
	else
		snprintf(buf, CODEC_NAME_MAX, "%s:%d%s", spec->ops->name, spec->level,
			 suffix[spec->dict]);
	return buf;
}

int codec_parse_list(const char *text, struct codec_spec **ret_specs, size_t *ret_n, struct err *e)
{
	CLEANUP_FREE struct codec_spec *specs = NULL;
	CLEANUP_FREE char *copy = strdup(text);
	char *rest = copy, *word;
	size_t n = 0;

	if (!copy)
		return err_failed(e, -ENOMEM, "out of memory");
	while ((word = strsep(&rest, ","))) {
		struct codec_spec *grown = realloc(specs, (n + 1) * sizeof(*specs));
		int r;

		if (!grown)
			return err_failed(e, -ENOMEM, "out of memory");
		specs = grown;
		r = codec_parse(word, &specs[n++], e);
		if (r < 0)
			return r;
	}
	*ret_specs = TAKE(specs);
	*ret_n = n;
	return 0;
}

int codec_params_new(const struct codec_spec *spec, const void *dict, size_t dict_len,
		     struct codec_params **ret)
{
	struct codec_params *p;
	int r = 0;

	if (dict && !spec->ops->takes_dict)
		return -EOPNOTSUPP;
	p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	p->ops = spec->ops;
	p->level = spec->level;
	if (dict) {
		p->dict = mapping_alloc(dict_len);
		if (!p->dict)
			r = -ENOMEM;
		else
			memcpy(p->dict, dict, p->dict_len = dict_len);
	}
	if (r == 0 && p->ops->params_init)
		r = p->ops->params_init(p);
	if (r < 0) {
		codec_params_free(p);
		return r;
	}
	*ret = p;
	return 0;
}

void codec_params_free(struct codec_params *p)
{
	if (!p)
		return;
	if (p->prepared)
		p->ops->params_free(p);
	mapping_free(p->dict, p->dict_len);
	free(p);
}

size_t codec_params_bytes(const struct codec_params *p)
{
	return p->dict_len + p->prepared_bytes;
}

int codec_ctx_new(const struct codec_ops *ops, struct codec_ctx **ret)
{
	struct codec_ctx *c = calloc(1, sizeof(*c));
	int r = 0;

	if (!c)
		return -ENOMEM;
	c->ops = ops;
	if (ops->ctx_new)
		r = ops->ctx_new(&c->work);
	if (r < 0) {
		free(c);
		return r;
	}
	*ret = c;
	return 0;
}

void codec_ctx_free(struct codec_ctx *c)
{
	if (!c)
		return;
	if (c->work)
		c->ops->ctx_free(c->work);
	free(c);
}

int codec_compress(struct codec_ctx *c, const struct codec_params *p, const void *src,
		   size_t src_len, void *dst, size_t cap)
{
	if (cap > CODEC_BUFFER_BYTES(src_len))
		cap = CODEC_BUFFER_BYTES(src_len);
	return p->ops->compress(c->work, p, src, src_len, dst, cap);
}

int codec_decompress(struct codec_ctx *c, const struct codec_params *p, const void *src,
		     size_t src_len, void *dst, size_t dst_len)
{
	return p->ops->decompress(c->work, p, src, src_len, dst, dst_len);
}

int codec_init(void)
{
	return lzo_init() == LZO_E_OK ? 0 : -ENOSYS;
}
