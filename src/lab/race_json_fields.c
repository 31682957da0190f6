/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names in the file are the members' own, so that FIELD needs no more than the member: its type
 * follows from C's. An enum can't be told from an unsigned that way, nor a name that must be there
 * from a text that may be empty; these say what they are.
 */
#include "race_json_fields.h"

#include "race_result.h"

#define MEMBER(s, m) (((struct s *)0)->m)

#define TYPE(value) \
	_Generic((value),         \
	double: FIELD_REAL,       \
	int64_t: FIELD_NUMBER,    \
	uint64_t: FIELD_COUNT,    \
	unsigned: FIELD_SMALL,    \
	bool: FIELD_FLAG,         \
	char *: FIELD_TEXT,       \
	uint64_t *: FIELD_COUNTS)

#define TYPED(s, m, ...) \
	.name = #m, .offset = offsetof(struct s, m), .size = sizeof(MEMBER(s, m)), __VA_ARGS__
#define FIELD(s, m)                                     \
	{                                               \
		TYPED(s, m, .type = TYPE(MEMBER(s, m))) \
	}
#define NAME(s, m)                              \
	{                                       \
		TYPED(s, m, .type = FIELD_NAME) \
	}
#define ENUM(s, m, names, n)                                                        \
	{                                                                           \
		TYPED(s, m, .type = FIELD_ENUM, .value_name = names, .n_values = n) \
	}
#define OBJECT(s, m, fields)                                    \
	{                                                       \
		TYPED(s, m, .type = FIELD_OBJECT, .of = fields) \
	}
#define LIST(s, m, fields, max)                                                  \
	{                                                                        \
		.name = #m, .type = FIELD_LIST, .offset = offsetof(struct s, m), \
		.size = sizeof(*MEMBER(s, m)), .of = fields,                     \
		.n_offset = offsetof(struct s, n_##m), .most = max               \
	}

/* More than any race makes; a file that claims more is not one. */
enum { MOST_SAMPLES = 1000000, MOST_TRIALS = 100000, MOST_BACKENDS = 10000, MOST_CHECKS = 10000 };

static const char *outcome_name(unsigned value)
{
	return race_outcome_name((enum race_outcome)value);
}

static const char *verdict_name(unsigned value)
{
	return race_check_name((enum race_check_verdict)value);
}

static const struct field sample[] = {
	FIELD(race_sample, at_s),	  FIELD(race_sample, user),
	FIELD(race_sample, nice),	  FIELD(race_sample, system),
	FIELD(race_sample, iowait),	  FIELD(race_sample, steal),
	FIELD(race_sample, idle),	  FIELD(race_sample, tps),
	FIELD(race_sample, read_bytes_s), FIELD(race_sample, write_bytes_s),
	FIELD(race_sample, read_bytes),	  FIELD(race_sample, write_bytes),
	FIELD(race_sample, usage_bytes),  FIELD(race_sample, limit_bytes),
	FIELD(race_sample, orig_bytes),	  FIELD(race_sample, mem_used_bytes),
	FIELD(race_sample, swap_bytes),	  FIELD(race_sample, psi_some),
	FIELD(race_sample, psi_full),	  {0},
};

static const struct field at_one_time[] = {
	FIELD(race_conditions, page_cluster),
	FIELD(race_conditions, swappiness),
	FIELD(race_conditions, thp),
	FIELD(race_conditions, governor),
	FIELD(race_conditions, clock_khz),
	FIELD(race_conditions, throttled),
	FIELD(race_conditions, other_swap_bytes),
	FIELD(race_conditions, other_swaps),
	FIELD(race_conditions, zswap_in_front),
	{0},
};

/* Of race_trial: two of its members make one object of the file. */
static const struct field conditions[] = {
	OBJECT(race_trial, before, at_one_time),
	OBJECT(race_trial, after, at_one_time),
	{0},
};

static const struct field trial[] = {
	NAME(race_trial, backend),
	NAME(race_trial, workload),
	FIELD(race_trial, run),
	FIELD(race_trial, order),
	ENUM(race_trial, outcome, outcome_name, RACE_OUTCOMES),
	FIELD(race_trial, detail),
	FIELD(race_trial, exit_status),
	FIELD(race_trial, real_s),
	FIELD(race_trial, user_s),
	FIELD(race_trial, sys_s),
	FIELD(race_trial, idle_s),
	FIELD(race_trial, net_s),
	FIELD(race_trial, budget_cpu_s),
	FIELD(race_trial, sampler_cpu_s),
	FIELD(race_trial, major_faults),
	FIELD(race_trial, pswpin),
	FIELD(race_trial, pswpout),
	FIELD(race_trial, psi_some_s),
	FIELD(race_trial, psi_full_s),
	FIELD(race_trial, orig_bytes),
	FIELD(race_trial, mem_used_bytes),
	FIELD(race_trial, same_pages),
	FIELD(race_trial, huge_pages),
	FIELD(race_trial, disk_read_bytes),
	FIELD(race_trial, disk_write_bytes),
	FIELD(race_trial, peak_bytes),
	FIELD(race_trial, budget_bytes),
	FIELD(race_trial, budget_excess_bytes),
	FIELD(race_trial, budget_excess_p95_bytes),
	FIELD(race_trial, budget_gap_s),
	FIELD(race_trial, open_s),
	FIELD(race_trial, visit_s),
	FIELD(race_trial, close_s),
	FIELD(race_trial, fps_min),
	FIELD(race_trial, fps_avg),
	FIELD(race_trial, fps_max),
	FIELD(race_trial, score),
	FIELD(race_trial, frames),
	FIELD(race_trial, dropped),
	FIELD(race_trial, frame_ns_p50),
	FIELD(race_trial, frame_ns_p95),
	FIELD(race_trial, frame_ns_p99),
	FIELD(race_trial, frame_histogram),
	{.name = "conditions", .type = FIELD_OBJECT, .of = conditions},
	LIST(race_trial, samples, sample, MOST_SAMPLES),
	{0},
};

static const struct field summary[] = {
	NAME(race_summary, backend),
	NAME(race_summary, workload),
	FIELD(race_summary, unavailable),
	FIELD(race_summary, runs),
	FIELD(race_summary, ok),
	FIELD(race_summary, outcomes),
	FIELD(race_summary, median_real_s),
	FIELD(race_summary, low),
	FIELD(race_summary, high),
	FIELD(race_summary, median_user_s),
	FIELD(race_summary, median_sys_s),
	FIELD(race_summary, vs_none),
	FIELD(race_summary, p),
	FIELD(race_summary, significant),
	FIELD(race_summary, major_faults),
	FIELD(race_summary, pswpout),
	FIELD(race_summary, ratio),
	FIELD(race_summary, psi_some_s),
	FIELD(race_summary, psi_full_s),
	FIELD(race_summary, fps_avg),
	FIELD(race_summary, fps_min),
	FIELD(race_summary, score),
	FIELD(race_summary, frame_ns_p99),
	FIELD(race_summary, outliers),
	{0},
};

static const struct field check[] = {
	NAME(race_check, name),
	ENUM(race_check, verdict, verdict_name, RACE_CHECK_SKIP + 1),
	FIELD(race_check, detail),
	{0},
};

static const struct field machine[] = {
	FIELD(race_machine, kernel),	     FIELD(race_machine, cpu_model),
	FIELD(race_machine, cpus),	     FIELD(race_machine, mem_total_bytes),
	FIELD(race_machine, disk),	     FIELD(race_machine, disk_link_bytes_per_s),
	FIELD(race_machine, cgroup_version), FIELD(race_machine, page_cluster),
	FIELD(race_machine, swappiness),     FIELD(race_machine, thp),
	FIELD(race_machine, program),	     {0},
};

static const struct field plan[] = {
	FIELD(race_plan, command_line), FIELD(race_plan, workload),
	FIELD(race_plan, budget_bytes), FIELD(race_plan, peak_bytes),
	FIELD(race_plan, naive),	FIELD(race_plan, quick),
	FIELD(race_plan, pressure),	FIELD(race_plan, jobs),
	FIELD(race_plan, runs),		FIELD(race_plan, seed),
	FIELD(race_plan, timeout_s),	FIELD(race_plan, thrash_s),
	FIELD(race_plan, thrash_psi),	FIELD(race_plan, interval_s),
	FIELD(race_plan, cpus),		{0},
};

static const struct field verdict[] = {
	FIELD(race_verdict, backend),
	FIELD(race_verdict, why),
	FIELD(race_verdict, unknown),
	{0},
};

const struct field race_json_fields[] = {
	FIELD(race_result, begun),
	FIELD(race_result, took_s),
	FIELD(race_result, partial),
	OBJECT(race_result, machine, machine),
	OBJECT(race_result, plan, plan),
	LIST(race_result, trials, trial, MOST_TRIALS),
	LIST(race_result, summary, summary, MOST_BACKENDS),
	LIST(race_result, checks, check, MOST_CHECKS),
	OBJECT(race_result, verdict, verdict),
	{0},
};
