/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text that the kernel writes in /proc and /sys, parsed. Pure functions on NUL-terminated text.
 *
 * All are strict: a field that is missing, doubled, out of range or followed by something unknown
 * makes the whole text -EBADMSG, since a figure misread is worse than one that is missing. Results
 * are written only on success.
 */
#ifndef SNUG_HOST_KERNTEXT_H
#define SNUG_HOST_KERNTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One decimal number, nothing around it but a final newline. */
int kerntext_number(const char *text, int64_t *ret);

/* "Y\n" or "1\n", "N\n" or "0\n": a module's bool. */
int kerntext_bool(const char *text, bool *ret);

/* One word up to the newline, into buf of size bytes. -ENAMETOOLONG if it does not fit. */
int kerntext_word(const char *text, char *buf, size_t size);

/* /proc/meminfo: bytes of one "Key:  123 kB" line; -ENOENT if there is none. */
int kerntext_meminfo(const char *text, const char *key, uint64_t *ret_bytes);

/* "lzo [lz4] zstd": the words, and which is chosen (-1: none is). */
#define KERNTEXT_CHOICES  24
#define KERNTEXT_WORD_MAX 32
struct kerntext_choice {
	char words[KERNTEXT_CHOICES][KERNTEXT_WORD_MAX];
	size_t n;
	int chosen;
};

int kerntext_choice(const char *text, struct kerntext_choice *ret);

/* The next line of /proc/swaps, whose text *cursor is at; 0, or -ENOENT at the end. Skips the
 * headings. */
struct kerntext_swap {
	char path[256]; /* octal escapes resolved */
	char type[16];
	uint64_t size_bytes, used_bytes;
	int priority;
};

int kerntext_swap(const char **cursor, struct kerntext_swap *ret);

/* /sys/block/zramN/mm_stat; what an older kernel does not have is -1. */
struct kerntext_mm_stat {
	int64_t orig_data_size, compr_data_size, mem_used_total, mem_limit, mem_used_max;
	int64_t same_pages, pages_compacted, huge_pages, huge_pages_since;
};

int kerntext_mm_stat(const char *text, struct kerntext_mm_stat *ret);

/* "0-3,8": how many CPUs. */
int kerntext_cpu_list(const char *text, int64_t *ret_count);

/* "6.1.0-18-amd64": 6 and 1. */
int kerntext_release(const char *text, unsigned *ret_major, unsigned *ret_minor);

/*
 * /proc/cpuinfo: the text after the first "key : ", into buf, cut if it is too long; -ENOENT. Not
 * strict: each architecture writes its own.
 */
int kerntext_cpuinfo(const char *text, const char *key, char *buf, size_t size);

/* /proc/PID/stat: is there no memory to look for, since it is a thread of the kernel or has exited?
 */
int kerntext_stat_has_memory(const char *text, bool *ret);

/* The next line of /proc/PID/maps; 0, or -ENOENT at the end. path points into the text. */
struct kerntext_map {
	uint64_t start, end;
	bool readable, private;
	uint64_t inode;
	const char *path;
	size_t path_len;
};

int kerntext_map(const char **cursor, struct kerntext_map *ret);

#endif
