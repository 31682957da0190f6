/* SPDX-License-Identifier: GPL-2.0-or-later */
/* C sources of any size, for a compiler to need memory for; seeded. */
#ifndef SNUG_WORKLOAD_BUILD_SOURCE_H
#define SNUG_WORKLOAD_BUILD_SOURCE_H

#include <stdint.h>
#include <stdio.h>

/*
 * Writes one translation unit with that many headers (0 is a valid unit too). The same seed and
 * number give the same bytes; a longer unit of the same seed is another text, not a longer one.
 * Errors are left in f, for ferror.
 */
void build_source_write(FILE *f, uint64_t seed, unsigned headers);

#endif
