/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * zsmalloc: objects of 1 to 4096 bytes, packed tightly.
 *
 * The problem. A 64 MiB heap compresses to some 10 MiB in 16384 objects of 100 to 2000 bytes, and
 * all memory beyond those bytes is loss: what an object is rounded up by, room left in half-filled
 * zspages, and descriptors. Linux zsmalloc (255 classes 16 bytes apart, an 8-byte handle in each
 * object, each class filling zspages of its own of up to 8 pages) loses 8 to 12% there. Slabs
 * cannot do much better: with C classes, rounding loses about 2/C and half a page a class is C * 2
 * KiB, whose sum is 4% at best.
 *
 * The structure. A zspage is a stretch of contiguous addresses that belongs to one class. Unlike a
 * slab's, its objects have their own lengths, in granules of 4 bytes, and lie side by side
 * (zspage.c). It is filled from the low end, so pages beyond its frontier are not committed yet: a
 * class has on average half a page unused, whatever the zspage's length. What objects leave when
 * freed are holes, merged with neighbours. Classes exist so that a hole fits the next object.
 * Within a class, zspages are listed by the length of their longest hole, and an object goes where
 * that is the shortest that will do: best fit over the class. Plain lists, last freed first, with a
 * current zspage whose rest was lost when it was left, took twice the memory after 16 random
 * overwrites of the whole store; this settles at 6 to 10%, and compaction bounds it.
 *
 * The numbers, over heaps of cc1plus and gawk, 64 MiB each, compressed by lz4 and zstd:1; pool and
 * slot table over the compressed bytes, after the first fill: zspages of 32 KiB 3.0 to 3.6%, of 64
 * KiB 2.1 to 3.0%, of 128 KiB 1.7 to 2.8% (more is lost at their ends the shorter they are, but a
 * long one is seldom emptied: compaction gained half as much at 128 KiB); granules of 4 instead of
 * 8 bytes another 0.3%. 7, 14 or 28 classes are all within 0.4%, also after overwriting: the heaps
 * leave that open, and 14 keep a lock from being shared by many.
 *
 * Handles are places (granules from the arena's base, plus 1): no word is spent on an object, and
 * reading needs no look-up and no lock.
 *
 * Locks. One spin lock a class, held for a walk of some holes; the arena has its own, taken inside.
 * The classes are there once for each CPU, up to four, with zspages of their own, and a thread
 * allocates by the CPU it runs on: with one set for all, two threads of lz4 spent 0.5 us of 4 on
 * each other's cache lines. Each set costs half a page a class.
 *
 * Invariants, under the class lock:
 *  - a zspage is listed, under the longest object that fits, iff it is open and one of its class
 * fits
 *  - `held` is the sum of pages over all zspages
 *  - in a zspage being evacuated, freed objects are counted as holes but not listed as such
 */
#include "arena.h"
#include "mapping.h"
#include "ops.h"
#include "zspage.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The largest object of each class, in granules. */
static const uint16_t class_top[] = {16,  32,  48,  64,	 88,  112, 144,
				     184, 236, 300, 384, 492, 640, OBJECT_GRANULES};

enum {
	CLASSES = sizeof(class_top) / sizeof(class_top[0]),
	SHARES_MAX = 4,
	SHARE_LISTS = OBJECT_GRANULES + CLASSES,
	CLASS_WIDTH_MAX = OBJECT_GRANULES - 640,
	FIT_WORDS = CLASS_WIDTH_MAX / 64 + 1,
};

struct class
{
	_Alignas(64) spin_t lock;
	uint16_t smallest, largest; /* object, in granules */
	uint64_t objects;
	uint64_t object_bytes;
	/*
	 * Zspages by the longest object that still fits: list i has those of smallest + i granules,
	 * the last, of largest + 1 - smallest, all longer ones. Bit i of fits: list i is not empty.
	 */
	uint64_t fits[FIT_WORDS];
	int32_t *lists;
};

struct zsmalloc {
	struct pool pool;
	struct arena arena;
	struct zspage *zspages; /* arena.capacity of them */
	bool wipe_on_free;
	uint8_t class_of[OBJECT_GRANULES + 1];
	unsigned n_classes;		    /* CLASSES for each CPU's share */
	struct class *classes;		    /* share after share */
	int32_t *lists;			    /* of all classes, one after another */
	_Alignas(64) _Atomic uint64_t held; /* pages */
	_Atomic uint64_t most;		    /* pages ever held, since reset_max */
	_Atomic uint64_t limit;		    /* pages, 0 for none */
	atomic_bool compacting;
};

static struct zsmalloc *self(const struct pool *p)
{
	return (struct zsmalloc *)p;
}

static unsigned granules_of(size_t size)
{
	return (unsigned)((size + GRANULE - 1) / GRANULE);
}

static char *base_of(const struct zsmalloc *zs, int32_t index)
{
	return zs->arena.base + (size_t)index * ZSPAGE_BYTES;
}

static struct class *class_of(struct zsmalloc *zs, const struct zspage *z)
{
	return &zs->classes[atomic_load_explicit(&z->class, memory_order_relaxed)];
}

/* The class that objects of so many granules go to, of this CPU's share. */
static struct class *class_for(struct zsmalloc *zs, unsigned granules)
{
	int cpu = sched_getcpu();
	unsigned share = cpu < 0 ? 0 : (unsigned)cpu % (zs->n_classes / CLASSES);

	return &zs->classes[share * CLASSES + zs->class_of[granules]];
}

/* The list for zspages whose longest hole is that long. */
static unsigned list_for(const struct class *c, unsigned longest)
{
	return (longest > c->largest ? c->largest + 1u : longest) - c->smallest;
}

static void unlist(struct zsmalloc *zs, struct class *c, int32_t index)
{
	struct zspage *z = &zs->zspages[index];
	unsigned list;

	if (!z->listed)
		return;
	list = list_for(c, z->listed);
	z->listed = 0;
	if (z->next != NO_ZSPAGE)
		zs->zspages[z->next].prev = z->prev;
	if (z->prev != NO_ZSPAGE)
		zs->zspages[z->prev].next = z->next;
	else if ((c->lists[list] = z->next) == NO_ZSPAGE)
		c->fits[list / 64] &= ~(UINT64_C(1) << list % 64);
}

/* Holds up I1 after an open zspage's holes have changed. */
static void relist(struct zsmalloc *zs, struct class *c, int32_t index)
{
	struct zspage *z = &zs->zspages[index];
	bool wanted = z->longest >= c->smallest;
	unsigned list;

	if (wanted && z->listed && list_for(c, z->listed) == list_for(c, z->longest))
		return;
	unlist(zs, c, index);
	if (!wanted)
		return;
	list = list_for(c, z->longest);
	z->listed = z->longest;
	z->prev = NO_ZSPAGE;
	z->next = c->lists[list];
	if (z->next != NO_ZSPAGE)
		zs->zspages[z->next].prev = index;
	c->lists[list] = index;
	c->fits[list / 64] |= UINT64_C(1) << list % 64;
}

/* The listed zspage whose longest hole is the shortest that will do, or NO_ZSPAGE. */
static int32_t best_fit(const struct class *c, unsigned granules)
{
	unsigned list = granules - c->smallest, word = list / 64;
	uint64_t bits = c->fits[word] & ~UINT64_C(0) << list % 64;

	while (!bits) {
		if (++word == FIT_WORDS)
			return NO_ZSPAGE;
		bits = c->fits[word];
	}
	return c->lists[word * 64 + (unsigned)__builtin_ctzll(bits)];
}

/* Charges pages against the limit. */
static bool hold_pages(struct zsmalloc *zs, unsigned pages)
{
	uint64_t limit = atomic_load_explicit(&zs->limit, memory_order_relaxed);
	uint64_t held = atomic_fetch_add_explicit(&zs->held, pages, memory_order_relaxed);
	uint64_t most = atomic_load_explicit(&zs->most, memory_order_relaxed);

	held += pages;
	if (limit && held > limit) {
		atomic_fetch_sub_explicit(&zs->held, pages, memory_order_relaxed);
		return false;
	}
	while (held > most && !atomic_compare_exchange_weak(&zs->most, &most, held))
		;
	return true;
}

/* A zspage with room for the object: the one where it fits best, or a fresh one. */
static int find_zspage(struct zsmalloc *zs, struct class *c, unsigned granules, int32_t *ret_index)
{
	uint32_t fresh;
	int r;

	*ret_index = best_fit(c, granules);
	if (*ret_index != NO_ZSPAGE)
		return 0;
	r = arena_take(&zs->arena, &fresh);
	if (r < 0)
		return r;
	zspage_init(&zs->zspages[fresh], (uint8_t)(c - zs->classes));
	*ret_index = (int32_t)fresh;
	return 0;
}

static int alloc_locked(struct zsmalloc *zs, struct class *c, unsigned granules, int32_t *ret_index,
			unsigned *ret_granule)
{
	int r = find_zspage(zs, c, granules, ret_index);
	struct zspage_place place;
	struct zspage *z;
	unsigned pages;

	if (r < 0)
		return r;
	z = &zs->zspages[*ret_index];
	place = zspage_find(z, base_of(zs, *ret_index), granules);
	pages = zspage_pages_with(z, &place, granules);
	if (pages > z->pages && !hold_pages(zs, pages - z->pages)) {
		if (!z->objects) {
			zspage_set_state(z, ZSPAGE_FREE);
			arena_give(&zs->arena, (uint32_t)*ret_index);
		}
		return -ENOMEM;
	}
	zspage_take(z, base_of(zs, *ret_index), &place, granules);
	z->objects++;
	relist(zs, c, *ret_index);
	*ret_granule = place.at;
	return 0;
}

static int zsmalloc_alloc(struct pool *p, size_t size, uint64_t *ret_handle)
{
	struct zsmalloc *zs = self(p);
	unsigned granules = granules_of(size), granule;
	struct class *c = class_for(zs, granules);
	int32_t index;
	int r;

	spin_lock(&c->lock);
	r = alloc_locked(zs, c, granules, &index, &granule);
	if (r == 0) {
		c->objects++;
		c->object_bytes += size;
	}
	spin_unlock(&c->lock);
	if (r == 0)
		*ret_handle = (uint64_t)index * ZSPAGE_GRANULES + granule + 1;
	return r;
}

/*
 * Accounts for an object gone from a zspage. Returns the state that an emptied zspage was in, whose
 * memory is then the caller's to release, or ZSPAGE_FREE if it stays.
 */
static enum zspage_state free_locked(struct zsmalloc *zs, struct class *c, int32_t index,
				     unsigned granule, unsigned granules)
{
	struct zspage *z = &zs->zspages[index];

	z->objects--;
	if (zspage_state(z) == ZSPAGE_EVACUATING) {
		/* No hole is written: a mover may still be reading there. */
		z->hole_granules += (uint16_t)granules;
		if (z->objects)
			return ZSPAGE_FREE;
		zspage_set_state(z, ZSPAGE_EVACUATED);
		return ZSPAGE_EVACUATING;
	}
	zspage_make_hole(z, base_of(zs, index), granule, granules);
	if (z->objects) {
		relist(zs, c, index);
		return ZSPAGE_FREE;
	}
	unlist(zs, c, index);
	zspage_set_state(z, ZSPAGE_FREE);
	return ZSPAGE_OPEN;
}

static void zsmalloc_free(struct pool *p, uint64_t handle, size_t size)
{
	struct zsmalloc *zs = self(p);
	unsigned granules = granules_of(size);
	int32_t index = (int32_t)((handle - 1) / ZSPAGE_GRANULES);
	struct class *c = class_of(zs, &zs->zspages[index]);
	unsigned granule = (unsigned)((handle - 1) % ZSPAGE_GRANULES);
	enum zspage_state emptied;
	unsigned pages;

	if (zs->wipe_on_free)
		memset(base_of(zs, index) + (size_t)granule * GRANULE, 0, size);
	spin_lock(&c->lock);
	c->objects--;
	c->object_bytes -= size;
	emptied = free_locked(zs, c, index, granule, granules);
	pages = zs->zspages[index].pages;
	spin_unlock(&c->lock);
	if (emptied == ZSPAGE_FREE)
		return;
	arena_discard(&zs->arena, (uint32_t)index, (size_t)pages * 4096);
	atomic_fetch_sub_explicit(&zs->held, pages, memory_order_relaxed);
	if (emptied == ZSPAGE_OPEN)
		arena_give(&zs->arena, (uint32_t)index);
}

static void *zsmalloc_address(const struct pool *p, uint64_t handle)
{
	const struct zsmalloc *zs = self(p);

	return zs->arena.base + (handle - 1) * GRANULE;
}

/* A candidate for evacuation. */
struct victim {
	int32_t index;
	uint16_t live; /* granules */
};

static int by_live(const void *a, const void *b)
{
	return (int)((const struct victim *)a)->live - (int)((const struct victim *)b)->live;
}

/*
 * Closes the emptiest of the class's zspages, of those of which at least a sixteenth is unused.
 * What lives in them is packed without holes into others or fresh ones, so what is unused is the
 * gain; and no more than an eighth of the class at a time, which bounds the memory needed
 * meanwhile.
 */
static size_t evacuate_class(struct zsmalloc *zs, struct class *c, struct victim *v, uint32_t top)
{
	size_t n = 0, chosen = 0;
	uint64_t live = 0, gain = 0, all = 0;

	spin_lock(&c->lock);
	for (uint32_t i = 0; i < top; i++) {
		const struct zspage *z = &zs->zspages[i];

		if (zspage_state(z) != ZSPAGE_OPEN || class_of(zs, z) != c)
			continue;
		all += zspage_live(z);
		if (zspage_waste(z) >= ZSPAGE_GRANULES / 16)
			v[n++] = (struct victim){(int32_t)i, (uint16_t)zspage_live(z)};
	}
	qsort(v, n, sizeof(*v), by_live);
	while (chosen < n && live + v[chosen].live <= all / 8 + ZSPAGE_GRANULES) {
		gain += zspage_waste(&zs->zspages[v[chosen].index]);
		live += v[chosen++].live;
	}
	/* A page or two may be needed to put them. */
	if (gain < 3 * PAGE_GRANULES)
		chosen = 0;
	for (size_t i = 0; i < chosen; i++) {
		unlist(zs, c, v[i].index);
		zspage_set_state(&zs->zspages[v[i].index], ZSPAGE_EVACUATING);
	}
	spin_unlock(&c->lock);
	return chosen;
}

static size_t zsmalloc_compact_begin(struct pool *p)
{
	struct zsmalloc *zs = self(p);
	struct victim *v;
	uint32_t top;
	size_t n = 0;

	if (atomic_exchange(&zs->compacting, true))
		return 0;
	top = arena_top(&zs->arena);
	v = malloc((top + 1) * sizeof(*v));
	for (unsigned i = 0; v && i < zs->n_classes; i++)
		n += evacuate_class(zs, &zs->classes[i], v, top);
	free(v);
	if (!n)
		atomic_store(&zs->compacting, false);
	return n;
}

static bool zsmalloc_evacuating(const struct pool *p, uint64_t handle)
{
	const struct zsmalloc *zs = self(p);

	return zspage_state(&zs->zspages[(handle - 1) / ZSPAGE_GRANULES]) == ZSPAGE_EVACUATING;
}

static void end_evacuation(struct zsmalloc *zs, uint32_t index)
{
	struct zspage *z = &zs->zspages[index];
	struct class *c = class_of(zs, z);
	bool emptied;

	spin_lock(&c->lock);
	emptied = zspage_state(z) == ZSPAGE_EVACUATED;
	if (emptied) {
		zspage_set_state(z, ZSPAGE_FREE);
	} else {
		/* Holes made meanwhile are lost until it is empty; it comes first next time. */
		zspage_set_state(z, ZSPAGE_OPEN);
		relist(zs, c, (int32_t)index);
	}
	spin_unlock(&c->lock);
	if (emptied)
		arena_give(&zs->arena, index);
}

static void zsmalloc_compact_end(struct pool *p)
{
	struct zsmalloc *zs = self(p);

	uint32_t top = arena_top(&zs->arena);

	for (uint32_t i = 0; i < top; i++)
		if (zspage_state(&zs->zspages[i]) == ZSPAGE_EVACUATING ||
		    zspage_state(&zs->zspages[i]) == ZSPAGE_EVACUATED)
			end_evacuation(zs, i);
	atomic_store(&zs->compacting, false);
}

static void zsmalloc_set_limit(struct pool *p, uint64_t pages)
{
	atomic_store_explicit(&self(p)->limit, pages, memory_order_relaxed);
}

static void zsmalloc_usage(const struct pool *p, struct pool_usage *ret)
{
	struct zsmalloc *zs = self(p);

	*ret = (struct pool_usage){0};
	for (unsigned i = 0; i < zs->n_classes; i++) {
		struct class *c = &zs->classes[i];

		spin_lock(&c->lock);
		ret->objects += c->objects;
		ret->object_bytes += c->object_bytes;
		spin_unlock(&c->lock);
	}
	ret->pages_held = atomic_load_explicit(&zs->held, memory_order_relaxed);
	ret->pages_max = atomic_load_explicit(&zs->most, memory_order_relaxed);
	ret->meta_bytes = sizeof(*zs) + zs->n_classes * sizeof(*zs->classes) +
			  zs->n_classes / CLASSES * SHARE_LISTS * sizeof(*zs->lists) +
			  arena_top(&zs->arena) * (uint64_t)sizeof(struct zspage);
}

static void zsmalloc_reset_max(struct pool *p)
{
	atomic_store(&self(p)->most, atomic_load(&self(p)->held));
}

static void init_classes(struct zsmalloc *zs)
{
	unsigned n_shares = zs->n_classes / CLASSES;

	memset(zs->classes, 0, zs->n_classes * sizeof(*zs->classes));
	for (unsigned i = 0; i < n_shares * SHARE_LISTS; i++)
		zs->lists[i] = NO_ZSPAGE;
	for (unsigned i = 0; i < zs->n_classes; i++) {
		struct class *c = &zs->classes[i];
		unsigned kind = i % CLASSES, below = kind ? class_top[kind - 1] : 0;

		c->smallest = (uint16_t)(below + 1);
		c->largest = class_top[kind];
		c->lists = &zs->lists[i / CLASSES * SHARE_LISTS + below + kind];
		for (unsigned granules = c->smallest; granules <= c->largest; granules++)
			zs->class_of[granules] = (uint8_t)kind;
	}
}

static void zsmalloc_reset(struct pool *p)
{
	struct zsmalloc *zs = self(p);

	memset(zs->zspages, 0, zs->arena.top * sizeof(*zs->zspages));
	arena_reset(&zs->arena);
	init_classes(zs);
	atomic_store(&zs->held, 0);
	atomic_store(&zs->most, 0);
}

static void zsmalloc_close(struct pool *p)
{
	struct zsmalloc *zs = self(p);

	mapping_free(zs->zspages, zs->arena.capacity * sizeof(*zs->zspages));
	arena_close(&zs->arena);
	free(zs->classes);
	free(zs->lists);
	free(zs);
}

static bool allocate(struct zsmalloc *zs, bool one_thread)
{
	long cpus = one_thread ? 1 : sysconf(_SC_NPROCESSORS_ONLN);
	unsigned n_shares = cpus < 1 ? 1 : cpus > SHARES_MAX ? SHARES_MAX : (unsigned)cpus;

	zs->n_classes = n_shares * CLASSES;
	zs->classes = aligned_alloc(_Alignof(struct class), zs->n_classes * sizeof(*zs->classes));
	zs->lists = malloc(n_shares * SHARE_LISTS * sizeof(*zs->lists));
	zs->zspages = mapping_alloc(zs->arena.capacity * sizeof(*zs->zspages));
	return zs->classes && zs->lists && zs->zspages;
}

static int zsmalloc_open(const struct pool_options *o, struct pool **ret)
{
	struct zsmalloc *zs = aligned_alloc(_Alignof(struct zsmalloc), sizeof(*zs));
	int r;

	if (!zs)
		return -ENOMEM;
	memset(zs, 0, sizeof(*zs));
	/* Twice the objects' size: addresses are free, and fragmentation must not end in -ENOMEM.
	 */
	r = arena_open(&zs->arena,
		       o->capacity_bytes * 2 + SHARES_MAX * CLASSES * (uint64_t)ZSPAGE_BYTES * 2,
		       ZSPAGE_BYTES, o->lock_memory);
	if (r == 0 && !allocate(zs, o->one_thread))
		r = -ENOMEM;
	if (r < 0) {
		zsmalloc_close(&zs->pool);
		return r;
	}
	zs->wipe_on_free = o->wipe_on_free;
	init_classes(zs);
	*ret = &zs->pool;
	return 0;
}

const struct pool_ops pool_zsmalloc = {
	.name = "zsmalloc",
	.huge_size = 3840, /* 15/16 of a page: less saved than a read of a whole page costs more */
	.open = zsmalloc_open,
	.close = zsmalloc_close,
	.set_limit = zsmalloc_set_limit,
	.alloc = zsmalloc_alloc,
	.free = zsmalloc_free,
	.address = zsmalloc_address,
	.compact_begin = zsmalloc_compact_begin,
	.evacuating = zsmalloc_evacuating,
	.compact_end = zsmalloc_compact_end,
	.usage = zsmalloc_usage,
	.reset_max = zsmalloc_reset_max,
	.reset = zsmalloc_reset,
};
