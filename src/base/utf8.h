/* SPDX-License-Identifier: GPL-2.0-or-later */
/* UTF-8, of which nothing is sure: names of processes and command lines may be any bytes. */
#ifndef SNUG_BASE_UTF8_H
#define SNUG_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define UTF8_REPLACEMENT 0xfffd

/*
 * The code point at s, its length in bytes in *ret_len. A byte that belongs to none (overlong
 * forms, surrogates and what is beyond U+10FFFF have none) is UTF8_REPLACEMENT of length 1; the
 * real one has 3.
 */
uint32_t utf8_decode(const char *s, size_t *ret_len);

#endif
