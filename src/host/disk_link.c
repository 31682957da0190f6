/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * See disk_link.h. Each folder above the disk is asked by each kind of bus: is a link of yours
 * here, and how fast? Bridges and hubs are folders too, so that the slowest is found wherever it
 * is.
 *
 * Rates are those of the wire; what is left of them is told by the line code: 8 of 10 bits on PCIe
 * up to 5 GT/s, SATA, and USB at 5 Gb/s; 128 of 130 or 132 on what is faster.
 */
#include "disk_link.h"

#include "cleanup.h"
#include "disk.h"
#include "kerntext.h"
#include "sysread.h"

#include <stdio.h>
#include <string.h>

struct link {
	char text[sizeof(((struct disk *)0)->link)];
	int64_t bytes_per_s;
};

/* "8.0 GT/s PCIe", "480": the leading number in tenths, at most a million of units; -1. */
static int64_t tenths_of(const char *text, const char *unit)
{
	size_t whole = strspn(text, "0123456789");
	int64_t value = 0;

	if (whole < 1 || whole > 6)
		return -1;
	for (size_t i = 0; i < whole; i++)
		value = value * 10 + (text[i] - '0');
	value *= 10;
	text += whole;
	if (text[0] == '.' && text[1] >= '0' && text[1] <= '9') {
		value += text[1] - '0';
		text += 2;
	}
	return value > 0 && !strncmp(text, unit, strlen(unit)) ? value : -1;
}

static int64_t read_tenths(int root, const char *unit, const char *folder, const char *attribute)
{
	CLEANUP_FREE char *text = NULL;

	return sysread_text(root, &text, "%s/%s", folder, attribute) < 0 ? -1
									 : tenths_of(text, unit);
}

static bool pcie_link(int root, const char *folder, struct link *ret)
{
	enum { LANES_MOST = 32 };
	int64_t speed = read_tenths(root, " GT/s", folder, "current_link_speed"), lanes;

	if (speed < 0 || sysread_number(root, &lanes, "%s/current_link_width", folder) < 0 ||
	    lanes < 1 || lanes > LANES_MOST)
		return false;
	snprintf(ret->text, sizeof(ret->text), "PCIe %d.%d GT/s x%d", (int)(speed / 10),
		 (int)(speed % 10), (int)lanes);
	/* Tenths of a gigabit to bytes. */
	ret->bytes_per_s = speed * lanes * 12500000;
	ret->bytes_per_s = speed <= 50 ? ret->bytes_per_s * 8 / 10 : ret->bytes_per_s * 128 / 130;
	return true;
}

static bool usb_link(int root, const char *folder, struct link *ret)
{
	int64_t speed = read_tenths(root, "", folder, "speed"), bus;

	/* Others have a speed as well. */
	if (speed < 0 || sysread_number(root, &bus, "%s/busnum", folder) < 0)
		return false;
	snprintf(ret->text, sizeof(ret->text), "USB %g Mb/s", (double)speed / 10);
	ret->bytes_per_s = speed * 12500;
	if (speed == 50000)
		ret->bytes_per_s = ret->bytes_per_s * 8 / 10;
	else if (speed > 50000)
		ret->bytes_per_s = ret->bytes_per_s * 128 / 132;
	return true;
}

/* The port's folder is ".../ata3"; its link has one of its own, found by number. */
static bool sata_link(int root, const char *folder, struct link *ret)
{
	const char *name = strrchr(folder, '/') + 1;
	char link[64];
	int64_t port, speed;

	if (strncmp(name, "ata", 3) || kerntext_number(name + 3, &port) < 0)
		return false;
	snprintf(link, sizeof(link), "sys/class/ata_link/link%lld", (long long)port);
	speed = read_tenths(root, " Gbps", link, "sata_spd");
	if (speed < 0)
		return false;
	snprintf(ret->text, sizeof(ret->text), "SATA %d.%d Gb/s", (int)(speed / 10),
		 (int)(speed % 10));
	ret->bytes_per_s = speed * 12500000 * 8 / 10;
	return true;
}

void disk_link_read(int root, const char *folder, struct disk *d)
{
	static bool (*const kinds[])(int root, const char *folder,
				     struct link *ret) = {pcie_link, usb_link, sata_link};
	char path[512];
	char *slash;

	snprintf(path, sizeof(path), "%s", folder);
	while ((slash = strrchr(path, '/'))) {
		for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
			struct link link;

			if (!kinds[i](root, path, &link) ||
			    (d->link_bytes_per_s >= 0 && link.bytes_per_s >= d->link_bytes_per_s))
				continue;
			strcpy(d->link, link.text);
			d->link_bytes_per_s = link.bytes_per_s;
		}
		*slash = '\0';
	}
}
