#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that calls are refused with a reason: `return CUDA_ERROR_...` without hw_refuse() (src/base/log.h) tells a user nothing.

usage: check_refusals.py [--list]      Exit status 1 when a folder has more of them than below. Fewer: lower the number, so that it stays so.
"""
import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent
MOST = {'src/driver': 172, 'src/core': 128}
# Answers that are no refusals, or that say all there is to say.
FINE = 'NOT_READY', 'NOT_INITIALIZED', 'DEINITIALIZED'
BARE = re.compile(r'\breturn\b.*\bCUDA_ERROR_(\w+)')


def bare(folder):
    for path in sorted((TREE / folder).rglob('*.c')):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            m = BARE.search(line)
            if m and 'hw_refuse' not in line and m[1] not in FINE:
                yield f'{path.relative_to(TREE)}:{number}: {line.strip()}'


bad = 0
for folder, most in MOST.items():
    found = list(bare(folder))
    if '--list' in sys.argv:
        print('\n'.join(found))
    if len(found) != most:
        print(f'{folder}: {len(found)} refusals without a reason, {most} are noted in {pathlib.Path(__file__).name}: '
              + ('give the new ones one: return hw_refuse(CUDA_ERROR_..., "why", ...)' if len(found) > most else 'lower that number'))
        bad = 1
print('refusals have reasons, or are counted' if not bad else '')
sys.exit(bad)
