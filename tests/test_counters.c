/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel counts: pressure, CPU time, disks, paging; on the texts of four kernels and on
 * texts that are not as they should be. */
#include "fake_host.h"

#include "counters.h"
#include "fields.h"
#include "psi.h"

#include <errno.h>

#define GOOD_SOME "some avg10=1.25 avg60=0.50 avg300=0.10 total=1234567\n"
#define GOOD_FULL "full avg10=100.00 avg60=0.40 avg300=0.05 total=1000001"

static void test_psi_both_lines(void **state)
{
	struct psi p;

	assert_int_equal(psi_parse(GOOD_SOME GOOD_FULL "\n", &p), 0);
	assert_true(p.some_avg10 == 1.25);
	assert_true(p.full_avg10 == 100.0);
	assert_int_equal(p.some_us, 1234567);
	assert_int_equal(p.full_us, 1000001);
}

static void test_psi_without_full(void **state)
{
	struct psi p;

	assert_int_equal(psi_parse(GOOD_SOME, &p), 0);
	assert_int_equal(p.some_us, 1234567);
	assert_int_equal(p.full_us, 0);
	assert_true(p.full_avg10 == 0.0);
}

static void test_psi_without_last_newline(void **state)
{
	struct psi p;

	assert_int_equal(psi_parse(GOOD_SOME GOOD_FULL, &p), 0);
	assert_int_equal(p.full_us, 1000001);
}

static void test_psi_hostile(void **state)
{
	static const char *const texts[] = {
		"",
		"\n",
		"some",
		"some\n",
		GOOD_FULL "\n" GOOD_SOME,
		GOOD_SOME GOOD_SOME,
		GOOD_SOME GOOD_FULL "\n" GOOD_FULL "\n",
		GOOD_SOME "x",
		GOOD_SOME "\n",
		"some avg10=1.25 avg60=0.50 avg300=0.10 total=\n",
		"some avg10=1.25 avg60=0.50 avg300=0.10 total=-1\n",
		"some avg10=1.25 avg60=0.50 avg300=0.10 total=99999999999999999999\n",
		"some avg10=1.25 avg60=0.50 avg300=0.10 total=1 more\n",
		"some avg10=1.25 avg60=0.50 total=1\n",
		"some avg10=1.2 avg60=0.50 avg300=0.10 total=1\n",
		"some avg10=-1.25 avg60=0.50 avg300=0.10 total=1\n",
		"some avg10=1,25 avg60=0.50 avg300=0.10 total=1\n",
		"some avg10=nan avg60=0.50 avg300=0.10 total=1\n",
		"some avg10=1000.00 avg60=0.50 avg300=0.10 total=1\n",
		"some avg10= avg60=0.50 avg300=0.10 total=1\n",
		"some\navg10=1.25 avg60=0.50 avg300=0.10 total=1\n",
	};
	struct psi p = {.some_us = 77};

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (psi_parse(texts[i], &p) != -EBADMSG)
			fail_msg("accepted: %s", texts[i]);
	assert_int_equal(p.some_us, 77);
}

static void test_psi_read(void **state)
{
	int root = fake_host("linux-6.12"), old = fake_host("linux-4.19");
	struct psi p;

	assert_int_equal(psi_read(root, "proc/pressure/memory", &p), 0);
	assert_int_equal(p.some_us, 91123344);
	assert_int_equal(p.full_us, 81120011);
	assert_int_equal(psi_read(old, "proc/pressure/memory", &p), -ENOENT);
	close(root);
	close(old);
}

static void test_cpu_of_four_kernels(void **state)
{
	static const struct {
		const char *tree;
		struct counters_cpu cpu;
	} rows[] = {
		{"linux-4.19", {121036, 1022, 58318 + 4105, 10332, 0, 5421883}},
		{"linux-6.1", {431108, 912, 103377 + 2201, 20117, 0, 9120553}},
		{"linux-6.12", {981203, 1201, 301222 + 20111 + 10233, 4011, 77, 8812033}},
		{"linux-6.18", {7960, 0, 6718 + 223, 421, 15, 2335819}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int root = fake_host(rows[i].tree);
		struct counters_cpu cpu;

		assert_int_equal(counters_cpu(root, &cpu), 0);
		assert_memory_equal(&cpu, &rows[i].cpu, sizeof(cpu));
		close(root);
	}
}

static void test_cpu_of_old_kernels(void **state)
{
	struct counters_cpu cpu;

	assert_int_equal(counters_parse_cpu("cpu 1 2 3 4\ncpu0 9 9 9 9\n", &cpu), 0);
	assert_int_equal(cpu.system, 3);
	assert_int_equal(cpu.idle, 4);
	assert_int_equal(cpu.iowait, 0);
}

static void test_cpu_of_later_kernels(void **state)
{
	struct counters_cpu cpu;

	assert_int_equal(counters_parse_cpu("cpu  1 2 3 4 5 6 7 8 9 10 11 x\n", &cpu), 0);
	assert_int_equal(cpu.steal, 8);
}

static void test_cpu_hostile(void **state)
{
	static const char *const texts[] = {
		"",
		"cpu",
		"cpu \n",
		"cpu0 1 2 3 4\n",
		"cpu 1 2 3\n4\n",
		"cpu 1 2 3 -4\n",
		"cpu 1 2 3 4 x\n",
		"cpu 1 2 3 99999999999999999999999999\n",
		"intr 1 2 3 4\ncpu 1 2 3 4\n",
	};
	struct counters_cpu cpu;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (counters_parse_cpu(texts[i], &cpu) != -EBADMSG)
			fail_msg("accepted: %s", texts[i]);
}

static void test_disk(void **state)
{
	static const struct {
		const char *tree, *name;
	} rows[] = {{"linux-4.19", "mmcblk0p2"}, {"linux-6.1", "sda2"}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int root = fake_host(rows[i].tree);
		struct counters_disk d;

		assert_int_equal(counters_disk(root, rows[i].name, &d), 0);
		assert_int_equal(d.reads, 3011);
		assert_int_equal(d.read_bytes, 181332 * 512);
		assert_int_equal(d.writes, 1911);
		assert_int_equal(d.write_bytes, 71904 * 512);
		assert_int_equal(d.busy_ms, 12040);
		close(root);
	}
}

static void test_disk_unknown(void **state)
{
	int root = fake_host("linux-6.1");
	char longest[600];
	struct counters_disk d;

	memset(longest, 'a', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(counters_disk(root, "sdb", &d), -ENOENT);
	assert_int_equal(counters_disk(root, "", &d), -ENOENT);
	assert_int_equal(counters_disk(root, longest, &d), -ENOENT);
	assert_int_equal(counters_disk(root, "../block/sda2", &d), -ENOENT);
	close(root);
}

static void test_disk_with_slash(void **state)
{
	char path[64];
	int r, root = made_host(path);
	struct counters_disk d;

	host_text(root, "sys/class/block/cciss!c0d0/stat", "1 2 3 4 5 6 7 8 9 10 11");
	r = counters_disk(root, "cciss/c0d0", &d);
	made_host_end(root, path);
	assert_int_equal(r, 0);
	assert_int_equal(d.writes, 5);
}

static void test_disk_hostile(void **state)
{
	static const char *const texts[] = {
		"",
		"1 2 3 4\n",
		"1 2 3 4 5 6 7 8 9 10\n",
		"1 2 3 4 5 6 7 8 9 x 11\n",
		"1 2 3 4 5 6 7 8 9 10\n11\n",
		"1 2 9223372036854775807 4 5 6 7 8 9 10 11\n",
		"1 2 3 4 5 6 9223372036854775807 8 9 10 11\n",
	};
	struct counters_disk d;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (counters_parse_disk(texts[i], &d) != -EBADMSG)
			fail_msg("accepted: %s", texts[i]);
}

static void test_vm_of_four_kernels(void **state)
{
	static const struct {
		const char *tree;
		struct counters_vm vm;
	} rows[] = {
		{"linux-4.19", {4120, 18911, 9104, 1844, -1, -1, -1}},
		{"linux-6.1", {0, 0, 40331, 0, -1, -1, -1}},
		{"linux-6.12", {301122, 922110, 201334, 100233, 811223, 2013311, 5120}},
		{"linux-6.18", {0, 0, 1184, 0, 0, 0, 0}},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int root = fake_host(rows[i].tree);
		struct counters_vm vm;

		assert_int_equal(counters_vm(root, &vm), 0);
		assert_memory_equal(&vm, &rows[i].vm, sizeof(vm));
		close(root);
	}
}

static void test_vm_hostile(void **state)
{
	static const char *const texts[] = {
		"pswpin \n",
		"pswpin x\n",
		"pswpin 1 2\n",
		"pswpin -1\n",
		"pswpin 1\nzswpwb 99999999999999999999\n",
	};
	struct counters_vm vm;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (counters_parse_vm(texts[i], &vm) != -EBADMSG)
			fail_msg("accepted: %s", texts[i]);
	/* Another key that starts alike, a value without a newline. */
	assert_int_equal(counters_parse_vm("pswpinx 5\npswpout 6", &vm), 0);
	assert_int_equal(vm.pswpin, -1);
	assert_int_equal(vm.pswpout, 6);
}

static void test_words_of_a_line(void **state)
{
	assert_true(fields_have("cpuset cpu io memory\n", "memory"));
	assert_true(fields_have("memory", "memory"));
	assert_false(fields_have("cpuset memory_x\nmemory\n", "memory"));
	assert_false(fields_have("", "memory"));
}

static void test_this_machine(void **state)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct counters_cpu cpu, later;
	struct counters_vm vm;

	assert_int_equal(counters_cpu(root, &cpu), 0);
	assert_int_equal(counters_vm(root, &vm), 0);
	assert_true(vm.pgmajfault > 0);
	assert_int_equal(counters_cpu(root, &later), 0);
	assert_true(later.idle >= cpu.idle && later.user >= cpu.user && cpu.idle > 0);
	close(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_psi_both_lines),
		cmocka_unit_test(test_psi_without_full),
		cmocka_unit_test(test_psi_without_last_newline),
		cmocka_unit_test(test_psi_hostile),
		cmocka_unit_test(test_psi_read),
		cmocka_unit_test(test_cpu_of_four_kernels),
		cmocka_unit_test(test_cpu_of_old_kernels),
		cmocka_unit_test(test_cpu_of_later_kernels),
		cmocka_unit_test(test_cpu_hostile),
		cmocka_unit_test(test_disk),
		cmocka_unit_test(test_disk_unknown),
		cmocka_unit_test(test_disk_with_slash),
		cmocka_unit_test(test_disk_hostile),
		cmocka_unit_test(test_vm_of_four_kernels),
		cmocka_unit_test(test_vm_hostile),
		cmocka_unit_test(test_words_of_a_line),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
