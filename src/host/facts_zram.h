/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The part of facts.c about zram and zswap; private to this folder. */
#ifndef SNUG_HOST_FACTS_ZRAM_H
#define SNUG_HOST_FACTS_ZRAM_H

struct facts;
struct facts_zswap;

/* f->kernel must be known by then: modules are looked for under its name. */
void facts_zram_read(int root, struct facts *f);
/* pool_bytes and stored_bytes are looked for in debugfs only if they are still unknown. */
void facts_zswap_read(int root, struct facts_zswap *z);

#endif
