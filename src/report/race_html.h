/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Races as one self-contained page: no network, charts by Chart.js inside it, tables without
 * JavaScript. */
#ifndef SNUG_REPORT_RACE_HTML_H
#define SNUG_REPORT_RACE_HTML_H

#include <stddef.h>
#include <stdio.h>

struct race_result;

/* n results (of one file each, in that order), n >= 1. 0, -ENOMEM, or -EIO when out fails. */
int race_html(const struct race_result *const *results, size_t n, FILE *out);

#endif
