# SPDX-License-Identifier: GPL-2.0-or-later
"""A code index, as a linter or an editor's language server holds it: the standard library's own
sources parsed to syntax trees, with the lines, the names and where each is used, and a JSON record
of every definition. Real identifiers and real text: random letters compress like nothing that a
person runs.

usage: objects.py MIB: grows to that much private memory, prints "ready", keeps it until its input ends.
"""
import ast
import gc
import json
import os
import sys


def private_mib():
    with open("/proc/self/status") as status:
        for line in status:
            if line.startswith("RssAnon:"):
                return int(line.split()[1]) // 1024
    sys.exit("objects.py: no RssAnon in /proc/self/status")


def sources():
    top = os.path.dirname(os.__file__)
    for folder, subfolders, names in os.walk(top):
        subfolders[:] = sorted(s for s in subfolders if not s.endswith("-packages"))
        for name in sorted(names):
            if name.endswith(".py"):
                yield os.path.join(folder, name)


class Index:
    def __init__(self):
        self.modules = {}
        self.uses = {}
        self.definitions = []

    def add(self, path, edition):
        with open(path, encoding="utf-8", errors="replace") as source:
            text = source.read()
        try:
            tree = ast.parse(text, path)
        except (SyntaxError, ValueError):
            return
        module = {"path": path, "edition": edition, "lines": text.splitlines(), "tree": tree}
        self.modules[edition, path] = module
        for node in ast.walk(tree):
            if isinstance(node, ast.Name):
                self.uses.setdefault(node.id, []).append((path, node.lineno, node.col_offset))
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self.define(path, node)

    def define(self, path, node):
        record = {
            "name": node.name,
            "kind": type(node).__name__,
            "path": path,
            "line": node.lineno,
            "doc": ast.get_docstring(node),
            "decorators": [ast.unparse(d) for d in node.decorator_list],
        }
        if isinstance(node, ast.FunctionDef):
            record["arguments"] = [a.arg for a in node.args.args]
        self.definitions.append((record, json.dumps(record)))


def main():
    target = int(sys.argv[1])
    index = Index()
    edition = 0
    while private_mib() < target:
        for path in sources():
            index.add(path, edition)
            if private_mib() >= target:
                break
        edition += 1
    gc.collect()
    print("ready", flush=True)
    sys.stdin.read()
    return len(index.modules)


main()
