/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How each setting is read and written. What `show` writes `set` reads: the command line in a
 * result repeats the race.
 */
#include "plan_setting.h"

#include "err.h"
#include "units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB (UINT64_C(1) << 20)

static int set_unsigned(const struct setting_text *text, int64_t max, unsigned *ret, struct err *e)
{
	int64_t value;
	int r = units_parse_int(text->value, 1, max, text->what, &value, e);

	if (r == 0)
		*ret = (unsigned)value;
	return r;
}

static const char *show_unsigned(unsigned value, size_t n, char buf[SETTING_MAX])
{
	if (n || !value)
		return NULL;
	snprintf(buf, SETTING_MAX, "%u", value);
	return buf;
}

static const char *show_number(double value, double unless, const char *unit, size_t n,
			       char buf[SETTING_MAX])
{
	if (n || value == unless)
		return NULL;
	snprintf(buf, SETTING_MAX, "%.12g%s", value, unit);
	return buf;
}

static int set_word(const struct setting_text *text, char *ret, size_t size, struct err *e)
{
	if (!*text->value || strlen(text->value) >= size)
		return err_usage(e, -EINVAL, "%s: '%.40s' is %s", text->what, text->value,
				 *text->value ? "too long" : "empty");
	strcpy(ret, text->value);
	return 0;
}

static int set_runs(struct plan *p, const struct setting_text *text, struct err *e)
{
	return set_unsigned(text, 1000, &p->runs, e);
}

static const char *show_runs(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	return show_unsigned(p->runs, n, buf);
}

/* An option has no value; in a file there is one. */
static int set_quick(struct plan *p, const struct setting_text *text, struct err *e)
{
	if (!text->value || strcmp(text->value, "yes") == 0)
		p->quick = true;
	else if (strcmp(text->value, "no") == 0)
		p->quick = false;
	else
		return err_usage(e, -EINVAL, "%s: '%s' is neither yes nor no", text->what,
				 text->value);
	return 0;
}

static const char *show_quick(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	(void)buf;
	return n || !p->quick ? NULL : "";
}

static int set_timeout(struct plan *p, const struct setting_text *text, struct err *e)
{
	double s;
	int r = units_parse_time(text->value, text->what, &s, e);

	if (r == 0 && s <= 0)
		return err_usage(e, -ERANGE, "%s: no run takes no time", text->what);
	if (r == 0)
		p->timeout_s = s;
	return r;
}

static const char *show_timeout(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	return show_number(p->timeout_s, 0, "s", n, buf);
}

static int set_thrash(struct plan *p, const struct setting_text *text, struct err *e)
{
	double s = 0;
	int r = strcmp(text->value, "off") == 0 ? 0
						: units_parse_time(text->value, text->what, &s, e);

	if (r == 0 && s < 1 && s != 0)
		return err_usage(e, -ERANGE, "%s: less than a second says nothing", text->what);
	if (r == 0)
		p->thrash_s = s;
	return r;
}

static const char *show_thrash(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	return n == 0 && p->thrash_s == 0 ? "off" : show_number(p->thrash_s, 10, "s", n, buf);
}

static int set_thrash_psi(struct plan *p, const struct setting_text *text, struct err *e)
{
	return units_parse_number(text->value, 0.01, 1, text->what, &p->thrash_psi, e);
}

static const char *show_thrash_psi(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	return show_number(p->thrash_psi, 0.5, "", n, buf);
}

static int set_interval(struct plan *p, const struct setting_text *text, struct err *e)
{
	double s;
	int r = units_parse_time(text->value, text->what, &s, e);

	if (r == 0 && (s < 0.1 || s > 3600))
		return err_usage(e, -ERANGE, "%s: '%s' is out of range, which is 100ms to 1h",
				 text->what, text->value);
	if (r == 0)
		p->interval_s = s;
	return r;
}

static const char *show_interval(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	return show_number(p->interval_s, 1, "s", n, buf);
}

/* The kernel's list format (cpuset(7)): numbers and ranges between commas. Returns what follows the
 * first of them, NULL if it is none. */
static const char *skip_range(const char *s)
{
	char *end;
	unsigned long low, high;

	if (!isdigit((unsigned char)*s))
		return NULL;
	low = high = strtoul(s, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return NULL;
		high = strtoul(end + 1, &end, 10);
	}
	return low <= high && high < 65536 ? end : NULL;
}

static int set_cpus(struct plan *p, const struct setting_text *text, struct err *e)
{
	const char *s = skip_range(text->value);

	while (s && *s == ',')
		s = skip_range(s + 1);
	if (!s || *s)
		return err_usage(e, -EINVAL,
				 "%s: '%s' is not a list of CPUs; write for example 0-1,3",
				 text->what, text->value);
	return set_word(text, p->cpus, sizeof(p->cpus), e);
}

static const char *show_cpus(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	(void)buf;
	return n || !*p->cpus ? NULL : p->cpus;
}

static int set_budget(struct plan *p, const struct setting_text *text, struct err *e)
{
	bool naive = strncmp(text->value, "naive", 5) == 0 && strchr(",", text->value[5]);
	const char *size = !naive ? text->value : text->value[5] ? text->value + 6 : NULL;
	uint64_t bytes = 0;
	int r = size ? units_parse_size(size, text->ram_bytes, text->what, &bytes, e) : 0;

	if (r == 0 && size && bytes < MIB)
		return err_usage(e, -ERANGE, "%s: '%s' is less than 1M", text->what, text->value);
	if (r < 0)
		return r;
	p->naive = naive;
	if (size)
		p->budget_bytes = bytes;
	return 0;
}

static const char *show_budget(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	size_t len = 0;

	if (n || (!p->budget_bytes && !p->naive))
		return NULL;
	if (p->naive)
		len = (size_t)snprintf(buf, SETTING_MAX, "naive%s", p->budget_bytes ? "," : "");
	if (p->budget_bytes)
		snprintf(buf + len, SETTING_MAX - len, "%" PRIu64 "%s",
			 p->budget_bytes % MIB ? p->budget_bytes : p->budget_bytes / MIB,
			 p->budget_bytes % MIB ? "" : "M");
	return buf;
}

static int set_pressure(struct plan *p, const struct setting_text *text, struct err *e)
{
	return units_parse_number(text->value, 1, 100, text->what, &p->pressure, e);
}

static const char *show_pressure(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	return show_number(p->pressure, 2, "", n, buf);
}

static int set_workload(struct plan *p, const struct setting_text *text, struct err *e)
{
	return set_word(text, p->workload, sizeof(p->workload), e);
}

static const char *show_workload(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	(void)buf;
	return n || p->command[0] || strcmp(p->workload, "build") == 0 ? NULL : p->workload;
}

static int set_jobs(struct plan *p, const struct setting_text *text, struct err *e)
{
	return set_unsigned(text, 1024, &p->jobs, e);
}

static const char *show_jobs(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	return show_unsigned(p->jobs, n, buf);
}

static int set_seed(struct plan *p, const struct setting_text *text, struct err *e)
{
	int64_t value;
	int r = units_parse_int(text->value, 0, INT64_MAX, text->what, &value, e);

	if (r == 0)
		p->seed = (uint64_t)value;
	return r;
}

static const char *show_seed(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	if (n || p->seed == 1)
		return NULL;
	snprintf(buf, SETTING_MAX, "%" PRIu64, p->seed);
	return buf;
}

static int set_backend(struct plan *p, const struct setting_text *text, struct err *e)
{
	int r;

	if (p->n_backends == PLAN_BACKENDS)
		return err_usage(e, -E2BIG, "%s: more than %d backends", text->what, PLAN_BACKENDS);
	r = set_word(text, p->backends[p->n_backends], PLAN_BACKEND_MAX, e);
	if (r == 0)
		p->n_backends++;
	return r;
}

static const char *show_backend(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	(void)buf;
	return n < p->n_backends ? p->backends[n] : NULL;
}

/* It stands at the end of the command line, after all settings. */
static const char *show_command(const struct plan *p, size_t n, char buf[SETTING_MAX])
{
	(void)p;
	(void)n;
	(void)buf;
	return NULL;
}

const struct setting plan_settings[] = {
	{"backend", "backends", true, set_backend, show_backend},
	{"workload", "workload", false, set_workload, show_workload},
	{"jobs", "workload", false, set_jobs, show_jobs},
	{"seed", "workload", false, set_seed, show_seed},
	{"command", "workload", false, plan_set_command, show_command},
	{"budget", "budget", false, set_budget, show_budget},
	{"pressure", "budget", false, set_pressure, show_pressure},
	{"quick", "race", false, set_quick, show_quick},
	{"runs", "race", false, set_runs, show_runs},
	{"timeout", "race", false, set_timeout, show_timeout},
	{"thrash", "race", false, set_thrash, show_thrash},
	{"thrash-psi", "race", false, set_thrash_psi, show_thrash_psi},
	{"interval", "race", false, set_interval, show_interval},
	{"cpus", "race", false, set_cpus, show_cpus},
	{0},
};

const struct setting *plan_setting_find(const char *name)
{
	for (const struct setting *s = plan_settings; s->name; s++)
		if (strcmp(s->name, name) == 0)
			return s;
	return NULL;
}
