/* SPDX-License-Identifier: GPL-2.0-or-later */
/* snug report: result files of races in, one page or the text of each out. */
#include "cli.h"

#include "cleanup.h"
#include "fileio.h"
#include "race_html.h"
#include "race_json.h"
#include "race_result.h"
#include "race_text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FILE_MOST ((size_t)256 << 20) /* no race of any sense is larger */

enum option { OPT_OUTPUT, OPT_TEXT, OPT_VERBOSE, OPT_BYTES, OPT_NOHEADINGS };

static const struct cli_option options[] = {
	[OPT_OUTPUT] = {"output", "PAGE",
			"a new file for the page (default: as the first FILE, but .html)"},
	[OPT_TEXT] = {"text", NULL, "print what 'snug race' printed, and make no page"},
	[OPT_VERBOSE] = {"verbose", NULL,
			 "with --text: also each run, its intervals, and all checks"},
	[OPT_BYTES] = {"bytes", NULL, "with --text: sizes in bytes"},
	[OPT_NOHEADINGS] = {"noheadings", NULL, "with --text: the lines of the table alone"},
	{0},
};

struct request {
	const char **files;
	size_t n_files;
	const char *output; /* NULL: by the name of the first file */
	bool text;
	struct race_text_style style;
};

static void take_option(struct request *q, int option, const char *value)
{
	if (option == OPT_OUTPUT)
		q->output = value;
	q->text |= option == OPT_TEXT;
	q->style.verbose |= option == OPT_VERBOSE;
	q->style.bytes |= option == OPT_BYTES;
	q->style.noheadings |= option == OPT_NOHEADINGS;
}

static int check(const struct request *q, struct err *e)
{
	if (!q->n_files)
		return err_usage(e, -EINVAL,
				 "no file: name one or more results that 'snug race' has saved");
	if (q->text && q->output)
		return err_usage(e, -EINVAL, "--text prints and makes no page; leave out --output");
	if (!q->text && (q->style.verbose || q->style.bytes || q->style.noheadings))
		return err_usage(
			e, -EINVAL,
			"--verbose, --bytes and --noheadings are for --text; the page has all");
	return 0;
}

/* Options may stand behind files, too. After "--" there are only files. */
static int parse(const struct cli_verb *verb, int argc, char **argv, struct request *q,
		 struct err *e)
{
	struct cli_args args = {.verb = verb, .argc = argc, .argv = argv};
	bool only_files = false;

	q->files = calloc((size_t)argc + 1, sizeof(*q->files));
	if (!q->files)
		return err_failed(e, -ENOMEM, "out of memory");
	while (args.next < argc) {
		int before = args.next, option = only_files ? CLI_END : cli_next(&args, e);

		if (option == CLI_BAD)
			return -EINVAL;
		if (option != CLI_END)
			take_option(q, option, args.value);
		else if (args.next > before)
			only_files = true;
		else
			q->files[q->n_files++] = argv[args.next++];
	}
	return check(q, e);
}

static int read_result(const char *path, struct race_result *ret, struct err *e)
{
	CLEANUP_FREE char *text = NULL;
	struct err why = {0};
	int r = fileio_read(AT_FDCWD, path, FILE_MOST, &text);

	if (r == -ENOMEM)
		return err_failed(e, r, "out of memory");
	if (r < 0)
		return err_usage(e, r, "cannot read %s: %s", path, err_name(r));
	r = race_json_read(text, strlen(text), ret, &why);
	if (r == -ENOMEM)
		return err_failed(e, r, "out of memory");
	if (r < 0)
		return err_usage(e, r, "%s: %s", path, why.text);
	return 0;
}

/* "race.json" gives "race.html", beside it. */
static char *page_name(const char *file)
{
	size_t len = strlen(file);
	char *name;

	if (len > 5 && strcmp(file + len - 5, ".json") == 0)
		len -= 5;
	return asprintf(&name, "%.*s.html", (int)len, file) < 0 ? NULL : name;
}

/* The descriptor stays the file's own; the stream has a copy. */
static int fill_page(int fd, const struct race_result *const *results, size_t n)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0), r;
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out) {
		r = -errno;
		if (copy >= 0)
			close(copy);
		return r;
	}
	r = race_html(results, n, out);
	if (fclose(out) != 0 && r == 0)
		r = -errno;
	return r;
}

static int save_page(const char *path, const struct race_result *const *results, size_t n,
		     struct err *e)
{
	struct fileio_new file;
	int r = fileio_new_begin(&file, path, e);

	if (r == 0) {
		r = fill_page(file.fd, results, n);
		if (r < 0)
			err_failed(e, r, "cannot save the page in %s: %s; nothing was left there",
				   path, err_name(r));
	}
	if (r == 0)
		r = fileio_new_commit(&file, e);
	fileio_new_abort(&file);
	if (r == 0)
		printf("Saved as %s\n", path);
	return r;
}

static int print_texts(const struct request *q, const struct race_result *const *results,
		       struct err *e)
{
	int r = 0;

	for (size_t i = 0; i < q->n_files && r == 0; i++) {
		if (q->n_files > 1 && !q->style.noheadings)
			printf("%s%s:\n\n", i ? "\n" : "", q->files[i]);
		r = race_text(results[i], &q->style, stdout);
	}
	if (r < 0)
		err_failed(e, r, "cannot write the result: %s", err_name(r));
	return r;
}

static int show(const struct request *q, const struct race_result *const *results, struct err *e)
{
	CLEANUP_FREE char *name = NULL;

	if (q->text)
		return print_texts(q, results, e);
	if (!q->output) {
		name = page_name(q->files[0]);
		if (!name)
			return err_failed(e, -ENOMEM, "out of memory");
	}
	return save_page(name ? name : q->output, results, q->n_files, e);
}

/* All files are read before anything is written. */
static int report(const struct request *q, struct err *e)
{
	CLEANUP_FREE struct race_result *results = calloc(q->n_files, sizeof(*results));
	CLEANUP_FREE const struct race_result **pointers = calloc(q->n_files, sizeof(*pointers));
	int r = 0;
	size_t n = 0;

	if (!results || !pointers)
		return err_failed(e, -ENOMEM, "out of memory");
	for (; n < q->n_files && r == 0; n += r == 0) {
		r = read_result(q->files[n], &results[n], e);
		pointers[n] = &results[n];
	}
	if (r == 0)
		r = show(q, pointers, e);
	while (n > 0)
		race_result_free(&results[--n]);
	return r;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct request q = {0};
	struct err e = {0};
	int r = parse(verb, argc, argv, &q, &e);

	if (r == 0)
		r = report(&q, &e);
	free(q.files);
	return r < 0 ? cli_fail(verb, &e) : 0;
}

const struct cli_verb cmd_report = {
	.name = "report",
	.summary = "draw the results of races, as one page to look at",
	.usage = "[OPTIONS] FILE...",
	.options = options,
	.examples = "  snug report race.json                          makes race.html\n"
		    "  snug report before.json after.json --output both.html\n"
		    "  snug report --text race.json                   as 'snug race' printed it\n",
	.run = run,
};
