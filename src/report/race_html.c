/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page that needs nothing but itself: it may be mailed, kept for years, and opened on a machine
 * without a network. So style, script and Chart.js are inside it, and its own policy (CSP) forbids
 * it to load anything.
 *
 * Words and tables are written here and are there without JavaScript. The charts are page.js's
 * business, which reads the whole results, in the form that result files have, from a script
 * element that is only data. Containers of charts are hidden until the script shows them.
 */
#include "race_html.h"

#include "cleanup.h"
#include "html.h"
#include "race_json.h"
#include "race_result.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Made by scripts/embed at build time. */
extern const char page_css[], page_js[], chart_min_js[];

static const char *outcome(const void *value, char buf[HTML_VALUE_MAX])
{
	return race_outcome_name(*(const enum race_outcome *)value);
}

static const char *check_verdict(const void *value, char buf[HTML_VALUE_MAX])
{
	return race_check_name(*(const enum race_check_verdict *)value);
}

/* Of a row of the summary. */
static const char *unavailable(const void *row, char buf[HTML_VALUE_MAX])
{
	return ((const struct race_summary *)row)->unavailable;
}

#define WORDS(type, name, member, about)                                     \
	{                                                                    \
		name, about, HTML_WORDS, html_string, offsetof(type, member) \
	}
#define NUMBER(type, name, member, form, about)                               \
	{                                                                     \
		name, about, HTML_NUMBER, html_##form, offsetof(type, member) \
	}

#define SUMMARY(...) NUMBER(struct race_summary, __VA_ARGS__)
static const struct html_field summary_fields[] = {
	WORDS(struct race_summary, "Backend", backend, NULL),
	WORDS(struct race_summary, "Runs", outcomes, "how the runs ended"),
	SUMMARY("Real s", median_real_s, seconds,
		"median over the runs that were ok, without scripted waits"),
	SUMMARY("From", low, seconds, "95% interval of the median: its lower end"),
	SUMMARY("To", high, seconds, "95% interval of the median: its upper end"),
	SUMMARY("vs none", vs_none, ratio, "median over the median without a limit"),
	SUMMARY("p", p, probability,
		"Mann-Whitney against the fastest (of the fastest: against the "
		"next), after Holm"),
	SUMMARY("User s", median_user_s, seconds, "CPU in programs"),
	SUMMARY("Sys s", median_sys_s, seconds, "CPU in the kernel"),
	SUMMARY("Major faults", major_faults, count, "pages that had to be read"),
	SUMMARY("Swapped out", pswpout, count, "pages"),
	SUMMARY("Ratio", ratio, ratio, "pages before compression over the RAM that the pool takes"),
	SUMMARY("Some s", psi_some_s, seconds, "some of it waited for memory (PSI)"),
	SUMMARY("Full s", psi_full_s, seconds, "all of it waited for memory (PSI)"),
	SUMMARY("FPS avg", fps_avg, ratio, "frames a second"),
	SUMMARY("FPS min", fps_min, ratio, "frames in the worst second"),
	SUMMARY("p99 ms", frame_ns_p99, ns, "one frame in a hundred took longer"),
	SUMMARY("Score", score, ratio, NULL),
	WORDS(struct race_summary, "Outliers", outliers, "runs far from the rest; they count"),
	{0},
};

#define TRIAL(...) NUMBER(struct race_trial, __VA_ARGS__)
static const struct html_field trial_fields[] = {
	WORDS(struct race_trial, "Backend", backend, NULL),
	TRIAL("Run", run, unsigned, NULL),
	TRIAL("Order", order, unsigned, "when it was run"),
	{"Outcome", NULL, HTML_STATE, outcome, offsetof(struct race_trial, outcome)},
	TRIAL("Net s", net_s, seconds, "real time without scripted waits"),
	TRIAL("Real s", real_s, seconds, NULL),
	TRIAL("User s", user_s, seconds, "CPU in programs"),
	TRIAL("Sys s", sys_s, seconds, "CPU in the kernel"),
	TRIAL("Budget s", budget_cpu_s, seconds, "CPU spent on holding the budget; not in Sys"),
	TRIAL("Major faults", major_faults, count, "pages that had to be read"),
	TRIAL("Swapped in", pswpin, count, "pages"),
	TRIAL("Swapped out", pswpout, count, "pages"),
	TRIAL("Full s", psi_full_s, seconds, "all of it waited for memory (PSI)"),
	TRIAL("Peak", peak_bytes, bytes, "highest memory usage of the control group"),
	TRIAL("In pool", orig_bytes, bytes, "pages in the pool at its fullest, before compression"),
	TRIAL("Pool RAM", mem_used_bytes, bytes, "what the pool took then"),
	TRIAL("Disk read", disk_read_bytes, bytes, "of the device behind swap"),
	TRIAL("Disk written", disk_write_bytes, bytes, "of the device behind swap"),
	TRIAL("Over budget", budget_excess_bytes, bytes, "usage and pool, at worst"),
	TRIAL("FPS avg", fps_avg, ratio, "frames a second"),
	TRIAL("p99 ms", frame_ns_p99, ns, "one frame in a hundred took longer"),
	WORDS(struct race_trial, "Detail", detail, NULL),
	{0},
};

static const struct html_field check_fields[] = {
	WORDS(struct race_check, "Check", name, NULL),
	{"Result", NULL, HTML_STATE, check_verdict, offsetof(struct race_check, verdict)},
	WORDS(struct race_check, "What was seen", detail, NULL),
	{0},
};

#define MACHINE(...) NUMBER(struct race_result, __VA_ARGS__)
static const struct html_field machine_fields[] = {
	WORDS(struct race_result, "CPU", machine.cpu_model, NULL),
	MACHINE("CPUs", machine.cpus, count, NULL),
	MACHINE("RAM", machine.mem_total_bytes, bytes, NULL),
	WORDS(struct race_result, "Kernel", machine.kernel, NULL),
	WORDS(struct race_result, "Swap files on", machine.disk, NULL),
	MACHINE("Bytes a second the disk's link carries", machine.disk_link_bytes_per_s, bytes,
		NULL),
	MACHINE("Control groups, version", machine.cgroup_version, count, NULL),
	MACHINE("vm.page-cluster", machine.page_cluster, count, NULL),
	MACHINE("vm.swappiness", machine.swappiness, count, NULL),
	WORDS(struct race_result, "Transparent huge pages", machine.thp, NULL),
	WORDS(struct race_result, "Program", machine.program, NULL),
	{0},
};

static const struct html_field plan_fields[] = {
	WORDS(struct race_result, "Workload", plan.workload, NULL),
	MACHINE("Memory it needs", plan.peak_bytes, bytes, NULL),
	MACHINE("Budget", plan.budget_bytes, bytes, NULL),
	MACHINE("Pool not counted in the budget", plan.naive, flag, NULL),
	MACHINE("Pressure asked for", plan.pressure, ratio, NULL),
	MACHINE("Runs of each", plan.runs, unsigned, NULL),
	MACHINE("Jobs", plan.jobs, unsigned, NULL),
	MACHINE("Seed", plan.seed, uint64, NULL),
	WORDS(struct race_result, "On CPUs", plan.cpus, NULL),
	MACHINE("Time limit of a run, s", plan.timeout_s, seconds, NULL),
	MACHINE("Thrashing after, s", plan.thrash_s, seconds, NULL),
	WORDS(struct race_result, "Begun", begun, NULL),
	MACHINE("Took, s", took_s, seconds, NULL),
	{0},
};

static void put_element(FILE *out, const char *name, const char *text)
{
	fprintf(out, "<%s>", name);
	html_text(out, text);
	fprintf(out, "</%s>\n", name);
}

/* Nothing for a text that is not known. */
static void put_part(FILE *out, const char *before, const char *text, const char *after)
{
	if (!*text)
		return;
	fputs(before, out);
	html_text(out, text);
	fputs(after, out);
}

/* "build in 128M on Cortex-A53": what tells one result from another. */
static void put_name(FILE *out, const struct race_result *r)
{
	char buf[HTML_VALUE_MAX];

	html_text(out, r->plan.workload);
	put_part(out, " in ", html_bytes(&r->plan.budget_bytes, buf), "");
	put_part(out, " on ", r->machine.cpu_model, "");
}

static void put_machine_in_short(FILE *out, const struct race_machine *m)
{
	char buf[HTML_VALUE_MAX];

	fputs("<p class=\"quiet\">", out);
	put_part(out, "", html_count(&m->cpus, buf), " CPUs");
	put_part(out, ", ", html_bytes(&m->mem_total_bytes, buf), " RAM");
	put_part(out, ", kernel ", m->kernel, "");
	put_part(out, ", swap files on ", m->disk, "");
	fputs("</p>\n", out);
}

static void put_checks_in_short(FILE *out, const struct race_result *r, size_t number)
{
	size_t count[RACE_CHECK_SKIP + 1] = {0};

	for (size_t i = 0; i < r->n_checks; i++)
		count[r->checks[i].verdict]++;
	if (!count[RACE_CHECK_FAIL] && !count[RACE_CHECK_WARN])
		return;
	fprintf(out,
		"<p class=\"notice\">Read it with care: of %zu <a href=\"#checks-%zu\">checks</a>, "
		"%zu failed and %zu warned.</p>\n",
		r->n_checks, number, count[RACE_CHECK_FAIL], count[RACE_CHECK_WARN]);
}

static void put_verdict(FILE *out, const struct race_result *r, size_t number)
{
	fputs("<p class=\"verdict\">", out);
	put_part(out, "Best here: <strong>", r->verdict.backend, "</strong>");
	if (!*r->verdict.backend)
		fputs("No backend can be named.", out);
	fputs("</p>\n", out);
	put_element(out, "p", r->verdict.why);
	if (r->partial)
		fputs("<p class=\"notice\">The race was interrupted: not all runs are in it.</p>\n",
		      out);
	put_checks_in_short(out, r, number);
}

/* Shown by page.js, which fills it, unless there is nothing to draw. */
static void put_charts(FILE *out, const char *kind, const char *heading, const char *about,
		       size_t number)
{
	fprintf(out,
		"<section class=\"charts\" data-charts=\"%s\" data-result=\"%zu\" hidden>\n"
		"<h3>%s</h3>\n<p>%s</p>\n</section>\n",
		kind, number, heading, about);
}

static void put_figures(FILE *out, const struct race_result *r, size_t number)
{
	put_charts(out, "times", "Time",
		   "Median real time, without scripted waits, of the runs that were ok; "
		   "the lines are 95% intervals.",
		   number);
	html_table(out,
		   &(struct html_rows){"All figures, a line a backend", summary_fields, r->summary,
				       r->n_summary, sizeof(*r->summary), unavailable});
	put_charts(out, "frames", "Frame times",
		   "How many frames took how long, over all runs that were ok. Both scales are "
		   "logarithmic: what stutters is to the right.",
		   number);
	put_charts(
		out, "course", "Memory and CPU over time",
		"The run of each backend that is nearest to its median. The limit sinks as the pool "
		"grows: usage and pool together have the budget.",
		number);
}

static void put_rest(FILE *out, const struct race_result *r, size_t number)
{
	fprintf(out, "<h3 id=\"checks-%zu\">Checks</h3>\n", number);
	html_table(out, &(struct html_rows){"What could have made it wrong", check_fields,
					    r->checks, r->n_checks, sizeof(*r->checks), NULL});
	fputs("<h3>All runs</h3>\n", out);
	html_table(out, &(struct html_rows){"In the order they were run", trial_fields, r->trials,
					    r->n_trials, sizeof(*r->trials), NULL});
	fputs("<h3>The machine</h3>\n", out);
	html_list(out, machine_fields, r);
	fputs("<h3>To repeat it</h3>\n", out);
	put_element(out, "pre", r->plan.command_line);
	html_list(out, plan_fields, r);
}

static void put_result(FILE *out, const struct race_result *r, size_t number)
{
	fprintf(out, "<article id=\"result-%zu\">\n<h2>", number);
	put_name(out, r);
	fputs("</h2>\n", out);
	put_machine_in_short(out, &r->machine);
	put_verdict(out, r, number);
	put_figures(out, r, number);
	if (*r->verdict.unknown) {
		fputs("<h3>What is not known</h3>\n", out);
		put_element(out, "p", r->verdict.unknown);
	}
	put_rest(out, r, number);
	fputs("</article>\n", out);
}

static void put_nav(FILE *out, const struct race_result *const *results, size_t n)
{
	fputs("<nav aria-label=\"Results\">\n<ol>\n", out);
	for (size_t i = 0; i < n; i++) {
		fprintf(out, "<li><a href=\"#result-%zu\">", i);
		put_name(out, results[i]);
		fputs("</a>", out);
		put_part(out, ": ", results[i]->verdict.backend, "");
		fputs("</li>\n", out);
	}
	fputs("</ol>\n</nav>\n", out);
}

static void put_head(FILE *out, const struct race_result *first)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
	      "script-src 'unsafe-inline'; style-src 'unsafe-inline'; base-uri 'none'; "
	      "form-action 'none'\">\n"
	      "<title>Memory race: ",
	      out);
	put_name(out, first);
	fputs("</title>\n<style>\n", out);
	fputs(page_css, out);
	fputs("</style>\n</head>\n<body>\n<main>\n<h1>Memory race</h1>\n", out);
}

/* The results as page.js reads them: an array. */
static int put_data(FILE *out, const struct race_result *const *results, size_t n)
{
	fputs("<script type=\"application/json\" id=\"data\">[", out);
	for (size_t i = 0; i < n; i++) {
		CLEANUP_FREE char *text = NULL;
		size_t len;
		FILE *memory = open_memstream(&text, &len);
		int r = memory ? race_json_write(results[i], memory) : -ENOMEM;

		if (memory && fclose(memory) != 0 && r == 0)
			r = -ENOMEM;
		if (r < 0)
			return -ENOMEM; /* -EIO of memory is just that */
		if (i)
			putc(',', out);
		html_json(out, text, len);
	}
	fputs("]</script>\n", out);
	return 0;
}

int race_html(const struct race_result *const *results, size_t n, FILE *out)
{
	int r;

	put_head(out, results[0]);
	if (n > 1)
		put_nav(out, results, n);
	fputs("<noscript><p class=\"notice\">The charts need JavaScript; all figures are in the "
	      "tables.</p></noscript>\n",
	      out);
	for (size_t i = 0; i < n; i++)
		put_result(out, results[i], i);
	fputs("</main>\n", out);
	r = put_data(out, results, n);
	if (r < 0)
		return r;
	fputs("<script>\n", out);
	fputs(chart_min_js, out);
	fputs("</script>\n<script>\n", out);
	fputs(page_js, out);
	fputs("</script>\n</body>\n</html>\n", out);
	return fflush(out) != 0 || ferror(out) ? -EIO : 0;
}
