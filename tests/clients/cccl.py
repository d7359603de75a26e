#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs a sample of CCCL's tests (Thrust, CUB, libcu++) with `hostwarp cc`, and counts.

usage: cccl.py --source CHECKOUT --catch2 CHECKOUT --folder FOLDER [--hostwarp COMMAND] [--seed N] [--sample N] [--only WORD...] [--again] [--slot COMMAND] [--report | --list]

The sample: all test files of each of the three libraries that run on a device (no `_fail` files, for libcu++ `*.pass.cpp` that lit would run with clang and this device), shuffled by Python's
random.Random(SEED), then taken in turn: three of Thrust, two of CUB, five of libcu++. So any beginning of the list is a sample by chance, too. A file of CUB that is built in several variants
(%PARAM%) is built in the first. What came out is in FOLDER/cccl.results, a line for each file; a run that was stopped goes on where it was.
"""
import argparse
import json
import os
import pathlib
import random
import re
import resource
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
SHARES = {'thrust': 3, 'cub': 2, 'libcudacxx': 5}
FEATURES = {'true', '*', 'clang', 'clang-19', 'linux', 'c++20', 'has-unix-headers', 'has-fconstexpr-steps', 'pre-sm-90'}


def holds(words):
    """Whether a condition of lit's holds here: commas are or."""
    names = re.sub(r'[\w.+*-]+', lambda m: str(m[0] in FEATURES), words.replace(',', '||'))
    return eval(names.replace('||', ' or ').replace('&&', ' and ').replace('!', ' not '), {})


def lit_runs(path):
    text = path.read_text(errors='replace')
    said = {kind: re.findall(rf'^// *{kind}: *(.*?) *$', text, re.M) for kind in ('UNSUPPORTED', 'XFAIL', 'REQUIRES')}
    return not any(map(holds, said['UNSUPPORTED'] + said['XFAIL'])) and all(map(holds, said['REQUIRES']))


def population(source):
    """The files that a person with a GPU would build and run."""
    thrust = [p for top in ('', 'cuda') for p in (source / 'thrust/testing' / top).glob('*.cu') if '_fail' not in p.name]
    cub = [p for p in (source / 'cub/test').glob('catch2_test_*.cu') if '_fail' not in p.name]
    libcudacxx = [p for p in (source / 'libcudacxx/test/libcudacxx').rglob('*.pass.cpp') if lit_runs(p)]
    return {'thrust': thrust, 'cub': cub, 'libcudacxx': libcudacxx}


def draw(source, seed, size):
    lists = {name: sorted(str(p.relative_to(source)) for p in files) for name, files in population(source).items()}
    for name in lists:
        random.Random(f'{seed} {name}').shuffle(lists[name])
    order = [name for k in range(max(SHARES.values())) for name in SHARES if k < SHARES[name]]
    return [lists[order[i % len(order)]].pop(0) for i in range(size)], {name: len(files) for name, files in population(source).items()}


def spent():
    r = resource.getrusage(resource.RUSAGE_CHILDREN)
    return r.ru_utime + r.ru_stime


def run(a, command, limit, **more):
    """Status, output and seconds of CPU time; status 124 where it took too long."""
    before = spent()
    try:
        p = subprocess.run([*a.slot.split(), 'timeout', str(limit), *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace', stdin=subprocess.DEVNULL, **more)
    except OSError as e:
        return 127, str(e), 0
    return p.returncode, p.stdout, spent() - before


def flags(a, catch=('-DCATCH_CONFIG_PREFIX_ALL',)):
    s = a.source
    return [*(f'-I{s}/{d}' for d in ('libcudacxx/include', 'cub', 'thrust', 'c2h/include', 'cub/test', 'thrust/testing')), f'-I{a.folder}/catch2', '-O1', '-w', '--extended-lambda', '--expt-relaxed-constexpr',
            *catch, '-DC2H_HAS_CURAND=0', '-DTHRUST_HOST_SYSTEM=THRUST_HOST_SYSTEM_CPP', '-DTHRUST_DEVICE_SYSTEM=THRUST_DEVICE_SYSTEM_CUDA']


def helper(a, name):
    """The object of a part that many tests are linked with, made when it is first needed: Catch2, its runner, the generators of test data, Thrust's framework."""
    out = a.folder / f'{name}.o'
    if out.exists():
        return out
    c = a.catch2
    host = {'catch2': ['-I', c / 'extras', c / 'extras/catch_amalgamated.cpp', '-DCATCH_AMALGAMATED_CUSTOM_MAIN'], 'catch2_main': ['-I', a.folder / 'catch2', c / 'src/catch2/internal/catch_main.cpp']}
    device = {'framework': 'thrust/testing/unittest/testframework.cu', 'framework_cuda': 'thrust/testing/unittest/cuda/testframework.cu'}
    command = ['g++', '-O1', '-c', *host[name]] if name in host else [a.hostwarp, 'cc', '-std=c++17', *flags(a), '-c', a.source / device.get(name, f'c2h/{name}.cu')]
    status, text, _ = run(a, [*command, '-o', out], a.limit)
    if status:
        sys.exit(f'cccl.py: {name} cannot be built:\n{text[-3000:]}')
    return out


def catch2_headers(a):
    """Catch2's headers, with the settings that its CMakeLists would write."""
    into = a.folder / 'catch2/catch2'
    if not into.exists():
        shutil.copytree(a.catch2 / 'src/catch2', into)
        settings = (into / 'catch_user_config.hpp.in').read_text()
        settings = re.sub(r'#cmakedefine.*', '', settings).replace('@CATCH_CONFIG_DEFAULT_REPORTER@', 'console').replace('@CATCH_CONFIG_CONSOLE_WIDTH@', '80')
        (into / 'catch_user_config.hpp').write_text(settings)


def build_line(a, name, out):
    """How one file is built, as its CMakeLists or lit does it."""
    path, text = a.source / name, (a.source / name).read_text(errors='replace')
    if name.startswith('libcudacxx/'):
        more = [f'-D{d}' for line in re.findall(r'ADDITIONAL_COMPILE_DEFINITIONS: *(.*)', text) for d in line.split()] + re.findall(r'ADDITIONAL_COMPILE_FLAGS(?:\(has-fconstexpr-steps\))?: *(.*)', text)
        top = a.source / 'libcudacxx/test'
        return [a.hostwarp, 'cc', '-std=c++20', *flags(a), *more, f'-I{top}/support', '-include', top / 'libcudacxx/force_include.h', '-x', 'cu', path, '-o', out]
    line = [a.hostwarp, 'cc', '-std=c++17', *(flags(a) if name.startswith('cub/') else flags(a, ())), path, '-o', out]
    if name.startswith('cub/'):
        line += [f'-D{w}={values.split(":")[0]}' for w, values in re.findall(r'^// *%PARAM% +(\S+) +\S+ +(\S+)', text, re.M)]
        parts = 'generators', 'generators_gen_values', 'generators_uniform_offsets', 'generators_vector', 'catch2_runner', 'catch2_runner_helper', 'catch2'
        return line + [helper(a, part) for part in parts] + ['-lcuda', '-lnvrtc']
    parts = ('catch2_main', 'catch2') if 'catch2_test_' in name else ('framework', 'framework_cuda')
    return line + ['-DCCCL_ENABLE_ASSERTIONS'] + [helper(a, part) for part in parts] + ['-lcuda', '-ldl']


def one(a, name):
    out = a.folder / 'programs' / re.sub(r'[^\w.]', '_', name)
    out.parent.mkdir(exist_ok=True)
    status, text, built = run(a, build_line(a, name, out), a.limit)
    if status:
        return {'id': name, 'result': 'build', 'status': status, 'built': built, 'why': text[-2500:]}
    env = {**os.environ, 'HOSTWARP_CACHE': str(a.folder / 'cache')}
    status, text, ran = run(a, [out], a.limit, env=env, cwd=a.folder)
    out.unlink()
    return {'id': name, 'result': {0: 'passed', 4: 'skipped', 124: 'timeout'}.get(status, 'failed'), 'status': status, 'built': round(built, 1), 'ran': round(ran, 1), 'why': text[-1500:] if status else ''}


def report(results, sample, sizes):
    last = {line['id']: line for line in map(json.loads, results.read_text().splitlines())}
    for library in SHARES:
        mine = [last[i] for i in sample if i in last and i.startswith(library)]
        print(f'{library}: {len(mine)} of {sizes[library]} files, ' + ', '.join(f'{sum(line["result"] == r for line in mine)} {r}' for r in sorted({line['result'] for line in mine})))
    for line in last.values():
        if line['result'] != 'passed' and line['id'] in sample:
            print(f'{line["result"]} ({line["status"]}): {line["id"]}')


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--source', type=pathlib.Path, required=True)
    p.add_argument('--catch2', type=pathlib.Path)
    p.add_argument('--folder', type=pathlib.Path, required=True)
    p.add_argument('--hostwarp', type=pathlib.Path, default=HERE.parent.parent / 'build/bin/hostwarp')
    p.add_argument('--seed', default='27')
    p.add_argument('--sample', type=int, default=100)
    p.add_argument('--only', nargs='+', default=[], help='files whose name has one of these words')
    p.add_argument('--again', action='store_true', help='what did not pass, once more')
    p.add_argument('--limit', type=int, default=600, help='seconds for building, and for running')
    p.add_argument('--slot', default='', help='a command to put before each build and run, such as nice')
    p.add_argument('--list', action='store_true', help='only print the sample')
    p.add_argument('--report', action='store_true', help='only count what is there')
    a = p.parse_args()
    a.folder, a.source, a.hostwarp = a.folder.resolve(), a.source.resolve(), a.hostwarp.resolve()
    a.folder.mkdir(parents=True, exist_ok=True)
    sample, sizes = draw(a.source, a.seed, a.sample)
    results = a.folder / 'cccl.results'
    if a.list or a.report:
        return print('\n'.join(sample)) if a.list else report(results, sample, sizes)
    a.catch2 = a.catch2.resolve()
    catch2_headers(a)
    last = {line['id']: line['result'] for line in map(json.loads, results.read_text().splitlines())} if results.exists() else {}
    for name in sample:
        if (name not in last or a.again and last[name] != 'passed') and (not a.only or any(w in name for w in a.only)):
            line = one(a, name)
            with open(results, 'a') as f:
                f.write(json.dumps(line) + '\n')
            print(time.strftime('%H:%M'), line['result'], name, line['built'], line.get('ran', ''), flush=True)
    report(results, sample, sizes)


if __name__ == '__main__':
    main()
