#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs with known bugs under `hostwarp check` and prints, for each kind of bug, what was found.

usage: suites.py --build BUILD [--sample N] [--seed S] [--limit SECONDS] [--jobs N] FOLDER LIST [PATTERN]

FOLDER is where somebody put the programs; nothing of them is in this repository. LIST says what is expected of them, a line for each program:
  KIND FILE [| options of cc [| options of check [| arguments [| arguments of a second try ...]]]]
KIND is clean, racy, bounds, hazard or other. Found is a report of that kind; a report on a clean program is a false alarm. Lines that begin with # are not read.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import os
import pathlib
import random
import re
import shlex
import subprocess
import sys
import tempfile

CLEAN = 'clean'
WANTED = {CLEAN: '', 'racy': 'race.', 'bounds': 'memory.', 'hazard': 'hazard.', 'other': ''}
NAME = re.compile(r'^hostwarp check: .*\[([a-z.-]+)\]', re.M)


def read_list(path, top):
    for line in path.read_text().splitlines():
        if not line.strip() or line.startswith('#'):
            continue
        head, *more = [shlex.split(part) for part in line.split('|')]
        if len(head) != 2 or head[0] not in WANTED:
            sys.exit(f'{path}: not KIND FILE: {line}')
        options, extras, *inputs = more + [[]] * (2 - len(more))
        yield top / head[1], head[0], options, extras, inputs or [[]]


def look(path, kind, options, extras, inputs, work):
    """What is said of one program: (result, names of reports). Inputs are tried until it is found."""
    program = work / re.sub(r'\W', '_', str(path) + ' '.join(map(str, options)))
    hostwarp = a.build / 'bin/hostwarp'
    names = set()
    try:
        p = subprocess.run([hostwarp, 'cc', '-std=c++17', '-g', '-lineinfo', *options, '-o', program, path], capture_output=True, text=True, errors='replace', timeout=300)
        if p.returncode:
            return 'does not build', names
        for args in inputs:
            p = subprocess.run([hostwarp, 'check', *extras, program, *args], capture_output=True, text=True, errors='replace', timeout=a.limit)
            names |= set(NAME.findall(p.stderr))
            if kind != CLEAN and any(n.startswith(WANTED[kind]) for n in names):
                return 'found', names
    except subprocess.TimeoutExpired:
        return 'time out', names
    finally:
        program.unlink(missing_ok=True)
    if kind == CLEAN:
        return 'false alarm' if names else 'silent', names
    return 'another report' if names else 'missed', names


def main():
    table = collections.defaultdict(collections.Counter)
    programs = [p for p in read_list(a.list, a.folder) if fnmatch.fnmatch(p[0].name, a.pattern)]
    if a.sample and a.sample < len(programs):
        programs = sorted(random.Random(a.seed).sample(programs, a.sample), key=lambda p: p[0])
    with tempfile.TemporaryDirectory(prefix='hostwarp-suites-') as work, concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        jobs = [(p, pool.submit(look, *p, pathlib.Path(work))) for p in programs]
        for (path, kind, options, _, _), job in jobs:
            result, names = job.result()
            table[kind][result] += 1
            if result not in ('found', 'silent'):
                print(f'{result}: {path} {" ".join(o for o in options if str(o).startswith("-D"))} ({kind}) {" ".join(sorted(names))}', flush=True)
    print('\n| expected | programs | ' + ' | '.join(sorted({r for t in table.values() for r in t})) + ' |')
    results = sorted({r for t in table.values() for r in t})
    print('|---|---:|' + '---:|' * len(results))
    for kind, t in sorted(table.items()):
        print(f'| {kind} | {sum(t.values())} | ' + ' | '.join(str(t[r]) for r in results) + ' |')
    return any(t['missed'] or t['false alarm'] for t in table.values())


parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
parser.add_argument('--build', type=pathlib.Path, required=True)
parser.add_argument('--sample', type=int, default=0, help='as many, chosen by chance')
parser.add_argument('--seed', type=int, default=1)
parser.add_argument('--limit', type=float, default=120, help='seconds for a run')
parser.add_argument('--jobs', type=int, default=os.cpu_count())
parser.add_argument('folder', type=pathlib.Path)
parser.add_argument('list', type=pathlib.Path)
parser.add_argument('pattern', nargs='?', default='*')
a = parser.parse_args()
a.build = a.build.resolve()
sys.exit(main())
