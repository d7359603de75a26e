#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs public suites of programs with known bugs under `hostwarp check` and prints, for each kind of bug, what was found.

usage: suites.py --build BUILD [--sample N] [--seed S] [--limit SECONDS] [--jobs N] SUITE FOLDER [PATTERN]

FOLDER is where somebody put the suite; nothing of it is in this repository.
  indigo    github.com/burtscher/IndigoSuite, the folder that its generate_suite.py made (CUDA/, include/, inputs/). What a run need not show with one graph
            and 4 blocks is looked for with a second one and a block for each vertex
  scor      github.com/csl-iisc/ScoR; volatile accesses count as plain ones there (--also volatile)
  samples   github.com/NVIDIA/compute-sanitizer-samples
  cusan     github.com/tudasc/cusan: the programs of test/runtime that need no MPI, each as it is and with -DCUSAN_SYNC
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

RACY, BOUNDS, HAZARD, CLEAN, OTHER = 'racy', 'bounds only', 'hazard', 'clean', 'other'
NAME = re.compile(r'^hostwarp check: .*\[([a-z.-]+)\]', re.M)


def indigo(top):
    graphs = [top / 'inputs/DAG/DAG_100n_200e.egr', top / 'inputs/power_law/power_law_100n_200e.egr']
    for graph in graphs:
        if not graph.exists():
            sys.exit(f'{graph} is not there')
    for path in sorted(top.glob('CUDA/**/*.cu')):
        words = path.stem.split('_')
        racy = any(w in words for w in ('atomicBug', 'guardBug', 'syncBug', 'raceBug'))
        yield path, RACY if racy else BOUNDS if 'boundsBug' in words else CLEAN, ['-I', top / 'include'], [], [[graphs[0], '256', '4'], [graphs[1], '256', '100']]


def scor(top):
    for path in sorted(top.glob('microbenchmarks/src/*.cu')):
        yield path, CLEAN if path.stem.startswith('norace') else RACY, [], ['--also', 'volatile'], [[]]


def samples(top):
    kinds = {'Racecheck': RACY, 'Memcheck': BOUNDS}
    for path in sorted(top.glob('*/*.cu')):
        yield path, kinds.get(path.parent.name, OTHER), [], [], [[]]


def cusan(top):
    for path in sorted(top.glob('test/runtime/*.c')):
        text = path.read_text(errors='replace')
        if 'mpi.h' in text:
            continue
        yield path, HAZARD if re.search('CHECK(-DAG)?: data race', text) else CLEAN, ['-x', 'cu'], [], [[]]
        if 'CUSAN_SYNC' in text:
            yield path, CLEAN, ['-x', 'cu', '-DCUSAN_SYNC'], [], [[]]


def plain(top):
    for path in sorted(top.glob('**/*.cu')):
        yield path, RACY if path.stem.startswith('race') else CLEAN, [], [], [[]]


SUITES = {'indigo': indigo, 'scor': scor, 'samples': samples, 'cusan': cusan, 'any': plain}
WANTED = {RACY: 'race.', BOUNDS: 'memory.', HAZARD: 'hazard.', OTHER: ''}


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
    programs = [p for p in SUITES[a.suite](a.folder) if fnmatch.fnmatch(p[0].name, a.pattern)]
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
parser.add_argument('suite', choices=SUITES)
parser.add_argument('folder', type=pathlib.Path)
parser.add_argument('pattern', nargs='?', default='*')
a = parser.parse_args()
a.build = a.build.resolve()
sys.exit(main())
