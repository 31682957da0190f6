/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sysread.h"

#include "cleanup.h"
#include "fileio.h"
#include "kerntext.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int read_va(int root, char **ret_text, const char *fmt, va_list ap)
{
	char path[PATH_MAX];
	int len = vsnprintf(path, sizeof(path), fmt, ap);

	if (len < 0 || (size_t)len >= sizeof(path))
		return -ENAMETOOLONG;
	return fileio_read(root, path, SYSREAD_MAX, ret_text);
}

/* r = read_va with the arguments behind fmt, which only a variadic function itself can reach. */
#define READ(r, root, ret_text, fmt)                           \
	do {                                                   \
		va_list ap_;                                   \
		va_start(ap_, fmt);                            \
		(r) = read_va((root), (ret_text), (fmt), ap_); \
		va_end(ap_);                                   \
	} while (0)

int sysread_text(int root, char **ret_text, const char *fmt, ...)
{
	int r;

	READ(r, root, ret_text, fmt);
	return r;
}

int sysread_number(int root, int64_t *ret, const char *fmt, ...)
{
	CLEANUP_FREE char *text = NULL;
	int r;

	READ(r, root, &text, fmt);
	return r < 0 ? r : kerntext_number(text, ret);
}

int sysread_word(int root, char *buf, size_t size, const char *fmt, ...)
{
	CLEANUP_FREE char *text = NULL;
	int r;

	READ(r, root, &text, fmt);
	return r < 0 ? r : kerntext_word(text, buf, size);
}

int sysread_choice(int root, struct kerntext_choice *ret, const char *fmt, ...)
{
	CLEANUP_FREE char *text = NULL;
	int r;

	READ(r, root, &text, fmt);
	return r < 0 ? r : kerntext_choice(text, ret);
}

bool sysread_exists(int root, const char *path)
{
	return faccessat(root, path, F_OK, 0) == 0;
}
