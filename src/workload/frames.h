/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Statistics of a frame loop. Time is cut into slots of one period, and a frame is due in each. A
 * frame begins with its slot; its time is from there to its end, the delay until it was woken
 * included. One that takes longer than a period takes up the next slots, too: they are dropped, and
 * the next frame begins with the slot after its end.
 */
#ifndef SNUG_WORKLOAD_FRAMES_H
#define SNUG_WORKLOAD_FRAMES_H

#include <stdint.h>

struct frames;
struct workload_frames;

/* NULL: out of memory. frames_free takes NULL. */
struct frames *frames_new(uint64_t period_ns);
void frames_free(struct frames *f);

/* Counts a frame that took frame_ns; returns how many slots those are, at least 1. */
uint64_t frames_add(struct frames *f, uint64_t frame_ns);

/* Fills ret completely. No frames may be added afterwards. */
void frames_finish(struct frames *f, struct workload_frames *ret);

#endif
