/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A window of one second is a fixed number of slots, not of clock time, so that the jitter of a
 * steady loop never moves a frame from one window to the next. A frame counts in the window that
 * its last slot is in, so a stall of some seconds leaves windows without any frame. The window that
 * is not complete at the end is left out, unless it is the only one.
 *
 * Percentiles are exact (nearest rank): every time is kept.
 */
#include "frames.h"

#include "workload.h"

#include <stdlib.h>
#include <string.h>

enum { TIMES_MOST = 1 << 17 }; /* 36 minutes at 60 Hz; only what is used is touched */

struct frames {
	uint64_t period_ns;
	uint64_t window_slots;
	uint64_t slots;	       /* used up by all frames so far */
	uint64_t in_time;      /* frames that took one slot */
	uint64_t windows;      /* complete ones */
	uint64_t window_first; /* where the one at hand begins */
	uint64_t window_frames;
	double fps_sum;
	struct workload_frames sum;
	uint64_t times[TIMES_MOST];
};

struct frames *frames_new(uint64_t period_ns)
{
	struct frames *f = calloc(1, sizeof(*f));

	if (f) {
		f->period_ns = period_ns;
		f->window_slots = (1000000000 + period_ns / 2) / period_ns;
	}
	return f;
}

void frames_free(struct frames *f)
{
	free(f);
}

/* The window at hand ends with the given slot. */
static void window_close(struct frames *f, uint64_t end)
{
	double fps = (double)(f->window_frames * f->window_slots) / (double)(end - f->window_first);

	if (!f->windows || fps < f->sum.fps_min)
		f->sum.fps_min = fps;
	if (fps > f->sum.fps_max)
		f->sum.fps_max = fps;
	f->fps_sum += fps;
	f->windows++;
	f->window_first = end;
	f->window_frames = 0;
}

/* All windows that are complete before the given slot. */
static void windows_close(struct frames *f, uint64_t slot)
{
	while (slot - f->window_first >= f->window_slots)
		window_close(f, f->window_first + f->window_slots);
}

uint64_t frames_add(struct frames *f, uint64_t frame_ns)
{
	uint64_t slots = frame_ns ? (frame_ns - 1) / f->period_ns + 1 : 1;
	unsigned bucket = 0;

	windows_close(f, f->slots + slots - 1);
	f->window_frames++;
	f->slots += slots;
	f->in_time += slots == 1;
	while (frame_ns > workload_bucket_ns(bucket))
		bucket++;
	f->sum.histogram[bucket]++;
	if (f->sum.frames < TIMES_MOST)
		f->times[f->sum.frames] = frame_ns;
	f->sum.frames++;
	return slots;
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t percentile(const struct frames *f, uint64_t n, uint64_t percent)
{
	return f->times[(n * percent + 99) / 100 - 1];
}

void frames_finish(struct frames *f, struct workload_frames *ret)
{
	uint64_t n = f->sum.frames < TIMES_MOST ? f->sum.frames : TIMES_MOST;

	if (n) {
		windows_close(f, f->slots);
		if (!f->windows)
			window_close(f, f->slots);
		qsort(f->times, n, sizeof(f->times[0]), compare_times);
		f->sum.dropped = f->slots - f->sum.frames;
		f->sum.fps_avg = f->fps_sum / (double)f->windows;
		f->sum.score = 1000.0 * (double)f->in_time / (double)f->slots;
		f->sum.frame_ns_p50 = percentile(f, n, 50);
		f->sum.frame_ns_p95 = percentile(f, n, 95);
		f->sum.frame_ns_p99 = percentile(f, n, 99);
	}
	*ret = f->sum;
}
