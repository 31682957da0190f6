/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The common part of zbud and z3fold; private to this folder. */
#ifndef SNUG_POOL_BUDDIED_H
#define SNUG_POOL_BUDDIED_H

#include "ops.h"

/* objects_per_page is 2 or 3. The rest are members of struct pool_ops. */
int buddied_open(const struct pool_options *o, unsigned objects_per_page, struct pool **ret);
void buddied_close(struct pool *p);
void buddied_set_limit(struct pool *p, uint64_t pages);
int buddied_alloc(struct pool *p, size_t size, uint64_t *ret_handle);
void buddied_free(struct pool *p, uint64_t handle, size_t size);
void *buddied_address(const struct pool *p, uint64_t handle);
void buddied_usage(const struct pool *p, struct pool_usage *ret);
void buddied_reset_max(struct pool *p);
void buddied_reset(struct pool *p);

#endif
