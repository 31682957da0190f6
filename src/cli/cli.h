/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verbs and their options. One table a verb is the single source of its parsing, its --help and its
 * shell completion. A verb's run() parses into a plain struct, then acts; errors are printed here
 * and nowhere else.
 */
#ifndef SNUG_CLI_H
#define SNUG_CLI_H

#include "err.h"

#include <stddef.h>

struct cli_option {
	const char *name;     /* without the dashes */
	const char *argument; /* "SIZE"; NULL for a flag */
	const char *help;     /* one or two lines */
};

struct cli_verb {
	const char *name;		  /* "survey", "bench pages" */
	const char *summary;		  /* one line for `snug --help` */
	const char *usage;		  /* what follows the name: "[OPTIONS]" */
	const struct cli_option *options; /* ends with a NULL name; --help is added to all */
	const char *examples;		  /* whole lines, two blanks in front */
	/* argv[0] is the first word after the verb. Returns the exit status. */
	int (*run)(const struct cli_verb *verb, int argc, char **argv);
};

extern const struct cli_verb cmd_survey, cmd_race, cmd_report, cmd_undo, cmd_bench_pages;

/* Walks argv. Zero it, set verb, argc, argv. */
struct cli_args {
	const struct cli_verb *verb;
	int argc;
	char **argv;
	int next; /* first word not yet taken; after the options, the operands begin here */
	const char *value; /* argument of the option just returned */
};

#define CLI_END (-1) /* no more options */
#define CLI_BAD (-2) /* unknown option, missing or unwanted argument; e has the sentence */

/*
 * The index of the next option in verb->options. Accepts "--name value", "--name=value" and "--" as
 * the end; no abbreviations. Repeated options come back each time.
 */
int cli_next(struct cli_args *a, struct err *e);

/* Prints "snug VERB: sentence" on stderr; returns the exit status that e->kind stands for. */
int cli_fail(const struct cli_verb *verb, const struct err *e);

#endif
