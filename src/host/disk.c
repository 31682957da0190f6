/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a path to the disk: its device number leads to the device's folder in sysfs
 * (/sys/dev/block/8:2 is a link to it). From there upwards each folder is what the one below is
 * plugged into: the partition's disk, its controller, bridges. disk_link.c asks them how fast they
 * are.
 *
 * Traps. A file of btrfs or overlay has a device number that is no block device's (major 0); the
 * mount's source tells more. btrfs gives each subvolume a number that is not even in mountinfo, so
 * the mount is looked up by its id where the kernel tells that (Linux 5.8). What a device mapper's
 * disk or an array consists of is in its folder slaves; the first stands for all. USB sticks claim
 * to rotate.
 */
#include "disk.h"

#include "cleanup.h"
#include "disk_link.h"
#include "kerntext.h"
#include "mountinfo.h"
#include "sysread.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

enum { FOLDER_BYTES = 512, SECTOR = 512 };

static const char *relative(const char *path)
{
	path += strspn(path, "/");
	return *path ? path : ".";
}

static const char *name_of(const char *folder)
{
	const char *slash = strrchr(folder, '/');

	return slash ? slash + 1 : folder;
}

/* Where a link in a folder of /sys two levels down leads to: "../../devices/..." */
static int resolve(int root, char folder[FOLDER_BYTES], const char *tree, const char *name)
{
	char link[PATH_MAX], target[FOLDER_BYTES];
	ssize_t len;
	int n;

	n = snprintf(link, sizeof(link), "sys/%s/%s", tree, name);
	if (n < 0 || (size_t)n >= sizeof(link))
		return -ENAMETOOLONG;
	len = readlinkat(root, link, target, sizeof(target) - 1);
	if (len < 0)
		return -errno;
	target[len] = '\0';
	if (strncmp(target, "../../devices/", 14) || strstr(target + 6, ".."))
		return -EBADMSG;
	n = snprintf(folder, FOLDER_BYTES, "sys/%s", target + 6);
	return n < 0 || n >= FOLDER_BYTES ? -ENAMETOOLONG : 0;
}

static int resolve_number(int root, char folder[FOLDER_BYTES], dev_t dev)
{
	char number[32];

	snprintf(number, sizeof(number), "%u:%u", major(dev), minor(dev));
	return resolve(root, folder, "dev/block", number);
}

/* The mount that a file is on; the text must live as long as ret. */
static bool find_mount(int root, const char *path, dev_t dev, char *text, struct mountinfo *ret)
{
	struct mountinfo m;
	struct statx sx = {0};
	bool found = false, known;

	known = statx(root, path, 0, STATX_MNT_ID, &sx) == 0 && (sx.stx_mask & STATX_MNT_ID);
	while (mountinfo_next(&text, &m)) {
		bool same = known && (uint64_t)m.id == sx.stx_mnt_id;

		if (!same && (found || m.major != major(dev) || m.minor != minor(dev)))
			continue;
		*ret = m;
		found = true;
		if (same)
			break;
	}
	return found;
}

/* "/dev/sda2": by the node's number, else by its name. */
static int resolve_source(int root, char folder[FOLDER_BYTES], const char *source)
{
	struct stat st;

	if (strncmp(source, "/dev/", 5))
		return -ENODEV;
	if (fstatat(root, relative(source), &st, 0) == 0 && S_ISBLK(st.st_mode))
		return resolve_number(root, folder, st.st_rdev);
	return resolve(root, folder, "class/block", name_of(source));
}

static int resolve_file(int root, const char *path, dev_t dev, char folder[FOLDER_BYTES],
			struct disk *d)
{
	CLEANUP_FREE char *text = NULL;
	struct mountinfo m;
	bool mounted = sysread_text(root, &text, "proc/self/mountinfo") == 0 &&
		       find_mount(root, path, dev, text, &m);

	if (mounted)
		snprintf(d->filesystem, sizeof(d->filesystem), "%s", m.type);
	if (major(dev))
		return resolve_number(root, folder, dev);
	return mounted ? resolve_source(root, folder, m.source) : -ENODEV;
}

/* A partition's folder is in that of its disk. */
static void go_to_whole(int root, char folder[FOLDER_BYTES])
{
	char path[FOLDER_BYTES + 16];

	snprintf(path, sizeof(path), "%s/partition", folder);
	if (sysread_exists(root, path))
		*strrchr(folder, '/') = '\0';
}

/* The name that sorts first, so that it is the same each time. */
static bool first_slave(int root, const char *folder, char name[NAME_MAX + 1])
{
	char path[FOLDER_BYTES + 16];
	struct dirent *entry;
	int fd;

	snprintf(path, sizeof(path), "%s/slaves", folder);
	fd = openat(root, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CLEANUP_CLOSEDIR DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	*name = '\0';
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && (!*name || strcmp(entry->d_name, name) < 0))
			strcpy(name, entry->d_name);
	return *name;
}

static void go_to_real(int root, char folder[FOLDER_BYTES])
{
	enum { DEPTH_MOST = 8 };
	char name[NAME_MAX + 1];

	go_to_whole(root, folder);
	for (int i = 0; i < DEPTH_MOST && first_slave(root, folder, name); i++) {
		if (resolve(root, folder, "class/block", name) < 0)
			return;
		go_to_whole(root, folder);
	}
}

/* The block layer's names may have slashes, which sysfs can't. */
static void copy_name(char *buf, size_t size, const char *folder)
{
	snprintf(buf, size, "%s", name_of(folder));
	for (char *mark = buf; (mark = strchr(mark, '!'));)
		*mark = '/';
}

/* As the maker padded it, and it ends up on a terminal. */
static void read_model(int root, const char *folder, struct disk *d)
{
	CLEANUP_FREE char *text = NULL;
	size_t n = 0;

	if (sysread_text(root, &text, "%s/device/model", folder) < 0 &&
	    sysread_text(root, &text, "%s/device/name", folder) < 0)
		return;
	for (const char *p = text + strspn(text, " \t"); *p && *p != '\n'; p++)
		if (n < sizeof(d->model) - 1)
			d->model[n++] = *p >= ' ' && *p < 0x7f ? *p : '?';
	while (n && d->model[n - 1] == ' ')
		n--;
	d->model[n] = '\0';
}

static int64_t number_or_unknown(int root, const char *folder, const char *attribute)
{
	int64_t value;

	return sysread_number(root, &value, "%s/%s", folder, attribute) == 0 ? value : -1;
}

static const char *media_of_card(int root, const char *folder)
{
	char type[16];

	if (sysread_word(root, type, sizeof(type), "%s/device/type", folder) < 0)
		return "";
	return strcmp(type, "MMC") ? "sd" : "emmc";
}

static const char *media_of_scsi(int root, const char *folder)
{
	switch (number_or_unknown(root, folder, "queue/rotational")) {
	case 0:
		return "ssd";
	case 1:
		return number_or_unknown(root, folder, "removable") == 1 ? "" : "hdd";
	default:
		return "";
	}
}

static const char *media_of(int root, const char *folder)
{
	static const struct {
		const char *prefix, *media; /* media NULL: ask */
		const char *(*ask)(int root, const char *folder);
	} rows[] = {
		{"zram", "zram", NULL},	     {"loop", "loop", NULL},
		{"vd", "virtual", NULL},     {"xvd", "virtual", NULL},
		{"nvme", "nvme", NULL},	     {"mmcblk", NULL, media_of_card},
		{"sd", NULL, media_of_scsi}, {"hd", NULL, media_of_scsi},
	};
	const char *name = name_of(folder);

	if (strstr(folder, "/virtio"))
		return "virtual";
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (!strncmp(name, rows[i].prefix, strlen(rows[i].prefix)))
			return rows[i].media ? rows[i].media : rows[i].ask(root, folder);
	return "";
}

/* With more than one way to it, an NVMe disk is in no controller's folder; the first way counts. */
static void go_to_controller(int root, char folder[FOLDER_BYTES])
{
	const char *disk = name_of(folder);
	char name[32];

	if (!strstr(folder, "/nvme-subsystem/") || strncmp(disk, "nvme", 4))
		return;
	snprintf(name, sizeof(name), "nvme%.*s", (int)strspn(disk + 4, "0123456789"), disk + 4);
	resolve(root, folder, "class/nvme", name);
}

static void read_disk(int root, char folder[FOLDER_BYTES], struct disk *d)
{
	int64_t sectors;

	copy_name(d->partition, sizeof(d->partition), folder);
	go_to_real(root, folder);
	copy_name(d->name, sizeof(d->name), folder);
	read_model(root, folder, d);
	snprintf(d->media, sizeof(d->media), "%s", media_of(root, folder));
	sectors = number_or_unknown(root, folder, "size");
	d->size_bytes = sectors < 0 || sectors > INT64_MAX / SECTOR ? -1 : sectors * SECTOR;
	/* What a hypervisor says of its buses is made up. */
	if (!strcmp(d->media, "virtual"))
		return;
	go_to_controller(root, folder);
	disk_link_read(root, folder, d);
}

int disk_of(int root, const char *path, struct disk *ret)
{
	struct disk d = {.link_bytes_per_s = -1, .size_bytes = -1};
	char folder[FOLDER_BYTES];
	struct stat st;
	int r;

	path = relative(path);
	if (fstatat(root, path, &st, 0) < 0)
		return -errno;
	if (S_ISBLK(st.st_mode))
		r = resolve_number(root, folder, st.st_rdev);
	else
		r = resolve_file(root, path, st.st_dev, folder, &d);
	if (r == 0)
		read_disk(root, folder, &d);
	*ret = d;
	return 0;
}
