/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The slot's entry: what it keeps, and who wins when two change it. */
#include "testing.h"

#include "slot.h"

static void test_fields(void **state)
{
	const uint64_t handle = (UINT64_C(1) << 39) - 1;
	uint64_t e = slot_make(SLOT_OBJECT, 63, 4096, handle);

	assert_int_equal(slot_kind(e), SLOT_OBJECT);
	assert_int_equal(slot_recipe(e), 63);
	assert_int_equal(slot_length(e), 4096);
	assert_true(slot_handle(e) == handle);
	assert_false(e & (SLOT_LOCKED | SLOT_MARKED));
	e = slot_with_handle(e | SLOT_MARKED, 7);
	assert_true(slot_handle(e) == 7 && (e & SLOT_MARKED));
	assert_int_equal(slot_length(e), 4096);
	e = slot_make(SLOT_WORD, 0, 1, 1);
	assert_int_equal(slot_length(e), 1);
	assert_true(slot_fill_word(slot_make_fill(0xdeadbeef)) == 0xdeadbeefdeadbeef);
	assert_int_equal(slot_kind(slot_make_fill(UINT32_MAX)), SLOT_FILL);
}

static void test_lock(void **state)
{
	const uint64_t e = slot_make(SLOT_OBJECT, 1, 100, 5);
	slot_t slot = e;

	assert_true(slot_lock(&slot) == e);
	assert_true(slot == (e | SLOT_LOCKED));
	slot_unlock(&slot, e);
	assert_true(slot_swap(&slot, 0) == e);
	assert_true(slot == 0);
}

/* A marked slot that nobody wrote to is exchanged, and the old entry is the caller's. */
static void test_exchange_marked(void **state)
{
	const uint64_t old = slot_make(SLOT_OBJECT, 1, 100, 5) | SLOT_MARKED;
	const uint64_t fresh = slot_make(SLOT_OBJECT, 2, 90, 6);
	slot_t slot = old;

	assert_true(slot_exchange_marked(&slot, fresh) == old);
	assert_true(slot == fresh);
}

/*
 * Written to meanwhile, even with an entry that but for the mark is the old one (another page may
 * lie at the same place): the writer wins.
 */
static void test_exchange_after_a_write(void **state)
{
	const uint64_t old = slot_make(SLOT_OBJECT, 1, 100, 5);
	const uint64_t fresh = slot_make(SLOT_OBJECT, 2, 90, 6);
	slot_t slot = old | SLOT_MARKED;

	assert_true(slot_swap(&slot, old) == (old | SLOT_MARKED));
	assert_true(slot_exchange_marked(&slot, fresh) == fresh);
	assert_true(slot == old);
}

/* Moved by compaction meanwhile, which keeps the mark: it is the moved object that goes. */
static void test_exchange_after_a_move(void **state)
{
	const uint64_t old = slot_make(SLOT_OBJECT, 1, 100, 5) | SLOT_MARKED;
	const uint64_t moved = slot_with_handle(old, 9);
	const uint64_t fresh = slot_make(SLOT_OBJECT, 2, 90, 6);
	slot_t slot = moved;

	assert_true(slot_exchange_marked(&slot, fresh) == moved);
	assert_true(slot == fresh);
}

static void test_unmark(void **state)
{
	const uint64_t e = slot_make(SLOT_OBJECT, 1, 100, 5);
	slot_t slot = e | SLOT_MARKED;

	slot_unmark(&slot);
	assert_true(slot == e);
	slot_unmark(&slot);
	assert_true(slot == e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_lock),
		cmocka_unit_test(test_exchange_marked),
		cmocka_unit_test(test_exchange_after_a_write),
		cmocka_unit_test(test_exchange_after_a_move),
		cmocka_unit_test(test_unmark),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
