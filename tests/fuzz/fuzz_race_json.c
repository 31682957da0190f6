/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Result files, of whatever bytes: refused with a sentence, or what is made of them is written,
 * read and written again as the same. */
#include "err.h"
#include "race_json.h"
#include "race_result.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *written(const struct race_result *r, size_t *ret_len)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_len);

	if (!out || race_json_write(r, out) < 0 || fclose(out) != 0)
		abort();
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct race_result first, second;
	struct err e = {0};
	size_t len, again_len;
	char *text, *again;

	if (race_json_read((const char *)data, size, &first, &e) < 0) {
		if (!*e.text)
			abort();
		return 0;
	}
	text = written(&first, &len);
	if (race_json_read(text, len, &second, &e) < 0)
		abort();
	again = written(&second, &again_len);
	if (len != again_len || memcmp(text, again, len) != 0)
		abort();
	free(text);
	free(again);
	race_result_free(&first);
	race_result_free(&second);
	return 0;
}
