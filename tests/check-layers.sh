#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
#
# The rules of the house that a compiler does not hold: which folder may include from which, headers
# that stay inside their folder, no printing and no exiting in library code, no file that has grown
# past what one can read. Prints FILE:LINE: what is wrong, and fails if there was anything.
#
# usage: check-layers.sh [ROOT]     (default: the tree that this script is in)
set -eu

# Folder: the folders that it may include from; "all" for any.
layers='
base:
codec:    base
pool:     base
store:    codec pool base
plugin:   store base
pager:    store base
host:     base
workload: base
stat:     base
lab:      workload host store stat base
report:   lab stat base
advise:   lab host stat base
survey:   host store codec pool stat base
bench:    workload host store codec pool stat base
cli:      all
'
# Not to be included from another folder, whatever the layers say.
private='ops.h internal.h'
# May print: the program, what makes reports, and the progress bar.
printers='src/cli/ src/report/ src/base/progress.c'
# Fork, and so may end their child.
forkers='src/lab/child.c src/host/swap.c src/workload/process.c src/workload/tabs_process.c'
longest=600

root=${1:-$(dirname "$0")/..}
cd "$root"
[ -d src ] || {
	echo "check-layers.sh: no folder src in $root" >&2
	exit 2
}

folders=src
[ ! -d tests ] || folders="src tests"
# shellcheck disable=SC2086 # two words
find $folders -name '*.[ch]' | LC_ALL=C sort |
	LC_ALL=C awk -v layers="$layers" -v private="$private" -v printers="$printers" \
		-v longest="$longest" -v forkers="$forkers" '
function complain(file, line, text)
{
	print file ":" line ": " text
	bad = 1
}

function folder_of(file,    part)
{
	return split(file, part, "/") > 2 && part[1] == "src" ? part[2] : ""
}

function read_tables(    row, n, i, word, words, colon)
{
	n = split(layers, row, "\n")
	for (i = 1; i <= n; i++) {
		colon = index(row[i], ":")
		if (!colon)
			continue
		known[substr(row[i], 1, colon - 1)] = 1
		words = split(substr(row[i], colon + 1), word, " ")
		while (words)
			allowed[substr(row[i], 1, colon - 1), word[words--]] = 1
	}
	n = split(private, word, " ")
	while (n)
		is_private[word[n--]] = 1
	n_printers = split(printers, printer, " ")
}

function may_include(from, to)
{
	return (from, "all") in allowed || (from, to) in allowed
}

function may_print(file,    i)
{
	for (i = 1; i <= n_printers; i++)
		if (index(file, printer[i]) == 1)
			return 1
	return 0
}

# Headers of one name may live in several folders: one that may be included is enough.
function check_include(file, line, from, name,    n, home, i, where)
{
	sub(/^.*\//, "", name)
	if ((from, name) in header)
		return
	n = split(homes[name], home, " ")
	for (i = 1; i <= n; i++) {
		where = home[i]
		if (may_include(from, home[i])) {
			if (name in is_private)
				complain(file, line, name " is private to src/" where)
			return
		}
	}
	if (n)
		complain(file, line, "src/" from " may not include " name " of src/" where)
}

function check_call(file, line, text)
{
	if (text ~ /^[ \t]*(\/?\*|\/\/)/)
		return
	if (index(" " forkers " ", " " file " "))
		gsub(/(^|[^A-Za-z0-9_])_exit[ \t]*\(/, "", text)
	if (text ~ /(^|[^A-Za-z0-9_])(printf|vprintf|puts|putchar|perror|exit|_exit|_Exit)[ \t]*\(/ ||
	    text ~ /(^|[^A-Za-z0-9_])(v?fprintf|fputs|putc|fputc|fwrite)[ \t]*\(.*(stderr|stdout)/)
		complain(file, line, "library code does not print or exit")
}

function check_file(file,    from, line, text, quiet, name)
{
	from = folder_of(file)
	quiet = from != "" && !may_print(file)
	while ((getline text < file) > 0) {
		line++
		if (from == "")
			continue
		if (text ~ /^[ \t]*#[ \t]*include[ \t]*"/) {
			name = text
			gsub(/^[^"]*"|".*$/, "", name)
			check_include(file, line, from, name)
		}
		if (quiet)
			check_call(file, line, text)
	}
	close(file)
	if (line > longest)
		complain(file, line, "longer than " longest " lines")
}

BEGIN { read_tables() }

{
	files[++n_files] = $0
	from = folder_of($0)
	if (from == "")
		next
	if (!(from in known) && !told[from]++)
		complain($0, 1, "src/" from " has no row in the table of layers")
	if ($0 ~ /\.h$/) {
		name = $0
		sub(/^.*\//, "", name)
		header[from, name] = 1
		homes[name] = homes[name] " " from
	}
}

END {
	for (i = 1; i <= n_files; i++)
		check_file(files[i])
	exit bad
}
'
