# SPDX-License-Identifier: GPL-2.0-or-later
# snug bench pages: what it answers, and what it makes of bad input.

load helpers

setup() {
	pages=$BATS_TEST_TMPDIR/pages
	make_pages "$pages"
}

zram_devices() {
	find /sys/block -maxdepth 1 -name 'zram*' | sort
}

@test "raw and engine on a page file: JSON as promised" {
	snug bench pages --input "$pages" --target raw,engine --codec lz4 --runs 1 --json
	[ "$status" -eq 0 ]
	json_holds 'it["schema"] == "snug.bench.pages/1"' <<<"$output"
	json_holds '{r["target"] for r in it["rows"]} == {"raw", "engine"}' <<<"$output"
	json_holds 'all(set("target codec pool threads write_ns read_ns write_cpu_ns read_cpu_ns orig_bytes
		compr_bytes mem_used_bytes meta_bytes ratio same_pages huge_pages".split()) <= set(r)
		for r in it["rows"])' <<<"$output"
	json_holds 'all(r["orig_bytes"] == 64 * 4096 for r in it["rows"])' <<<"$output"
}

@test "every kind of generated pages" {
	for kind in text heap random zero mix; do
		snug bench pages --generate "$kind:1M" --target engine --codec lz4 --runs 1 --json
		[ "$status" -eq 0 ]
		json_holds 'it["rows"][0]["orig_bytes"] == 1 << 20' <<<"$output"
	done
}

@test "zero pages are all same-filled, random pages all huge" {
	snug bench pages --generate zero:1M --target engine --codec lz4 --runs 1 --json
	json_holds 'it["rows"][0]["same_pages"] == 256' <<<"$output"
	snug bench pages --generate random:1M --target engine --codec lz4 --runs 1 --json
	json_holds 'it["rows"][0]["huge_pages"] == 256' <<<"$output"
}

@test "every pool, two threads" {
	snug bench pages --input "$pages" --target engine --pool zsmalloc,zbud,z3fold --threads 1,2 \
		--codec lzo --runs 1 --json
	[ "$status" -eq 0 ]
	json_holds 'len(it["rows"]) == 6' <<<"$output"
}

@test "a table by default" {
	snug bench pages --input "$pages" --target raw --codec lzo --runs 1
	[ "$status" -eq 0 ]
	[[ $output == *"lzo"* ]]
}

@test "the kernel's zram, which is removed afterwards" {
	as_root
	[ -e /sys/class/zram-control/hot_add ] || modprobe zram 2>/dev/null ||
		skip "this kernel has no zram"
	before=$(zram_devices)
	snug bench pages --input "$pages" --target zram:lzo --runs 1 --json
	[ "$status" -eq 0 ]
	json_holds 'all(r["target"].startswith("zram") and r["mem_used_bytes"] > 0 for r in it["rows"])' <<<"$output"
	[ "$(zram_devices)" = "$before" ]
}

@test "bad: zram without root; the way out is named" {
	if [ "$(id -u)" -eq 0 ]; then
		make_public
		cp "$pages" "$public/pages"
		chmod 644 "$public/pages"
		snug_as_nobody bench pages --input "$public/pages" --target zram:lzo --runs 1
		remove_public
	else
		snug bench pages --input "$pages" --target zram:lzo --runs 1
	fi
	[ "$status" -eq 3 ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *root* ]]
}

@test "bad: an algorithm that this kernel's zram does not have" {
	as_root
	[ -e /sys/class/zram-control/hot_add ] || skip "this kernel has no zram"
	before=$(zram_devices)
	refused "[23]" "lz5" bench pages --input "$pages" --target zram:lz5
	[ "$(zram_devices)" = "$before" ]
}

@test "bad: no pages to work on, or two kinds of them" {
	refused 2 "input.*generate" bench pages
	refused 2 "input|generate" bench pages --input "$pages" --generate text:1M
}

@test "bad: input files" {
	: >"$BATS_TEST_TMPDIR/empty"
	refused 2 "empty" bench pages --input "$BATS_TEST_TMPDIR/empty"
	refused 2 "no-such" bench pages --input "$BATS_TEST_TMPDIR/no-such"
	refused 2 "$BATS_TEST_TMPDIR" bench pages --input "$BATS_TEST_TMPDIR"
}

@test "a file that is no whole number of pages: padded, and said" {
	echo tail >>"$pages"
	run "$snug" bench pages --input "$pages" --target raw --codec lz4 --runs 1
	echo "$output"
	[ "$status" -eq 0 ]
	grep -Eiq 'padded' <<<"$output"
}

@test "bad: generated kinds and sizes" {
	refused 2 "music.*text" bench pages --generate music:1M
	refused 2 "generate|size" bench pages --generate text
	for bad in -1 12Q 200% 0 ""; do
		refused 2 "generate|size" bench pages --generate "text:$bad"
	done
}

@test "bad: codecs, pools, targets" {
	refused 2 "lz5" bench pages --input "$pages" --codec lz5
	refused 2 "zstd" bench pages --input "$pages" --codec zstd:99
	refused 2 "dict" bench pages --input "$pages" --codec lzo+dict
	refused 2 "zpool.*zsmalloc" bench pages --input "$pages" --pool zpool
	refused 2 "disk.*raw" bench pages --input "$pages" --target disk
}

@test "bad: numbers" {
	for bad in 0 -1 x "" 1,x 99999999999999999999; do
		refused 2 "threads" bench pages --input "$pages" --threads "$bad"
	done
	for bad in 0 -1 x ""; do
		refused 2 "runs" bench pages --input "$pages" --runs "$bad"
	done
}
