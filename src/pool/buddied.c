/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages with two or three objects each, as Linux zbud and z3fold had them: one object grows from
 * the front, one sits at the back, and z3fold puts a third between. At most half or two thirds of
 * the memory is saved, but a page is emptied by freeing two or three objects, and nothing ever
 * needs to be moved.
 *
 * Sizes are in chunks of 64 bytes. Pages with room are listed by the largest object that fits
 * (`room`), so that an object goes where it leaves least. One lock a pool.
 *
 * Against the kernel: descriptors lie beside the pages, not in their first chunk, so a page holds
 * 64 chunks and not 63. z3fold's kernel version slides the middle object to join free space; here
 * handles are places, so it stays where it is.
 *
 * Invariants: first + last <= 64; a middle object lies between them; a page is listed under room
 * iff 0 < room < 64 and fewer than objects_per_page objects lie in it; an empty page is given back.
 */
#include "buddied.h"

#include "arena.h"
#include "mapping.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum {
	CHUNK = 64,
	CHUNKS = 4096 / CHUNK,
	NO_PAGE = -1,
};

/* Descriptor of a page. */
struct folded {
	int32_t next, prev;
	uint8_t first, last; /* chunks of these objects, 0 for none */
	uint8_t middle, middle_at;
	uint8_t room; /* list it is in, 0 for none */
};

struct buddied {
	struct pool pool;
	struct arena arena;
	struct folded *pages;
	unsigned objects_per_page;
	bool wipe_on_free;
	spin_t lock;
	int32_t lists[CHUNKS];
	uint64_t objects, object_bytes;
	uint64_t held, most, limit; /* pages */
};

static struct buddied *self(const struct pool *p)
{
	return (struct buddied *)p;
}

static unsigned chunks_of(size_t size)
{
	return (unsigned)((size + CHUNK - 1) / CHUNK);
}

static unsigned objects_in(const struct folded *f)
{
	return (f->first != 0) + (f->middle != 0) + (f->last != 0);
}

/* Where the free space below and above the middle object begins, and its length. */
struct gap {
	unsigned at, chunks;
};

static struct gap gap_below(const struct folded *f)
{
	unsigned end = f->middle ? f->middle_at : CHUNKS - f->last;

	return (struct gap){f->first, end - f->first};
}

static struct gap gap_above(const struct folded *f)
{
	unsigned at = f->middle ? f->middle_at + f->middle : f->first;

	return (struct gap){at, CHUNKS - f->last - at};
}

/* The largest object that may still be put in. */
static unsigned room_in(const struct buddied *b, const struct folded *f)
{
	struct gap below = gap_below(f), above = gap_above(f);

	if (objects_in(f) >= b->objects_per_page)
		return 0;
	if (!f->middle)
		return below.chunks;
	/* Only the places of the first and of the last object are left. */
	if (f->first)
		return above.chunks;
	if (f->last)
		return below.chunks;
	return below.chunks > above.chunks ? below.chunks : above.chunks;
}

static void list_update(struct buddied *b, int32_t index)
{
	struct folded *f = &b->pages[index];
	unsigned room = room_in(b, f);

	if (f->room) {
		if (f->prev != NO_PAGE)
			b->pages[f->prev].next = f->next;
		else
			b->lists[f->room] = f->next;
		if (f->next != NO_PAGE)
			b->pages[f->next].prev = f->prev;
	}
	f->room = room < CHUNKS ? (uint8_t)room : 0;
	if (!f->room)
		return;
	f->prev = NO_PAGE;
	f->next = b->lists[f->room];
	if (f->next != NO_PAGE)
		b->pages[f->next].prev = index;
	b->lists[f->room] = index;
}

static int32_t find_page(struct buddied *b, unsigned chunks)
{
	uint32_t fresh;

	for (unsigned room = chunks; room < CHUNKS; room++)
		if (b->lists[room] != NO_PAGE)
			return b->lists[room];
	if (b->limit && b->held >= b->limit)
		return NO_PAGE;
	if (arena_take(&b->arena, &fresh) < 0)
		return NO_PAGE;
	b->pages[fresh] = (struct folded){0};
	if (++b->held > b->most)
		b->most = b->held;
	return (int32_t)fresh;
}

/* Puts an object of that many chunks, which room_in has found room for; returns its first chunk. */
static unsigned place(struct folded *f, unsigned chunks)
{
	struct gap below = gap_below(f), above = gap_above(f);

	if (!f->first && below.chunks >= chunks) {
		f->first = (uint8_t)chunks;
		return 0;
	}
	if (!f->last && above.chunks >= chunks) {
		f->last = (uint8_t)chunks;
		return CHUNKS - chunks;
	}
	f->middle = (uint8_t)chunks;
	f->middle_at = (uint8_t)below.at;
	return below.at;
}

int buddied_alloc(struct pool *p, size_t size, uint64_t *ret_handle)
{
	struct buddied *b = self(p);
	unsigned chunks = chunks_of(size);
	int32_t index;

	spin_lock(&b->lock);
	index = find_page(b, chunks);
	if (index != NO_PAGE) {
		*ret_handle = (uint64_t)index * CHUNKS + place(&b->pages[index], chunks) + 1;
		list_update(b, index);
		b->objects++;
		b->object_bytes += size;
	}
	spin_unlock(&b->lock);
	return index == NO_PAGE ? -ENOMEM : 0;
}

void buddied_free(struct pool *p, uint64_t handle, size_t size)
{
	struct buddied *b = self(p);
	int32_t index = (int32_t)((handle - 1) / CHUNKS);
	unsigned at = (unsigned)((handle - 1) % CHUNKS);
	struct folded *f = &b->pages[index];
	bool empty;

	if (b->wipe_on_free)
		memset(buddied_address(p, handle), 0, size);
	spin_lock(&b->lock);
	if (f->first && at == 0)
		f->first = 0;
	else if (f->middle && at == f->middle_at)
		f->middle = 0;
	else
		f->last = 0;
	list_update(b, index);
	b->objects--;
	b->object_bytes -= size;
	empty = !objects_in(f);
	if (empty)
		b->held--;
	spin_unlock(&b->lock);
	if (empty) {
		arena_discard(&b->arena, (uint32_t)index, 4096);
		arena_give(&b->arena, (uint32_t)index);
	}
}

void *buddied_address(const struct pool *p, uint64_t handle)
{
	return self(p)->arena.base + (handle - 1) * CHUNK;
}

void buddied_set_limit(struct pool *p, uint64_t pages)
{
	struct buddied *b = self(p);

	spin_lock(&b->lock);
	b->limit = pages;
	spin_unlock(&b->lock);
}

void buddied_usage(const struct pool *p, struct pool_usage *ret)
{
	struct buddied *b = self(p);
	uint32_t top = arena_top(&b->arena);

	spin_lock(&b->lock);
	*ret = (struct pool_usage){
		.objects = b->objects,
		.object_bytes = b->object_bytes,
		.pages_held = b->held,
		.pages_max = b->most,
		.meta_bytes = sizeof(*b) + top * (uint64_t)sizeof(*b->pages),
	};
	spin_unlock(&b->lock);
}

void buddied_reset_max(struct pool *p)
{
	struct buddied *b = self(p);

	spin_lock(&b->lock);
	b->most = b->held;
	spin_unlock(&b->lock);
}

static void forget_all(struct buddied *b)
{
	for (int i = 0; i < CHUNKS; i++)
		b->lists[i] = NO_PAGE;
	b->objects = b->object_bytes = b->held = b->most = 0;
}

void buddied_reset(struct pool *p)
{
	struct buddied *b = self(p);

	arena_reset(&b->arena);
	forget_all(b);
}

void buddied_close(struct pool *p)
{
	struct buddied *b = self(p);

	mapping_free(b->pages, b->arena.capacity * sizeof(*b->pages));
	arena_close(&b->arena);
	free(b);
}

int buddied_open(const struct pool_options *o, unsigned objects_per_page, struct pool **ret)
{
	struct buddied *b = calloc(1, sizeof(*b));
	int r;

	if (!b)
		return -ENOMEM;
	r = arena_open(&b->arena, o->capacity_bytes + 4096, 4096, o->lock_memory);
	if (r == 0) {
		b->pages = mapping_alloc(b->arena.capacity * sizeof(*b->pages));
		r = b->pages ? 0 : -ENOMEM;
	}
	if (r < 0) {
		arena_close(&b->arena);
		free(b);
		return r;
	}
	b->objects_per_page = objects_per_page;
	b->wipe_on_free = o->wipe_on_free;
	forget_all(b);
	*ret = &b->pool;
	return 0;
}
