/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens while a trial runs, at a fixed interval: CPU shares, traffic of the swap devices,
 * memory, the pool, pressure. Differences of the kernel's counters; nothing is done between the
 * looks.
 */
#ifndef SNUG_LAB_SAMPLER_H
#define SNUG_LAB_SAMPLER_H

#include "backend.h"
#include "counters.h"
#include "psi.h"
#include "race_result.h"

#include <stddef.h>
#include <stdint.h>

struct budget;
struct cgroup;

struct sampler_reading {
	uint64_t at_ns;
	struct counters_cpu cpu;
	struct counters_disk disk; /* of all devices that are swapped on */
	struct psi psi;		   /* of the machine; zeros where this kernel does not tell */
};

struct sampler {
	int root;
	const struct backend *backend;
	const struct cgroup *group;
	struct budget *budget;
	uint64_t begun_ns;
	struct sampler_reading last;
	struct race_sample *samples;
	size_t n, cap;
	uint64_t cpu_ns; /* what the looks have cost */
};

/* From here on the time runs. */
void sampler_begin(struct sampler *s, int root, const struct backend *backend,
		   const struct cgroup *group, struct budget *budget);
/* Takes a sample; -ENOMEM. */
int sampler_look(struct sampler *s);
/* Hands the samples over; nothing to free then. */
void sampler_take(struct sampler *s, struct race_sample **ret, size_t *ret_n);
void sampler_end(struct sampler *s);

/* Memory pressure of the group where it has its own, else of the machine; false and zeros: neither
 * tells. */
bool sampler_pressure(int root, const struct cgroup *group, struct psi *ret);

#endif
