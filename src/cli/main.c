/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the verb and runs it. Holds the only list of verbs; help and completion are made from it.
 */
#include "cli.h"
#include "help.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

const struct cli_verb *const cli_verbs[] = {
	&cmd_survey, &cmd_race, &cmd_report, &cmd_undo, &cmd_bench_pages, &cmd_completion, NULL,
};

static volatile sig_atomic_t reader_gone;

static void note_signal(int signal)
{
	reader_gone = 1;
}

/*
 * A reader that goes away (`snug survey | head -1`) must not end the program between making
 * something and removing it: writing then fails with EPIPE instead. A handler rather than SIG_IGN,
 * which programs started from here would inherit.
 *
 * What is measured is other people's memory, so no core dump may hold it.
 */
static void prepare_process(void)
{
	struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
	struct rlimit none = {0, 0};

	sigemptyset(&action.sa_mask);
	sigaction(SIGPIPE, &action, NULL);
	setrlimit(RLIMIT_CORE, &none);
}

/* How many of argv's words are the verb's name; 0 if it is another verb. */
static int match_verb(const struct cli_verb *verb, int argc, char **argv)
{
	const char *rest = verb->name;
	int words = 0;

	while (*rest) {
		size_t len = strcspn(rest, " ");

		if (words >= argc || strlen(argv[words]) != len ||
		    strncmp(argv[words], rest, len) != 0)
			return 0;
		words++;
		rest += len;
		rest += *rest == ' ';
	}
	return words;
}

static const struct cli_verb *find_verb(int argc, char **argv, int *ret_words)
{
	for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
		*ret_words = match_verb(*v, argc, argv);
		if (*ret_words)
			return *v;
	}
	return NULL;
}

/* Is word the first of a verb of several words? */
static bool is_family(const char *word)
{
	size_t len = strlen(word);

	for (const struct cli_verb *const *v = cli_verbs; *v; v++)
		if (strncmp((*v)->name, word, len) == 0 && (*v)->name[len] == ' ')
			return true;
	return false;
}

static bool is_help(const char *word)
{
	return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* Was help asked for among a verb's words? Those after "--" are not the verb's own. */
static bool wants_help(int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		if (is_help(argv[i]))
			return true;
	return false;
}

static int no_such_verb(int argc, char **argv)
{
	bool family = is_family(argv[0]);
	const char *separator = "";

	if (family && argc > 1 && is_help(argv[1])) {
		help_family(cli_verbs, argv[0], stdout);
		return 0;
	}
	if (family && argc > 1)
		fprintf(stderr, "snug: unknown verb '%s %s'; the known ones are ", argv[0],
			argv[1]);
	else if (family)
		fprintf(stderr, "snug: '%s' is not a whole verb; the known ones are ", argv[0]);
	else
		fprintf(stderr, "snug: unknown %s '%s'; the known verbs are ",
			argv[0][0] == '-' ? "option" : "verb", argv[0]);
	for (const struct cli_verb *const *v = cli_verbs; *v; v++) {
		fprintf(stderr, "%s%s", separator, (*v)->name);
		separator = ", ";
	}
	fputs("\n", stderr);
	return ERR_USAGE;
}

static int dispatch(int argc, char **argv)
{
	const struct cli_verb *verb;
	int words;

	if (argc == 0) {
		help_program(cli_verbs, stderr);
		return ERR_USAGE;
	}
	if (is_help(argv[0])) {
		help_program(cli_verbs, stdout);
		return 0;
	}
	if (strcmp(argv[0], "--version") == 0) {
		puts("snug " SNUG_VERSION);
		return 0;
	}
	verb = find_verb(argc, argv, &words);
	if (!verb)
		return no_such_verb(argc, argv);
	if (wants_help(argc - words, argv + words)) {
		help_verb(verb, stdout);
		return 0;
	}
	return verb->run(verb, argc - words, argv + words);
}

int main(int argc, char **argv)
{
	int status;

	prepare_process();
	status = dispatch(argc > 0 ? argc - 1 : 0, argv + 1);
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	/* A reader that has seen enough needs no telling. */
	if (!reader_gone)
		fprintf(stderr, "snug: could not write the output: %s\n",
			errno ? strerror(errno) : "an earlier write failed");
	return status ? status : ERR_FAILED;
}
