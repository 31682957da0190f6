# SPDX-License-Identifier: GPL-2.0-or-later
# snug report: the page as a browser sees it, and what it makes of bad input.

load helpers

race=$BATS_TEST_DIRNAME/fixtures/race.json

setup() {
	page=$BATS_TEST_TMPDIR/page.html
}

browser() {
	local name
	for name in chromium chromium-browser google-chrome; do
		! command -v "$name" >/dev/null || break
	done
	command -v "$name" >/dev/null || skip "no chromium"
	timeout 60 "$name" --headless --no-sandbox --disable-gpu --user-data-dir="$BATS_TEST_TMPDIR/profile" \
		--virtual-time-budget=5000 "$@"
}

# What a copy of the page finds out about itself in a frame as wide as a phone; JSON in $seen, and
# what the browser complained of in $complaints.
look_at() {
	cat "$1" - >"$BATS_TEST_TMPDIR/probe.html" <<-'END'
		<script>setTimeout(() => console.log("SEEN" + JSON.stringify({
			width: innerWidth,
			scroll: document.documentElement.scrollWidth,
			canvases: document.querySelectorAll("canvas").length,
			drawn: document.querySelectorAll("canvas[data-drawn=true]").length,
			unnamed: document.querySelectorAll("canvas:not([role=img][aria-label])").length,
			charts: Object.fromEntries([...document.querySelectorAll("[data-charts]")].map((s) =>
				[s.dataset.charts + s.dataset.result, s.hidden ? 0 : s.querySelectorAll("canvas").length])),
			sections: document.querySelectorAll("article").length,
			loaded: performance.getEntriesByType("resource").length,
			scripts: document.scripts.length,
			images: document.images.length,
		}) + "SEEN"), 1000)</script>
	END
	echo '<iframe src="probe.html" style="width: 360px; height: 800px; border: 0"></iframe>' \
		>"$BATS_TEST_TMPDIR/frame.html"
	browser --enable-logging=stderr --dump-dom "file://$BATS_TEST_TMPDIR/frame.html" \
		>/dev/null 2>"$BATS_TEST_TMPDIR/log"
	seen=$(sed -n 's/.*SEEN\(.*\)SEEN.*/\1/p' "$BATS_TEST_TMPDIR/log")
	complaints=$(grep CONSOLE "$BATS_TEST_TMPDIR/log" | grep -v SEEN || :)
	echo "$seen"
	echo "$complaints"
}

# A Python program over the result "it" makes another result of it.
changed() {
	python3 -c 'import json, sys
it = json.load(open(sys.argv[1]))
exec(sys.argv[2])
json.dump(it, sys.stdout)' "$race" "$1"
}

@test "a page: its name, its mode, its words" {
	cp "$race" "$BATS_TEST_TMPDIR/mine.json"
	snug report "$BATS_TEST_TMPDIR/mine.json"
	[ "$status" -eq 0 ]
	[ "$output" = "Saved as $BATS_TEST_TMPDIR/mine.html" ]
	[ "$(stat -c %a "$BATS_TEST_TMPDIR/mine.html")" = 600 ]
	grep -Fq '<strong>zram:lzo-rle</strong>' "$BATS_TEST_TMPDIR/mine.html"
}

@test "in a browser: every chart drawn, nothing loaded, no complaint, no wider than a phone" {
	snug report "$race" --output "$page"
	[ "$status" -eq 0 ]
	look_at "$page"
	[ -z "$complaints" ]
	json_holds 'it["charts"] == {"times0": 1, "frames0": 1, "course0": 10}' <<<"$seen"
	json_holds 'it["drawn"] == it["canvases"] == 12 and it["unnamed"] == 0' <<<"$seen"
	json_holds 'it["loaded"] == 0' <<<"$seen"
	json_holds 'it["width"] == 360 and it["scroll"] <= 360' <<<"$seen"
}

@test "two results: a section and charts for each; no frames, no chart of them" {
	changed 'for t in it["trials"]: t["frame_histogram"] = [0] * 56' >"$BATS_TEST_TMPDIR/still.json"
	snug report --output "$page" "$race" "$BATS_TEST_TMPDIR/still.json"
	[ "$status" -eq 0 ]
	look_at "$page"
	[ -z "$complaints" ]
	json_holds 'it["sections"] == 2 and it["drawn"] == it["canvases"] == 23' <<<"$seen"
	json_holds 'it["charts"]["frames1"] == 0' <<<"$seen"
}

@test "hostile names stay names" {
	changed 'bad = "</script><img src=x onerror=alert(1)><script>document.title = 1</script>\"\u0027<!--\u2028"
it["summary"][0]["backend"] = bad
it["plan"]["command_line"] = it["verdict"]["why"] = it["machine"]["cpu_model"] = bad
for t in it["trials"]: t["backend"] = bad' >"$BATS_TEST_TMPDIR/bad.json"
	snug report "$BATS_TEST_TMPDIR/bad.json" --output "$page"
	[ "$status" -eq 0 ]
	look_at "$page"
	[ -z "$complaints" ]
	json_holds 'it["images"] == 0 and it["scripts"] == 4' <<<"$seen"
	json_holds 'it["drawn"] == it["canvases"] > 1 and it["scroll"] <= 360' <<<"$seen"
}

@test "all runs out of memory: no figure, still a chart" {
	changed 'for s in it["summary"]:
    s.update(ok=0, outcomes="5 oom", median_real_s=None, low=None, high=None)
for t in it["trials"]: t.update(outcome="oom", samples=[])' >"$BATS_TEST_TMPDIR/oom.json"
	snug report "$BATS_TEST_TMPDIR/oom.json" --output "$page"
	[ "$status" -eq 0 ]
	look_at "$page"
	[ -z "$complaints" ]
	json_holds 'it["charts"] == {"times0": 1, "frames0": 0, "course0": 0}' <<<"$seen"
}

@test "interrupted before one was run: its name is there" {
	changed 'it["partial"] = True
for s in it["summary"]:
    if s["backend"] == "zram:lz4": s.update(runs=0, ok=0, outcomes=None, median_real_s=None, low=None, high=None)
it["trials"] = [t for t in it["trials"] if t["backend"] != "zram:lz4"]' >"$BATS_TEST_TMPDIR/partial.json"
	snug report "$BATS_TEST_TMPDIR/partial.json" --output "$page"
	[ "$status" -eq 0 ]
	look_at "$page"
	[ -z "$complaints" ]
	json_holds 'it["charts"] == {"times0": 1, "frames0": 1, "course0": 8}' <<<"$seen"
}

@test "without JavaScript: words and tables, no empty charts" {
	snug report "$race" --output "$page"
	sed '/<script/,$d' "$page" >"$BATS_TEST_TMPDIR/without"
	[ "$(grep -c '<section .*data-charts=.* hidden>$' "$BATS_TEST_TMPDIR/without")" -eq 3 ]
	grep -Fq '<noscript><p class="notice">The charts need JavaScript' "$BATS_TEST_TMPDIR/without"
	[ "$(grep -c '<table>' "$BATS_TEST_TMPDIR/without")" -eq 3 ]
	run ! grep -q '<canvas' "$BATS_TEST_TMPDIR/without"
}

@test "--text: what the race printed" {
	snug report --text "$race"
	[ "$status" -eq 0 ]
	grep -q '^ *zram:lzo-rle ' <<<"$output"
	snug report --text --noheadings --bytes "$race"
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 6 ]
}

@test "files that are no results: which, and why" {
	refused 2 'no file' report
	refused 2 'nothere.json' report nothere.json
	refused 2 'cannot read /: is a directory' report /
	echo '{"schema": "snug.survey/1"}' >"$BATS_TEST_TMPDIR/other.json"
	refused 2 "other.json: .*schema" report "$BATS_TEST_TMPDIR/other.json"
	head -c 3000 "$race" >"$BATS_TEST_TMPDIR/cut.json"
	refused 2 "cut.json: " report "$BATS_TEST_TMPDIR/cut.json"
	changed 'del it["trials"][3]["real_s"]' >"$BATS_TEST_TMPDIR/less.json"
	refused 2 "less.json: .*real_s" report "$BATS_TEST_TMPDIR/less.json"
	: >"$BATS_TEST_TMPDIR/empty.json"
	refused 2 "empty.json: " report "$BATS_TEST_TMPDIR/empty.json"
	# Nothing is made of the good ones then.
	refused 2 "empty.json: " report "$race" "$BATS_TEST_TMPDIR/empty.json" --output "$page"
	[ ! -e "$page" ]
}

@test "a page's name that is taken, a link, or in no folder" {
	echo mine >"$page"
	refused 2 'page.html exists' report "$race" --output "$page"
	[ "$(cat "$page")" = mine ]
	ln -s "$BATS_TEST_TMPDIR/elsewhere" "$BATS_TEST_TMPDIR/link"
	refused 2 'link is a symbolic link' report "$race" --output "$BATS_TEST_TMPDIR/link"
	[ ! -e "$BATS_TEST_TMPDIR/elsewhere" ]
	refused 2 'cannot create' report "$race" --output "$BATS_TEST_TMPDIR/no/page.html"
}

@test "options that do not fit together" {
	refused 2 '--output' report --text "$race" --output "$page"
	refused 2 '--text' report --bytes "$race"
	refused 2 'unknown option' report "$race" --colour
	refused 2 'cannot read --text' report -- --text
}
