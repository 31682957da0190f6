/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of targets, and the plan: lists of words in, every row of the table to come out. A
 * plain product, each list in its own nesting: what the loops skip (a pool for raw) is left NULL,
 * and comes once.
 */
#include "target.h"

#include "cleanup.h"
#include "err.h"
#include "page.h"
#include "pool.h"
#include "units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct target_ops *const table[] = {&target_raw, &target_engine, &target_zram};

enum { TABLE_LEN = sizeof(table) / sizeof(table[0]), THREADS_MOST = 256, ROWS_MOST = 4096 };

const struct target_ops *target_at(size_t index)
{
	return index < TABLE_LEN ? table[index] : NULL;
}

void target_also(struct err *e, const struct err *more)
{
	size_t len = e ? strlen(e->text) : 0;

	if (e)
		snprintf(e->text + len, sizeof(e->text) - len, "; then: %s", more->text);
}

/* Words of one list; they point into copy. */
struct words {
	char *copy;
	char **word;
	size_t n;
};

static void words_free(struct words *w)
{
	free(w->copy);
	free(w->word);
}

static int words_split(const char *text, struct words *ret, struct err *e)
{
	struct words w = {.copy = strdup(text)};
	char *rest = w.copy, *word;

	/* Not more words than commas and one. */
	w.word = calloc(strlen(text) + 1, sizeof(*w.word));
	if (!w.copy || !w.word) {
		words_free(&w);
		return err_failed(e, -ENOMEM, "out of memory");
	}
	while ((word = strsep(&rest, ",")))
		w.word[w.n++] = word;
	*ret = w;
	return 0;
}

struct plan {
	struct words targets, codecs, pools, threads, sizes;
	struct target_config *configs;
	size_t n;
};

static void plan_free(struct plan *p)
{
	words_free(&p->targets);
	words_free(&p->codecs);
	words_free(&p->pools);
	words_free(&p->threads);
	words_free(&p->sizes);
	free(p->configs);
}

static int add_row(struct plan *p, const struct target_config *config, struct err *e)
{
	struct target_config *grown;

	if (p->n == ROWS_MOST)
		return err_usage(e, -E2BIG, "these lists make more than %d rows; shorten one",
				 ROWS_MOST);
	grown = realloc(p->configs, (p->n + 1) * sizeof(*grown));
	if (!grown)
		return err_failed(e, -ENOMEM, "out of memory");
	p->configs = grown;
	p->configs[p->n++] = *config;
	return 0;
}

static int add_sizes(struct plan *p, struct target_config config, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->sizes.n; i++) {
		config.size_bytes = 0;
		if (*p->sizes.word[i]) {
			r = units_parse_size(p->sizes.word[i], 0, "--size", &config.size_bytes, e);
			if (r == 0 && (!config.size_bytes || config.size_bytes % PAGE_BYTES))
				r = err_usage(e, -EINVAL,
					      "--size: '%s' is not a multiple of 4096 bytes",
					      p->sizes.word[i]);
		}
		if (r == 0)
			r = add_row(p, &config, e);
	}
	return r;
}

static int add_threads(struct plan *p, struct target_config config, struct err *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->threads.n; i++) {
		int64_t threads = 1;

		r = units_parse_int(p->threads.word[i], 1, THREADS_MOST, "--threads", &threads, e);
		config.threads = (unsigned)threads;
		if (r == 0)
			r = add_sizes(p, config, e);
	}
	return r;
}

static int add_pools(struct plan *p, struct target_config config, struct err *e)
{
	int r = 0;

	if (!config.ops->by_pool)
		return add_threads(p, config, e);
	for (size_t i = 0; r == 0 && i < p->pools.n; i++) {
		r = pool_find(p->pools.word[i], &config.pool, e);
		if (r == 0)
			r = add_threads(p, config, e);
	}
	return r;
}

static int add_codecs(struct plan *p, struct target_config config, struct err *e)
{
	int r = 0;

	if (!config.ops->by_codec)
		return add_pools(p, config, e);
	for (size_t i = 0; r == 0 && i < p->codecs.n; i++) {
		r = codec_parse(p->codecs.word[i], &config.spec, e);
		snprintf(config.codec, sizeof(config.codec), "%s", p->codecs.word[i]);
		if (r == 0)
			r = add_pools(p, config, e);
	}
	return r;
}

static int add_variants(struct plan *p, const struct target_ops *ops, const char *argument,
			struct err *e)
{
	struct target_config configs[TARGET_VARIANTS] = {{.ops = ops}, {.ops = ops}};
	size_t n = 1;
	int r = 0;

	if (ops->variants)
		r = ops->variants(argument, configs, &n, e);
	else if (argument)
		r = err_usage(e, -EINVAL, "target '%s' takes nothing after its name, not '%s'",
			      ops->name, argument);
	else
		snprintf(configs[0].name, sizeof(configs[0].name), "%s", ops->name);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_codecs(p, configs[i], e);
	return r;
}

static int add_target(struct plan *p, const char *word, struct err *e)
{
	size_t len = strcspn(word, ":"), known_len = 0;
	char known[128] = "";

	for (size_t i = 0; i < TABLE_LEN; i++) {
		const char *name = table[i]->name;

		if (strlen(name) == len && !memcmp(name, word, len))
			return add_variants(p, table[i], word[len] ? word + len + 1 : NULL, e);
		known_len +=
			(size_t)snprintf(known + known_len, sizeof(known) - known_len, "%s%s%s",
					 i ? ", " : "", name, table[i]->variants ? ":ALG" : "");
	}
	return err_usage(e, -EINVAL, "unknown target '%s'; known are %s", word, known);
}

int target_plan(const struct target_lists *lists, struct target_config **ret, size_t *ret_n,
		struct err *e)
{
	CLEANUP(plan_free) struct plan p = {0};
	int r = words_split(lists->targets, &p.targets, e);

	if (r == 0)
		r = words_split(lists->codecs, &p.codecs, e);
	if (r == 0)
		r = words_split(lists->pools, &p.pools, e);
	if (r == 0)
		r = words_split(lists->threads, &p.threads, e);
	if (r == 0)
		r = words_split(lists->sizes ? lists->sizes : "", &p.sizes, e);
	for (size_t i = 0; r == 0 && i < p.targets.n; i++)
		r = add_target(&p, p.targets.word[i], e);
	if (r < 0)
		return r;
	*ret = TAKE(p.configs);
	*ret_n = p.n;
	return 0;
}
