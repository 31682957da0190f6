/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a browser's tab has in its pages. The content of a page is a function of its name: nothing
 * needs to be remembered to tell whether it is still what it was. Reading and filling are as quick
 * as copying.
 */
#ifndef SNUG_WORKLOAD_TABS_PAGE_H
#define SNUG_WORKLOAD_TABS_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Immutable; processes that are forked share it. */
struct tabs_library;

struct tabs_page {
	unsigned tab;
	size_t index;	  /* which of the tab's pages */
	uint64_t version; /* another one: the same kind of content, but for a word */
};

/* The same seed: the same contents. -ENOMEM. tabs_library_free takes NULL. */
int tabs_library_new(uint64_t seed, struct tabs_library **ret);
void tabs_library_free(struct tabs_library *l);

/* page: PAGE_BYTES. */
void tabs_page_fill(const struct tabs_library *l, const struct tabs_page *name, void *page);
/* Is it, to the last bit, what tabs_page_fill makes? */
bool tabs_page_verify(const struct tabs_library *l, const struct tabs_page *name, const void *page);

#endif
