/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was around the trials, and should have been the same for all. */
#include "plausible_checks.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define CLOCK_WARN   0.1       /* how much slower the clock may be after a trial */
#define GAIN_FAIL    (1 << 20) /* of other swap, in bytes: less is what the system does anyway */
#define SAMPLER_WARN 0.005     /* of one CPU */

enum { SETTING_MAX = 32 };

struct setting {
	const char *name;
	size_t offset; /* in struct race_conditions */
	bool is_text;
};

static const struct setting settings[] = {
	{"page-cluster", offsetof(struct race_conditions, page_cluster), false},
	{"swappiness", offsetof(struct race_conditions, swappiness), false},
	{"transparent huge pages", offsetof(struct race_conditions, thp), true},
	{"the governor", offsetof(struct race_conditions, governor), true},
};

/* "" where it is not known. */
static void read_setting(const struct setting *s, const struct race_conditions *c,
			 char ret[SETTING_MAX])
{
	const char *at = (const char *)c + s->offset;
	int64_t number;

	if (s->is_text) {
		snprintf(ret, SETTING_MAX, "%s", at);
		return;
	}
	memcpy(&number, at, sizeof(number));
	snprintf(ret, SETTING_MAX, "%" PRId64, number);
	if (number < 0)
		*ret = '\0';
}

/* Before and after each trial. *ret_seen is set to the value that all have; "" if it is unknown
 * everywhere. True: they differ, and ret says so. */
static bool differs(const struct race_result *r, const struct setting *s,
		    char ret_seen[SETTING_MAX], struct race_check *ret)
{
	const struct race_trial *first = NULL;
	char who[PLAUSIBLE_WHO], first_who[PLAUSIBLE_WHO], value[SETTING_MAX];

	*ret_seen = '\0';
	for (size_t i = 0; i < 2 * r->n_trials; i++) {
		const struct race_trial *t = &r->trials[i / 2];

		read_setting(s, i % 2 ? &t->after : &t->before, value);
		if (!*value)
			continue;
		if (!first) {
			first = t;
			strcpy(ret_seen, value);
		}
		if (!strcmp(value, ret_seen))
			continue;
		plausible_say(ret, RACE_CHECK_FAIL, "%s was %s at %s and %s at %s", s->name,
			      ret_seen, plausible_who(first, first_who), value,
			      plausible_who(t, who));
		return true;
	}
	return false;
}

void plausible_conditions(const struct race_result *r, struct race_check *ret)
{
	char seen[SETTING_MAX], all[RACE_SENTENCE_MAX - 32] = "";

	for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++) {
		size_t len = strlen(all);

		if (differs(r, &settings[i], seen, ret))
			return;
		if (*seen)
			snprintf(all + len, sizeof(all) - len, "%s%s %s", len ? ", " : "",
				 settings[i].name, seen);
	}
	if (*all)
		plausible_say(ret, RACE_CHECK_OK, "the same for all: %s", all);
	else
		plausible_say(ret, RACE_CHECK_SKIP, "this machine tells none of its settings");
}

static double throttles(const struct race_result *r, const struct race_trial *t)
{
	if (t->before.throttled < 0 || t->after.throttled < 0)
		return NAN;
	return (double)(t->after.throttled - t->before.throttled);
}

static double clock_loss(const struct race_result *r, const struct race_trial *t)
{
	if (t->before.clock_khz <= 0 || t->after.clock_khz <= 0)
		return NAN;
	return 1 - (double)t->after.clock_khz / (double)t->before.clock_khz;
}

void plausible_throttled(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst events = plausible_worst_of(r, throttles),
			       slower = plausible_worst_of(r, clock_loss);
	char who[PLAUSIBLE_WHO];

	if (!events.trial && !slower.trial)
		plausible_say(ret, RACE_CHECK_SKIP,
			      "this machine tells neither its clock nor whether it is throttled");
	else if (events.trial && events.value > 0)
		plausible_say(ret, RACE_CHECK_WARN, "%s: the CPU was throttled %.0f times",
			      plausible_who(events.trial, who), events.value);
	else if (slower.trial)
		plausible_say(ret, slower.value > CLOCK_WARN ? RACE_CHECK_WARN : RACE_CHECK_OK,
			      "%s: the clock was %.0f MHz before and %.0f MHz after%s",
			      plausible_who(slower.trial, who),
			      (double)slower.trial->before.clock_khz / 1000,
			      (double)slower.trial->after.clock_khz / 1000,
			      events.trial ? "; the CPU was never throttled" : "");
	else
		plausible_say(ret, RACE_CHECK_OK, "the CPU was never throttled");
}

static double zswap_in_front(const struct race_result *r, const struct race_trial *t)
{
	return (double)(t->before.zswap_in_front > t->after.zswap_in_front
				? t->before.zswap_in_front
				: t->after.zswap_in_front);
}

static double other_swaps(const struct race_result *r, const struct race_trial *t)
{
	int64_t n = t->before.other_swaps > t->after.other_swaps ? t->before.other_swaps
								 : t->after.other_swaps;

	return n < 0 ? NAN : (double)n;
}

static double other_swap_gain(const struct race_result *r, const struct race_trial *t)
{
	if (t->before.other_swap_bytes < 0 || t->after.other_swap_bytes < 0)
		return NAN;
	return (double)(t->after.other_swap_bytes - t->before.other_swap_bytes);
}

void plausible_other_swap(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst zswap = plausible_worst_of(r, zswap_in_front),
			       swaps = plausible_worst_of(r, other_swaps),
			       gain = plausible_worst_of(r, other_swap_gain);
	char who[PLAUSIBLE_WHO];

	if (zswap.trial && zswap.value > 0)
		plausible_say(ret, RACE_CHECK_FAIL,
			      "%s: zswap was on in front of it, so that pages stayed there",
			      plausible_who(zswap.trial, who));
	else if (gain.trial && gain.value > GAIN_FAIL)
		plausible_say(ret, RACE_CHECK_FAIL,
			      "%s: other swap took %s that the backend should have had",
			      plausible_who(gain.trial, who), PLAUSIBLE_SIZE(gain.value));
	else if (!swaps.trial)
		plausible_say(ret, RACE_CHECK_SKIP, "which swap there is, is not known");
	else
		plausible_say(ret, swaps.value > 0 ? RACE_CHECK_WARN : RACE_CHECK_OK,
			      "%.0f other swap devices or files were on (%s)", swaps.value,
			      plausible_who(swaps.trial, who));
}

static double sampler_share(const struct race_result *r, const struct race_trial *t)
{
	return t->real_s > 0 ? t->sampler_cpu_s / t->real_s : NAN;
}

void plausible_sampler_cost(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst w = plausible_worst_of(r, sampler_share);
	char who[PLAUSIBLE_WHO];

	if (!w.trial)
		plausible_say(ret, RACE_CHECK_SKIP, "no run took any time");
	else
		plausible_say(ret, w.value > SAMPLER_WARN ? RACE_CHECK_WARN : RACE_CHECK_OK,
			      "%s: %.2f%% of one CPU (%.2f s) went into samples",
			      plausible_who(w.trial, who), 100 * w.value, w.trial->sampler_cpu_s);
}
