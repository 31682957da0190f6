/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A progress bar on stderr, drawn only if that is a terminal, erased when done. */
#ifndef SNUG_BASE_PROGRESS_H
#define SNUG_BASE_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	const char *label; /* shown before the bar; may be changed while it runs */
	uint64_t total;
	uint64_t begun_ns;
	uint64_t drawn_ns;
	bool shown;
};

void progress_begin(struct progress *p, const char *label, uint64_t total);
void progress_update(struct progress *p, uint64_t done);
void progress_end(struct progress *p);

#endif
