/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * No swap. `none` is the reference: all the RAM that the workload wants, what everything else is
 * compared with. `none:limited` is a choice like the others: the budget, and nothing to swap to, so
 * that the workload runs out of memory or, if much of it are files, reads them again and again.
 */
#include "backends.h"

#include "err.h"

#include <errno.h>
#include <string.h>

static int none_option(struct backend *b, const char *key, const char *value, struct err *e)
{
	if (*key)
		return backend_unknown_option(b, key, e);
	if (strcmp(value, "limited"))
		return err_usage(e, -EINVAL,
				 "backend 'none:%s' is unknown; there are none and none:limited",
				 value);
	b->unlimited = false;
	b->swapless = true;
	return 0;
}

static int none_prepare(struct backend *b, const struct backend_setup *s, struct err *e)
{
	b->unlimited = !b->swapless;
	return 0;
}

const struct backend_ops backend_none = {
	.name = "none",
	.grammar = "[:limited]",
	.about = "no swap: all the RAM that it needs (the reference), or the budget alone",
	.option = none_option,
	.prepare = none_prepare,
};
