/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A race at a terminal: what was run, the table, what to doubt, and the verdict last, because that
 * is where the eye is when a long command ends.
 *
 * Outcomes are the last column, so that the reason why a backend can't be had stands in its row and
 * widens no column.
 */
#include "race_text.h"

#include "race_result.h"
#include "race_text_trials.h"
#include "sheet.h"
#include "table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void print_plan(struct sheet *s, const struct race_plan *plan)
{
	char peak[SHEET_SIZE_MAX], budget[SHEET_SIZE_MAX];

	sheet_paragraph(s, "Race: %s, which needs %s, in %s; %u run%s of each. %s", plan->workload,
			sheet_size(s, plan->peak_bytes, peak),
			sheet_size(s, plan->budget_bytes, budget), plan->runs,
			plan->runs == 1 ? "" : "s",
			plan->naive ? "The limit is naive: it is the workload's alone, and what a "
				      "compressed pool takes comes on top, for nothing."
				    : "The limit is fair: the workload and what a compressed pool "
				      "takes share it.");
}

static void append(char *buf, size_t size, const char *before, const char *text, const char *after)
{
	size_t len = strlen(buf);

	if (*text)
		snprintf(buf + len, size - len, "%s%s%s", before, text, after);
}

static void print_machine(struct sheet *s, const struct race_machine *m)
{
	char text[512] = "Machine: Linux ", buf[SHEET_SIZE_MAX];

	append(text, sizeof(text), "", *m->kernel ? m->kernel : "(release unknown)", "");
	append(text, sizeof(text), ", ", m->cpu_model, "");
	if (m->cpus > 0) {
		snprintf(buf, sizeof(buf), "%" PRId64, m->cpus);
		append(text, sizeof(text), ", ", buf, m->cpus == 1 ? " CPU" : " CPUs");
	}
	if (m->mem_total_bytes >= 0)
		append(text, sizeof(text), ", ", sheet_size(s, m->mem_total_bytes, buf), " RAM");
	append(text, sizeof(text), "; swap files on ", m->disk, "");
	sheet_paragraph(s, "%s.", text);
}

static void add_outcome(struct table *t, const struct race_summary *of)
{
	if (*of->unavailable)
		table_cell(t, "not available: %s", of->unavailable);
	else if (!of->runs)
		table_cell(t, "not run");
	else if (of->ok == of->runs)
		table_cell(t, "%u/%u ok", of->ok, of->runs);
	else
		table_cell(t, "%s", of->outcomes);
}

static bool ran(const struct race_summary *of)
{
	return !*of->unavailable;
}

static void add_frames(struct table *t, const struct race_summary *of)
{
	bool known = ran(of) && of->frame_ns_p99 >= 0;

	sheet_cell_real(t, "%.1f", ran(of) ? of->fps_min : NAN);
	sheet_cell_real(t, "%.1f", ran(of) ? of->fps_avg : NAN);
	sheet_cell_real(t, "%.1f", known ? (double)of->frame_ns_p99 / 1e6 : NAN);
}

static void add_summary(struct table *t, const struct race_summary *of, bool frames)
{
	const double seconds[] = {of->median_real_s, of->low,	       of->high,
				  of->median_user_s, of->median_sys_s, of->vs_none};

	table_cell(t, "%s", of->backend);
	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
		sheet_cell_real(t, "%.2f", ran(of) ? seconds[i] : NAN);
	sheet_cell_count(t, ran(of) ? of->major_faults : -1);
	sheet_cell_count(t, ran(of) ? of->pswpout : -1);
	sheet_cell_real(t, "%.2f", ran(of) ? of->ratio : NAN);
	sheet_cell_real(t, "%.1f", ran(of) ? of->psi_some_s : NAN);
	sheet_cell_real(t, "%.1f", ran(of) ? of->psi_full_s : NAN);
	if (frames)
		add_frames(t, of);
	add_outcome(t, of);
}

static bool has_frames(const struct race_result *r)
{
	for (size_t i = 0; i < r->n_summary; i++)
		if (ran(&r->summary[i]) && !isnan(r->summary[i].fps_avg))
			return true;
	return false;
}

static void print_summary(struct sheet *s, const struct race_result *r, bool headings)
{
	static const char *const figures[] = {"REAL",  "LOW",	   "HIGH",     "USER",
					      "SYS",   "xNONE",	   "MAJFLT",   "SWPOUT",
					      "RATIO", "PSI-SOME", "PSI-FULL", NULL};
	static const char *const frames[] = {"FPS-MIN", "FPS-AVG", "P99-MS", NULL};
	struct table *t = table_new();

	table_column(t, "BACKEND", TABLE_LEFT);
	sheet_columns(t, figures);
	if (has_frames(r))
		sheet_columns(t, frames);
	table_column(t, "OUTCOME", TABLE_LEFT);
	for (size_t i = 0; i < r->n_summary; i++)
		add_summary(t, &r->summary[i], has_frames(r));
	sheet_table(s, t, headings);
}

static void print_legend(struct sheet *s, const struct race_result *r)
{
	sheet_paragraph(
		s,
		"REAL: seconds without scripted waits, the median of the runs that were ok; "
		"LOW to HIGH: its 95%% interval; xNONE: REAL over that of none. MAJFLT, SWPOUT: "
		"pages. RATIO: pages over the RAM that the pool takes. PSI: seconds in which "
		"some or all of the workload waited for memory.%s",
		has_frames(r) ? " P99: one frame in a hundred took longer." : "");
}

static bool is_shown(const struct race_check *c, bool all)
{
	return all || c->verdict == RACE_CHECK_WARN || c->verdict == RACE_CHECK_FAIL;
}

/* What the names leave to the details. */
static size_t detail_width(const struct race_result *r, bool all)
{
	size_t longest = 0;

	for (size_t i = 0; i < r->n_checks; i++) {
		size_t len = strlen(r->checks[i].name);

		if (is_shown(&r->checks[i], all) && len > longest)
			longest = len;
	}
	return SHEET_WIDTH - strlen("  warn  ") - longest - strlen("  ");
}

static void print_checks(struct sheet *s, const struct race_result *r, bool all)
{
	struct table *t = table_new();
	size_t shown = 0;

	for (int i = 0; i < 4; i++)
		table_column(t, "", TABLE_LEFT);
	for (size_t i = 0; i < r->n_checks; i++) {
		const struct race_check *c = &r->checks[i];

		if (!is_shown(c, all))
			continue;
		shown++;
		table_cell(t, "%s", "");
		table_cell(t, "%s", race_check_name(c->verdict));
		table_cell(t, "%s", c->name);
		sheet_cell_wrapped(t, c->detail, detail_width(r, all), 3);
	}
	if (shown) {
		sheet_empty_line(s);
		sheet_paragraph(s, all ? "Checks:" : "Checks that did not pass:");
	}
	sheet_table(s, t, false);
}

static void print_verdict(struct sheet *s, const struct race_result *r)
{
	const struct race_verdict *v = &r->verdict;

	sheet_empty_line(s);
	if (r->partial)
		sheet_paragraph(s, "The race was interrupted: not all runs are in it.");
	sheet_paragraph(s, "Best here: %s", *v->backend ? v->backend : "no backend can be named");
	if (*v->why)
		sheet_paragraph(s, "%s", v->why);
	if (*v->unknown)
		sheet_paragraph(s, "Not known: %s", v->unknown);
}

int race_text(const struct race_result *r, const struct race_text_style *style, FILE *out)
{
	struct sheet s = {.out = out, .bytes = style->bytes};

	if (style->noheadings) {
		print_summary(&s, r, false);
	} else {
		print_plan(&s, &r->plan);
		print_machine(&s, &r->machine);
		sheet_empty_line(&s);
		print_summary(&s, r, true);
		print_legend(&s, r);
		if (style->verbose)
			race_text_trials(&s, r);
		print_checks(&s, r, style->verbose);
		print_verdict(&s, r);
	}
	if (s.code == 0 && (fflush(out) != 0 || ferror(out)))
		s.code = -EIO;
	return s.code;
}
