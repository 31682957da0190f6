/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of workload.c's table, one a file; private to this folder. */
#ifndef SNUG_WORKLOAD_OPS_H
#define SNUG_WORKLOAD_OPS_H

#include "workload.h"

extern const struct workload_ops workload_build, workload_tabs, workload_command;

#endif
