/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completion scripts for shells, made from the verbs' tables, so that they can't fall behind them.
 * Words are completed by their place (first word, second word, options of the verb that is there);
 * arguments are left to the shell's own completion of file names.
 */
#include "cli.h"
#include "help.h"

#include <errno.h>
#include <string.h>

static const char *second_word(const struct cli_verb *verb)
{
	const char *blank = strchr(verb->name, ' ');

	return blank ? blank + 1 : NULL;
}

static int first_length(const struct cli_verb *verb)
{
	return (int)strcspn(verb->name, " ");
}

/* Matches the verb's words with a blank and anything behind them. */
static void print_pattern(const struct cli_verb *verb, FILE *out)
{
	fprintf(out, second_word(verb) ? "'%s'*" : "'%s '*", verb->name);
}

static void bash_options(const struct cli_verb *verb, FILE *out)
{
	for (const struct cli_option *o = verb->options; o && o->name; o++)
		fprintf(out, "--%s ", o->name);
	fputs("--help", out);
}

static void print_bash(const struct cli_verb *const *verbs, FILE *out)
{
	fputs("# bash completion for snug; made by: snug completion bash\n"
	      "_snug()\n"
	      "{\n"
	      "\tlocal word=${COMP_WORDS[COMP_CWORD]} words=''\n"
	      "\tCOMPREPLY=()\n"
	      "\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n"
	      "\t\twords='--help --version",
	      out);
	for (const struct cli_verb *const *v = verbs; *v; v++)
		fprintf(out, " %.*s", first_length(*v), (*v)->name);
	fputs("'\n\telse\n\t\tcase ${COMP_WORDS[1]}' '${COMP_WORDS[2]} in\n", out);
	for (const struct cli_verb *const *v = verbs; *v; v++) {
		print_pattern(*v, out);
		fputs(") words='", out);
		bash_options(*v, out);
		fputs("' ;;\n", out);
	}
	fputs("\t\tesac\n\tfi\n", out);
	for (const struct cli_verb *const *v = verbs; *v; v++)
		if (second_word(*v))
			fprintf(out,
				"\tif [ \"$COMP_CWORD\" -eq 2 ] && [ \"${COMP_WORDS[1]}\" = %.*s ]; "
				"then words=\"$words %s\"; fi\n",
				first_length(*v), (*v)->name, second_word(*v));
	fputs("\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
	      "}\n"
	      "complete -o default -F _snug snug\n",
	      out);
}

/* '*--name[what it does]:ARGUMENT:_files', the star because it may be repeated. */
static void zsh_option(const struct cli_option *o, FILE *out)
{
	fprintf(out, " '*--%s[", o->name);
	for (const char *c = o->help; *c; c++) {
		if (*c == '\'')
			fputs("'\\''", out);
		else if (strchr("[]:\\", *c))
			fprintf(out, "\\%c", *c);
		else
			putc(*c == '\n' ? ' ' : *c, out);
	}
	fprintf(out, o->argument ? "]:%s:_files'" : "]'", o->argument);
}

static void print_zsh(const struct cli_verb *const *verbs, FILE *out)
{
	fputs("#compdef snug\n"
	      "# zsh completion for snug; made by: snug completion zsh\n"
	      "local -a words_here\n"
	      "if (( CURRENT == 2 )); then\n"
	      "\twords_here=(--help --version",
	      out);
	for (const struct cli_verb *const *v = verbs; *v; v++)
		fprintf(out, " %.*s", first_length(*v), (*v)->name);
	fputs(")\n\tcompadd -- ${(u)words_here}\n\treturn\nfi\n", out);
	for (const struct cli_verb *const *v = verbs; *v; v++)
		if (second_word(*v))
			fprintf(out,
				"if (( CURRENT == 3 )) && [[ $words[2] == %.*s ]]; then "
				"words_here+=(%s); fi\n",
				first_length(*v), (*v)->name, second_word(*v));
	fputs("if (( $#words_here )); then compadd -- $words_here; return; fi\n"
	      "case \"$words[2] $words[3]\" in\n",
	      out);
	for (const struct cli_verb *const *v = verbs; *v; v++) {
		print_pattern(*v, out);
		/* _arguments counts words from the verb's last. */
		fprintf(out, ")\n\tshift %1$d words; (( CURRENT -= %1$d ))\n\t_arguments",
			second_word(*v) ? 2 : 1);
		for (const struct cli_option *o = (*v)->options; o && o->name; o++)
			zsh_option(o, out);
		fputs(" '--help[show help]' ;;\n", out);
	}
	fputs("esac\n", out);
}

static const struct {
	const char *shell;
	void (*print)(const struct cli_verb *const *verbs, FILE *out);
} shells[] = {
	{"bash", print_bash},
	{"zsh", print_zsh},
};

int completion_print(const char *shell, const struct cli_verb *const *verbs, FILE *out)
{
	for (size_t i = 0; i < sizeof(shells) / sizeof(shells[0]); i++) {
		if (strcmp(shells[i].shell, shell) != 0)
			continue;
		shells[i].print(verbs, out);
		return 0;
	}
	return -EINVAL;
}

static int run_completion(const struct cli_verb *verb, int argc, char **argv)
{
	struct cli_args args = {.verb = verb, .argc = argc, .argv = argv};
	struct err e = {0};

	if (cli_next(&args, &e) != CLI_END)
		return cli_fail(verb, &e);
	if (argc - args.next != 1) {
		err_usage(&e, -EINVAL, "name one shell: bash or zsh");
		return cli_fail(verb, &e);
	}
	if (completion_print(argv[args.next], cli_verbs, stdout) == 0)
		return 0;
	err_usage(&e, -EINVAL, "unknown shell '%.60s'; the known ones are bash, zsh",
		  argv[args.next]);
	return cli_fail(verb, &e);
}

static const struct cli_option options[] = {
	{NULL, NULL, NULL},
};

const struct cli_verb cmd_completion = {
	.name = "completion",
	.summary = "print a completion script for a shell",
	.usage = "bash|zsh",
	.options = options,
	.examples = "  snug completion bash >~/.local/share/bash-completion/completions/snug\n",
	.run = run_completion,
};
