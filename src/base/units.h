/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sizes and numbers as people write and read them. */
#ifndef SNUG_BASE_UNITS_H
#define SNUG_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

struct err;

/*
 * A size: "4096", "64M", "1.5G" (K M G T P, powers of 1024, an optional "iB" or "B" after the
 * letter), or, when whole_bytes is not 0, "25%" of it. -EINVAL for anything else: signs, unknown
 * letters, more than 100%; -ERANGE beyond 2^63. what names the option in the sentence.
 */
int units_parse_size(const char *text, uint64_t whole_bytes, const char *what, uint64_t *ret_bytes,
		     struct err *e);

/* A whole decimal number in [min, max], nothing around it; -EINVAL or -ERANGE. */
int units_parse_int(const char *text, int64_t min, int64_t max, const char *what, int64_t *ret,
		    struct err *e);

/* A decimal number in [min, max], or "50%" for 0.5; -EINVAL or -ERANGE. */
int units_parse_number(const char *text, double min, double max, const char *what, double *ret,
		       struct err *e);

/* A time: "250ms", "90s" (or "90"), "5m", "2h"; -EINVAL or, beyond a year, -ERANGE. */
int units_parse_time(const char *text, const char *what, double *ret_s, struct err *e);

/* "1.5G", at most one decimal, as zramctl prints; returns buf. */
#define UNITS_SIZE_MAX 16
const char *units_format_size(uint64_t bytes, char buf[UNITS_SIZE_MAX]);

#endif
