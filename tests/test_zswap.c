/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zswap as four kernels show it, in copies of their trees, and as the kernel here does. */
#include "fake_host.h"

#include "cleanup.h"
#include "err.h"
#include "fileio.h"
#include "sysread.h"
#include "undo.h"
#include "zswap.h"

#include <errno.h>

#define PARAMETERS "sys/module/zswap/parameters/"
#define MIB	   (1 << 20)

struct machine {
	int root;
	char path[64]; /* empty: the real one */
	struct undo *undo;
};

/* A copy, to be written to, of a checked-in tree; NULL: an empty one. */
static struct machine copied(const char *name)
{
	struct machine m;

	m.root = made_host(m.path);
	if (name) {
		char command[160];
		int from = fake_host(name);

		snprintf(command, sizeof(command), "cp -R /proc/%d/fd/%d/. '%s'", (int)getpid(),
			 from, m.path);
		assert_int_equal(system(command), 0);
		close(from);
	}
	assert_int_equal(undo_open(m.root, "test", &m.undo, NULL), 0);
	return m;
}

static void end(struct machine *m)
{
	assert_int_equal(undo_close(m->undo, NULL), 0);
	made_host_end(m->root, m->path);
}

static void expect(int root, const char *name, const char *value)
{
	char got[64];

	assert_int_equal(sysread_word(root, got, sizeof(got), PARAMETERS "%s", name), 0);
	assert_string_equal(got, value);
}

static void sets_all_and_puts_all_back(const char *tree, const char *const before[4])
{
	static const char *const names[] = {"compressor", "max_pool_percent", "enabled", "zpool"};
	struct machine m = copied(tree);
	struct zswap_request q = {"deflate", before[3] ? "z3fold" : NULL, 35};

	assert_int_equal(zswap_enable(m.undo, &q, NULL), 0);
	expect(m.root, "compressor", "deflate");
	expect(m.root, "max_pool_percent", "35");
	expect(m.root, "enabled", "Y");
	if (q.zpool)
		expect(m.root, "zpool", "z3fold");
	assert_int_equal(undo_back(m.undo, 0, NULL), 0);
	for (int i = 0; i < 4 && before[i]; i++)
		expect(m.root, names[i], before[i]);
	end(&m);
}

static void test_enable_on_linux_6_1(void **state)
{
	sets_all_and_puts_all_back("linux-6.1", (const char *const[]){"lzo", "20", "N", "zbud"});
}

static void test_enable_on_linux_6_12(void **state)
{
	sets_all_and_puts_all_back("linux-6.12",
				   (const char *const[]){"zstd", "25", "Y", "zsmalloc"});
}

static void test_enable_on_linux_6_18(void **state)
{
	sets_all_and_puts_all_back("linux-6.18", (const char *const[]){"lzo", "20", "1", NULL});
}

static void test_what_is_not_asked_for_stays(void **state)
{
	struct machine m = copied("linux-6.1");
	struct zswap_request q = {"lzo", NULL, -1};

	assert_int_equal(zswap_enable(m.undo, &q, NULL), 0);
	expect(m.root, "zpool", "zbud");
	expect(m.root, "max_pool_percent", "20");
	expect(m.root, "enabled", "Y");
	end(&m);
}

static void test_no_zswap_on_linux_4_19(void **state)
{
	struct machine m = copied("linux-4.19");
	struct zswap_request q = {"lzo", NULL, -1};
	struct err e;

	assert_int_equal(zswap_enable(m.undo, &q, &e), -ENOENT);
	assert_int_equal(e.kind, ERR_MISSING);
	assert_non_null(strstr(e.text, "CONFIG_ZSWAP"));
	end(&m);
}

static void test_no_choice_of_zpool_on_linux_6_18(void **state)
{
	struct machine m = copied("linux-6.18");
	struct zswap_request q = {"lzo", "zbud", -1};
	struct err e;

	assert_int_equal(zswap_enable(m.undo, &q, &e), -ENOENT);
	assert_int_equal(e.kind, ERR_MISSING);
	assert_non_null(strstr(e.text, "no choice of zpool"));
	end(&m);
}

static void test_disable_until_undone(void **state)
{
	struct machine m = copied("linux-6.12");

	assert_int_equal(zswap_disable(m.undo, NULL), 0);
	expect(m.root, "enabled", "N");
	assert_int_equal(undo_back(m.undo, 0, NULL), 0);
	expect(m.root, "enabled", "Y");
	end(&m);
}

static void disable_notes_nothing(const char *tree)
{
	struct machine m = copied(tree);

	assert_int_equal(zswap_disable(m.undo, NULL), 0);
	assert_int_equal(undo_mark(m.undo), 0);
	end(&m);
}

static void test_disable_what_is_off(void **state)
{
	disable_notes_nothing("linux-6.1");
}

static void test_disable_without_zswap(void **state)
{
	disable_notes_nothing("linux-4.19");
}

static void reads(const char *tree, const struct zswap_stat *wanted)
{
	int root = fake_host(tree);
	struct zswap_stat s;

	zswap_read(root, &s);
	assert_int_equal(s.pool_bytes, wanted->pool_bytes);
	assert_int_equal(s.stored_bytes, wanted->stored_bytes);
	assert_int_equal(s.same_filled_pages, wanted->same_filled_pages);
	assert_int_equal(s.written_back_pages, wanted->written_back_pages);
	assert_int_equal(s.rejected_pages, wanted->rejected_pages);
	close(root);
}

static void test_read_nothing_on_linux_4_19(void **state)
{
	reads("linux-4.19", &(struct zswap_stat){-1, -1, -1, -1, -1});
}

static void test_read_debugfs_on_linux_6_1(void **state)
{
	reads("linux-6.1", &(struct zswap_stat){0, 0, 0, 1840, 930});
}

static void test_read_without_debugfs_on_linux_6_12(void **state)
{
	reads("linux-6.12", &(struct zswap_stat){60 * MIB, 200 * MIB, -1, 5120, -1});
}

static void test_read_both_on_linux_6_18(void **state)
{
	reads("linux-6.18", &(struct zswap_stat){0, 0, -1, 0, 43});
}

/* Before Linux 5.19 all of it was in debugfs, as it is here. */
static void test_read_debugfs_alone(void **state)
{
	struct machine m = copied(NULL);
	struct zswap_stat s;

	host_text(m.root, PARAMETERS "enabled", "Y\n");
	host_text(m.root, "sys/kernel/debug/zswap/pool_total_size", "8192\n");
	host_text(m.root, "sys/kernel/debug/zswap/stored_pages", "5\n");
	zswap_read(m.root, &s);
	assert_int_equal(s.pool_bytes, 8192);
	assert_int_equal(s.stored_bytes, 5 * 4096);
	end(&m);
}

static void test_malformed_counters_are_unknown(void **state)
{
	struct machine m = copied(NULL);
	struct zswap_stat s;

	host_text(m.root, PARAMETERS "enabled", "Y\n");
	host_text(m.root, "proc/meminfo", "Zswap: -1 kB\nZswapped: 9");
	host_text(m.root, "proc/vmstat", "zswpwb x\n");
	host_text(m.root, "sys/kernel/debug/zswap/reject_alloc_fail", "9223372036854775807\n");
	host_text(m.root, "sys/kernel/debug/zswap/reject_compress_poor", "1\n");
	host_text(m.root, "sys/kernel/debug/zswap/same_filled_pages", "");
	zswap_read(m.root, &s);
	assert_int_equal(s.pool_bytes, -1);
	assert_int_equal(s.stored_bytes, -1);
	assert_int_equal(s.same_filled_pages, -1);
	assert_int_equal(s.written_back_pages, -1);
	assert_int_equal(s.rejected_pages, -1);
	end(&m);
}

/* The kernel here. cmocka's skip() does not return. */
static struct machine real(void)
{
	struct machine m = {.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC)};

	if (geteuid() != 0 || !sysread_exists(m.root, PARAMETERS "enabled") ||
	    undo_open(m.root, "test", &m.undo, NULL) < 0) {
		print_message("needs root, and a kernel with zswap\n");
		close(m.root);
		skip();
	}
	return m;
}

static void test_real_kernel_refuses_a_compressor(void **state)
{
	struct machine m = real();
	struct zswap_request q = {"snug-none", NULL, -1};
	struct err e = {0};
	int r = zswap_enable(m.undo, &q, &e);

	assert_int_equal(undo_close(m.undo, NULL), 0);
	close(m.root);
	assert_int_equal(r, -ENOENT);
	assert_int_equal(e.kind, ERR_MISSING);
	assert_non_null(strstr(e.text, "no compressor 'snug-none'"));
}

static void test_real_kernel_enabled_and_put_back(void **state)
{
	static const char *const names[] = {"compressor", "max_pool_percent", "enabled"};
	enum { NAMES = sizeof(names) / sizeof(names[0]) };
	struct machine m = real();
	char before[NAMES][64], during[NAMES][64];
	struct zswap_request q = {before[0], NULL, 7};
	int r;

	for (int i = 0; i < NAMES; i++)
		sysread_word(m.root, before[i], sizeof(before[i]), PARAMETERS "%s", names[i]);
	r = zswap_enable(m.undo, &q, NULL);
	for (int i = 0; i < NAMES; i++)
		sysread_word(m.root, during[i], sizeof(during[i]), PARAMETERS "%s", names[i]);
	assert_int_equal(undo_close(m.undo, NULL), 0);
	assert_int_equal(r, 0);
	assert_string_equal(during[1], "7");
	assert_string_equal(during[2], "Y");
	for (int i = 0; i < NAMES; i++)
		expect(m.root, names[i], before[i]);
	close(m.root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_enable_on_linux_6_1),
		cmocka_unit_test(test_enable_on_linux_6_12),
		cmocka_unit_test(test_enable_on_linux_6_18),
		cmocka_unit_test(test_what_is_not_asked_for_stays),
		cmocka_unit_test(test_no_zswap_on_linux_4_19),
		cmocka_unit_test(test_no_choice_of_zpool_on_linux_6_18),
		cmocka_unit_test(test_disable_until_undone),
		cmocka_unit_test(test_disable_what_is_off),
		cmocka_unit_test(test_disable_without_zswap),
		cmocka_unit_test(test_read_nothing_on_linux_4_19),
		cmocka_unit_test(test_read_debugfs_on_linux_6_1),
		cmocka_unit_test(test_read_without_debugfs_on_linux_6_12),
		cmocka_unit_test(test_read_both_on_linux_6_18),
		cmocka_unit_test(test_read_debugfs_alone),
		cmocka_unit_test(test_malformed_counters_are_unknown),
		cmocka_unit_test(test_real_kernel_refuses_a_compressor),
		cmocka_unit_test(test_real_kernel_enabled_and_put_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
