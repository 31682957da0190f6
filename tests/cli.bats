# SPDX-License-Identifier: GPL-2.0-or-later
# The program as a whole: help, verbs, options, output.

load helpers

verbs() {
	"$snug" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z][a-z ]*[a-z]\)  .*/\1/p'
}

@test "--help lists the verbs" {
	snug --help
	[ "$status" -eq 0 ]
	[ -z "$stderr" ]
	[[ $output == *"survey "* ]]
	[[ $output == *"bench pages "* ]]
}

@test "--version" {
	snug --version
	[ "$status" -eq 0 ]
	[[ $output =~ ^snug\ [0-9]+\.[0-9]+ ]]
}

@test "no verb: usage on stderr, status 2" {
	snug
	[ "$status" -eq 2 ]
	[ -z "$output" ]
	[[ $stderr == "usage: snug "* ]]
}

@test "an unknown verb is refused with the known ones" {
	refused 2 "'dance'.*survey.*bench pages" dance
	refused 2 "'bench dance'.*bench pages" bench dance
	refused 2 "'bench'.*bench pages" bench
	refused 2 "option '--dance'" --dance
}

@test "every verb has --help, no line longer than 80 columns" {
	[ "$(verbs | wc -l)" -ge 2 ]
	while read -r -a verb; do
		snug "${verb[@]}" --help
		[ "$status" -eq 0 ]
		[[ $output == "usage: snug ${verb[*]} "* ]]
		[[ $output == *"--help"* ]]
		[ "$(awk 'length > 80' <<<"$output" | wc -l)" -eq 0 ]
	done < <(verbs)
}

@test "every verb refuses an unknown option, and one with its argument missing" {
	while read -r -a verb; do
		refused 2 "--dance" "${verb[@]}" --dance
	done < <(verbs)
	refused 2 "--codec needs" survey --codec
	refused 2 "--json takes no" survey --json=yes
}

@test "help of a family of verbs" {
	snug bench --help
	[ "$status" -eq 0 ]
	[[ $output == *"bench pages "* ]]
}

@test "a reader that leaves early is no error to talk about" {
	"$snug" survey --help 2>"$BATS_TEST_TMPDIR/err" | true
	[ ! -s "$BATS_TEST_TMPDIR/err" ]
}

@test "output that can't be written is an error" {
	[ -w /dev/full ] || skip "no /dev/full"
	run bash -c '"$0" --help 2>&1 >/dev/full' "$snug"
	[ "$status" -eq 1 ]
	[[ $output == *"No space left"* ]]
}

@test "no core dumps: they would hold other programs' memory" {
	make_pages "$BATS_TEST_TMPDIR/pages" 4096
	# The limit that the program has while it runs.
	"$snug" bench pages --input "$BATS_TEST_TMPDIR/pages" --target raw --codec lz4hc:9 --runs 20 \
		>/dev/null 2>&1 3>&- &
	pid=$!
	sleep 0.3
	limit=$(awk '/^Max core file size/ { print $5, $6 }' "/proc/$pid/limits")
	kill "$pid" || :
	wait "$pid" || :
	[ "$limit" = "0 0" ]
}

@test "completion: bash completes verbs and options" {
	"$snug" completion bash >"$BATS_TEST_TMPDIR/completion"
	complete_words() {
		COMP_WORDS=("$@")
		COMP_CWORD=$(($# - 1))
		_snug
		echo "${COMPREPLY[*]}"
	}
	# shellcheck disable=SC1091
	source "$BATS_TEST_TMPDIR/completion"
	[ "$(complete_words snug sur)" = survey ]
	[ "$(complete_words snug bench p)" = pages ]
	[ "$(complete_words snug survey --js)" = --json ]
	[ "$(complete_words snug bench pages --inp)" = --input ]
}

@test "completion: zsh accepts its script" {
	command -v zsh >/dev/null || skip "no zsh"
	"$snug" completion zsh >"$BATS_TEST_TMPDIR/_snug"
	zsh -n "$BATS_TEST_TMPDIR/_snug"
}

@test "completion: an unknown shell, no shell" {
	refused 2 "'tcsh'" completion tcsh
	refused 2 "shell" completion
}
