/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One suite over the whole table of pools: random allocation and freeing against a plain array of
 * objects, each with contents of its own, so that an overlap or a lost byte shows.
 */
#include "testing.h"

#include "err.h"
#include "pool.h"

#include <errno.h>

enum { OBJECTS = 3000, CAPACITY = OBJECTS * 4096 };

struct object {
	uint64_t handle; /* 0: none */
	size_t size;
	uint64_t seed;
};

static struct pool *open_pool(const struct pool_ops *ops)
{
	const struct pool_options o = {.capacity_bytes = CAPACITY};
	struct pool *p;
	struct err e;

	assert_int_equal(pool_open(ops, &o, &p, &e), 0);
	return p;
}

static void for_each_pool(void (*test)(struct pool *p))
{
	for (size_t i = 0; pool_at(i); i++) {
		struct pool *p = open_pool(pool_at(i));

		test(p);
		pool_close(p);
	}
}

static void fill(struct pool *p, struct object *o, size_t size, uint64_t seed)
{
	unsigned char data[POOL_OBJECT_MAX];

	assert_int_equal(pool_alloc(p, size, &o->handle), 0);
	assert_in_range(o->handle, 1, (UINT64_C(1) << POOL_HANDLE_BITS) - 1);
	o->size = size;
	o->seed = seed;
	make_data(KIND_RANDOM, seed, data, size);
	pool_write(p, o->handle, data, size);
}

static void check(struct pool *p, const struct object *o)
{
	unsigned char data[POOL_OBJECT_MAX];

	make_data(KIND_RANDOM, o->seed, data, o->size);
	assert_memory_equal(pool_read(p, o->handle), data, o->size);
}

static void drop(struct pool *p, struct object *o)
{
	check(p, o);
	pool_free(p, o->handle, o->size);
	o->handle = 0;
}

/* Statistics against the array. */
static void check_usage(struct pool *p, const struct object *objects)
{
	struct pool_usage u;
	uint64_t n = 0, bytes = 0;

	for (size_t i = 0; i < OBJECTS; i++) {
		n += objects[i].handle != 0;
		bytes += objects[i].handle ? objects[i].size : 0;
	}
	pool_get_usage(p, &u);
	assert_int_equal(u.objects, n);
	assert_int_equal(u.object_bytes, bytes);
	assert_true(u.pages_held * 4096 >= bytes);
	assert_true(u.pages_max >= u.pages_held);
	assert_true(u.meta_bytes > 0);
}

static bool compact_some(struct pool *p, struct object *objects)
{
	if (!pool_compact_begin(p))
		return false;
	assert_int_equal(pool_compact_begin(p), 0); /* one at a time */
	for (size_t i = 0; i < OBJECTS; i++) {
		struct object *o = &objects[i];
		uint64_t to;

		if (!o->handle || !pool_evacuating(p, o->handle))
			continue;
		assert_int_equal(pool_alloc(p, o->size, &to), 0);
		assert_false(pool_evacuating(p, to));
		pool_write(p, to, pool_read(p, o->handle), o->size);
		pool_free(p, o->handle, o->size);
		o->handle = to;
		check(p, o);
	}
	pool_compact_end(p);
	return true;
}

/* It comes to an end by itself. */
static void compact(struct pool *p, struct object *objects)
{
	int rounds = 0;

	while (compact_some(p, objects))
		assert_true(++rounds < 32);
}

static size_t some_size(struct rng *r)
{
	switch (rng_below(r, 8)) {
	case 0:
		return 1 + rng_below(r, 16);
	case 1:
		return 4096 - rng_below(r, 3);
	default:
		return 1 + rng_below(r, 200 + rng_below(r, 3896));
	}
}

static void random_operations(struct pool *p)
{
	static struct object objects[OBJECTS];
	struct rng r = {.state = 2};

	memset(objects, 0, sizeof(objects));
	for (int step = 0; step < 60000; step++) {
		struct object *o = &objects[rng_below(&r, OBJECTS)];

		/* In turn mostly filling and mostly emptying. */
		if (o->handle && rng_below(&r, 4) < (step / 10000 % 2 ? 3 : 1))
			drop(p, o);
		else if (!o->handle)
			fill(p, o, some_size(&r), (uint64_t)step);
		if (step % 5000 == 4999) {
			compact(p, objects);
			check_usage(p, objects);
		}
	}
	for (size_t i = 0; i < OBJECTS; i++)
		if (objects[i].handle)
			drop(p, &objects[i]);
	check_usage(p, objects);
}

static void test_random_operations(void **state)
{
	for_each_pool(random_operations);
}

/* Every size has a place of its own: nothing is lost at the edges of classes. */
static void every_size(struct pool *p)
{
	static struct object objects[POOL_OBJECT_MAX + 1];

	for (size_t size = 1; size <= POOL_OBJECT_MAX; size += size < 300 || size > 3800 ? 1 : 13)
		fill(p, &objects[size], size, size);
	for (size_t size = 1; size <= POOL_OBJECT_MAX; size++)
		if (objects[size].handle)
			drop(p, &objects[size]);
}

static void test_every_size(void **state)
{
	for_each_pool(every_size);
}

/* What was freed is given back to the system. */
static void given_back(struct pool *p)
{
	static struct object objects[OBJECTS];
	struct pool_usage u;

	for (size_t i = 0; i < OBJECTS; i++)
		fill(p, &objects[i], 1 + i % 4096, i);
	for (size_t i = 0; i < OBJECTS; i++)
		drop(p, &objects[i]);
	pool_get_usage(p, &u);
	assert_int_equal(u.pages_held, 0);
	assert_true(u.pages_max > OBJECTS / 3);
	pool_reset_max(p);
	pool_get_usage(p, &u);
	assert_int_equal(u.pages_max, 0);
}

static void test_given_back(void **state)
{
	for_each_pool(given_back);
}

static void limit(struct pool *p)
{
	static struct object objects[OBJECTS];
	struct pool_usage u;
	size_t n = 0;
	uint64_t handle = 42;

	pool_set_limit(p, 10);
	while (n < OBJECTS && pool_alloc(p, 2000, &objects[n].handle) == 0)
		objects[n++].size = 2000;
	assert_in_range(n, 15, 20); /* 10 pages hold 20 */
	pool_get_usage(p, &u);
	assert_in_range(u.pages_held, 1, 10);
	assert_int_equal(pool_alloc(p, 2000, &handle), -ENOMEM);
	assert_int_equal(handle, 42);
	/* A freed object makes room for another; no limit makes room for all. */
	pool_free(p, objects[0].handle, 2000);
	assert_int_equal(pool_alloc(p, 2000, &objects[0].handle), 0);
	pool_set_limit(p, 0);
	assert_int_equal(pool_alloc(p, 2000, &objects[n].handle), 0);
	objects[n++].size = 2000;
	while (n)
		pool_free(p, objects[--n].handle, 2000);
}

static void test_limit(void **state)
{
	for_each_pool(limit);
}

static void reset(struct pool *p)
{
	struct object o;
	struct pool_usage u;

	for (int turn = 0; turn < 3; turn++) {
		for (size_t i = 0; i < 500; i++)
			fill(p, &o, 700, i);
		check(p, &o);
		pool_reset(p);
		pool_get_usage(p, &u);
		assert_int_equal(u.objects, 0);
		assert_int_equal(u.object_bytes, 0);
		assert_int_equal(u.pages_held, 0);
	}
}

static void test_reset(void **state)
{
	for_each_pool(reset);
}

static void test_wipe(void **state)
{
	const struct pool_options o = {.capacity_bytes = CAPACITY, .wipe_on_free = true};

	for (size_t i = 0; pool_at(i); i++) {
		struct pool *p;
		struct object kept, wiped;
		const unsigned char *at;

		assert_int_equal(pool_open(pool_at(i), &o, &p, NULL), 0);
		fill(p, &kept, 500, 1);
		fill(p, &wiped, 500, 2);
		at = pool_read(p, wiped.handle);
		pool_free(p, wiped.handle, 500);
		/* The first bytes may hold a list of free space. */
		for (int k = 16; k < 500; k++)
			assert_int_equal(at[k], 0);
		check(p, &kept);
		pool_close(p);
	}
}

static void test_find(void **state)
{
	const struct pool_ops *ops;
	struct err e;

	assert_int_equal(pool_find("zbud", &ops, &e), 0);
	assert_string_equal(pool_name(ops), "zbud");
	assert_int_equal(pool_find("slab", &ops, &e), -EINVAL);
	assert_non_null(strstr(e.text, "known are zsmalloc, zbud, z3fold"));
}

/* Half of a zsmalloc pool's objects freed at random: compaction gives most of their memory back. */
static void test_zsmalloc_compaction(void **state)
{
	static struct object objects[OBJECTS];
	struct pool_usage before, after;
	struct rng r = {.state = 9};
	const struct pool_ops *ops;
	struct pool *p;

	assert_int_equal(pool_find("zsmalloc", &ops, NULL), 0);
	p = open_pool(ops);
	for (size_t i = 0; i < OBJECTS; i++)
		fill(p, &objects[i], 300 + rng_below(&r, 1500), i);
	for (size_t i = 0; i < OBJECTS; i++)
		if (rng_below(&r, 2))
			drop(p, &objects[i]);
	pool_get_usage(p, &before);
	compact(p, objects);
	pool_get_usage(p, &after);
	assert_int_equal(after.object_bytes, before.object_bytes);
	assert_true(after.pages_held * 4096 < after.object_bytes * 11 / 10);
	assert_true(before.pages_held * 4096 > before.object_bytes * 15 / 10);
	for (size_t i = 0; i < OBJECTS; i++)
		if (objects[i].handle)
			drop(p, &objects[i]);
	pool_get_usage(p, &after);
	assert_int_equal(after.pages_held, 0);
	pool_close(p);
}

/*
 * What was freed at the end of zspages is room beyond their frontier and no hole, but memory all
 * the same: compaction once did not see it.
 */
static void test_zsmalloc_compaction_sees_freed_ends(void **state)
{
	static struct object objects[OBJECTS];
	const struct pool_ops *ops;
	struct pool_usage u;
	struct pool *p;

	assert_int_equal(pool_find("zsmalloc", &ops, NULL), 0);
	p = open_pool(ops);
	/* A zspage of 64 KiB holds 65 objects of 1000 bytes: the later three quarters of each go.
	 */
	for (size_t i = 0; i < OBJECTS; i++)
		fill(p, &objects[i], 1000, i);
	for (size_t i = 0; i < OBJECTS; i++)
		if (i % 65 >= 16)
			drop(p, &objects[i]);
	compact(p, objects);
	pool_get_usage(p, &u);
	assert_true(u.pages_held * 4096 < u.object_bytes * 11 / 10);
	for (size_t i = 0; i < OBJECTS; i++)
		if (objects[i].handle)
			drop(p, &objects[i]);
	pool_close(p);
}

/* Overwriting at random must not let holes pile up (it once took twice the memory). */
static void test_zsmalloc_churn_settles(void **state)
{
	static struct object objects[OBJECTS];
	struct pool_usage u;
	struct rng r = {.state = 3};
	const struct pool_ops *ops;
	struct pool *p;

	assert_int_equal(pool_find("zsmalloc", &ops, NULL), 0);
	p = open_pool(ops);
	for (int step = 0; step < OBJECTS * 30; step++) {
		struct object *o = &objects[rng_below(&r, OBJECTS)], old = *o;

		/* As a store does: the new object first, then the old one goes. */
		assert_int_equal(pool_alloc(p, o->size = 200 + rng_below(&r, 1200), &o->handle), 0);
		if (old.handle)
			pool_free(p, old.handle, old.size);
	}
	pool_get_usage(p, &u);
	assert_true(u.pages_held * 4096 < u.object_bytes * 120 / 100);
	pool_close(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_operations),
		cmocka_unit_test(test_every_size),
		cmocka_unit_test(test_given_back),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_wipe),
		cmocka_unit_test(test_find),
		cmocka_unit_test(test_zsmalloc_compaction),
		cmocka_unit_test(test_zsmalloc_compaction_sees_freed_ends),
		cmocka_unit_test(test_zsmalloc_churn_settles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
