#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds Kokkos with hostwarp's nvcc and runs its core unit tests for CUDA, one source file at a time, so that it fits a small machine and can be stopped and taken up again.

usage: kokkos.py --source CHECKOUT --folder FOLDER [--build BUILD] [--wrapper] [--seconds N] [--files PATTERN...] [--shuffle SEED] [--again]

CHECKOUT is github.com/kokkos/kokkos. Each of the files of Kokkos_CoreUnitTest_Cuda1 to 3 is compiled with the flags that CMake chose, linked with Kokkos' main program and run; FOLDER/results.json
has what became of each, and is read when the script is started again. --wrapper: nvcc_wrapper is the C++ compiler, as projects that do not name CUDA as a language have it; otherwise nvcc is
CMAKE_CUDA_COMPILER. Needs cmake, make and libgtest-dev. docs/status-clients.md has the counts.
"""
import argparse
import fnmatch
import json
import os
import pathlib
import random
import resource
import signal
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = [f'Kokkos_CoreUnitTest_Cuda{n}' for n in (1, 2, 3)]


def run(command, limit, **kw):
    """(status, output); the status is None past the limit."""
    try:
        p = subprocess.run([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=limit, **kw)
        return p.returncode, p.stdout.decode(errors='replace')
    except subprocess.TimeoutExpired as e:
        return None, (e.stdout or b'').decode(errors='replace')


def configure(a, folder, env):
    if (folder / 'Makefile').exists():
        return
    nvcc = a.build / 'bin/nvcc'
    how = [f'-DCMAKE_CXX_COMPILER={a.source}/bin/nvcc_wrapper'] if a.wrapper else ['-DKokkos_ENABLE_COMPILE_AS_CMAKE_LANGUAGE=ON', f'-DCMAKE_CUDA_COMPILER={nvcc}']
    status, out = run(['cmake', '-S', a.source, '-B', folder, '-DKokkos_ENABLE_CUDA=ON', '-DKokkos_ARCH_AMPERE80=ON', '-DKokkos_ENABLE_TESTS=ON', '-DCMAKE_BUILD_TYPE=Release', *how], 600, env=env)
    if status != 0:
        sys.exit(f'kokkos.py: cmake failed:\n{out[-3000:]}')


def run_test(command, limit, **kw):
    """The limit is one of CPU time, so that a busy machine makes no failures; what sleeps for ever ends too."""
    status, out = run(command, 15 * limit, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit + 5)), **kw)
    return None if status in (-signal.SIGXCPU, -signal.SIGKILL) else status, out


def gtest(program, env, limit):
    """Runs every test of a program; one that ends the process is a failure, and the rest is run without it. Returns {test: 'passed', 'skipped' or why it failed}."""
    status, out = run([program, '--gtest_list_tests'], 120, env=env, cwd=program.parent)
    names, suite = [], ''
    for line in out.splitlines():
        if line[:1] not in ('', ' ') and line.split('#')[0].strip().endswith('.'):
            suite = line.split('#')[0].strip()
        elif line.startswith('  ') and suite:
            names.append(suite + line.split('#')[0].strip())
    results = {n: 'skipped' for n in names if '.DISABLED_' in n or n.startswith('DISABLED_')}
    while len(results) < len(names):
        left = [n for n in names if n not in results]
        status, out = run_test([program, '--gtest_filter=' + ':'.join(left)], limit, env=env, cwd=program.parent)
        seen, running = read_gtest(out)
        results.update({n: r for n, r in seen.items() if n in left})
        if running:
            results[running] = f'no end after {limit} s' if status is None else f'the process ended with {status}: {last_words(out)}'
        elif not any(n in results for n in left):
            results.update({n: f'not run (status {status}): {last_words(out)}' for n in left})
    return results


def read_gtest(out):
    seen, running, words = {}, None, []
    for line in out.splitlines():
        word, _, rest = line.partition('] ')
        name = rest.split(' (')[0].split(',')[0].strip()
        if word == '[ RUN      ':
            running, words = name, []
        elif word in ('[       OK ', '[  FAILED  ', '[  SKIPPED ') and name == running:
            seen[name] = {'[       OK ': 'passed', '[  SKIPPED ': 'skipped'}.get(word) or 'failed: ' + ' | '.join(words[:4])
            running = None
        elif running:
            words.append(line.strip()[:200])
    return seen, running


def last_words(out):
    return ' | '.join(out.strip().splitlines()[-3:])[-300:]


def one_file(target, obj, folder, env, limit):
    """Compiles, links and runs one source file. The objects of its target's other files are not needed."""
    make = ['make', '-s', '-f', f'core/unit_test/CMakeFiles/{target}.dir/build.make']
    where = f'core/unit_test/CMakeFiles/{target}.dir'
    main = f'{where}/UnitTestMainInit.cpp.o'
    for o in main, f'core/unit_test/{obj}':
        status, out = run([*make, o], 1500, cwd=folder, env=env)
        if status != 0:
            wrong = [line for line in out.splitlines() if 'error' in line]
            return {'built': False, 'why': '\n'.join(wrong[:5]) or out[-1000:]}
    words = (folder / where / 'link.txt').read_text().split()
    at = words.index('-o')
    rest = [w for w in words[at + 2:] if not w.endswith('.o')]
    program = folder / 'core/unit_test' / (target + '-' + pathlib.Path(obj).name.removesuffix('.cpp.o'))
    status, out = run([*[w for w in words[:at] if not w.endswith('.o')], '-o', program, folder / main, obj, *(w for w in rest if w not in MISSING)], 300, cwd=folder / 'core/unit_test', env=env)
    if status != 0:
        return {'built': False, 'why': 'link: ' + out[-1500:]}
    results = gtest(program, env, limit)
    program.unlink()
    return {'built': True, 'tests': results}


# Parts of Kokkos that the core's tests are linked with and do not use; they are not built here.
MISSING = {f'../../{part}/src/libkokkos{part}.a' for part in ('containers', 'algorithms', 'simd')}


def report(results):
    built = [r for r in results.values() if r['built']]
    tests = [(n, t) for r in built for n, t in r['tests'].items()]
    passed, skipped = sum(t == 'passed' for _, t in tests), sum(t == 'skipped' for _, t in tests)
    for name, r in results.items():
        if not r['built']:
            print(f'not built: {name}: {r["why"]}')
        for n, t in r.get('tests', {}).items():
            if t not in ('passed', 'skipped'):
                print(f'{name}: {n}: {t}')
    failed = len(tests) - passed - skipped
    print(f'{len(built)} of {len(results)} files built; {passed} passed, {failed} failed, {skipped} skipped' + (f' ({100 * passed / (passed + failed):.1f} %)' if passed + failed else ''))


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--source', type=pathlib.Path, required=True)
    p.add_argument('--folder', type=pathlib.Path, required=True)
    p.add_argument('--build', type=pathlib.Path, default=HERE.parent.parent / 'build')
    p.add_argument('--wrapper', action='store_true')
    p.add_argument('--seconds', type=int, default=100000, help='no new file is begun after so long')
    p.add_argument('--limit', type=int, default=300, help='seconds of CPU time for the tests of a file')
    p.add_argument('--files', nargs='+', default=['*'], help='patterns of names, e.g. TestCuda_Team*')
    p.add_argument('--shuffle', type=int, metavar='SEED', help='in another order, so that what is done after some time is a fair sample')
    p.add_argument('--again', action='store_true', help='also what was run before')
    a = p.parse_args()
    a.source, a.build = a.source.resolve(), a.build.resolve()
    folder = a.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    env = {**{k: v for k, v in os.environ.items() if not k.startswith(('CUDA', 'NVCC'))}, 'PATH': f'{a.build}/bin:{os.environ["PATH"]}', 'CUDA_ROOT': str(a.build)}
    configure(a, folder, env)
    status, out = run(['make', '-s', 'kokkoscore'], 3600, cwd=folder, env=env)
    if status != 0:
        sys.exit(f'kokkos.py: the library does not build:\n{out[-3000:]}')
    notes = folder / 'results.json'
    results = json.loads(notes.read_text()) if notes.exists() else {}
    files = [(t, w) for t in TARGETS for w in (folder / f'core/unit_test/CMakeFiles/{t}.dir/link.txt').read_text().split() if w.endswith('.cpp.o') and 'UnitTestMain' not in w]
    if a.shuffle is not None:
        random.Random(a.shuffle).shuffle(files)
    end = time.monotonic() + a.seconds
    for target, obj in files:
        name = pathlib.Path(obj).name.removesuffix('.cpp.o')
        if not any(fnmatch.fnmatch(name, q) for q in a.files) or (name in results and not a.again) or time.monotonic() > end:
            continue
        start = time.monotonic()
        results[name] = one_file(target, obj, folder, env, a.limit)
        notes.write_text(json.dumps(results, indent=1))
        bad = [n for n, t in results[name].get('tests', {}).items() if t not in ('passed', 'skipped')]
        print(f'{name}: {len(results[name].get("tests", {}))} tests, {len(bad)} failed, {time.monotonic() - start:.0f} s' if results[name]['built'] else f'{name}: not built', flush=True)
    report(results)


main()
