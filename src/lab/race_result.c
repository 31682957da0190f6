/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "race_result.h"

#include <stdlib.h>

static const char *const outcomes[] = {
	[RACE_OK] = "ok",	    [RACE_OOM] = "oom",
	[RACE_TIMEOUT] = "timeout", [RACE_THRASHED] = "thrashed",
	[RACE_FAILED] = "failed",   [RACE_STOPPED] = "stopped",
};

static const char *const verdicts[] = {
	[RACE_CHECK_OK] = "ok",
	[RACE_CHECK_WARN] = "warn",
	[RACE_CHECK_FAIL] = "fail",
	[RACE_CHECK_SKIP] = "skip",
};

const char *race_outcome_name(enum race_outcome o)
{
	return outcomes[o];
}

const char *race_check_name(enum race_check_verdict v)
{
	return verdicts[v];
}

void race_result_free(struct race_result *r)
{
	for (size_t i = 0; i < r->n_trials; i++)
		free(r->trials[i].samples);
	free(r->trials);
	free(r->summary);
	free(r->checks);
	*r = (struct race_result){0};
}
