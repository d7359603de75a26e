#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds small projects as their authors would, with hostwarp's tree in place of a CUDA toolkit. usage: run.py BUILD. TAP."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv[1]).resolve()


def environment(work):
    """Only our tree and the system: no toolkit on the path, none named in variables."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(('CUDA', 'NVCC', 'LD_', 'LIBRARY_', 'CPATH'))}
    return {**env, 'PATH': f'{BUILD}/bin:/usr/bin:/bin', 'HOSTWARP_CACHE': str(work / 'cache')}


def run(env, cwd, *command):
    p = subprocess.run([str(c) for c in command], cwd=cwd, env=env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=250)
    if p.returncode:
        raise AssertionError(f'{command}: status {p.returncode}\n{p.stdout}')
    return p.stdout


def project_cmake(env, work):
    run(env, work, 'cmake', '-S', HERE / 'cmake', '-B', work / 'b')
    run(env, work, 'cmake', '--build', work / 'b')
    implied = run({**env, 'LD_LIBRARY_PATH': f'{BUILD}/lib'}, work, work / 'b/implied')
    return run(env, work, work / 'b/five') + implied


def project_make(env, work):
    shutil.copytree(HERE / 'make', work / 'make')
    run(env, work / 'make', 'make')
    return run(env, work / 'make', './program')


def project_rdc_in_one_command(env, work):
    run(env, work, 'nvcc', '-rdc=true', '-I', HERE / 'rdc', HERE / 'rdc/main.cu', HERE / 'rdc/parts.cu', '-o', 'program')
    return run(env, work, './program')


def project_rdc_in_steps(env, work):
    for name in 'main', 'parts':
        run(env, work, 'nvcc', '-dc', '-I', HERE / 'rdc', HERE / f'rdc/{name}.cu', '-o', f'{name}.o')
    run(env, work, 'ar', 'rcs', 'libparts.a', 'parts.o')
    run(env, work, 'nvcc', '-dlink', 'main.o', 'parts.o', '-o', 'linked.o')
    run(env, work, 'nvcc', '@' + str(HERE / 'rdc/link.rsp'), '-o', 'program')
    return run(env, work, './program')


EXPECTED = {
    'project_cmake': 'cmake 7 9\n' * 2,
    'project_make': 'make 2 4 6 8\n',
    'project_rdc_in_one_command': 'rdc 34 127 21\n',
    'project_rdc_in_steps': 'rdc 34 127 21\n',
}


def main():
    failed = 0
    print(f'1..{len(EXPECTED)}')
    for name, want in EXPECTED.items():
        if name == 'project_cmake' and not shutil.which('cmake'):
            print(f'ok {name} # SKIP there is no cmake')
            continue
        with tempfile.TemporaryDirectory() as folder:
            work = pathlib.Path(folder)
            try:
                got = globals()[name](environment(work), work)
                assert got == want, f'printed {got!r}, not {want!r}'
                print(f'ok {name}')
            except (AssertionError, OSError, subprocess.SubprocessError) as e:
                failed += 1
                print(f'not ok {name}\n# ' + str(e).replace('\n', '\n# '))
    return 1 if failed else 0


sys.exit(main())
