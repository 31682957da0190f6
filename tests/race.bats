# SPDX-License-Identifier: GPL-2.0-or-later
# snug race: what it refuses, and short real races where root and the kernel allow.

load helpers

setup() {
	dir=$(mktemp -d)
	cd "$dir" || return
}

teardown() {
	[ -n "${dir-}" ] || return 0
	[ -z "${lock_holder-}" ] || kill -9 "$lock_holder" 2>/dev/null || true
	"$snug" undo >/dev/null 2>&1 || true
	cd /
	rm -rf "$dir"
	remove_public
}

# All of the machine that a race may change.
machine_state() {
	cat /proc/swaps
	ls /sys/block
	cat /sys/block/zram*/disksize 2>/dev/null
	grep -r . /sys/module/zswap/parameters 2>/dev/null
	sysctl -a 2>/dev/null | grep -E '^vm\.(swappiness|page-cluster|overcommit)'
	find /sys/fs/cgroup -maxdepth 2 -name 'snug-*'
	losetup -a
	cat /proc/mounts
	find /var/tmp /run/snug -maxdepth 1 -name 'snug-*' -o -name 'undo-*' 2>/dev/null
}

can_race() {
	as_root
	[ -e /sys/class/zram-control/hot_add ] || skip "no zram in this kernel"
	[ -e /sys/fs/cgroup/memory/memory.limit_in_bytes ] || grep -qs memory /sys/fs/cgroup/cgroup.controllers ||
		skip "no memory controller"
}

@test "race: bad words are refused in one sentence that helps" {
	refused 2 "known are none.*file.*dev.*zram.*zswap" race --backend zrm:lzo
	refused 2 "unknown option 'stremas'" race --backend zram:lzo,stremas=2
	refused 2 "unknown workload 'bild'; known are build, tabs" race --workload bild
	refused 2 "budget" race --budget lots
	refused 2 "budget" race --budget 101%
	refused 2 "pressure" race --pressure 0.5
	refused 2 "runs" race --runs 0
	refused 2 "jobs" race --jobs 0
	refused 2 "timeout" race --timeout soon
	refused 2 "interval" race --interval 0
	refused 2 "cpus" race --cpus 0-
	refused 2 "no-such-file" race --plan no-such-file
	refused 2 "unknown option '--bakend'" race --bakend none
}

@test "race: a plan's mistakes name the file, the line and what is known" {
	printf '[race]\nrunz = 3\n' >plan
	refused 2 "plan:2:.*runz.*runs" race --plan plan
	printf '[rase]\nruns = 3\n' >plan
	refused 2 "plan:1:.*rase" race --plan plan
	printf '[race]\nruns = 3\nruns = 4\n' >plan
	refused 2 "plan:3:.*runs" race --plan plan
}

@test "race: without root it says what to do" {
	make_public
	cd "$public"
	snug_as_nobody race --quick
	[ "$status" -eq 3 ]
	[[ $stderr == *root*sudo* ]]
}

@test "race: budgets and commands that can't be" {
	can_race
	refused 2 "more than this machine's RAM" race --budget 100000G
	refused 2 "needs at least" race --budget 4M
	refused 2 "no-such-program" race -- no-such-program
	refused 2 "needs only" race --budget 512M -- sleep 0.1
	refused 2 "exist" race --output "$snug"
	[ -z "$(ls)" ]
}

@test "race: a device that is not snug's is refused and left as it is" {
	can_race
	command -v losetup >/dev/null || skip "no losetup"
	truncate -s 64M image
	loop=$(losetup --find --show image) || skip "no loop devices"
	refused 2 "mkswap -L snug" race --backend "dev:$loop" || bad=1
	mkfs.ext2 -q "$loop"
	sum=$(sha256sum <image)
	refused 2 "ext2" race --backend "dev:$loop" || bad=1
	losetup -d "$loop"
	[ -z "${bad-}" ]
	[ "$sum" = "$(sha256sum <image)" ]
}

@test "race: a short real one of build, with every kind, puts all back" {
	can_race
	before=$(machine_state)
	snug race --runs 1 --budget 96M --backend file --backend zram:lzo-rle --backend zswap:lzo --output r.json
	[ "$status" -eq 0 ]
	[ "$(machine_state)" = "$before" ]
	[[ $output == *"zram:lzo-rle"* ]]
	json_holds 'it["schema"] == "snug.race/1" and len(it["trials"]) == 4 and not it["partial"]' <r.json
	json_holds 'all(t["outcome"] in ("ok", "oom", "thrashed", "timeout") for t in it["trials"])' <r.json
	json_holds 'all(t["pswpout"] > 0 for t in it["trials"] if t["backend"] != "none")' <r.json
	json_holds 'it["trials"][0]["backend"] == "none" and it["trials"][0]["outcome"] == "ok"' <r.json
	[ "$(stat -c %a r.json)" = 600 ]
	snug report r.json
	[ "$status" -eq 0 ]
}

@test "race: what this kernel lacks is a row, and the rest runs" {
	can_race
	snug race --runs 1 --budget 32M --backend zram:no-such-algorithm --output r.json -- \
		python3 -c 'x = bytearray(48 << 20); print(sum(x[::4096]))'
	[ "$status" -eq 0 ]
	[[ $output == *"not available"*"no-such-algorithm"* ]]
	json_holds 'len(it["trials"]) == 1 and it["summary"][1]["unavailable"] != ""' <r.json
	grep -qx 0 r.log
}

@test "race: a command that fails, that is too large, that hangs" {
	can_race
	refused 1 "fails even without a limit" race -- python3 -c 'import sys; x = bytearray(48 << 20); sys.exit(7)'
	snug race --runs 1 --budget 32M --backend none:limited --output r.json -- \
		python3 -c 'x = bytearray(b"x" * (96 << 20)); print(len(x))'
	[ "$status" -eq 0 ]
	json_holds '[t["outcome"] for t in it["trials"]] == ["ok", "oom"]' <r.json
	rm r.json r.log
	snug race --runs 1 --timeout 2s --backend none:limited --output r.json -- sleep 60
	[ "$status" -eq 1 ]
	[[ $stderr == *"not done after 2 s"* ]]
}

@test "race: processes that a command leaves behind do not outlive its trial" {
	can_race
	cat >leave <<-'END'
		#!/bin/sh
		python3 -c 'x = bytearray(48 << 20)'
		setsid sleep 4242 </dev/null >/dev/null 2>&1 &
	END
	chmod +x leave
	snug race --runs 1 --budget 24M --backend zram:lzo-rle --output r.json -- ./leave
	[ "$status" -eq 0 ]
	run pgrep -f 'sleep 4242'
	[ "$status" -ne 0 ]
}

@test "race: SIGTERM ends it soon, saves what there is, and puts all back" {
	can_race
	before=$(machine_state)
	"$snug" race --runs 50 --budget 32M --backend zram:lzo-rle --output r.json -- \
		python3 -c 'x = bytearray(48 << 20); y = sum(x[::4096])' >out 2>&1 &
	pid=$!
	for _ in $(seq 100); do
		grep -q zram /proc/swaps && break
		sleep 0.1
	done
	kill -TERM $pid
	wait $pid && status=0 || status=$?
	[ "$status" -eq 143 ]
	[ "$(machine_state)" = "$before" ]
	json_holds 'it["partial"] and len(it["trials"]) >= 1' <r.json
	json_holds 'it["trials"][-1]["outcome"] == "stopped"' <r.json
}

@test "race: after kill -9, snug undo puts all back; a second race is refused meanwhile" {
	can_race
	before=$(machine_state)
	"$snug" race --runs 50 --budget 32M --backend zram:lzo-rle --output r.json -- \
		python3 -c 'x = bytearray(48 << 20); y = sum(x[::4096]); import time; time.sleep(1)' >out 2>&1 &
	lock_holder=$!
	for _ in $(seq 100); do
		grep -q zram /proc/swaps && break
		sleep 0.1
	done
	refused 1 "another.*race.*$lock_holder" race --quick
	refused 1 "another.*race.*$lock_holder" undo
	for _ in $(seq 100); do
		grep -q zram /proc/swaps && break
		sleep 0.1
	done
	kill -9 $lock_holder
	wait $lock_holder || true
	snug undo --list
	[[ $output == *zram* ]]
	snug undo
	[ "$status" -eq 0 ]
	[ "$(machine_state)" = "$before" ]
}

@test "race: tabs has frames" {
	can_race
	snug race --workload tabs --runs 1 --budget 64M --backend zram:lzo-rle --output r.json
	[ "$status" -eq 0 ]
	json_holds 'it["trials"][0]["fps_avg"] > 10 and it["trials"][0]["net_s"] < it["trials"][0]["real_s"]' <r.json
}
