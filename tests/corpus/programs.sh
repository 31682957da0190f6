# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=sh
#
# Real programs that hold real data, to be measured: sourced by make-corpus and by scripts/demo.
#
# Each program runs in an empty environment, with the same addresses and hash seeds each time, builds
# its data, says "ready" and waits. What it waits for can't be forgotten: the interpreters read from
# a pipe that only this shell holds open, and the compiler writes to one that nobody empties, so
# they end with the shell that started them, even if that is killed. (Blocking the compiler's output is
# also what stops it at the same place in its work each time, in the middle of code generation.)
#
#   programs_begin FOLDER     FOLDER: "programs" beside this file; makes $programs_dir, arms the clean-up
#   program_start NAME MIB    NAME: cc1plus python3 node perl gawk; sets $program_pid
#   programs_end              stops all of them; also runs on exit

programs_source=
programs_dir=
programs_pids=
program_pid=

programs_fail() {
	echo "${0##*/}: $*" >&2
	exit 1
}

programs_end() {
	for programs_each in $programs_pids; do
		kill -KILL "$programs_each" 2>/dev/null || :
		wait "$programs_each" 2>/dev/null || :
	done
	programs_pids=
	if [ -n "$programs_dir" ]; then
		rm -rf "$programs_dir"
		programs_dir=
	fi
}

programs_begin() {
	programs_source=$1
	programs_dir=$(mktemp -d "${TMPDIR:-/tmp}/snug-programs.XXXXXX")
	trap programs_end EXIT
	trap 'exit 129' HUP
	trap 'exit 130' INT
	trap 'exit 143' TERM
	mkfifo "$programs_dir/hold" "$programs_dir/assembly"
	# Open for both ways: opening never blocks, and the readers see no end while this shell lives.
	exec 7<>"$programs_dir/hold" 8<>"$programs_dir/assembly"
	programs_fix_addresses=
	if setarch "$(uname -m)" -R true 2>/dev/null; then
		programs_fix_addresses="setarch $(uname -m) -R"
	fi
}

# program_run INPUT COMMAND...: in the background in an empty environment; sets $program_pid. Neither
# end of a pipe that this shell holds may leak into the program: it would keep itself alive.
program_run() {
	program_input=$1
	shift
	# shellcheck disable=SC2086 # no word at all where addresses can't be fixed
	env -i PATH=/usr/bin:/bin LANG=C PYTHONHASHSEED=0 PERL_HASH_SEED=0 \
		$programs_fix_addresses "$@" <"$program_input" 7>&- 8>&- &
	program_pid=$!
	programs_pids="$programs_pids $program_pid"
}

program_state() {
	sed -n 's/^State:[[:space:]]*\(.\).*/\1/p' "/proc/$1/status" 2>/dev/null || :
}

program_private_mib() {
	sed -n 's/^RssAnon:[[:space:]]*\([0-9]*\).*/\1/p' "/proc/$1/status" 2>/dev/null |
		awk '{ print int($1 / 1024) }'
}

program_require() {
	command -v "$1" >/dev/null || programs_fail "$1 is not installed; 'make bench' installs it"
}

# An interpreter: ready when it says so. program_interpreter NAME MIB COMMAND...
program_interpreter() {
	program_name=$1
	program_mib=$2
	shift 2
	program_require "$program_name"
	program_run "$programs_dir/hold" "$@" >"$programs_dir/$program_name.out"
	program_tries=0
	until grep -qx ready "$programs_dir/$program_name.out"; do
		kill -0 "$program_pid" 2>/dev/null ||
			programs_fail "$program_name ended before its data was ready"
		program_tries=$((program_tries + 1))
		[ "$program_tries" -le 600 ] ||
			programs_fail "$program_name took more than 120 s to build its data"
		sleep 0.2
	done
	program_check "$program_name" "$program_mib"
}

# Is it alive, and is there as much as was asked for?
program_check() {
	program_has=$(program_private_mib "$program_pid")
	[ "${program_has:-0}" -ge "$2" ] ||
		programs_fail "$1 holds ${program_has:-0} MiB of private memory, not $2"
}

program_compiler_source() {
	cat "$programs_source/compile-head.hh"
	for program_number in 1 2 3 4 5; do
		sed "s/@N@/$program_number/g" "$programs_source/compile-module.hh"
	done
}

# The compiler proper, stopped in the middle of its work by a full pipe behind its first 256 KiB.
program_compiler() {
	program_require g++
	program_compiler_source >"$programs_dir/warehouse.cc"
	# cc1plus itself, not the driver that starts it; g++ knows the words to give it.
	program_run /dev/null g++ -std=c++17 -O2 -S -wrapper "$programs_source/note-pid,$programs_dir/cc1plus.pid" \
		-o "$programs_dir/assembly" "$programs_dir/warehouse.cc"
	head -c 262144 <&8 >/dev/null
	program_pid=$(cat "$programs_dir/cc1plus.pid")
	programs_pids="$programs_pids $program_pid"
	program_tries=0
	# Asleep three times in a row, 0.1 s apart: the pipe is full.
	program_asleep=0
	while [ "$program_asleep" -lt 3 ]; do
		case $(program_state "$program_pid") in
		S) program_asleep=$((program_asleep + 1)) ;;
		'' | Z) programs_fail "cc1plus ended too early" ;;
		*) program_asleep=0 ;;
		esac
		program_tries=$((program_tries + 1))
		[ "$program_tries" -le 300 ] || programs_fail "cc1plus did not come to rest"
		sleep 0.1
	done
	program_check cc1plus "$1"
}

program_gawk() {
	find /var/lib/dpkg/info -name '*.list' | LC_ALL=C sort >"$programs_dir/lists"
	find /usr/include -name '*.h' | LC_ALL=C sort >"$programs_dir/headers"
	program_interpreter gawk "$1" gawk -f "$programs_source/tables.awk" "$1" \
		"$programs_dir/lists" "$programs_dir/headers"
}

program_start() {
	case $1 in
	cc1plus) program_compiler "$2" ;;
	python3) program_interpreter python3 "$2" python3 "$programs_source/objects.py" "$2" ;;
	node)
		program_interpreter node "$2" node --random-seed=1 --hash-seed=1 \
			"$programs_source/objects.js" "$2"
		;;
	perl) program_interpreter perl "$2" perl "$programs_source/words.pl" "$2" ;;
	gawk) program_gawk "$2" ;;
	*) programs_fail "no program '$1'" ;;
	esac
}
