#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs every probe with hostwarp, and counts the answers that agree with a real GPU's.

usage: run.py BUILD [--compare [--all]]

Transcripts go to BUILD/oracle/NAME.txt. Without --compare the result is TAP, for tests/run: a probe fails when it does not
build, crashes, does not end, or agrees in fewer keys than floor.txt says; raise a floor when answers get better.
Probes of device code run once more for each vector width; approximate results must be as exact as the GPU's.
With --compare what `compare` prints is shown, with the keys that differ.
"""
import argparse
import importlib.machinery
import importlib.util
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIMIT = 60
SLOW = {'timing': 300}          # moves gigabytes and judges nothing: only with --compare
BUILD_LIMIT = 180
WIDTHS = (1, 8, 16)             # lanes of a vector: scalar code, AVX2, AVX-512
AT_ALL_WIDTHS = ('ops', 'warps')
CC = '90'                       # the transcripts are an sm_90 device's


def load_compare():
    """`compare` is a program without an ending; its reading rules are used here too."""
    loader = importlib.machinery.SourceFileLoader('oracle_compare', str(HERE / 'compare'))
    spec = importlib.util.spec_from_loader('oracle_compare', loader)
    module = importlib.util.module_from_spec(spec)
    sys.dont_write_bytecode = True
    loader.exec_module(module)
    return module


def build_probe(hostwarp, source, program):
    args = [hostwarp, 'cc', '-std=c++17', f'-arch=sm_{CC}', '-o', program, source, '-lcuda']
    try:
        p = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=BUILD_LIMIT)
    except subprocess.TimeoutExpired:
        return f'does not build within {BUILD_LIMIT} s'
    return None if p.returncode == 0 else 'does not build:\n' + p.stdout[-3000:]


def run_probe(program, transcript, errors, limit, **env):
    """Returns what went wrong, or None. A probe's exit status is its own affair; a signal or no end is not."""
    with open(transcript, 'wb') as out, open(errors, 'wb') as err:
        try:
            status = subprocess.run([program], stdout=out, stderr=err, stdin=subprocess.DEVNULL, timeout=limit,
                                    env=dict(os.environ, HOSTWARP_CC=CC, **env)).returncode
        except subprocess.TimeoutExpired:
            return f'no end after {limit} s'
    return f'ended by signal {-status}' if status < 0 else None


def worst_errors(value):
    """'worst relative 2^-23.9 worst absolute 2^-inf' as two exponents."""
    return [float(e) for e in re.findall(r'2\^(\S+)', value or '2^inf 2^inf')]


def count(compare, name, transcript):
    """How many keys agree, of how many, and the approximate ones that are less exact than the GPU's. A probe that no GPU has answered yet has none."""
    if not (HERE / 'h200' / f'{name}.txt').exists():
        return 0, 0, []
    all_keys = compare.read(HERE / 'h200' / f'{name}.txt')
    want = {k: v for k, v in all_keys.items() if not compare.VOLATILE.match(k)}
    have = compare.read(transcript) if transcript.exists() else {}
    rough = [k for k, v in all_keys.items() if k.startswith('approx.')
             and any(ours > gpu for ours, gpu in zip(worst_errors(have.get(k)), worst_errors(v)))]
    return sum(have.get(k) == v for k, v in want.items()), len(want), rough


def judge(compare, name, transcript, floor):
    """Returns what is wrong with a transcript, or None, and the two counts. floor: None where floor.txt has none."""
    if name in compare.SKIP:
        return None, 0, 0
    if floor is None:
        return 'floor.txt has no line for this probe', 0, 0
    agree, total, rough = count(compare, name, transcript)
    if agree < floor:
        return f'{agree} keys agree, but {floor} did', agree, total
    return 'less exact than the GPU: ' + ', '.join(rough) if rough else None, agree, total


def at_widths(compare, name, program, out, floor):
    """The same at every vector width: TAP lines."""
    bad = 0
    for width in WIDTHS:
        transcript = out / f'{name}.w{width}.txt'
        problem = run_probe(program, transcript, out / f'{name}.w{width}.err', LIMIT, HOSTWARP_WIDTH=str(width))
        wrong, agree, total = judge(compare, name, transcript, floor)
        problem = problem or wrong
        bad += problem is not None
        print(f'{"not ok" if problem else "ok"} - oracle {name}, vectors of {width}: {agree} of {total} keys agree')
        if problem:
            print(f'# {name}, vectors of {width}: {problem}', flush=True)
    return bad


def read_floors():
    path = HERE / 'floor.txt'
    lines = path.read_text().splitlines() if path.exists() else []
    return {n: int(v) for n, v in (l.split() for l in lines if l and not l.startswith('#'))}


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('build', type=pathlib.Path)
    p.add_argument('--compare', action='store_true')
    p.add_argument('--all', action='store_true')
    a = p.parse_args()
    build = a.build.resolve()
    out = build / 'oracle'
    out.mkdir(exist_ok=True)
    compare, floors, bad = load_compare(), read_floors(), 0
    sources = [s for s in sorted((HERE / 'probes').glob('*.cu')) if a.compare or s.stem not in SLOW]
    if not a.compare:
        print(f'1..{len(sources) + sum(len(WIDTHS) for s in sources if s.stem in AT_ALL_WIDTHS)}')
    for source in sources:
        name, program = source.stem, out / source.stem
        (out / f'{name}.txt').unlink(missing_ok=True)
        print(f'# {name}', file=sys.stderr, flush=True)
        problem = build_probe(build / 'bin/hostwarp', source, program) or \
            run_probe(program, out / f'{name}.txt', out / f'{name}.err', SLOW.get(name, LIMIT))
        wrong, agree, total = judge(compare, name, out / f'{name}.txt', floors.get(name))
        problem = problem or wrong
        bad += problem is not None
        if not a.compare:
            print(f'{"not ok" if problem else "ok"} - oracle {name}: {agree} of {total} keys agree')
        if problem:
            print(f'# {name}: {problem}', flush=True)
        elif name in AT_ALL_WIDTHS and not a.compare:
            bad += at_widths(compare, name, program, out, floors.get(name))
    if a.compare:
        subprocess.run([sys.executable, HERE / 'compare', out] + (['--all'] if a.all else []))
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
