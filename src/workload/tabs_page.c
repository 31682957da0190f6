/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A library of some MiB of templates is made once, kind after kind, and a page is a copy of one of
 * them with a stamp of eight bytes somewhere in it: no two pages are equal, but they compress as
 * the templates do. A same-filled page has no stamp, or it would be none.
 *
 * Templates are used in runs, neighbours as neighbours: a heap's pages point to each other. Each
 * tab goes through all runs in another order, so that even a small one has all kinds in their
 * shares.
 */
#include "tabs_page.h"

#include "generate.h"
#include "mapping.h"
#include "page.h"
#include "rng.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	RUN_PAGES = 16,
	RUNS = 100, /* so that a share is a percentage */
	TEMPLATES = RUNS * RUN_PAGES,
};

/*
 * Compressed page by page these are a third of their size, as heaps of node and cc1plus are:
 * lzo 3.0 and lz4 2.7.
 */
static const struct {
	const char *kind;
	unsigned runs;
} shares[] = {
	{"heap", 66}, {"zero", 9}, {"json", 8}, {"image", 8}, {"text", 6}, {"random", 3},
};

struct tabs_library {
	uint64_t seed;
	unsigned char *pages;
	bool same_filled[TEMPLATES];
};

void tabs_library_free(struct tabs_library *l)
{
	if (!l)
		return;
	mapping_free(l->pages, TEMPLATES * PAGE_BYTES);
	free(l);
}

static int make_templates(struct tabs_library *l)
{
	unsigned char *at = l->pages;
	uint64_t word;

	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++) {
		size_t n = shares[i].runs * RUN_PAGES;

		if (generate_pages(shares[i].kind, l->seed, at, n) < 0)
			return -ENOMEM;
		at += n * PAGE_BYTES;
	}
	for (size_t i = 0; i < TEMPLATES; i++)
		l->same_filled[i] = page_same_filled(l->pages + i * PAGE_BYTES, &word);
	return 0;
}

int tabs_library_new(uint64_t seed, struct tabs_library **ret)
{
	struct tabs_library *l = calloc(1, sizeof(*l));

	if (!l)
		return -ENOMEM;
	l->seed = seed;
	l->pages = mapping_alloc(TEMPLATES * PAGE_BYTES);
	if (!l->pages || make_templates(l) < 0) {
		tabs_library_free(l);
		return -ENOMEM;
	}
	*ret = l;
	return 0;
}

static size_t template_of(const struct tabs_page *name)
{
	/* 37 has no factor in common with RUNS: every run comes once in RUNS. */
	size_t run = (name->index / RUN_PAGES * 37 + name->tab * 11) % RUNS;

	return run * RUN_PAGES + name->index % RUN_PAGES;
}

/* Returns where in the page the stamp is. */
static size_t make_stamp(uint64_t seed, const struct tabs_page *name, uint64_t *ret)
{
	struct rng r = {.state = seed};

	r.state = rng_next(&r) ^ name->tab;
	r.state = rng_next(&r) ^ name->index;
	r.state = rng_next(&r) ^ name->version;
	*ret = rng_next(&r);
	return rng_below(&r, PAGE_WORDS) * sizeof(*ret);
}

void tabs_page_fill(const struct tabs_library *l, const struct tabs_page *name, void *page)
{
	size_t template = template_of(name), at;
	uint64_t stamp;

	memcpy(page, l->pages + template * PAGE_BYTES, PAGE_BYTES);
	if (l->same_filled[template])
		return;
	at = make_stamp(l->seed, name, &stamp);
	memcpy((unsigned char *)page + at, &stamp, sizeof(stamp));
}

bool tabs_page_verify(const struct tabs_library *l, const struct tabs_page *name, const void *page)
{
	size_t template = template_of(name), at, rest;
	const unsigned char *expected = l->pages + template * PAGE_BYTES, *p = page;
	uint64_t stamp;

	if (l->same_filled[template])
		return memcmp(p, expected, PAGE_BYTES) == 0;
	at = make_stamp(l->seed, name, &stamp);
	rest = at + sizeof(stamp);
	return memcmp(p, expected, at) == 0 && memcmp(p + at, &stamp, sizeof(stamp)) == 0 &&
	       memcmp(p + rest, expected + rest, PAGE_BYTES - rest) == 0;
}
