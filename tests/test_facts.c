/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's texts, parsed strictly, and the snapshot of whole machines, kernels 4.19 to 6.18. */
#include "fake_host.h"

#include "err.h"
#include "facts.h"
#include "kerntext.h"
#include "proclist.h"

#include <errno.h>

#define MIB ((int64_t)1 << 20)

static struct facts snapshot(const char *tree)
{
	int root = fake_host(tree);
	struct facts f;

	facts_read(root, &f);
	close(root);
	return f;
}

static void test_linux_4_19(void **state)
{
	struct facts f = snapshot("linux-4.19");

	assert_string_equal(f.kernel, "4.19.66-v7+");
	assert_int_equal(f.kernel_major, 4);
	assert_int_equal(f.kernel_minor, 19);
	assert_string_equal(f.cpu_model, "Raspberry Pi 3 Model B Rev 1.2");
	assert_int_equal(f.cpus, 4);
	assert_int_equal(f.mem_total_bytes, 948304 * INT64_C(1024));
	assert_int_equal(f.mem_available_bytes, 301256 * INT64_C(1024));
	assert_int_equal(f.n_swaps, 1);
	assert_string_equal(f.swaps[0].path, "/dev/zram0");
	assert_int_equal(f.swaps[0].used_bytes, 72928 * 1024);
	assert_int_equal(f.swaps[0].priority, 100);
	assert_string_equal(f.thp, "");
	assert_int_equal(f.zram, FACTS_ZRAM_PRESENT);
	assert_int_equal(f.n_zrams, 1);
	assert_string_equal(f.zrams[0].algorithm, "lz4");
	assert_string_equal(f.zrams[0].backing, "");
	assert_int_equal(f.zrams[0].disksize_bytes, 485527552);
	assert_int_equal(f.zrams[0].mm.orig_data_size, 74678272);
	assert_int_equal(f.zrams[0].mm.mem_used_total, 23597056);
	assert_int_equal(f.zrams[0].mm.huge_pages, 812);
	assert_int_equal(f.zrams[0].mm.huge_pages_since, -1);
	assert_true(facts_offer_algorithm(&f, "deflate"));
	assert_false(facts_offer_algorithm(&f, "lzo-rle"));
	assert_false(f.zswap.present);
	assert_int_equal(f.zswap.stored_bytes, FACTS_UNKNOWN);
	assert_int_equal(f.zsmalloc_chain_pages, FACTS_UNKNOWN);
}

static void test_linux_6_1(void **state)
{
	struct facts f = snapshot("linux-6.1");

	assert_int_equal(f.kernel_major, 6);
	assert_int_equal(f.kernel_minor, 1);
	assert_string_equal(f.cpu_model, "Intel(R) Core(TM) m3-7Y30 CPU @ 1.00GHz");
	assert_int_equal(f.cpus, 3);
	assert_string_equal(f.thp, "always");
	assert_int_equal(f.n_swaps, 2);
	assert_string_equal(f.swaps[1].path, "/var/my swap");
	assert_string_equal(f.swaps[1].type, "file");
	assert_int_equal(f.swaps[1].priority, -3);
	assert_int_equal(f.zram, FACTS_ZRAM_LOADABLE);
	assert_int_equal(f.n_zrams, 0);
	assert_int_equal(f.zram_algorithms.n, 0);
	assert_true(f.zswap.present);
	assert_false(f.zswap.enabled);
	assert_string_equal(f.zswap.zpool, "zbud");
	assert_false(facts_offer_algorithm(&f, "lzo"));
	assert_int_equal(f.zsmalloc_chain_pages, FACTS_UNKNOWN);
}

static void test_linux_6_12(void **state)
{
	struct facts f = snapshot("linux-6.12");

	assert_int_equal(f.n_zrams, 1);
	assert_int_equal(f.zrams[0].number, 0);
	assert_string_equal(f.zrams[0].algorithm, "zstd");
	assert_string_equal(f.zrams[0].backing, "/dev/nvme0n1p4");
	assert_int_equal(f.zrams[0].mm.huge_pages_since, 12000);
	assert_int_equal(f.zram_algorithms.n, 7);
	assert_true(facts_offer_algorithm(&f, "842"));
	assert_true(f.zswap.enabled);
	assert_int_equal(f.zswap.max_pool_percent, 25);
	assert_int_equal(f.zswap.pool_bytes, 60 * MIB);
	assert_int_equal(f.zswap.stored_bytes, 200 * MIB);
	assert_int_equal(f.page_cluster, 0);
	assert_int_equal(f.swappiness, 180);
	assert_int_equal(f.zsmalloc_chain_pages, 12);
}

static void test_linux_6_18(void **state)
{
	struct facts f = snapshot("linux-6.18");

	assert_int_equal(f.zram, FACTS_ZRAM_ABSENT);
	assert_int_equal(f.n_swaps, 0);
	assert_true(f.zswap.enabled);
	assert_string_equal(f.zswap.compressor, "lzo");
	assert_string_equal(f.zswap.zpool, "");
	/* From /proc/config.gz. */
	assert_int_equal(f.zsmalloc_chain_pages, 16);
}

static void test_nothing_there(void **state)
{
	char path[64];
	int root = made_host(path);
	struct facts f;

	facts_read(root, &f);
	assert_string_equal(f.kernel, "");
	assert_int_equal(f.mem_total_bytes, FACTS_UNKNOWN);
	assert_int_equal(f.swappiness, FACTS_UNKNOWN);
	assert_int_equal(f.cpus, FACTS_UNKNOWN);
	assert_int_equal(f.zram, FACTS_ZRAM_ABSENT);
	assert_false(f.zswap.present);
	made_host_end(root, path);
}

static void test_debugfs_when_meminfo_has_no_zswap(void **state)
{
	char path[64];
	int root = made_host(path);
	struct facts f;

	host_text(root, "proc/meminfo", "MemTotal: 100 kB\n");
	host_text(root, "sys/module/zswap/parameters/enabled", "Y\n");
	host_text(root, "sys/kernel/debug/zswap/pool_total_size", "8192\n");
	host_text(root, "sys/kernel/debug/zswap/stored_pages", "7\n");
	facts_read(root, &f);
	assert_int_equal(f.zswap.pool_bytes, 8192);
	assert_int_equal(f.zswap.stored_bytes, 7 * 4096);
	made_host_end(root, path);
}

static void test_malformed_is_unknown(void **state)
{
	char path[64];
	int root = made_host(path);
	struct facts f;

	host_text(root, "proc/meminfo", "MemTotal: 100 kB\nMemTotal: 200 kB\nMemAvailable: 5 MB\n");
	host_text(root, "proc/sys/vm/swappiness", "sixty\n");
	host_text(root, "proc/sys/vm/page-cluster", "3 4\n");
	host_text(root, "sys/block/zram0/comp_algorithm", "[lzo] [lz4]\n");
	host_text(root, "sys/block/zram0/disksize", "4096\n");
	host_text(root, "sys/block/zram0/mm_stat", "1 2 3\n");
	facts_read(root, &f);
	assert_int_equal(f.mem_total_bytes, FACTS_UNKNOWN);
	assert_int_equal(f.mem_available_bytes, FACTS_UNKNOWN);
	assert_int_equal(f.swappiness, FACTS_UNKNOWN);
	assert_int_equal(f.page_cluster, FACTS_UNKNOWN);
	assert_int_equal(f.zram_algorithms.n, 0);
	assert_int_equal(f.n_zrams, 1);
	assert_int_equal(f.zrams[0].mm.orig_data_size, FACTS_UNKNOWN);
	made_host_end(root, path);
}

static void test_number(void **state)
{
	int64_t v = 5;

	assert_int_equal(kerntext_number("0\n", &v), 0);
	assert_int_equal(v, 0);
	assert_int_equal(kerntext_number("9223372036854775807", &v), 0);
	assert_int_equal(v, INT64_MAX);
	for (const char *const *bad =
		     (const char *const[]){"", "\n", "-1", "+1", " 1", "1 ", "0x1", "1\n\n",
					   "9223372036854775808", "99999999999999999999", NULL};
	     *bad; bad++)
		assert_int_equal(kerntext_number(*bad, &v), -EBADMSG);
	assert_int_equal(v, INT64_MAX);
}

static void test_choice(void **state)
{
	struct kerntext_choice c;

	assert_int_equal(kerntext_choice("always [madvise] never\n", &c), 0);
	assert_int_equal(c.n, 3);
	assert_int_equal(c.chosen, 1);
	assert_string_equal(c.words[1], "madvise");
	assert_int_equal(kerntext_choice("lzo lz4 \n", &c), 0);
	assert_int_equal(c.chosen, -1);
	assert_int_equal(kerntext_choice("", &c), -EBADMSG);
	assert_int_equal(kerntext_choice("[]\n", &c), -EBADMSG);
	assert_int_equal(kerntext_choice("[lzo\n", &c), -EBADMSG);
	assert_int_equal(kerntext_choice("a\nb\n", &c), -EBADMSG);
	assert_int_equal(kerntext_choice("a-word-longer-than-any-algorithm-is-named", &c),
			 -EBADMSG);
}

static void test_mm_stat(void **state)
{
	struct kerntext_mm_stat m;

	assert_int_equal(kerntext_mm_stat(" 1 2 3 4 5 6 7\n", &m), 0);
	assert_int_equal(m.pages_compacted, 7);
	assert_int_equal(m.huge_pages, -1);
	assert_int_equal(kerntext_mm_stat("1 2 3 4 5 6\n", &m), -EBADMSG);
	assert_int_equal(kerntext_mm_stat("1 2 3 4 5 6 7 8 9 10\n", &m), -EBADMSG);
	assert_int_equal(kerntext_mm_stat("1 2 3 4 5 6 x\n", &m), -EBADMSG);
	assert_int_equal(kerntext_mm_stat("1 2 3 4 5 6 -7\n", &m), -EBADMSG);
}

static void test_swaps(void **state)
{
	const char *text = "Filename Type Size Used Priority\n/a\\134b\\011c file 4 2 -5\n";
	struct kerntext_swap s;

	assert_int_equal(kerntext_swap(&text, &s), 0);
	assert_string_equal(s.path, "/a\\b\tc");
	assert_int_equal(s.size_bytes, 4096);
	assert_int_equal(s.priority, -5);
	assert_int_equal(kerntext_swap(&text, &s), -ENOENT);
	text = "/gone (deleted) file 4 0 1\n";
	assert_int_equal(kerntext_swap(&text, &s), 0);
	assert_string_equal(s.type, "file");
	for (const char *const *bad =
		     (const char *const[]){"/a file 4 0\n", "/a file 4 0 1 2\n",
					   "/a\\08 file 4 0 1\n",
					   "/a file 99999999999999999999 0 1\n", "/a\n", NULL};
	     *bad; bad++) {
		text = *bad;
		assert_int_equal(kerntext_swap(&text, &s), -EBADMSG);
		assert_ptr_equal(text, *bad);
	}
}

static void test_cpu_list(void **state)
{
	int64_t n;

	assert_int_equal(kerntext_cpu_list("0-3,8,10-11\n", &n), 0);
	assert_int_equal(n, 7);
	for (const char *const *bad = (const char *const[]){"", "\n", "3-1", "0,0", "0-3,2", "0,,1",
							    "0-", "a", NULL};
	     *bad; bad++)
		assert_int_equal(kerntext_cpu_list(*bad, &n), -EBADMSG);
}

static void test_maps(void **state)
{
	const char *text = "00400000-00452000 r-xp 00000000 08:02 173521      /usr/bin/a b\n"
			   "7ffd0-7ffe0 rw-s 00000000 00:00 0 \n";
	struct kerntext_map m;

	assert_int_equal(kerntext_map(&text, &m), 0);
	assert_int_equal(m.start, 0x400000);
	assert_int_equal(m.end, 0x452000);
	assert_true(m.private);
	assert_true(m.readable);
	assert_int_equal(m.inode, 173521);
	assert_int_equal(m.path_len, 12);
	assert_memory_equal(m.path, "/usr/bin/a b", 12);
	assert_int_equal(kerntext_map(&text, &m), 0);
	assert_false(m.private);
	assert_int_equal(m.path_len, 0);
	assert_int_equal(kerntext_map(&text, &m), -ENOENT);
	for (const char *const *bad =
		     (const char *const[]){"00400000-00300000 r-xp 0 08:02 1 \n",
					   "4-5 rwxq 0 0:0 0\n", "4-5 rw-p 0 0:0\n",
					   "5 rw-p 0 0:0 0\n", "\n", NULL};
	     *bad; bad++) {
		text = *bad;
		assert_int_equal(kerntext_map(&text, &m), -EBADMSG);
	}
}

static void test_stat_has_memory(void **state)
{
	bool has;

	assert_int_equal(kerntext_stat_has_memory("2 (kthreadd) S 0 0 0 0 -1 2129984 0 0", &has),
			 0);
	assert_false(has);
	assert_int_equal(kerntext_stat_has_memory("9 (a) b) (c) S 1 9 9 0 -1 4194560 1", &has), 0);
	assert_true(has);
	assert_int_equal(kerntext_stat_has_memory("9 (dead) Z 1 9 9 0 -1 4194560 1", &has), 0);
	assert_false(has);
	assert_int_equal(kerntext_stat_has_memory("", &has), -EBADMSG); /* stepped past NULL once */
	assert_int_equal(kerntext_stat_has_memory("9 a S 1", &has), -EBADMSG);
	assert_int_equal(kerntext_stat_has_memory("9 (a) S 1", &has), -EBADMSG);
	assert_int_equal(kerntext_stat_has_memory("9 (a)", &has), -EBADMSG);
}

static void expect_pids(const char *tree, const char *cgroup, const pid_t *pids, size_t n)
{
	int root = fake_host(tree);
	struct proclist l = {0};
	struct err e = {0};

	assert_int_equal(proclist_add_cgroup(root, &l, cgroup, &e), 0);
	assert_int_equal(l.n, n);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(l.pids[i], pids[i]);
	proclist_free(&l);
	close(root);
}

static void test_cgroups(void **state)
{
	const pid_t v1[] = {7, 12, 31}, v2[] = {150, 200, 201};

	expect_pids("linux-4.19", "board", v1, 3);
	expect_pids("linux-4.19", "/sys/fs/cgroup/memory/board", v1, 3);
	expect_pids("linux-6.12", "user.slice", v2, 3);
	expect_pids("linux-6.12", "/user.slice/app.scope/", v2, 3);
	expect_pids("linux-6.12", "/sys/fs/cgroup/user.slice/app.scope/deep", v2, 1);
}

static void test_no_such_cgroup(void **state)
{
	int root = fake_host("linux-6.12");
	struct proclist l = {0};
	struct err e = {0};

	assert_int_equal(proclist_add_cgroup(root, &l, "nowhere", &e), -ENOENT);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.text, "nowhere"));
	close(root);
}

static void test_list_is_a_set(void **state)
{
	struct proclist l = {0};

	for (pid_t pid = 600; pid > 0; pid--)
		assert_int_equal(proclist_add(&l, pid % 300 + 1), 0);
	assert_int_equal(l.n, 300);
	for (size_t i = 0; i < l.n; i++)
		assert_int_equal(l.pids[i], i + 1);
	assert_true(proclist_has(&l, 300));
	assert_false(proclist_has(&l, 301));
	proclist_free(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_linux_4_19),
		cmocka_unit_test(test_linux_6_1),
		cmocka_unit_test(test_linux_6_12),
		cmocka_unit_test(test_linux_6_18),
		cmocka_unit_test(test_nothing_there),
		cmocka_unit_test(test_debugfs_when_meminfo_has_no_zswap),
		cmocka_unit_test(test_malformed_is_unknown),
		cmocka_unit_test(test_number),
		cmocka_unit_test(test_choice),
		cmocka_unit_test(test_mm_stat),
		cmocka_unit_test(test_swaps),
		cmocka_unit_test(test_cpu_list),
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_stat_has_memory),
		cmocka_unit_test(test_cgroups),
		cmocka_unit_test(test_no_such_cgroup),
		cmocka_unit_test(test_list_is_a_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
