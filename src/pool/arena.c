/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The whole range is reserved at once without access, so that units have numbers and addresses for
 * ever, and opened in steps: under vm.overcommit_memory=2 only what is open is charged.
 */
#include "arena.h"

#include "mapping.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

enum { STEP_BYTES = 16 << 20 };

static int open_more(struct arena *a)
{
	uint32_t step = (uint32_t)(STEP_BYTES / a->unit_bytes);
	char *from = a->base + (size_t)a->opened * a->unit_bytes;
	size_t bytes;

	if (step > a->capacity - a->opened)
		step = a->capacity - a->opened;
	if (!step)
		return -ENOMEM;
	bytes = step * a->unit_bytes;
	if (mprotect(from, bytes, PROT_READ | PROT_WRITE) < 0)
		return -ENOMEM;
	if (a->lock_memory && mlock2(from, bytes, MLOCK_ONFAULT) < 0) {
		int r = errno == EPERM ? -EPERM : -ENOMEM;

		mprotect(from, bytes, PROT_NONE);
		return r;
	}
	a->opened += step;
	return 0;
}

int arena_open(struct arena *a, uint64_t capacity_bytes, size_t unit_bytes, bool lock_memory)
{
	uint64_t units = (capacity_bytes + unit_bytes - 1) / unit_bytes;
	int r;

	*a = (struct arena){.unit_bytes = unit_bytes, .lock_memory = lock_memory};
	if (units > UINT32_MAX)
		return -ENOMEM;
	a->capacity = (uint32_t)units;
	a->given = mapping_alloc(units * sizeof(*a->given));
	a->base = mmap(NULL, units * unit_bytes, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (a->base == MAP_FAILED)
		a->base = NULL;
	if (!a->given || !a->base) {
		arena_close(a);
		return -ENOMEM;
	}
	madvise(a->base, units * unit_bytes, MADV_DONTDUMP);
	r = open_more(a);
	if (r < 0)
		arena_close(a);
	return r;
}

void arena_close(struct arena *a)
{
	mapping_free(a->base, a->capacity * a->unit_bytes);
	mapping_free(a->given, a->capacity * sizeof(*a->given));
	*a = (struct arena){0};
}

int arena_take(struct arena *a, uint32_t *ret_unit)
{
	int r = 0;

	spin_lock(&a->lock);
	if (a->n_given)
		*ret_unit = a->given[--a->n_given];
	else if (a->top < a->opened || (r = open_more(a)) == 0)
		*ret_unit = a->top++;
	spin_unlock(&a->lock);
	return r < 0 ? -ENOMEM : 0;
}

void arena_give(struct arena *a, uint32_t unit)
{
	spin_lock(&a->lock);
	a->given[a->n_given++] = unit;
	spin_unlock(&a->lock);
}

void arena_discard(struct arena *a, uint32_t unit, size_t bytes)
{
	char *from = a->base + (size_t)unit * a->unit_bytes;

	/* MADV_DONTNEED is refused on locked pages; unlock, drop, lock again. */
	if (a->lock_memory)
		munlock(from, bytes);
	madvise(from, bytes, MADV_DONTNEED);
	if (a->lock_memory)
		mlock2(from, bytes, MLOCK_ONFAULT);
}

uint32_t arena_top(struct arena *a)
{
	uint32_t top;

	spin_lock(&a->lock);
	top = a->top;
	spin_unlock(&a->lock);
	return top;
}

void arena_reset(struct arena *a)
{
	for (uint32_t i = 0; i < a->top; i++)
		arena_discard(a, i, a->unit_bytes);
	a->top = a->n_given = 0;
}
