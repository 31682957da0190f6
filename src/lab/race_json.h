/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Result files of the race: JSON, schema "snug.race/1". One table of fields a struct serves both
 * ways. */
#ifndef SNUG_LAB_RACE_JSON_H
#define SNUG_LAB_RACE_JSON_H

#include <stdio.h>

struct err;
struct race_result;

/* Pretty-printed, a newline at the end. 0, -ENOMEM, or -EIO when out fails. */
int race_json_write(const struct race_result *r, FILE *out);

/*
 * A whole file's text. ERR_USAGE with what is wrong and where: not JSON, another schema or version,
 * a missing or mistyped field. Unknown fields are ignored: a later snug may have added them. To be
 * freed by race_result_free.
 */
int race_json_read(const char *text, size_t len, struct race_result *ret, struct err *e);

#endif
