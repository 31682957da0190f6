/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "progress.h"

#include "clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BAR_WIDTH = 32, REDRAW_NS = 100000000 };

void progress_begin(struct progress *p, const char *label, uint64_t total)
{
	const char *term = getenv("TERM");

	*p = (struct progress){
		.label = label,
		.total = total ? total : 1,
		.begun_ns = clock_now_ns(),
		.shown = isatty(STDERR_FILENO) && term && strcmp(term, "dumb"),
	};
}

void progress_update(struct progress *p, uint64_t done)
{
	uint64_t now;
	double share, left_s;
	int fill;

	if (!p->shown)
		return;
	now = clock_now_ns();
	if (now - p->drawn_ns < REDRAW_NS)
		return;
	p->drawn_ns = now;
	share = (double)done / (double)p->total;
	if (share > 1)
		share = 1;
	fill = (int)(share * BAR_WIDTH);
	left_s = share > 0.01 ? (double)(now - p->begun_ns) / 1e9 * (1 - share) / share : 0;
	fprintf(stderr, "\r%-22.22s [%.*s%*s] %3.0f%%", p->label, fill,
		"################################", BAR_WIDTH - fill, "", share * 100);
	if (left_s >= 1)
		fprintf(stderr, " %3.0f s left", left_s);
	fputs("\033[K", stderr);
}

void progress_end(struct progress *p)
{
	if (p->shown && p->drawn_ns)
		fputs("\r\033[K", stderr);
	p->shown = false;
}
