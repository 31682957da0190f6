/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * /proc/config.gz, where it exists, is the running kernel's own. Debian, Fedora and Ubuntu have the
 * text in /boot or beside the modules instead; those are matched by release only.
 */
#include "kconfig.h"

#include "cleanup.h"
#include "kerntext.h"
#include "sysread.h"

#include <errno.h>
#include <fcntl.h>
#include <libdeflate.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { GZIP_MAX = 1 << 20, TEXT_MAX = 4 << 20 };

static int read_bytes(int root, const char *path, size_t max, char **ret, size_t *ret_len)
{
	CLEANUP_CLOSE int fd = openat(root, path, O_RDONLY | O_CLOEXEC);
	CLEANUP_FREE char *data = malloc(max);
	size_t len = 0;

	if (fd < 0)
		return -errno;
	if (!data)
		return -ENOMEM;
	while (len < max) {
		ssize_t n = read(fd, data + len, max - len);

		if (n < 0)
			return -errno;
		if (n == 0)
			break;
		len += (size_t)n;
	}
	*ret = TAKE(data);
	*ret_len = len;
	return 0;
}

static int read_gzip(int root, char **ret_text)
{
	CLEANUP_FREE char *packed = NULL, *text = malloc(TEXT_MAX + 1);
	struct libdeflate_decompressor *d;
	size_t packed_len = 0, len;
	int r = read_bytes(root, "proc/config.gz", GZIP_MAX, &packed, &packed_len);

	if (r < 0)
		return r;
	d = libdeflate_alloc_decompressor();
	if (!text || !d) {
		libdeflate_free_decompressor(d);
		return -ENOMEM;
	}
	if (libdeflate_gzip_decompress(d, packed, packed_len, text, TEXT_MAX, &len) !=
	    LIBDEFLATE_SUCCESS)
		r = -EBADMSG;
	libdeflate_free_decompressor(d);
	if (r < 0)
		return r;
	text[len] = '\0';
	*ret_text = TAKE(text);
	return 0;
}

static int find_number(const char *text, const char *option, int64_t *ret)
{
	size_t len = strlen(option);
	char value[24];

	for (const char *p = text; *p; p += strcspn(p, "\n"), p += *p == '\n') {
		size_t value_len;

		if (strncmp(p, option, len) || p[len] != '=')
			continue;
		p += len + 1;
		value_len = strcspn(p, "\n");
		if (value_len >= sizeof(value))
			return -EBADMSG;
		memcpy(value, p, value_len);
		value[value_len] = '\0';
		return kerntext_number(value, ret);
	}
	return -ENODATA;
}

int kconfig_number(int root, const char *release, const char *option, int64_t *ret)
{
	static const struct {
		const char *before, *after;
	} places[] = {
		{"boot/config-", ""}, {"lib/modules/", "/config"}, {"usr/lib/modules/", "/config"}};
	CLEANUP_FREE char *text = NULL;
	int r = read_gzip(root, &text);

	for (size_t i = 0; r < 0 && i < sizeof(places) / sizeof(places[0]); i++)
		r = sysread_text(root, &text, "%s%s%s", places[i].before, release, places[i].after);
	return r < 0 ? -ENOENT : find_number(text, option, ret);
}
