/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/swaps as other machines have it, from trees. */
#include "fake_host.h"

#include "err.h"
#include "swap.h"

#include <errno.h>

#define HEADINGS "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"

static int used_of(const char *swaps, const char *path, uint64_t *ret)
{
	char tree[64];
	int root = made_host(tree), r;

	host_text(root, "proc/swaps", swaps);
	host_text(root, "dev/zram1", "");
	assert_int_equal(symlinkat("zram1", root, "dev/link"), 0);
	r = swap_used(root, path, ret);
	made_host_end(root, tree);
	return r;
}

static void test_used_of_each_spelling(void **state)
{
	static const char swaps[] =
		HEADINGS "/dev/zram1                              partition\t1024\t\t8\t\t100\n"
			 "/var/my\\040swap                         file\t\t1024\t\t12\t\t-2\n"
			 "/var/gone\\040(deleted)                  file\t\t1024\t\t16\t\t-3";
	static const struct {
		const char *path;
		uint64_t kib;
	} cases[] = {{"/dev/zram1", 8}, {"/dev/link", 8}, {"/var/my swap", 12}, {"/var/gone", 16}};
	uint64_t used;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(used_of(swaps, cases[i].path, &used), 0);
		assert_int_equal(used, cases[i].kib * 1024);
	}
	assert_int_equal(used_of(swaps, "/dev/zram", &used), -ENOENT);
	assert_int_equal(used_of(swaps, "/var/go", &used), -ENOENT);
}

static void test_used_of_malformed_text(void **state)
{
	uint64_t used = 7;

	assert_int_equal(used_of("", "/dev/zram1", &used), -ENOENT);
	assert_int_equal(used_of(HEADINGS, "/dev/zram1", &used), -ENOENT);
	assert_int_equal(used_of(HEADINGS "/dev/zram1 partition 1024 x 100\n", "/dev/zram1", &used),
			 -EBADMSG);
	assert_int_equal(used_of(HEADINGS "/dev/zram1", "/dev/zram1", &used), -EBADMSG);
	assert_int_equal(used, 7);
}

/* A device's node may be removed while it is swap; a swap file may not. */
static void test_swap_off_of_a_name_that_is_gone(void **state)
{
	char tree[64];
	struct err e;
	int root, r;

	if (geteuid() != 0) {
		print_message("SKIP: swapoff takes root\n");
		skip();
	}
	root = made_host(tree);
	host_text(root, "proc/swaps", HEADINGS "/dev/gone\\040(deleted) partition\t1024\t16\t-3\n");
	r = swap_off(root, "/dev/gone", 10000, NULL, NULL, &e);
	made_host_end(root, tree);
	assert_int_equal(r, -ENOENT);
	assert_non_null(strstr(e.text, "/dev/gone is in use as swap"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_used_of_each_spelling),
		cmocka_unit_test(test_used_of_malformed_text),
		cmocka_unit_test(test_swap_off_of_a_name_that_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
