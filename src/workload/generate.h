/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Synthetic pages for when there are no real ones at hand. Real ones are better: what a machine
 * holds is always less regular than what somebody thought of.
 */
#ifndef SNUG_WORKLOAD_GENERATE_H
#define SNUG_WORKLOAD_GENERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool generate_knows(const char *kind);
/* "text, heap, ..."; returns buf. */
#define GENERATE_KINDS_MAX 64
const char *generate_kinds(char buf[GENERATE_KINDS_MAX]);

/* Fills n pages of 4096 bytes with a known kind. -ENOMEM. */
int generate_pages(const char *kind, uint64_t seed, unsigned char *pages, size_t n);

#endif
