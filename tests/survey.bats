# SPDX-License-Identifier: GPL-2.0-or-later
# snug survey: what it answers, and what it makes of bad input.

load helpers

setup() {
	pages=$BATS_TEST_TMPDIR/pages
	make_pages "$pages"
}

teardown() {
	[ -z "${mounted-}" ] || umount "$mounted"
	[ -z "${sleeper-}" ] || kill "$sleeper" 2>/dev/null || :
	remove_public
}

# A process of our own that holds still; sets $sleeper.
start_sleeper() {
	python3 -c 'import time; data = [str(i) for i in range(200000)]; time.sleep(100)' 3>&- &
	sleeper=$!
	sleep 1
}

@test "a page file: a line a codec" {
	snug survey --file "$pages" --codec lzo,lz4,zstd:1
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	for codec in lzo lz4 zstd; do
		grep -Eq "^ *$codec" <<<"$output"
	done
	[[ $output == *"1 GiB"* ]]
}

@test "a page file: JSON as promised" {
	snug survey --file "$pages" --codec lzo,lz4hc:9,zstd:1+dict --json
	[ "$status" -eq 0 ]
	json_holds 'it["schema"] == "snug.survey/1" and it["pages"] == 64 and "machine" in it' <<<"$output"
	json_holds '[c["name"] for c in it["codecs"]] in (["lzo", "lz4hc:9", "zstd:1+dict"], ["lzo", "lz4hc", "zstd:1+dict"])' <<<"$output"
	json_holds 'set("name kernel ratio mem_ratio compr_bytes mem_used_bytes kernel_mem_used_bytes
		huge_pages compress_ns_p50 compress_ns_p99 decompress_ns_p50 decompress_ns_p99".split())
		<= set(it["codecs"][0])' <<<"$output"
}

@test "two page files add up" {
	make_pages "$BATS_TEST_TMPDIR/more" 16
	snug survey --file "$pages" --file "$BATS_TEST_TMPDIR/more" --codec lz4 --json
	[ "$status" -eq 0 ]
	json_holds 'it["pages"] == 80' <<<"$output"
}

@test "a file that is no whole number of pages: padded, and said" {
	head -c 100 /dev/zero | tr '\0' x >>"$pages"
	run "$snug" survey --file "$pages" --codec lz4
	echo "$output"
	[ "$status" -eq 0 ]
	grep -Eiq 'padded' <<<"$output"
}

@test "a running process; pages saved and read again" {
	start_sleeper
	snug survey --pid "$sleeper" --codec lz4 --save "$BATS_TEST_TMPDIR/saved" --json
	[ "$status" -eq 0 ]
	[ "$(stat -c %a "$BATS_TEST_TMPDIR/saved")" = 600 ]
	count=$(($(stat -c %s "$BATS_TEST_TMPDIR/saved") / 4096))
	[ "$count" -gt 1000 ]
	json_holds "it['pages'] == $count" <<<"$output"
	snug survey --file "$BATS_TEST_TMPDIR/saved" --codec lz4 --json
	[ "$status" -eq 0 ]
	json_holds "it['pages'] == $count" <<<"$output"
}

@test "--sample takes no more than it says" {
	start_sleeper
	snug survey --pid "$sleeper" --sample 1M --codec lz4 --json
	[ "$status" -eq 0 ]
	json_holds 'it["pages"] == 256' <<<"$output"
}

@test "--noheadings" {
	snug survey --file "$pages" --codec lz4 --noheadings
	[ "$status" -eq 0 ]
	run ! grep -q '^ALGORITHM' <<<"$output"
}

@test "all processes that may be read, by default" {
	as_root
	start_sleeper
	snug survey --sample 4M --codec lz4 --json
	[ "$status" -eq 0 ]
	json_holds 'it["pages"] == 1024' <<<"$output"
}

@test "bad: an unknown codec is named, with the known ones" {
	refused 2 "lz5.*lz4.*zstd" survey --file "$pages" --codec lz5
	refused 2 "lz5" survey --file "$pages" --codec lz4,lz5
	refused 2 "codec" survey --file "$pages" --codec ""
	refused 2 "codec" survey --file "$pages" --codec lz4,
}

@test "bad: a level out of range, or where there is none" {
	refused 2 "zstd" survey --file "$pages" --codec zstd:99
	refused 2 "lz4hc" survey --file "$pages" --codec lz4hc:13
	refused 2 "deflate" survey --file "$pages" --codec deflate:13
	refused 2 "lzo" survey --file "$pages" --codec lzo:3
	refused 2 "zstd" survey --file "$pages" --codec zstd:x
	refused 2 "zstd" survey --file "$pages" --codec zstd:
}

@test "bad: a dictionary for a codec that takes none" {
	refused 2 "lzo.*dict|dict.*lzo" survey --file "$pages" --codec lzo+dict
	refused 2 "deflate.*dict|dict.*deflate" survey --file "$pages" --codec deflate+dict
	refused 2 "none" survey --file "$pages" --codec none+auto
	refused 2 "dikt" survey --file "$pages" --codec zstd:1+dikt
}

@test "bad: a file that is not there, empty, a folder" {
	refused 2 "no-such.*No such file" survey --file "$BATS_TEST_TMPDIR/no-such"
	: >"$BATS_TEST_TMPDIR/empty"
	refused 2 "empty" survey --file "$BATS_TEST_TMPDIR/empty"
	refused 2 "$BATS_TEST_TMPDIR" survey --file "$BATS_TEST_TMPDIR"
}

@test "bad: a file that the user may not read" {
	as_root
	make_public
	install -m 600 "$pages" "$public/secret"
	snug_as_nobody survey --file "$public/secret"
	[[ $status == [23] ]]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == *"Permission denied"* ]]
}

@test "bad: no such process, and what is no process at all" {
	sleep 0 &
	gone=$!
	wait "$gone"
	refused 2 "$gone" survey --pid "$gone"
	for bad in 0 -1 abc 1x 99999999999999999999 ""; do
		refused 2 "pid" survey --pid "$bad"
	done
}

@test "bad: a process that may not be read; the way out is named" {
	if [ "$(id -u)" -eq 0 ]; then
		make_public
		sleep 100 3>&- &
		sleeper=$!
		snug_as_nobody survey --pid "$sleeper"
	else
		snug survey --pid 1
	fi
	[ "$status" -eq 3 ]
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	grep -Eiq 'root|ptrace' <<<"$stderr"
}

@test "bad: no such control group" {
	refused "[23]" "no-such" survey --cgroup /no-such-group
}

@test "bad: --save onto an existing file or a symbolic link" {
	echo precious >"$BATS_TEST_TMPDIR/precious"
	ln -s "$BATS_TEST_TMPDIR/precious" "$BATS_TEST_TMPDIR/link"
	ln -s "$BATS_TEST_TMPDIR/nowhere" "$BATS_TEST_TMPDIR/dangling"
	refused 2 "precious.*exists" survey --file "$pages" --codec none --save "$BATS_TEST_TMPDIR/precious"
	refused 2 "link" survey --file "$pages" --codec none --save "$BATS_TEST_TMPDIR/link"
	refused 2 "dangling" survey --file "$pages" --codec none --save "$BATS_TEST_TMPDIR/dangling"
	[ "$(cat "$BATS_TEST_TMPDIR/precious")" = precious ]
	[ ! -e "$BATS_TEST_TMPDIR/nowhere" ]
}

@test "bad: --save into a folder that is not there" {
	refused "[23]" "no-such" survey --file "$pages" --codec none --save "$BATS_TEST_TMPDIR/no-such/file"
}

@test "bad: sizes" {
	for bad in -1 12Q 200% 0 "" 1.5.5G 99999999999G; do
		refused 2 "sample" survey --file "$pages" --sample "$bad"
	done
}

@test "bad: words that belong to nothing" {
	refused 2 "rest" survey rest
}

@test "bad: the disk is full while saving; nothing is left behind" {
	as_root
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=128k none "$BATS_TEST_TMPDIR/small" || skip "no tmpfs can be mounted here"
	mounted=$BATS_TEST_TMPDIR/small
	refused "[23]" "No space left" survey --file "$pages" --codec none --save "$mounted/saved"
	[ -z "$(ls -A "$mounted")" ]
}
