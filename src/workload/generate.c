/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page contents by kind.
 *
 * text: words of a made-up language of 4096 words, drawn by Zipf's law (rank times frequency is
 * constant), with sentences and lines.
 *
 * heap: what an allocator's arena looks like in a running program: slabs of equal objects whose
 * first word is one of few vtable addresses, pointers into the same arena, reference counts,
 * lengths, flags, short strings inside, free objects in a list; tables of pointers; string data;
 * arrays of small integers; pages begun but not yet full. Calibrated against heaps of node, python3
 * and cc1plus: lzo, lz4 and zstd:1 shrink those by 2.9 to 4.1, 2.6 to 3.7 and 4.5 to 6, and these
 * by 3.5, 3.0 and 5.6, in about the same time a page.
 *
 * json: lists of records of one shape, as answers of web services are.
 *
 * image: decoded pictures, four bytes a pixel: every second page of a photograph, whose last bits
 * are noise, the others of drawings, which are runs of few colours.
 *
 * mix: heap, text, zero, random and repeated words in the shares that mix_page gives.
 */
#include "generate.h"

#include "page.h"
#include "rng.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	WORDS = 4096,
	WORD_MOST = 16,
	RECENT = 32,	   /* words that come back within a paragraph */
	TYPES = 48,	   /* kinds of objects in the heap */
	FIELDS_MOST = 24,  /* words of one object */
	VTABLE_BYTES = 96, /* between one type's vtable and the next's */
};

#define HEAP_BASE   UINT64_C(0x00007f3a5c000000)
#define VTABLE_BASE UINT64_C(0x000055d0c8a41000)

enum field {
	FIELD_VTABLE,
	FIELD_NEAR,
	FIELD_FAR,
	FIELD_SMALL,
	FIELD_PAIR,
	FIELD_ZERO,
	FIELD_TEXT,
	FIELD_HASH
};

struct object_type {
	unsigned n_fields;
	enum field fields[FIELDS_MOST];
};

struct generator {
	struct rng rng;
	char words[WORDS][WORD_MOST];
	uint32_t word_limit[WORDS]; /* cumulative weights */
	const char *recent[RECENT];
	struct object_type types[TYPES];
	uint64_t address; /* where in the heap the page at hand is */
	uint64_t heap_bytes;
};

static uint64_t below(struct generator *g, uint64_t n)
{
	return rng_below(&g->rng, n);
}

/* Small numbers most of the time: one in two below 2, one in four below 4, and so on. */
static uint64_t small_number(struct generator *g)
{
	unsigned bits = (unsigned)__builtin_ctzll(rng_next(&g->rng) | 1 << 12);

	return below(g, UINT64_C(2) << bits);
}

static void make_words(struct generator *g)
{
	static const char onset[][3] = {"b", "c", "d", "f", "g", "h",  "l",  "m",  "n",	 "p",
					"r", "s", "t", "v", "w", "th", "st", "ch", "pr", "tr"};
	static const char rime[][4] = {"a",  "e",  "i",	 "o",	"u",  "an", "er", "in", "on",  "es",
				       "ed", "al", "or", "ing", "at", "en", "ou", "ea", "ion", "y"};
	double sum = 0, all = 0;

	for (int i = 0; i < WORDS; i++)
		all += 1.0 / (i + 1);
	for (int i = 0; i < WORDS; i++) {
		/* Frequent words are short. */
		int syllables =
			1 + (i > 60) + (i > 700 && below(g, 2)) + (i > 2000 && below(g, 3) == 0);
		size_t len = 0;

		for (int k = 0; k < syllables && len < WORD_MOST - 6; k++)
			len += (size_t)snprintf(g->words[i] + len, WORD_MOST - len, "%s%s",
						onset[below(g, 20)], rime[below(g, 20)]);
		sum += 1.0 / (i + 1);
		g->word_limit[i] = (uint32_t)(sum / all * UINT32_MAX);
	}
}

static const char *draw_word(struct generator *g)
{
	uint32_t at = (uint32_t)rng_next(&g->rng);
	int low = 0, high = WORDS - 1;

	while (low < high) {
		int middle = (low + high) / 2;

		if (g->word_limit[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return g->words[low];
}

static void make_types(struct generator *g)
{
	for (int i = 0; i < TYPES; i++) {
		struct object_type *t = &g->types[i];

		t->n_fields =
			2 + (unsigned)below(g, 4) + (below(g, 3) == 0 ? (unsigned)below(g, 18) : 0);
		t->fields[0] = FIELD_VTABLE;
		for (unsigned k = 1; k < t->n_fields; k++)
			/* Zero twice in eight: unset pointers, padding and flags are common. */
			t->fields[k] =
				(enum field[]){
					FIELD_NEAR, FIELD_NEAR,
					FIELD_FAR,  FIELD_SMALL,
					FIELD_PAIR, FIELD_ZERO,
					FIELD_ZERO, k % 3 ? FIELD_TEXT : FIELD_HASH}[below(g, 8)];
	}
}

/* A pointer to something allocated at about the same time. */
static uint64_t near_pointer(struct generator *g)
{
	return (g->address + small_number(g) * 112 + below(g, 64) * 16) & ~UINT64_C(15);
}

static uint64_t far_pointer(struct generator *g)
{
	return HEAP_BASE + (below(g, g->heap_bytes) & ~UINT64_C(15));
}

/* A short string inside an object, NUL-padded. */
static uint64_t text_field(struct generator *g)
{
	const char *word = draw_word(g);
	uint64_t value = 0;

	memcpy(&value, word, strnlen(word, sizeof(value) - 1));
	return value;
}

static uint64_t draw_field(struct generator *g, enum field field, size_t type)
{
	switch (field) {
	case FIELD_VTABLE:
		return VTABLE_BASE + type * VTABLE_BYTES;
	case FIELD_NEAR:
		return near_pointer(g);
	case FIELD_FAR:
		return below(g, 4) ? far_pointer(g) : 0;
	case FIELD_SMALL:
		return small_number(g);
	case FIELD_PAIR:
		return small_number(g) | small_number(g) << 32;
	case FIELD_TEXT:
		return text_field(g);
	case FIELD_HASH:
		return below(g, 8) ? small_number(g) << 8 : rng_next(&g->rng);
	case FIELD_ZERO:
		break;
	}
	return 0;
}

static void put(unsigned char *page, size_t word, uint64_t value)
{
	memcpy(page + word * sizeof(value), &value, sizeof(value));
}

static void slab_page(struct generator *g, unsigned char *page, size_t n_words)
{
	size_t type =
		below(g, 8) ? below(g, TYPES / 4) : below(g, TYPES); /* few types make up most */
	const struct object_type *t = &g->types[type];
	/* An object's bookkeeping is what its neighbours have too, mostly. */
	uint64_t last[FIELDS_MOST] = {0};

	for (size_t i = 0; i + t->n_fields <= n_words; i += t->n_fields) {
		bool is_free = below(g, 12) == 0;

		for (unsigned k = 0; k < t->n_fields; k++) {
			bool as_before = t->fields[k] != FIELD_NEAR && below(g, 2);

			if (!as_before || !i)
				last[k] = draw_field(g, t->fields[k], type);
			put(page, i + k, last[k]);
		}
		if (is_free)
			put(page, i, near_pointer(g));
		g->address = (g->address & ~(PAGE_BYTES - 1)) | (i * 8 & (PAGE_BYTES - 1));
	}
}

static void pointer_page(struct generator *g, unsigned char *page, size_t n_words)
{
	for (size_t i = 0; i < n_words; i++)
		put(page, i, below(g, 3) == 0 ? 0 : near_pointer(g));
}

static void integer_page(struct generator *g, unsigned char *page, size_t n_words)
{
	for (size_t i = 0; i < n_words; i++)
		put(page, i, draw_field(g, FIELD_PAIR, 0));
}

/* One in three is a word just used: a text has a subject. */
static const char *next_word(struct generator *g)
{
	const char **at = &g->recent[below(g, RECENT)];

	if (!*at || below(g, 3))
		*at = draw_word(g);
	return *at;
}

static size_t text_bytes(struct generator *g, char *out, size_t size)
{
	size_t len = 0, line = 0;
	bool capital = true;

	while (len < size) {
		char piece[WORD_MOST + 4];
		unsigned end = (unsigned)below(g, 12);
		int n = snprintf(piece, sizeof(piece), "%s%s", next_word(g),
				 end == 0   ? "."
				 : end == 1 ? ","
					    : "");

		if (capital)
			piece[0] = (char)(piece[0] - 'a' + 'A');
		capital = end == 0;
		line += (size_t)n + 1;
		piece[n++] = line > 72 ? '\n' : ' ';
		if (line > 72)
			line = 0;
		if ((size_t)n > size - len)
			n = (int)(size - len);
		memcpy(out + len, piece, (size_t)n);
		len += (size_t)n;
	}
	return len;
}

/* Strings as a heap has them: a header with a count and a length in front of each. */
static void string_page(struct generator *g, unsigned char *page, size_t n_words)
{
	for (size_t i = 0; i + 8 <= n_words;) {
		size_t words = 1 + below(g, 6);

		put(page, i++, 1 + small_number(g));
		put(page, i++, words * 8 - below(g, 8));
		text_bytes(g, (char *)page + i * 8, words * 8 - below(g, 8));
		i += words;
	}
}

static void heap_page(struct generator *g, unsigned char *page)
{
	/* One in eight is at the end of what its arena has in use. */
	size_t n_words = below(g, 8) ? PAGE_WORDS : 64 + below(g, PAGE_WORDS - 64);
	uint64_t shape = below(g, 100);

	memset(page, 0, PAGE_BYTES);
	if (shape < 68)
		slab_page(g, page, n_words);
	else if (shape < 78)
		pointer_page(g, page, n_words);
	else if (shape < 90)
		string_page(g, page, n_words);
	else
		integer_page(g, page, n_words);
}

static void text_page(struct generator *g, unsigned char *page)
{
	text_bytes(g, (char *)page, PAGE_BYTES);
}

static size_t json_field(struct generator *g, unsigned field, char *out, size_t size)
{
	int n = 0;

	switch (field) {
	case 0:
		n = snprintf(out, size, "{\"id\":%u,", 100000 + (unsigned)below(g, 900000));
		break;
	case 1:
		n = snprintf(out, size, "\"title\":\"%s %s\",", draw_word(g), draw_word(g));
		break;
	case 2:
		n = snprintf(out, size, "\"created_at\":\"2024-%02u-%02uT%02u:%02u:00Z\",",
			     1 + (unsigned)below(g, 12), 1 + (unsigned)below(g, 28),
			     (unsigned)below(g, 24), (unsigned)below(g, 60));
		break;
	case 3:
		n = snprintf(out, size, "\"author\":{\"name\":\"%s\",\"verified\":%s},",
			     next_word(g), below(g, 4) ? "false" : "true");
		break;
	case 4:
		n = snprintf(out, size, "\"likes\":%u,\"replies\":%u,\"parent\":null},",
			     (unsigned)small_number(g), (unsigned)small_number(g));
		break;
	}
	return (size_t)n < size ? (size_t)n : size;
}

static void json_page(struct generator *g, unsigned char *page)
{
	size_t len = 0;

	for (unsigned field = 0; len < PAGE_BYTES; field = (field + 1) % 5) {
		char piece[128];
		size_t n = json_field(g, field, piece, sizeof(piece));

		if (n > PAGE_BYTES - len)
			n = PAGE_BYTES - len;
		memcpy(page + len, piece, n);
		len += n;
	}
}

static void photo_page(struct generator *g, unsigned char *page)
{
	unsigned char pixel[4] = {(unsigned char)below(g, 256), (unsigned char)below(g, 256),
				  (unsigned char)below(g, 256), 255};

	for (size_t i = 0; i < PAGE_BYTES; i += sizeof(pixel)) {
		uint64_t noise = rng_next(&g->rng);

		for (int k = 0; k < 3; k++)
			pixel[k] = (unsigned char)(pixel[k] + (noise >> 8 * k) % 5 - 2);
		memcpy(page + i, pixel, sizeof(pixel));
	}
}

static void drawing_page(struct generator *g, unsigned char *page)
{
	uint32_t colours[8];
	size_t n = 0;

	for (int i = 0; i < 8; i++)
		colours[i] = (uint32_t)rng_next(&g->rng) | 0xff000000;
	for (size_t i = 0; i < PAGE_BYTES; i += sizeof(colours[0])) {
		if (n-- == 0) {
			n = small_number(g) * 4;
			colours[0] = colours[1 + below(g, 7)];
		}
		memcpy(page + i, &colours[0], sizeof(colours[0]));
	}
}

static void image_page(struct generator *g, unsigned char *page)
{
	if (g->address / PAGE_BYTES % 2)
		photo_page(g, page);
	else
		drawing_page(g, page);
}

static void random_page(struct generator *g, unsigned char *page)
{
	for (size_t i = 0; i < PAGE_WORDS; i++)
		put(page, i, rng_next(&g->rng));
}

static void zero_page(struct generator *g, unsigned char *page)
{
	/* Written, or all would be the kernel's one page of zeros, and always in the cache. */
	memset(page, 0, PAGE_BYTES);
}

static void repeated_page(struct generator *g, unsigned char *page)
{
	page_fill(page, below(g, 2) ? UINT64_MAX : UINT64_C(0x0101010101010101) * below(g, 256));
}

static void mix_page(struct generator *g, unsigned char *page)
{
	static const struct {
		unsigned percent;
		void (*fill)(struct generator *g, unsigned char *page);
	} shares[] = {
		{62, heap_page},  {15, text_page},    {14, zero_page},
		{7, random_page}, {2, repeated_page},
	};
	uint64_t at = below(g, 100);
	size_t i = 0;

	while (at >= shares[i].percent)
		at -= shares[i++].percent;
	shares[i].fill(g, page);
}

static const struct kind {
	const char *name;
	void (*fill)(struct generator *g, unsigned char *page);
} kinds[] = {
	{"text", text_page},	 {"heap", heap_page}, {"json", json_page}, {"image", image_page},
	{"random", random_page}, {"zero", zero_page}, {"mix", mix_page},
};

static const struct kind *find(const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

bool generate_knows(const char *kind)
{
	return find(kind) != NULL;
}

const char *generate_kinds(char buf[GENERATE_KINDS_MAX])
{
	size_t len = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		len += (size_t)snprintf(buf + len, GENERATE_KINDS_MAX - len, "%s%s", i ? ", " : "",
					kinds[i].name);
	return buf;
}

int generate_pages(const char *kind, uint64_t seed, unsigned char *pages, size_t n)
{
	const struct kind *k = find(kind);
	struct generator *g = calloc(1, sizeof(*g));

	if (!g)
		return -ENOMEM;
	g->rng.state = seed;
	g->heap_bytes = n * PAGE_BYTES;
	make_words(g);
	make_types(g);
	for (size_t i = 0; i < n; i++) {
		g->address = HEAP_BASE + i * PAGE_BYTES;
		k->fill(g, pages + i * PAGE_BYTES);
	}
	free(g);
	return 0;
}
