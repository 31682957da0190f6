/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the trials say: a summary per backend, and which to use. Pure: trials in, words out.
 *
 * Two backends are called different only if (1) the exact Mann-Whitney test over their times, after
 * Holm over all pairs that are looked at, has p < 0.05, (2) the intervals of their medians do not
 * overlap even at JUDGE_CONFIDENCE, and (3) the medians differ by more than JUDGE_NOISE. (2) makes
 * up for the winner having been chosen by its median. With too few runs for (1) to be possible at
 * all (three against three: p is never below 0.1) the verdict names the order of the medians and
 * says that it is not proven.
 *
 * A backend whose runs were not all ok ranks below those whose were, however fast; between those,
 * by how many were ok.
 */
#ifndef SNUG_LAB_JUDGE_H
#define SNUG_LAB_JUDGE_H

#include "race_result.h"

#define JUDGE_NOISE	 0.03
#define JUDGE_ALPHA	 0.05
#define JUDGE_CONFIDENCE 0.99

/*
 * Fills r->summary (whose rows have backend, workload and unavailable already, in order) and
 * r->verdict from r->trials and r->plan. -ENOMEM.
 */
int judge(struct race_result *r);

#endif
