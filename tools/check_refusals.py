#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that calls are refused with a reason: an error that is returned without hw_refuse() (src/base/log.h) tells a user nothing.

usage: check_refusals.py [--list]      Exit status 1 when a function of core or driver returns an error without one, or when more than MOST variables are set to an
error without one (in the runtime, whose refusals mostly are the driver's: or return one). Fewer: lower the number, so that it stays so.
"""
import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent
MOST = {'src/driver': 37, 'src/core': 30, 'src/runtime': 3}
# Answers that are no refusals, or that say all there is to say.
FINE = 'NOT_READY', 'NOT_INITIALIZED', 'DEINITIALIZED'
FINE_FILES = 'src/core/sched/fault.c',           # a table: faults of kernels, which are told elsewhere
RETURNED = re.compile(r'\breturn\b.*\bCUDA_ERROR_(\w+)')
SET = re.compile(r'(?:\brc = |\breturn cudaError[A-Z]|\? cudaError[A-Z]|: cudaError[A-Z]|^\s*[?:] )(?:.*\bCUDA_ERROR_(\w+))?')


def bare(folder):
    """(returned?, place) of each error that has no reason."""
    for path in sorted((TREE / folder).rglob('*.c')):
        name = str(path.relative_to(TREE))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            m = RETURNED.search(line) or SET.search(line)
            error = m and (m[1] or ('runtime' in folder and 'cudaError' in m[0]))
            if error and 'hw_refuse' not in line and error not in FINE and name not in FINE_FILES:
                yield 'return' in line and 'runtime' not in folder, f'{name}:{number}: {line.strip()}'


bad = 0
for folder, most in MOST.items():
    found = list(bare(folder))
    if '--list' in sys.argv:
        print('\n'.join(place for _, place in found))
    returned = [place for is_return, place in found if is_return]
    for place in returned:
        print(f'{place}\n    needs a reason: return hw_refuse(CUDA_ERROR_..., "why", ...)')
    if returned or len(found) != most:
        print(f'{folder}: {len(found)} errors without a reason, {most} are noted in {pathlib.Path(__file__).name}: ' + ('give the new ones one' if len(found) > most else 'lower that number'))
        bad = 1
print('refusals have reasons, or are counted' if not bad else '')
sys.exit(bad)
