#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks habits of the tree: an SPDX line on every file of ours, no overlong files, no NVIDIA file by accident.

usage: check_tree.py
"""
import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = 'src', 'include', 'bench', 'tests', 'tools', 'examples'
ENDINGS = '.c', '.h', '.hpp', '.def', '.cu', '.cpp', '.py', '.build'
EXEMPT = 'tests/golden', 'tests/op'          # the lines of the former are counted, the latter are data
TOO_LONG = 1500
FOREIGN = re.compile(r'NVIDIA Corporation|LicenseRef-NvidiaProprietary|NOTICE TO LICENSEE')


def problems():
    for folder in FOLDERS:
        for path in sorted((TREE / folder).rglob('*')):
            name = str(path.relative_to(TREE))
            if not path.is_file() or path.suffix not in ENDINGS:
                continue
            text = path.read_text(errors='replace')
            if 'SPDX-License-Identifier: Apache-2.0' not in text[:300] and not name.startswith(EXEMPT):
                yield f'{name}: no SPDX line at the top'
            if path.suffix == '.c' and folder == 'src' and text.count('\n') > TOO_LONG:
                yield f'{name}: {text.count(chr(10))} lines; past {TOO_LONG} a file usually holds two subjects'
            if FOREIGN.search(text) and path.name != 'check_tree.py':
                yield f'{name}: holds text that is not ours'


found = list(problems())
print('\n'.join(found) if found else 'the tree is in order')
sys.exit(1 if found else 0)
