/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parsers of what the kernel counts and of its list of mounts, on whatever bytes: no fault, no
 * endless loop, no figure out of range. */
#include "counters.h"
#include "fields.h"
#include "mountinfo.h"
#include "psi.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* It cuts the text up, so it comes last. */
static void walk_mounts(char *text, size_t size)
{
	struct mountinfo m;
	char *cursor = text;

	while (mountinfo_next(&cursor, &m)) {
		if (m.id < 0 || m.options < text || m.options > text + size ||
		    strlen(m.point) > size || strlen(m.source) > size || strlen(m.type) > size)
			abort();
		mountinfo_has_option(&m, "memory");
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct counters_disk disk;
	struct counters_cpu cpu;
	struct counters_vm vm;
	struct psi psi;
	int64_t value;

	memcpy(text, data, size);
	text[size] = '\0';
	if (psi_parse(text, &psi) == 0 &&
	    !(psi.some_avg10 >= 0 && psi.some_avg10 < 1000 && psi.full_avg10 < 1000))
		abort();
	counters_parse_cpu(text, &cpu);
	counters_parse_disk(text, &disk);
	if (counters_parse_vm(text, &vm) == 0 && (vm.pswpin < -1 || vm.zswpwb < -1))
		abort();
	if (fields_of_key(text, "oom_kill", &value) == 0 && value < 0)
		abort();
	fields_have(text, "memory");
	walk_mounts(text, size);
	free(text);
	return 0;
}
