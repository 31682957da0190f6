/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of backend.c's table, and what they share; private to this folder. */
#ifndef SNUG_LAB_BACKENDS_H
#define SNUG_LAB_BACKENDS_H

#include "backend.h"

extern const struct backend_ops backend_none, backend_file, backend_dev, backend_zram,
	backend_zswap;

/*
 * Swap on a medium: a file in a folder (made once, by medium_prepare) or a block device that was
 * given to snug. b->medium says where.
 */
int medium_prepare(struct backend *b, const struct backend_setup *s, struct err *e);
int medium_start(struct backend *b, const struct backend_setup *s, struct err *e);

/* For ops->option: copies value; ERR_USAGE when it is empty or too long. */
int backend_take_word(const struct backend *b, const char *key, const char *value, char *buf,
		      size_t size, struct err *e);
/* For ops->option: the key is none of the kind's. */
int backend_unknown_option(const struct backend *b, const char *key, struct err *e);

/* Ahead of all other swap. */
enum { BACKEND_PRIORITY = 32767 };

#endif
