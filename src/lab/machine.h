/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The machine that a race ran on, for its result. */
#ifndef SNUG_LAB_MACHINE_H
#define SNUG_LAB_MACHINE_H

#include "race_result.h"

/* directory: where swap files go. */
void machine_read(int root, const char *directory, struct race_machine *ret);

#endif
