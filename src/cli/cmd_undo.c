/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snug undo: puts back what a run that was killed left behind.
 *
 * It holds the race's lock meanwhile, so that none begins on settings that are about to change.
 * What living processes have journaled is theirs, and left alone.
 */
#include "cli.h"

#include "cleanup.h"
#include "err.h"
#include "lock.h"
#include "undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <unistd.h>

enum option { OPT_LIST };

static const struct cli_option options[] = {
	[OPT_LIST] = {"list", NULL, "only show what there is to undo, and whose it is"},
	{0},
};

static int parse(const struct cli_verb *verb, int argc, char **argv, bool *ret_list, struct err *e)
{
	struct cli_args args = {.verb = verb, .argc = argc, .argv = argv};
	int option;

	while ((option = cli_next(&args, e)) >= 0)
		*ret_list = true;
	if (option == CLI_BAD)
		return -EINVAL;
	if (args.next < argc)
		return err_usage(e, -EINVAL, "unexpected '%s'; it undoes all that there is to undo",
				 argv[args.next]);
	return 0;
}

/* What was told of while walking. */
struct told {
	const struct cli_verb *verb;
	size_t entries, failed;
};

static void print_entry(void *arg, const struct undo_origin *from, const struct undo_entry *entry)
{
	struct told *t = arg;
	char text[UNDO_DESCRIPTION_MAX];

	t->entries++;
	printf("%s (%s snug %s, process %d)\n", undo_describe(entry, text),
	       from->live ? "of a running" : "left by", from->what, from->pid);
}

static void print_tried(void *arg, const struct undo_entry *entry, const struct err *why)
{
	struct told *t = arg;
	char text[UNDO_DESCRIPTION_MAX];

	t->entries++;
	if (!why) {
		printf("done: %s\n", undo_describe(entry, text));
		return;
	}
	t->failed++;
	cli_fail(t->verb, why);
}

static int recover(int root, struct told *t, struct err *e)
{
	struct undo_watch watch = {print_tried, t};
	struct lock lock = {.fd = -1};
	int r = lock_take(root, "race", "undo", &lock, e);

	if (r == 0)
		r = undo_recover(root, &watch, e);
	lock_drop(&lock);
	return r;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	CLEANUP_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct told told = {.verb = verb};
	bool list = false;
	struct err e = {0};
	int r = parse(verb, argc, argv, &list, &e);

	if (r == 0 && root < 0)
		r = err_failed(&e, -errno, "cannot open /: %s", err_name(-errno));
	if (r == 0 && geteuid() != 0)
		r = err_missing(&e, -EPERM,
				"only root can change the machine, and undo that; run it with "
				"sudo");
	if (r == 0)
		r = list ? undo_list(root, print_entry, &told, &e) : recover(root, &told, &e);
	if (told.failed)
		return ERR_FAILED; /* each has had its sentence */
	if (r < 0)
		return cli_fail(verb, &e);
	if (told.entries == 0)
		puts("nothing to undo");
	return 0;
}

const struct cli_verb cmd_undo = {
	.name = "undo",
	.summary = "put back what a run that was killed has left behind",
	.usage = "[OPTIONS]",
	.options = options,
	.examples = "  sudo snug undo --list\n"
		    "  sudo snug undo\n",
	.run = run,
};
