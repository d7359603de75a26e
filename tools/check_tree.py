#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks habits of the tree: an SPDX line on every file of ours, no overlong files or functions, no word that was retired, no NVIDIA file by accident.

usage: check_tree.py
"""
import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = 'src', 'include', 'bench', 'tests', 'tools', 'examples', 'share'
ENDINGS = '.c', '.h', '.hpp', '.def', '.cu', '.cpp', '.py', '.build', '.html', '.js'
EXEMPT = 'tests/golden', 'tests/op'          # the lines of the former are counted, the latter are data
FOREIGN = re.compile(r'NVIDIA Corporation|LicenseRef-NvidiaProprietary|NOTICE TO LICENSEE')

FILE_LINES, FUNCTION_LINES = 700, 60
# Tests that are longer today, and may not grow. When one is shorter, it leaves this list.
LONG_FILES = {'tests/unit/test_jit.c': 1080, 'tests/oracle/probes/ops.cu': 1108}
# Declarations of CUDA's interface, and test vectors: tables, however long.
TABLES = 'include/', 'tests/op/', 'tests/golden/'

# Names that were given up (docs/glossary.md has the words of the pages): they are not to come back.
RETIRED = ('abreast', 'whole share', 'brief store', 'past_cache_store', 'sched_direct', 'sched_values_done', 'struct turn', 'pass/across', 'pass/ahead', 'jit/walked')


def functions(text):
    """(line, length) of each body that begins and ends at the left margin."""
    start = None
    for number, line in enumerate(text.split('\n'), 1):
        if line == '{':
            start = number
        elif line == '}' and start:
            yield start, number - start - 1
            start = None


def too_long(name, text):
    lines, most = text.count('\n'), LONG_FILES.get(name, FILE_LINES)
    if lines > most:
        yield f'{name}: {lines} lines; past {most} a file usually holds two subjects'
    if name in LONG_FILES and lines <= FILE_LINES:
        yield f'{name}: {lines} lines are not too many any more: take it off the list in check_tree.py'
    for start, length in functions(text) if name.startswith('src/') else ():
        if length > FUNCTION_LINES:
            yield f'{name}:{start}: a function of {length} lines; {FUNCTION_LINES} are the most'


def retired(name, text):
    for word in RETIRED:
        m = re.search(rf'\b{word}\b', text)
        if m:
            yield f'{name}:{text.count(chr(10), 0, m.start()) + 1}: "{word}" is a name that was given up (docs/glossary.md)'


def problems():
    for folder in FOLDERS:
        for path in sorted((TREE / folder).rglob('*')):
            name = str(path.relative_to(TREE))
            if not path.is_file() or path.suffix not in ENDINGS:
                continue
            text = path.read_text(errors='replace')
            if 'SPDX-License-Identifier: Apache-2.0' not in text[:300] and not name.startswith(EXEMPT):
                yield f'{name}: no SPDX line at the top'
            if path.suffix not in ('.def', '.build') and not name.startswith(TABLES):
                yield from too_long(name, text)
            if folder == 'src':
                yield from retired(name, text)
            if FOREIGN.search(text) and path.name != 'check_tree.py':
                yield f'{name}: holds text that is not ours'


found = list(problems())
print('\n'.join(found) if found else 'the tree is in order')
sys.exit(1 if found else 0)
