/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of race_text: the trials one by one, each with its intervals. */
#ifndef SNUG_REPORT_RACE_TEXT_TRIALS_H
#define SNUG_REPORT_RACE_TEXT_TRIALS_H

struct race_result;
struct sheet;

/* In the order they were run. The columns of CPU and swap traffic are iostat's, by its names. */
void race_text_trials(struct sheet *s, const struct race_result *r);

#endif
