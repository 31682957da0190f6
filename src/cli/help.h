/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said about the verbs, made from their tables. verbs ends with NULL. */
#ifndef SNUG_CLI_HELP_H
#define SNUG_CLI_HELP_H

#include <stdio.h>

struct cli_verb;

/* The program's verbs: the one dispatch table (main.c). */
extern const struct cli_verb *const cli_verbs[];

/* `snug --help`; `snug FIRST --help` where first is the first word of several verbs ("bench"). */
void help_program(const struct cli_verb *const *verbs, FILE *out);
void help_family(const struct cli_verb *const *verbs, const char *first, FILE *out);
/* `snug VERB --help` */
void help_verb(const struct cli_verb *verb, FILE *out);

/* A completion script for shell; -EINVAL for a shell that is not known. */
int completion_print(const char *shell, const struct cli_verb *const *verbs, FILE *out);
extern const struct cli_verb cmd_completion;

#endif
