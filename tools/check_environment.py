#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that docs/environment.md lists every variable as src/base/options.def (HOSTWARP_*) and src/base/cuda_env.def (CUDA_*) have it.

usage: check_environment.py [--update]
"""
import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent
ROW = re.compile(r'^OPT\((\w+),\s*(\w+),\s*"(\w+)",\s*(.*?),\s*"([^"]*)"(?:,\s*"([^"]*)")?\)$', re.M)
CUDA_ROW = re.compile(r'^CUDA_VAR\((\w+),\s*(\w+),\s*"(\w+)",\s*"(.*?)",\s*"(.*)"\)$', re.M)
IDLE_ROW = re.compile(r'^CUDA_VAR_IDLE\("(\w+)",\s*"(.*)"\)$', re.M)
END = '<!-- end table -->\n'
KINDS = {'INT': 'number', 'SIZE': 'size', 'STR': 'text', 'FLAG': '0 or 1'}


def values_text(kind, values):
    if '..' in values:
        return 'number, ' + values.replace('..', ' to ')
    words = values.lstrip(',').split('|')
    return ('list of ' if values.startswith(',') else '') + ', '.join(words) if values else KINDS[kind]


def table():
    rows = ['| variable | values | default | meaning |', '|---|---|---|---|']
    for kind, _, name, default, text, values in ROW.findall((TREE / 'src/base/options.def').read_text()):
        default = default.strip('"')
        rows.append(f'| `{name}` | {values_text(kind, values)} | {f"`{default}`" if default else "(empty)"} | {text} |')
    return '\n'.join(rows) + '\n'


def cuda_table():
    rows = ['| variable | values | effect |', '|---|---|---|']
    rows += [f'| `{name}` | {values} | {text} |' for _, _, name, values, text in CUDA_ROW.findall((TREE / 'src/base/cuda_env.def').read_text())]
    return '\n'.join(rows) + '\n'


def idle_table():
    rows = ['| variable | why it changes nothing |', '|---|---|']
    rows += [f'| `{name}` | {text} |' for name, text in IDLE_ROW.findall((TREE / 'src/base/cuda_env.def').read_text())]
    return '\n'.join(rows) + '\n'


TABLES = {'table': table, 'driver': cuda_table, 'idle': idle_table}


def main():
    page = TREE / 'docs/environment.md'
    text = now = page.read_text()
    n = 0
    for name, make in TABLES.items():
        begin = f'<!-- begin {name}: tools/check_environment.py --update -->\n'
        before, rest = now.split(begin)
        now = before + begin + make() + END + rest.split(END, 1)[1]
        n += len(make().splitlines()) - 2
    if '--update' in sys.argv:
        page.write_text(now)
    elif now != text:
        print('docs/environment.md is not up to date; run tools/check_environment.py --update')
        return 1
    print(f'{n} variables are documented')
    return 0


sys.exit(main())
