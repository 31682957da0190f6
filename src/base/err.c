/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void record(struct err *e, enum err_kind kind, const char *fmt, va_list ap)
{
	if (!e)
		return;
	e->kind = kind;
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
}

#define DEFINE_ERR(name, kind)                                  \
	int name(struct err *e, int code, const char *fmt, ...) \
	{                                                       \
		va_list ap;                                     \
                                                                \
		va_start(ap, fmt);                              \
		record(e, kind, fmt, ap);                       \
		va_end(ap);                                     \
		return code;                                    \
	}

DEFINE_ERR(err_failed, ERR_FAILED)
DEFINE_ERR(err_usage, ERR_USAGE)
DEFINE_ERR(err_missing, ERR_MISSING)

const char *err_name(int code)
{
	static _Thread_local char buf[128];

	return strerror_r(-code, buf, sizeof(buf));
}
