/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Did the medium do the work? The kernel counts the pages that it swaps; the medium's own counters
 * say what arrived there. A cache in between answers reads, and a file system that compresses makes
 * writes smaller. Unwritten extents, which read as zeros without the medium, show as reads that are
 * missing.
 *
 * Only `file` and `dev` swap all their pages on one: zswap keeps some, zram all or most.
 */
#include "plausible_checks.h"

#include "page.h"

#include <math.h>
#include <string.h>

/* Below this much traffic a share says nothing. */
#define LEAST_BYTES (1 << 20)

/* Of the traffic that should be there and is not. */
#define SHORT_WARN 0.2
#define SHORT_FAIL 0.5

/* Written by others, as a share of the budget. */
#define FOREIGN_WARN 0.5

static bool swaps_to_medium(const struct race_trial *t)
{
	return plausible_is_kind(t, "file") || plausible_is_kind(t, "dev");
}

/* The disk whose link is known is the one of swap files that were not sent elsewhere. */
static bool is_on_known_disk(const struct race_trial *t)
{
	return (plausible_is_kind(t, "file") && !strchr(t->backend, ':')) ||
	       (plausible_is_kind(t, "zswap") && !strstr(t->backend, ",on="));
}

static double fastest(const struct race_result *r, const struct race_trial *t)
{
	double most = NAN;

	for (size_t i = 0; is_on_known_disk(t) && i < t->n_samples; i++)
		most = fmax(most, fmax(t->samples[i].read_bytes_s, t->samples[i].write_bytes_s));
	return most;
}

void plausible_link_rate(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst w = plausible_worst_of(r, fastest);
	double link = (double)r->machine.disk_link_bytes_per_s;
	char who[PLAUSIBLE_WHO];

	if (link <= 0)
		plausible_say(ret, RACE_CHECK_SKIP,
			      "how fast the link to the disk is, is not known");
	else if (!w.trial)
		plausible_say(ret, RACE_CHECK_SKIP, "no run swapped on the disk of %s",
			      *r->machine.disk ? r->machine.disk : "swap files");
	else
		plausible_say(ret, w.value > link ? RACE_CHECK_FAIL : RACE_CHECK_OK,
			      "at most %s/s (%s); the link to the disk carries %s/s",
			      PLAUSIBLE_SIZE(w.value), plausible_who(w.trial, who),
			      PLAUSIBLE_SIZE(link));
}

/* The share of the swapped pages that the medium did not see. */
static double missing(const struct race_trial *t, int64_t pages, int64_t medium_bytes)
{
	double swapped = (double)pages * PAGE_BYTES;

	if (!swaps_to_medium(t) || medium_bytes < 0 || swapped < LEAST_BYTES)
		return NAN;
	return 1 - (double)medium_bytes / swapped;
}

static double reads_missing(const struct race_result *r, const struct race_trial *t)
{
	return missing(t, t->pswpin, t->disk_read_bytes);
}

static double writes_missing(const struct race_result *r, const struct race_trial *t)
{
	return missing(t, t->pswpout, t->disk_write_bytes);
}

static const char no_medium[] = "no run swapped to a medium that counts its traffic";

void plausible_cache(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst w = plausible_worst_of(r, reads_missing);
	char who[PLAUSIBLE_WHO];

	if (!w.trial)
		plausible_say(ret, RACE_CHECK_SKIP, no_medium);
	else
		plausible_say(ret, plausible_above(w.value, SHORT_WARN, SHORT_FAIL),
			      "%s: %s were swapped in, the medium read %s",
			      plausible_who(w.trial, who),
			      PLAUSIBLE_SIZE(w.trial->pswpin * (int64_t)PAGE_BYTES),
			      PLAUSIBLE_SIZE(w.trial->disk_read_bytes));
}

void plausible_compressed_medium(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst w = plausible_worst_of(r, writes_missing);
	char who[PLAUSIBLE_WHO];

	if (!w.trial)
		plausible_say(ret, RACE_CHECK_SKIP, no_medium);
	else
		plausible_say(ret, plausible_above(w.value, SHORT_WARN, SHORT_FAIL),
			      "%s: %s were swapped out, the medium wrote %s",
			      plausible_who(w.trial, who),
			      PLAUSIBLE_SIZE(w.trial->pswpout * (int64_t)PAGE_BYTES),
			      PLAUSIBLE_SIZE(w.trial->disk_write_bytes));
}

static double foreign_writes(const struct race_result *r, const struct race_trial *t)
{
	if (!swaps_to_medium(t) || t->disk_write_bytes < 0 || t->pswpout < 0 ||
	    t->budget_bytes <= 0)
		return NAN;
	return ((double)t->disk_write_bytes - (double)t->pswpout * PAGE_BYTES) /
	       (double)t->budget_bytes;
}

void plausible_dirty_pages(const struct race_result *r, struct race_check *ret)
{
	struct plausible_worst w = plausible_worst_of(r, foreign_writes);
	char who[PLAUSIBLE_WHO];

	if (!w.trial)
		plausible_say(ret, RACE_CHECK_SKIP, no_medium);
	else
		plausible_say(ret, w.value > FOREIGN_WARN ? RACE_CHECK_WARN : RACE_CHECK_OK,
			      "%s: besides what was swapped the medium wrote %s, of the workload's "
			      "files or what an earlier run had left",
			      plausible_who(w.trial, who),
			      PLAUSIBLE_SIZE(w.value * (double)w.trial->budget_bytes));
}
