/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The result in words. Sentences say only what the figures of this run say; what depends on how a
 * machine is used (swappiness, how large a zram) is for a race to find out.
 */
#include "survey.h"

#include "page.h"
#include "units.h"

#include <inttypes.h>
#include <string.h>

#define NO_GAIN 1.1 /* ratio */

enum { NAMES_SHOWN = 5, FEW_PAGES = 1024, TOO_EASY = 14 };

#define SIZE_TEXT 24

static const char *size_text(uint64_t value, bool bytes, char buf[SIZE_TEXT])
{
	char units[UNITS_SIZE_MAX];

	if (bytes)
		snprintf(buf, SIZE_TEXT, "%" PRIu64, value);
	else
		snprintf(buf, SIZE_TEXT, "%s", units_format_size(value, units));
	return buf;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* "2 processes may not be read (systemd, sshd)": those of one reason, if any. */
static void print_skipped(const struct sample *s, enum sample_reason reason, const char *what,
			  FILE *out)
{
	size_t n = 0, shown = 0;

	for (size_t i = 0; i < s->n_skipped; i++)
		n += s->skipped[i].reason == reason;
	if (!n)
		return;
	fprintf(out, "Left out: %zu process%s %s (", n, n == 1 ? "" : "es", what);
	for (size_t i = 0; i < s->n_skipped && shown < NAMES_SHOWN; i++)
		if (s->skipped[i].reason == reason)
			fprintf(out, "%s%s %d", shown++ ? ", " : "", s->skipped[i].name,
				(int)s->skipped[i].pid);
	fprintf(out, "%s).\n", n > shown ? ", ..." : "");
}

static void print_oddities(const struct sample *s, FILE *out)
{
	print_skipped(s, SAMPLE_DENIED, "not permitted to be read", out);
	print_skipped(s, SAMPLE_GONE, "that exited meanwhile", out);
	print_skipped(s, SAMPLE_BROKEN, "whose memory could not be read", out);
	if (s->lost)
		fprintf(out, "Left out: %" PRIu64 " page%s gone before being read.\n", s->lost,
			plural(s->lost));
	if (s->swapped_left_out)
		fprintf(out,
			"Left out: %" PRIu64
			" page%s swapped out; reading would bring them back into "
			"RAM.\n",
			s->swapped, plural(s->swapped));
	else if (s->sampled_swapped)
		fprintf(out,
			"Of the sample, %" PRIu64
			" page%s were swapped out, and reading brought them "
			"back into RAM.\n",
			s->sampled_swapped, plural(s->sampled_swapped));
	if (s->padded_files)
		fprintf(out,
			"%zu file%s not of whole pages of 4096 bytes: padded with zeros, %" PRIu64
			" bytes.\n",
			s->padded_files, s->padded_files == 1 ? " is" : "s are", s->padded_bytes);
}

void survey_print_sample(const struct survey *s, bool bytes, FILE *out)
{
	const struct sample *sample = &s->sample;
	char taken[SIZE_TEXT], whole[SIZE_TEXT];

	fprintf(out, "Sample: %zu of %" PRIu64 " pages, %s of %s", sample->n_pages,
		sample->population, size_text(sample->n_pages * PAGE_BYTES, bytes, taken),
		size_text(sample->population * PAGE_BYTES, bytes, whole));
	if (sample->processes)
		fprintf(out, ", %s%zu process%s", sample->file_pages ? "files and " : "from ",
			sample->processes, sample->processes == 1 ? "" : "es");
	else
		fprintf(out, ", from files");
	fprintf(out, "; %.1f%% same-filled.\n",
		100.0 * (double)s->same_pages / (double)sample->n_pages);
	print_oddities(sample, out);
}

static void print_memory(const struct facts *f, bool bytes, FILE *out)
{
	char a[SIZE_TEXT], b[SIZE_TEXT];

	if (f->mem_total_bytes >= 0)
		fprintf(out, "  RAM      %s", size_text((uint64_t)f->mem_total_bytes, bytes, a));
	if (f->mem_total_bytes >= 0 && f->mem_available_bytes >= 0)
		fprintf(out, ", %s available",
			size_text((uint64_t)f->mem_available_bytes, bytes, b));
	if (f->mem_total_bytes >= 0)
		fputc('\n', out);
	if (!f->n_swaps)
		fprintf(out, "  swap     none\n");
	for (size_t i = 0; i < f->n_swaps; i++)
		fprintf(out, "  swap     %s (%s), %s, %s used, priority %d\n", f->swaps[i].path,
			f->swaps[i].type, size_text(f->swaps[i].size_bytes, bytes, a),
			size_text(f->swaps[i].used_bytes, bytes, b), f->swaps[i].priority);
}

static void print_zram(const struct facts *f, bool bytes, FILE *out)
{
	static const char *const states[] = {"not in this kernel", "a module, not loaded",
					     "no device set up"};
	char a[SIZE_TEXT], b[SIZE_TEXT], c[SIZE_TEXT];

	if (!f->n_zrams)
		fprintf(out, "  zram     %s", states[f->zram]);
	for (size_t i = 0; i < f->n_zrams; i++) {
		const struct facts_zram *z = &f->zrams[i];

		fprintf(out, "%s  zram     zram%u: %s, disksize %s", i ? "\n" : "", z->number,
			z->algorithm[0] ? z->algorithm : "?",
			size_text((uint64_t)z->disksize_bytes, bytes, a));
		if (z->mm.orig_data_size >= 0)
			fprintf(out, ", holds %s in %s",
				size_text((uint64_t)z->mm.orig_data_size, bytes, b),
				size_text((uint64_t)z->mm.mem_used_total, bytes, c));
		if (z->backing[0])
			fprintf(out, ", writes back to %s", z->backing);
	}
	for (size_t i = 0; i < f->zram_algorithms.n; i++)
		fprintf(out, "%s%s", i ? " " : "; algorithms: ", f->zram_algorithms.words[i]);
	fputc('\n', out);
}

static void print_zswap(const struct facts_zswap *z, bool bytes, FILE *out)
{
	char a[SIZE_TEXT], b[SIZE_TEXT];

	if (!z->present) {
		fprintf(out, "  zswap    not in this kernel\n");
		return;
	}
	fprintf(out, "  zswap    %s", z->enabled ? "on" : "off");
	if (z->compressor[0])
		fprintf(out, ", %s", z->compressor);
	if (z->zpool[0])
		fprintf(out, " in %s", z->zpool);
	if (z->max_pool_percent >= 0)
		fprintf(out, ", up to %" PRId64 "%% of RAM", z->max_pool_percent);
	if (z->stored_bytes > 0 && z->pool_bytes >= 0)
		fprintf(out, ", holds %s in %s", size_text((uint64_t)z->stored_bytes, bytes, a),
			size_text((uint64_t)z->pool_bytes, bytes, b));
	fputc('\n', out);
}

static void print_settings(const struct facts *f, FILE *out)
{
	const char *before = "  vm       ";

	if (f->swappiness >= 0) {
		fprintf(out, "%sswappiness %" PRId64, before, f->swappiness);
		before = ", ";
	}
	if (f->page_cluster >= 0) {
		fprintf(out, "%spage-cluster %" PRId64, before, f->page_cluster);
		before = ", ";
	}
	if (f->thp[0]) {
		fprintf(out, "%stransparent huge pages %s", before, f->thp);
		before = ", ";
	}
	if (!strcmp(before, ", "))
		fputc('\n', out);
}

void survey_print_machine(const struct survey *s, bool bytes, FILE *out)
{
	const struct facts *f = &s->machine;

	fprintf(out, "Machine: Linux %s", f->kernel[0] ? f->kernel : "(release unknown)");
	if (f->cpu_model[0])
		fprintf(out, ", %s", f->cpu_model);
	if (f->cpus > 0)
		fprintf(out, ", %" PRId64 " CPU%s", f->cpus, plural((uint64_t)f->cpus));
	fputc('\n', out);
	print_memory(f, bytes, out);
	print_zram(f, bytes, out);
	print_zswap(&f->zswap, bytes, out);
	print_settings(f, out);
}

static void print_density(const struct survey *s, const struct measure_result *best,
			  const struct measure_result *kernel, FILE *out)
{
	char a[SIZE_TEXT], b[SIZE_TEXT];

	fprintf(out, "1 GiB of RAM holds %s of these pages in snug's engine with %s",
		size_text(survey_gib_holds(s, best), false, a), best->name);
	if (kernel)
		fprintf(out, ", and %s in zram with %s, the densest of what this kernel offers.\n",
			size_text(survey_kernel_gib_holds(s, kernel), false, b), kernel->name);
	else if (s->machine.zram == FACTS_ZRAM_LOADABLE)
		fprintf(out,
			"; what zram offers here shows once its module is loaded (modprobe zram).\n");
	else if (s->machine.zram == FACTS_ZRAM_ABSENT)
		fprintf(out, "; this kernel has no zram.\n");
	else
		fprintf(out,
			"; none of the codecs measured is known to be in this kernel's zram.\n");
}

static void print_capacity(const struct survey *s, const struct measure_result *best, FILE *out)
{
	uint64_t ram = s->machine.mem_total_bytes > 0 ? (uint64_t)s->machine.mem_total_bytes : 0;
	char a[SIZE_TEXT], b[SIZE_TEXT], c[SIZE_TEXT], d[SIZE_TEXT];
	uint64_t held = survey_holds(s, ram / 4, best->mem_used_bytes, best->fixed_bytes);

	if (!ram)
		return;
	fprintf(out,
		"With a quarter of this machine's %s of RAM (%s) given to such pages, %s would fit there, "
		"and %s into RAM in all.\n",
		size_text(ram, false, a), size_text(ram / 4, false, b), size_text(held, false, c),
		size_text(ram - ram / 4 + held, false, d));
}

static bool swaps_to_zram(const struct facts *f)
{
	for (size_t i = 0; i < f->n_swaps; i++)
		if (!strncmp(f->swaps[i].path, "/dev/zram", 9))
			return true;
	return false;
}

static void print_warning(const struct survey *s, const struct measure_result *best,
			  const struct measure_result *kernel, FILE *out)
{
	const struct measure_result *c = kernel ? kernel : best;
	const struct facts *f = &s->machine;

	if (s->sample.n_pages < FEW_PAGES)
		fprintf(out, "With only %zu pages these figures are a hint, not a measurement.\n",
			s->sample.n_pages);
	else if (s->same_pages > s->sample.n_pages / 2)
		fprintf(out,
			"More than half of the pages are same-filled: the figures say more about "
			"unused memory than about the codecs.\n");
	else if (survey_ratio(s, best->mem_used_bytes) < NO_GAIN)
		fprintf(out, "These pages hardly compress: nothing is gained by trying.\n");
	else if (survey_ratio(s, best->compr_bytes) > TOO_EASY)
		fprintf(out,
			"A ratio of %.0f is far from what memory of programs usually gives (2 to 9): "
			"these pages are hardly typical.\n",
			survey_ratio(s, best->compr_bytes));
	else if (f->zswap.enabled && swaps_to_zram(f))
		fprintf(out, "zswap is on in front of zram: pages are compressed twice, and zram's "
			     "figures leave out what zswap holds.\n");
	else if (f->page_cluster > 0 && f->page_cluster < 16 && f->zram == FACTS_ZRAM_PRESENT)
		fprintf(out,
			"A page comes back in %.1f us with %s; page-cluster %" PRId64
			" reads up to %d together, %.0f us, which pays on disks but seldom in RAM.\n",
			c->decompress_ns_p50 / 1e3, c->name, f->page_cluster, 1 << f->page_cluster,
			c->decompress_ns_p50 / 1e3 * (1 << f->page_cluster));
}

void survey_print_meaning(const struct survey *s, FILE *out)
{
	const struct measure_result *best = survey_densest(s);
	const struct measure_result *kernel = survey_densest_of_kernel(s);

	if (!best || !survey_gib_holds(s, best))
		return;
	print_density(s, best, kernel, out);
	print_capacity(s, best, out);
	print_warning(s, best, kernel, out);
}
