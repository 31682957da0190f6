/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "testing.h"

#include "err.h"
#include "plan.h"
#include "units.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GIB (UINT64_C(1) << 30)

static int set(struct plan *p, const char *name, const char *value)
{
	struct err e;
	int r = plan_set(p, name, value, 4 * GIB, name, &e);

	if (r < 0) {
		assert_int_equal(e.kind, ERR_USAGE);
		assert_non_null(strstr(e.text, name));
	}
	return r;
}

static void values_are_taken(void **state)
{
	struct plan p;

	plan_init(&p);
	assert_int_equal(plan_runs(&p), 5);
	assert_int_equal(set(&p, "quick", NULL), 0);
	assert_int_equal(plan_runs(&p), 3);
	assert_int_equal(set(&p, "runs", "7"), 0);
	assert_int_equal(plan_runs(&p), 7);
	assert_int_equal(set(&p, "budget", "25%"), 0);
	assert_int_equal(p.budget_bytes, GIB);
	assert_false(p.naive);
	assert_int_equal(set(&p, "budget", "naive"), 0);
	assert_int_equal(p.budget_bytes, GIB);
	assert_true(p.naive);
	assert_int_equal(set(&p, "budget", "naive,64M"), 0);
	assert_int_equal(p.budget_bytes, 64 << 20);
	assert_int_equal(set(&p, "pressure", "1.5"), 0);
	assert_true(p.pressure == 1.5);
	assert_int_equal(set(&p, "timeout", "2m"), 0);
	assert_true(p.timeout_s == 120);
	assert_int_equal(set(&p, "interval", "250ms"), 0);
	assert_true(p.interval_s == 0.25);
	assert_int_equal(set(&p, "thrash", "off"), 0);
	assert_true(p.thrash_s == 0);
	assert_int_equal(set(&p, "thrash-psi", "80%"), 0);
	assert_true(p.thrash_psi == 0.8);
	assert_int_equal(set(&p, "cpus", "0-1,3"), 0);
	assert_string_equal(p.cpus, "0-1,3");
	assert_int_equal(set(&p, "seed", "0"), 0);
	assert_int_equal(p.seed, 0);
	plan_free(&p);
}

static void bad_values_change_nothing(void **state)
{
	static const char *const bad[][2] = {
		{"runs", "0"},	     {"runs", "1001"},	   {"runs", "x"},
		{"quick", "maybe"},  {"budget", "lots"},   {"budget", "101%"},
		{"budget", "0"},     {"budget", "naive,"}, {"budget", "naively"},
		{"pressure", "0.5"}, {"pressure", "nan"},  {"pressure", "1e3"},
		{"timeout", "soon"}, {"timeout", "0"},	   {"timeout", "9000000h"},
		{"interval", "0"},   {"interval", "10ms"}, {"thrash", "0.5s"},
		{"thrash-psi", "0"}, {"thrash-psi", "2"},  {"cpus", "0-"},
		{"cpus", "3-1"},     {"cpus", ""},	   {"cpus", "1,,2"},
		{"cpus", "99999"},   {"seed", "-1"},	   {"jobs", "0"},
		{"workload", ""},    {"backend", ""},	   {"command", "   "},
		{"command", "'a"},   {"command", "a\\"},
	};
	struct plan before, p;

	plan_init(&before);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		plan_init(&p);
		assert_true(set(&p, bad[i][0], bad[i][1]) < 0);
		plan_free(&p);
		memset(p.command, 0, sizeof(p.command));
		assert_memory_equal(&p, &before, sizeof(p));
	}
	assert_int_equal(plan_set(&p, "rums", "1", 0, "x:1: rums", NULL), -EINVAL);
}

static void commands_are_split_and_not_expanded(void **state)
{
	static const char *const expected[] = {"make", "-C", "a b", "x=\"$HOME\"",
					       "it's", "*",  "",    "\\n"};
	struct plan p;

	plan_init(&p);
	assert_int_equal(
		set(&p, "command", "  make\t-C 'a b' x=\\\"$HOME\\\" \"it's\" * '' \"\\n\" "), 0);
	for (size_t i = 0; i < 8; i++)
		assert_string_equal(p.command[i], expected[i]);
	assert_null(p.command[8]);
	assert_string_equal(p.workload, "command");
	plan_free(&p);
}

static void too_many_words_or_backends(void **state)
{
	char words[PLAN_COMMAND_MAX * 2 + 3], name[PLAN_BACKEND_MAX + 1];
	struct plan p;

	plan_init(&p);
	for (int i = 0; i < PLAN_COMMAND_MAX + 1; i++)
		memcpy(words + 2 * i, "w ", 3);
	assert_int_equal(set(&p, "command", words), -E2BIG);
	plan_free(&p);
	plan_init(&p);
	memset(name, 'x', sizeof(name));
	name[PLAN_BACKEND_MAX] = '\0';
	assert_int_equal(set(&p, "backend", name), -EINVAL);
	name[PLAN_BACKEND_MAX - 1] = '\0';
	for (int i = 0; i < PLAN_BACKENDS; i++)
		assert_int_equal(set(&p, "backend", name), 0);
	assert_int_equal(set(&p, "backend", name), -E2BIG);
	plan_free(&p);
}

static int check(const char *const settings[][2], struct err *e)
{
	struct plan p;
	int r;

	plan_init(&p);
	for (size_t i = 0; settings[i][0]; i++)
		assert_int_equal(set(&p, settings[i][0], settings[i][1]), 0);
	r = plan_check(&p, e);
	plan_free(&p);
	return r;
}

static void settings_must_fit_together(void **state)
{
	struct err e;

	assert_int_equal(check((const char *const[][2]){{0}}, &e), 0);
	assert_int_equal(check((const char *const[][2]){{"command", "true"}, {0}}, &e), 0);
	assert_true(check((const char *const[][2]){{"workload", "bild"}, {0}}, &e) < 0);
	assert_non_null(strstr(e.text, "unknown workload 'bild'"));
	assert_true(check((const char *const[][2]){{"workload", "command"}, {0}}, &e) < 0);
	assert_non_null(strstr(e.text, "which command"));
	assert_true(check((const char *const[][2]){{"command", "true"}, {"workload", "build"}, {0}},
			  &e) < 0);
	assert_non_null(strstr(e.text, "the workload is 'build'"));
	assert_true(check((const char *const[][2]){{"backend", "none"}, {"backend", "zrm"}, {0}},
			  &e) < 0);
	assert_non_null(strstr(e.text, "unknown backend 'zrm'"));
}

static void the_command_line_repeats_the_plan(void **state)
{
	static const char *const settings[][2] = {
		{"backend", "zram:lzo-rle,devices=2"},
		{"backend", "file:/mnt/a b"},
		{"jobs", "3"},
		{"seed", "9"},
		{"budget", "naive,100M"},
		{"pressure", "1.25"},
		{"quick", NULL},
		{"runs", "4"},
		{"timeout", "90"},
		{"thrash", "off"},
		{"thrash-psi", "0.25"},
		{"interval", "500ms"},
		{"cpus", "0,2"},
		{"command", "sh -c 'echo it'\\''s'"},
	};
	struct plan p;
	char *line;

	plan_init(&p);
	line = plan_command_line(&p);
	assert_string_equal(line, "snug race");
	free(line);
	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
		assert_int_equal(set(&p, settings[i][0], settings[i][1]), 0);
	line = plan_command_line(&p);
	assert_string_equal(
		line, "snug race --backend zram:lzo-rle,devices=2 --backend 'file:/mnt/a b' "
		      "--jobs 3 --seed 9 --budget naive,100M --pressure 1.25 --quick --runs 4 "
		      "--timeout 90s --thrash off --thrash-psi 0.25 --interval 0.5s --cpus 0,2 "
		      "-- sh -c 'echo it'\\''s'");
	free(line);
	plan_free(&p);
}

/* Reads a plan of that text; its path is "plan". */
static int read_text(const char *text, size_t len, struct plan *p, struct err *e)
{
	char folder[] = "/tmp/snug-plan-XXXXXX";
	int fd, r, here = open(".", O_PATH | O_DIRECTORY);

	assert_non_null(mkdtemp(folder));
	assert_int_equal(chdir(folder), 0);
	fd = open("plan", O_WRONLY | O_CREAT, 0600);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
	plan_init(p);
	r = plan_read(p, "plan", 4 * GIB, e);
	unlink("plan");
	assert_int_equal(fchdir(here), 0);
	close(here);
	rmdir(folder);
	return r;
}

static void a_plan_from_a_file(void **state)
{
	static const char text[] = "# a comment\n"
				   "\n"
				   "[race]\r\n"
				   "  runs = 10  \n"
				   "quick=no\n"
				   "; another\n"
				   "[ budget ]\n"
				   "budget = 50%\n"
				   "[workload]\n"
				   "command = make -j4 # all\n"
				   "[backends]\n"
				   "backend = zram:lzo-rle,level=3\n"
				   "backend = none";
	struct plan p;
	struct err e;

	if (read_text(text, sizeof(text) - 1, &p, &e) < 0)
		fail_msg("%s", e.text);
	assert_int_equal(p.runs, 10);
	assert_int_equal(p.budget_bytes, 2 * GIB);
	assert_string_equal(p.command[3], "all");
	assert_int_equal(p.n_backends, 2);
	assert_string_equal(p.backends[0], "zram:lzo-rle,level=3");
	assert_string_equal(p.backends[1], "none");
	plan_free(&p);
}

static void a_files_mistakes_are_found(void **state)
{
	static const struct {
		const char *text, *says;
	} bad[] = {
		{"runs = 3\n", "plan:1: 'runs' stands before any section; known are backends, "
			       "workload, budget, race"},
		{"[race]\nrunz = 3\n",
		 "plan:2: unknown key 'runz' in [race]; known are quick, runs,"},
		{"[race]\nbudget = 3M\n", "plan:2: unknown key 'budget' in [race]"},
		{"\n[rase]\n", "plan:2: unknown section 'rase'; known are backends, workload,"},
		{"[race\n", "plan:1: a section ends with ]"},
		{"[race]\nruns = 3\n\nruns = 3\n", "plan:4: runs is given twice"},
		{"[race]\nruns = 0\n", "plan:2: runs: 0 is out of range"},
		{"[race]\nruns\n", "plan:2: neither [section] nor key = value"},
		{"[race]\nquick = \n", "plan:2: quick: '' is neither yes nor no"},
		{"[]\n", "plan:1: unknown section ''"},
		{"[\n", "plan:1: a section ends with ]"},
	};
	struct plan p;
	struct err e;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_true(read_text(bad[i].text, strlen(bad[i].text), &p, &e) < 0);
		assert_int_equal(e.kind, ERR_USAGE);
		if (strncmp(e.text, bad[i].says, strlen(bad[i].says)) != 0)
			fail_msg("expected: %s\ngot: %s", bad[i].says, e.text);
		plan_free(&p);
	}
	assert_true(read_text("[race]\0\nruns = 3\n", 17, &p, &e) < 0);
	assert_string_equal(e.text, "plan:1: this is not a line of text");
	assert_true(plan_read(&p, "no-such-plan", 0, &e) < 0);
	assert_non_null(strstr(e.text, "no-such-plan"));
	assert_true(plan_read(&p, "/tmp", 0, &e) < 0);
	plan_free(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values_are_taken),
		cmocka_unit_test(bad_values_change_nothing),
		cmocka_unit_test(commands_are_split_and_not_expanded),
		cmocka_unit_test(too_many_words_or_backends),
		cmocka_unit_test(settings_must_fit_together),
		cmocka_unit_test(the_command_line_repeats_the_plan),
		cmocka_unit_test(a_plan_from_a_file),
		cmocka_unit_test(a_files_mistakes_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
