/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "machine.h"

#include "cgroup.h"
#include "disk.h"
#include "facts.h"

#include <stdio.h>
#include <string.h>

static void append(char *buf, size_t size, const char *text)
{
	size_t len = strlen(buf);

	if (*text)
		snprintf(buf + len, size - len, "%s%s", len ? ", " : "", text);
}

static void describe_disk(int root, const char *directory, struct race_machine *ret)
{
	struct disk d;

	ret->disk_link_bytes_per_s = -1;
	if (disk_of(root, directory, &d) < 0)
		return;
	append(ret->disk, sizeof(ret->disk), d.name);
	append(ret->disk, sizeof(ret->disk), d.model);
	append(ret->disk, sizeof(ret->disk), d.media);
	append(ret->disk, sizeof(ret->disk), d.link);
	append(ret->disk, sizeof(ret->disk), d.filesystem);
	ret->disk_link_bytes_per_s = d.link_bytes_per_s;
}

void machine_read(int root, const char *directory, struct race_machine *ret)
{
	struct facts f;
	int version;

	facts_read(root, &f);
	*ret = (struct race_machine){
		.cpus = f.cpus,
		.mem_total_bytes = f.mem_total_bytes,
		.cgroup_version = cgroup_check(root, &version, NULL) == 0 ? version : -1,
		.page_cluster = f.page_cluster,
		.swappiness = f.swappiness,
		.program = SNUG_VERSION,
	};
	snprintf(ret->kernel, sizeof(ret->kernel), "%s", f.kernel);
	snprintf(ret->cpu_model, sizeof(ret->cpu_model), "%s", f.cpu_model);
	snprintf(ret->thp, sizeof(ret->thp), "%s", f.thp);
	describe_disk(root, directory, ret);
}
