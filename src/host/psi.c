/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "psi.h"

#include "cleanup.h"
#include "fields.h"
#include "sysread.h"

#include <errno.h>
#include <string.h>

/* "12.34", as the kernel prints it in every locale. */
static bool parse_percent(const char *text, double *ret)
{
	size_t whole = strspn(text, "0123456789");
	const char *part = text + whole + 1;

	if (whole < 1 || whole > 3 || text[whole] != '.' || strspn(part, "0123456789") != 2 ||
	    part[2])
		return false;
	*ret = atoi(text) + atoi(part) / 100.0;
	return true;
}

/* "avg10=0.00 avg60=0.00 avg300=0.00 total=0" */
static bool take_line(const char **p, double *ret_avg10, uint64_t *ret_total)
{
	static const char *const keys[] = {"avg10=", "avg60=", "avg300="};
	double averages[3];
	char word[48];
	int64_t total;
	const char *number = word + strlen("total=");

	for (size_t i = 0; i < 3; i++) {
		size_t len = strlen(keys[i]);

		if (!fields_word(p, word, sizeof(word)) || strncmp(word, keys[i], len) ||
		    !parse_percent(word + len, &averages[i]))
			return false;
	}
	if (!fields_word(p, word, sizeof(word)) || strncmp(word, "total=", 6) ||
	    !fields_number(&number, &total) || (**p && **p != '\n'))
		return false;
	fields_next_line(p);
	*ret_avg10 = averages[0];
	*ret_total = (uint64_t)total;
	return true;
}

int psi_parse(const char *text, struct psi *ret)
{
	struct psi p = {0};
	char word[8];

	if (!fields_word(&text, word, sizeof(word)) || strcmp(word, "some") ||
	    !take_line(&text, &p.some_avg10, &p.some_us))
		return -EBADMSG;
	if (*text && (!fields_word(&text, word, sizeof(word)) || strcmp(word, "full") ||
		      !take_line(&text, &p.full_avg10, &p.full_us) || *text))
		return -EBADMSG;
	*ret = p;
	return 0;
}

int psi_read(int root, const char *path, struct psi *ret)
{
	CLEANUP_FREE char *text = NULL;
	int r = sysread_text(root, &text, "%s", path);

	return r < 0 ? r : psi_parse(text, ret);
}
