#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that calls are refused with a reason: an error that is returned without hw_refuse() (src/base/log.h) tells a user nothing.

usage: check_refusals.py      Exit status 1 when a function of core, driver or runtime answers an error without a reason. A line whose comment ends with "has said why"
hands on an error for which the reason was given further down.
"""
import pathlib
import re
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent
FOLDERS = 'src/driver', 'src/core', 'src/runtime'
# Answers that are no refusals, or that say all there is to say.
FINE = 'NOT_READY', 'NOT_INITIALIZED', 'DEINITIALIZED'
FINE_FILES = 'src/core/sched/fault.c', 'src/runtime/errors.c'        # tables: faults of kernels, which are told elsewhere; one API's errors as the other's
COMPARED = re.compile(r'[!=]= *(CUDA_ERROR|cudaError)\w+')
RETURNED = re.compile(r'\breturn\b.*\bCUDA_ERROR_(\w+)')
SET = re.compile(r'(?:\brc = |\breturn cudaError[A-Z]|\? cudaError[A-Z]|: cudaError[A-Z]|^\s*[?:] )(?:.*\bCUDA_ERROR_(\w+))?')


def bare(folder):
    """The place of each error that has no reason."""
    for path in sorted((TREE / folder).rglob('*.c')):
        name = str(path.relative_to(TREE))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            code = COMPARED.sub('', line)
            m = RETURNED.search(code) or SET.search(code)
            error = m and (m[1] or ('runtime' in folder and 'cudaError' in m[0]))
            if error and 'hw_refuse' not in line and not line.endswith('has said why */') and error not in FINE and name not in FINE_FILES:
                yield f'{name}:{number}: {line.strip()}'


found = [place for folder in FOLDERS for place in bare(folder)]
for place in found:
    print(f'{place}\n    needs a reason: hw_refuse(CUDA_ERROR_..., "why", ...)')
print('' if found else 'every refusal has a reason')
sys.exit(1 if found else 0)
