/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ops.h"

#include "err.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const struct workload_ops *const workloads[] = {&workload_build, &workload_tabs, &workload_command,
						NULL};

const struct workload_ops *workload_find(const char *name, struct err *e)
{
	char known[128] = "";
	size_t len = 0;

	for (const struct workload_ops *const *w = workloads; *w; w++) {
		if (strcmp((*w)->name, name) == 0)
			return *w;
		if (len < sizeof(known))
			len += (size_t)snprintf(known + len, sizeof(known) - len, "%s%s",
						len ? ", " : "", (*w)->name);
	}
	err_usage(e, -EINVAL, "unknown workload '%s'; known are %s", name, known);
	return NULL;
}

uint64_t workload_bucket_ns(unsigned bucket)
{
	if (bucket >= WORKLOAD_FRAME_BUCKETS - 1)
		return UINT64_MAX;
	return (uint64_t)(1e6 * exp2(bucket / 4.0));
}
