/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Fields of the schema are always there; null where nothing is known. A failed allocation shows up
 * as a NULL: jansson's setters then fail, and what is missing would be missed by a reader, so
 * `failed` remembers it to the end.
 */
#include "survey.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

/* An object being filled. */
struct object {
	json_t *json;
	bool failed;
};

static struct object object_new(void)
{
	struct object o = {.json = json_object()};

	o.failed = !o.json;
	return o;
}

static void set(struct object *o, const char *key, json_t *value)
{
	if (json_object_set_new(o->json, key, value) < 0)
		o->failed = true;
}

/* The object itself, or NULL. */
static json_t *finish(struct object *o)
{
	if (!o->failed)
		return o->json;
	json_decref(o->json);
	return NULL;
}

static void set_flag(struct object *o, const char *key, bool value)
{
	set(o, key, json_boolean(value));
}

static void set_count(struct object *o, const char *key, uint64_t value)
{
	set(o, key, json_integer((json_int_t)value));
}

/* Negative: unknown. */
static void set_number(struct object *o, const char *key, int64_t value)
{
	set(o, key, value < 0 ? json_null() : json_integer(value));
}

static void set_text(struct object *o, const char *key, const char *text)
{
	json_t *j = text && *text ? json_string(text) : NULL;

	/* Also for what is not UTF-8. */
	set(o, key, j ? j : json_null());
}

/* Three decimals: a measurement has no more. */
static void set_real(struct object *o, const char *key, double value)
{
	set(o, key, value > 0 ? json_real(round(value * 1000) / 1000) : json_null());
}

static void set_ns(struct object *o, const char *key, double value)
{
	set(o, key, json_integer((json_int_t)llround(value)));
}

static json_t *codec_json(const struct survey *s, const struct measure_result *c)
{
	struct object o = object_new();

	set_text(&o, "name", c->name);
	set_flag(&o, "kernel", c->kernel_name != NULL);
	if (c->kernel_name && s->machine.zram_algorithms.n)
		set_flag(&o, "kernel_offered", facts_offer_algorithm(&s->machine, c->kernel_name));
	else
		set(&o, "kernel_offered", json_null());
	set_flag(&o, "kernel_approximate", c->kernel_approximate);
	set_flag(&o, "dict_in_use", c->dict_in_use);
	set_real(&o, "ratio", survey_ratio(s, c->compr_bytes));
	set_real(&o, "mem_ratio", survey_ratio(s, c->mem_used_bytes));
	set_count(&o, "compr_bytes", c->compr_bytes);
	set_count(&o, "pool_bytes", c->pool_bytes);
	set_count(&o, "meta_bytes", c->meta_bytes);
	set_count(&o, "mem_used_bytes", c->mem_used_bytes);
	set_count(&o, "huge_pages", c->huge_pages);
	set_count(&o, "gib_holds_bytes", survey_gib_holds(s, c));
	set_number(&o, "kernel_compr_bytes", c->kernel_compr_bytes);
	set_number(&o, "kernel_mem_used_bytes", c->kernel_mem_used_bytes);
	set_number(&o, "kernel_huge_pages", c->kernel_huge_pages);
	set_number(&o, "kernel_gib_holds_bytes",
		   c->kernel_mem_used_bytes < 0 ? -1 : (int64_t)survey_kernel_gib_holds(s, c));
	set_ns(&o, "compress_ns_p50", c->compress_ns_p50);
	set_ns(&o, "compress_ns_p99", c->compress_ns_p99);
	set_ns(&o, "decompress_ns_p50", c->decompress_ns_p50);
	set_ns(&o, "decompress_ns_p99", c->decompress_ns_p99);
	set_real(&o, "compress_gb_s", c->compress_gb_s);
	set_real(&o, "decompress_gb_s", c->decompress_gb_s);
	return finish(&o);
}

static json_t *swap_json(const struct kerntext_swap *swap)
{
	struct object o = object_new();

	set_text(&o, "path", swap->path);
	set_text(&o, "type", swap->type);
	set_count(&o, "size_bytes", swap->size_bytes);
	set_count(&o, "used_bytes", swap->used_bytes);
	set(&o, "priority", json_integer(swap->priority));
	return finish(&o);
}

static json_t *zram_json(const struct facts_zram *z)
{
	struct object o = object_new();

	set(&o, "name", json_sprintf("zram%u", z->number));
	set_text(&o, "algorithm", z->algorithm);
	set_number(&o, "disksize_bytes", z->disksize_bytes);
	set_number(&o, "orig_bytes", z->mm.orig_data_size);
	set_number(&o, "compr_bytes", z->mm.orig_data_size < 0 ? -1 : z->mm.compr_data_size);
	set_number(&o, "mem_used_bytes", z->mm.orig_data_size < 0 ? -1 : z->mm.mem_used_total);
	set_number(&o, "mem_limit_bytes", z->mm.orig_data_size < 0 ? -1 : z->mm.mem_limit);
	set_text(&o, "backing", z->backing);
	return finish(&o);
}

static json_t *zswap_json(const struct facts_zswap *z)
{
	struct object o;

	if (!z->present)
		return json_null();
	o = object_new();
	set_flag(&o, "enabled", z->enabled);
	set_text(&o, "compressor", z->compressor);
	set_text(&o, "zpool", z->zpool);
	set_number(&o, "max_pool_percent", z->max_pool_percent);
	set_number(&o, "pool_bytes", z->pool_bytes);
	set_number(&o, "stored_bytes", z->stored_bytes);
	return finish(&o);
}

/* Takes over each; *failed is set if one is NULL. */
static void append(json_t *list, json_t *item, bool *failed)
{
	if (json_array_append_new(list, item) < 0)
		*failed = true;
}

static void set_lists(struct object *o, const struct facts *f)
{
	json_t *swaps = json_array(), *zrams = json_array(), *algorithms = json_array();

	for (size_t i = 0; i < f->n_swaps; i++)
		append(swaps, swap_json(&f->swaps[i]), &o->failed);
	for (size_t i = 0; i < f->n_zrams; i++)
		append(zrams, zram_json(&f->zrams[i]), &o->failed);
	for (size_t i = 0; i < f->zram_algorithms.n; i++)
		append(algorithms, json_string(f->zram_algorithms.words[i]), &o->failed);
	set(o, "swaps", swaps);
	set(o, "zram", zrams);
	set(o, "zram_algorithms", algorithms);
}

static json_t *machine_json(const struct facts *f)
{
	static const char *const states[] = {"absent", "loadable", "present"};
	struct object o = object_new();

	set_text(&o, "kernel", f->kernel);
	set_text(&o, "cpu_model", f->cpu_model);
	set_number(&o, "cpus", f->cpus);
	set_number(&o, "mem_total_bytes", f->mem_total_bytes);
	set_number(&o, "mem_available_bytes", f->mem_available_bytes);
	set_number(&o, "swap_total_bytes", f->swap_total_bytes);
	set_number(&o, "swap_free_bytes", f->swap_free_bytes);
	set_number(&o, "swappiness", f->swappiness);
	set_number(&o, "page_cluster", f->page_cluster);
	set_text(&o, "transparent_hugepage", f->thp);
	set_text(&o, "zram_state", states[f->zram]);
	set_number(&o, "zsmalloc_chain_pages", f->zsmalloc_chain_pages);
	set_lists(&o, f);
	set(&o, "zswap", zswap_json(&f->zswap));
	return finish(&o);
}

static json_t *skipped_json(const struct sample_skipped *skipped)
{
	static const char *const reasons[] = {"gone", "denied", "broken"};
	struct object o = object_new();

	set_count(&o, "pid", (uint64_t)skipped->pid);
	set_text(&o, "name", skipped->name);
	set_text(&o, "reason", reasons[skipped->reason]);
	return finish(&o);
}

static json_t *sample_json(const struct sample *s)
{
	struct object o = object_new();
	json_t *skipped = json_array();

	for (size_t i = 0; i < s->n_skipped; i++)
		append(skipped, skipped_json(&s->skipped[i]), &o.failed);
	set_count(&o, "population_pages", s->population);
	set_count(&o, "processes", s->processes);
	set_count(&o, "resident_pages", s->resident);
	set_count(&o, "swapped_pages", s->swapped);
	set_count(&o, "shared_again_pages", s->shared_again);
	set_count(&o, "file_pages", s->file_pages);
	set_count(&o, "lost_pages", s->lost);
	set_count(&o, "sampled_swapped_pages", s->sampled_swapped);
	set_flag(&o, "swapped_left_out", s->swapped_left_out);
	set_count(&o, "padded_bytes", s->padded_bytes);
	set(&o, "skipped", skipped);
	return finish(&o);
}

int survey_write_json(const struct survey *s, FILE *out)
{
	struct object o = object_new();
	json_t *codecs = json_array(), *all;
	int r = 0;

	for (size_t i = 0; i < s->n_codecs; i++)
		append(codecs, codec_json(s, &s->codecs[i]), &o.failed);
	set_text(&o, "schema", "snug.survey/1");
	set_count(&o, "pages", s->sample.n_pages);
	set_count(&o, "same_pages", s->same_pages);
	set(&o, "codecs", codecs);
	set(&o, "sample", sample_json(&s->sample));
	set(&o, "machine", machine_json(&s->machine));
	all = finish(&o);
	if (!all)
		return -ENOMEM;
	if (json_dumpf(all, out, JSON_INDENT(2) | JSON_REAL_PRECISION(6)) < 0 ||
	    fputc('\n', out) == EOF)
		r = -EIO;
	json_decref(all);
	return r;
}
