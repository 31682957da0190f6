/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * snug bench pages: one set of pages through several targets, side by side.
 * Ctrl-C must not leave a zram device behind: see signals.h.
 */
#include "cli.h"

#include "cleanup.h"
#include "facts.h"
#include "pages.h"
#include "pool.h"
#include "progress.h"
#include "result.h"
#include "run.h"
#include "signals.h"
#include "store.h"
#include "table.h"
#include "units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { RUNS_DEFAULT = 5, RUNS_MOST = 1000, SEED_DEFAULT = 1 };

enum option {
	OPT_INPUT,
	OPT_GENERATE,
	OPT_SEED,
	OPT_SIZE,
	OPT_TARGET,
	OPT_CODEC,
	OPT_POOL,
	OPT_THREADS,
	OPT_RUNS,
	OPT_JSON,
	OPT_BYTES,
	OPT_NOHEADINGS,
};

static const struct cli_option options[] = {
	[OPT_INPUT] = {"input", "FILE",
		       "a file of pages, 4096 bytes each, as 'snug survey --save' makes"},
	[OPT_GENERATE] = {"generate", "KIND:SIZE",
			  "make pages instead: text, heap, random, zero or mix, as in heap:64M"},
	[OPT_SEED] = {"seed", "N",
		      "for --generate: another number, other pages of that kind (default 1)"},
	[OPT_SIZE] =
		{"size", "LIST",
		 "bytes that each target is to hold, the pages repeated or cut off (default: the pages)"},
	[OPT_TARGET] =
		{"target", "LIST",
		 "raw (the bare codec loop: the limit), engine, zram:ALG (the kernel's, on a device added for it; "
		 "direct I/O of 4 KiB and of 1 MiB, or one of them: zram:ALG@4k, zram:ALG@1m; needs root) "
		 "(default raw,engine)"},
	[OPT_CODEC] = {"codec", "LIST", "for raw and engine (default " SNUG_CODEC_DEFAULT ")"},
	[OPT_POOL] = {"pool", "LIST",
		      "for engine: zsmalloc, zbud, z3fold (default " SNUG_POOL_DEFAULT ")"},
	[OPT_THREADS] = {"threads", "LIST", "how many threads write and read (default 1)"},
	[OPT_RUNS] = {"runs", "N", "measure everything N times, interleaved (default 5)"},
	[OPT_JSON] = {"json", NULL, "print one JSON object"},
	[OPT_BYTES] = {"bytes", NULL, "print sizes in bytes"},
	[OPT_NOHEADINGS] = {"noheadings", NULL, "print the lines of the table alone"},
	{0},
};

struct request {
	const char *input, *generate;
	uint64_t seed;
	struct target_lists lists;
	unsigned runs;
	bool json, bytes, noheadings;
};

static int take_option(struct request *q, enum option option, const char *value, struct err *e)
{
	int64_t number = 0;
	int r = 0;

	switch (option) {
	case OPT_INPUT:
		q->input = value;
		break;
	case OPT_GENERATE:
		q->generate = value;
		break;
	case OPT_SEED:
		r = units_parse_int(value, 0, INT64_MAX, "--seed", &number, e);
		q->seed = (uint64_t)number;
		break;
	case OPT_SIZE:
		q->lists.sizes = value;
		break;
	case OPT_TARGET:
		q->lists.targets = value;
		break;
	case OPT_CODEC:
		q->lists.codecs = value;
		break;
	case OPT_POOL:
		q->lists.pools = value;
		break;
	case OPT_THREADS:
		q->lists.threads = value;
		break;
	case OPT_RUNS:
		r = units_parse_int(value, 1, RUNS_MOST, "--runs", &number, e);
		q->runs = (unsigned)number;
		break;
	case OPT_JSON:
		q->json = true;
		break;
	case OPT_BYTES:
		q->bytes = true;
		break;
	case OPT_NOHEADINGS:
		q->noheadings = true;
		break;
	}
	return r;
}

static int parse(const struct cli_verb *verb, int argc, char **argv, struct request *ret,
		 struct err *e)
{
	struct cli_args args = {.verb = verb, .argc = argc, .argv = argv};
	struct request q = {
		.seed = SEED_DEFAULT,
		.lists = {.targets = "raw,engine",
			  .codecs = SNUG_CODEC_DEFAULT,
			  .pools = SNUG_POOL_DEFAULT,
			  .threads = "1"},
		.runs = RUNS_DEFAULT,
	};
	int option, r = 0;

	while (r == 0 && (option = cli_next(&args, e)) >= 0)
		r = take_option(&q, (enum option)option, args.value, e);
	if (r < 0)
		return r;
	if (option == CLI_BAD)
		return -EINVAL;
	if (args.next < argc)
		return err_usage(e, -EINVAL,
				 "'%s' is not an option; a file of pages comes after --input",
				 argv[args.next]);
	if (!q.input == !q.generate)
		return err_usage(e, -EINVAL,
				 "say which pages, with %s --input FILE or --generate KIND:SIZE%s",
				 q.input ? "either" : "one of", q.input ? ", not both" : "");
	*ret = q;
	return 0;
}

static void show_progress(void *arg, const struct target_config *now, uint64_t done, uint64_t total)
{
	struct progress *p = arg;

	p->label = now->name;
	p->total = total;
	progress_update(p, done);
}

/*
 * So that an experiment that is too large ends with a sentence and not with the kernel's choice of
 * a victim.
 */
static uint64_t memory_to_use(int root)
{
	CLEANUP_FREE struct facts *f = malloc(sizeof(*f));

	if (!f)
		return 0;
	facts_read(root, f);
	return f->mem_available_bytes > 0 ? (uint64_t)f->mem_available_bytes / 10 * 8 : 0;
}

static void table_size(struct table *t, const struct request *q, uint64_t bytes)
{
	char buf[UNITS_SIZE_MAX];

	if (q->bytes)
		table_cell(t, "%" PRIu64, bytes);
	else
		table_cell(t, "%s", units_format_size(bytes, buf));
}

/* "4.31 ±2%": microseconds, and how far off the farther end of the interval is. */
static void table_time(struct table *t, const struct bench_row *row, enum bench_metric m)
{
	double median = row->metric[m].median, low = median - row->metric[m].interval.low;
	double high = row->metric[m].interval.high - median;

	if (row->runs == 1)
		table_cell(t, "%.2f", median / 1000);
	else
		table_cell(t, "%.2f ±%.0f%%", median / 1000,
			   (low > high ? low : high) / median * 100);
}

static void table_row(struct table *t, const struct request *q, const struct bench_row *row)
{
	const struct target_config *c = row->config;
	const struct footprint *f = &row->footprint;

	table_cell(t, "%s", c->name);
	table_cell(t, "%s", c->codec);
	table_cell(t, "%s", c->pool ? pool_name(c->pool) : "-");
	table_cell(t, "%u", c->threads);
	table_time(t, row, BENCH_WRITE_NS);
	table_time(t, row, BENCH_READ_NS);
	table_time(t, row, BENCH_WRITE_CPU_NS);
	table_time(t, row, BENCH_READ_CPU_NS);
	table_cell(t, "%.2f", row->ratio);
	table_size(t, q, f->orig_bytes);
	table_size(t, q, f->compr_bytes);
	table_size(t, q, f->mem_used_bytes + f->meta_bytes);
	table_size(t, q, f->meta_bytes);
	table_cell(t, "%" PRIu64, f->same_pages);
	if (f->huge_pages < 0)
		table_cell(t, "-");
	else
		table_cell(t, "%" PRId64, f->huge_pages);
}

static int print_table(const struct request *q, const struct bench_row *rows, size_t n,
		       struct err *e)
{
	static const char *const left[] = {"TARGET", "CODEC", "POOL"};
	static const char *const right[] = {"THREADS",	"WRITE", "READ", "WRITE-CPU",
					    "READ-CPU", "RATIO", "DATA", "COMPR",
					    "TOTAL",	"META",	 "SAME", "HUGE"};
	struct table *t = table_new();
	int r;

	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]); i++)
		table_column(t, left[i], TABLE_LEFT);
	for (size_t i = 0; i < sizeof(right) / sizeof(right[0]); i++)
		table_column(t, right[i], TABLE_RIGHT);
	for (size_t i = 0; i < n; i++)
		table_row(t, q, &rows[i]);
	r = table_print(t, stdout, !q->noheadings);
	table_free(t);
	if (r < 0)
		return err_failed(e, r, "cannot print the table: %s", err_name(r));
	if (!q->noheadings)
		printf("\nTimes: us a page, median of %u, ± the 95%% interval; CPU: user and kernel, all threads.\n"
		       "RATIO: DATA over TOTAL, which is all that is held, META included; zram does not tell its META.\n",
		       q->runs);
	return 0;
}

static int print_json(const struct page_set *pages, const struct bench_row *rows, size_t n,
		      struct err *e)
{
	json_t *result = bench_result_json(pages, rows, n);
	int r = 0;

	if (!result)
		return err_failed(e, -ENOMEM, "out of memory");
	if (json_dumpf(result, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(7)) < 0 ||
	    putchar('\n') < 0)
		r = err_failed(e, -EIO, "cannot write the result: %s", err_name(-errno));
	json_decref(result);
	return r;
}

static int report(const struct request *q, const struct bench_plan *plan,
		  const struct bench_sample *samples, struct err *e)
{
	CLEANUP_FREE struct bench_row *rows = calloc(plan->n_configs, sizeof(*rows));
	int r = rows ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < plan->n_configs; i++)
		r = bench_row_make(&plan->configs[i], samples + i * plan->runs, plan->runs,
				   &rows[i]);
	if (r < 0)
		return err_failed(e, r, "out of memory");
	return q->json ? print_json(plan->pages, rows, plan->n_configs, e)
		       : print_table(q, rows, plan->n_configs, e);
}

static int measure(const struct request *q, const struct page_set *pages,
		   const struct target_config *configs, size_t n, struct err *e)
{
	CLEANUP_CLOSE int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_FREE struct bench_sample *samples = calloc(n * q->runs, sizeof(*samples));
	struct progress progress;
	const struct bench_plan plan = {
		.pages = pages,
		.configs = configs,
		.n_configs = n,
		.runs = q->runs,
		.mem_limit_bytes = memory_to_use(root),
		.root = root,
		.stop = signals_stop(),
		.progress = show_progress,
		.progress_arg = &progress,
	};
	int r;

	if (!samples)
		return err_failed(e, -ENOMEM, "out of memory");
	progress_begin(&progress, configs[0].name, 1);
	r = bench_run(&plan, samples, e);
	progress_end(&progress);
	return r < 0 ? r : report(q, &plan, samples, e);
}

static int run_request(const struct cli_verb *verb, const struct request *q, struct err *e)
{
	CLEANUP_FREE struct target_config *configs = NULL;
	CLEANUP(pages_free) struct page_set pages = {0};
	size_t n;
	int r = target_plan(&q->lists, &configs, &n, e);

	if (r == 0)
		r = q->input ? pages_load(q->input, &pages, e)
			     : pages_generate(q->generate, q->seed, &pages, e);
	if (r < 0)
		return r;
	if (pages.padded_bytes)
		fprintf(stderr,
			"snug %s: %s is not a multiple of 4096 bytes; its last page is padded with %zu zeros\n",
			verb->name, pages.source, pages.padded_bytes);
	signals_catch();
	r = measure(q, &pages, configs, n, e);
	signals_release();
	return r;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
	struct request q;
	struct err e;
	int r = parse(verb, argc, argv, &q, &e);

	if (r == 0)
		r = run_request(verb, &q, &e);
	return r < 0 ? cli_fail(verb, &e) : 0;
}

const struct cli_verb cmd_bench_pages = {
	.name = "bench pages",
	.summary = "time compressed stores, and the kernel's zram, on the same pages",
	.usage = "--input FILE | --generate KIND:SIZE [OPTIONS]",
	.options = options,
	.examples = "  snug bench pages --generate heap:64M --codec zstd:1+auto,lz4\n"
		    "  snug bench pages --input heap.pages --target raw,engine,zram:lzo-rle\n",
	.run = run,
};
