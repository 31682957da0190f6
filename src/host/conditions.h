/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What decides how fast memory is paged and may change between two runs: read before and after
 * each, compared by the plausibility checks.
 */
#ifndef SNUG_HOST_CONDITIONS_H
#define SNUG_HOST_CONDITIONS_H

#include "kerntext.h"

#include <stdint.h>

/* -1 and "" where this machine does not tell. */
struct conditions {
	int64_t page_cluster, swappiness, watermark_scale_factor;
	char thp[KERNTEXT_WORD_MAX];
	char governor[KERNTEXT_WORD_MAX]; /* of the CPUs: the one all have, or "mixed" */
	int64_t clock_khz; /* the mean over the CPUs now: cpufreq, else /proc/cpuinfo's MHz */
	int64_t throttled; /* thermal_throttle events since boot, over all CPUs */
	int64_t other_swap_bytes; /* in use on swap that is there now, all of it */
	int64_t other_swaps;	  /* how many swap devices and files there are */
	char zswap_enabled;	  /* 'Y', 'N', or 0: none */
};

void conditions_read(int root, struct conditions *ret);

#endif
