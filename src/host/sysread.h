/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One attribute of /proc or /sys below a root directory, read and parsed at once. */
#ifndef SNUG_HOST_SYSREAD_H
#define SNUG_HOST_SYSREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kerntext_choice;

#define SYSREAD_MAX ((size_t)8 << 20) /* bytes; the longest is modules.dep, some 1 MiB */

/*
 * The path is relative to root and made by printf. 0, or -errno: -ENOENT where this kernel does not
 * have the attribute, -EBADMSG where it is not what it should be.
 */
int sysread_text(int root, char **ret_text, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int sysread_number(int root, int64_t *ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int sysread_word(int root, char *buf, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
int sysread_choice(int root, struct kerntext_choice *ret, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
bool sysread_exists(int root, const char *path);

#endif
