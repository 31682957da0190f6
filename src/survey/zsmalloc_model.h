/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel's zram would report for pages of given compressed lengths, written one after
 * another to an empty device: compr_data_size and mem_used_total of mm_stat. Pure.
 */
#ifndef SNUG_SURVEY_ZSMALLOC_MODEL_H
#define SNUG_SURVEY_ZSMALLOC_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ZSMALLOC_CLASSES = 255 };

/* How a kernel chooses its size classes. */
struct zsmalloc_rules {
	unsigned chain_pages; /* most pages of a zspage */
	bool least_waste;     /* its pages chosen by bytes wasted, not by percent used */
	size_t huge_size;     /* zram stores longer results as whole pages; 0: the pool says */
};

/* Of a kernel's release; 0.0 counts as a new one. chain_pages < 1: unknown, the default of the
 * release. */
void zsmalloc_rules_of(unsigned major, unsigned minor, int64_t chain_pages,
		       struct zsmalloc_rules *ret);

struct zsmalloc_class {
	unsigned objects_per_zspage, pages_per_zspage;
	uint64_t objects;
};

struct zsmalloc_model {
	struct zsmalloc_class classes[ZSMALLOC_CLASSES];
	uint8_t merged_into[ZSMALLOC_CLASSES]; /* the class whose zspages serve this one */
	size_t huge_size;		       /* a result of this length or more is stored whole */
	uint64_t compr_data_size;
	uint64_t huge_pages;
};

void zsmalloc_model_init(struct zsmalloc_model *m, const struct zsmalloc_rules *rules);
/* A page that compressed to len bytes (1 and more); same-filled pages are not added, they cost
 * nothing. */
void zsmalloc_model_add(struct zsmalloc_model *m, size_t len);
/* mem_used_total, in bytes. */
uint64_t zsmalloc_model_mem_used(const struct zsmalloc_model *m);
/* How much of that is room left in the last zspage of each class: it does not grow with what is
 * stored. */
uint64_t zsmalloc_model_spare(const struct zsmalloc_model *m);

#endif
