/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a compiler holds in memory is mostly one tree a statement, so a text of nothing but one
 * repeated statement would compress as no real heap does. The text is therefore made from a few
 * dozen patterns of everyday C with names, numbers, types and callees drawn at random.
 *
 * A unit is laid out as real ones are: first what would come from headers (types, tables of
 * strings, small inline functions of which few are used), then few functions of its own. A compiler
 * keeps the first part in memory until its end, and looks at it seldom.
 *
 * Patterns are C, but for
 *
 *	$i  the index of this piece	$p  the index of an earlier one
 *	$r  one earlier index, the same throughout a piece
 *	$n  a small number		$x  a large one
 *	$w  a word
 */
#include "build_source.h"

#include "rng.h"

#include <inttypes.h>

enum {
	INLINES = 16, /* small inline functions to one header */
	HEADERS_A_FUNCTION = 12,
	STATEMENTS_LEAST = 4,
	STATEMENTS_SPREAD = 9,
};

struct writer {
	FILE *f;
	struct rng rng;
	unsigned index, chosen;
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *const words[] = {
	"account", "balance", "block",	 "buffer", "channel", "client", "cursor", "device",
	"entry",   "extent",  "filter",	 "handle", "header",  "index",	"inode",  "journal",
	"layer",   "length",  "message", "node",   "offset",  "packet", "parser", "queue",
	"record",  "region",  "request", "sector", "session", "stream", "table",  "window",
};

/* Index 0 of everything, for the first to refer to. */
static const char prologue[] =
	"typedef unsigned long word;\n"
	"struct record0 { word key, size, used; int state, kind; const char *name;\n"
	"\tvoid *next; word slots[8]; };\n"
	"static const char *const names0[4] = {\"none\", \"first\", \"last\", \"all\"};\n"
	"static inline word helper0(word a, word b) { return a * 31 + b; }\n"
	"word function0(struct record0 *r, word n) { return r ? r->key + n : n; }\n";

static const char record[] =
	"struct record$i {\n"
	"\tword key, size, used;\n\tint state, kind;\n\tconst char *name;\n"
	"\tstruct record$p *next;\n\tstruct record$p *$w_$i;\n"
	"\tword slots[8 + $n];\n\tunsigned char $w_bytes[$n];\n"
	"\tword (*$w_hook)(struct record$p *, word);\n};\n"
	"word function$i(struct record$i *r, word n);\n"
	"enum kind$i { $w_$i_NONE, $w_$i_OPEN = $n, $w_$i_BUSY, $w_$i_DONE };\n"
	"static const char *const names$i[4] = {\"$w $w\", \"$w of $w $i\", \"$w\", \"no $w\"};\n";

/* The pieces of a helper's body. */
static const char *const helpers[] = {
	"static inline word helper_$w_$i_$x(struct record$r *r, word n)\n{\n"
	"\tif (!r || r->used + n > r->size)\n\t\treturn 0;\n"
	"\tr->used += n;\n\tr->state = r->state == $n ? $n : r->kind;\n"
	"\treturn r->slots[n & 7] ^ $x;\n}\n",

	"static inline int compare_$w_$i_$x(const struct record$r *a, const struct record$r *b)\n{\n"
	"\tif (a->key != b->key)\n\t\treturn a->key < b->key ? -1 : 1;\n"
	"\tif (a->state != b->state)\n\t\treturn a->state - b->state;\n"
	"\treturn (int)(a->size - b->size) + $n;\n}\n",

	"static inline word hash_$w_$i_$x(const unsigned char *p, word n)\n{\n"
	"\tword h = $xu;\n\n\tfor (word i = 0; i < n; i++)\n\t\th = (h ^ p[i]) * $xu + (h >> $n % 31);\n"
	"\treturn h;\n}\n",

	"static inline void init_$w_$i_$x(struct record$r *r, const char *name)\n{\n"
	"\tr->name = name ? name : names$p[$n & 3];\n\tr->key = $x;\n\tr->size = $n * sizeof(*r);\n"
	"\tr->used = 0;\n\tr->state = r->kind = $n;\n\tr->next = 0;\n"
	"\tfor (int i = 0; i < 8; i++)\n\t\tr->slots[i] = (word)i * $n;\n}\n",
};

static const char *const statements[] = {
	"\tfor (word i = 0; i < (n & $n); i++) {\n"
	"\t\ttotal += r->slots[i & 7] * $n + (i ^ $x);\n"
	"\t\tif (total % $n == 3)\n\t\t\tr->slots[(i + $n) & 7] = total >> 2;\n\t}\n",

	"\tswitch ((total + r->kind) % 6) {\n\tcase 0:\n\t\ttotal ^= $x;\n\t\tbreak;\n"
	"\tcase 1:\n\t\tr->state = $n;\n\t\tr->used++;\n\t\tbreak;\n"
	"\tcase 2:\n\t\treturn total + function$p((void *)r->next, n - 1);\n"
	"\tcase 4:\n\t\tr->name = names$p[n & 3];\n\t\t/* fall through */\n"
	"\tdefault:\n\t\ttotal += $n;\n\t}\n",

	"\tif (r->next && r->size > $n) {\n\t\tstruct record$p *other = (void *)r->next;\n\n"
	"\t\tother->used += total;\n\t\tother->slots[$n & 7] |= r->key << ($n & 15);\n"
	"\t\ttotal += other->key - (word)other->state;\n\t} else {\n\t\tr->state |= $n;\n\t}\n",

	"\tif (n > $n)\n\t\ttotal += function$p((void *)r->next, n / 2) + helper0(total, $x);\n",

	"\tfor (const char *s = names$p[n % 4]; *s; s++)\n"
	"\t\ttotal = (total << 5) + total + (unsigned char)(*s ^ $n);\n",

	"\twhile (total > $x) {\n\t\ttotal = total / $n + (total & $n);\n"
	"\t\tif (++r->used >= r->size)\n\t\t\tbreak;\n\t}\n",

	"\tr->slots[$n & 7] = (total + $x) * r->slots[$n & 7] - (r->key >> $n % 13);\n"
	"\ttotal ^= r->slots[(total + $n) & 7];\n",

	"\tif ((r->state == $n && r->kind != $n) || (total & $x) == $n) {\n"
	"\t\tr->name = \"$w has no $w\";\n\t\tr->kind = r->kind * 2 + $n;\n"
	"\t\ttotal -= sizeof(struct record$p);\n\t}\n",
};

static const char function_begin[] = "\nword function$i(struct record$i *r, word n)\n{\n"
				     "\tword total = $x + n;\n\n\tif (!r || !n)\n\t\treturn $n;\n";
static const char function_end[] = "\treturn total ^ helper0(r->key, n);\n}\n";

static unsigned earlier(struct writer *w)
{
	return w->index ? (unsigned)rng_below(&w->rng, w->index) : 0;
}

static void put_placeholder(struct writer *w, char what)
{
	switch (what) {
	case 'i':
		fprintf(w->f, "%u", w->index);
		break;
	case 'p':
		fprintf(w->f, "%u", earlier(w));
		break;
	case 'r':
		fprintf(w->f, "%u", w->chosen);
		break;
	case 'n':
		fprintf(w->f, "%u", 2 + (unsigned)rng_below(&w->rng, 98));
		break;
	case 'x':
		fprintf(w->f, "%u", 0x10000 + (unsigned)rng_below(&w->rng, 0x7fff0000));
		break;
	case 'w':
		fputs(words[rng_below(&w->rng, COUNT(words))], w->f);
		break;
	}
}

static void put(struct writer *w, const char *pattern)
{
	for (const char *p = pattern; *p; p++) {
		if (*p == '$')
			put_placeholder(w, *++p);
		else
			putc(*p, w->f);
	}
}

static void put_one_of(struct writer *w, const char *const *patterns, size_t n)
{
	w->chosen = earlier(w);
	put(w, patterns[rng_below(&w->rng, n)]);
}

static void put_function(struct writer *w)
{
	uint64_t n = STATEMENTS_LEAST + rng_below(&w->rng, STATEMENTS_SPREAD);

	put(w, function_begin);
	while (n--)
		put_one_of(w, statements, COUNT(statements));
	put(w, function_end);
}

void build_source_write(FILE *f, uint64_t seed, unsigned headers)
{
	struct writer w = {.f = f, .rng = {.state = seed}};

	put(&w, prologue);
	for (w.index = 1; w.index <= headers; w.index++) {
		put(&w, record);
		for (int i = 0; i < INLINES; i++)
			put_one_of(&w, helpers, COUNT(helpers));
	}
	for (w.index = 1; w.index <= headers; w.index += HEADERS_A_FUNCTION)
		put_function(&w);
}
