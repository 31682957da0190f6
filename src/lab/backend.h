/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where memory goes when there is not enough of it: the competitors. One table, one file a kind.
 *
 * A backend is parsed from what the user wrote ("zram:lzo-rle,devices=2"), prepared once (what
 * takes long or can't be had is found out here), and then started for each trial. All that start
 * changes is in the journal, and undone by the race going back to where the journal was before.
 */
#ifndef SNUG_LAB_BACKEND_H
#define SNUG_LAB_BACKEND_H

#include "plan.h"
#include "race_result.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct err;
struct undo;

/* Some kinds swap on as many devices as this. */
#define BACKEND_DEVICES	 16
#define BACKEND_NAME_MAX 64

/* RAM that a backend uses outside the workload's control group, and what it holds in it. -1:
 * unknown. */
struct backend_pool {
	int64_t orig_bytes, mem_used_bytes;
	int64_t same_pages, huge_pages;
};

struct backend_setup {
	struct undo *undo;
	int root;
	uint64_t swap_bytes;   /* how much must fit, before compression */
	const char *directory; /* where swap files go unless the backend names another place */
	/* Told while long work goes on; true stops it. May be NULL. */
	bool (*tell)(void *arg, uint64_t done_bytes, uint64_t total_bytes);
	void *arg;
};

struct backend;

struct backend_ops {
	const char *name;
	const char
		*grammar; /* what may follow the name, for --help and errors: ":ALG[,devices=N]" */
	const char *about;
	bool needs_argument;
	/* option: key and value of "zram:first,key=value"; the first has key "". ERR_USAGE. */
	int (*option)(struct backend *b, const char *key, const char *value, struct err *e);
	/*
	 * Once, before all trials. ERR_MISSING: this machine can't have it, the race goes on
	 * without. What it makes is journaled and stays until the race's end.
	 */
	int (*prepare)(struct backend *b, const struct backend_setup *s, struct err *e);
	/* Swap is on when it returns 0. NULL: there is none. */
	int (*start)(struct backend *b, const struct backend_setup *s, struct err *e);
	/* What its pool holds now; NULL: it has none. Called often, by one thread. */
	void (*read_pool)(const struct backend *b, int root, struct backend_pool *ret);
	/* Work of its own while a trial runs, once a second; NULL: none. */
	void (*tend)(struct backend *b, int root);
};

/* What the kinds keep; each uses what it needs. */
struct backend {
	const struct backend_ops *ops;
	char name[PLAN_BACKEND_MAX + 8]; /* as written; the second of two alike ends in "#2" */
	char unavailable[RACE_SENTENCE_MAX];
	bool unlimited;	 /* the workload gets all the memory that it wants */
	bool swapless;	 /* and nothing is swapped */
	bool uses_zswap; /* else zswap is off while it runs */
	bool charged;	 /* its pool is within the control group's usage already */
	char algorithm[32];
	char level[16]; /* empty: the algorithm's own */
	char zpool[32];
	int64_t max_percent;
	unsigned devices;
	uint64_t limit_bytes, size_bytes; /* 0: not given */
	char backing[256];		  /* a device, or a size */
	char medium[256]; /* folder or device that swap is on; empty: the setup's folder */
	/* Made by prepare and start. */
	char swap_path[512];
	int zram_ids[BACKEND_DEVICES];
	/* Whose traffic the samples show (swap itself), and the medium's, by their names in
	 * /proc/diskstats. */
	char traffic[BACKEND_DEVICES][32];
	unsigned n_traffic;
	char disk[32]; /* empty: RAM only */
};

extern const struct backend_ops *const backend_table[]; /* ends with NULL */

/* ERR_USAGE: an unknown kind (the known ones are listed) or option. */
int backend_parse(struct backend *b, const char *text, struct err *e);

/* Appends to a list of words; for sentences that list what is known. */
const char *backend_kinds(char *buf, size_t size);

#endif
