# SPDX-License-Identifier: GPL-2.0-or-later
# The checker of the layers, fed with trees that break each rule.

setup() {
	checker=$BATS_TEST_DIRNAME/check-layers.sh
	tree=$BATS_TEST_TMPDIR/tree
	mkdir -p "$tree/src/base" "$tree/src/codec" "$tree/src/store" "$tree/src/cli" "$tree/tests"
	echo 'int units(void);' >"$tree/src/base/units.h"
	echo 'int codec(void);' >"$tree/src/codec/codec.h"
	echo 'int ops(void);' >"$tree/src/codec/ops.h"
	echo 'int store(void);' >"$tree/src/store/store.h"
}

@test "this tree keeps the rules" {
	run "$checker"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a tree that keeps the rules passes in silence" {
	printf '#include "codec.h"\n#include "units.h"\n#include <stdio.h>\n' >"$tree/src/store/store.c"
	printf '#include "ops.h"\n' >"$tree/src/codec/codec.c"
	printf '#include "store.h"\nint f(void) { return printf("x"); }\n' >"$tree/src/cli/main.c"
	run "$checker" "$tree"
	[ "$status" -eq 0 ]
	[ -z "$output" ]
}

@test "an include against the layers is named with file and line" {
	printf '\n#include "store.h"\n' >"$tree/src/codec/codec.c"
	run "$checker" "$tree"
	[ "$status" -eq 1 ]
	[ "$output" = "src/codec/codec.c:2: src/codec may not include store.h of src/store" ]
}

@test "a path in the include does not hide it" {
	printf '#include "../store/store.h"\n' >"$tree/src/base/units.c"
	run "$checker" "$tree"
	[ "$status" -eq 1 ]
	[[ $output == "src/base/units.c:1: "* ]]
}

@test "a private header stays in its folder" {
	printf '#include "ops.h"\n' >"$tree/src/store/store.c"
	run "$checker" "$tree"
	[ "$status" -eq 1 ]
	[ "$output" = "src/store/store.c:1: ops.h is private to src/codec" ]
}

@test "library code that prints or exits" {
	cat >"$tree/src/store/store.c" <<-'END'
	/* printf( in a comment is fine, and so are snprintf and fprintf to a file. */
	int a(void) { return snprintf(b, 1, "x") + fprintf(f, "x"); }
	int b(void) { return printf("x"); }
	void c(void) { fprintf(stderr, "x"); }
	void d(void) { exit(1); }
	END
	run "$checker" "$tree"
	[ "$status" -eq 1 ]
	[ "${#lines[@]}" -eq 3 ]
	[[ ${lines[0]} == "src/store/store.c:3: "* ]]
	[[ ${lines[1]} == "src/store/store.c:4: "* ]]
	[[ ${lines[2]} == "src/store/store.c:5: "* ]]
}

@test "a folder without a row in the table" {
	mkdir "$tree/src/magic"
	echo 'int magic(void);' >"$tree/src/magic/magic.h"
	run "$checker" "$tree"
	[ "$status" -eq 1 ]
	[[ $output == "src/magic/magic.h:1: "*"no row"* ]]
}

@test "a file longer than 600 lines, in src and in tests" {
	seq 601 | sed 's/^/int x/; s/$/;/' >"$tree/src/base/long.c"
	cp "$tree/src/base/long.c" "$tree/tests/test_long.c"
	seq 600 | sed 's/^/int x/; s/$/;/' >"$tree/src/base/fits.c"
	run "$checker" "$tree"
	[ "$status" -eq 1 ]
	[ "${lines[0]}" = "src/base/long.c:601: longer than 600 lines" ]
	[ "${lines[1]}" = "tests/test_long.c:601: longer than 600 lines" ]
	[ "${#lines[@]}" -eq 2 ]
}

@test "no tree is an error of its own" {
	run "$checker" "$BATS_TEST_TMPDIR"
	[ "$status" -eq 2 ]
}
