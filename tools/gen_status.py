#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/status.md from the tables: which functions and PTX forms work, and which are only known.

usage: gen_status.py [--check]     --check: write nothing; exit status 1 when docs/status.md is not what would be written
"""
import collections
import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent
OUT = TREE / 'docs/status.md'
ROW = re.compile(r'^(API|QUICK|STUB|SAME|HAND)\s*\(\s*(\w+)\s*,\s*(\w+)\s*(?:,\s*(\w+))?')
FORM = re.compile(r'^(FORM|FORM_TODO)\s*\(\s*(\w+)\s*,\s*"([^"]*)"\s*,\s*"([^"]*)"\s*,\s*"([^"]*)"')
SECTION = re.compile(r'^/\*\s*(.+?)\s*\*/\s*$')


def read_functions(path):
    """Sections in order, each a list of (symbol, works). A SAME row works when the row of its body does."""
    sections, title, kinds, same = collections.OrderedDict(), 'Functions', {}, {}
    for line in path.read_text().splitlines():
        heading = SECTION.match(line)
        if heading and 'SPDX' not in line:
            title = heading.group(1)
        row = ROW.match(line)
        if row:
            kind, _, symbol, other = row.groups()
            kinds[symbol] = kind
            if kind == 'SAME':
                same[symbol] = other
            sections.setdefault(title, []).append(symbol)

    def works(symbol):
        seen = set()
        while symbol in same and symbol not in seen:
            seen.add(symbol)
            symbol = same[symbol]
        return kinds.get(symbol) in ('API', 'QUICK', 'HAND')

    return {title: [(s, works(s)) for s in symbols] for title, symbols in sections.items()}


def read_forms(path):
    forms = collections.OrderedDict()
    for line in path.read_text().splitlines():
        row = FORM.match(line)
        if row:
            kind, _, op, modifiers, types = row.groups()
            text = f'`{op}{modifiers}`' + (f' {types.replace("|", " ")}' if types else '')
            forms.setdefault(op, []).append((text, kind == 'FORM'))
    return forms


def wrap(names):
    return ', '.join(f'`{n}`' for n in names)


def twins(symbols):
    """Per-thread twins follow their plain symbol and say nothing new in a list."""
    return [s for s in symbols if not re.search(r'_pt[ds][sz]$', s)]


def function_part(title, library, path):
    sections = read_functions(path)
    rows = [row for section in sections.values() for row in section]
    done = sum(works for _, works in rows)
    lines = [f'## {title}', '', f'`{library}` exports {len(rows)} symbols; {done} work, {len(rows) - done} answer "not supported".', '',
             '| group | work | of |', '|---|---:|---:|']
    lines += [f'| {name} | {sum(w for _, w in section)} | {len(section)} |' for name, section in sections.items()]
    for name, section in sections.items():
        lines += ['', f'### {name}', '']
        yes, no = twins(s for s, w in section if w), twins(s for s, w in section if not w)
        if yes:
            lines += [f'Works: {wrap(yes)}', '']
        if no:
            lines += [f'Not yet: {wrap(no)}', '']
        lines.pop()
    return lines + ['']


def form_part(path):
    forms = read_forms(path)
    rows = [row for op in forms.values() for row in op]
    done = sum(works for _, works in rows)
    lines = ['## PTX', '', f'{len(rows)} instruction forms are known; {done} run, {len(rows) - done} are refused when a module is loaded.',
             '', '| instruction | forms that run | refused |', '|---|---|---|']
    for op, section in forms.items():
        cells = [', '.join(t.replace('|', '\\|') for t, w in section if w == want) or ' ' for want in (True, False)]
        lines.append(f'| `{op}` | {cells[0]} | {cells[1]} |')
    return lines + ['']


def render():
    lines = ['# Status', '', 'Made by `tools/gen_status.py` from the tables in `src/`; do not edit.', '']
    for title, library, path in (('Driver API', 'libcuda.so.1', TREE / 'src/driver/driver.def'),
                                 ('Runtime API', 'libcudart', TREE / 'src/runtime/runtime.def')):
        if path.exists():
            lines += function_part(title, library, path)
    forms = TREE / 'src/ptx/forms.def'
    if forms.exists():
        lines += form_part(forms)
    return '\n'.join(lines).rstrip() + '\n'


def main():
    text = render()
    if '--check' in sys.argv[1:]:
        if not OUT.exists() or OUT.read_text() != text:
            print(f'{OUT.relative_to(TREE)} is out of date: run tools/gen_status.py')
            return 1
        return 0
    OUT.write_text(text)
    return 0


sys.exit(main())
