/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a pool implements; private to this folder. compact_* may be NULL together (nothing is ever
 * evacuating).
 */
#ifndef SNUG_POOL_OPS_H
#define SNUG_POOL_OPS_H

#include "pool.h"

/* The head of each pool's own struct. */
struct pool {
	const struct pool_ops *ops;
};

struct pool_ops {
	const char *name;
	size_t huge_size;
	int (*open)(const struct pool_options *o, struct pool **ret);
	void (*close)(struct pool *p);
	void (*set_limit)(struct pool *p, uint64_t pages);
	int (*alloc)(struct pool *p, size_t size, uint64_t *ret_handle);
	void (*free)(struct pool *p, uint64_t handle, size_t size);
	void *(*address)(const struct pool *p, uint64_t handle);
	size_t (*compact_begin)(struct pool *p);
	bool (*evacuating)(const struct pool *p, uint64_t handle);
	void (*compact_end)(struct pool *p);
	void (*usage)(const struct pool *p, struct pool_usage *ret);
	void (*reset_max)(struct pool *p);
	void (*reset)(struct pool *p);
};

extern const struct pool_ops pool_zsmalloc, pool_zbud, pool_z3fold;

#endif
