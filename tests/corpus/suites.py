#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs public suites of programs with known bugs under `hostwarp check` and prints, for each kind of bug, what was found.

usage: suites.py --build BUILD [--sample N] [--seed S] [--limit SECONDS] [--jobs N] SUITE FOLDER [PATTERN]

FOLDER is where somebody put the suite; nothing of it is in this repository.
  indigo    github.com/burtscher/IndigoSuite, the folder that its generate_suite.py made (CUDA/, include/, inputs/)
  scor      github.com/csl-iisc/ScoR
  samples   github.com/NVIDIA/compute-sanitizer-samples
  any       programs whose names begin with race or norace, or any others: those are expected to be clean
A program is expected to be clean, racy, or out of bounds, as its name says. Found is a report of that kind; a report on a clean program is a false alarm.
"""
import argparse
import collections
import concurrent.futures
import fnmatch
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile

RACY, BOUNDS, CLEAN, OTHER = 'racy', 'bounds only', 'clean', 'other'
NAME = re.compile(r'^hostwarp check: .*\[([a-z.-]+)\]', re.M)


def indigo(top):
    graph = next(iter(sorted(top.glob('inputs/DAG/DAG_100n_200e.egr'))), None)
    if not graph:
        sys.exit(f'{top}: no inputs/DAG/DAG_100n_200e.egr')
    for path in sorted(top.glob('CUDA/**/*.cu')):
        words = path.stem.split('_')
        racy = any(w in words for w in ('atomicBug', 'guardBug', 'syncBug', 'raceBug'))
        yield path, RACY if racy else BOUNDS if 'boundsBug' in words else CLEAN, ['-I', top / 'include'], [graph, '256', '4']


def scor(top):
    for path in sorted(top.glob('microbenchmarks/src/*.cu')):
        yield path, CLEAN if path.stem.startswith('norace') else RACY, [], []


def samples(top):
    kinds = {'Racecheck': RACY, 'Memcheck': BOUNDS}
    for path in sorted(top.glob('*/*.cu')):
        yield path, kinds.get(path.parent.name, OTHER), [], []


def plain(top):
    for path in sorted(top.glob('**/*.cu')):
        yield path, RACY if path.stem.startswith('race') else CLEAN, [], []


SUITES = {'indigo': indigo, 'scor': scor, 'samples': samples, 'any': plain}


def look(path, kind, options, args, work):
    """What is said of one program: (result, names of reports)."""
    program = work / re.sub(r'\W', '_', str(path))
    hostwarp = a.build / 'bin/hostwarp'
    try:
        p = subprocess.run([hostwarp, 'cc', '-std=c++17', '-g', '-lineinfo', *options, '-o', program, path], capture_output=True, text=True, errors='replace', timeout=300)
        if p.returncode:
            return 'does not build', set()
        p = subprocess.run([hostwarp, 'check', program, *args], capture_output=True, text=True, errors='replace', timeout=a.limit)
    except subprocess.TimeoutExpired:
        return 'time out', set()
    finally:
        program.unlink(missing_ok=True)
    names = set(NAME.findall(p.stderr))
    if kind == CLEAN:
        return 'false alarm' if names else 'silent', names
    wanted = {RACY: 'race.', BOUNDS: 'memory.', OTHER: ''}[kind]
    return 'found' if any(n.startswith(wanted) for n in names) else 'another report' if names else 'missed', names


def main():
    table = collections.defaultdict(collections.Counter)
    programs = [p for p in SUITES[a.suite](a.folder) if fnmatch.fnmatch(p[0].name, a.pattern)]
    if a.sample and a.sample < len(programs):
        programs = sorted(random.Random(a.seed).sample(programs, a.sample), key=lambda p: p[0])
    with tempfile.TemporaryDirectory(prefix='hostwarp-suites-') as work, concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        jobs = [(p, pool.submit(look, *p, pathlib.Path(work))) for p in programs]
        for (path, kind, _, _), job in jobs:
            result, names = job.result()
            table[kind][result] += 1
            if result not in ('found', 'silent'):
                print(f'{result}: {path} ({kind}) {" ".join(sorted(names))}', flush=True)
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
parser.add_argument('suite', choices=SUITES)
parser.add_argument('folder', type=pathlib.Path)
parser.add_argument('pattern', nargs='?', default='*')
a = parser.parse_args()
a.build = a.build.resolve()
sys.exit(main())
