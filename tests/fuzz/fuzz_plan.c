/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Plans from files; what is read must be written again as a command line. */
#include "plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len);

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
	int fd = memfd_create("plan", MFD_CLOEXEC);
	char path[32];
	struct plan p;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	plan_init(&p);
	if (write(fd, data, len) == (ssize_t)len &&
	    plan_read(&p, path, UINT64_C(1) << 32, NULL) == 0) {
		plan_check(&p, NULL);
		free(plan_command_line(&p));
	}
	plan_free(&p);
	close(fd);
	return 0;
}
