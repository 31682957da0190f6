# SPDX-License-Identifier: GPL-2.0-or-later
#
# A cross reference: who owns each installed file, and where each identifier of the C headers
# stands: associative arrays of real paths and names.
#
# usage: gawk -f tables.awk MIB LIST...: each LIST names files to read, one a line; grows to MIB of
# private memory, prints "ready", keeps it until its input ends.

function private_mib(    line, part, found)
{
	while ((getline line < "/proc/self/status") > 0)
		if (split(line, part) && part[1] == "RssAnon:")
			found = int(part[2] / 1024)
	close("/proc/self/status")
	return found
}

function read_owners(file, edition,    line, package)
{
	package = file
	gsub(/.*\/|\.list$/, "", package)
	while ((getline line < file) > 0) {
		owner[edition ":" line] = package
		contents[package, ++count[package]] = line
	}
	close(file)
}

function read_header(file,    line, number, n, i, word, name)
{
	n = 0
	number = ++headers
	path[number] = file
	while ((getline line < file) > 0) {
		text[number, ++n] = line
		split(line, word, /[^A-Za-z0-9_]+/)
		for (i in word) {
			name = word[i]
			if (name == "")
				continue
			uses[name]++
			place[name, uses[name]] = number ":" n
		}
	}
	close(file)
}

BEGIN {
	target = ARGV[1]
	for (edition = 0; private_mib() < target; edition++)
		for (a = 2; a < ARGC && private_mib() < target; a++) {
			while ((getline file < ARGV[a]) > 0 && private_mib() < target)
				if (file ~ /\.list$/)
					read_owners(file, edition)
				else
					read_header(file)
			close(ARGV[a])
		}
	print "ready"
	fflush()
	while ((getline line < "-") > 0)
		;
}
