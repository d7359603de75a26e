#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the test suites of programs that use CUDA, with hostwarp's libraries, and counts.

usage: run.py NAME --build BUILD --folder FOLDER [--source CHECKOUT] [--tests PATTERN...] [--jobs N]

Makes a virtual environment in FOLDER with the versions of the packages named below (from PyPI, so this needs a network and is no part of CI), then runs the suite and prints how many tests
passed, failed and were skipped; what was said is in FOLDER/NAME.log. Suites that packages do not hold need a checkout of their repository. docs/status-clients.md has the counts.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
COMMON = ['pytest==8.4.2', 'pytest-timeout', 'pytest-xdist', 'numpy==1.26.4']
# packages; the suite: words for python, {source} is the checkout; where it is run; more environment
CLIENTS = {
    'numba': {
        'packages': ['numba==0.68.1', 'numba-cuda==0.30.4', 'cuda-bindings==13.5.0', 'cuda-core==1.2.2', 'cffi', 'psutil', 'ml_dtypes', 'scipy', 'filecheck', 'pytest-benchmark'],
        'command': ['-m', 'pytest', '-q', '-rfE', '--timeout', '200', '-p', 'no:cacheprovider', '-o', 'consider_namespace_packages=true', '--pyargs', 'numba.cuda.tests.cudadrv',
                    'numba.cuda.tests.cudapy', '--dist', 'loadscope'],
    },
    'triton': {'packages': ['triton==3.9.0'], 'command': [str(HERE / 'triton_kernels.py')], 'tests': False},
    'tinygrad': {
        'source': 'github.com/tinygrad/tinygrad',
        'packages': ['hypothesis', 'pillow', 'psutil'], 'env': {'DEV': 'CUDA', 'CUDA': '1'},
        'command': ['-m', 'pytest', '-q', '-rfE', '--timeout', '300', '-p', 'no:cacheprovider', 'test/test_tiny.py'],
    },
    'pycuda': {
        'source': 'pycuda-2025.1.2, unpacked from PyPI',
        'packages': ['mako', 'pytools', 'platformdirs', 'siphash24', 'wheel', 'setuptools<80'], 'build': True,
        'command': ['-m', 'pytest', '-q', '-rfE', '--timeout', '200', '-p', 'no:cacheprovider', 'test/test_driver.py', 'test/test_gpuarray.py', 'test/test_cumath.py'],
    },
    'cuda-bindings': {
        'source': 'github.com/NVIDIA/cuda-python', 'packages': ['cuda-bindings==13.5.0', 'cuda-core==1.2.2', 'pytest-benchmark', 'pyglet', 'cuda-toolkit[cudart]==13.*'],
        'command': ['-m', 'pytest', '-q', '-rfE', '--timeout', '200', '-p', 'no:cacheprovider', 'cuda_bindings/tests', '--ignore=cuda_bindings/tests/nvml', '--ignore=cuda_bindings/tests/cudla',
                    '--ignore=cuda_bindings/tests/cython'],
    },
    'cuda-core': {
        'source': 'github.com/NVIDIA/cuda-python', 'packages': ['cuda-bindings==13.5.0', 'cuda-core==1.2.2', 'psutil', 'pytest-rerunfailures', 'pytest-randomly'],
        'command': ['-m', 'pytest', '-q', '-rfE', '--timeout', '200', '-p', 'no:cacheprovider', '-p', 'no:randomly', 'cuda_core/tests', '--ignore=cuda_core/tests/cython',
                    '--ignore=cuda_core/tests/example_tests', '--ignore=cuda_core/tests/system'],
    },
}


def environment(build, client):
    """As `hostwarp env` sets it; the order of folders is ours first."""
    out = subprocess.run([build / 'bin/hostwarp', 'env'], check=True, capture_output=True, text=True).stdout
    script = out + '\nenv -0'
    env = subprocess.run(['sh', '-c', script], check=True, capture_output=True).stdout.decode().split('\0')
    return {**dict(line.split('=', 1) for line in env if '=' in line), **client.get('env', {})}


def prepare(folder, client, env, source):
    python = folder / 'venv/bin/python'
    if not python.exists():
        subprocess.run([sys.executable, '-m', 'venv', folder / 'venv'], check=True)
    subprocess.run([python, '-m', 'pip', 'install', '-q', *COMMON, *client['packages']], check=True)
    if client.get('build'):                      # against our headers and libraries
        home = env['CUDA_HOME']
        subprocess.run([python, 'configure.py', f'--cuda-root={home}', f'--cudadrv-lib-dir={home}/lib', f'--cudart-lib-dir={home}/lib', '--no-cuda-enable-curand'], cwd=source, check=True)
        subprocess.run([python, '-m', 'pip', 'install', '-q', '--no-build-isolation', '--no-deps', '.'], cwd=source, env=env, check=True)
    return python


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('name', choices=CLIENTS)
    p.add_argument('--build', type=pathlib.Path, default=HERE.parent.parent / 'build')
    p.add_argument('--folder', type=pathlib.Path, required=True)
    p.add_argument('--source', type=pathlib.Path)
    p.add_argument('--tests', nargs='+', default=[], help='in place of the whole suite: files or modules as pytest takes them')
    p.add_argument('--jobs', type=int, default=1)
    a = p.parse_args()
    client = CLIENTS[a.name]
    if client.get('source') and not a.source:
        sys.exit(f'run.py: {a.name} needs --source, a checkout of {client["source"]}')
    folder = a.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    env = environment(a.build.resolve(), client)
    python = prepare(folder, client, env, a.source)
    command = list(client['command'])
    if a.tests:
        command = [w for w in command if '/' not in w and not w.startswith('numba.')] + a.tests
    if client.get('tests', True) and a.jobs > 1:
        command += ['-n', str(a.jobs)]
    log = folder / f'{a.name}.log'
    with open(log, 'w') as out:
        subprocess.run([python, *command], cwd=a.source or folder, env=env, stdout=out, stderr=subprocess.STDOUT)
    last = [line for line in log.read_text().splitlines() if re.search(r'\d+ (passed|failed)', line)]
    print(f'{a.name}: {last[-1].strip("= ") if last else "no counts, see the log"}\n{log}')


main()
