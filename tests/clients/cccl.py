#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles tests of CCCL's Thrust with hostwarp's nvcc and the headers of the same checkout, runs them, and counts. What was done is kept, and taken up again.

usage: cccl.py --source CHECKOUT --folder FOLDER [--build BUILD] [--count N] [--seed S] [--seconds T] [--limit SECONDS] [--files NAME...]

CHECKOUT is github.com/NVIDIA/cccl. The tests are N files (100) of thrust/testing, chosen by seed (1); each is a program with CCCL's own test framework, and each of its TESTs counts as one.
docs/status-clients.md has the counts.
"""
import argparse
import json
import os
import pathlib
import random
import re
import resource
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
# Of thrust/testing: those that are made for Catch2, which is another framework, and those that only compile.
LEFT_OUT = re.compile(r'catch2_test_|unittest_tester|namespace_wrapped|address_stability')


def run(command, limit, cpu=None, **kw):
    """(status, output); the status is None past the limit. cpu: a limit of CPU time besides."""
    bound = (lambda: resource.setrlimit(resource.RLIMIT_CPU, (cpu, cpu + 5))) if cpu else None
    try:
        p = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit, preexec_fn=bound, **kw)
        return p.returncode, p.stdout.decode(errors='replace')
    except subprocess.TimeoutExpired as e:
        return None, (e.stdout or b'').decode(errors='replace')


def compiler(a):
    source = a.source
    return [a.build / 'bin/nvcc', '-std=c++17', '-O1', '-w', '-extended-lambda', '-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CUDA',
            *(f'-I{source / folder}' for folder in ('thrust', 'cub', 'libcudacxx/include', 'thrust/testing'))]


def framework(a, folder):
    objects = []
    for name in ('unittest/testframework.cu', 'unittest/cuda/testframework.cu'):
        path = a.source / 'thrust/testing' / name
        if not path.exists():
            continue
        obj = folder / (name.replace('/', '_') + '.o')
        objects.append(obj)
        if not obj.exists():
            status, out = run([*compiler(a), '-c', path, '-o', obj], 3600)
            if status != 0:
                sys.exit(f'cccl.py: the test framework does not compile:\n{out[-3000:]}')
    return objects


def one_file(a, path, folder, objects):
    program = folder / path.stem
    status, out = run([*compiler(a), path, *objects, '-o', program], 3600)
    if status != 0:
        return {'built': False, 'why': '\n'.join([line for line in out.splitlines() if 'error' in line][:5]) or out[-1000:]}
    status, out = run([program, '--verbose'], 15 * a.limit, a.limit, cwd=folder)
    program.unlink()
    totals = re.search(r'Totals: (\d+) failures, (\d+) known failures, (\d+) errors, and (\d+) passes', out)
    if not totals:
        return {'built': True, 'passed': 0, 'failed': 1, 'why': f'status {status}: ' + ' | '.join(out.strip().splitlines()[-3:])[-300:]}
    failures, known, errors, passes = map(int, totals.groups())
    wrong = [line for line in out.splitlines() if '[FAIL' in line or '[ERROR' in line]
    return {'built': True, 'passed': passes, 'failed': failures + errors, 'why': ' | '.join(wrong[:4])[:400]}


def report(results):
    built = [r for r in results.values() if r['built']]
    passed, failed = sum(r['passed'] for r in built), sum(r['failed'] for r in built)
    whole = sum(r['failed'] == 0 for r in built)
    for name, r in results.items():
        if not r['built'] or r['failed']:
            print(f'{name}: {"" if r["built"] else "not built: "}{r["why"]}')
    print(f'{len(built)} of {len(results)} files built, {whole} without a failure; {passed} tests passed, {failed} failed')


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--source', type=pathlib.Path, required=True)
    p.add_argument('--folder', type=pathlib.Path, required=True)
    p.add_argument('--build', type=pathlib.Path, default=HERE.parent.parent / 'build')
    p.add_argument('--count', type=int, default=100)
    p.add_argument('--seed', type=int, default=1)
    p.add_argument('--seconds', type=int, default=100000, help='no new file is begun after so long')
    p.add_argument('--limit', type=int, default=120, help='seconds of CPU time for the tests of a file')
    p.add_argument('--files', nargs='+', default=[], help='in place of the sample')
    a = p.parse_args()
    a.source, a.build = a.source.resolve(), a.build.resolve()
    folder = a.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    tests = sorted(f for f in (a.source / 'thrust/testing').glob('*.cu') if not LEFT_OUT.match(f.name))
    sample = [f for f in tests if f.stem in a.files] if a.files else random.Random(a.seed).sample(tests, min(a.count, len(tests)))
    notes = folder / 'results.json'
    results = json.loads(notes.read_text()) if notes.exists() else {}
    objects, end = framework(a, folder), time.monotonic() + a.seconds
    os.chdir(folder)
    for path in sample:
        if path.stem in results or time.monotonic() > end:
            continue
        start = time.monotonic()
        results[path.stem] = r = one_file(a, path, folder, objects)
        notes.write_text(json.dumps(results, indent=1))
        print(f'{path.stem}: ' + (f'{r["passed"]} passed, {r["failed"]} failed' if r['built'] else 'not built') + f', {time.monotonic() - start:.0f} s', flush=True)
    report(results)


main()
