/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pressure stall information: Documentation/accounting/psi.rst. */
#ifndef SNUG_HOST_PSI_H
#define SNUG_HOST_PSI_H

#include <stdint.h>

struct psi {
	uint64_t some_us, full_us;     /* total since boot */
	double some_avg10, full_avg10; /* percent */
};

/* Of text as /proc/pressure/memory has it; strict. A missing "full" line (cpu, older kernels) is 0.
 */
int psi_parse(const char *text, struct psi *ret);

/* path relative to the root: "proc/pressure/memory", or a v2 cgroup's "memory.pressure". */
int psi_read(int root, const char *path, struct psi *ret);

#endif
