/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of pools, and what is the same for all. */
#include "pool.h"

#include "err.h"
#include "ops.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct pool_ops *const table[] = {&pool_zsmalloc, &pool_zbud, &pool_z3fold};

enum { TABLE_LEN = sizeof(table) / sizeof(table[0]) };

const struct pool_ops *pool_at(size_t index)
{
	return index < TABLE_LEN ? table[index] : NULL;
}

const char *pool_name(const struct pool_ops *ops)
{
	return ops->name;
}

int pool_find(const char *name, const struct pool_ops **ret, struct err *e)
{
	char known[128];
	size_t len = 0;

	for (size_t i = 0; i < TABLE_LEN; i++) {
		if (!strcmp(table[i]->name, name)) {
			*ret = table[i];
			return 0;
		}
		len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s", i ? ", " : "",
					table[i]->name);
	}
	return err_usage(e, -EINVAL, "unknown pool '%s'; known are %s", name, known);
}

int pool_open(const struct pool_ops *ops, const struct pool_options *o, struct pool **ret,
	      struct err *e)
{
	struct pool *p;
	int r = ops->open(o, &p);

	if (r == -EPERM || (r < 0 && o->lock_memory))
		return err_missing(
			e, r,
			"cannot lock the pool in memory: %s; raise RLIMIT_MEMLOCK (ulimit -l), or be root",
			err_name(r));
	if (r < 0)
		return err_failed(e, r, "cannot open a %s pool for %llu bytes: %s", ops->name,
				  (unsigned long long)o->capacity_bytes, err_name(r));
	p->ops = ops;
	*ret = p;
	return 0;
}

void pool_close(struct pool *p)
{
	if (p)
		p->ops->close(p);
}

size_t pool_huge_size(const struct pool *p)
{
	return p->ops->huge_size;
}

void pool_set_limit(struct pool *p, uint64_t pages)
{
	p->ops->set_limit(p, pages);
}

int pool_alloc(struct pool *p, size_t size, uint64_t *ret_handle)
{
	return p->ops->alloc(p, size, ret_handle);
}

void pool_free(struct pool *p, uint64_t handle, size_t size)
{
	p->ops->free(p, handle, size);
}

void pool_write(struct pool *p, uint64_t handle, const void *data, size_t size)
{
	memcpy(p->ops->address(p, handle), data, size);
}

const void *pool_read(const struct pool *p, uint64_t handle)
{
	return p->ops->address(p, handle);
}

size_t pool_compact_begin(struct pool *p)
{
	return p->ops->compact_begin ? p->ops->compact_begin(p) : 0;
}

bool pool_evacuating(const struct pool *p, uint64_t handle)
{
	return p->ops->evacuating(p, handle);
}

void pool_compact_end(struct pool *p)
{
	p->ops->compact_end(p);
}

void pool_get_usage(const struct pool *p, struct pool_usage *ret)
{
	p->ops->usage(p, ret);
}

void pool_reset_max(struct pool *p)
{
	p->ops->reset_max(p);
}

void pool_reset(struct pool *p)
{
	p->ops->reset(p);
}
