// SPDX-License-Identifier: GPL-2.0-or-later
//
// The charts of the page. Each is a description: what it is called, how high it is, and a function
// from the colors of the moment to what Chart.js takes. All are drawn again when the colors change
// (dark mode, paper), which is simpler than to change them in place. Names of backends come from
// files: they reach the page as text only, never as HTML.
"use strict";
(() => {

const results = JSON.parse(document.getElementById("data").textContent);
const MIB = 1024 * 1024;
const DASHES = [[], [6, 3], [2, 3], [8, 3, 2, 3]];

function colors() {
	const style = getComputedStyle(document.documentElement);
	const read = (name) => style.getPropertyValue("--" + name).trim();
	return {
		text: read("text"), quiet: read("quiet"), line: read("line"), ground: read("ground"),
		accent: read("accent"), warn: read("warn"), bad: read("bad"),
		series: [1, 2, 3, 4, 5, 6].map((i) => read("series-" + i)),
	};
}

// What all charts share; Chart.js animates by default, which a printer does not wait for.
function options(c, x, y) {
	const axis = (own) => ({
		...own,
		title: {display: Boolean(own.name), text: own.name, color: c.quiet},
		ticks: {color: c.quiet, maxRotation: 0, ...own.ticks},
		grid: {color: c.line, drawBorder: false, ...own.grid},
	});
	return {
		animation: false,
		responsive: true,
		maintainAspectRatio: false,
		scales: {x: axis(x), y: axis(y)},
		plugins: {
			legend: {
				position: "bottom",
				align: "start",
				labels: {color: c.text, usePointStyle: true, pointStyle: "line", padding: 12},
			},
		},
	};
}

function line(c, i, label, data) {
	return {
		label, data,
		borderColor: c.series[i % c.series.length],
		backgroundColor: c.series[i % c.series.length],
		borderDash: DASHES[Math.floor(i / c.series.length) % DASHES.length],
		borderWidth: 2, pointRadius: 0, pointHitRadius: 8,
	};
}

// Medians with their intervals. A backend none of whose runs was ok has a name and no bar.

const intervals = {
	id: "intervals",
	afterDatasetsDraw(chart, _, {rows, color}) {
		const {ctx, scales: {x}} = chart;
		ctx.save();
		ctx.strokeStyle = color;
		ctx.lineWidth = 1.5;
		ctx.beginPath();
		chart.getDatasetMeta(0).data.forEach((bar, i) => {
			if (rows[i].low === null || rows[i].high === null)
				return;
			const low = x.getPixelForValue(rows[i].low);
			const high = x.getPixelForValue(rows[i].high);
			for (const [x1, y1, x2, y2] of [[low, 0, high, 0], [low, -4, low, 4], [high, -4, high, 4]]) {
				ctx.moveTo(x1, bar.y + y1);
				ctx.lineTo(x2, bar.y + y2);
			}
		});
		ctx.stroke();
		ctx.restore();
	},
};

function shortened(name, most) {
	return name.length > most ? name.slice(0, most - 1) + "\u2026" : name;
}

function timesConfig(rows, c) {
	const color = (r) => r.ok === r.runs ? c.accent : r.ok ? c.warn : c.bad;
	const config = {
		type: "bar",
		data: {
			labels: rows.map((r) => [shortened(r.backend, 22), shortened(r.outcomes, 22)]),
			datasets: [{
				data: rows.map((r) => r.median_real_s),
				backgroundColor: rows.map(color),
				maxBarThickness: 22,
			}],
		},
		options: options(c, {name: "seconds", beginAtZero: true, suggestedMax: Math.max(0, ...rows.map((r) => r.high))},
			{ticks: {color: c.text, autoSkip: false}, grid: {display: false}}),
		plugins: [intervals],
	};
	config.options.indexAxis = "y";
	config.options.plugins.legend.display = false;
	config.options.plugins.intervals = {rows, color: c.text};
	return config;
}

function times(result) {
	const rows = result.summary.filter((r) => !r.unavailable)
		.map((r) => ({...r, outcomes: r.outcomes || "not run"}));
	const said = rows.map((r) => r.median_real_s === null ? `${r.backend}: ${r.outcomes}`
		: `${r.backend}: ${r.median_real_s.toFixed(1)} s`);
	return rows.length ? [{
		height: 60 + 52 * rows.length,
		label: "Median times. " + said.join("; "),
		config: (c) => timesConfig(rows, c),
	}] : [];
}

// The course of one run of each backend.

function typicalTrial(result, row) {
	const mine = result.trials.filter((t) => t.backend === row.backend && t.samples.length > 1);
	const ok = mine.filter((t) => t.outcome === "ok");
	const distance = (t) => Math.abs(t.net_s - row.median_real_s);
	return (ok.length ? ok : mine).sort((a, b) => distance(a) - distance(b))[0];
}

function courseConfig(trial, y, lines, c) {
	return {
		type: "line",
		data: {datasets: lines
			.map(([name, value], i) => line(c, i, name,
				trial.samples.map((s) => ({x: s.at_s, y: value(s)}))))
			.filter((d) => d.data.some((point) => point.y !== null))},
		options: options(c, {type: "linear", name: "seconds", beginAtZero: true, max: trial.samples.at(-1).at_s}, y),
	};
}

const mib = (bytes) => bytes === null ? null : bytes / MIB;
const MEMORY = [
	["usage", (s) => mib(s.usage_bytes)],
	["pool", (s) => mib(s.mem_used_bytes)],
	["limit", (s) => mib(s.limit_bytes)],
];
const CPU = [
	["user", (s) => s.user],
	["system", (s) => s.system],
	["iowait", (s) => s.iowait],
	["all wait for memory (PSI full)", (s) => s.psi_full],
];

function course(result) {
	const trials = result.summary.map((row) => typicalTrial(result, row)).filter(Boolean);
	// One scale for all, so that heights can be compared.
	const most = Math.max(0, ...trials.flatMap((t) => t.samples.flatMap((s) => MEMORY.map(([, value]) => value(s)))));
	return trials.flatMap((t) => {
		const run = `${t.backend}, run ${t.run} (${t.outcome})`;
		return [
			{
				height: 240, caption: run + ": memory",
				label: `Memory in MiB over time, ${run}; the highest usage was ${Math.round(mib(t.peak_bytes))} MiB`,
				config: (c) => courseConfig(t, {name: "MiB", min: 0, suggestedMax: most}, MEMORY, c),
			},
			{
				height: 240, caption: run + ": CPU and pressure",
				label: `CPU shares and memory pressure in percent over time, ${run}`,
				config: (c) => courseConfig(t, {name: "%", min: 0, max: 100}, CPU, c),
			},
		];
	});
}

// Frame times: bucket b of a histogram holds frames up to 2^(b / 4) ms; the last one, all above.

const bucketMs = (b) => 2 ** (b / 4);

function histogram(result, row) {
	const sum = [];
	for (const t of result.trials)
		if (t.backend === row.backend && t.outcome === "ok")
			t.frame_histogram.forEach((n, b) => { sum[b] = (sum[b] || 0) + n; });
	return sum;
}

// 0 can't be on a logarithmic scale, so that lines are broken there; hence the points.
function framesConfig(rows, c) {
	const total = (h) => h.reduce((a, b) => a + b, 0);
	const used = rows.flatMap(({counts}) => counts.flatMap((n, b) => n ? [b] : []));
	const range = {min: bucketMs(Math.min(...used) - 1), max: bucketMs(Math.max(...used) + 1)};
	return {
		type: "line",
		data: {datasets: rows.map(({name, counts}, i) => ({
			...line(c, i, shortened(name, 40), counts.map((n, b) => ({x: bucketMs(b), y: n ? 100 * n / total(counts) : null}))),
			pointRadius: 3,
		}))},
		options: options(c, {type: "logarithmic", name: "ms a frame", ...range, ticks: {callback: plain}},
			{type: "logarithmic", name: "% of frames", ticks: {callback: plain}}),
	};
}

// Of a logarithmic scale only 1, 2, 5, 10, 20, 50: the rest crowds.
function plain(value) {
	const rounded = Number(value.toPrecision(3));
	return /^[125]e/.test(rounded.toExponential()) ? String(rounded) : "";
}

function frames(result) {
	const rows = result.summary.map((row) => ({name: row.backend, counts: histogram(result, row)}))
		.filter(({counts}) => counts.some(Boolean));
	return rows.length ? [{
		height: 340,
		label: "Frame times. " + result.summary.filter((r) => r.frame_ns_p99 !== null)
			.map((r) => `${r.backend}: p99 ${(r.frame_ns_p99 / 1e6).toFixed(1)} ms`).join("; "),
		config: (c) => framesConfig(rows, c),
	}] : [];
}

// Their places on the page, and drawing.

const drawn = {id: "drawn", afterDraw(chart) { chart.canvas.dataset.drawn = "true"; }};
const makers = {times, frames, course};
const charts = [];

function place(section) {
	const list = makers[section.dataset.charts](results[section.dataset.result]);
	const grid = section.appendChild(document.createElement("div"));
	grid.className = list.length > 1 ? "grid" : "";
	for (const chart of list) {
		const figure = grid.appendChild(document.createElement("figure"));
		if (chart.caption)
			figure.appendChild(document.createElement("figcaption")).textContent = chart.caption;
		const plot = figure.appendChild(document.createElement("div"));
		plot.className = "plot";
		plot.style.height = chart.height + "px";
		chart.canvas = plot.appendChild(document.createElement("canvas"));
		chart.canvas.setAttribute("role", "img");
		chart.canvas.setAttribute("aria-label", chart.label);
		charts.push(chart);
	}
	section.hidden = list.length === 0;
}

function draw() {
	const c = colors();
	Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
	for (const chart of charts) {
		chart.instance?.destroy();
		chart.instance = new Chart(chart.canvas, chart.config(c));
	}
}

function drawOnPaper(paper) {
	document.documentElement.classList.toggle("paper", paper);
	draw();
}

Chart.register(drawn);
document.querySelectorAll("[data-charts]").forEach(place);
draw();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
addEventListener("beforeprint", () => drawOnPaper(true));
addEventListener("afterprint", () => drawOnPaper(false));

})();
