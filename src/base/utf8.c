/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "utf8.h"

uint32_t utf8_decode(const char *s, size_t *ret_len)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
	const unsigned char *p = (const unsigned char *)s;
	size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
	uint32_t c = len == 1 ? p[0] : p[0] & (0x7fu >> len);

	*ret_len = 1;
	if (len == 0 || p[0] > 0xf4)
		return UTF8_REPLACEMENT;
	for (size_t i = 1; i < len; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return UTF8_REPLACEMENT;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least[len] || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		return UTF8_REPLACEMENT;
	*ret_len = len;
	return c;
}
