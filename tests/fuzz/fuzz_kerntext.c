/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every parser of the kernel's texts, on whatever bytes: no fault, no endless loop, results only on
 * success. */
#include "kerntext.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk_lines(const char *text)
{
	struct kerntext_swap swap;
	struct kerntext_map map;
	const char *cursor = text;

	while (kerntext_swap(&cursor, &swap) == 0)
		;
	cursor = text;
	while (kerntext_map(&cursor, &map) == 0)
		if (map.end <= map.start || map.path + map.path_len > cursor)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), buf[KERNTEXT_WORD_MAX];
	struct kerntext_choice choice;
	struct kerntext_mm_stat mm;
	unsigned major, minor;
	uint64_t bytes;
	int64_t number;
	bool flag;

	memcpy(text, data, size);
	text[size] = '\0';
	if (kerntext_number(text, &number) == 0 && number < 0)
		abort();
	kerntext_bool(text, &flag);
	kerntext_word(text, buf, sizeof(buf));
	kerntext_meminfo(text, "MemTotal", &bytes);
	if (kerntext_choice(text, &choice) == 0 && choice.chosen >= (int)choice.n)
		abort();
	kerntext_mm_stat(text, &mm);
	if (kerntext_cpu_list(text, &number) == 0 && number < 1)
		abort();
	kerntext_release(text, &major, &minor);
	kerntext_cpuinfo(text, "model name", buf, sizeof(buf));
	kerntext_stat_has_memory(text, &flag);
	walk_lines(text);
	free(text);
	return 0;
}
