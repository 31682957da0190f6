/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "result.h"

#include "page.h"
#include "pages.h"
#include "pool.h"
#include "summary.h"

#include <errno.h>
#include <stdlib.h>

#define CONFIDENCE 0.95
#define SCHEMA	   "snug.bench.pages/1"

enum { BOOTSTRAP_SEED = 1 };

static const char *const metric_names[BENCH_METRICS] = {
	[BENCH_FILL_NS] = "fill_ns",   [BENCH_FILL_CPU_NS] = "fill_cpu_ns",
	[BENCH_WRITE_NS] = "write_ns", [BENCH_WRITE_CPU_NS] = "write_cpu_ns",
	[BENCH_READ_NS] = "read_ns",   [BENCH_READ_CPU_NS] = "read_cpu_ns",
};

static uint64_t held(const struct footprint *f)
{
	return f->mem_used_bytes + f->meta_bytes;
}

double bench_ratio(const struct footprint *f)
{
	return held(f) ? (double)f->orig_bytes / (double)held(f) : 0;
}

static int compare_held(const void *a, const void *b)
{
	uint64_t x = held(&(*(const struct bench_sample *const *)a)->footprint);
	uint64_t y = held(&(*(const struct bench_sample *const *)b)->footprint);

	return (x > y) - (x < y);
}

/*
 * Bytes of one run, not a median of each number: they must add up. Of an even number, the larger
 * middle one.
 */
static int median_footprint(const struct bench_sample *samples, unsigned runs,
			    struct bench_row *row)
{
	const struct bench_sample **order = malloc(runs * sizeof(*order));

	if (!order)
		return -ENOMEM;
	for (unsigned i = 0; i < runs; i++)
		order[i] = &samples[i];
	qsort(order, runs, sizeof(*order), compare_held);
	row->footprint = order[runs / 2]->footprint;
	row->rewritten = order[runs / 2]->rewritten;
	free(order);
	return 0;
}

int bench_row_make(const struct target_config *config, const struct bench_sample *samples,
		   unsigned runs, struct bench_row *ret)
{
	struct bench_row row = {.config = config, .samples = samples, .runs = runs};
	double *values = malloc(runs * sizeof(*values));
	int r = values ? median_footprint(samples, runs, &row) : -ENOMEM;

	for (int m = 0; r == 0 && m < BENCH_METRICS; m++) {
		for (unsigned i = 0; i < runs; i++)
			values[i] = samples[i].metric[m];
		r = stat_median(values, runs, &row.metric[m].median);
		if (r == 0)
			r = stat_median_interval(values, runs, CONFIDENCE, BOOTSTRAP_SEED,
						 &row.metric[m].interval);
	}
	free(values);
	if (r < 0)
		return r;
	row.ratio = bench_ratio(&row.footprint);
	*ret = row;
	return 0;
}

/* Adds and takes over value, which is NULL for want of memory. */
static int add(json_t *object, const char *name, json_t *value)
{
	return json_object_set_new(object, name, value) < 0 ? -ENOMEM : 0;
}

static json_t *metric_runs(const struct bench_row *row, int m)
{
	json_t *list = json_array();

	for (unsigned i = 0; list && i < row->runs; i++) {
		if (json_array_append_new(list, json_real(row->samples[i].metric[m])) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

static int add_metric(json_t *object, json_t *intervals, json_t *runs, const struct bench_row *row,
		      int m)
{
	const struct stat_interval *i = &row->metric[m].interval;
	int r = add(object, metric_names[m], json_real(row->metric[m].median));

	if (r == 0)
		r = add(intervals, metric_names[m], json_pack("[f, f]", i->low, i->high));
	if (r == 0)
		r = add(runs, metric_names[m], metric_runs(row, m));
	return r;
}

static int add_bytes(json_t *object, const struct bench_row *row)
{
	const struct footprint *f = &row->footprint;
	const struct {
		const char *name;
		uint64_t value;
	} fields[] = {
		{"orig_bytes", f->orig_bytes},
		{"compr_bytes", f->compr_bytes},
		{"mem_used_bytes", f->mem_used_bytes},
		{"meta_bytes", f->meta_bytes},
		{"dict_bytes", f->dict_bytes},
		{"same_pages", f->same_pages},
		{"rewritten_compr_bytes", row->rewritten.compr_bytes},
		{"rewritten_mem_used_bytes", row->rewritten.mem_used_bytes},
		{"rewritten_meta_bytes", row->rewritten.meta_bytes},
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(fields) / sizeof(fields[0]); i++)
		r = add(object, fields[i].name, json_integer((json_int_t)fields[i].value));
	if (r == 0)
		r = add(object, "huge_pages",
			f->huge_pages < 0 ? json_null() : json_integer(f->huge_pages));
	return r;
}

static const char *pool_of(const struct target_config *c)
{
	if (c->pool)
		return pool_name(c->pool);
	return c->block_bytes ? "zsmalloc" : NULL; /* the only one that zram has; raw has none */
}

static json_t *row_json(const struct bench_row *row)
{
	const struct target_config *c = row->config;
	json_t *intervals = json_object(), *runs = json_object();
	json_t *object = json_pack("{s:s, s:s, s:s?, s:i}", "target", c->name, "codec", c->codec,
				   "pool", pool_of(c), "threads", (int)c->threads);
	int r = object && intervals && runs ? 0 : -ENOMEM;

	for (int m = 0; r == 0 && m < BENCH_METRICS; m++)
		r = add_metric(object, intervals, runs, row, m);
	if (r == 0)
		r = add_bytes(object, row);
	if (r == 0)
		r = add(object, "ratio", json_real(row->ratio));
	if (r == 0 && c->block_bytes)
		r = add(object, "block_bytes", json_integer((json_int_t)c->block_bytes));
	/* bench_run fails otherwise. */
	if (r == 0)
		r = add(object, "verified", json_true());
	if (r == 0)
		r = add(object, "interval", json_incref(intervals));
	if (r == 0)
		r = add(object, "runs", json_incref(runs));
	json_decref(intervals);
	json_decref(runs);
	if (r < 0) {
		json_decref(object);
		return NULL;
	}
	return object;
}

json_t *bench_result_json(const struct page_set *pages, const struct bench_row *rows, size_t n)
{
	json_t *list = json_array();
	json_t *result = json_pack("{s:s, s:s, s:I, s:I}", "schema", SCHEMA, "source",
				   pages->source, "pages", (json_int_t)pages->n, "padded_bytes",
				   (json_int_t)pages->padded_bytes);
	bool ok = list && result;

	for (size_t i = 0; ok && i < n; i++)
		ok = json_array_append_new(list, row_json(&rows[i])) == 0;
	ok = ok && json_object_set(result, "rows", list) == 0;
	json_decref(list);
	if (!ok) {
		json_decref(result);
		return NULL;
	}
	return result;
}
