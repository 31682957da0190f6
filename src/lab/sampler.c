/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sampler.h"

#include "budget.h"
#include "cgroup.h"
#include "clock.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

bool sampler_pressure(int root, const struct cgroup *group, struct psi *ret)
{
	char path[CGROUP_PATH_MAX + 32];
	int r = -ENOENT;

	if (group->version == 2) {
		snprintf(path, sizeof(path), "%s/memory.pressure", group->memory);
		r = psi_read(root, path, ret);
	}
	if (r < 0)
		r = psi_read(root, "proc/pressure/memory", ret);
	if (r < 0)
		*ret = (struct psi){0};
	return r == 0;
}

static void read_disks(const struct sampler *s, struct counters_disk *ret)
{
	struct counters_disk sum = {0}, one;

	for (unsigned i = 0; i < s->backend->n_traffic; i++) {
		if (counters_disk(s->root, s->backend->traffic[i], &one) < 0)
			continue;
		sum.reads += one.reads;
		sum.writes += one.writes;
		sum.read_bytes += one.read_bytes;
		sum.write_bytes += one.write_bytes;
	}
	*ret = sum;
}

static void read_all(const struct sampler *s, struct sampler_reading *ret)
{
	*ret = (struct sampler_reading){.at_ns = clock_now_ns()};
	counters_cpu(s->root, &ret->cpu);
	read_disks(s, &ret->disk);
	sampler_pressure(s->root, s->group, &ret->psi);
}

void sampler_begin(struct sampler *s, int root, const struct backend *backend,
		   const struct cgroup *group, struct budget *budget)
{
	*s = (struct sampler){.root = root, .backend = backend, .group = group, .budget = budget};
	read_all(s, &s->last);
	s->begun_ns = s->last.at_ns;
}

/* Counters may step back (a device that was replaced); a share is then 0. */
static double share(uint64_t now, uint64_t before, uint64_t total)
{
	return now > before && total ? 100.0 * (double)(now - before) / (double)total : 0;
}

static uint64_t cpu_total(const struct counters_cpu *c)
{
	return c->user + c->nice + c->system + c->iowait + c->steal + c->idle;
}

static void fill_cpu(struct race_sample *to, const struct counters_cpu *a,
		     const struct counters_cpu *b)
{
	uint64_t total = cpu_total(b) - cpu_total(a);

	to->user = share(b->user, a->user, total);
	to->nice = share(b->nice, a->nice, total);
	to->system = share(b->system, a->system, total);
	to->iowait = share(b->iowait, a->iowait, total);
	to->steal = share(b->steal, a->steal, total);
	to->idle = share(b->idle, a->idle, total);
}

static void fill_disk(struct race_sample *to, const struct counters_disk *a,
		      const struct counters_disk *b, double seconds)
{
	to->read_bytes = (int64_t)(b->read_bytes - a->read_bytes);
	to->write_bytes = (int64_t)(b->write_bytes - a->write_bytes);
	to->tps = (double)(b->reads - a->reads + b->writes - a->writes) / seconds;
	to->read_bytes_s = (double)to->read_bytes / seconds;
	to->write_bytes_s = (double)to->write_bytes / seconds;
}

static void fill_memory(struct race_sample *to, const struct sampler *s)
{
	struct budget_report report;
	struct backend_pool pool;
	struct cgroup_stat group;

	budget_look(s->budget, &report, &pool);
	cgroup_read(s->group, &group);
	to->usage_bytes = group.usage_bytes;
	to->swap_bytes = group.swap_bytes;
	to->limit_bytes = report.limit_bytes;
	to->orig_bytes = pool.orig_bytes;
	to->mem_used_bytes = pool.mem_used_bytes;
}

static int grow(struct sampler *s)
{
	size_t cap = s->cap ? s->cap * 2 : 64;
	struct race_sample *more = realloc(s->samples, cap * sizeof(*more));

	if (!more)
		return -ENOMEM;
	s->samples = more;
	s->cap = cap;
	return 0;
}

int sampler_look(struct sampler *s)
{
	uint64_t cpu = clock_thread_cpu_ns();
	struct sampler_reading now;
	struct race_sample *to;
	double seconds;

	if (s->n == s->cap && grow(s) < 0)
		return -ENOMEM;
	read_all(s, &now);
	seconds = (double)(now.at_ns - s->last.at_ns) / 1e9;
	if (seconds <= 0)
		return 0;
	to = &s->samples[s->n++];
	*to = (struct race_sample){.at_s = (double)(now.at_ns - s->begun_ns) / 1e9};
	fill_cpu(to, &s->last.cpu, &now.cpu);
	fill_disk(to, &s->last.disk, &now.disk, seconds);
	fill_memory(to, s);
	to->psi_some = (double)(now.psi.some_us - s->last.psi.some_us) / 1e4 / seconds;
	to->psi_full = (double)(now.psi.full_us - s->last.psi.full_us) / 1e4 / seconds;
	s->last = now;
	s->cpu_ns += clock_thread_cpu_ns() - cpu;
	return 0;
}

void sampler_take(struct sampler *s, struct race_sample **ret, size_t *ret_n)
{
	*ret = s->samples;
	*ret_n = s->n;
	s->samples = NULL;
	s->n = s->cap = 0;
}

void sampler_end(struct sampler *s)
{
	free(s->samples);
	s->samples = NULL;
}
