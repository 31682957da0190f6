/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "knob.h"

#include "cleanup.h"
#include "clock.h"
#include "err.h"
#include "fileio.h"
#include "kerntext.h"
#include "sysread.h"
#include "undo.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STEP_MS = 10 };

static int write_once(int root, const char *path, const char *value)
{
	CLEANUP_CLOSE int fd = openat(root, path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	return fd < 0 ? -errno : fileio_write_all(fd, value, strlen(value));
}

static int write_patiently(int root, unsigned patience_ms, const char *value, const char *path)
{
	const struct timespec step = {.tv_nsec = STEP_MS * 1000000};
	uint64_t until = clock_now_ns() + (uint64_t)patience_ms * 1000000;
	int r = write_once(root, path, value);

	while (r == -EBUSY && clock_now_ns() < until) {
		nanosleep(&step, NULL);
		r = write_once(root, path, value);
	}
	return r;
}

int knob_write(int root, unsigned patience_ms, const char *value, const char *fmt, ...)
{
	char path[UNDO_PATH_MAX];
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(path, sizeof(path), fmt, args);
	va_end(args);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	return write_patiently(root, patience_ms, value, path);
}

/* As it would be written: of a choice the bracketed word, else the text without its newline. */
static int read_value(int root, const char *path, char *buf, size_t size)
{
	CLEANUP_FREE char *text = NULL;
	const char *open, *close;
	int r = sysread_text(root, &text, "%s", path);
	size_t len;

	if (r < 0)
		return r;
	open = strchr(text, '[');
	close = open ? strchr(open, ']') : NULL;
	len = close ? (size_t)(close - open - 1) : strcspn(text, "\n");
	if (len >= size)
		return -EFBIG;
	memcpy(buf, close ? open + 1 : text, len);
	buf[len] = '\0';
	return 0;
}

static int explain(int code, const char *path, const char *value, struct err *e)
{
	switch (code) {
	case -ENOENT:
		return err_missing(e, code, "this kernel has no /%s", path);
	case -EACCES:
	case -EPERM:
		return err_missing(e, code, "cannot set /%s: %s; run this as root (sudo)", path,
				   err_name(code));
	case -EROFS:
		return err_missing(e, code,
				   "cannot set /%s: it is read-only here, as in a "
				   "container; this needs the host, or a privileged "
				   "container",
				   path);
	default:
		return err_failed(e, code, "cannot set /%s to '%s': %s", path, value,
				  err_name(code));
	}
}

int knob_set(struct undo *u, const char *path, const char *value, struct err *e)
{
	struct undo_entry entry = {.action = UNDO_WRITE};
	char now[UNDO_TEXT_MAX];
	int root = undo_root(u);
	int r = read_value(root, path, entry.text, sizeof(entry.text));

	if (r < 0)
		return explain(r, path, value, e);
	if (strcmp(entry.text, value) == 0)
		return 0;
	if ((size_t)snprintf(entry.path, sizeof(entry.path), "%s", path) >= sizeof(entry.path))
		return explain(-ENAMETOOLONG, path, value, e);
	r = undo_note(u, &entry, e);
	if (r < 0)
		return r;
	r = write_patiently(root, 0, value, path);
	if (r == 0)
		r = read_value(root, path, now, sizeof(now));
	if (r < 0)
		return explain(r, path, value, e);
	if (strcmp(now, value))
		return err_failed(e, -EINVAL, "/%s did not take '%s': it says '%s'", path, value,
				  now);
	return 0;
}
