/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fields of the kernel's texts that blanks part, taken one by one; strict as kerntext.h. */
#ifndef SNUG_HOST_FIELDS_H
#define SNUG_HOST_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next field of this line. False, and *p where it was, at its end or if buf is too small. */
bool fields_word(const char **p, char *buf, size_t size);
bool fields_number(const char **p, int64_t *ret);

/* To the start of the next line; at the end stays there. */
void fields_next_line(const char **p);

/* Of "KEY NUMBER" lines, cgroup-v2.rst's flat keyed files: -ENOENT, -EBADMSG. */
int fields_of_key(const char *text, const char *key, int64_t *ret);

/* Is word one of those in the text's first line? */
bool fields_have(const char *text, const char *word);

#endif
