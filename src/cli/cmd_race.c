/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snug race: one workload under one limit with each choice, again and again, and which is best.
 *
 * The result's file is begun before anything is changed, so that an hour's race does not end with a
 * name that can't be had; and it is written also when the race is cut short.
 */
#include "cli.h"

#include "cleanup.h"
#include "err.h"
#include "facts.h"
#include "fileio.h"
#include "lock.h"
#include "plan.h"
#include "progress.h"
#include "race.h"
#include "race_json.h"
#include "race_text.h"
#include "signals.h"
#include "undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum option {
	OPT_BACKEND,
	OPT_WORKLOAD,
	OPT_BUDGET,
	OPT_PRESSURE,
	OPT_JOBS,
	OPT_RUNS,
	OPT_QUICK,
	OPT_TIMEOUT,
	OPT_THRASH,
	OPT_THRASH_PSI,
	OPT_INTERVAL,
	OPT_SEED,
	OPT_CPUS,
	OPT_SETTINGS, /* those before are a plan's, under the same names */
	OPT_PLAN = OPT_SETTINGS,
	OPT_OUTPUT,
	OPT_JSON,
	OPT_VERBOSE,
	OPT_BYTES,
	OPT_NOHEADINGS,
};

static const struct cli_option options[] = {
	[OPT_BACKEND] =
		{"backend", "NAME",
		 "one that takes part, once each: none[:limited], file[:FOLDER], dev:/dev/X, zram:ALG[,...], zswap:ALG[,...] "
		 "(default: none, file, zram with each algorithm of this kernel, zswap)"},
	[OPT_WORKLOAD] = {"workload", "NAME",
			  "build (a compiler) or tabs (a browser's session) (default build)"},
	[OPT_BUDGET] =
		{"budget", "SIZE",
		 "RAM for the workload and the pool together; naive[,SIZE]: the pool is not counted "
		 "(default 64M, less on small machines; of a command: half of what it needs)"},
	[OPT_PRESSURE] = {"pressure", "X",
			  "how many times the budget the workload needs (default 2)"},
	[OPT_JOBS] = {"jobs", "N", "for build: compilers at a time (default: one a CPU)"},
	[OPT_RUNS] = {"runs", "N", "of each, interleaved (default 5)"},
	[OPT_QUICK] = {"quick", NULL, "3 runs of each: an order, no proof"},
	[OPT_TIMEOUT] =
		{"timeout", "TIME",
		 "ends a run that takes longer (default: 40 times as long as without a limit)"},
	[OPT_THRASH] =
		{"thrash", "TIME",
		 "ends a run without progress for so long while all of it waits for memory (default 10s; off)"},
	[OPT_THRASH_PSI] = {"thrash-psi", "SHARE",
			    "how much of that time it must wait (default 50%)"},
	[OPT_INTERVAL] = {"interval", "TIME", "between the samples (default 1s)"},
	[OPT_SEED] = {"seed", "N", "another number, other contents (default 1)"},
	[OPT_CPUS] = {"cpus", "LIST", "run it on these CPUs only, as in 0-1,3"},
	[OPT_PLAN] = {"plan", "FILE", "these settings from a file; options go before it"},
	[OPT_OUTPUT] = {"output", "FILE",
			"the result (default snug-race-TIME.json, in this folder)"},
	[OPT_JSON] = {"json", NULL, "also print it, as one JSON object"},
	[OPT_VERBOSE] = {"verbose", NULL, "also print each run, its intervals, and all checks"},
	[OPT_BYTES] = {"bytes", NULL, "print sizes in bytes"},
	[OPT_NOHEADINGS] = {"noheadings", NULL, "print the lines of the table alone"},
	{0},
};

struct request {
	struct plan plan;
	const char *output; /* NULL: a name by the time */
	bool json;
	struct race_text_style style;
};

static uint64_t ram_bytes(int root)
{
	CLEANUP_FREE struct facts *f = malloc(sizeof(*f));

	if (!f)
		return 0;
	facts_read(root, f);
	return f->mem_total_bytes > 0 ? (uint64_t)f->mem_total_bytes : 0;
}

static int take_option(struct request *q, enum option option, const char *value, uint64_t ram,
		       struct err *e)
{
	char what[32];

	switch (option) {
	case OPT_PLAN:
		return 0; /* read first */
	case OPT_OUTPUT:
		q->output = value;
		return 0;
	case OPT_JSON:
		q->json = true;
		return 0;
	case OPT_VERBOSE:
		q->style.verbose = true;
		return 0;
	case OPT_BYTES:
		q->style.bytes = true;
		return 0;
	case OPT_NOHEADINGS:
		q->style.noheadings = true;
		return 0;
	default:
		snprintf(what, sizeof(what), "--%s", options[option].name);
		return plan_set(&q->plan, options[option].name, value, ram, what, e);
	}
}

/* The plan's file wherever it stands among the options, so that these go before it. */
static int read_plan(const struct cli_verb *verb, int argc, char **argv, struct request *q,
		     uint64_t ram, struct err *e)
{
	struct cli_args args = {.verb = verb, .argc = argc, .argv = argv};
	int option, r = 0;

	while (r == 0 && (option = cli_next(&args, e)) >= 0)
		if (option == OPT_PLAN)
			r = plan_read(&q->plan, args.value, ram, e);
	return r < 0 ? r : option == CLI_BAD ? -EINVAL : 0;
}

/* What is left of the words is a command. */
static int take_command(struct request *q, int argc, char **argv, struct err *e)
{
	if (argc == 0)
		return 0;
	if (argc > PLAN_COMMAND_MAX)
		return err_usage(e, -E2BIG,
				 "the command has more than %d words; put it in a script",
				 PLAN_COMMAND_MAX);
	for (int i = 0; q->plan.command[i]; i++) {
		free(q->plan.command[i]);
		q->plan.command[i] = NULL;
	}
	for (int i = 0; i < argc; i++) {
		q->plan.command[i] = strdup(argv[i]);
		if (!q->plan.command[i])
			return err_failed(e, -ENOMEM, "out of memory");
	}
	return plan_set(&q->plan, "workload", "command", 0, "a command", e);
}

static int parse(const struct cli_verb *verb, int argc, char **argv, struct request *q,
		 uint64_t ram, struct err *e)
{
	struct cli_args args = {.verb = verb, .argc = argc, .argv = argv};
	int option, r = read_plan(verb, argc, argv, q, ram, e);

	while (r == 0 && (option = cli_next(&args, e)) >= 0)
		r = take_option(q, (enum option)option, args.value, ram, e);
	if (r < 0)
		return r;
	r = take_command(q, argc - args.next, argv + args.next, e);
	return r < 0 ? r : plan_check(&q->plan, e);
}

static void show_progress(void *arg, const struct race_progress *now)
{
	struct progress *p = arg;
	char label[64];

	if (now->trial)
		snprintf(label, sizeof(label), "%u/%u %s", now->trial, now->trials, now->doing);
	else
		snprintf(label, sizeof(label), "%s", now->doing);
	p->label = label;
	p->total = (uint64_t)((now->elapsed_s + now->left_s) * 1000) + 1;
	progress_update(p, now->left_s > 0 ? (uint64_t)(now->elapsed_s * 1000) : 0);
	p->label = "";
}

/* What the workload prints: beside the result, and kept only if there is something in it. */
struct output {
	char result[512], log[520];
	struct fileio_new file;
	int log_fd;
};

static int begin_output(struct output *o, const char *path, struct err *e)
{
	time_t now = time(NULL);
	struct tm tm;
	size_t len;
	int r;

	if (path)
		snprintf(o->result, sizeof(o->result), "%s", path);
	else
		strftime(o->result, sizeof(o->result), "snug-race-%Y%m%dT%H%M%SZ.json",
			 gmtime_r(&now, &tm));
	r = fileio_new_begin(&o->file, o->result, e);
	if (r < 0)
		return r;
	len = strlen(o->result);
	if (len > 5 && strcmp(o->result + len - 5, ".json") == 0)
		len -= 5;
	snprintf(o->log, sizeof(o->log), "%.*s.log", (int)len, o->result);
	o->log_fd =
		open(o->log, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (o->log_fd < 0)
		return err_usage(e, -errno, "cannot make %s for the workload's output: %s", o->log,
				 err_name(-errno));
	return 0;
}

static void end_output(struct output *o)
{
	struct stat st;

	fileio_new_abort(&o->file);
	if (o->log_fd < 0)
		return;
	if (fstat(o->log_fd, &st) == 0 && st.st_size == 0)
		unlink(o->log);
	close(o->log_fd);
}

static int save(struct output *o, const struct race_result *result, struct err *e)
{
	CLEANUP_FREE char *text = NULL;
	size_t len;
	FILE *memory = open_memstream(&text, &len);
	int r = memory ? race_json_write(result, memory) : -ENOMEM;

	if (memory && fclose(memory) != 0 && r == 0)
		r = -ENOMEM;
	if (r == 0)
		r = fileio_write_all(o->file.fd, text, len);
	if (r < 0)
		return err_failed(e, r, "cannot write %s: %s", o->result, err_name(r));
	return fileio_new_commit(&o->file, e);
}

static int print(const struct request *q, const struct output *o, const struct race_result *result,
		 struct err *e)
{
	int r = q->json ? race_json_write(result, stdout) : race_text(result, &q->style, stdout);

	if (r < 0)
		return err_failed(e, r, "cannot print the result: %s", err_name(r));
	if (!q->json && !q->style.noheadings)
		printf("\nSaved as %s; 'snug report %s' draws it.\n", o->result, o->result);
	/* A signal that came may take its course next, and what is in a buffer would be lost. */
	fflush(stdout);
	return 0;
}

/* Runs it, with the machine as before afterwards, and the journal gone. */
static int run_race(int root, const struct request *q, const struct output *o,
		    struct race_result *ret, struct err *e)
{
	struct progress progress;
	struct undo *undo;
	int r = undo_recover(root, NULL, e), closed;

	if (r == 0)
		r = undo_open(root, "race", &undo, e);
	if (r < 0)
		return r;
	progress_begin(&progress, "", 1);
	r = race_run(root, undo, &q->plan,
		     &(struct race_hooks){.tell = show_progress,
					  .arg = &progress,
					  .stop = signals_stop(),
					  .output = o->log_fd},
		     ret, e);
	progress_end(&progress);
	closed = undo_close(undo, r < 0 ? NULL : e);
	if (r == 0 && closed < 0)
		race_result_free(ret);
	return r < 0 ? r : closed;
}

static int race_and_report(int root, const struct request *q, struct err *e)
{
	struct output output = {.log_fd = -1};
	struct race_result result = {0};
	struct lock lock = {.fd = -1};
	int r = lock_take(root, "race", "race", &lock, e);

	if (r == 0)
		r = begin_output(&output, q->output, e);
	if (r == 0)
		r = run_race(root, q, &output, &result, e);
	if (r == 0)
		r = save(&output, &result, e);
	if (r == 0)
		r = print(q, &output, &result, e);
	race_result_free(&result);
	end_output(&output);
	lock_drop(&lock);
	return r;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	CLEANUP_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct request q = {0};
	struct err e;
	int r;

	plan_init(&q.plan);
	r = root < 0 ? err_failed(&e, -errno, "cannot open /: %s", err_name(-errno))
		     : parse(verb, argc, argv, &q, ram_bytes(root), &e);
	if (r == 0 && geteuid() != 0)
		r = err_missing(&e, -EPERM,
				"a race sets memory limits and swap, which needs root; run it with "
				"sudo ('snug survey' and 'snug bench pages' work without)");
	if (r == 0) {
		signals_catch();
		r = race_and_report(root, &q, &e);
		/* Interrupted: nothing more to say than the signal does. */
		if (r < 0 && !atomic_load(signals_stop()))
			r = -cli_fail(verb, &e);
		signals_release();
	} else {
		r = -cli_fail(verb, &e);
	}
	plan_free(&q.plan);
	return -r;
}

const struct cli_verb cmd_race = {
	.name = "race",
	.summary =
		"run a workload in too little RAM with each choice of swap, and say which is best",
	.usage = "[OPTIONS] [-- COMMAND [WORD...]]",
	.options = options,
	.examples = "  sudo snug race --quick\n"
		    "  sudo snug race --backend zram:lzo-rle --backend zram:lz4 --runs 10\n"
		    "  sudo snug race --workload tabs --budget 25%\n"
		    "  sudo snug race --backend file --backend zswap:lzo,max=40 -- make -j4\n",
	.run = run,
};
