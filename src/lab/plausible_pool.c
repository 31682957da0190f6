/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pages, the pool that holds them, and the budget that both have. */
#include "plausible_checks.h"

#include "page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define SAME_WARN   0.2	 /* of the pool's pages */
#define EASY_WARN   6	 /* ratio; memory of programs has 2 to 4 */
#define MOVED_LEAST 0.01 /* of the budget */
#define EXCESS_WARN 0.03 /* of the budget */
#define EXCESS_FAIL 0.1

static const char no_pool[] = "no run had a compressed pool with anything in it";

static double same_share(const struct race_result *r, const struct race_trial *t)
{
	if (t->same_pages < 0 || t->orig_bytes <= 0)
		return NAN;
	return (double)t->same_pages * PAGE_BYTES / (double)t->orig_bytes;
}

void plausible_same_pages(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst w = plausible_worst_of(r, same_share);
	char who[PLAUSIBLE_WHO], huge[48] = "";

	if (!w.trial) {
		plausible_say(ret, RACE_CHECK_SKIP, no_pool);
		return;
	}
	if (w.trial->huge_pages >= 0)
		snprintf(huge, sizeof(huge), "; %.1f%% did not compress",
			 100.0 * (double)w.trial->huge_pages * PAGE_BYTES /
				 (double)w.trial->orig_bytes);
	plausible_say(ret, w.value > SAME_WARN ? RACE_CHECK_WARN : RACE_CHECK_OK,
		      "%s: %.1f%% of the pool's pages were same-filled%s",
		      plausible_who(w.trial, who), 100 * w.value, huge);
}

static double ratio(const struct race_result *r, const struct race_trial *t)
{
	if (t->orig_bytes <= 0 || t->mem_used_bytes <= 0)
		return NAN;
	return (double)t->orig_bytes / (double)t->mem_used_bytes;
}

void plausible_easy_data(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst w = plausible_worst_of(r, ratio);
	char who[PLAUSIBLE_WHO];

	if (!w.trial)
		plausible_say(ret, RACE_CHECK_SKIP, no_pool);
	else
		plausible_say(ret, w.value > EASY_WARN ? RACE_CHECK_WARN : RACE_CHECK_OK,
			      "%s: %s of pages took %s, a ratio of %.1f",
			      plausible_who(w.trial, who), PLAUSIBLE_SIZE(w.trial->orig_bytes),
			      PLAUSIBLE_SIZE(w.trial->mem_used_bytes), w.value);
}

/* What left the workload's memory. Older kernels do not count what zswap takes. */
static double moved_bytes(const struct race_trial *t)
{
	double out = t->pswpout < 0 ? NAN : (double)t->pswpout * PAGE_BYTES;

	return t->orig_bytes < 0 ? out : fmax(out, (double)t->orig_bytes);
}

/* How little was swapped: the negative share of the budget. */
static double unmoved(const struct race_result *r, const struct race_trial *t)
{
	if (plausible_is_kind(t, "none") || t->outcome != RACE_OK || t->budget_bytes <= 0)
		return NAN;
	return -moved_bytes(t) / (double)t->budget_bytes;
}

void plausible_no_pressure(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst w = plausible_worst_of(r, unmoved);
	char who[PLAUSIBLE_WHO];

	if (!w.trial)
		plausible_say(ret, RACE_CHECK_SKIP, "no run with swap was ok");
	else
		plausible_say(ret, -w.value < MOVED_LEAST ? RACE_CHECK_FAIL : RACE_CHECK_OK,
			      "%s swapped out least: %s, with a budget of %s",
			      plausible_who(w.trial, who), PLAUSIBLE_SIZE(moved_bytes(w.trial)),
			      PLAUSIBLE_SIZE(w.trial->budget_bytes));
}

/* On control groups of version 2 the kernel itself charges zswap's pool. */
static double pool_outside(const struct race_result *r, const struct race_trial *t)
{
	if (plausible_is_kind(t, "zswap") && r->machine.cgroup_version == 2)
		return NAN;
	return t->mem_used_bytes > 0 ? (double)t->mem_used_bytes : NAN;
}

void plausible_pool_outside(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst w = plausible_worst_of(r, pool_outside);
	char who[PLAUSIBLE_WHO];

	if (!w.trial)
		plausible_say(ret, RACE_CHECK_OK, "no run had a pool outside its control group");
	else if (r->plan.naive)
		plausible_say(ret, RACE_CHECK_WARN,
			      "the limit is naive: %s had %s of pool beyond its %s",
			      plausible_who(w.trial, who), PLAUSIBLE_SIZE(w.value),
			      PLAUSIBLE_SIZE(w.trial->budget_bytes));
	else
		plausible_say(ret, RACE_CHECK_OK,
			      "the limit sank by what pools took, at most %s (%s)",
			      PLAUSIBLE_SIZE(w.value), plausible_who(w.trial, who));
}

static double excess_p95(const struct race_result *r, const struct race_trial *t)
{
	if (t->budget_bytes <= 0 || t->budget_excess_p95_bytes < 0)
		return NAN;
	return (double)t->budget_excess_p95_bytes / (double)t->budget_bytes;
}

static double excess(const struct race_result *r, const struct race_trial *t)
{
	if (t->budget_bytes <= 0 || t->budget_excess_bytes < 0)
		return NAN;
	return (double)t->budget_excess_bytes / (double)t->budget_bytes;
}

void plausible_budget_excess(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst w = plausible_worst_of(r, excess_p95),
			       most = plausible_worst_of(r, excess);
	char who[PLAUSIBLE_WHO], most_who[PLAUSIBLE_WHO];

	if (r->plan.naive)
		plausible_say(ret, RACE_CHECK_SKIP,
			      "the limit is naive: pools are beyond it on purpose");
	else if (!w.trial || !most.trial)
		plausible_say(ret, RACE_CHECK_SKIP, "no run had a limit");
	else
		plausible_say(ret, plausible_above(w.value, EXCESS_WARN, EXCESS_FAIL),
			      "95%% of the time at most %.1f%% above the budget (%s); the largest "
			      "excess was %s, %.1f%% (%s)",
			      100 * w.value, plausible_who(w.trial, who),
			      PLAUSIBLE_SIZE(most.trial->budget_excess_bytes), 100 * most.value,
			      plausible_who(most.trial, most_who));
}

/* How far a trial is from the plan's budget; a limit that is not there is as far as can be. */
static double other_budget(const struct race_result *r, const struct race_trial *t)
{
	if (t->budget_bytes < 0)
		return plausible_is_kind(t, "none") ? NAN : HUGE_VAL;
	return fabs((double)(t->budget_bytes - r->plan.budget_bytes));
}

void plausible_limits(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst w = plausible_worst_of(r, other_budget);
	char who[PLAUSIBLE_WHO];

	if (r->machine.cgroup_version < 0)
		plausible_say(ret, RACE_CHECK_SKIP,
			      "which version of control groups set the limits is not known");
	else if (!w.trial)
		plausible_say(ret, RACE_CHECK_SKIP, "no run had a limit");
	else if (isinf(w.value))
		plausible_say(ret, RACE_CHECK_FAIL, "%s had no limit, others had %s",
			      plausible_who(w.trial, who), PLAUSIBLE_SIZE(r->plan.budget_bytes));
	else if (w.value > 0)
		plausible_say(ret, RACE_CHECK_FAIL, "%s had %s, the plan has %s",
			      plausible_who(w.trial, who), PLAUSIBLE_SIZE(w.trial->budget_bytes),
			      PLAUSIBLE_SIZE(r->plan.budget_bytes));
	else
		plausible_say(ret, RACE_CHECK_OK,
			      "%s for all, by control groups of version %" PRId64,
			      PLAUSIBLE_SIZE(r->plan.budget_bytes), r->machine.cgroup_version);
}
