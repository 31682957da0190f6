/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The undo journal's parser, on whatever bytes and on the same with right checksums (else nothing
 * gets behind them): no fault, only entries that may be acted upon, each written and read again as
 * the same.
 */
#include "undo_actions.h"
#include "undo_journal.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_again(const struct undo_journal *j, const struct undo_entry *entry)
{
	char *header = undo_header_format(j->boot, j->what), *line = undo_line_format(entry), *both;
	struct undo_journal again;
	int len = asprintf(&both, "%s%s", header, line);

	if (len < 0 || undo_journal_parse(both, (size_t)len, &again) < 0 || again.damaged ||
	    again.n != 1 || strcmp(again.boot, j->boot) || strcmp(again.what, j->what) ||
	    again.lines[0].offset != (off_t)strlen(header) ||
	    memcmp(&again.lines[0].entry, entry, sizeof(*entry)))
		abort();
	undo_journal_free(&again);
	free(header);
	free(line);
	free(both);
}

static void check(const char *text, size_t len)
{
	char description[UNDO_DESCRIPTION_MAX];
	struct undo_journal j;
	off_t before = 0;

	if (undo_journal_parse(text, len, &j) < 0)
		return;
	for (size_t i = 0; i < j.n; i++) {
		const struct undo_line *line = &j.lines[i];

		if (undo_action_check(&line->entry) < 0 || line->offset <= before ||
		    line->offset >= (off_t)len || text[line->offset] != (line->done ? '-' : '+') ||
		    !*undo_describe(&line->entry, description))
			abort();
		before = line->offset;
		check_again(&j, &line->entry);
	}
	undo_journal_free(&j);
}

/* FNV-1a, 32 bits. */
static uint32_t checksum(const uint8_t *data, size_t len)
{
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < len; i++)
		h = (h ^ data[i]) * 16777619u;
	return h;
}

/* Each line of data with a right checksum instead of its last word. */
static void check_sealed(const uint8_t *data, size_t size)
{
	char *text;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	for (size_t at = 0, n; at < size; at += n + 1) {
		const uint8_t *line = data + at, *newline = memchr(line, '\n', size - at), *sum;

		n = newline ? (size_t)(newline - line) : size - at;
		sum = n ? memrchr(line, ' ', n) : NULL;
		if (!sum || sum == line)
			sum = line + n;
		fwrite(line, 1, (size_t)(sum - line), out);
		fprintf(out, " %08" PRIx32 "\n",
			sum > line ? checksum(line + 1, (size_t)(sum - line) - 1) : 0);
	}
	fclose(out);
	check(text, len);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A block of its own, so that the sanitizer sees a byte too far. */
	char *text = malloc(size ? size : 1);

	memcpy(text, data, size);
	check(text, size);
	free(text);
	check_sealed(data, size);
	return 0;
}
