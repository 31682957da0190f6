/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors. Functions return 0 or -errno. One whose caller must tell a person what went wrong also
 * takes a struct err, which may be NULL, and leaves one sentence there: what failed, on what, and
 * the way out. Only src/cli prints it.
 */
#ifndef SNUG_BASE_ERR_H
#define SNUG_BASE_ERR_H

/* Also the program's exit status. */
enum err_kind {
	ERR_FAILED = 1,	 /* it was tried and did not work */
	ERR_USAGE = 2,	 /* the request itself is wrong: bad option, bad file, bad size */
	ERR_MISSING = 3, /* a permission or a feature of this machine is missing */
};

struct err {
	enum err_kind kind;
	char text[512];
};

/* Each records kind and sentence in e (if not NULL) and returns code, which is -errno. */
int err_failed(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int err_usage(struct err *e, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
int err_missing(struct err *e, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* strerror for a -errno, in a buffer of the thread's own. */
const char *err_name(int code);

#endif
