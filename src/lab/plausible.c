/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The ways are collected from benchmarks of compressed memory and of swap that were wrong. One
 * table; its members are in plausible_*.c, by theme. Each looks for the one trial in which it is
 * worst, so that its sentence can name it, and says nothing (skip) where a race can't tell.
 *
 * Bytes of pages are counted with 4 KiB a page. Where the kernel's are larger, the checks see less
 * than there was, and are silent rather than wrong.
 */
#include "plausible.h"

#include "plausible_checks.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct plausible_check plausible_checks[] = {
	{"link-rate", "swap traffic is not faster than the link to the disk", plausible_link_rate},
	{"cache-instead-of-device", "pages that came back were read from the medium",
	 plausible_cache},
	{"compressed-medium", "pages that went out were written to the medium in full",
	 plausible_compressed_medium},
	{"dirty-pages", "nothing else that waited to be written shared the medium",
	 plausible_dirty_pages},
	{"same-pages", "few pages are one word repeated", plausible_same_pages},
	{"data-too-easy", "pages compress as memory of programs does", plausible_easy_data},
	{"no-pressure", "backends with swap were used at all", plausible_no_pressure},
	{"pool-outside-limit", "RAM of compressed pools counts", plausible_pool_outside},
	{"budget-excess", "workload and pool stayed within the budget", plausible_budget_excess},
	{"limits-mixed", "all had the same kind of limit, and the same budget", plausible_limits},
	{"conditions-differ", "settings of the kernel were the same for all", plausible_conditions},
	{"throttled", "the CPU was not slowed down by heat", plausible_throttled},
	{"other-swap", "no other swap, nor zswap, took part", plausible_other_swap},
	{"first-run", "the first run is like the others", plausible_first_run},
	{"overlap", "what is called different does not overlap", plausible_overlap},
	{"too-few-runs", "there are enough runs to prove a difference", plausible_few_runs},
	{"sampler-cost", "watching did not cost much", plausible_sampler_cost},
	{0},
};

void plausible_say(struct race_check *ret, enum race_check_verdict v, const char *fmt, ...)
{
	va_list ap;

	ret->verdict = v;
	va_start(ap, fmt);
	vsnprintf(ret->detail, sizeof(ret->detail), fmt, ap);
	va_end(ap);
}

struct plausible_worst plausible_worst_of(const struct race_result *r, plausible_figure *figure)
{
	struct plausible_worst worst = {0};

	for (size_t i = 0; i < r->n_trials; i++) {
		const struct race_trial *t = &r->trials[i];
		double value = isnan(t->real_s) ? NAN : figure(r, t);

		if (!isnan(value) && (!worst.trial || value > worst.value))
			worst = (struct plausible_worst){t, value};
	}
	return worst;
}

enum race_check_verdict plausible_above(double value, double warn, double fail)
{
	return value > fail ? RACE_CHECK_FAIL : value > warn ? RACE_CHECK_WARN : RACE_CHECK_OK;
}

const char *plausible_who(const struct race_trial *t, char buf[PLAUSIBLE_WHO])
{
	snprintf(buf, PLAUSIBLE_WHO, "%s run %u", t->backend, t->run);
	return buf;
}

bool plausible_is_kind(const struct race_trial *t, const char *kind)
{
	size_t len = strcspn(t->backend, ":,#");

	return strlen(kind) == len && !strncmp(t->backend, kind, len);
}

int plausible(struct race_result *r)
{
	size_t n = sizeof(plausible_checks) / sizeof(plausible_checks[0]) - 1;
	struct race_check *checks = calloc(n, sizeof(*checks));

	if (!checks)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		snprintf(checks[i].name, sizeof(checks[i].name), "%s", plausible_checks[i].name);
		plausible_checks[i].run(r, &checks[i]);
	}
	free(r->checks);
	r->checks = checks;
	r->n_checks = n;
	return 0;
}
