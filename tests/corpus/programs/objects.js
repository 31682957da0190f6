// SPDX-License-Identifier: GPL-2.0-or-later
//
// A source index, as a bundler holds it: the JavaScript that node carries inside itself, and C
// headers where that runs out, cut into tokens with their places, an inverted index of
// identifiers, and each module's record as JSON and parsed back.
//
// usage: objects.js MIB: grows to that much private memory, prints "ready", keeps it until its input ends.
'use strict';
const fs = require('fs');
const path = require('path');

function privateMib() {
	const m = /^RssAnon:\s*(\d+)/m.exec(fs.readFileSync('/proc/self/status', 'latin1'));
	return Math.floor(Number(m[1]) / 1024);
}

function* nodeSources() {
	let natives = {};
	try {
		natives = process.binding('natives');
	} catch {
		// A later node may no longer show them; the headers below still do.
	}
	for (const name of Object.keys(natives).sort())
		if (typeof natives[name] === 'string')
			yield [name, natives[name]];
}

function* headers(folder) {
	const entries = fs.readdirSync(folder, {withFileTypes: true});
	entries.sort((a, b) => (a.name < b.name ? -1 : 1));
	for (const e of entries) {
		const name = path.join(folder, e.name);
		if (e.isDirectory())
			yield* headers(name);
		else if (e.isFile() && e.name.endsWith('.h'))
			yield [name, fs.readFileSync(name, 'latin1')];
	}
}

const TOKEN = /(?<comment>\/\/[^\n]*|\/\*[^]*?\*\/)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<name>[A-Za-z_$][\w$]*)|(?<number>\d[\w.]*)|(?<mark>[^\s\w])/g;

class Index {
	constructor() {
		this.modules = new Map();
		this.uses = new Map();
	}

	add(name, text) {
		const module = {name, size: text.length, tokens: [], imports: [], comments: 0};
		let line = 1, from = 0;
		for (const m of text.matchAll(TOKEN)) {
			for (let at = text.indexOf('\n', from); at >= 0 && at < m.index; at = text.indexOf('\n', from)) {
				line++;
				from = at + 1;
			}
			this.token(module, m, line, m.index - from);
		}
		module.manifest = JSON.parse(JSON.stringify(
			{name, imports: module.imports, lines: line, exports: module.tokens.slice(-8)}));
		this.modules.set(name, module);
	}

	token(module, m, line, column) {
		const type = Object.keys(m.groups).find((k) => m.groups[k] !== undefined);
		if (type === 'comment') {
			module.comments++;
			return;
		}
		const token = {type, value: m[0], loc: {line, column}};
		module.tokens.push(token);
		if (type === 'string')
			module.imports.push(m[0].slice(1, -1));
		if (type !== 'name')
			return;
		let places = this.uses.get(m[0]);
		if (!places)
			this.uses.set(m[0], places = []);
		places.push(module.name + ':' + line);
	}
}

function* sources() {
	yield* nodeSources();
	yield* headers('/usr/include');
}

const target = Number(process.argv[2]);
const index = new Index();
for (let edition = 0; privateMib() < target; edition++)
	for (const [name, text] of sources()) {
		index.add(edition ? name + '#' + edition : name, text);
		if (privateMib() >= target)
			break;
	}
console.log('ready');
process.stdin.resume();
process.stdin.on('end', () => process.exit(index.modules.size ? 0 : 1));
