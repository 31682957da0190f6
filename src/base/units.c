/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "units.h"

#include "err.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/*
 * digits[.digits] without sign, exponent, hexadecimal or locale, which strtod would all take.
 * Returns the character after it, NULL if there is no number.
 */
static const char *parse_decimal(const char *s, long double *ret)
{
	long double value = 0, scale = 1;
	const char *start = s;

	for (; *s >= '0' && *s <= '9'; s++)
		value = value * 10 + (*s - '0');
	if (s == start)
		return NULL;
	if (*s == '.') {
		const char *point = s++;

		for (; *s >= '0' && *s <= '9'; s++)
			value += (*s - '0') * (scale /= 10);
		if (s == point + 1)
			return NULL;
	}
	*ret = value;
	return s;
}

/* The power of 1024 that suffix stands for, -1 if it is none. */
static int suffix_power(const char *suffix)
{
	static const char letters[] = "KMGTP";
	const char *hit;

	if (!*suffix || !strcmp(suffix, "B"))
		return 0;
	hit = strchr(letters, *suffix >= 'a' ? *suffix - 'a' + 'A' : *suffix);
	if (!hit || (suffix[1] && strcasecmp(suffix + 1, "B") && strcasecmp(suffix + 1, "iB")))
		return -1;
	return (int)(hit - letters) + 1;
}

int units_parse_size(const char *text, uint64_t whole_bytes, const char *what, uint64_t *ret_bytes,
		     struct err *e)
{
	long double value;
	const char *rest = parse_decimal(text, &value);
	int power;

	if (!rest)
		return err_usage(e, -EINVAL,
				 "%s: '%s' is not a size; write for example 64M or 1.5G", what,
				 text);
	if (!strcmp(rest, "%")) {
		if (!whole_bytes)
			return err_usage(e, -EINVAL, "%s: '%s': a percentage makes no sense here",
					 what, text);
		if (value > 100)
			return err_usage(e, -EINVAL, "%s: '%s' is more than 100%%", what, text);
		*ret_bytes = (uint64_t)(value / 100 * (long double)whole_bytes);
		return 0;
	}
	power = suffix_power(rest);
	if (power < 0)
		return err_usage(e, -EINVAL, "%s: '%s' has an unknown unit; known are K M G T P%s",
				 what, text, whole_bytes ? " and %" : "");
	value *= (long double)(UINT64_C(1) << (10 * power));
	if (value > (long double)INT64_MAX)
		return err_usage(e, -ERANGE, "%s: '%s' is too large", what, text);
	*ret_bytes = (uint64_t)value;
	return 0;
}

int units_parse_int(const char *text, int64_t min, int64_t max, const char *what, int64_t *ret,
		    struct err *e)
{
	char *end;
	long long value;

	errno = 0;
	value = strtoll(text, &end, 10);
	if (end == text || *end || (*text != '-' && (*text < '0' || *text > '9')))
		return err_usage(e, -EINVAL, "%s: '%s' is not a whole number", what, text);
	if (errno == ERANGE || value < min || value > max)
		return err_usage(e, -ERANGE,
				 "%s: %s is out of range, which is %" PRId64 " to %" PRId64, what,
				 text, min, max);
	*ret = value;
	return 0;
}

int units_parse_number(const char *text, double min, double max, const char *what, double *ret,
		       struct err *e)
{
	long double value;
	const char *rest = parse_decimal(text, &value);

	if (rest && !strcmp(rest, "%")) {
		value /= 100;
		rest++;
	}
	if (!rest || *rest)
		return err_usage(e, -EINVAL, "%s: '%s' is not a number", what, text);
	if (value < (long double)min || value > (long double)max)
		return err_usage(e, -ERANGE, "%s: %s is out of range, which is %g to %g", what,
				 text, min, max);
	*ret = (double)value;
	return 0;
}

int units_parse_time(const char *text, const char *what, double *ret_s, struct err *e)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"h", 3600}};
	long double value;
	const char *rest = parse_decimal(text, &value);

	for (size_t i = 0; rest && i < sizeof(units) / sizeof(units[0]); i++) {
		if (strcmp(rest, units[i].name) != 0)
			continue;
		value *= (long double)units[i].seconds;
		if (value > 365 * 86400)
			return err_usage(e, -ERANGE, "%s: '%s' is more than a year", what, text);
		*ret_s = (double)value;
		return 0;
	}
	return err_usage(e, -EINVAL, "%s: '%s' is not a time; write for example 90s or 5m", what,
			 text);
}

const char *units_format_size(uint64_t bytes, char buf[UNITS_SIZE_MAX])
{
	static const char letters[] = "BKMGTPE";
	double value = (double)bytes;
	int unit = 0;

	while (value >= 1023.95 && letters[unit + 1]) {
		value /= 1024;
		unit++;
	}
	if (unit == 0 || value >= 99.95)
		snprintf(buf, UNITS_SIZE_MAX, "%.0f%c", value, letters[unit]);
	else
		snprintf(buf, UNITS_SIZE_MAX, "%.1f%c", value, letters[unit]);
	return buf;
}
