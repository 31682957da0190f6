/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ctrl-C and its like for verbs that change the machine or write for long. The handler only raises
 * a flag, which loops look at; they return, what they hold is released on the way as after any
 * error, and at the end the signal is let through, so that whoever waits for this program sees how
 * it ended.
 */
#ifndef SNUG_CLI_SIGNALS_H
#define SNUG_CLI_SIGNALS_H

#include <stdatomic.h>

/* SIGINT, SIGTERM and SIGHUP (unless under nohup) only raise the flag from now on. */
void signals_catch(void);
/* The flag: true once one has come. */
const atomic_bool *signals_stop(void);
/* As they were before; the one that has come takes its course. */
void signals_release(void);

#endif
