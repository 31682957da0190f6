/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Anonymous memory that holds page contents or much of nothing: zeroed, committed by the system
 * only when touched, and never in a core dump.
 */
#ifndef SNUG_BASE_MAPPING_H
#define SNUG_BASE_MAPPING_H

#include <stddef.h>

/* NULL when the system refuses. mapping_free takes NULL. */
void *mapping_alloc(size_t bytes);
void mapping_free(void *mem, size_t bytes);
/* Zeros again, and given back to the system where it can be. */
void mapping_clear(void *mem, size_t bytes);
/* Keeps in RAM what is touched from now on; -EPERM or -ENOMEM beyond RLIMIT_MEMLOCK. */
int mapping_lock(void *mem, size_t bytes);

#endif
