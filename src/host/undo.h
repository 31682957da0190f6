/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this process has changed on the machine, and how to put it back: a stack of entries in a
 * journal of its own, /run/snug/undo-PID, flocked while the process lives. An entry is durable
 * (fsync) before the change is made, so that whatever happens, a kill -9 included, someone can undo
 * it: undo_back on every ordinary way out, undo_recover in the next run or by `snug undo`.
 *
 * Every action is idempotent and looks first whether the thing is still what snug left: one whose
 * change was never made, or that somebody else has removed or replaced since, does nothing. Entries
 * of an earlier boot are only those of files; the rest went with the boot.
 *
 * A child that was forked from the holder keeps the lock held while it has the descriptor: it must
 * close it (close_range) or exec at once.
 */
#ifndef SNUG_HOST_UNDO_H
#define SNUG_HOST_UNDO_H

#include <stddef.h>
#include <stdint.h>

struct err;

enum undo_action {
	/* Write text, the old value, into the attribute path. */
	UNDO_WRITE,
	/* A zram device is about to be added; text: the numbers that were there, "0,1". */
	UNDO_ZRAM_ADDING,
	/* Reset and remove zram device `number`, whose /sys/block entry has inode `inode`. */
	UNDO_ZRAM,
	/* Stop swapping on path. */
	UNDO_SWAPOFF,
	/* Remove the file path if it is device `number`, inode `inode`. */
	UNDO_UNLINK,
	/* Detach loop device `number` if what backs it is inode `inode` of device text (decimal).
	 */
	UNDO_LOOP,
	/* Remove the folder path with all in it, if scratch_make made it (scratch.h). */
	UNDO_TREE,
	/* Kill all processes in the control group path (a folder), wait for them, and remove it. */
	UNDO_CGROUP,
};

#define UNDO_PATH_MAX 512
#define UNDO_TEXT_MAX 256

/* Paths are relative to the root ("sys/block/..."). Unused members are zero. */
struct undo_entry {
	enum undo_action action;
	char path[UNDO_PATH_MAX]; /* any bytes: the journal escapes them */
	char text[UNDO_TEXT_MAX];
	uint64_t number, inode;
};

struct undo;

/*
 * A new, empty journal. root: an open "/", or a tree that looks like one (tests); borrowed. what:
 * for --list, the verb ("race"). ERR_MISSING where /run/snug can't be made (no root).
 */
int undo_open(int root, const char *what, struct undo **ret, struct err *e);

int undo_root(const struct undo *u);

/* Where the stack is now, for undo_back. */
size_t undo_mark(const struct undo *u);

/* Durable when it returns 0. Call it before the change. */
int undo_note(struct undo *u, const struct undo_entry *entry, struct err *e);

/*
 * Undoes the newest entries until only `mark` are left. One that fails does not stop the others: it
 * stays in the journal, and the first failure's sentence is in e.
 */
int undo_back(struct undo *u, size_t mark, struct err *e);

/* undo_back to nothing, and removes the journal; one with failed entries stays for the next try.
 * Takes NULL. */
int undo_close(struct undo *u, struct err *e);

/* Told of each entry that was tried. why: NULL if it is undone, else why not. */
struct undo_watch {
	void (*tried)(void *arg, const struct undo_entry *entry, const struct err *why);
	void *arg;
};

/*
 * Finishes what dead processes left: replays each journal whose lock is free. watch may be NULL.
 * -EBUSY and the like with the first failure's sentence.
 */
int undo_recover(int root, const struct undo_watch *watch, struct err *e);

/*
 * Calls each for what is to be undone (by its holder, if that lives), a journal's newest entry
 * first.
 */
struct undo_origin {
	int pid;
	const char *what;
	int live;
};

int undo_list(int root,
	      void (*each)(void *arg, const struct undo_origin *from,
			   const struct undo_entry *entry),
	      void *arg, struct err *e);

/* A sentence part for people: "turn off swap on /var/x", "set /sys/... back to 'lzo'"; returns buf.
 */
#define UNDO_DESCRIPTION_MAX 1024
const char *undo_describe(const struct undo_entry *entry, char buf[UNDO_DESCRIPTION_MAX]);

#endif
