/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a sample is taken from: processes and files, opened, counted, and read again; private to
 * this folder. */
#ifndef SNUG_SURVEY_SOURCES_H
#define SNUG_SURVEY_SOURCES_H

#include "sample.h"

struct procmem;
struct reservoir;

struct source {
	pid_t pid; /* 0: a file */
	int fd;
	const char *path;
	uint64_t bytes; /* of a file */
};

struct sources {
	struct source *list;
	size_t n;
	struct procmem *procmem;
};

/* Opens all that the request names; what may be skipped goes to s->skipped. */
int sources_open(const struct sample_request *q, struct sources *ret, struct sample *s,
		 struct err *e);
void sources_close(struct sources *src); /* also of a zeroed one */

/* Offers every page to the reservoir; its sources are indexes of the list. */
int sources_offer(struct sources *src, const struct sample_request *q, struct reservoir *r,
		  struct sample *s, struct err *e);

/*
 * Reads n pages of source `index` at ascending addresses into pages, those that are there still. A
 * process that can't be read any more is no error but skipped.
 */
int sources_read(struct sources *src, const struct sample_request *q, size_t index,
		 const uint64_t *addresses, size_t n, unsigned char *pages, size_t *ret_got,
		 struct sample *s, struct err *e);

#endif
