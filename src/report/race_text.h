/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A race for people at a terminal. */
#ifndef SNUG_REPORT_RACE_TEXT_H
#define SNUG_REPORT_RACE_TEXT_H

#include <stdbool.h>
#include <stdio.h>

struct race_result;

struct race_text_style {
	bool bytes;	 /* sizes in bytes */
	bool noheadings; /* the lines of the table alone, nothing else */
	bool verbose; /* also each trial, its intervals as iostat shows them, and checks that passed
		       */
};

/* The summary table, the checks that did not pass, the verdict. 0, -ENOMEM, or -EIO when out fails.
 */
int race_text(const struct race_result *r, const struct race_text_style *style, FILE *out);

#endif
