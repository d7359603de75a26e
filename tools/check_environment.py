#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/environment.md lists every HOSTWARP_* variable as src/base/options.def has it.

usage: check_environment.py [--update]
"""
import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'^OPT\((\w+),\s*(\w+),\s*"(\w+)",\s*(.*?),\s*"(.*)"\)$', re.M)
BEGIN, END = '<!-- begin table: tools/check_environment.py --update -->\n', '<!-- end table -->\n'
KINDS = {'INT': 'number', 'SIZE': 'size', 'STR': 'text', 'FLAG': '0 or 1'}


def table():
    rows = ['| variable | kind | default | meaning |', '|---|---|---|---|']
    for kind, _, name, default, text in ROW.findall((TREE / 'src/base/options.def').read_text()):
        default = default.strip('"')
        rows.append(f'| `{name}` | {KINDS[kind]} | {f"`{default}`" if default else "(empty)"} | {text} |')
    return '\n'.join(rows) + '\n'


def main():
    page = TREE / 'docs/environment.md'
    text = page.read_text()
    before, rest = text.split(BEGIN)
    old, after = rest.split(END)
    if '--update' in sys.argv:
        page.write_text(before + BEGIN + table() + END + after)
    elif old != table():
        print('docs/environment.md is not up to date; run tools/check_environment.py --update')
        return 1
    print(f'{len(table().splitlines()) - 2} variables are documented')
    return 0


sys.exit(main())
