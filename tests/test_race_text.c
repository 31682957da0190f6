/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "race_text.h"

#include "cleanup.h"
#include "race_fixture.h"
#include "testing.h"

#include <errno.h>

#define MACHINE                                                                        \
	"Machine: Linux 6.1.0-18-arm64, Cortex-A53, 4 CPUs, 1.0G RAM; swap files on\n" \
	"mmcblk0, SD card, ext4.\n\n"
#define CHECKS                                                                             \
	"\nChecks that did not pass:\n"                                                    \
	"  warn  budget-excess  zram:lz4 was 5 MiB above its budget at times, 4% of it;\n" \
	"                       95% of the time less than 1 MiB\n"                         \
	"  fail  page-cluster   page-cluster was 3 in some trials and 0 in others\n"
#define VERDICT                                                                            \
	"Best here: zram:lzo-rle\n"                                                        \
	"zram:lzo-rle took 31.8 s, 1.49 times as long as without a limit, and was never\n" \
	"out of memory. The swap file took 96.7 s; the difference is real (p = 0.032).\n"  \
	"Not known: zram:lzo (32.5 s) is too near to call. How it goes at another\n"       \
	"pressure than 2 was not measured.\n"

/* clang-format off */
static const char build_text[] =
"Race: build, which needs 256M, in 128M; 5 runs of each. The limit is fair: the\n"
"workload and what a compressed pool takes share it.\n"
MACHINE
"BACKEND        REAL    LOW   HIGH   USER    SYS  xNONE  MAJFLT  SWPOUT  RATIO  PSI-SOME  PSI-FULL  OUTCOME\n"
"none          21.40  21.01  21.91  38.20   2.90   1.00      12       0      -       0.0       0.0  5/5 ok\n"
"file          96.70  94.96  99.02  40.90  14.20   4.52   48211   91034      -     102.6      51.3  5/5 ok\n"
"zram:lzo-rle  31.80  31.23  32.56  39.40  13.70   1.49   61250  104220   3.42       9.2       4.6  5/5 ok\n"
"zram:lzo      32.50  31.91  33.28  39.60  14.90   1.52   60991  103870   3.31       9.8       4.9  5/5 ok\n"
"zram:lz4      36.10  35.45  36.97  39.90  17.30   1.69   72003  119412   2.87      15.4       7.7  3 ok, 2 oom\n"
"zswap:lzo         -      -      -      -      -      -       -       -      -         -         -  "
"not available: this kernel has no zswap (CONFIG_ZSWAP is not set)\n"
"REAL: seconds without scripted waits, the median of the runs that were ok; LOW\n"
"to HIGH: its 95% interval; xNONE: REAL over that of none. MAJFLT, SWPOUT: pages.\n"
"RATIO: pages over the RAM that the pool takes. PSI: seconds in which some or all\n"
"of the workload waited for memory.\n"
CHECKS
"\n"
VERDICT;

static const char tabs_text[] =
"Race: tabs, which needs 256M, in 128M; 5 runs of each. The limit is fair: the\n"
"workload and what a compressed pool takes share it.\n"
MACHINE
"BACKEND        REAL    LOW   HIGH   USER    SYS  xNONE  MAJFLT  SWPOUT  RATIO  PSI-SOME  PSI-FULL  FPS-MIN  FPS-AVG  P99-MS  OUTCOME\n"
"none          21.40  21.01  21.91  38.20   2.90   1.00      12       0      -       0.0       0.0     41.2     58.9    24.1  5/5 ok\n"
"file          96.70  94.96  99.02  40.90  14.20   4.52   48211   91034      -     102.6      51.3      3.1     31.4   310.5  5/5 ok\n"
"zram:lzo-rle  31.80  31.23  32.56  39.40  13.70   1.49   61250  104220   3.42       9.2       4.6     14.4     52.7    71.3  5/5 ok\n"
"zram:lzo      32.50  31.91  33.28  39.60  14.90   1.52   60991  103870   3.31       9.8       4.9     13.9     52.2    73.9  5/5 ok\n"
"zram:lz4      36.10  35.45  36.97  39.90  17.30   1.69   72003  119412   2.87      15.4       7.7     10.2     48.6    94.7  3 ok, 2 oom\n"
"zswap:lzo         -      -      -      -      -      -       -       -      -         -         -        -        -       -  "
"not available: this kernel has no zswap (CONFIG_ZSWAP is not set)\n"
"REAL: seconds without scripted waits, the median of the runs that were ok; LOW\n"
"to HIGH: its 95% interval; xNONE: REAL over that of none. MAJFLT, SWPOUT: pages.\n"
"RATIO: pages over the RAM that the pool takes. PSI: seconds in which some or all\n"
"of the workload waited for memory. P99: one frame in a hundred took longer.\n"
CHECKS
"\n"
VERDICT;

static const char rows_text[] =
"none          21.40  21.01  21.91  38.20   2.90  1.00     12       0     -    0.0   0.0  5/5 ok\n"
"file          96.70  94.96  99.02  40.90  14.20  4.52  48211   91034     -  102.6  51.3  5/5 ok\n"
"zram:lzo-rle  31.80  31.23  32.56  39.40  13.70  1.49  61250  104220  3.42    9.2   4.6  5/5 ok\n"
"zram:lzo      32.50  31.91  33.28  39.60  14.90  1.52  60991  103870  3.31    9.8   4.9  5/5 ok\n"
"zram:lz4      36.10  35.45  36.97  39.90  17.30  1.69  72003  119412  2.87   15.4   7.7  3 ok, 2 oom\n"
"zswap:lzo         -      -      -      -      -     -      -       -     -      -     -  "
"not available: this kernel has no zswap (CONFIG_ZSWAP is not set)\n";

/* A run that failed, with what it said, and a run whose intervals have a pool. */
static const char failed_trial_text[] =
"\n10. zram:lz4, run 2: oom, the kernel killed 1 of its processes for want of\n"
"memory\n"
"real 8.93 s (net of waits 8.93 s), user 9.87 s, sys 4.28 s; for holding the\n"
"budget 0.08 s of CPU, for sampling 0.01 s\n";

static const char pool_trial_text[] =
"\n3. zram:lzo-rle, run 1: ok\n"
"real 32.56 s (net of waits 32.56 s), user 40.35 s, sys 14.03 s; for holding the\n"
"budget 0.31 s of CPU, for sampling 0.04 s\n"
" TIME  %user  %nice  %system  %iowait  %steal  %idle      tps  kB_read/s  kB_wrtn/s  POOL-ORIG  POOL-USED   SWAP  USAGE  LIMIT  %some  %full\n"
" 8.14  56.50   0.00    21.25     0.25    0.12  18.62   457.62    1098.63    1770.02      34.8M      10.2M  34.8M  24.0M   118M   6.12   2.94\n"
"16.28  51.50   0.00    21.25     0.25    0.12  23.62   915.25    2197.27    3540.04      69.6M      20.3M  69.6M  48.0M   108M  12.25   5.88\n"
"24.42  46.50   0.00    21.25     0.25    0.12  28.62  1372.88    3295.90    5310.06       104M      30.5M   104M  72.0M  97.5M  18.38   8.81\n"
"32.56  41.50   0.00    21.25     0.25    0.12  33.62  1830.50    4394.53    7080.08       139M      40.7M   139M  96.0M  87.3M  24.50  11.75\n";

static const char all_checks_text[] =
"\nChecks:\n"
"  ok    backend-exercised  every backend with swap moved at least 91034 pages\n"
"  warn  budget-excess      zram:lz4 was 5 MiB above its budget at times, 4% of\n"
"                           it; 95% of the time less than 1 MiB\n"
"  skip  thermal            this machine has no counters of throttling\n"
"  ok    same-pages         3.4% of the swapped pages were same-filled\n"
"  fail  page-cluster       page-cluster was 3 in some trials and 0 in others\n";
/* clang-format on */

static const struct race_text_style plain = {0};

/* What r looks like, to be freed. */
static char *print(const struct race_result *r, const struct race_text_style *style)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(race_text(r, style, out), 0);
	fclose(out);
	return text;
}

static void expect_all(const struct race_result *r, const struct race_text_style *style,
		       const char *wanted)
{
	CLEANUP_FREE char *text = print(r, style);

	assert_string_equal(text, wanted);
}

static void expect_part(const struct race_result *r, const struct race_text_style *style,
			const char *wanted)
{
	CLEANUP_FREE char *text = print(r, style);

	if (!strstr(text, wanted))
		fail_msg("not in it: %s\nit is: %s", wanted, text);
}

static int setup(void **state)
{
	struct race_result *r = malloc(sizeof(*r));

	if (!r)
		return -1;
	race_fixture(r);
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	race_result_free(*state);
	free(*state);
	return 0;
}

static void test_whole_text(void **state)
{
	expect_all(*state, &plain, build_text);
}

static void test_frames_have_columns(void **state)
{
	struct race_result r;

	race_fixture_tabs(&r);
	expect_all(&r, &plain, tabs_text);
	race_result_free(&r);
}

static void test_rows_alone(void **state)
{
	expect_all(*state, &(struct race_text_style){.noheadings = true}, rows_text);
	expect_all(*state, &(struct race_text_style){.noheadings = true, .verbose = true},
		   rows_text);
}

static void test_verbose_has_trials_and_all_checks(void **state)
{
	const struct race_text_style style = {.verbose = true};
	CLEANUP_FREE char *text = print(*state, &style);

	assert_non_null(strstr(text, failed_trial_text));
	assert_non_null(strstr(text, pool_trial_text));
	assert_non_null(strstr(text, all_checks_text));
	assert_non_null(strstr(text, "\n25. zram:lz4, run 5: oom"));
	/* The verdict stays last. */
	assert_string_equal(text + strlen(text) - strlen(VERDICT), VERDICT);
}

static void test_bytes(void **state)
{
	const struct race_text_style style = {.bytes = true, .verbose = true};

	expect_part(*state, &style,
		    "Race: build, which needs 268435456, in 134217728; 5 runs of each. ");
	expect_part(*state, &style, " 1073741824 RAM;");
	/* 104220 pages of 1400 bytes, a quarter of them; that over 3.42; 128 MiB less that. */
	expect_part(*state, &style,
		    "   36477000   10665789   36477000   25165824  123551939   6.12");
}

static void test_naive_limit_is_said(void **state)
{
	struct race_result *r = *state;

	r->plan.naive = true;
	r->plan.runs = 1;
	expect_part(r, &plain,
		    "in 128M; 1 run of each. The limit is naive: it is\n"
		    "the workload's alone, and what a compressed pool takes comes on top, for\n"
		    "nothing.\n");
}

static void test_partial(void **state)
{
	struct race_result *r = *state;

	r->partial = true;
	r->summary[4].runs = r->summary[4].ok = 0;
	expect_part(r, &plain,
		    "\n\nThe race was interrupted: not all runs are in it.\nBest here: ");
	expect_part(r, &plain, "  not run\n");
}

static void test_nothing_best(void **state)
{
	struct race_result *r = *state;

	r->verdict = (struct race_verdict){.why = "All were out of memory."};
	expect_part(r, &plain, "\nBest here: no backend can be named\nAll were out of memory.\n");
}

/* Then there is no heading for them. */
static void test_all_checks_passed(void **state)
{
	struct race_result *r = *state;

	for (size_t i = 0; i < r->n_checks; i++)
		r->checks[i].verdict = i % 2 ? RACE_CHECK_OK : RACE_CHECK_SKIP;
	expect_part(r, &plain, "waited for memory.\n\nBest here: ");
}

static void test_unknown_machine(void **state)
{
	struct race_result *r = *state;

	r->machine = (struct race_machine){.cpus = -1, .mem_total_bytes = -1};
	expect_part(r, &plain, "\nMachine: Linux (release unknown).\n\n");
}

/* Never ran at all: no times, no intervals. */
static void test_trial_without_figures(void **state)
{
	struct race_result *r = *state;

	r->trials[1].outcome = RACE_FAILED;
	snprintf(r->trials[1].detail, sizeof(r->trials[1].detail), "cannot swap on it");
	r->trials[1].real_s = NAN;
	r->trials[1].n_samples = 0;
	expect_part(r, &(struct race_text_style){.verbose = true},
		    "\n2. file, run 1: failed, cannot swap on it\n\n3. ");
}

static void test_control_characters_stay_out(void **state)
{
	struct race_result *r = *state;

	snprintf(r->summary[0].backend, sizeof(r->summary[0].backend), "no\033[31mne");
	snprintf(r->verdict.why, sizeof(r->verdict.why), "a\tb\033]0;c\a");
	expect_part(r, &plain, "\nno?[31mne ");
	expect_part(r, &plain, "\na?b?]0;c?\n");
}

static void test_words_longer_than_a_line(void **state)
{
	struct race_result *r = *state;
	char word[101];

	memset(word, 'x', sizeof(word) - 1);
	word[100] = '\0';
	snprintf(r->verdict.why, sizeof(r->verdict.why), "a %s b", word);
	expect_part(r, &plain, "\na\nxxxxxxxxxx");
	expect_part(r, &plain, "xxxxxxxxxx\nb\n");
}

/* 80 of two bytes each, then a blank: they are one line. */
static void test_width_counts_characters(void **state)
{
	struct race_result *r = *state;

	*r->verdict.why = '\0';
	for (int i = 0; i < 80; i++)
		strcat(r->verdict.why, "\xc2\xb5");
	strcat(r->verdict.why, " end");
	expect_part(r, &plain, "\xc2\xb5\xc2\xb5\nend\n");
	expect_part(r, &plain, "lzo-rle\n\xc2\xb5\xc2\xb5");
}

static void test_write_error(void **state)
{
	static const struct race_text_style styles[] = {
		{0}, {.noheadings = true}, {.verbose = true}};

	for (size_t i = 0; i < sizeof(styles) / sizeof(styles[0]); i++) {
		FILE *full = fopen("/dev/full", "w");

		if (!full)
			skip();
		assert_int_equal(race_text(*state, &styles[i], full), -EIO);
		fclose(full);
	}
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_whole_text),
		TEST(test_frames_have_columns),
		TEST(test_rows_alone),
		TEST(test_verbose_has_trials_and_all_checks),
		TEST(test_bytes),
		TEST(test_naive_limit_is_said),
		TEST(test_partial),
		TEST(test_nothing_best),
		TEST(test_all_checks_passed),
		TEST(test_unknown_machine),
		TEST(test_trial_without_figures),
		TEST(test_control_characters_stay_out),
		TEST(test_words_longer_than_a_line),
		TEST(test_width_counts_characters),
		TEST(test_write_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
