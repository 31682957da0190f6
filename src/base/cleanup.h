/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scope-bound release of what a function holds. A variable marked with one of these is released
 * when its scope ends, whichever way it ends; TAKE() hands it on to the caller instead.
 */
#ifndef SNUG_BASE_CLEANUP_H
#define SNUG_BASE_CLEANUP_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(fn) __attribute__((cleanup(fn)))

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

static inline void cleanup_closedir(DIR **d)
{
	if (*d)
		closedir(*d);
}

#define CLEANUP_FREE	 CLEANUP(cleanup_free)
#define CLEANUP_CLOSE	 CLEANUP(cleanup_close)
#define CLEANUP_FCLOSE	 CLEANUP(cleanup_fclose)
#define CLEANUP_CLOSEDIR CLEANUP(cleanup_closedir)

/* The pointer's value, which its scope then no longer releases. */
#define TAKE(ptr)                           \
	({                                  \
		__typeof__(ptr) t_ = (ptr); \
		(ptr) = NULL;               \
		t_;                         \
	})

#endif
