/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a path is stored on. Each test makes a tree whose sysfs says that the folder which /tmp is
 * on is some disk: so its device number is real, and all else is told by the test.
 */
#include "fake_host.h"

#include "disk.h"
#include "mountinfo.h"

#include <errno.h>
#include <sys/sysmacros.h>

struct host {
	char path[64];
	int root;
	struct disk d;
};

static int host_begin(void **state)
{
	struct host *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	h->root = made_host(h->path);
	*state = h;
	return 0;
}

static int host_end(void **state)
{
	struct host *h = *state;

	made_host_end(h->root, h->path);
	free(h);
	return 0;
}

static void attribute(const struct host *h, const char *folder, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	host_text(h->root, path, text);
}

/* /sys/TREE/NAME leads to folder, which is below sys/. */
static void point(const struct host *h, const char *tree, const char *name, const char *folder)
{
	char path[128], target[384];

	snprintf(path, sizeof(path), "sys/%s/here", tree);
	close(host_file(h->root, path));
	snprintf(path, sizeof(path), "sys/%s/%s", tree, name);
	snprintf(target, sizeof(target), "../../%s", folder + strlen("sys/"));
	assert_int_equal(symlinkat(target, h->root, path), 0);
}

/* The tree's files are on the device whose folder this is, mounted from source. */
static void store_on(const struct host *h, const char *folder, const char *type, const char *source)
{
	char number[32], line[256];
	struct stat st;

	assert_int_equal(fstatat(h->root, ".", &st, 0), 0);
	snprintf(number, sizeof(number), "%u:%u", major(st.st_dev), minor(st.st_dev));
	snprintf(line, sizeof(line), "900001 1 %s / / rw - %s %s rw\n", number, type, source);
	host_text(h->root, "proc/self/mountinfo", line);
	if (!folder)
		return;
	point(h, "dev/block", number, folder);
	point(h, "class/block", strrchr(folder, '/') + 1, folder);
}

static void look(struct host *h)
{
	host_text(h->root, "home/file", "");
	assert_int_equal(disk_of(h->root, "/home/file", &h->d), 0);
}

#define NVME "sys/devices/pci0000:00/0000:00:1d.0/0000:3d:00.0/nvme/nvme0/nvme0n1"

static void nvme(const struct host *h)
{
	attribute(h, NVME "/nvme0n1p2", "partition", "2\n");
	attribute(h, NVME, "size", "1000215216\n");
	attribute(h, NVME, "queue/rotational", "0\n");
	attribute(h, NVME, "device/model", "Samsung SSD 970 EVO Plus 500GB          \n");
	attribute(h, "sys/devices/pci0000:00/0000:00:1d.0/0000:3d:00.0", "current_link_speed",
		  "8.0 GT/s PCIe\n");
	attribute(h, "sys/devices/pci0000:00/0000:00:1d.0/0000:3d:00.0", "current_link_width",
		  "4\n");
	store_on(h, NVME "/nvme0n1p2", "ext4", "/dev/nvme0n1p2");
}

static void test_nvme_partition(void **state)
{
	struct host *h = *state;

	nvme(h);
	look(h);
	assert_string_equal(h->d.name, "nvme0n1");
	assert_string_equal(h->d.partition, "nvme0n1p2");
	assert_string_equal(h->d.filesystem, "ext4");
	assert_string_equal(h->d.model, "Samsung SSD 970 EVO Plus 500GB");
	assert_string_equal(h->d.media, "nvme");
	assert_string_equal(h->d.link, "PCIe 8.0 GT/s x4");
	assert_int_equal(h->d.link_bytes_per_s, 3938461538);
	assert_int_equal(h->d.size_bytes, INT64_C(1000215216) * 512);
}

/* A Raspberry Pi's lane is between the bridge and the processor. */
static void test_slowest_bridge_counts(void **state)
{
	struct host *h = *state;

	nvme(h);
	attribute(h, "sys/devices/pci0000:00/0000:00:1d.0", "current_link_speed", "5 GT/s\n");
	attribute(h, "sys/devices/pci0000:00/0000:00:1d.0", "current_link_width", "1\n");
	look(h);
	assert_string_equal(h->d.link, "PCIe 5.0 GT/s x1");
	assert_int_equal(h->d.link_bytes_per_s, 500000000);
}

static void test_unknown_bridge_is_passed_over(void **state)
{
	struct host *h = *state;

	nvme(h);
	attribute(h, "sys/devices/pci0000:00/0000:00:1d.0", "current_link_speed", "Unknown\n");
	attribute(h, "sys/devices/pci0000:00/0000:00:1d.0", "current_link_width", "0\n");
	look(h);
	assert_string_equal(h->d.link, "PCIe 8.0 GT/s x4");
}

static void test_nvme_with_more_than_one_way(void **state)
{
	static const char disk[] = "sys/devices/virtual/nvme-subsystem/nvme-subsys0/nvme0n1";
	struct host *h = *state;

	attribute(h, disk, "size", "8\n");
	attribute(h, "sys/devices/pci0000:00/0000:3d:00.0", "current_link_speed", "16.0 GT/s PCIe");
	attribute(h, "sys/devices/pci0000:00/0000:3d:00.0", "current_link_width", "4");
	attribute(h, "sys/devices/pci0000:00/0000:3d:00.0/nvme/nvme0", "model", "x");
	point(h, "class/nvme", "nvme0", "sys/devices/pci0000:00/0000:3d:00.0/nvme/nvme0");
	store_on(h, disk, "xfs", "/dev/nvme0n1");
	look(h);
	assert_string_equal(h->d.name, "nvme0n1");
	assert_string_equal(h->d.link, "PCIe 16.0 GT/s x4");
}

#define SATA "sys/devices/pci0000:00/0000:00:17.0/ata3/host2/target2:0:0/2:0:0:0/block/sda"

static void test_sata_hdd(void **state)
{
	struct host *h = *state;

	attribute(h, SATA, "queue/rotational", "1\n");
	attribute(h, SATA, "removable", "0\n");
	attribute(h, SATA "/sda1", "partition", "1\n");
	host_text(h->root, "sys/class/ata_link/link3/sata_spd", "6.0 Gbps\n");
	store_on(h, SATA "/sda1", "ext4", "/dev/sda1");
	look(h);
	assert_string_equal(h->d.name, "sda");
	assert_string_equal(h->d.media, "hdd");
	assert_string_equal(h->d.link, "SATA 6.0 Gb/s");
	assert_int_equal(h->d.link_bytes_per_s, 600000000);
	assert_int_equal(h->d.size_bytes, -1);
}

#define USB "sys/devices/pci0000:00/0000:00:14.0/usb2/2-1"

static void test_usb_stick(void **state)
{
	static const char disk[] = USB "/2-1:1.0/host6/target6:0:0/6:0:0:0/block/sdb";
	struct host *h = *state;

	attribute(h, disk, "queue/rotational", "1\n");
	attribute(h, disk, "removable", "1\n");
	attribute(h, USB, "speed", "480\n");
	attribute(h, USB, "busnum", "2\n");
	attribute(h, "sys/devices/pci0000:00/0000:00:14.0/usb2", "speed", "5000\n");
	attribute(h, "sys/devices/pci0000:00/0000:00:14.0/usb2", "busnum", "2\n");
	store_on(h, disk, "vfat", "/dev/sdb");
	look(h);
	assert_string_equal(h->d.partition, "sdb");
	assert_string_equal(h->d.media, "");
	assert_string_equal(h->d.link, "USB 480 Mb/s");
	assert_int_equal(h->d.link_bytes_per_s, 60000000);
}

static void test_cards(void **state)
{
	static const char card[] = "sys/devices/platform/soc/mmc_host/mmc0/mmc0:aaaa/block/mmcblk0";
	static const char *const types[][2] = {{"SD\n", "sd"}, {"MMC\n", "emmc"}};
	struct host *h = *state;

	attribute(h, card, "device/name", "SC16G\n");
	store_on(h, card, "ext4", "/dev/root");
	for (size_t i = 0; i < 2; i++) {
		attribute(h, card, "device/type", types[i][0]);
		look(h);
		assert_string_equal(h->d.media, types[i][1]);
		assert_string_equal(h->d.model, "SC16G");
		assert_string_equal(h->d.link, "");
		assert_int_equal(h->d.link_bytes_per_s, -1);
	}
}

/* QEMU's bridges say 2.5 GT/s, or anything. */
static void test_virtual_disk_has_no_link(void **state)
{
	static const char disk[] = "sys/devices/pci0000:00/0000:00:02.0/virtio1/block/vda";
	struct host *h = *state;

	attribute(h, disk, "queue/rotational", "1\n");
	attribute(h, "sys/devices/pci0000:00/0000:00:02.0", "current_link_speed", "2.5 GT/s PCIe");
	attribute(h, "sys/devices/pci0000:00/0000:00:02.0", "current_link_width", "1");
	store_on(h, disk, "ext4", "/dev/vda");
	look(h);
	assert_string_equal(h->d.media, "virtual");
	assert_string_equal(h->d.link, "");
}

static void test_mapped_disk(void **state)
{
	static const char mapped[] = "sys/devices/virtual/block/dm-0";
	struct host *h = *state;

	attribute(h, mapped, "size", "800\n");
	attribute(h, mapped, "slaves/sda1", "");
	attribute(h, mapped, "slaves/sdb1", "");
	attribute(h, SATA, "queue/rotational", "0\n");
	attribute(h, SATA, "size", "1000\n");
	attribute(h, SATA "/sda1", "partition", "1\n");
	store_on(h, mapped, "btrfs", "/dev/mapper/root");
	point(h, "class/block", "sda1", SATA "/sda1");
	look(h);
	assert_string_equal(h->d.partition, "dm-0");
	assert_string_equal(h->d.name, "sda");
	assert_string_equal(h->d.media, "ssd");
	assert_int_equal(h->d.size_bytes, 1000 * 512);
}

static void test_mapped_in_a_circle(void **state)
{
	static const char mapped[] = "sys/devices/virtual/block/dm-0";
	struct host *h = *state;

	attribute(h, mapped, "slaves/dm-0", "");
	store_on(h, mapped, "ext4", "/dev/dm-0");
	look(h);
	assert_string_equal(h->d.name, "dm-0");
	assert_string_equal(h->d.media, "");
}

static void test_device_node(void **state)
{
	struct host *h = *state;
	char node[96];

	nvme(h);
	point(h, "dev/block", "259:77", NVME "/nvme0n1p2");
	close(host_file(h->root, "dev/null"));
	snprintf(node, sizeof(node), "%s/dev/disk", h->path);
	if (mknod(node, S_IFBLK | 0600, makedev(259, 77)) < 0) {
		print_message("mknod needs root\n");
		skip();
	}
	assert_int_equal(disk_of(h->root, "/dev/disk", &h->d), 0);
	assert_string_equal(h->d.partition, "nvme0n1p2");
	assert_string_equal(h->d.filesystem, "");
}

/* /dev/shm stands for a file system without a block device of its own. */
static int other_root(const char *source)
{
	char line[256], number[32], path[] = "/dev/shm/snug-test-XXXXXX";
	struct stat st;
	int root;

	if (!mkdtemp(path))
		return -1;
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_int_equal(fstatat(root, ".", &st, 0), 0);
	if (major(st.st_dev) != 0) {
		close(root);
		rmdir(path);
		return -1;
	}
	snprintf(number, sizeof(number), "%u:%u", major(st.st_dev), minor(st.st_dev));
	snprintf(line, sizeof(line), "900001 1 %s / / rw - btrfs %s rw\n", number, source);
	host_text(root, "proc/self/mountinfo", line);
	return root;
}

static void other_end(int root)
{
	char link[64], path[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", root);
	n = readlink(link, path, sizeof(path) - 1);
	assert_true(n > 0);
	path[n] = '\0';
	made_host_end(root, path);
}

static void test_number_of_no_device(void **state)
{
	int root = other_root("/dev/sda1");
	struct host h = {.root = root};
	int r;

	if (root < 0) {
		print_message("no tmpfs on /dev/shm\n");
		skip();
	}
	attribute(&h, SATA, "queue/rotational", "0\n");
	attribute(&h, SATA "/sda1", "partition", "1\n");
	point(&h, "class/block", "sda1", SATA "/sda1");
	r = disk_of(root, "/", &h.d);
	other_end(root);
	assert_int_equal(r, 0);
	assert_string_equal(h.d.filesystem, "btrfs");
	assert_string_equal(h.d.name, "sda");
	assert_string_equal(h.d.partition, "sda1");
}

static void test_no_device_at_all(void **state)
{
	int root = other_root("overlay"), r;
	struct disk d;

	if (root < 0) {
		print_message("no tmpfs on /dev/shm\n");
		skip();
	}
	r = disk_of(root, "/", &d);
	other_end(root);
	assert_int_equal(r, 0);
	assert_string_equal(d.name, "");
	assert_string_equal(d.partition, "");
	assert_int_equal(d.link_bytes_per_s, -1);
	assert_int_equal(d.size_bytes, -1);
}

static void test_missing_path(void **state)
{
	struct host *h = *state;

	assert_int_equal(disk_of(h->root, "/not/there", &h->d), -ENOENT);
}

static void test_empty_machine(void **state)
{
	struct host *h = *state;

	assert_int_equal(disk_of(h->root, "/", &h->d), 0);
	assert_string_equal(h->d.name, "");
	assert_string_equal(h->d.filesystem, "");
}

static void test_hostile_attributes(void **state)
{
	static const char *const speeds[] = {
		"", " GT/s", "-8.0 GT/s", "8.0", "0.0 GT/s", "99999999999 GT/s", "8.x GT/s"};
	struct host *h = *state;

	nvme(h);
	attribute(h, NVME, "device/model", "\x1b[31mred\x01\n");
	attribute(h, NVME, "size", "9223372036854775807\n");
	for (size_t i = 0; i < sizeof(speeds) / sizeof(speeds[0]); i++) {
		attribute(h, "sys/devices/pci0000:00/0000:00:1d.0/0000:3d:00.0",
			  "current_link_speed", speeds[i]);
		look(h);
		assert_string_equal(h->d.link, "");
	}
	assert_string_equal(h->d.model, "?[31mred?");
	assert_int_equal(h->d.size_bytes, -1);
}

static void test_link_out_of_sysfs(void **state)
{
	struct host *h = *state;

	store_on(h, "sys/../../etc", "ext4", "/dev/x");
	look(h);
	assert_string_equal(h->d.name, "");
}

static void test_mount_lines(void **state)
{
	char text[] = "nonsense\n"
		      "1 2 3 4 5\n"
		      "x 30 0:31 / /a rw - cgroup cgroup rw\n"
		      "34 30 0:x / /a rw - cgroup cgroup rw\n"
		      "34 30 0:31 / /a rw shared:1\n"
		      "34 30 0:31 / /a rw - cgroup cgroup\n"
		      "35 30 0:32 / /with\\040blank\\134\\9 rw shared:1 master:2 - cgroup none "
		      "rw,cpu,memory";
	char *cursor = text;
	struct mountinfo m;

	assert_true(mountinfo_next(&cursor, &m));
	assert_int_equal(m.id, 35);
	assert_int_equal(m.major, 0);
	assert_int_equal(m.minor, 32);
	assert_string_equal(m.point, "/with blank\\\\9");
	assert_string_equal(m.type, "cgroup");
	assert_string_equal(m.source, "none");
	assert_true(mountinfo_has_option(&m, "memory"));
	assert_true(mountinfo_has_option(&m, "cpu"));
	assert_false(mountinfo_has_option(&m, "cp"));
	assert_false(mountinfo_has_option(&m, "mem"));
	assert_false(mountinfo_next(&cursor, &m));
	assert_false(mountinfo_next(&cursor, &m));
}

static void test_this_machine(void **state)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct disk d;

	assert_int_equal(disk_of(root, "/", &d), 0);
	assert_int_equal(disk_of(root, "/proc", &d), 0);
	assert_string_equal(d.filesystem, "proc");
	assert_string_equal(d.name, "");
	close(root);
}

#define HOST_TEST(test) cmocka_unit_test_setup_teardown(test, host_begin, host_end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		HOST_TEST(test_nvme_partition),
		HOST_TEST(test_slowest_bridge_counts),
		HOST_TEST(test_unknown_bridge_is_passed_over),
		HOST_TEST(test_nvme_with_more_than_one_way),
		HOST_TEST(test_sata_hdd),
		HOST_TEST(test_usb_stick),
		HOST_TEST(test_cards),
		HOST_TEST(test_virtual_disk_has_no_link),
		HOST_TEST(test_mapped_disk),
		HOST_TEST(test_mapped_in_a_circle),
		HOST_TEST(test_device_node),
		cmocka_unit_test(test_number_of_no_device),
		cmocka_unit_test(test_no_device_at_all),
		HOST_TEST(test_missing_path),
		HOST_TEST(test_empty_machine),
		HOST_TEST(test_hostile_attributes),
		HOST_TEST(test_link_out_of_sysfs),
		cmocka_unit_test(test_mount_lines),
		cmocka_unit_test(test_this_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
