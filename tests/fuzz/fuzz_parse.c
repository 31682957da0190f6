/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What people type: codec lists and sizes. A spec that is taken must survive being written and
 * read. */
#include "codec.h"
#include "err.h"
#include "units.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_spec(const struct codec_spec *spec)
{
	char name[CODEC_NAME_MAX];
	struct codec_spec again;

	if (codec_parse(codec_format(spec, name), &again, NULL) < 0 || again.ops != spec->ops ||
	    again.level != spec->level || again.dict != spec->dict)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct codec_spec *specs;
	struct err e;
	uint64_t bytes;
	int64_t number;
	size_t n;

	memcpy(text, data, size);
	text[size] = '\0';
	if (codec_parse_list(text, &specs, &n, &e) == 0) {
		for (size_t i = 0; i < n; i++)
			check_spec(&specs[i]);
		free(specs);
	}
	if (units_parse_size(text, 1 << 20, "size", &bytes, &e) == 0 && bytes > INT64_MAX)
		abort();
	if (units_parse_int(text, -5, 5, "number", &number, &e) == 0 && (number < -5 || number > 5))
		abort();
	free(text);
	return 0;
}
