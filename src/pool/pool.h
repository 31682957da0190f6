/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pools: bytes in, handle out; no compression. A pool packs objects of 1 to 4096 bytes into pages.
 *
 * A handle is the object's place, not a name for it: the pool keeps no word of memory for an
 * object, so it can't move one behind the owner's back, and it must be told the size again at free.
 * Compaction therefore is a dance of two: the pool chooses which pages to empty, and the owner, who
 * alone knows where handles are kept, moves what lies in them (pool_compact_begin).
 *
 * Locking: any call from any thread. An object's bytes are the caller's to guard: it may be read by
 * many, but not while it is written or freed.
 * Failure: pool_alloc gives -ENOMEM and changes nothing; the others can't fail.
 */
#ifndef SNUG_POOL_H
#define SNUG_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct pool;
struct pool_ops;

#define POOL_HANDLE_BITS 39 /* handles are 1 to 2^39 - 1; 0 is none */
#define POOL_OBJECT_MAX	 ((size_t)4096)

struct pool_options {
	uint64_t capacity_bytes; /* most that the objects will ever add up to, each rounded up to
				    4096 */
	bool one_thread;   /* used by one thread: places do not depend on the CPU it runs on */
	bool lock_memory;  /* mlock what is in use */
	bool wipe_on_free; /* zero the bytes of freed objects */
};

struct pool_usage {
	uint64_t objects;
	uint64_t object_bytes; /* as asked for */
	uint64_t pages_held;   /* pages of 4 KiB that the pool occupies */
	uint64_t pages_max;    /* the most so far, or since pool_reset_max */
	uint64_t meta_bytes;   /* descriptors beside those pages */
};

/* The pools, in the order of --help; NULL beyond the end. By name: -EINVAL with the known ones. */
const struct pool_ops *pool_at(size_t index);
const char *pool_name(const struct pool_ops *ops);
int pool_find(const char *name, const struct pool_ops **ret, struct err *e);

int pool_open(const struct pool_ops *ops, const struct pool_options *o, struct pool **ret,
	      struct err *e);
void pool_close(struct pool *p);

/* An object of this size or more would save nothing over a whole page: store the page itself. */
size_t pool_huge_size(const struct pool *p);

/* At most this many pages held from now on; what is there stays. 0 lifts the limit. */
void pool_set_limit(struct pool *p, uint64_t pages);

int pool_alloc(struct pool *p, size_t size, uint64_t *ret_handle);
void pool_free(struct pool *p, uint64_t handle, size_t size);
void pool_write(struct pool *p, uint64_t handle, const void *data, size_t size);
/* Valid until the object is freed; size bytes in one piece. */
const void *pool_read(const struct pool *p, uint64_t handle);

/*
 * Compaction. begin closes the emptiest zspages for allocation and returns how many there are; 0
 * when nothing would be gained. For each object that pool_evacuating then names, the owner
 * allocates a new one, copies, makes the new handle the current one, and frees the old, at its own
 * pace and while other calls go on. An evacuated page's memory is not used again before end, so
 * bytes read through a stale handle are old, never another object's. end opens what could not be
 * emptied. One compaction at a time: a second begin returns 0.
 */
size_t pool_compact_begin(struct pool *p);
bool pool_evacuating(const struct pool *p, uint64_t handle);
void pool_compact_end(struct pool *p);

void pool_get_usage(const struct pool *p, struct pool_usage *ret);
/* pages_max starts over from what is held now. */
void pool_reset_max(struct pool *p);
/* Frees all objects at once; no other call may run. */
void pool_reset(struct pool *p);

#endif
