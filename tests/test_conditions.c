/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may change between two runs: four kernels, what they lack, and texts that are not as they
 * should be. */
#include "fake_host.h"

#include "conditions.h"

static struct conditions read_tree(const char *tree)
{
	int root = fake_host(tree);
	struct conditions c;

	conditions_read(root, &c);
	close(root);
	return c;
}

static void test_linux_4_19(void **state)
{
	struct conditions c = read_tree("linux-4.19");

	assert_int_equal(c.page_cluster, 3);
	assert_int_equal(c.swappiness, 60);
	assert_int_equal(c.watermark_scale_factor, 10);
	assert_string_equal(c.thp, "");
	assert_string_equal(c.governor, "ondemand");
	assert_int_equal(c.clock_khz, 900000);
	assert_int_equal(c.throttled, -1);
	assert_int_equal(c.other_swaps, 1);
	assert_int_equal(c.other_swap_bytes, 72928 * 1024);
	assert_int_equal(c.zswap_enabled, 0);
}

static void test_linux_6_1(void **state)
{
	struct conditions c = read_tree("linux-6.1");

	assert_string_equal(c.governor, "mixed");
	assert_int_equal(c.clock_khz, 1600000);
	assert_int_equal(c.throttled, 0 + 20 + 30 + 3 * 4);
	assert_int_equal(c.other_swaps, 2);
	assert_int_equal(c.other_swap_bytes, 0);
	assert_int_equal(c.zswap_enabled, 'N');
}

static void test_linux_6_12(void **state)
{
	struct conditions c = read_tree("linux-6.12");

	assert_string_equal(c.governor, "");
	assert_int_equal(c.clock_khz, -1);
	assert_int_equal(c.other_swaps, 1);
	assert_int_equal(c.other_swap_bytes, INT64_C(1048576) * 1024);
	assert_int_equal(c.zswap_enabled, 'Y');
}

static void test_linux_6_18(void **state)
{
	struct conditions c = read_tree("linux-6.18");

	assert_int_equal(c.other_swaps, 0);
	assert_int_equal(c.other_swap_bytes, 0);
	assert_string_not_equal(c.thp, "");
}

/* An empty tree, filled by the test. */
struct host {
	char path[64];
	int root;
	struct conditions c;
};

static int host_begin(void **state)
{
	struct host *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	h->root = made_host(h->path);
	*state = h;
	return 0;
}

static int host_end(void **state)
{
	struct host *h = *state;

	made_host_end(h->root, h->path);
	free(h);
	return 0;
}

static void test_nothing_known(void **state)
{
	struct host *h = *state;

	conditions_read(h->root, &h->c);
	assert_int_equal(h->c.page_cluster, -1);
	assert_int_equal(h->c.swappiness, -1);
	assert_int_equal(h->c.watermark_scale_factor, -1);
	assert_string_equal(h->c.thp, "");
	assert_string_equal(h->c.governor, "");
	assert_int_equal(h->c.clock_khz, -1);
	assert_int_equal(h->c.throttled, -1);
	assert_int_equal(h->c.other_swap_bytes, -1);
	assert_int_equal(h->c.other_swaps, -1);
	assert_int_equal(h->c.zswap_enabled, 0);
}

static void test_clock_of_cpuinfo(void **state)
{
	struct host *h = *state;

	host_text(h->root, "proc/cpuinfo",
		  "processor\t: 0\ncpu MHz\t\t: 2000.500\n\nprocessor\t: 1\ncpu MHz\t\t: 1000\n");
	conditions_read(h->root, &h->c);
	assert_int_equal(h->c.clock_khz, 1500250);
}

static void test_clock_of_cpufreq_first(void **state)
{
	struct host *h = *state;

	host_text(h->root, "proc/cpuinfo", "cpu MHz\t\t: 2000.500\n");
	host_text(h->root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "800000\n");
	conditions_read(h->root, &h->c);
	assert_int_equal(h->c.clock_khz, 800000);
}

static void test_clock_hostile(void **state)
{
	struct host *h = *state;

	host_text(h->root, "proc/cpuinfo",
		  "cpu MHz\t: -5\ncpu MHz\t: 99999999999999999999\ncpu MHz\t: x\ncpu MHz\t: 12z\n"
		  "cpu MHz\ncpu MHz :");
	conditions_read(h->root, &h->c);
	assert_int_equal(h->c.clock_khz, -1);
}

static void test_swaps_hostile(void **state)
{
	struct host *h = *state;

	host_text(
		h->root, "proc/swaps",
		"Filename Type Size Used Priority\n/dev/a partition 8 4 -2\n/dev/b partition x\n");
	conditions_read(h->root, &h->c);
	assert_int_equal(h->c.other_swaps, -1);
	assert_int_equal(h->c.other_swap_bytes, -1);
}

static void test_attributes_hostile(void **state)
{
	struct host *h = *state;

	host_text(h->root, "sys/kernel/mm/transparent_hugepage/enabled", "[always [madvise]\n");
	host_text(h->root, "sys/module/zswap/parameters/enabled", "maybe\n");
	host_text(h->root, "proc/sys/vm/swappiness", "sixty\n");
	host_text(h->root, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
		  "a-governor-whose-name-is-far-too-long\n");
	host_text(h->root, "sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count",
		  "18446744073709551615\n");
	conditions_read(h->root, &h->c);
	assert_string_equal(h->c.thp, "");
	assert_int_equal(h->c.zswap_enabled, 0);
	assert_int_equal(h->c.swappiness, -1);
	assert_string_equal(h->c.governor, "");
	assert_int_equal(h->c.throttled, -1);
}

#define HOST_TEST(test) cmocka_unit_test_setup_teardown(test, host_begin, host_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linux_4_19),	cmocka_unit_test(test_linux_6_1),
		cmocka_unit_test(test_linux_6_12),	cmocka_unit_test(test_linux_6_18),
		HOST_TEST(test_nothing_known),		HOST_TEST(test_clock_of_cpuinfo),
		HOST_TEST(test_clock_of_cpufreq_first), HOST_TEST(test_clock_hostile),
		HOST_TEST(test_swaps_hostile),		HOST_TEST(test_attributes_hostile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
