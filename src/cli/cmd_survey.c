/* SPDX-License-Identifier: GPL-2.0-or-later */
/* snug survey: options in, src/survey at work, the table out. */
#include "cli.h"

#include "cleanup.h"
#include "codec.h"
#include "facts.h"
#include "fileio.h"
#include "page.h"
#include "survey.h"
#include "table.h"
#include "units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum option {
	OPT_PID,
	OPT_ALL,
	OPT_CGROUP,
	OPT_FILE,
	OPT_CODEC,
	OPT_SAMPLE,
	OPT_NO_SWAPPED,
	OPT_SAVE,
	OPT_JSON,
	OPT_BYTES,
	OPT_NOHEADINGS,
};

static const struct cli_option options[] = {
	[OPT_PID] = {"pid", "N", "the memory of process N; may be repeated"},
	[OPT_ALL] = {"all", NULL, "all processes that may be read (the default without a source)"},
	[OPT_CGROUP] = {"cgroup", "PATH",
			"the processes of a cgroup and of those below it; may be repeated"},
	[OPT_FILE] = {"file", "F",
		      "pages from a file instead (a dump, a disk image); may be repeated"},
	[OPT_CODEC] =
		{"codec", "LIST",
		 "codecs, name[:level][+dict|+auto], separated by commas;\ndefault " SURVEY_CODECS},
	[OPT_SAMPLE] =
		{"sample", "SIZE",
		 "most to look at, a uniform sample; default 256M, or a quarter of\nthe RAM that is free for use if that is less"},
	[OPT_NO_SWAPPED] = {"no-swapped", NULL,
			    "leave out what is swapped out; reading it brings it back into RAM"},
	[OPT_SAVE] = {"save", "FILE",
		      "keep the sampled pages in a new file (private data of the processes!)"},
	[OPT_JSON] = {"json", NULL, "one JSON object instead of the table"},
	[OPT_BYTES] = {"bytes", NULL, "sizes in bytes"},
	[OPT_NOHEADINGS] = {"noheadings", NULL, "only the table, without its headings"},
	{0},
};

/* What was asked for. Sources are collected as written and parsed at the end. */
struct request {
	pid_t *pids;
	char **cgroups, **files;
	size_t n_pids, n_cgroups, n_files;
	struct codec_spec *codecs;
	size_t n_codecs;
	uint64_t sample_bytes;
	const char *save;
	bool all, no_swapped, json, bytes, noheadings;
};

static void request_free(struct request *q)
{
	free(q->pids);
	free(q->cgroups);
	free(q->files);
	free(q->codecs);
}

static int add_pid(struct request *q, const char *text, struct err *e)
{
	int64_t pid;
	int r = units_parse_int(text, 1, INT_MAX, "--pid", &pid, e);

	if (r == 0)
		q->pids[q->n_pids++] = (pid_t)pid;
	return r;
}

static int set_codecs(struct request *q, const char *text, struct err *e)
{
	free(TAKE(q->codecs));
	return codec_parse_list(text, &q->codecs, &q->n_codecs, e);
}

static int set_sample(struct request *q, const char *text, const struct facts *f, struct err *e)
{
	uint64_t ram = f->mem_total_bytes > 0 ? (uint64_t)f->mem_total_bytes : 0;
	int r = units_parse_size(text, ram, "--sample", &q->sample_bytes, e);

	if (r == 0 && q->sample_bytes < PAGE_BYTES)
		return err_usage(e, -ERANGE, "--sample: '%s' is less than one page of 4096 bytes",
				 text);
	/* Sample and pool must fit; more would measure the machine's swapping. */
	if (r == 0 && ram && q->sample_bytes > ram / 2)
		return err_usage(e, -ERANGE, "--sample: '%s' is more than half of the RAM here",
				 text);
	return r;
}

static int take_option(struct request *q, int option, char *value, const struct facts *f,
		       struct err *e)
{
	switch (option) {
	case OPT_PID:
		return add_pid(q, value, e);
	case OPT_CGROUP:
		q->cgroups[q->n_cgroups++] = value;
		return 0;
	case OPT_FILE:
		q->files[q->n_files++] = value;
		return 0;
	case OPT_CODEC:
		return set_codecs(q, value, e);
	case OPT_SAMPLE:
		return set_sample(q, value, f, e);
	case OPT_SAVE:
		q->save = value;
		return 0;
	default:
		q->all |= option == OPT_ALL;
		q->no_swapped |= option == OPT_NO_SWAPPED;
		q->json |= option == OPT_JSON;
		q->bytes |= option == OPT_BYTES;
		q->noheadings |= option == OPT_NOHEADINGS;
		return 0;
	}
}

static uint64_t default_sample(const struct facts *f)
{
	uint64_t quarter =
		f->mem_available_bytes > 0 ? (uint64_t)f->mem_available_bytes / 4 : UINT64_MAX;

	if (quarter > SURVEY_SAMPLE_BYTES)
		return SURVEY_SAMPLE_BYTES;
	return quarter < PAGE_BYTES ? PAGE_BYTES : quarter;
}

static int parse(const struct cli_verb *verb, int argc, char **argv, const struct facts *f,
		 struct request *q, struct err *e)
{
	struct cli_args args = {.verb = verb, .argc = argc, .argv = argv};
	size_t most = (size_t)argc + 1;
	int option, r;

	q->pids = calloc(most, sizeof(*q->pids));
	q->cgroups = calloc(most, sizeof(*q->cgroups));
	q->files = calloc(most, sizeof(*q->files));
	if (!q->pids || !q->cgroups || !q->files)
		return err_failed(e, -ENOMEM, "out of memory");
	q->sample_bytes = default_sample(f);
	while ((option = cli_next(&args, e)) >= 0) {
		r = take_option(q, option, (char *)args.value, f, e);
		if (r < 0)
			return r;
	}
	if (option == CLI_BAD)
		return -EINVAL;
	if (args.next < argc)
		return err_usage(e, -EINVAL, "unexpected '%s'; for a file write --file %s",
				 argv[args.next], argv[args.next]);
	if (!q->n_pids && !q->n_cgroups && !q->n_files)
		q->all = true;
	return q->codecs ? 0 : set_codecs(q, SURVEY_CODECS, e);
}

static const char *size_cell(uint64_t value, bool bytes, char buf[24])
{
	if (bytes)
		snprintf(buf, 24, "%" PRIu64, value);
	else
		units_format_size(value, buf);
	return buf;
}

static void ratio_cell(struct table *t, double ratio)
{
	if (ratio > 0)
		table_cell(t, "%.2f", ratio);
	else
		table_cell(t, "-");
}

static const char *kernel_cell(const struct survey *s, const struct measure_result *c)
{
	if (!c->kernel_name)
		return "-";
	return facts_offer_algorithm(&s->machine, c->kernel_name) ? "offered" : "known";
}

static void size_or_dash(struct table *t, const char *before, uint64_t value, bool bytes)
{
	char buf[24];

	if (value)
		table_cell(t, "%s%s", before, size_cell(value, bytes, buf));
	else
		table_cell(t, "-");
}

/* What a table has of a codec: memory, time, or both in one line. */
enum part { PART_MEMORY = 1, PART_TIME = 2, PART_BOTH = 3, WIDTH_OF_BOTH = 121 };

static void memory_cells(struct table *t, const struct survey *s, const struct measure_result *c,
			 bool bytes)
{
	const char *nearly = c->kernel_approximate ? "~" : "";

	table_cell(t, "%s", kernel_cell(s, c));
	ratio_cell(t, survey_ratio(s, c->compr_bytes));
	ratio_cell(t, survey_ratio(s, c->mem_used_bytes));
	table_cell(t, "%.1f", 100 * (double)s->same_pages / (double)s->sample.n_pages);
	table_cell(t, "%.1f", 100 * (double)c->huge_pages / (double)s->sample.n_pages);
	size_or_dash(t, "", survey_gib_holds(s, c), bytes);
	size_or_dash(t, nearly,
		     c->kernel_mem_used_bytes < 0 ? 0 : (uint64_t)c->kernel_mem_used_bytes, bytes);
	size_or_dash(t, nearly, survey_kernel_gib_holds(s, c), bytes);
}

static void time_cells(struct table *t, const struct measure_result *c)
{
	table_cell(t, "%.1f", c->compress_ns_p50 / 1e3);
	table_cell(t, "%.1f", c->compress_ns_p99 / 1e3);
	table_cell(t, "%.1f", c->decompress_ns_p50 / 1e3);
	table_cell(t, "%.1f", c->decompress_ns_p99 / 1e3);
	table_cell(t, "%.2f", c->compress_gb_s);
	table_cell(t, "%.2f", c->decompress_gb_s);
}

static void columns(struct table *t, const char *const *headings, size_t n)
{
	for (size_t i = 0; i < n; i++)
		table_column(t, headings[i],
			     strcmp(headings[i], "KERNEL") ? TABLE_RIGHT : TABLE_LEFT);
}

static int print_part(const struct survey *s, const struct request *q, enum part part)
{
	static const char *const memory[] = {"KERNEL", "RATIO", "MEM-RATIO", "SAME%",
					     "HUGE%",  "1GIB",	"ZRAM-MEM",  "ZRAM-1GIB"};
	static const char *const time[] = {"C-US", "C-P99", "D-US", "D-P99", "C-GB/S", "D-GB/S"};
	struct table *t = table_new();
	int r;

	table_column(t, "ALGORITHM", TABLE_LEFT);
	if (part & PART_MEMORY)
		columns(t, memory, sizeof(memory) / sizeof(memory[0]));
	if (part & PART_TIME)
		columns(t, time, sizeof(time) / sizeof(time[0]));
	for (size_t i = 0; i < s->n_codecs; i++) {
		table_cell(t, "%s", s->codecs[i].name);
		if (part & PART_MEMORY)
			memory_cells(t, s, &s->codecs[i], q->bytes);
		if (part & PART_TIME)
			time_cells(t, &s->codecs[i]);
	}
	r = table_print(t, stdout, !q->noheadings);
	table_free(t);
	return r;
}

/* One line a codec, but on a terminal too narrow for it two tables. */
static int print_table(const struct survey *s, const struct request *q)
{
	struct winsize size;
	int r;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col ||
	    size.ws_col >= WIDTH_OF_BOTH)
		return print_part(s, q, PART_BOTH);
	r = print_part(s, q, PART_MEMORY);
	if (r == 0) {
		fputc('\n', stdout);
		r = print_part(s, q, PART_TIME);
	}
	return r;
}

static const char legend[] =
	"RATIO is of the data, MEM-RATIO of all memory that snug's engine takes for it;\n"
	"1GIB is what 1 GiB of RAM holds that way. C and D: to compress and to decompress\n"
	"a page, microseconds (median and 99th percentile) and 10^9 bytes a second on one\n"
	"core. KERNEL: offered by this kernel's zram, or only known to kernels; ZRAM-MEM\n"
	"is the mem_used_total that zram would show, ZRAM-1GIB what 1 GiB holds in it\n"
	"(~: nearly).\n\n";

static int print(const struct survey *s, const struct request *q)
{
	int r;

	if (q->json)
		return survey_write_json(s, stdout);
	if (q->noheadings)
		return print_table(s, q);
	survey_print_sample(s, q->bytes, stdout);
	fputc('\n', stdout);
	r = print_table(s, q);
	if (r < 0)
		return r;
	fputs(legend, stdout);
	survey_print_machine(s, q->bytes, stdout);
	fputc('\n', stdout);
	survey_print_meaning(s, stdout);
	return 0;
}

/* Is the name free for --save? Asked before the work, so that a bad name costs no wait. */
static int check_save(const char *path, struct err *e)
{
	struct fileio_new file;
	int r = fileio_new_begin(&file, path, e);

	fileio_new_abort(&file);
	return r;
}

static int save(const struct survey *s, const char *path, struct err *e)
{
	struct fileio_new file;
	int r = fileio_new_begin(&file, path, e);

	if (r == 0) {
		r = fileio_write_all(file.fd, s->sample.pages, s->sample.n_pages * PAGE_BYTES);
		if (r < 0)
			err_failed(e, r, "cannot save the pages in %s: %s; nothing was left there",
				   path, err_name(r));
	}
	if (r == 0)
		r = fileio_new_commit(&file, e);
	fileio_new_abort(&file);
	if (r == -ENOSPC || r == -EDQUOT)
		err_missing(
			e, r,
			"cannot save the pages in %s: %s; %zu MiB are needed, nothing was left there",
			path, err_name(r), (s->sample.n_pages * PAGE_BYTES + (1 << 20) - 1) >> 20);
	return r;
}

static int survey(const struct request *q, int root, struct err *e)
{
	struct sample_request request = {
		.root = root,
		.pids = q->pids,
		.n_pids = q->n_pids,
		.cgroups = q->cgroups,
		.n_cgroups = q->n_cgroups,
		.all = q->all,
		.files = q->files,
		.n_files = q->n_files,
		.max_bytes = q->sample_bytes,
		.leave_swapped = q->no_swapped,
		.seed = (uint64_t)time(NULL),
	};
	struct survey s = {0};
	int r = q->save ? check_save(q->save, e) : 0;

	if (r == 0)
		r = survey_run(&request, q->codecs, q->n_codecs, &s, e);
	if (r == 0 && q->save)
		r = save(&s, q->save, e);
	if (r == 0) {
		r = print(&s, q);
		if (r < 0)
			err_failed(e, r, "cannot write the result: %s", err_name(r));
	}
	survey_free(&s);
	return r;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	CLEANUP_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct request q = {0};
	struct err e = {0};
	struct facts facts;
	int r;

	facts_read(root, &facts);
	r = codec_init();
	if (r < 0)
		err_failed(&e, r, "a compression library is broken: %s", err_name(r));
	if (r == 0)
		r = parse(verb, argc, argv, &facts, &q, &e);
	if (r == 0)
		r = survey(&q, root, &e);
	request_free(&q);
	return r < 0 ? cli_fail(verb, &e) : 0;
}

const struct cli_verb cmd_survey = {
	.name = "survey",
	.summary = "what compressed memory would give on this machine, with its own pages",
	.usage = "[OPTIONS]",
	.options = options,
	.examples = "  snug survey                          all processes that may be read\n"
		    "  snug survey --pid 1234 --json        one process, for a program to read\n"
		    "  snug survey --cgroup user.slice --codec lzo-rle,zstd:1+auto\n"
		    "  snug survey --file heap.bin --sample 64M\n",
	.run = run,
};
