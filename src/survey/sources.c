/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sources.h"

#include "cleanup.h"
#include "err.h"
#include "fileio.h"
#include "page.h"
#include "proclist.h"
#include "procmem.h"
#include "progress.h"
#include "reservoir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool was_named(const struct sample_request *q, pid_t pid)
{
	for (size_t i = 0; i < q->n_pids; i++)
		if (q->pids[i] == pid)
			return true;
	return false;
}

static int skip(const struct sample_request *q, struct sample *s, pid_t pid, int code)
{
	struct sample_skipped *grown;

	for (size_t i = 0; i < s->n_skipped; i++)
		if (s->skipped[i].pid == pid)
			return 0;
	grown = realloc(s->skipped, (s->n_skipped + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->skipped = grown;
	grown[s->n_skipped].pid = pid;
	grown[s->n_skipped].reason = code == -ESRCH    ? SAMPLE_GONE
				     : code == -EACCES ? SAMPLE_DENIED
						       : SAMPLE_BROKEN;
	proclist_name(q->root, pid, grown[s->n_skipped].name);
	s->n_skipped++;
	return 0;
}

/* A process could not be read: an error if the request named it, a note otherwise. */
static int refuse(const struct sample_request *q, struct sample *s, pid_t pid, int code,
		  struct err *e)
{
	char advice[PROCMEM_ADVICE_MAX], name[PROCLIST_NAME_MAX];

	if (!was_named(q, pid)) {
		/* A kernel thread: nothing was missed. */
		if (code == -ENODATA)
			return 0;
		return skip(q, s, pid, code) < 0 ? err_failed(e, -ENOMEM, "out of memory") : 0;
	}
	if (code == -ESRCH)
		return err_usage(e, code, "there is no process %d", (int)pid);
	proclist_name(q->root, pid, name);
	if (code == -ENODATA)
		return err_usage(
			e, code,
			"process %d (%s) has no memory of its own: it is a kernel thread, or "
			"has exited",
			(int)pid, name);
	if (code == -EACCES)
		return err_missing(e, code, "not permitted to read process %d (%s); %s", (int)pid,
				   name, procmem_advice(q->root, advice));
	return err_failed(e, code, "cannot read process %d (%s): %s", (int)pid, name,
			  err_name(code));
}

static int open_file(const char *path, struct source *ret, struct sample *s, struct err *e)
{
	CLEANUP_CLOSE int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;
	off_t end;

	if (fd < 0 || fstat(fd, &st) < 0)
		return err_usage(e, -errno, "cannot read %s: %s", path, err_name(-errno));
	if (!S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode))
		return err_usage(e, -EINVAL, "%s is neither a regular file nor a block device",
				 path);
	end = lseek(fd, 0, SEEK_END);
	if (end < 0)
		return err_usage(e, -errno, "cannot read %s: %s", path, err_name(-errno));
	if (end == 0)
		return err_usage(e, -ENODATA, "%s is empty", path);
	if (end % (off_t)PAGE_BYTES) {
		s->padded_files++;
		s->padded_bytes += PAGE_BYTES - (uint64_t)end % PAGE_BYTES;
	}
	*ret = (struct source){.fd = fd, .path = path, .bytes = (uint64_t)end};
	fd = -1;
	return 0;
}

static int list_processes(const struct sample_request *q, struct proclist *l, struct err *e)
{
	int r = q->all ? proclist_add_all(q->root, l, e) : 0;

	for (size_t i = 0; i < q->n_cgroups && r == 0; i++)
		r = proclist_add_cgroup(q->root, l, q->cgroups[i], e);
	for (size_t i = 0; i < q->n_pids && r == 0; i++)
		if (proclist_add(l, q->pids[i]) < 0)
			r = err_failed(e, -ENOMEM, "out of memory");
	return r;
}

static int open_listed(const struct sample_request *q, const struct proclist *l,
		       struct sources *src, struct sample *s, struct err *e)
{
	int r = 0;

	src->list = calloc(l->n + q->n_files + 1, sizeof(*src->list));
	if (!src->list || procmem_open(q->root, &src->procmem) < 0)
		return err_failed(e, -ENOMEM, "out of memory");
	for (size_t i = 0; i < l->n; i++)
		/* What snug itself holds is copies of pages that it has counted already. */
		if (l->pids[i] != getpid())
			src->list[src->n++] = (struct source){.pid = l->pids[i], .fd = -1};
	for (size_t i = 0; i < q->n_files && r == 0; i++) {
		r = open_file(q->files[i], &src->list[src->n], s, e);
		src->n += r == 0;
	}
	return r;
}

int sources_open(const struct sample_request *q, struct sources *ret, struct sample *s,
		 struct err *e)
{
	struct proclist l = {0};
	struct sources src = {0};
	int r = list_processes(q, &l, e);

	if (r == 0)
		r = open_listed(q, &l, &src, s, e);
	proclist_free(&l);
	if (r == 0)
		*ret = src;
	else
		sources_close(&src);
	return r;
}

void sources_close(struct sources *src)
{
	for (size_t i = 0; i < src->n; i++)
		if (src->list[i].fd >= 0)
			close(src->list[i].fd);
	free(src->list);
	procmem_close(src->procmem);
	*src = (struct sources){0};
}

struct offer {
	struct reservoir *reservoir;
	uint32_t source;
	bool leave_swapped;
};

static void offer_run(void *arg, const struct procmem_run *run)
{
	struct offer *o = arg;

	if (run->swapped && o->leave_swapped)
		return;
	reservoir_offer(o->reservoir,
			(struct reservoir_item){.address = run->address,
						.source = o->source,
						.swapped = run->swapped},
			run->pages);
}

static int offer_process(struct sources *src, struct offer *o, pid_t pid, struct sample *s)
{
	struct procmem_totals totals = {0};
	/* Listing pages needs less than reading them: ask first, or the sample has holes. */
	int r = procmem_may_read(src->procmem, pid);

	if (r == 0)
		r = procmem_walk(src->procmem, pid, offer_run, o, &totals);
	s->resident += totals.resident;
	s->swapped += totals.swapped;
	s->shared_again += totals.shared_again;
	s->processes += r == 0;
	return r;
}

int sources_offer(struct sources *src, const struct sample_request *q, struct reservoir *r,
		  struct sample *s, struct err *e)
{
	struct offer o = {.reservoir = r, .leave_swapped = q->leave_swapped};
	struct progress p;
	int code = 0;

	progress_begin(&p, "listing pages", src->n);
	for (size_t i = 0; i < src->n && code == 0; i++) {
		struct source *from = &src->list[i];

		progress_update(&p, i);
		o.source = (uint32_t)i;
		if (from->pid) {
			code = offer_process(src, &o, from->pid, s);
			if (code < 0)
				code = refuse(q, s, from->pid, code, e);
		} else {
			uint64_t pages = (from->bytes + PAGE_BYTES - 1) / PAGE_BYTES;

			reservoir_offer(r, (struct reservoir_item){.source = o.source}, pages);
			s->file_pages += pages;
		}
	}
	progress_end(&p);
	return code;
}

/* One page; what the file has beyond its end is zeros. */
static ssize_t read_page(int fd, uint64_t offset, unsigned char *page)
{
	ssize_t len = fileio_pread(fd, page, PAGE_BYTES, (off_t)offset);

	if (len >= 0)
		memset(page + len, 0, PAGE_BYTES - (size_t)len);
	return len;
}

static int read_file(const struct source *from, const uint64_t *offsets, size_t n,
		     unsigned char *pages, size_t *ret_got, struct err *e)
{
	size_t got = 0;

	for (size_t i = 0; i < n; i++) {
		ssize_t len = read_page(from->fd, offsets[i], pages + got * PAGE_BYTES);

		if (len < 0)
			return err_usage(e, (int)len, "cannot read %s: %s", from->path,
					 err_name((int)len));
		/* It has become shorter meanwhile. */
		got += len > 0;
	}
	*ret_got = got;
	return 0;
}

int sources_read(struct sources *src, const struct sample_request *q, size_t index,
		 const uint64_t *addresses, size_t n, unsigned char *pages, size_t *ret_got,
		 struct sample *s, struct err *e)
{
	struct source *from = &src->list[index];
	int r;

	if (!from->pid)
		return read_file(from, addresses, n, pages, ret_got, e);
	r = procmem_read(src->procmem, from->pid, addresses, n, pages, ret_got);
	/* Gone by now is no fault of the request, which named it while it was there. */
	if (r == -ESRCH)
		return skip(q, s, from->pid, r) < 0 ? err_failed(e, -ENOMEM, "out of memory") : 0;
	return r < 0 ? refuse(q, s, from->pid, r, e) : 0;
}
