/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The store against a plain array of pages, under seeded random operations: from one thread with
 * every statistic checked, from several at once, and with the system's memory failing at each point
 * in turn.
 *
 * Failures are injected at mmap, mprotect, malloc, calloc and aligned_alloc by --wrap
 * (tests/meson.build).
 */
#include "testing.h"

#include "err.h"
#include "store.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>

enum { SLOTS = 2048, BYTES = SLOTS * PAGE_BYTES };

/* Calls until memory fails, once or for as long as fail_on; negative: never. */
static atomic_long fail_after = -1;
static atomic_bool fail_on;

static bool fails(void)
{
	if (atomic_load(&fail_after) < 0)
		return false;
	return atomic_load(&fail_on) && atomic_fetch_sub(&fail_after, 1) <= 0 &&
	       (atomic_store(&fail_after, 0), true);
}

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t m);
void *__real_aligned_alloc(size_t a, size_t n);
void *__real_mmap(void *at, size_t n, int prot, int flags, int fd, off_t off);
int __real_mprotect(void *at, size_t n, int prot);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t m);
void *__wrap_aligned_alloc(size_t a, size_t n);
void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t off);
int __wrap_mprotect(void *at, size_t n, int prot);

void *__wrap_malloc(size_t n)
{
	return fails() ? NULL : __real_malloc(n);
}

void *__wrap_calloc(size_t n, size_t m)
{
	return fails() ? NULL : __real_calloc(n, m);
}

void *__wrap_aligned_alloc(size_t a, size_t n)
{
	return fails() ? NULL : __real_aligned_alloc(a, n);
}

void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t off)
{
	if (!fails())
		return __real_mmap(at, n, prot, flags, fd, off);
	errno = ENOMEM;
	return MAP_FAILED;
}

int __wrap_mprotect(void *at, size_t n, int prot)
{
	if (!fails())
		return __real_mprotect(at, n, prot);
	errno = ENOMEM;
	return -1;
}

/* What a slot should hold; the page is made of it again when it is checked. */
struct model {
	enum kind kind;
	uint64_t seed;
	bool stored;
};

static struct snug_store *open_store(const char *codec, const char *pool, uint64_t limit)
{
	const struct snug_store_options o = {
		.size_bytes = BYTES, .codec = codec, .pool = pool, .mem_limit_bytes = limit};
	struct snug_store *s = NULL;
	struct err e = {.text = ""};

	if (snug_store_open(&o, &s, &e) < 0)
		fail_msg("%s", e.text);
	return s;
}

static void check_slot(struct snug_store *s, uint64_t slot, const struct model *m)
{
	char want[PAGE_BYTES], got[PAGE_BYTES + 1];

	memset(want, 0, sizeof(want));
	if (m->stored)
		make_page(m->kind, m->seed, want);
	assert_int_equal(snug_store_read(s, slot, got + slot % 2), 0);
	assert_memory_equal(got + slot % 2, want, PAGE_BYTES);
}

static void check_stats(struct snug_store *s, const struct model *model)
{
	struct snug_store_stats st;
	uint64_t stored = 0, same = 0, random = 0;

	for (uint64_t i = 0; i < SLOTS; i++) {
		stored += model[i].stored;
		same += model[i].stored && model[i].kind <= KIND_FILLED;
		random += model[i].stored && model[i].kind == KIND_RANDOM;
	}
	snug_store_get_stats(s, &st);
	assert_int_equal(st.orig_data_size, stored * PAGE_BYTES);
	assert_int_equal(st.same_pages, same);
	/* "none" stores every page whole; and a random one may be found in a dictionary trained on
	 * it. */
	assert_true(st.huge_pages >= random - random / 8);
	assert_true(st.compr_data_size >= st.huge_pages * PAGE_BYTES);
	assert_true(st.mem_used_total >= st.compr_data_size);
	assert_true(st.mem_used_max >= st.mem_used_total);
	assert_true(st.meta_bytes >= SLOTS * 8 && st.meta_bytes < SLOTS * 16 + 300000);
	assert_int_equal(st.failed_reads, 0);
	if (!stored) {
		assert_int_equal(st.compr_data_size, 0);
		assert_int_equal(st.huge_pages, 0);
		assert_int_equal(st.mem_used_total, 0);
	}
}

static void write_some(struct snug_store *s, struct rng *r, uint64_t slot, struct model *m,
		       int r_want)
{
	const struct model next = {(enum kind)rng_below(r, KINDS), rng_next(r) % 1000, true};
	char page[PAGE_BYTES + 1];

	make_page(next.kind, next.seed, page + slot % 2);
	assert_int_equal(snug_store_write(s, slot, page + slot % 2), r_want);
	if (r_want == 0)
		*m = next;
}

static void run_model(const char *codec, const char *pool)
{
	static struct model model[SLOTS];
	struct snug_store *s = open_store(codec, pool, 0);
	struct rng r = {.state = 17};

	memset(model, 0, sizeof(model));
	for (int step = 0; step < 12000; step++) {
		uint64_t slot = rng_below(&r, SLOTS);

		switch (rng_below(&r, 10)) {
		case 0: {
			uint64_t n = rng_below(&r, 20);

			if (n > SLOTS - slot)
				n = SLOTS - slot;
			assert_int_equal(snug_store_discard(s, slot, n), 0);
			memset(&model[slot], 0, n * sizeof(*model));
			break;
		}
		case 1:
		case 2:
		case 3:
			check_slot(s, slot, &model[slot]);
			break;
		default:
			write_some(s, &r, slot, &model[slot], 0);
		}
		if (step % 3000 == 2999)
			snug_store_compact(s);
		if (step % 1000 == 999)
			check_stats(s, model);
	}
	snug_store_settle(s);
	for (uint64_t i = 0; i < SLOTS; i++)
		check_slot(s, i, &model[i]);
	assert_int_equal(snug_store_discard(s, 0, SLOTS), 0);
	memset(model, 0, sizeof(model));
	check_stats(s, model);
	snug_store_close(s);
}

static void test_model(void **state)
{
	static const char *const codecs[] = {"lzo",	    "lzo-rle",	 "lz4",
					     "lz4+dict",    "zstd:1",	 "zstd:1+dict",
					     "zstd:1+auto", "deflate:1", "none"};

	for (size_t i = 0; i < sizeof(codecs) / sizeof(codecs[0]); i++)
		run_model(codecs[i], "zsmalloc");
	run_model("lz4", "zbud");
	run_model("lz4", "z3fold");
}

static void test_batches(void **state)
{
	static char pages[64][PAGE_BYTES], back[64][PAGE_BYTES];
	struct snug_store *s = open_store("lz4", NULL, 0);
	struct snug_io io[65];
	size_t done = 77;

	for (int i = 0; i < 64; i++) {
		make_page(KIND_TEXT, (uint64_t)i, pages[i]);
		io[i] = (struct snug_io){(uint64_t)i * 3, pages[i]};
	}
	assert_int_equal(snug_store_writev(s, io, 64, &done), 0);
	assert_int_equal(done, 64);
	for (int i = 0; i < 64; i++)
		io[i].page = back[i];
	io[64] = (struct snug_io){SLOTS, back[0]};
	assert_int_equal(snug_store_readv(s, io, 65, &done), -EINVAL);
	assert_int_equal(done, 64);
	assert_memory_equal(pages, back, sizeof(pages));
	assert_int_equal(snug_store_writev(s, io, 0, &done), 0);
	assert_int_equal(done, 0);
	snug_store_close(s);
}

static void test_beyond_the_end(void **state)
{
	struct snug_store *s = open_store("lz4", NULL, 0);
	struct snug_store_stats st;
	char page[PAGE_BYTES] = {0};

	assert_int_equal(snug_store_write(s, SLOTS, page), -EINVAL);
	assert_int_equal(snug_store_read(s, UINT64_MAX, page), -EINVAL);
	assert_int_equal(snug_store_discard(s, 1, SLOTS), -EINVAL);
	assert_int_equal(snug_store_discard(s, 2, UINT64_MAX), -EINVAL);
	assert_int_equal(snug_store_discard(s, SLOTS, 0), 0);
	snug_store_get_stats(s, &st);
	assert_int_equal(st.invalid_io, 4);
	snug_store_close(s);
}

static void test_open_refuses(void **state)
{
	struct snug_store *s = NULL;
	struct snug_store_options o = {.size_bytes = 5000};
	struct err e;

	assert_int_equal(snug_store_open(&o, &s, &e), -EINVAL);
	assert_int_equal(e.kind, ERR_USAGE);
	o = (struct snug_store_options){.size_bytes = BYTES, .codec = "zip"};
	assert_int_equal(snug_store_open(&o, &s, &e), -EINVAL);
	o = (struct snug_store_options){.size_bytes = BYTES, .pool = "slab"};
	assert_int_equal(snug_store_open(&o, &s, &e), -EINVAL);
	assert_null(s);
	snug_store_close(NULL);
}

/* At the limit a write fails, the slot keeps its page, and room made by a discard is used. */
static void test_mem_limit(void **state)
{
	static struct model model[SLOTS];
	struct snug_store *s = open_store("lz4", NULL, 1 << 20);
	struct snug_store_stats st;
	char page[PAGE_BYTES];
	uint64_t full = 0;
	int r = 0;

	memset(model, 0, sizeof(model));
	while (full < SLOTS && r == 0) {
		make_page(KIND_RANDOM, full, page);
		r = snug_store_write(s, full, page);
		if (r == 0)
			model[full++] = (struct model){KIND_RANDOM, full, true};
	}
	for (uint64_t i = 0; i < full; i++)
		model[i].seed = i;
	assert_int_equal(r, -ENOMEM);
	assert_in_range(full, 240, 256);
	snug_store_get_stats(s, &st);
	assert_true(st.mem_used_total <= 1 << 20);
	assert_int_equal(st.failed_writes, 1);
	/* An overwrite needs room for a moment too; the old page stays. */
	assert_int_equal(snug_store_write(s, 3, page), -ENOMEM);
	/* What needs no memory still works. */
	memset(page, 0, sizeof(page));
	assert_int_equal(snug_store_write(s, SLOTS - 1, page), 0);
	for (uint64_t i = 0; i < full; i++)
		check_slot(s, i, &model[i]);
	assert_int_equal(snug_store_discard(s, 0, 1), 0);
	make_page(KIND_RANDOM, 9999, page);
	assert_int_equal(snug_store_write(s, 3, page), 0);
	snug_store_set_mem_limit(s, 0);
	assert_int_equal(snug_store_write(s, 0, page), 0);
	snug_store_close(s);
}

static void test_reset(void **state)
{
	static struct model model[SLOTS];
	struct snug_store *s = open_store("zstd:1+auto", NULL, 0);
	struct rng r = {.state = 4};

	for (int turn = 0; turn < 3; turn++) {
		for (uint64_t i = 0; i < SLOTS; i++)
			write_some(s, &r, i, &model[i], 0);
		snug_store_reset(s);
		memset(model, 0, sizeof(model));
		check_stats(s, model);
		check_slot(s, 5, &model[5]);
	}
	snug_store_close(s);
}

static void test_locked_and_wiped(void **state)
{
	const struct snug_store_options o = {
		.size_bytes = BYTES, .codec = "lz4", .lock_memory = true, .wipe_on_free = true};
	static struct model model[SLOTS];
	struct rng r = {.state = 8};
	struct snug_store *s;
	struct err e;

	if (snug_store_open(&o, &s, &e) < 0) {
		assert_int_equal(e.kind, ERR_MISSING);
		print_message("SKIP: %s\n", e.text);
		skip();
	}
	memset(model, 0, sizeof(model));
	for (int step = 0; step < 6000; step++) {
		uint64_t slot = rng_below(&r, SLOTS);

		write_some(s, &r, slot, &model[slot], 0);
	}
	for (uint64_t i = 0; i < SLOTS; i++)
		check_slot(s, i, &model[i]);
	assert_int_equal(snug_store_discard(s, 0, SLOTS), 0);
	memset(model, 0, sizeof(model));
	check_stats(s, model);
	snug_store_reset(s);
	check_slot(s, 0, &model[0]);
	snug_store_close(s);
}

/* A dictionary makes what is written after its training smaller, and old slots stay readable. */
static void test_dictionary_generations(void **state)
{
	static struct model model[SLOTS];
	struct snug_store *s = open_store("zstd:1+dict", NULL, 0);
	struct snug_store_stats plain, with;
	char page[PAGE_BYTES];

	memset(model, 0, sizeof(model));
	for (int turn = 0; turn < 2; turn++) {
		for (uint64_t i = 0; i < SLOTS; i++) {
			model[i] = (struct model){KIND_POINTERS, i, true};
			make_page(model[i].kind, i, page);
			assert_int_equal(snug_store_write(s, i, page), 0);
			/* The first quarter is there before anything is trained. */
			if (turn == 0 && i == 200)
				snug_store_get_stats(s, &plain);
		}
		snug_store_settle(s);
		for (uint64_t i = 0; i < SLOTS; i++)
			check_slot(s, i, &model[i]);
	}
	snug_store_get_stats(s, &with);
	assert_int_equal(plain.dict_generations, 0);
	assert_true(with.dict_generations >= 1);
	assert_true(with.dict_in_use);
	assert_true(with.dict_bytes > 0 && with.dict_bytes < with.meta_bytes);
	assert_true((double)with.compr_data_size / SLOTS < (double)plain.compr_data_size / 201);
	snug_store_close(s);
}

/* The data changes: the store notices, and drops dictionaries that no slot uses. */
static void test_dictionary_follows_the_data(void **state)
{
	struct snug_store *s = open_store("zstd:1+dict", NULL, 0);
	struct snug_store_stats st;
	char page[PAGE_BYTES];

	/* A window of 2^16 pages of one kind, two of the other. */
	for (int turn = 0; turn < 96; turn++) {
		for (uint64_t i = 0; i < SLOTS; i++) {
			make_page(turn < 32 ? KIND_TEXT : KIND_POINTERS, i, page);
			assert_int_equal(snug_store_write(s, i, page), 0);
		}
		snug_store_settle(s);
	}
	snug_store_get_stats(s, &st);
	assert_true(st.dict_generations >= 2);
	assert_true(st.dict_bytes < 2 * 100000); /* not one for each generation */
	snug_store_close(s);
}

/* Several threads, each the owner of its slots; all compact now and then, and read each other's. */
struct worker {
	struct snug_store *s;
	struct model model[SLOTS / 4];
	unsigned index;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	struct rng r = {.state = w->index + 100};
	char page[PAGE_BYTES];

	for (int step = 0; step < 6000; step++) {
		uint64_t i = rng_below(&r, SLOTS / 4), slot = i * 4 + w->index;

		if (rng_below(&r, 3))
			write_some(w->s, &r, slot, &w->model[i], 0);
		else
			check_slot(w->s, slot, &w->model[i]);
		if (step % 16 == 0)
			assert_int_equal(snug_store_read(w->s, rng_below(&r, SLOTS), page), 0);
		if (step % 1000 == 999)
			snug_store_compact(w->s);
	}
	return NULL;
}

static void run_threads(const char *codec, const char *pool)
{
	static struct worker workers[4];
	static struct model model[SLOTS];
	struct snug_store *s = open_store(codec, pool, 0);
	pthread_t threads[4];

	memset(workers, 0, sizeof(workers));
	for (unsigned i = 0; i < 4; i++) {
		workers[i].s = s;
		workers[i].index = i;
		assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
	}
	/* What is for spare time meets writers, and must give way. */
	for (int i = 0; i < 20; i++)
		snug_store_settle(s);
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	snug_store_settle(s);
	for (uint64_t i = 0; i < SLOTS; i++) {
		model[i] = workers[i % 4].model[i / 4];
		check_slot(s, i, &model[i]);
	}
	check_stats(s, model);
	snug_store_close(s);
}

static void test_threads(void **state)
{
	run_threads("lz4", "zsmalloc");
	run_threads("zstd:1+auto", "zsmalloc");
	run_threads("lz4", "z3fold");
}

/* All threads write all slots: whichever wins, a slot holds one whole page. */
static void *fight(void *arg)
{
	struct worker *w = arg;
	struct rng r = {.state = w->index + 7};
	char page[PAGE_BYTES], want[PAGE_BYTES];

	for (int step = 0; step < 4000; step++) {
		uint64_t slot = rng_below(&r, 32), seed;

		switch (rng_below(&r, 4)) {
		case 0:
			assert_int_equal(snug_store_discard(w->s, slot, 1), 0);
			break;
		case 1:
			make_page(KIND_TEXT, seed = rng_below(&r, 50), page);
			memcpy(page, &seed, sizeof(seed));
			assert_int_equal(snug_store_write(w->s, slot, page), 0);
			break;
		default:
			assert_int_equal(snug_store_read(w->s, slot, page), 0);
			memcpy(&seed, page, sizeof(seed));
			memset(want, 0, sizeof(want));
			if (page[PAGE_BYTES - 1])
				make_page(KIND_TEXT, seed, want);
			memcpy(want, page[PAGE_BYTES - 1] ? &seed : &(uint64_t){0}, sizeof(seed));
			assert_memory_equal(page, want, PAGE_BYTES);
		}
		if (step % 64 == 0)
			snug_store_compact(w->s);
	}
	return NULL;
}

static void test_threads_on_the_same_slots(void **state)
{
	static struct worker workers[4];
	struct snug_store *s = open_store("zstd:1+dict", NULL, 0);
	pthread_t threads[4];

	for (unsigned i = 0; i < 4; i++) {
		workers[i].s = s;
		workers[i].index = i;
		assert_int_equal(pthread_create(&threads[i], NULL, fight, &workers[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(snug_store_discard(s, 0, SLOTS), 0);
	check_stats(s, (struct model[SLOTS]){0});
	snug_store_close(s);
}

/* open with the n-th allocation failing, for every n, leaks nothing and says -ENOMEM. */
static void test_open_without_memory(void **state)
{
	const struct snug_store_options o = {.size_bytes = BYTES, .codec = "zstd:1+dict"};
	struct snug_store *s = NULL;
	int failures = 0;

	for (long n = 0;; n++) {
		struct err e = {.kind = ERR_USAGE};
		int r;

		atomic_store(&fail_after, n);
		atomic_store(&fail_on, true);
		r = snug_store_open(&o, &s, &e);
		atomic_store(&fail_on, false);
		atomic_store(&fail_after, -1);
		if (r == 0)
			break;
		failures++;
		assert_true(r == -ENOMEM || r == -EAGAIN);
		assert_int_equal(e.kind, ERR_FAILED);
		assert_null(s);
	}
	assert_true(failures >= 5);
	snug_store_close(s);
}

/* Memory fails now and then while the store is at work: writes fail, and nothing stored is lost. */
static void run_without_memory(const char *codec)
{
	static struct model model[SLOTS];
	struct snug_store *s = open_store(codec, NULL, 0);
	struct rng r = {.state = 23};
	char page[PAGE_BYTES];

	memset(model, 0, sizeof(model));
	for (int step = 0; step < 6000; step++) {
		uint64_t slot = rng_below(&r, SLOTS);
		const struct model next = {(enum kind)rng_below(&r, KINDS), rng_next(&r) % 1000,
					   true};
		int got;

		make_page(next.kind, next.seed, page);
		atomic_store(&fail_after, (long)rng_below(&r, 3));
		atomic_store(&fail_on, step % 5 == 0);
		got = snug_store_write(s, slot, page);
		if (step % 500 == 0)
			snug_store_compact(s);
		atomic_store(&fail_on, false);
		atomic_store(&fail_after, -1);
		assert_true(got == 0 || got == -ENOMEM);
		if (got == 0)
			model[slot] = next;
		check_slot(s, slot, &model[slot]);
	}
	snug_store_settle(s);
	for (uint64_t i = 0; i < SLOTS; i++)
		check_slot(s, i, &model[i]);
	check_stats(s, model);
	snug_store_close(s);
}

static void test_without_memory(void **state)
{
	run_without_memory("lzo");
	run_without_memory("zstd:1+auto");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_model),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_beyond_the_end),
		cmocka_unit_test(test_open_refuses),
		cmocka_unit_test(test_mem_limit),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_locked_and_wiped),
		cmocka_unit_test(test_dictionary_generations),
		cmocka_unit_test(test_dictionary_follows_the_data),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_threads_on_the_same_slots),
		cmocka_unit_test(test_open_without_memory),
		cmocka_unit_test(test_without_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
