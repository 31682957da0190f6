/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The model of the kernel's zsmalloc: against its documentation, by hand, and against a real zram
 * device. */
#include "testing.h"

#include "codec.h"
#include "err.h"
#include "facts.h"
#include "mapping.h"
#include "measure.h"
#include "undo.h"
#include "zram.h"
#include "zsmalloc_model.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static struct zsmalloc_model model_of(unsigned major, unsigned minor, int64_t chain)
{
	struct zsmalloc_rules rules;
	struct zsmalloc_model m;

	zsmalloc_rules_of(major, minor, chain, &rules);
	zsmalloc_model_init(&m, &rules);
	return m;
}

/* Documentation/mm/zsmalloc.rst: the huge watermark of some chain lengths, as the size of a class.
 */
static void test_huge_watermarks(void **state)
{
	static const struct {
		unsigned chain, class_size;
	} known[] = {{4, 3264}, {5, 3408}, {6, 3504}, {8, 3632}, {12, 3776}, {16, 3840}};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		assert_int_equal(model_of(6, 12, known[i].chain).huge_size,
				 known[i].class_size - 7);
}

static void test_rules_by_release(void **state)
{
	struct zsmalloc_rules r;

	zsmalloc_rules_of(4, 14, -1, &r);
	assert_int_equal(r.huge_size, 3073);
	assert_int_equal(r.chain_pages, 4);
	zsmalloc_rules_of(4, 19, -1, &r);
	assert_int_equal(r.huge_size, 0);
	assert_false(r.least_waste);
	zsmalloc_rules_of(6, 1, 8, &r);
	assert_int_equal(r.chain_pages, 4);
	zsmalloc_rules_of(6, 3, -1, &r);
	assert_int_equal(r.chain_pages, 8);
	assert_true(r.least_waste);
	zsmalloc_rules_of(6, 12, 12, &r);
	assert_int_equal(r.chain_pages, 12);
	zsmalloc_rules_of(0, 0, -1, &r);
	assert_int_equal(r.chain_pages, 8);
}

static uint64_t mem_used(struct zsmalloc_model m, size_t len, unsigned n)
{
	while (n--)
		zsmalloc_model_add(&m, len);
	return zsmalloc_model_mem_used(&m);
}

static void test_by_hand(void **state)
{
	struct zsmalloc_model m = model_of(6, 12, 8);

	assert_int_equal(zsmalloc_model_mem_used(&m), 0);
	/* 8 more for the handle make 2048: two a page, no chain. */
	assert_int_equal(mem_used(m, 2040, 1), 4096);
	assert_int_equal(mem_used(m, 2040, 2), 4096);
	assert_int_equal(mem_used(m, 2040, 3), 8192);
	/* The smallest class: 128 a page. */
	assert_int_equal(mem_used(m, 1, 128), 4096);
	assert_int_equal(mem_used(m, 24, 129), 8192);
	/* 3632: nine in eight pages. */
	assert_int_equal(mem_used(m, 3624, 1), 8 * 4096);
	assert_int_equal(mem_used(m, 3624, 9), 8 * 4096);
	assert_int_equal(mem_used(m, 3624, 10), 16 * 4096);
	/* Beyond it, whole pages. */
	assert_int_equal(mem_used(m, 3625, 10), 10 * 4096);
}

static void test_sizes_and_spare(void **state)
{
	struct zsmalloc_model m = model_of(6, 12, 8);

	zsmalloc_model_add(&m, 100);
	zsmalloc_model_add(&m, 3625);
	zsmalloc_model_add(&m, 4096);
	assert_int_equal(m.compr_data_size, 100 + 2 * 4096);
	assert_int_equal(m.huge_pages, 2);
	/* One of the many objects of a zspage is used, the huge pages are full. */
	assert_true(zsmalloc_model_spare(&m) < zsmalloc_model_mem_used(&m) - 2 * 4096);
	assert_true(zsmalloc_model_spare(&m) > zsmalloc_model_mem_used(&m) - 2 * 4096 - 256);
}

/* More stored never takes less, and memory covers what is stored, for every length under every
 * rule. */
static void test_monotonic(void **state)
{
	static const unsigned minors[] = {1, 12};

	for (size_t i = 0; i < 2; i++) {
		struct zsmalloc_model m = model_of(6, minors[i], -1);
		uint64_t before = 0, bytes = 0;

		for (size_t len = 1; len <= 4096; len++) {
			zsmalloc_model_add(&m, len);
			bytes += len;
			assert_true(zsmalloc_model_mem_used(&m) >= before);
			before = zsmalloc_model_mem_used(&m);
			assert_true(before >= bytes);
			assert_true(zsmalloc_model_spare(&m) < before);
		}
	}
}

enum { DEVICE_PAGES = 8192, CHUNK = 1 << 20 };

/* Of all kinds, and such as heaps have them: differing parts text, pointers, zeros. */
static unsigned char *make_pages(void)
{
	unsigned char *pages = mapping_alloc(DEVICE_PAGES * PAGE_BYTES);
	struct rng rng = {7};

	assert_non_null(pages);
	for (size_t i = 0; i < DEVICE_PAGES; i++) {
		unsigned char *page = pages + i * PAGE_BYTES;

		if (i % 8 == 0) {
			make_page((enum kind)rng_below(&rng, KINDS), i, page);
			continue;
		}
		for (size_t at = 0; at < PAGE_BYTES;) {
			size_t len = 64 + rng_below(&rng, 1024) / 8 * 8;

			if (len > PAGE_BYTES - at)
				len = PAGE_BYTES - at;
			make_data(KIND_TEXT + (enum kind)rng_below(&rng, KIND_RANDOM - KIND_TEXT),
				  i + at, page + at, len);
			at += len;
		}
	}
	return pages;
}

/* No assertions while a device exists: they would leave it behind. */
static int fill_device(const struct zram_device *d, const unsigned char *pages, struct err *e)
{
	int fd, r = zram_open(d, &fd, e);

	if (r < 0)
		return r;
	for (size_t at = 0; r == 0 && at < DEVICE_PAGES * PAGE_BYTES; at += CHUNK)
		if (pwrite(fd, pages + at, CHUNK, (off_t)at) != CHUNK)
			r = err_failed(e, -errno, "writing to the device: %s", err_name(-errno));
	close(fd);
	return r;
}

/* What a device of our own shows after these pages; -errno with the reason, and no device left. */
static int ask_device(int root, const char *algorithm, const unsigned char *pages,
		      struct kerntext_mm_stat *ret, struct err *e)
{
	struct zram_device d = {0};
	struct undo *undo = NULL;
	int r = undo_open(root, "test", &undo, e);

	if (r == 0)
		r = zram_add(undo, &d, e);
	if (r == 0)
		r = zram_set_algorithm(&d, algorithm, e);
	if (r == 0)
		r = zram_set_size(&d, DEVICE_PAGES * PAGE_BYTES, e);
	if (r == 0)
		r = fill_device(&d, pages, e);
	if (r == 0)
		r = zram_read_stat(&d, ret, e);
	undo_close(undo, NULL);
	return r;
}

static void expect_within(const char *what, int64_t predicted, int64_t real, double percent)
{
	double off = 100.0 * (double)(predicted - real) / (double)real;

	print_message("%s: predicted %lld, real %lld, %+.3f%%\n", what, (long long)predicted,
		      (long long)real, off);
	assert_true(off <= percent && off >= -percent);
}

static void check_algorithm(int root, const struct facts *f, const char *algorithm,
			    const unsigned char *pages, const struct measure_pages *measured)
{
	struct kerntext_mm_stat real;
	struct zsmalloc_rules rules;
	struct measure_result res;
	struct codec_spec spec;
	struct err e = {0};
	char what[64];

	if (!facts_offer_algorithm(f, algorithm)) {
		print_message("SKIP %s: this kernel's zram does not offer it\n", algorithm);
		return;
	}
	zsmalloc_rules_of(f->kernel_major, f->kernel_minor, f->zsmalloc_chain_pages, &rules);
	if (codec_parse(algorithm, &spec, &e) < 0 ||
	    measure_codec(measured, &spec, &rules, NULL, NULL, &res, &e) < 0 ||
	    ask_device(root, algorithm, pages, &real, &e) < 0)
		fail_msg("%s: %s", algorithm, e.text);
	assert_int_equal(measured->n_same, real.same_pages);
	snprintf(what, sizeof(what), "%s compr_data_size", algorithm);
	expect_within(what, res.kernel_compr_bytes, real.compr_data_size, 1);
	snprintf(what, sizeof(what), "%s mem_used_total", algorithm);
	expect_within(what, res.kernel_mem_used_bytes, real.mem_used_total, 3);
}

static void test_real_device(void **state)
{
	static const char *const algorithms[] = {"lzo", "lz4", "lzo-rle"};
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct measure_pages measured;
	unsigned char *pages;
	struct facts f;

	facts_read(root, &f);
	if (geteuid() || f.zram != FACTS_ZRAM_PRESENT || !f.zram_algorithms.n ||
	    access("/sys/class/zram-control/hot_add", F_OK)) {
		close(root);
		print_message("SKIP: needs root and a kernel with zram loaded\n");
		skip();
	}
	assert_int_equal(codec_init(), 0);
	pages = make_pages();
	assert_int_equal(measure_pages_open(pages, DEVICE_PAGES, 1, &measured), 0);
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++)
		check_algorithm(root, &f, algorithms[i], pages, &measured);
	measure_pages_close(&measured);
	mapping_free(pages, DEVICE_PAGES * PAGE_BYTES);
	close(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_huge_watermarks), cmocka_unit_test(test_rules_by_release),
		cmocka_unit_test(test_by_hand),		cmocka_unit_test(test_sizes_and_spare),
		cmocka_unit_test(test_monotonic),	cmocka_unit_test(test_real_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
