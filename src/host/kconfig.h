/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the running kernel was built with, from wherever a distribution leaves its configuration. */
#ifndef SNUG_HOST_KCONFIG_H
#define SNUG_HOST_KCONFIG_H

#include <stdint.h>

/*
 * The value of an integer option ("CONFIG_ZSMALLOC_CHAIN_SIZE") of kernel `release`. -ENOENT if no
 * configuration is to be had, -ENODATA if it does not have the option.
 */
int kconfig_number(int root, const char *release, const char *option, int64_t *ret);

#endif
