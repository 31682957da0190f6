/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "err.h"
#include "fake_host.h"
#include "lineup.h"
#include "undo.h"

struct machine {
	int root;
	char path[64];
	struct undo *undo;
	struct lineup lineup;
};

static int setup(void **state)
{
	struct machine *m = calloc(1, sizeof(*m));
	struct err e;

	m->root = made_host(m->path);
	assert_int_equal(undo_open(m->root, "test", &m->undo, &e), 0);
	*state = m;
	return 0;
}

static int teardown(void **state)
{
	struct machine *m = *state;

	undo_close(m->undo, NULL);
	made_host_end(m->root, m->path);
	free(m);
	return 0;
}

static void expect_names(struct machine *m, const struct plan *plan, const char *const *names)
{
	struct err e = {0};

	if (lineup_make(&m->lineup, m->root, m->undo, plan, &e) < 0)
		fail_msg("%s", e.text);
	for (size_t i = 0; names[i]; i++) {
		assert_true(i < m->lineup.n);
		assert_string_equal(m->lineup.backends[i].name, names[i]);
		assert_null(names[m->lineup.n]);
	}
}

static void the_default_is_what_there_is(void **state)
{
	struct machine *m = *state;
	const struct plan plan = {0};

	host_text(m->root, "proc/sys/kernel/osrelease", "6.1.0-18-amd64\n");
	host_text(m->root, "sys/block/zram0/comp_algorithm", "lzo [lz4] zstd \n");
	host_text(m->root, "sys/block/zram0/disksize", "0\n");
	host_text(m->root, "sys/module/zswap/parameters/compressor", "lz4\n");
	host_text(m->root, "sys/module/zswap/parameters/enabled", "N\n");
	expect_names(m, &plan,
		     (const char *const[]){"none", "file", "zram:lzo", "zram:lz4", "zram:zstd",
					   "zswap:lz4", NULL});
}

/* They take part all the same, and get their row. */
static void a_kernel_with_nothing(void **state)
{
	const struct plan plan = {0};

	expect_names(*state, &plan,
		     (const char *const[]){"none", "file", "zram:lzo-rle", "zswap:lzo", NULL});
}

static void the_reference_is_never_missing(void **state)
{
	const struct plan without = {.backends = {"file", "zram:lzo"}, .n_backends = 2};
	const struct plan with = {.backends = {"file", "none"}, .n_backends = 2};
	const struct plan limited = {.backends = {"none:limited"}, .n_backends = 1};

	expect_names(*state, &without, (const char *const[]){"none", "file", "zram:lzo", NULL});
	expect_names(*state, &with, (const char *const[]){"file", "none", NULL});
	expect_names(*state, &limited, (const char *const[]){"none", "none:limited", NULL});
}

static void two_alike_have_two_names(void **state)
{
	const struct plan plan = {
		.backends = {"none", "zram:lzo", "zram:lzo", "zram:lzo-rle", "zram:lzo"},
		.n_backends = 5};

	expect_names(*state, &plan,
		     (const char *const[]){"none", "zram:lzo", "zram:lzo#2", "zram:lzo-rle",
					   "zram:lzo#3", NULL});
}

static void one_that_is_wrong_ends_it(void **state)
{
	struct machine *m = *state;
	const struct plan plan = {.backends = {"none", "zrm"}, .n_backends = 2};
	struct err e = {0};

	assert_true(lineup_make(&m->lineup, m->root, m->undo, &plan, &e) < 0);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.text, "'zrm'"));
}

/* No zram in this kernel: its rows say so; the reference runs. */
static void what_can_not_be_had_is_told(void **state)
{
	struct machine *m = *state;
	const struct plan plan = {.backends = {"none", "zram:lzo", "zswap:lzo"}, .n_backends = 3};
	struct err e = {0};

	assert_int_equal(lineup_make(&m->lineup, m->root, m->undo, &plan, &e), 0);
	assert_int_equal(lineup_prepare(&m->lineup,
					&(struct backend_setup){.undo = m->undo, .root = m->root},
					&e),
			 0);
	assert_string_equal(m->lineup.backends[0].unavailable, "");
	assert_true(m->lineup.backends[0].unlimited);
	assert_non_null(strstr(m->lineup.backends[1].unavailable, "zram"));
	assert_non_null(strstr(m->lineup.backends[2].unavailable, "zswap"));
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(the_default_is_what_there_is),   CASE(a_kernel_with_nothing),
		CASE(the_reference_is_never_missing), CASE(two_alike_have_two_names),
		CASE(one_that_is_wrong_ends_it),      CASE(what_can_not_be_had_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
