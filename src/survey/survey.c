/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "survey.h"

#include "clock.h"
#include "err.h"
#include "page.h"
#include "progress.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define GIB ((uint64_t)1 << 30)

struct report {
	struct progress *progress;
	uint64_t before;
};

static void report_done(void *arg, uint64_t pages)
{
	struct report *r = arg;

	progress_update(r->progress, r->before + pages);
}

static int measure_all(const struct codec_spec *specs, size_t n_specs, struct survey *s,
		       struct err *e)
{
	struct measure_pages pages = {0};
	struct zsmalloc_rules rules;
	struct progress progress;
	struct report report = {.progress = &progress};
	/* The model knows 4 KiB pages only. */
	bool predicts = sysconf(_SC_PAGESIZE) == (long)PAGE_BYTES;
	int r = measure_pages_open(s->sample.pages, s->sample.n_pages, 1, &pages);

	if (r < 0)
		return err_failed(e, r, "out of memory");
	s->same_pages = pages.n_same;
	zsmalloc_rules_of(s->machine.kernel_major, s->machine.kernel_minor,
			  s->machine.zsmalloc_chain_pages, &rules);
	progress_begin(&progress, "compressing", 2 * pages.n * n_specs);
	for (size_t i = 0; i < n_specs && r == 0; i++) {
		char name[CODEC_NAME_MAX];

		progress.label = codec_format(&specs[i], name);
		report.before = 2 * pages.n * i;
		r = measure_codec(&pages, &specs[i], predicts ? &rules : NULL, report_done, &report,
				  &s->codecs[i], e);
		s->n_codecs += r == 0;
	}
	progress_end(&progress);
	measure_pages_close(&pages);
	return r;
}

int survey_run(const struct sample_request *q, const struct codec_spec *specs, size_t n_specs,
	       struct survey *ret, struct err *e)
{
	struct sample_request request = *q;
	struct survey s = {0};
	int r;

	/* Before the sample takes its part of the memory that is reported as available. */
	facts_read(q->root, &s.machine);
	request.available_bytes = s.machine.mem_available_bytes;
	s.codecs = calloc(n_specs ? n_specs : 1, sizeof(*s.codecs));
	if (!s.codecs)
		return err_failed(e, -ENOMEM, "out of memory");
	r = sample_take(&request, &s.sample, e);
	if (r == 0)
		r = measure_all(specs, n_specs, &s, e);
	if (r == 0)
		*ret = s;
	else
		survey_free(&s);
	return r;
}

void survey_free(struct survey *s)
{
	sample_free(&s->sample);
	free(s->codecs);
	*s = (struct survey){0};
}

double survey_ratio(const struct survey *s, uint64_t bytes)
{
	return bytes ? (double)s->sample.n_pages * (double)PAGE_BYTES / (double)bytes : 0;
}

uint64_t survey_holds(const struct survey *s, uint64_t budget, uint64_t mem, uint64_t fixed)
{
	if (mem <= fixed || budget <= fixed)
		return 0;
	return (uint64_t)((double)(budget - fixed) * survey_ratio(s, mem - fixed));
}

uint64_t survey_gib_holds(const struct survey *s, const struct measure_result *c)
{
	return survey_holds(s, GIB, c->mem_used_bytes, c->fixed_bytes);
}

uint64_t survey_kernel_gib_holds(const struct survey *s, const struct measure_result *c)
{
	if (c->kernel_mem_used_bytes < 0)
		return 0;
	return survey_holds(s, GIB, (uint64_t)c->kernel_mem_used_bytes,
			    (uint64_t)c->kernel_fixed_bytes);
}

const struct measure_result *survey_densest(const struct survey *s)
{
	const struct measure_result *best = NULL;

	for (size_t i = 0; i < s->n_codecs; i++)
		if (!best || survey_gib_holds(s, &s->codecs[i]) > survey_gib_holds(s, best))
			best = &s->codecs[i];
	return best;
}

const struct measure_result *survey_densest_of_kernel(const struct survey *s)
{
	const struct measure_result *best = NULL;

	for (size_t i = 0; i < s->n_codecs; i++) {
		const struct measure_result *c = &s->codecs[i];

		if (!c->kernel_name || !survey_kernel_gib_holds(s, c) ||
		    !facts_offer_algorithm(&s->machine, c->kernel_name))
			continue;
		if (!best || survey_kernel_gib_holds(s, c) > survey_kernel_gib_holds(s, best))
			best = c;
	}
	return best;
}
