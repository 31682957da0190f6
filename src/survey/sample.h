/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A uniform sample of pages: of processes' private anonymous memory, and of files. */
#ifndef SNUG_SURVEY_SAMPLE_H
#define SNUG_SURVEY_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct err;

struct sample_request {
	int root;	   /* directory that has proc and sys below it */
	const pid_t *pids; /* each must be there and be readable */
	size_t n_pids;
	char *const *cgroups;
	size_t n_cgroups;
	bool all; /* every process that may be read */
	char *const *files;
	size_t n_files;
	uint64_t max_bytes;	 /* of the sample; at least one page */
	bool leave_swapped;	 /* take only what is in RAM */
	int64_t available_bytes; /* RAM that is free for use, -1: unknown; see sample_may_bring_in
				  */
	uint64_t seed;
};

enum sample_reason {
	SAMPLE_GONE,   /* it exited */
	SAMPLE_DENIED, /* not permitted */
	SAMPLE_BROKEN, /* reading it failed otherwise */
};

struct sample_skipped {
	pid_t pid;
	char name[32];
	enum sample_reason reason;
};

struct sample {
	unsigned char *pages; /* kept out of core dumps */
	size_t n_pages;
	size_t mapped_bytes;

	uint64_t population;	    /* pages that there were to choose from */
	uint64_t resident, swapped; /* of processes */
	uint64_t shared_again;	    /* further mappings of pages already counted */
	uint64_t file_pages;	    /* of files */
	size_t processes;	    /* that were read */
	uint64_t lost;		    /* chosen, but no longer there when they were to be read */
	uint64_t sampled_swapped;   /* chosen and read although swapped out */
	bool swapped_left_out;	    /* there were some, and none was taken */
	size_t padded_files;	    /* whose length is no multiple of 4096 */
	uint64_t padded_bytes;	    /* zeros added there */
	struct sample_skipped *skipped;
	size_t n_skipped;
};

/*
 * ERR_USAGE for a process that does not exist, a file that can't be read or is empty; ERR_MISSING
 * for lack of permission, where nothing else is left or the process was named.
 */
int sample_take(const struct sample_request *q, struct sample *ret, struct err *e);
void sample_free(struct sample *s); /* also of a zeroed one */

/*
 * Reading a page that is swapped out brings it back into RAM. May so many bytes be brought in, with
 * so much RAM available?
 */
bool sample_may_bring_in(uint64_t bytes, int64_t available_bytes);

#endif
