# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the tests of the verbs share. SNUG is the program under test.

bats_require_minimum_version 1.5.0

snug=${SNUG:-$BATS_TEST_DIRNAME/../build/snug}

# Runs snug: $status, $output (stdout), $stderr.
snug() {
	run --separate-stderr "$snug" "$@"
	echo "snug $*: status $status"
	echo "stdout: ${output:0:2000}"
	echo "stderr: $stderr"
}

# refused STATUS PATTERN WORDS...: snug WORDS must end with a status of STATUS (a pattern) and one
# sentence, and only that, that matches PATTERN (case does not matter).
refused() {
	local wanted=$1 pattern=$2
	shift 2
	snug "$@"
	# shellcheck disable=SC2053 # a pattern
	[[ $status == $wanted ]] || return 1
	[ -z "$output" ] || return 1
	[ "${#stderr_lines[@]}" -eq 1 ] || return 1
	[[ $stderr == "snug"*": "* ]] || return 1
	grep -Eiq -- "$pattern" <<<"$stderr"
}

# Pages of a real file: machine code and text.
make_pages() {
	head -c $((4096 * ${2:-64})) "$snug" >"$1"
}

# A JSON object on stdin and a Python expression over it, named "it", that must be true.
json_holds() {
	python3 -c 'import json, sys
it = json.load(sys.stdin)
sys.exit(not eval(" ".join(sys.argv[1].split())))' "$1"
}

as_root() {
	[ "$(id -u)" -eq 0 ] || skip "needs root"
}

# A copy of the program in a folder that every user may enter; sets $public, removed by remove_public.
make_public() {
	public=$(mktemp -d)
	chmod 755 "$public"
	install -m 755 "$snug" "$public/snug"
}

remove_public() {
	[ -z "${public-}" ] || rm -rf "$public"
}

# Runs snug as user nobody; make_public first.
snug_as_nobody() {
	run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups "$public/snug" "$@"
	echo "as nobody: snug $*: status $status"
	echo "stdout: ${output:0:2000}"
	echo "stderr: $stderr"
}
