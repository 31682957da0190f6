/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What each kind of entry does, in one table. Private to undo*.c. */
#ifndef SNUG_HOST_UNDO_ACTIONS_H
#define SNUG_HOST_UNDO_ACTIONS_H

#include "undo.h"

#include <stdbool.h>

/* The journal's word for it; NULL: no such action. */
const char *undo_action_name(enum undo_action a);
/* -ENOENT for an unknown word. */
int undo_action_find(const char *name, enum undo_action *ret);

/* May it be noted, and acted upon when read back? -EINVAL. */
int undo_action_check(const struct undo_entry *entry);
/* Does it outlive the boot that it was noted in? */
bool undo_action_outlives_boot(enum undo_action a);
/* The sentence of one that fails ends in how to do it by hand. */
int undo_action_run(int root, const struct undo_entry *entry, struct err *e);

#endif
