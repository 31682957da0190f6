/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "mapping.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

void *mapping_alloc(size_t bytes)
{
	void *mem = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mem == MAP_FAILED)
		return NULL;
	madvise(mem, bytes, MADV_DONTDUMP);
	return mem;
}

void mapping_free(void *mem, size_t bytes)
{
	if (mem)
		munmap(mem, bytes);
}

void mapping_clear(void *mem, size_t bytes)
{
	if (madvise(mem, bytes, MADV_DONTNEED) < 0)
		memset(mem, 0, bytes); /* locked */
}

int mapping_lock(void *mem, size_t bytes)
{
	return mlock2(mem, bytes, MLOCK_ONFAULT) < 0 ? -errno : 0;
}
