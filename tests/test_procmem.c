/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finding and reading private pages: on made trees, where every bit of pagemap can be set, and on
 * children whose memory is known to the page.
 */
#include "fake_host.h"

#include "pagemap.h"
#include "procmem.h"
#include "zero_page.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#define PRESENT	  (UINT64_C(1) << 63)
#define SWAPPED	  (UINT64_C(1) << 62)
#define FILE_PAGE (UINT64_C(1) << 61)
#define EXCLUSIVE (UINT64_C(1) << 56)

enum { RUNS_MAX = 64 };

/* What visit was called with, the part in [from, to). */
struct seen {
	uint64_t from, to;
	struct procmem_run runs[RUNS_MAX];
	size_t n;
	uint64_t pages;
};

static void note(void *arg, const struct procmem_run *run)
{
	struct seen *s = arg;
	uint64_t start = run->address, end = start + run->pages * 4096;

	/* Neighbouring areas may be one mapping, and so one run. */
	if (start < s->from)
		start = s->from;
	if (end > s->to)
		end = s->to;
	if (start >= end)
		return;
	assert_true(s->n < RUNS_MAX);
	s->runs[s->n++] = (struct procmem_run){start, (end - start) / 4096, run->swapped};
	s->pages += (end - start) / 4096;
}

static struct seen everything(void)
{
	return (struct seen){.to = UINT64_MAX};
}

static void put_entries(int root, const char *path, uint64_t address, const uint64_t *entries,
			size_t n)
{
	int fd = host_file(root, path);

	assert_int_equal(pwrite(fd, entries, n * 8, (off_t)(address / 4096 * 8)), (ssize_t)(n * 8));
	close(fd);
}

static void expect_run(const struct seen *s, size_t i, uint64_t address, uint64_t pages,
		       bool swapped)
{
	assert_true(i < s->n);
	assert_int_equal(s->runs[i].address, address);
	assert_int_equal(s->runs[i].pages, pages);
	assert_int_equal(s->runs[i].swapped, swapped);
}

static void test_kinds_of_pages(void **state)
{
	const uint64_t entries[] = {
		PRESENT | EXCLUSIVE | 100,
		PRESENT | EXCLUSIVE | 101,
		0,
		SWAPPED | EXCLUSIVE | 77,
		PRESENT | FILE_PAGE | 102,
		PRESENT | EXCLUSIVE | 103,
		SWAPPED | FILE_PAGE,
		PRESENT,
	};
	struct procmem_totals t = {0};
	struct seen s = everything();
	struct procmem *m;
	char path[64];
	int root = made_host(path);

	host_text(root, "proc/41/maps", "10000-18000 rw-p 00000000 00:00 0 [heap]\n");
	put_entries(root, "proc/41/pagemap", 0x10000, entries, 8);
	assert_int_equal(procmem_open(root, &m), 0);
	assert_int_equal(procmem_walk(m, 41, note, &s, &t), 0);
	assert_int_equal(s.n, 4);
	expect_run(&s, 0, 0x10000, 2, false);
	expect_run(&s, 1, 0x13000, 1, true);
	expect_run(&s, 2, 0x15000, 1, false);
	expect_run(&s, 3, 0x17000, 1, false);
	assert_int_equal(t.resident, 4);
	assert_int_equal(t.swapped, 1);
	procmem_close(m);
	made_host_end(root, path);
}

static void test_mappings_that_count(void **state)
{
	const uint64_t page[] = {PRESENT | EXCLUSIVE | 9};
	static const struct {
		const char *line;
		bool counts;
	} cases[] = {
		{"10000-11000 rw-p 00000000 00:00 0 \n", true},
		{"10000-11000 rw-p 00000000 00:00 0 [stack]\n", true},
		{"10000-11000 rw-p 00000000 00:00 0 [anon:dalvik]\n", true},
		{"10000-11000 r--p 00000000 08:01 7 /usr/lib/x.so\n", true},
		{"10000-11000 rw-p 00000000 00:05 7 /dev/zero\n", true},
		{"10000-11000 rw-p 00000000 00:05 7 /dev/mem\n", false},
		{"10000-11000 rw-p 00000000 00:0e 7 /anon_hugepage (deleted)\n", false},
		{"10000-11000 rw-s 00000000 00:01 7 /dev/shm/x\n", false},
		{"10000-11000 ---p 00000000 00:00 0 \n", false},
		{"10000-11000 r-xp 00000000 00:00 0 [vdso]\n", false},
		{"10000-11000 r--p 00000000 00:00 0 [vvar]\n", false},
	};
	struct procmem *m;
	char path[64];
	int root = made_host(path);

	put_entries(root, "proc/41/pagemap", 0x10000, page, 1);
	assert_int_equal(procmem_open(root, &m), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct procmem_totals t = {0};
		struct seen s = everything();

		host_text(root, "proc/41/maps", cases[i].line);
		assert_int_equal(procmem_walk(m, 41, note, &s, &t), 0);
		if (s.n != cases[i].counts)
			fail_msg("%s", cases[i].line);
	}
	procmem_close(m);
	made_host_end(root, path);
}

static void test_shared_frames_count_once(void **state)
{
	const uint64_t parent[] = {PRESENT | 500, PRESENT | 501, PRESENT | EXCLUSIVE | 502};
	const uint64_t child[] = {PRESENT | 500, PRESENT | 501, PRESENT | EXCLUSIVE | 503};
	struct procmem_totals t = {0};
	struct seen s = everything();
	struct procmem *m;
	char path[64];
	int root = made_host(path);

	host_text(root, "proc/41/maps", "10000-13000 rw-p 00000000 00:00 0 \n");
	host_text(root, "proc/42/maps", "10000-13000 rw-p 00000000 00:00 0 \n");
	put_entries(root, "proc/41/pagemap", 0x10000, parent, 3);
	put_entries(root, "proc/42/pagemap", 0x10000, child, 3);
	assert_int_equal(procmem_open(root, &m), 0);
	assert_int_equal(procmem_walk(m, 41, note, &s, &t), 0);
	assert_int_equal(procmem_walk(m, 42, note, &s, &t), 0);
	assert_int_equal(t.resident, 4);
	assert_int_equal(t.shared_again, 2);
	assert_int_equal(s.n, 2);
	expect_run(&s, 0, 0x10000, 3, false);
	expect_run(&s, 1, 0x12000, 1, false);
	procmem_close(m);
	made_host_end(root, path);
}

/* More entries than are read at once, far apart, in a mapping of 4 GiB. */
static void test_large_reserved_mapping(void **state)
{
	const uint64_t page[] = {PRESENT | EXCLUSIVE | 9};
	struct procmem_totals t = {0};
	struct seen s = everything();
	struct procmem *m;
	char path[64];
	int fd, root = made_host(path);

	host_text(root, "proc/41/maps", "100000000-200000000 rw-p 00000000 00:00 0 \n");
	fd = host_file(root, "proc/41/pagemap");
	for (uint64_t at = 0x100000000; at < 0x200000000; at += 0x30000000)
		assert_int_equal(pwrite(fd, page, 8, (off_t)(at / 4096 * 8)), 8);
	assert_int_equal(ftruncate(fd, 0x200000000 / 4096 * 8), 0);
	close(fd);
	assert_int_equal(procmem_open(root, &m), 0);
	assert_int_equal(procmem_walk(m, 41, note, &s, &t), 0);
	assert_int_equal(s.n, 6);
	expect_run(&s, 5, 0x1f0000000, 1, false);
	procmem_close(m);
	made_host_end(root, path);
}

static void test_no_memory_and_no_process(void **state)
{
	struct procmem_totals t = {0};
	struct seen s = everything();
	struct procmem *m;
	char path[64];
	int root = made_host(path);

	host_text(root, "proc/41/maps", "");
	host_text(root, "proc/42/maps", "10000-11000 rw-p 0 00:00\n");
	host_text(root, "proc/42/pagemap", "");
	assert_int_equal(procmem_open(root, &m), 0);
	assert_int_equal(procmem_walk(m, 41, note, &s, &t), -ENODATA);
	assert_int_equal(procmem_walk(m, 42, note, &s, &t), -EBADMSG);
	assert_int_equal(procmem_walk(m, 43, note, &s, &t), -ESRCH);
	assert_int_equal(s.n, 0);
	procmem_close(m);
	made_host_end(root, path);
}

static void test_advice(void **state)
{
	char buf[PROCMEM_ADVICE_MAX];
	int root = fake_host("linux-6.12");

	if (geteuid()) {
		procmem_advice(root, buf);
		assert_non_null(strstr(buf, "root"));
		assert_non_null(strstr(buf, "ptrace_scope"));
	}
	close(root);
	root = fake_host("linux-6.1");
	assert_non_null(strstr(procmem_advice(root, buf), "root"));
	assert_null(strstr(buf, "ptrace_scope"));
	close(root);
}

enum { AREA_PAGES = 400, WRITTEN = 100, READ_ONLY = 50 };

/* A child with an area of known pages, which it then holds until it is told otherwise. */
struct child {
	pid_t pid;
	char *area;
	int to, from;
};

static void tell(const struct child *c, char what)
{
	assert_int_equal(write(c->to, &what, 1), 1);
	assert_int_equal(read(c->from, &what, 1), 1);
}

/* Pages [0, WRITTEN) are written, [200, 200 + READ_ONLY) only read, the rest untouched. */
static void child_main(char *area, int in, int out)
{
	volatile char sum = 0;
	char what = 'r';

	for (int i = 0; i < WRITTEN; i++)
		snprintf(area + i * 4096, 4096, "page %d", i);
	for (int i = 0; i < READ_ONLY; i++)
		sum += area[(200 + i) * 4096];
	while (write(out, &what, 1) == 1 && read(in, &what, 1) == 1)
		if (what == 'u') /* every tenth goes */
			for (int i = 0; i < WRITTEN; i += 10)
				munmap(area + i * 4096, 4096);
	_exit(0);
}

static struct child start_child(void)
{
	struct child c;
	int in[2], out[2];
	char byte;

	c.area = mmap(NULL, AREA_PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		      -1, 0);
	assert_true(c.area != MAP_FAILED);
	madvise(c.area, AREA_PAGES * 4096, MADV_NOHUGEPAGE);
	assert_int_equal(pipe(in) | pipe(out), 0);
	c.pid = fork();
	if (c.pid == 0) {
		close(in[1]);
		close(out[0]);
		child_main(c.area, in[0], out[1]);
	}
	close(in[0]);
	close(out[1]);
	c.to = in[1];
	c.from = out[0];
	assert_int_equal(read(c.from, &byte, 1), 1);
	return c;
}

static void end_child(struct child *c)
{
	close(c->to);
	close(c->from);
	waitpid(c->pid, NULL, 0);
	munmap(c->area, AREA_PAGES * 4096);
}

static struct procmem *open_host(int *ret_root)
{
	struct procmem *m;

	*ret_root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(procmem_open(*ret_root, &m), 0);
	return m;
}

static void test_child_is_listed_and_read(void **state)
{
	struct child c = start_child();
	struct procmem_totals t = {0};
	struct seen s = {.from = (uintptr_t)c.area, .to = (uintptr_t)c.area + AREA_PAGES * 4096};
	uint64_t addresses[WRITTEN];
	char *pages = malloc(WRITTEN * 4096);
	size_t got;
	int root;
	struct procmem *m = open_host(&root);

	if (procmem_may_read(m, c.pid) < 0) {
		end_child(&c);
		print_message("SKIP: this user may not read its own children\n");
		skip();
	}
	assert_int_equal(procmem_walk(m, c.pid, note, &s, &t), 0);
	/* Swapped out in part, perhaps, but there; what was only read is the zero page's, mostly.
	 */
	assert_int_equal(s.pages, WRITTEN + (zero_page_is_used() ? 0 : READ_ONLY));
	for (int i = 0; i < WRITTEN; i++)
		addresses[i] = (uintptr_t)c.area + (uint64_t)i * 4096;
	assert_int_equal(procmem_read(m, c.pid, addresses, WRITTEN, pages, &got), 0);
	assert_int_equal(got, WRITTEN);
	for (int i = 0; i < WRITTEN; i++) {
		char expected[32];

		snprintf(expected, sizeof(expected), "page %d", i);
		assert_string_equal(pages + i * 4096, expected);
	}
	/* It goes on: nothing has stopped it. */
	tell(&c, 'u');
	assert_int_equal(procmem_read(m, c.pid, addresses, WRITTEN, pages, &got), 0);
	assert_int_equal(got, WRITTEN - WRITTEN / 10);
	assert_string_equal(pages, "page 1");
	assert_string_equal(pages + 9 * 4096, "page 11");
	end_child(&c);
	assert_int_equal(procmem_read(m, c.pid, addresses, WRITTEN, pages, &got), -ESRCH);
	assert_int_equal(procmem_may_read(m, c.pid), -ESRCH);
	procmem_close(m);
	close(root);
	free(pages);
}

/* A page that both have untouched since the fork is one frame. */
static void test_fork_shares_frames(void **state)
{
	enum { PAGES = 64 };
	struct procmem_totals t = {0};
	struct seen s;
	char *area, byte = 0;
	int root, hold[2];
	struct procmem *m;
	pid_t pids[2];

	if (geteuid()) {
		print_message("SKIP: frame numbers are shown to root only\n");
		skip();
	}
	area = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(area, 'x', PAGES * 4096);
	assert_int_equal(pipe(hold), 0);
	for (int i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			close(hold[1]);
			_exit(read(hold[0], &byte, 1) != 0);
		}
	}
	m = open_host(&root);
	s = (struct seen){.from = (uintptr_t)area, .to = (uintptr_t)area + PAGES * 4096};
	for (int i = 0; i < 2; i++)
		assert_int_equal(procmem_walk(m, pids[i], note, &s, &t), 0);
	assert_int_equal(s.pages, PAGES);
	assert_true(t.shared_again >= PAGES);
	close(hold[0]);
	close(hold[1]);
	for (int i = 0; i < 2; i++)
		waitpid(pids[i], NULL, 0);
	procmem_close(m);
	close(root);
}

/* Run as nobody: may a process of root's be read? */
static int try_as_nobody(pid_t pid)
{
	struct procmem_totals t = {0};
	struct seen s = everything();
	struct procmem *m;
	int root = open("/", O_PATH | O_DIRECTORY);

	if (setgid(65534) < 0 || setuid(65534) < 0 || procmem_open(root, &m) < 0)
		return 1;
	return procmem_may_read(m, pid) == -EACCES && procmem_walk(m, pid, note, &s, &t) == -EACCES
		       ? 0
		       : 2;
}

static void test_not_permitted(void **state)
{
	int status;
	pid_t pid;

	if (geteuid()) {
		print_message("SKIP: only root can become somebody else\n");
		skip();
	}
	pid = fork();
	if (pid == 0)
		_exit(try_as_nobody(getppid()));
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_kernel_threads_have_no_memory(void **state)
{
	struct procmem_totals t = {0};
	struct seen s = everything();
	char name[32] = "";
	int fd, root;
	struct procmem *m;

	fd = open("/proc/2/comm", O_RDONLY);
	if (fd >= 0) {
		assert_true(read(fd, name, sizeof(name) - 1) >= 0);
		close(fd);
	}
	if (strncmp(name, "kthreadd", 8)) {
		print_message("SKIP: no kernel threads in this pid namespace\n");
		skip();
	}
	m = open_host(&root);
	assert_int_equal(procmem_may_read(m, 2), -ENODATA);
	assert_int_equal(procmem_walk(m, 2, note, &s, &t), -ENODATA);
	procmem_close(m);
	close(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds_of_pages),
		cmocka_unit_test(test_mappings_that_count),
		cmocka_unit_test(test_shared_frames_count_once),
		cmocka_unit_test(test_large_reserved_mapping),
		cmocka_unit_test(test_no_memory_and_no_process),
		cmocka_unit_test(test_advice),
		cmocka_unit_test(test_child_is_listed_and_read),
		cmocka_unit_test(test_fork_shares_frames),
		cmocka_unit_test(test_not_permitted),
		cmocka_unit_test(test_kernel_threads_have_no_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
