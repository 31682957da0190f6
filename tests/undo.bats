# SPDX-License-Identifier: GPL-2.0-or-later
# snug undo: on a /run of its own with journals made here, and after a real run that is killed.

# shellcheck disable=SC2016 # scripts for another shell
load helpers

teardown() {
	[ -z "${killed-}" ] || kill -9 "$killed" 2>/dev/null || true
	[ -z "${killed-}" ] || "$snug" undo >/dev/null 2>&1 || true
	remove_public
}

# Runs the shell commands $1 with an empty /run that nobody else sees: $status, $output, $stderr.
in_empty_run() {
	as_root
	unshare --mount true 2>/dev/null || skip "no mount namespaces here"
	run --separate-stderr unshare --mount sh -ec "mount -t tmpfs -o mode=755 snug /run; $1" sh "$snug" \
		"$BATS_TEST_TMPDIR"
	echo "status $status"
	echo "stdout: $output"
	echo "stderr: $stderr"
}

# A journal of process 4242 (a race), in which are the entries WORDS..., one a word.
make_journal() {
	python3 - "$BATS_TEST_TMPDIR/journal" "$@" <<-'END'
		import sys
		def seal(body):
		    h = 2166136261
		    for byte in body.encode():
		        h = (h ^ byte) * 16777619 & 0xffffffff
		    return "+%s %08x\n" % (body, h)
		boot = open("/proc/sys/kernel/random/boot_id").read().strip()
		with open(sys.argv[1], "w") as journal:
		    journal.writelines(map(seal, ["snug-undo-1 %s race" % boot] + sys.argv[2:]))
	END
}

take_journal='mkdir -m 700 /run/snug; cp "$2/journal" /run/snug/undo-4242'

# The entry that removes this file.
unlinking() {
	echo "unlink $(stat -c '%d %i' "$1") ${1#/} %"
}

@test "undo: nothing to undo" {
	in_empty_run '"$1" undo --list; test ! -e /run/snug; "$1" undo'
	[ "$status" -eq 0 ]
	[ "$output" = "nothing to undo"$'\n'"nothing to undo" ]
	[ -z "$stderr" ]
}

@test "undo: bad words" {
	refused 2 "unknown option '--lsit'.*--list" undo --lsit
	refused 2 "--list takes no" undo --list=all
	refused 2 "unexpected 'zram1'" undo zram1
}

@test "undo: without root it says what to do" {
	make_public
	setpriv --reuid=65534 --regid=65534 --clear-groups true 2>/dev/null || skip "can't be nobody"
	for words in undo "undo --list"; do
		# shellcheck disable=SC2086 # words
		snug_as_nobody $words
		[ "$status" -eq 3 ]
		[ -z "$output" ]
		[ "${#stderr_lines[@]}" -eq 1 ]
		[[ $stderr == *root*sudo* ]]
	done
}

@test "undo: --list changes nothing, undo does what is listed, the latest first" {
	file=$BATS_TEST_TMPDIR/left
	touch "$file"
	make_journal "zram 987654 1 % %" "$(unlinking "$file")"
	in_empty_run "$take_journal"'; "$1" undo --list; cmp "$2/journal" /run/snug/undo-4242; test -e "$2/left"
		"$1" undo; test ! -e "$2/left"; test ! -e /run/snug/undo-4242; "$1" undo'
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[ "${lines[0]}" = "remove $file (left by snug race, process 4242)" ]
	[ "${lines[1]}" = "reset and remove zram987654 (left by snug race, process 4242)" ]
	[ "${lines[2]}" = "done: remove $file" ]
	[ "${lines[3]}" = "done: reset and remove zram987654" ]
	[ "${lines[4]}" = "nothing to undo" ]
}

@test "undo: what can't be undone is said, with the way by hand, and stays; the rest is done" {
	file=$BATS_TEST_TMPDIR/left
	touch "$file"
	make_journal "$(unlinking "$file")" "write 0 0 sys/kernel/mm no"
	in_empty_run "$take_journal"'; status=0; "$1" undo || status=$?; "$1" undo --list; exit $status'
	[ "$status" -eq 1 ]
	[ ! -e "$file" ]
	[ "${lines[0]}" = "done: remove $file" ]
	[ "${lines[1]}" = "set /sys/kernel/mm back to 'no' (left by snug race, process 4242)" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "snug undo: cannot set /sys/kernel/mm back"*"by hand: echo 'no' > /sys/kernel/mm" ]]
}

@test "undo: a damaged journal is named and kept" {
	file=$BATS_TEST_TMPDIR/left
	touch "$file"
	make_journal "$(unlinking "$file")" "zram 987654 1 % %"
	sed -i s/987654/987655/ "$BATS_TEST_TMPDIR/journal"
	in_empty_run "$take_journal"'; status=0; "$1" undo || status=$?; test -e /run/snug/undo-4242; exit $status'
	[ "$status" -eq 1 ]
	[ "$output" = "done: remove $file" ]
	[ ! -e "$file" ]
	[[ $stderr == *"/run/snug/undo-4242"*damaged* ]]
}

@test "undo: refused while a race runs, which is named" {
	touch "$BATS_TEST_TMPDIR/left"
	make_journal "$(unlinking "$BATS_TEST_TMPDIR/left")"
	in_empty_run "$take_journal"'; printf "snug race, process 4711, since today" >/run/snug/race.lock
		flock /run/snug/race.lock "$1" undo || exit 9'
	[ "$status" -eq 9 ]
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" -eq 1 ]
	[[ $stderr == "snug undo: another"*"snug race, process 4711, since today"* ]]
	[ -e "$BATS_TEST_TMPDIR/left" ]
}

@test "undo: a running process's is listed as such, and left alone" {
	touch "$BATS_TEST_TMPDIR/left"
	make_journal "$(unlinking "$BATS_TEST_TMPDIR/left")"
	in_empty_run "$take_journal"'; exec 9<>/run/snug/undo-4242; flock 9; "$1" undo --list 9>&-; "$1" undo 9>&-'
	[ "$status" -eq 0 ]
	[ "${lines[0]}" = "remove $BATS_TEST_TMPDIR/left (of a running snug race, process 4242)" ]
	[ "${lines[1]}" = "nothing to undo" ]
	[ -e "$BATS_TEST_TMPDIR/left" ]
}

@test "undo: after kill -9 in the middle of bench pages, its zram device is removed" {
	as_root
	[ -e /sys/class/zram-control/hot_add ] || skip "this kernel has no zram"
	before=$(ls /sys/block)
	"$snug" bench pages --generate heap:32M --target zram:lzo --runs 1000 >/dev/null 2>&1 3>&- &
	killed=$!
	for _ in $(seq 100); do
		"$snug" undo --list | grep -q "^reset and remove zram.*of a running snug bench pages, process $killed)" && break
		sleep 0.1
	done
	snug undo
	[ "$status" -eq 0 ]
	[ "$(ls /sys/block)" != "$before" ]
	kill -9 $killed
	wait $killed || true
	snug undo --list
	[[ $output == *"reset and remove zram"*"left by snug bench pages, process $killed)"* ]]
	snug undo
	[ "$status" -eq 0 ]
	[[ $output == *"done: reset and remove zram"* ]]
	[ "$(ls /sys/block)" = "$before" ]
}
