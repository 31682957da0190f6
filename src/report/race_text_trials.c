/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "race_text_trials.h"

#include "race_result.h"
#include "sheet.h"
#include "table.h"

#include <math.h>

enum { KILO = 1024 };

static void add_sample(struct sheet *s, struct table *t, const struct race_sample *of)
{
	const double figures[] = {of->at_s,
				  of->user,
				  of->nice,
				  of->system,
				  of->iowait,
				  of->steal,
				  of->idle,
				  of->tps,
				  of->read_bytes_s / KILO,
				  of->write_bytes_s / KILO};

	for (size_t i = 0; i < sizeof(figures) / sizeof(figures[0]); i++)
		sheet_cell_real(t, "%.2f", figures[i]);
	sheet_cell_size(s, t, of->orig_bytes);
	sheet_cell_size(s, t, of->mem_used_bytes);
	sheet_cell_size(s, t, of->swap_bytes);
	sheet_cell_size(s, t, of->usage_bytes);
	sheet_cell_size(s, t, of->limit_bytes);
	sheet_cell_real(t, "%.2f", of->psi_some);
	sheet_cell_real(t, "%.2f", of->psi_full);
}

static void print_samples(struct sheet *s, const struct race_trial *of)
{
	static const char *const headings[] = {
		"TIME",	 "%user", "%nice",     "%system",   "%iowait",	 "%steal",
		"%idle", "tps",	  "kB_read/s", "kB_wrtn/s", "POOL-ORIG", "POOL-USED",
		"SWAP",	 "USAGE", "LIMIT",     "%some",	    "%full",	 NULL};
	struct table *t = table_new();

	sheet_columns(t, headings);
	for (size_t i = 0; i < of->n_samples; i++)
		add_sample(s, t, &of->samples[i]);
	sheet_table(s, t, of->n_samples > 0);
}

static void print_trial(struct sheet *s, const struct race_trial *of)
{
	sheet_empty_line(s);
	sheet_paragraph(s, "%u. %s, run %u: %s%s%s", of->order, of->backend, of->run,
			race_outcome_name(of->outcome), *of->detail ? ", " : "", of->detail);
	if (!isnan(of->real_s))
		sheet_paragraph(s,
				"real %.2f s (net of waits %.2f s), user %.2f s, sys %.2f s; for "
				"holding the budget %.2f s of CPU, for sampling %.2f s",
				of->real_s, of->net_s, of->user_s, of->sys_s, of->budget_cpu_s,
				of->sampler_cpu_s);
	print_samples(s, of);
}

void race_text_trials(struct sheet *s, const struct race_result *r)
{
	for (size_t i = 0; i < r->n_trials; i++)
		print_trial(s, &r->trials[i]);
}
