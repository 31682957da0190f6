/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How backends are written, and every way to write them wrong. */
#include "backend.h"
#include "err.h"
#include "testing.h"

#include <errno.h>

static struct backend parsed(const char *text)
{
	struct backend b;
	struct err e = {0};

	if (backend_parse(&b, text, &e) < 0)
		fail_msg("%s: %s", text, e.text);
	assert_string_equal(b.name, text);
	return b;
}

static void refused(const char *text, const char *with)
{
	struct backend b;
	struct err e = {0};

	if (backend_parse(&b, text, &e) != -EINVAL && backend_parse(&b, text, &e) != -ERANGE)
		fail_msg("'%s' was taken", text);
	assert_int_equal(e.kind, ERR_USAGE);
	if (!strstr(e.text, with))
		fail_msg("'%s': \"%s\" has no \"%s\"", text, e.text, with);
}

static void every_kind(void **state)
{
	struct backend b;

	b = parsed("none");
	assert_false(b.swapless);
	b = parsed("none:limited");
	assert_true(b.swapless);
	b = parsed("file");
	assert_string_equal(b.medium, "");
	b = parsed("file:/mnt/sd card");
	assert_string_equal(b.medium, "/mnt/sd card");
	b = parsed("dev:/dev/sdb2");
	assert_string_equal(b.medium, "/dev/sdb2");
	b = parsed("zswap:lzo");
	assert_string_equal(b.algorithm, "lzo");
	assert_int_equal(b.max_percent, -1);
	b = parsed("zswap:zstd,pool=z3fold,max=25,on=/dev/sdb2");
	assert_string_equal(b.algorithm, "zstd");
	assert_string_equal(b.zpool, "z3fold");
	assert_int_equal(b.max_percent, 25);
	assert_string_equal(b.medium, "/dev/sdb2");
}

static void zram_options(void **state)
{
	struct backend b = parsed("zram:lzo-rle");

	assert_string_equal(b.algorithm, "lzo-rle");
	assert_int_equal(b.devices, 1);
	assert_int_equal(b.limit_bytes, 0);
	b = parsed("zram:zstd,level=3,devices=4,size=1G,limit=450M");
	assert_string_equal(b.level, "3");
	assert_int_equal(b.devices, 4);
	assert_int_equal(b.size_bytes, 1 << 30);
	assert_int_equal(b.limit_bytes, 450 << 20);
	b = parsed("zram:lzo,backing=2G");
	assert_string_equal(b.backing, "2G");
}

static void unknown_ones_name_the_known(void **state)
{
	refused("zrm:lzo", "known are none[:limited], file[:FOLDER], dev:/dev/X, zram:ALG");
	refused("", "known are none");
	refused(":lzo", "known are none");
	refused("zram:lzo,stremas=4", "unknown option 'stremas'");
	refused("zram:lzo,stremas=4", "[,devices=N]");
	refused("zswap:lzo,devices=2", "unknown option 'devices'");
	refused("none:lots", "none:limited");
}

static void incomplete_or_senseless(void **state)
{
	refused("zram", "zram:ALG");
	refused("zram:", "empty");
	refused("zram:lzo,", "not key=value");
	refused("zram:lzo,devices", "not key=value");
	refused("zram:lzo,devices=0", "devices");
	refused("zram:lzo,devices=17", "devices");
	refused("zram:lzo,limit=lots", "limit");
	refused("zram:lzo,size=10%", "size");
	refused("zram:lzo,backing=", "empty");
	refused("zram:a-name-that-no-algorithm-could-ever-have", "too long");
	refused("zswap", "zswap:ALG");
	refused("zswap:lzo,max=101", "max");
	refused("zswap:lzo,on=sdb", "from / on");
	refused("file:swap", "from / on");
	refused("file:/dev/sda", "dev:PATH");
	refused("dev", "dev:/dev/X");
	refused("dev:/home/swap", "block device");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind),
		cmocka_unit_test(zram_options),
		cmocka_unit_test(unknown_ones_name_the_known),
		cmocka_unit_test(incomplete_or_senseless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
