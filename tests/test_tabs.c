/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tabs hold, and the session itself at its smallest, which takes six seconds because its waits
 * are the same at any size. Wrong content and dead tabs are made from outside, as a bad backend and
 * the kernel would make them.
 */
#include "testing.h"

#include "cleanup.h"
#include "codec.h"
#include "err.h"
#include "tabs_page.h"
#include "workload.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
	SEED = 7,
	PAGES = 1600, /* of a tab in which each template comes once */
	TAB_MOST = 64,
	PEAK_MIB = 32,
};

static struct tabs_library *library(void)
{
	struct tabs_library *l;

	assert_int_equal(tabs_library_new(SEED, &l), 0);
	return l;
}

static unsigned count_differing(const unsigned char *a, const unsigned char *b)
{
	unsigned n = 0;

	for (size_t i = 0; i < PAGE_BYTES; i++)
		n += a[i] != b[i];
	return n;
}

static void test_every_bit_of_a_page_is_verified(void **state)
{
	struct tabs_library *l = library();
	unsigned char page[PAGE_BYTES];
	struct rng r = {.state = 1};

	for (struct tabs_page name = {.tab = 3}; name.index < PAGES; name.index++) {
		/* All bits of a few pages, some of the others. */
		unsigned n = name.index % 400 ? 16 : PAGE_BYTES * 8;

		tabs_page_fill(l, &name, page);
		assert_true(tabs_page_verify(l, &name, page));
		for (unsigned i = 0; i < n; i++) {
			size_t bit = n == 16 ? rng_below(&r, PAGE_BYTES * 8) : i;

			page[bit / 8] ^= (unsigned char)(1 << bit % 8);
			assert_false(tabs_page_verify(l, &name, page));
			page[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
	}
	tabs_library_free(l);
}

static void test_another_version_differs_in_a_word_and_is_not_taken_for_this_one(void **state)
{
	struct tabs_library *l = library();
	unsigned char one[PAGE_BYTES], other[PAGE_BYTES];
	uint64_t word;

	for (struct tabs_page name = {.tab = 1}; name.index < PAGES; name.index++) {
		struct tabs_page next = name;

		next.version++;
		tabs_page_fill(l, &name, one);
		tabs_page_fill(l, &next, other);
		if (page_same_filled(one, &word))
			continue;
		assert_in_range(count_differing(one, other), 1, 2 * sizeof(word));
		assert_false(tabs_page_verify(l, &name, other));
		assert_false(tabs_page_verify(l, &next, one));
	}
	tabs_library_free(l);
}

/* Else a backend that gives back another tab's page would not be found out. */
static void test_tabs_differ_where_they_have_the_same_template(void **state)
{
	struct tabs_library *l = library();
	/* 100 tabs later the runs come in the same order again. */
	struct tabs_page a = {.tab = 2}, b = {.tab = 102};
	unsigned char one[PAGE_BYTES], other[PAGE_BYTES];
	uint64_t word;

	for (; a.index < PAGES; b.index = ++a.index) {
		tabs_page_fill(l, &a, one);
		tabs_page_fill(l, &b, other);
		if (!page_same_filled(one, &word))
			assert_in_range(count_differing(one, other), 1, 2 * sizeof(word));
	}
	tabs_library_free(l);
}

static void test_the_same_seed_makes_the_same_pages(void **state)
{
	struct tabs_library *l = library(), *same = library(), *another;
	unsigned char page[PAGE_BYTES];
	unsigned verified = 0;

	assert_int_equal(tabs_library_new(SEED + 1, &another), 0);
	for (struct tabs_page name = {.tab = 5}; name.index < PAGES; name.index++) {
		tabs_page_fill(l, &name, page);
		assert_true(tabs_page_verify(same, &name, page));
		verified += tabs_page_verify(another, &name, page);
	}
	assert_int_equal(verified, PAGES * 9 / 100); /* zeros */
	tabs_library_free(l);
	tabs_library_free(same);
	tabs_library_free(another);
}

struct kinds {
	unsigned zero, json, text, image, random, heap;
};

/* At most the stamp's eight bytes are not what the kind has throughout. */
static void count_kind(const unsigned char *page, size_t compressed, struct kinds *to)
{
	unsigned odd = 0, transparent = 0;
	uint64_t word;

	for (size_t i = 0; i < PAGE_BYTES; i++) {
		odd += page[i] != '\n' && (page[i] < ' ' || page[i] > '~');
		transparent += i % 4 == 3 && page[i] != 255;
	}
	if (page_same_filled(page, &word) && !word)
		to->zero++;
	else if (odd <= 8 && memmem(page, PAGE_BYTES, "\"created_at\":", 13))
		to->json++;
	else if (odd <= 8)
		to->text++;
	else if (transparent <= 2)
		to->image++;
	else if (compressed >= PAGE_BYTES)
		to->random++;
	else
		to->heap++;
}

static size_t compress(const char *codec, struct kinds *kinds)
{
	struct tabs_library *l = library();
	unsigned char page[PAGE_BYTES], out[CODEC_BUFFER_BYTES(PAGE_BYTES)];
	struct codec_params *params;
	struct codec_spec spec;
	struct codec_ctx *ctx;
	size_t sum = 0;

	assert_int_equal(codec_parse(codec, &spec, NULL), 0);
	assert_int_equal(codec_params_new(&spec, NULL, 0, &params), 0);
	assert_int_equal(codec_ctx_new(spec.ops, &ctx), 0);
	for (struct tabs_page name = {0}; name.index < PAGES; name.index++) {
		int n;

		tabs_page_fill(l, &name, page);
		n = codec_compress(ctx, params, page, PAGE_BYTES, out, PAGE_BYTES);
		n = n < 0 ? (int)PAGE_BYTES : n;
		count_kind(page, (size_t)n, kinds);
		sum += (size_t)n;
	}
	codec_ctx_free(ctx);
	codec_params_free(params);
	tabs_library_free(l);
	return sum;
}

static void test_a_tab_has_all_kinds_in_their_shares_and_shrinks_to_a_third(void **state)
{
	struct kinds kinds = {0};
	double ratio = (double)PAGES * PAGE_BYTES / (double)compress("lzo", &kinds);

	assert_int_equal(kinds.zero, PAGES * 9 / 100);
	assert_int_equal(kinds.json, PAGES * 8 / 100);
	assert_int_equal(kinds.image, PAGES * 8 / 100);
	assert_int_equal(kinds.text, PAGES * 6 / 100);
	assert_int_equal(kinds.random, PAGES * 3 / 100);
	assert_int_equal(kinds.heap, PAGES * 66 / 100);
	print_message("lzo makes %.2f\n", ratio);
	assert_true(ratio > 2.6 && ratio < 3.6);
}

static const struct workload_ops *tabs(void)
{
	const struct workload_ops *w = workload_find("tabs", NULL);

	assert_non_null(w);
	return w;
}

static struct workload_request request(uint64_t peak_bytes)
{
	return (struct workload_request){
		.peak_bytes = peak_bytes, .jobs = 2, .seed = SEED, .directory = "/"};
}

static void test_a_peak_that_is_too_small_is_refused_with_the_least(void **state)
{
	struct workload_request q = request(1 << 20);
	void *work = NULL;
	struct err e;

	assert_int_equal(tabs()->prepare(&q, &work, &e), -ERANGE);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.text, "at least"));
	assert_non_null(strstr(e.text, "raise --budget"));
	assert_null(work);
	tabs()->destroy(NULL);
}

/* A session that runs. This process inherits what it leaves behind. */
struct running {
	void *work;
	struct workload_share *share;
	pid_t pid;
};

static void run_begin(struct running *r, double factor)
{
	struct workload_request q = request((uint64_t)((PEAK_MIB << 20) / factor));

	assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	assert_int_equal(tabs()->prepare(&q, &r->work, NULL), 0);
	assert_int_equal(tabs()->scale(r->work, factor, NULL), 0);
	r->share = mmap(NULL, sizeof(*r->share), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	assert_ptr_not_equal(r->share, MAP_FAILED);
	r->pid = fork();
	assert_true(r->pid >= 0);
	if (r->pid == 0)
		_exit(tabs()->run(r->work, r->share));
}

static int run_wait(const struct running *r)
{
	int status;

	assert_int_equal(waitpid(r->pid, &status, 0), r->pid);
	return status;
}

static void run_end(struct running *r)
{
	/* Nobody is left. */
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
	munmap(r->share, sizeof(*r->share));
	tabs()->destroy(r->work);
}

/* Until the first wave is open: of the opening and two visits, half of a third. */
static void wait_for_tabs(const struct running *r)
{
	while (!r->share->total || r->share->done < r->share->total / 6)
		assert_int_equal(usleep(1000), 0);
}

static bool is_child(pid_t pid, pid_t parent)
{
	char path[64], line[256] = "";
	const char *after;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "re");
	if (!f)
		return false;
	if (!fgets(line, sizeof(line), f))
		line[0] = '\0';
	fclose(f);
	after = strrchr(line, ')'); /* ") S PPID" */
	return after && strlen(after) > 4 && atoi(after + 4) == (int)parent;
}

static size_t children(pid_t parent, pid_t pids[TAB_MOST])
{
	CLEANUP_CLOSEDIR DIR *dir = opendir("/proc");
	struct dirent *d;
	size_t n = 0;

	assert_non_null(dir);
	while ((d = readdir(dir))) {
		if (atoi(d->d_name) > 0 && n < TAB_MOST && is_child(atoi(d->d_name), parent))
			pids[n++] = atoi(d->d_name);
	}
	return n;
}

/* Where in the process a page of that content is; 0: nowhere. */
static uint64_t find_page(pid_t pid, int mem, const unsigned char *content)
{
	unsigned long long from, to;
	unsigned char page[PAGE_BYTES];
	char path[64], line[512], write;
	CLEANUP_FCLOSE FILE *maps = NULL;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		/* The sanitizers have mappings of terabytes. */
		if (sscanf(line, "%llx-%llx %*c%c%*cp %*x 00:00 0", &from, &to, &write) != 3 ||
		    write != 'w' || to - from > 1 << 30)
			continue;
		for (; from < to; from += PAGE_BYTES) {
			if (pread(mem, page, PAGE_BYTES, (off_t)from) == (ssize_t)PAGE_BYTES &&
			    memcmp(page, content, PAGE_BYTES) == 0)
				return from;
		}
	}
	return 0;
}

/* Flips a bit of the page in whichever child holds it. */
static bool corrupt(pid_t parent, const struct tabs_page *name)
{
	struct tabs_library *l = library();
	unsigned char content[PAGE_BYTES];
	pid_t pids[TAB_MOST];
	uint64_t at = 0;

	tabs_page_fill(l, name, content);
	tabs_library_free(l);
	for (size_t n = children(parent, pids); !at && n-- > 0;) {
		CLEANUP_CLOSE int mem = -1;
		char path[64];

		snprintf(path, sizeof(path), "/proc/%d/mem", (int)pids[n]);
		mem = open(path, O_RDWR | O_CLOEXEC);
		at = mem < 0 ? 0 : find_page(pids[n], mem, content);
		content[99] ^= 4;
		if (at && pwrite(mem, content, PAGE_BYTES, (off_t)at) != (ssize_t)PAGE_BYTES)
			at = 0;
		content[99] ^= 4;
	}
	return at;
}

static void check_frames(const struct workload_frames *f)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < WORKLOAD_FRAME_BUCKETS; i++)
		all += f->histogram[i];
	assert_true(f->frames > 60);
	assert_int_equal(all, f->frames);
	/* The loop ran all the while: a frame is due in each sixtieth of at least six seconds. */
	assert_true(f->frames + f->dropped >= 6 * 60);
	assert_true(f->fps_min <= f->fps_avg && f->fps_avg <= f->fps_max);
	assert_true(f->fps_avg > 0 && f->fps_max <= 60);
	assert_true(f->frame_ns_p50 > 0);
	assert_true(f->frame_ns_p50 <= f->frame_ns_p95 && f->frame_ns_p95 <= f->frame_ns_p99);
	assert_true(f->score > 0 && f->score <= 1000);
}

static void test_a_session_has_frames_and_parts_and_does_all_of_its_work(void **state)
{
	struct running r;

	run_begin(&r, 1);
	assert_int_equal(run_wait(&r), 0);
	assert_string_equal(r.share->failure, "");
	assert_true(r.share->total > 0);
	assert_int_equal(r.share->done, r.share->total);
	/* Two waits of a second, and an eighth of one after each of two visits of 16 tabs. */
	assert_int_equal(r.share->idle_ns, UINT64_C(6000000000));
	assert_true(r.share->open_ns > 0 && r.share->visit_ns > 0 && r.share->close_ns > 0);
	check_frames(&r.share->frames);
	run_end(&r);
}

static void test_a_wrong_bit_in_a_tab_fails_the_run(void **state)
{
	struct running r;
	bool done;

	run_begin(&r, 1);
	wait_for_tabs(&r);
	done = corrupt(r.pid, &(struct tabs_page){.tab = 4, .index = 17});
	if (!done) {
		kill(r.pid, SIGKILL);
		run_wait(&r);
		while (wait(NULL) > 0)
			;
		run_end(&r);
		print_message("cannot write to /proc/PID/mem here\n");
		skip();
	}
	assert_int_equal(run_wait(&r), EXIT_FAILURE << 8);
	if (!strstr(r.share->failure,
		    "tab 5 of 16 did not read back what it had written: page 18 of "))
		fail_msg("says: %s", r.share->failure);
	run_end(&r);
}

static void run_with_a_killed_child(bool newest)
{
	struct running r;
	pid_t pids[TAB_MOST];
	size_t n;

	run_begin(&r, 1);
	wait_for_tabs(&r);
	n = children(r.pid, pids);
	assert_in_range(n, 9, 17); /* a wave or two, and the foreground */
	assert_int_equal(kill(pids[newest ? n - 1 : 0], SIGKILL), 0);
	assert_int_equal(run_wait(&r), EXIT_FAILURE << 8);
	if (!strstr(r.share->failure, "was killed by signal 9 (SIGKILL)"))
		fail_msg("says: %s", r.share->failure);
	assert_true(r.share->done < r.share->total);
	run_end(&r);
}

static void test_a_killed_process_fails_the_run_at_once(void **state)
{
	run_with_a_killed_child(true);
	run_with_a_killed_child(false); /* that is the foreground */
}

static void test_all_die_with_the_session(void **state)
{
	struct running r;
	unsigned n = 0;

	run_begin(&r, 1);
	wait_for_tabs(&r);
	assert_int_equal(kill(r.pid, SIGKILL), 0);
	run_wait(&r);
	/* They are killed, or see that their line has ended; if not, this would wait forever. */
	while (wait(NULL) > 0)
		n++;
	assert_in_range(n, 9, 17);
	run_end(&r);
}

static void test_scale_multiplies_the_peak(void **state)
{
	struct running as_it_is, scaled;

	run_begin(&as_it_is, 1);
	run_begin(&scaled, 0.5);
	wait_for_tabs(&as_it_is);
	wait_for_tabs(&scaled);
	assert_int_equal(as_it_is.share->total, scaled.share->total);
	kill(as_it_is.pid, SIGKILL);
	kill(scaled.pid, SIGKILL);
	while (wait(NULL) > 0)
		;
	run_end(&as_it_is);
	run_end(&scaled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_bit_of_a_page_is_verified),
		cmocka_unit_test(
			test_another_version_differs_in_a_word_and_is_not_taken_for_this_one),
		cmocka_unit_test(test_tabs_differ_where_they_have_the_same_template),
		cmocka_unit_test(test_the_same_seed_makes_the_same_pages),
		cmocka_unit_test(test_a_tab_has_all_kinds_in_their_shares_and_shrinks_to_a_third),
		cmocka_unit_test(test_a_peak_that_is_too_small_is_refused_with_the_least),
		cmocka_unit_test(test_a_session_has_frames_and_parts_and_does_all_of_its_work),
		cmocka_unit_test(test_a_wrong_bit_in_a_tab_fails_the_run),
		cmocka_unit_test(test_a_killed_process_fails_the_run_at_once),
		cmocka_unit_test(test_all_die_with_the_session),
		cmocka_unit_test(test_scale_multiplies_the_peak),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
