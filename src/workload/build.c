/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A real compiler on generated sources, one unit a job, all at a time, as make -j would.
 *
 * A compiler's memory grows until its unit is done, in proportion to the text: that makes the size
 * of the workload, all compilers at their end at once. Nothing is linked: a linker's memory would
 * be another, smaller, peak.
 *
 * GCC collects garbage once its heap has a size that it derives from the machine's RAM and resource
 * limits, and walks all of the heap each time. Of a compiler that is short of memory this is the
 * part that hurts: all that was swapped out comes back, in no order that a disk could read ahead.
 * Both parameters are given to it, so that it does the same work everywhere: as it would in little
 * RAM, from half of its later size on, and often.
 *
 * Traps: a compiler behind ccache would only copy files from the second run on. GCC is a driver
 * with the compiler proper as its child: when that is killed for lack of memory, the driver ends
 * with status 1, and killing the driver alone leaves the other one behind, so each has its own
 * process group.
 */
#include "ops.h"

#include "build_source.h"
#include "cleanup.h"
#include "err.h"
#include "process.h"
#include "units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Measured with GCC 12 for x86-64, in a control group: bytes of memory = EMPTY + n * HEADER. */
#define EMPTY_BYTES  (6.0 * (1 << 20))
#define HEADER_BYTES (130.0 * (1 << 10))

enum { COLLECT_PERCENT = 8 }; /* how much the heap grows from one collection to the next */

struct build {
	char *compiler, *directory;
	char *env[5];  /* NULL-terminated, each to be freed */
	bool collects; /* knows GCC's parameters of its garbage collection */
	uint64_t seed;
	double peak_bytes;
	unsigned jobs;
	pid_t *running; /* one for each job's unit, 0: it does not run */
};

static void build_destroy(void *workload)
{
	struct build *b = workload;

	if (!b)
		return;
	for (char **s = b->env; *s; s++)
		free(*s);
	free(b->compiler);
	free(b->directory);
	free(b->running);
	free(b);
}

static char *unit_path(const struct build *b, unsigned unit, char suffix)
{
	char *path;

	return asprintf(&path, "%s/unit%u.%c", b->directory, unit, suffix) < 0 ? NULL : path;
}

static int unit_write(const struct build *b, unsigned unit, unsigned headers)
{
	CLEANUP_FREE char *path = unit_path(b, unit, 'c');
	FILE *f;
	int r;

	if (!path)
		return -ENOMEM;
	f = fopen(path, "we");
	if (!f)
		return -errno;
	build_source_write(f, b->seed * b->jobs + unit, headers);
	r = ferror(f) ? -EIO : 0;
	return fclose(f) < 0 ? -errno : r;
}

static int unit_start(const struct build *b, unsigned unit, int output, pid_t *ret)
{
	CLEANUP_FREE char *source = unit_path(b, unit, 'c'), *object = unit_path(b, unit, 'o');
	char expand[40], heapsize[40]; /* kilobytes */
	char *collect[] = {"--param", expand, "--param", heapsize};
	char *argv[16] = {b->compiler, "-c", "-O0", "-w", "-pipe", source, "-o", object};

	if (!source || !object)
		return -ENOMEM;
	snprintf(expand, sizeof(expand), "ggc-min-expand=%d", COLLECT_PERCENT);
	snprintf(heapsize, sizeof(heapsize), "ggc-min-heapsize=%.0f",
		 b->peak_bytes / b->jobs / 2 / 1024);
	if (b->collects)
		memcpy(argv + 8, collect, sizeof(collect));
	/* What an earlier run left must not pass for the work of this one. */
	if (unlink(object) < 0 && errno != ENOENT)
		return -errno;
	return process_start(argv, b->env, output, ret);
}

/* Is there an object, and is there something in it? It has served its purpose then. */
static bool unit_verify(const struct build *b, unsigned unit)
{
	CLEANUP_FREE char *object = unit_path(b, unit, 'o');
	struct stat st;

	return object && stat(object, &st) == 0 && st.st_size > 0 && unlink(object) == 0;
}

/* Compiles an empty unit; says nothing. */
static int try_compiler(const struct build *b)
{
	CLEANUP_CLOSE int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
	int status, r = unit_write(b, 0, 0);
	pid_t pid;

	if (r == 0)
		r = unit_start(b, 0, null, &pid);
	if (r < 0)
		return r;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return status == 0 && unit_verify(b, 0) ? 0 : -ENOEXEC;
}

static int find_compiler(struct build *b, struct err *e)
{
	static const char *const names[] = {"cc", "gcc", "clang"};
	int r = -ENOENT;

	for (size_t i = 0; r < 0 && i < sizeof(names) / sizeof(names[0]); i++)
		r = process_find(names[i], &b->compiler);
	if (r < 0)
		return err_missing(e, r,
				   "the workload 'build' needs a C compiler (cc, gcc or clang) in "
				   "PATH; install one, or take another --workload");
	b->collects = true;
	r = try_compiler(b);
	if (r == -ENOEXEC) {
		b->collects = false;
		r = try_compiler(b);
	}
	if (r == -ENOEXEC)
		return err_missing(e, r, "%s cannot compile even an empty file; is it complete?",
				   b->compiler);
	return r < 0 ? err_failed(e, r, "cannot try %s: %s", b->compiler, err_name(r)) : 0;
}

/* Writes the sources anew, of the size that peak_bytes asks for. */
static int write_units(const struct build *b, struct err *e)
{
	double headers = (b->peak_bytes / b->jobs - EMPTY_BYTES) / HEADER_BYTES;
	char least[UNITS_SIZE_MAX];
	int r = 0;

	if (headers < 1)
		return err_usage(e, -ERANGE,
				 "the workload 'build' needs at least %s (%u compilers at a time); "
				 "raise --budget",
				 units_format_size(
					 (uint64_t)((EMPTY_BYTES + HEADER_BYTES) * b->jobs), least),
				 b->jobs);
	for (unsigned i = 0; r == 0 && i < b->jobs; i++)
		r = unit_write(b, i, (unsigned)headers);
	return r < 0 ? err_failed(e, r, "cannot write sources to %s: %s", b->directory, err_name(r))
		     : 0;
}

/*
 * Nothing of the user's environment but where the tools are: the locale and the compiler's own
 * variables would make other work.
 */
static int make_env(struct build *b)
{
	const char *path = getenv("PATH");
	const char *const values[][2] = {{"PATH", path ? path : PROCESS_PATH},
					 {"TMPDIR", b->directory},
					 {"LC_ALL", "C"},
					 {"CCACHE_DISABLE", "1"}};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (asprintf(&b->env[i], "%s=%s", values[i][0], values[i][1]) < 0) {
			b->env[i] = NULL;
			return -ENOMEM;
		}
	}
	return 0;
}

static struct build *build_alloc(const struct workload_request *q)
{
	struct build *b = calloc(1, sizeof(*b));

	if (!b)
		return NULL;
	b->seed = q->seed;
	b->peak_bytes = (double)q->peak_bytes;
	b->jobs = q->jobs;
	b->directory = strdup(q->directory);
	b->running = calloc(b->jobs, sizeof(*b->running));
	if (b->directory && b->running && make_env(b) == 0)
		return b;
	build_destroy(b);
	return NULL;
}

static int build_prepare(const struct workload_request *q, void **ret, struct err *e)
{
	struct build *b = build_alloc(q);
	int r;

	if (!b)
		return err_failed(e, -ENOMEM, "out of memory");
	r = find_compiler(b, e);
	if (r == 0)
		r = write_units(b, e);
	if (r == 0)
		*ret = b;
	else
		build_destroy(b);
	return r;
}

static int build_scale(void *workload, double factor, struct err *e)
{
	struct build *b = workload;

	b->peak_bytes *= factor;
	return write_units(b, e);
}

static void stop_all(struct build *b)
{
	for (unsigned i = 0; i < b->jobs; i++) {
		if (b->running[i])
			kill(-b->running[i], SIGKILL);
	}
	while (wait(NULL) > 0 || errno == EINTR)
		;
}

static int fail(struct build *b, struct workload_share *share, unsigned unit, const char *how)
{
	stop_all(b);
	snprintf(share->failure, sizeof(share->failure), "unit %u of %u: %s %s", unit + 1, b->jobs,
		 b->compiler, how);
	return EXIT_FAILURE;
}

/* The unit whose compiler has ended. */
static unsigned wait_unit(struct build *b, int *status)
{
	pid_t pid;
	unsigned i = 0;

	while ((pid = wait(status)) < 0 && errno == EINTR)
		;
	while (i < b->jobs - 1 && b->running[i] != pid)
		i++;
	b->running[i] = 0;
	return i;
}

static int build_run(void *workload, struct workload_share *share)
{
	struct build *b = workload;
	char ending[PROCESS_ENDING_MAX];

	share->total = b->jobs;
	for (unsigned i = 0; i < b->jobs; i++) {
		int r = unit_start(b, i, -1, &b->running[i]);

		if (r < 0) {
			b->running[i] = 0;
			return fail(b, share, i, err_name(r));
		}
	}
	while (share->done < b->jobs) {
		int status;
		unsigned unit = wait_unit(b, &status);

		if (status)
			return fail(b, share, unit, process_ending(status, ending));
		if (!unit_verify(b, unit))
			return fail(b, share, unit, "made no object file");
		share->done++;
	}
	return 0;
}

const struct workload_ops workload_build = {
	.name = "build",
	.about = "a C compiler on generated sources, several at a time",
	.sized = true,
	.prepare = build_prepare,
	.scale = build_scale,
	.run = build_run,
	.destroy = build_destroy,
};
