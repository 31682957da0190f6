/* SPDX-License-Identifier: GPL-2.0-or-later */
/* z3fold: three objects a page (see buddied.c), for comparison with the kernel's of that name,
 * which zswap had until 6.15. */
#include "buddied.h"

static int z3fold_open(const struct pool_options *o, struct pool **ret)
{
	return buddied_open(o, 3, ret);
}

const struct pool_ops pool_z3fold = {
	.name = "z3fold",
	.huge_size = 4096 - 64,
	.open = z3fold_open,
	.close = buddied_close,
	.set_limit = buddied_set_limit,
	.alloc = buddied_alloc,
	.free = buddied_free,
	.address = buddied_address,
	.usage = buddied_usage,
	.reset_max = buddied_reset_max,
	.reset = buddied_reset,
};
