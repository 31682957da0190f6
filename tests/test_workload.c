/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of workloads, and those that run other programs; tabs has tests of its own. */
#include "testing.h"

#include "build_source.h"
#include "cleanup.h"
#include "err.h"
#include "process.h"
#include "workload.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB (UINT64_C(1) << 20)

static void every_workload_is_whole(void **state)
{
	for (size_t i = 0; workloads[i]; i++) {
		const struct workload_ops *w = workloads[i];

		assert_true(*w->name && *w->about);
		assert_ptr_equal(workload_find(w->name, NULL), w);
		assert_non_null(w->prepare);
		assert_non_null(w->run);
		assert_int_equal(w->sized, w->scale != NULL);
		w->destroy(NULL);
	}
}

static void an_unknown_one_is_refused_with_the_known(void **state)
{
	struct err e;

	assert_null(workload_find("bild", &e));
	assert_int_equal(e.kind, ERR_USAGE);
	assert_string_equal(e.text, "unknown workload 'bild'; known are build, tabs, command");
}

static char *source(uint64_t seed, unsigned headers, size_t *ret_len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, ret_len);

	assert_non_null(f);
	build_source_write(f, seed, headers);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void a_seed_is_a_text(void **state)
{
	size_t len, again_len, other_len;
	CLEANUP_FREE char *text = source(3, 20, &len);
	CLEANUP_FREE char *again = source(3, 20, &again_len);
	CLEANUP_FREE char *other = source(4, 20, &other_len);

	assert_int_equal(len, again_len);
	assert_memory_equal(text, again, len);
	assert_string_not_equal(text, other);
}

/* A folder of its own for a run, and what the workload shares with it. */
struct running {
	char folder[64];
	struct workload_share *share;
	int output;
};

static int setup(void **state)
{
	struct running *r = calloc(1, sizeof(*r));

	strcpy(r->folder, "/tmp/snug-workload-XXXXXX");
	assert_non_null(mkdtemp(r->folder));
	r->share = mmap(NULL, sizeof(*r->share), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	assert_ptr_not_equal(r->share, MAP_FAILED);
	r->output = memfd_create("output", MFD_CLOEXEC);
	assert_true(r->output >= 0);
	*state = r;
	return 0;
}

static int teardown(void **state)
{
	struct running *r = *state;
	char path[128];

	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/unit%d.c", r->folder, i);
		unlink(path);
	}
	/* Not empty: a workload has left more than its sources. */
	assert_int_equal(rmdir(r->folder), 0);
	munmap(r->share, sizeof(*r->share));
	close(r->output);
	free(r);
	return 0;
}

static struct workload_request request(const struct running *r, uint64_t peak_bytes,
				       char *const *command)
{
	return (struct workload_request){.peak_bytes = peak_bytes,
					 .jobs = 2,
					 .seed = 5,
					 .directory = r->folder,
					 .command = command};
}

/* In a child, as a race does. Its exit status, or -1 if it was killed. */
static int run(const struct running *r, const char *name, void *work)
{
	const struct workload_ops *w = workload_find(name, NULL);
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		setsid();
		dup2(r->output, STDOUT_FILENO);
		dup2(r->output, STDERR_FILENO);
		_exit(w->run(work, r->share));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	/* Nobody is left in its session. */
	assert_int_equal(kill(-pid, 0), -1);
	assert_int_equal(errno, ESRCH);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void *prepare(const struct running *r, const char *name, uint64_t peak_bytes,
		     char *const *command)
{
	struct workload_request q = request(r, peak_bytes, command);
	void *work;
	struct err e;

	if (workload_find(name, NULL)->prepare(&q, &work, &e) == -ENOENT && e.kind == ERR_MISSING) {
		print_message("SKIP: %s\n", e.text);
		skip();
	}
	return work;
}

static void a_build_is_done_and_leaves_its_sources(void **state)
{
	struct running *r = *state;
	const struct workload_ops *w = workload_find("build", NULL);
	void *work = prepare(r, "build", 20 * MIB, NULL);
	struct stat small, large;
	char path[128];

	snprintf(path, sizeof(path), "%s/unit1.c", r->folder);
	assert_int_equal(run(r, "build", work), 0);
	assert_string_equal(r->share->failure, "");
	assert_int_equal(r->share->done, 2);
	assert_int_equal(r->share->total, 2);
	assert_int_equal(stat(path, &small), 0);
	/* 10 MiB a compiler, 6 of which it needs for nothing: with twice the peak, 3.5 times the
	 * text. */
	assert_int_equal(w->scale(work, 2, NULL), 0);
	assert_int_equal(stat(path, &large), 0);
	assert_in_range(large.st_size, small.st_size * 3, small.st_size * 4);
	w->destroy(work);
}

static void a_build_that_fails_says_which_unit(void **state)
{
	struct running *r = *state;
	void *work = prepare(r, "build", 20 * MIB, NULL);
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/unit1.c", r->folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fputs("this is not C\n", f);
	fclose(f);
	assert_int_equal(run(r, "build", work), 1);
	assert_non_null(strstr(r->share->failure, "unit 2 of 2: "));
	assert_non_null(strstr(r->share->failure, "ended with exit status 1"));
	workload_find("build", NULL)->destroy(work);
	/* The other unit's object, where it was done before. */
	snprintf(path, sizeof(path), "%s/unit0.o", r->folder);
	unlink(path);
}

static void a_build_needs_a_least(void **state)
{
	struct workload_request q = request(*state, 4 * MIB, NULL);
	void *work = NULL;
	struct err e;

	if (workload_find("build", NULL)->prepare(&q, &work, &e) == -ENOENT)
		skip();
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.text, "needs at least 12"));
	assert_null(work);
}

static void a_build_without_a_compiler(void **state)
{
	struct workload_request q = request(*state, 64 * MIB, NULL);
	char *path = strdup(getenv("PATH"));
	void *work = NULL;
	struct err e;
	int r;

	setenv("PATH", "/nonexistent", 1);
	r = workload_find("build", NULL)->prepare(&q, &work, &e);
	setenv("PATH", path, 1);
	free(path);
	assert_int_equal(r, -ENOENT);
	assert_int_equal(e.kind, ERR_MISSING);
	assert_non_null(strstr(e.text, "needs a C compiler"));
	assert_null(work);
}

static int run_command(struct running *r, char *const *words)
{
	void *work = prepare(r, "command", 0, words);
	int status = run(r, "command", work);

	workload_find("command", NULL)->destroy(work);
	return status;
}

static void a_command_gets_its_words_and_its_output_is_kept(void **state)
{
	struct running *r = *state;
	char *words[] = {"printf", "%s|", "a b", "\"'\\", "$HOME *", "", "one\ntwo", NULL};
	static const char expected[] = "a b|\"'\\|$HOME *||one\ntwo|";
	char got[64] = "";

	assert_int_equal(run_command(r, words), 0);
	assert_int_equal(pread(r->output, got, sizeof(got) - 1, 0), sizeof(expected) - 1);
	assert_string_equal(got, expected);
	assert_int_equal(r->share->done, 1);
	assert_string_equal(r->share->failure, "");
}

static void a_commands_end_is_passed_on(void **state)
{
	struct running *r = *state;
	char *seven[] = {"sh", "-c", "exit 7", NULL}, *killed[] = {"sh", "-c", "kill -9 $$", NULL};

	assert_int_equal(run_command(r, seven), 7);
	assert_string_equal(r->share->failure, "sh ended with exit status 7");
	assert_int_equal(r->share->done, 0);
	assert_int_equal(run_command(r, killed), 128 + SIGKILL);
	assert_string_equal(r->share->failure, "sh was killed by signal 9 (SIGKILL)");
}

static void a_command_that_is_none(void **state)
{
	char *missing[] = {"snug-no-such-program", NULL}, *folder[] = {"/tmp", NULL},
	     *none[] = {NULL};
	struct {
		char *const *words;
		const char *says;
	} cases[] = {
		{missing,
		 "cannot run the command 'snug-no-such-program': there is no such program"},
		{folder, "cannot run the command '/tmp': it is not an executable file"},
		{none, "the workload 'command' needs a command; write it after --"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct workload_request q = request(*state, 0, cases[i].words);
		void *work = NULL;
		struct err e;

		assert_true(workload_find("command", NULL)->prepare(&q, &work, &e) < 0);
		assert_int_equal(e.kind, ERR_USAGE);
		assert_string_equal(e.text, cases[i].says);
		assert_null(work);
	}
}

static void programs_are_found_as_a_shell_finds_them(void **state)
{
	struct running *r = *state;
	char *path = strdup(getenv("PATH")), list[256], file[128], *found = NULL;

	snprintf(file, sizeof(file), "%s/tool", r->folder);
	close(open(file, O_WRONLY | O_CREAT, 0600));
	snprintf(list, sizeof(list), "/nonexistent:%s:%s", r->folder, path);
	setenv("PATH", list, 1);
	assert_int_equal(process_find("tool", &found), -EACCES);
	assert_int_equal(chmod(file, 0700), 0);
	assert_int_equal(process_find("tool", &found), 0);
	assert_string_equal(found, file);
	free(found);
	assert_int_equal(process_find("snug-no-such-program", &found), -ENOENT);
	assert_int_equal(process_find("", &found), -ENOENT);
	unlink(file);
	setenv("PATH", path, 1);
	free(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_workload_is_whole),
		cmocka_unit_test(an_unknown_one_is_refused_with_the_known),
		cmocka_unit_test(a_seed_is_a_text),
		TEST(a_build_is_done_and_leaves_its_sources),
		TEST(a_build_that_fails_says_which_unit),
		TEST(a_build_needs_a_least),
		TEST(a_build_without_a_compiler),
		TEST(a_command_gets_its_words_and_its_output_is_kept),
		TEST(a_commands_end_is_passed_on),
		TEST(a_command_that_is_none),
		TEST(programs_are_found_as_a_shell_finds_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
