# SPDX-License-Identifier: GPL-2.0-or-later
# Each verb's manual page describes the options of its --help, no fewer and no more.

load helpers

pages=$BATS_TEST_DIRNAME/../docs/man

# "name ARGUMENT", one an option. Wrapped help stands further to the right than the names.
help_options() {
	# shellcheck disable=SC2086 # the words of a verb
	"$snug" $1 --help | sed -n '/^Options:/,/^$/p' |
		sed -En 's/^  --([a-z-]+)( [^ ]+)?(  .*)?$/\1\2/p' | sort
}

# Options stand alone on their line: *--name* _ARGUMENT_
page_options() {
	sed -En '/^# OPTIONS/,/^# [^O]/s/^\*--([a-z-]+)\*( _([^_]+)_)?$/\1 \3/p' "$1" | sed 's/ $//' | sort
}

verbs() {
	"$snug" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z][a-z ]*[a-z]\)  .*/\1/p'
}

@test "every verb has a page, which agrees with its --help" {
	while read -r verb; do
		page=$pages/snug-${verb// /-}.1.scd
		[ -f "$page" ]
		diff -u <(help_options "$verb") <(page_options "$page")
	done < <(verbs)
}

@test "the main page names every verb's page" {
	while read -r verb; do
		grep -Fq "*snug-${verb// /-}*(1)" "$pages/snug.1.scd"
	done < <(verbs)
}

@test "pages are of verbs that exist" {
	for page in "$pages"/snug-*.1.scd; do
		name=$(basename "$page" .1.scd)
		name=${name#snug-}
		verbs | tr ' ' - | grep -Fqx "$name"
	done
}

@test "scdoc accepts every page" {
	command -v scdoc >/dev/null || skip "no scdoc"
	for page in "$pages"/*.scd; do
		scdoc <"$page" >/dev/null
	done
}
