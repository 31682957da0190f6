/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One at a time: /run/snug/NAME.lock, flocked, with its holder's pid and command in it. It frees
 * itself when the holder dies.
 */
#ifndef SNUG_HOST_LOCK_H
#define SNUG_HOST_LOCK_H

struct err;

struct lock {
	int fd; /* -1: not held */
};

/*
 * verb: who takes it, for others to see. -EBUSY, ERR_FAILED, and a sentence that names the holder,
 * its pid and since when.
 */
int lock_take(int root, const char *name, const char *verb, struct lock *ret, struct err *e);
/* Safe on one that is not held. */
void lock_drop(struct lock *l);

#endif
