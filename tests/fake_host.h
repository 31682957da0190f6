/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trees of tests/fake_host, and trees that a test makes itself, opened as roots. */
#ifndef SNUG_TESTS_FAKE_HOST_H
#define SNUG_TESTS_FAKE_HOST_H

#include "testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* The root of a checked-in tree, beside this header: compilers are run, as tests are, in the build
 * folder. */
static inline int fake_host(const char *name)
{
	static const char self[] = __FILE__;
	char path[512];
	int fd;

	snprintf(path, sizeof(path), "%.*s/%s", (int)(sizeof(self) - sizeof(".h")), self, name);
	fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		fail_msg("no folder %s", path);
	return fd;
}

/* The root of a new tree below /tmp, whose path is in buf. */
static inline int made_host(char buf[64])
{
	int fd;

	strcpy(buf, "/tmp/snug-test-XXXXXX");
	assert_non_null(mkdtemp(buf));
	fd = open(buf, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

static inline void made_host_end(int root, const char *path)
{
	char command[128];

	close(root);
	snprintf(command, sizeof(command), "rm -rf '%s'", path);
	assert_int_equal(system(command), 0);
}

/* A file of the tree, with the folders above it; returned open for writing. */
static inline int host_file(int root, const char *path)
{
	char copy[256];
	int fd;

	snprintf(copy, sizeof(copy), "%s", path);
	for (char *slash = copy; (slash = strchr(slash, '/')); *slash++ = '/') {
		*slash = '\0';
		mkdirat(root, copy, 0755);
	}
	fd = openat(root, path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	assert_true(fd >= 0);
	return fd;
}

static inline void host_text(int root, const char *path, const char *text)
{
	int fd = host_file(root, path);

	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
}

#endif
