/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "undo_actions.h"

#include "cgroup.h"
#include "err.h"
#include "knob.h"
#include "loop.h"
#include "scratch.h"
#include "swap.h"
#include "zram.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE_MS = 5000, SWAPOFF_MS = 60000 };

struct action {
	const char *name;
	bool has_path, outlives_boot;
	int (*run)(int root, const struct undo_entry *entry, struct err *e);
	void (*describe)(const struct undo_entry *entry, char *buf, size_t size);
	/* What a person would type. */
	void (*by_hand)(const struct undo_entry *entry, char *buf, size_t size);
};

static int write_back(int root, const struct undo_entry *entry, struct err *e)
{
	int r = knob_write(root, PATIENCE_MS, entry->text, "%s", entry->path);

	if (r == 0 || r == -ENOENT)
		return 0;
	return err_failed(e, r, "cannot set /%s back to '%s': %s", entry->path, entry->text,
			  err_name(r));
}

static void describe_write(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size, "set /%s back to '%s'", entry->path, entry->text);
}

static void write_by_hand(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size, "echo '%s' > /%s", entry->text, entry->path);
}

static int remove_added(int root, const struct undo_entry *entry, struct err *e)
{
	int r = zram_remove_added(root, entry->text, PATIENCE_MS);

	return r < 0 ? err_failed(e, r, "cannot remove the zram device that was being added: %s",
				  err_name(r))
		     : 0;
}

static void describe_adding(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size, "remove the zram device that was being added");
}

static void adding_by_hand(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size,
		 "look with zramctl which one nobody uses, and echo its number > "
		 "/sys/class/zram-control/hot_remove");
}

static int remove_zram(int root, const struct undo_entry *entry, struct err *e)
{
	char path[64];
	struct stat st;
	int r;

	snprintf(path, sizeof(path), "sys/block/zram%" PRIu64, entry->number);
	if (fstatat(root, path, &st, 0) < 0 || st.st_ino != entry->inode)
		return 0;
	r = zram_remove_id(root, (int)entry->number, PATIENCE_MS);
	if (r == 0)
		return 0;
	return err_failed(e, r, "cannot remove zram%" PRIu64 ": %s", entry->number, err_name(r));
}

static void describe_zram(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size, "reset and remove zram%" PRIu64, entry->number);
}

static void zram_by_hand(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size,
		 "echo 1 > /sys/block/zram%" PRIu64 "/reset; echo %" PRIu64
		 " > /sys/class/zram-control/hot_remove",
		 entry->number, entry->number);
}

static int stop_swap(int root, const struct undo_entry *entry, struct err *e)
{
	char path[UNDO_PATH_MAX + 1];

	snprintf(path, sizeof(path), "/%s", entry->path);
	return swap_off(root, path, SWAPOFF_MS, NULL, NULL, e);
}

static void describe_swap(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size, "turn off swap on /%s", entry->path);
}

static void swap_by_hand(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size, "swapoff '/%s'", entry->path);
}

static int unlink_file(int root, const struct undo_entry *entry, struct err *e)
{
	struct stat st;

	if (fstatat(root, entry->path, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
	    st.st_ino != entry->inode || st.st_dev != entry->number)
		return 0;
	if (unlinkat(root, entry->path, 0) < 0 && errno != ENOENT)
		return err_failed(e, -errno, "cannot remove /%s: %s", entry->path,
				  err_name(-errno));
	return 0;
}

static void describe_path(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size, "remove /%s", entry->path);
}

static void unlink_by_hand(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size, "rm '/%s'", entry->path);
}

static int detach_loop(int root, const struct undo_entry *entry, struct err *e)
{
	return loop_detach(root, (unsigned)entry->number, strtoull(entry->text, NULL, 10),
			   entry->inode, e);
}

static void describe_loop(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size, "detach loop%" PRIu64, entry->number);
}

static void loop_by_hand(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size, "losetup -d /dev/loop%" PRIu64, entry->number);
}

static int remove_tree(int root, const struct undo_entry *entry, struct err *e)
{
	return scratch_remove(root, entry->path, e);
}

static void tree_by_hand(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size, "see what is in '/%s', then rm -r it", entry->path);
}

static int remove_cgroup(int root, const struct undo_entry *entry, struct err *e)
{
	return cgroup_remove(root, entry->path, e);
}

static void describe_cgroup(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size, "kill what is in the control group /%s, and remove it", entry->path);
}

static void cgroup_by_hand(const struct undo_entry *entry, char *buf, size_t size)
{
	snprintf(buf, size, "kill what /%s/cgroup.procs lists, then rmdir /%s", entry->path,
		 entry->path);
}

static const struct action actions[] = {
	[UNDO_WRITE] = {"write", true, false, write_back, describe_write, write_by_hand},
	[UNDO_ZRAM_ADDING] = {"zram-adding", false, false, remove_added, describe_adding,
			      adding_by_hand},
	[UNDO_ZRAM] = {"zram", false, false, remove_zram, describe_zram, zram_by_hand},
	[UNDO_SWAPOFF] = {"swapoff", true, false, stop_swap, describe_swap, swap_by_hand},
	[UNDO_UNLINK] = {"unlink", true, true, unlink_file, describe_path, unlink_by_hand},
	[UNDO_LOOP] = {"loop", false, false, detach_loop, describe_loop, loop_by_hand},
	[UNDO_TREE] = {"tree", true, true, remove_tree, describe_path, tree_by_hand},
	[UNDO_CGROUP] = {"cgroup", true, false, remove_cgroup, describe_cgroup, cgroup_by_hand},
};

enum { ACTIONS = sizeof(actions) / sizeof(actions[0]) };

const char *undo_action_name(enum undo_action a)
{
	return (unsigned)a < ACTIONS ? actions[a].name : NULL;
}

int undo_action_find(const char *name, enum undo_action *ret)
{
	for (unsigned a = 0; a < ACTIONS; a++) {
		if (strcmp(actions[a].name, name) == 0) {
			*ret = (enum undo_action)a;
			return 0;
		}
	}
	return -ENOENT;
}

/* Relative, and never upwards: "a/../b" could lead anywhere. */
static bool is_plain_path(const char *path)
{
	if (!*path || *path == '/')
		return false;
	for (const char *part = path; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
			return false;
	}
	return true;
}

int undo_action_check(const struct undo_entry *entry)
{
	if ((unsigned)entry->action >= ACTIONS)
		return -EINVAL;
	if (actions[entry->action].has_path ? !is_plain_path(entry->path) : *entry->path != '\0')
		return -EINVAL;
	switch (entry->action) {
	case UNDO_WRITE:
		return strncmp(entry->path, "sys/", 4) && strncmp(entry->path, "proc/", 5) ? -EINVAL
											   : 0;
	case UNDO_ZRAM:
	case UNDO_LOOP:
		return entry->number > INT_MAX ? -EINVAL : 0;
	default:
		return 0;
	}
}

bool undo_action_outlives_boot(enum undo_action a)
{
	return actions[a].outlives_boot;
}

int undo_action_run(int root, const struct undo_entry *entry, struct err *e)
{
	const struct action *action = &actions[entry->action];
	int r = action->run(root, entry, e);
	char by_hand[UNDO_DESCRIPTION_MAX];
	size_t len;

	if (r < 0 && e) {
		action->by_hand(entry, by_hand, sizeof(by_hand));
		len = strlen(e->text);
		snprintf(e->text + len, sizeof(e->text) - len,
			 "; 'snug undo' tries again, or do it by hand: %s", by_hand);
	}
	return r;
}

const char *undo_describe(const struct undo_entry *entry, char buf[UNDO_DESCRIPTION_MAX])
{
	actions[entry->action].describe(entry, buf, UNDO_DESCRIPTION_MAX);
	return buf;
}
