/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two steps: every page is offered to a reservoir, as a run of addresses; what it kept is then
 * read, in order of address. Between them a process may exit or free memory; such pages are lost to
 * the sample (counted), which stays uniform over those that lived on.
 *
 * A sample by page, not by process or mapping: a process of 2 GiB has the say that its 2 GiB will
 * have in swap.
 */
#include "sample.h"

#include "err.h"
#include "mapping.h"
#include "page.h"
#include "procmem.h"
#include "progress.h"
#include "reservoir.h"
#include "sources.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { READ_AT_ONCE = 1024 };

bool sample_may_bring_in(uint64_t bytes, int64_t available_bytes)
{
	/* Unknown (before Linux 3.14): what is swapped out stays there. */
	if (available_bytes < 0)
		return false;
	/* More than an eighth of what is available could push out as much of something else. */
	return bytes <= (uint64_t)available_bytes / 8;
}

/* Drops what is swapped out if bringing it in would be felt. What remains is uniform over what is
 * in RAM. */
static void settle_swapped(const struct sample_request *q, struct reservoir *r, struct sample *s)
{
	size_t swapped = 0, kept = 0;

	for (size_t i = 0; i < r->n; i++)
		swapped += r->items[i].swapped;
	s->swapped_left_out = q->leave_swapped && s->swapped;
	s->sampled_swapped = swapped;
	if (!swapped || sample_may_bring_in(swapped * PAGE_BYTES, q->available_bytes))
		return;
	for (size_t i = 0; i < r->n; i++)
		if (!r->items[i].swapped)
			r->items[kept++] = r->items[i];
	r->n = kept;
	s->sampled_swapped = 0;
	s->swapped_left_out = true;
}

/* The run of items from `at` that are of one source, at most READ_AT_ONCE. */
static size_t gather(const struct reservoir *r, size_t at, uint64_t *addresses)
{
	size_t n = 0;

	for (; n < READ_AT_ONCE && at + n < r->n; n++) {
		if (r->items[at + n].source != r->items[at].source)
			break;
		addresses[n] = r->items[at + n].address;
	}
	return n;
}

static int read_chosen(const struct sample_request *q, struct sources *src,
		       const struct reservoir *r, struct sample *s, struct err *e)
{
	uint64_t addresses[READ_AT_ONCE];
	struct progress p;
	size_t at = 0;
	int code = 0;

	s->mapped_bytes = (r->n ? r->n : 1) * PAGE_BYTES;
	s->pages = mapping_alloc(s->mapped_bytes);
	if (!s->pages)
		return err_failed(e, -ENOMEM,
				  "no memory for a sample of %zu MiB; ask for less with --sample",
				  s->mapped_bytes >> 20);
	progress_begin(&p, "reading pages", r->n);
	while (at < r->n && code == 0) {
		size_t n = gather(r, at, addresses), got = 0;

		code = sources_read(src, q, r->items[at].source, addresses, n,
				    s->pages + s->n_pages * PAGE_BYTES, &got, s, e);
		s->n_pages += got;
		s->lost += n - got;
		at += n;
		progress_update(&p, at);
	}
	progress_end(&p);
	return code;
}

/* Why there is nothing to work on. */
static int explain_empty(const struct sample_request *q, const struct sample *s, struct err *e)
{
	char advice[PROCMEM_ADVICE_MAX];
	size_t denied = 0;

	for (size_t i = 0; i < s->n_skipped; i++)
		denied += s->skipped[i].reason == SAMPLE_DENIED;
	if (denied && !s->processes)
		return err_missing(e, -EACCES, "not permitted to read any of %zu processes; %s",
				   denied, procmem_advice(q->root, advice));
	if (s->lost)
		return err_failed(
			e, -ENODATA,
			"all of the %llu pages chosen were gone before they could be read",
			(unsigned long long)s->lost);
	if (s->swapped_left_out)
		return err_failed(e, -ENODATA,
				  "all private memory there is swapped out, and reading it would "
				  "bring in more than RAM has room for");
	return err_failed(e, -ENODATA, "the processes named have no private memory");
}

int sample_take(const struct sample_request *q, struct sample *ret, struct err *e)
{
	struct sources src = {0};
	struct reservoir r = {0};
	struct sample s = {0};
	int code = sources_open(q, &src, &s, e);

	if (code == 0 && reservoir_open(&r, q->max_bytes / PAGE_BYTES, q->seed) < 0)
		code = err_failed(e, -ENOMEM,
				  "no memory for a sample that large; ask for less with --sample");
	if (code == 0)
		code = sources_offer(&src, q, &r, &s, e);
	if (code == 0) {
		s.population = r.seen;
		settle_swapped(q, &r, &s);
		reservoir_sort(&r);
		code = read_chosen(q, &src, &r, &s, e);
	}
	if (code == 0 && !s.n_pages)
		code = explain_empty(q, &s, e);
	reservoir_close(&r);
	sources_close(&src);
	if (code == 0)
		*ret = s;
	else
		sample_free(&s);
	return code;
}

void sample_free(struct sample *s)
{
	mapping_free(s->pages, s->mapped_bytes);
	free(s->skipped);
	*s = (struct sample){0};
}
