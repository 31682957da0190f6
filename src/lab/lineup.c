/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "lineup.h"

#include "err.h"
#include "facts.h"
#include "undo.h"
#include "zram.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static int add(struct lineup *l, const char *text, struct err *e)
{
	struct backend *b = &l->backends[l->n];
	unsigned alike = 1;
	int r;

	if (l->n == PLAN_BACKENDS)
		return err_usage(e, -E2BIG, "more than %d backends", PLAN_BACKENDS);
	r = backend_parse(b, text, e);
	if (r < 0)
		return r;
	for (size_t i = 0; i < l->n; i++)
		alike += strncmp(l->backends[i].name, text, strlen(text)) == 0 &&
			 strchr("#", l->backends[i].name[strlen(text)]) != NULL;
	if (alike > 1)
		snprintf(b->name, sizeof(b->name), "%s#%u", text, alike);
	l->n++;
	return 0;
}

/* zram tells its algorithms through a device; where there is none yet, one is added to ask. */
static void read_facts(int root, struct undo *u, struct facts *ret)
{
	struct zram_device d;
	size_t mark = undo_mark(u);

	facts_read(root, ret);
	if (ret->zram_algorithms.n == 0 && zram_add(u, &d, NULL) == 0)
		facts_read(root, ret);
	undo_back(u, mark, NULL);
}

static int add_defaults(struct lineup *l, int root, struct undo *u, struct err *e)
{
	struct facts facts;
	char text[64];
	int r;

	read_facts(root, u, &facts);
	r = add(l, "none", e);
	if (r == 0)
		r = add(l, "file", e);
	for (size_t i = 0; r == 0 && i < facts.zram_algorithms.n; i++) {
		snprintf(text, sizeof(text), "zram:%s", facts.zram_algorithms.words[i]);
		r = add(l, text, e);
	}
	if (r == 0 && facts.zram_algorithms.n == 0)
		r = add(l, "zram:lzo-rle", e);
	snprintf(text, sizeof(text), "zswap:%s",
		 *facts.zswap.compressor ? facts.zswap.compressor : "lzo");
	return r < 0 ? r : add(l, text, e);
}

static bool has_reference(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_backends; i++)
		if (strcmp(plan->backends[i], "none") == 0)
			return true;
	return false;
}

int lineup_make(struct lineup *l, int root, struct undo *u, const struct plan *plan, struct err *e)
{
	int r = 0;

	l->n = 0;
	if (plan->n_backends == 0)
		return add_defaults(l, root, u, e);
	if (!has_reference(plan))
		r = add(l, "none", e);
	for (size_t i = 0; r == 0 && i < plan->n_backends; i++)
		r = add(l, plan->backends[i], e);
	return r;
}

int lineup_prepare(struct lineup *l, const struct backend_setup *s, struct err *e)
{
	for (size_t i = 0; i < l->n; i++) {
		struct backend *b = &l->backends[i];
		struct err why;
		int r = b->ops->prepare(b, s, &why);

		if (r < 0 && why.kind == ERR_MISSING && r != -EACCES && r != -EPERM) {
			snprintf(b->unavailable, sizeof(b->unavailable), "%s", why.text);
		} else if (r < 0) {
			if (e)
				*e = why;
			return r;
		}
	}
	return 0;
}
