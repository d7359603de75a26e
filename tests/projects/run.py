#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds small projects as their authors would, with hostwarp's tree in place of a CUDA toolkit. usage: run.py BUILD. TAP."""
import json
import os
import pathlib
import re
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
    return run(env, work, work / 'b/five') + run(env, work, work / 'b/implied')


def project_cmake_compiler_alone(env, work):
    """Nothing but the name of the compiler: no path, no variable."""
    env['PATH'] = '/usr/bin:/bin'
    run(env, work, 'cmake', '-S', HERE / 'cmake_alone', '-B', work / 'b', f'-DCMAKE_CUDA_COMPILER={BUILD}/bin/nvcc')
    run(env, work, 'cmake', '--build', work / 'b')
    return run(env, work, work / 'b/alone')


def other_toolkit(folder):
    """What somebody else's toolkit has, and some of it hostwarp has not."""
    (folder / 'lib64').mkdir(parents=True)
    for name in 'cudart', 'cublas', 'cublasLt', 'cufft', 'curand', 'nvrtc', 'nvJitLink', 'nvml', 'cupti':
        (folder / f'lib64/lib{name}.so').write_text('/* not ours */')
    return folder


def project_cmake_package(env, work):
    """find_package(hostwarp); the host's compiler links a program that names no library, and nothing comes from another toolkit."""
    env['PATH'] = '/usr/bin:/bin'
    other = other_toolkit(work / 'other')
    run(env, work, 'cmake', '-S', HERE / 'cmake_package', '-B', work / 'b', f'-Dhostwarp_DIR={BUILD}/lib/cmake/hostwarp', f'-DCMAKE_PREFIX_PATH={other}', f'-DROOT={BUILD}')
    run(env, work, 'cmake', '--build', work / 'b')
    return run(env, work, work / 'b/implied') + run(env, work, work / 'b/driver')


def project_cmake_toolchain_file(env, work):
    env['PATH'] = '/usr/bin:/bin'
    other = other_toolkit(work / 'other')
    run(env, work, 'cmake', '-S', HERE / 'cmake', '-B', work / 'b', f'-DCMAKE_TOOLCHAIN_FILE={BUILD}/lib/cmake/hostwarp/toolchain.cmake', f'-DCMAKE_PREFIX_PATH={other}')
    run(env, work, 'cmake', '--build', work / 'b')
    assert str(other) not in (work / 'b/CMakeCache.txt').read_text().replace(f'CMAKE_PREFIX_PATH:UNINITIALIZED={other}', '')
    return run(env, work, work / 'b/implied')


def project_pkg_config(env, work):
    """The host's compiler links; only pkg-config knows where hostwarp is."""
    env['PKG_CONFIG_PATH'] = f'{BUILD}/lib/pkgconfig'
    words = run(env, work, 'pkg-config', '--cflags', '--libs', 'hostwarp').split()
    nvcc = run(env, work, 'pkg-config', '--variable=nvcc', 'hostwarp').strip()
    run(env, work, nvcc, '-c', HERE / 'cmake/kernel.cu', '-o', 'kernel.o')
    run(env, work, 'c++', HERE / 'cmake/main.cpp', 'kernel.o', '-o', 'program', *words)
    return run(env, work, './program')


def project_meson(env, work):
    env['CUDA_PATH'] = str(BUILD)
    run(env, work, 'meson', 'setup', work / 'b', HERE / 'meson')
    run(env, work, 'ninja', '-C', work / 'b')
    return run(env, work, work / 'b/five')


def project_versions_agree(env, work):
    """Build systems read the toolkit's level from three places."""
    level = re.search(r'release ([0-9.]+), V([0-9.]+)', run(env, work, 'nvcc', '--version'))[2]
    assert (BUILD / 'version.txt').read_text() == f'CUDA Version {level}\n' and json.loads((BUILD / 'version.json').read_text())['cuda']['version'] == level
    return ''


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


TOOLS = {'project_cmake': 'cmake', 'project_pkg_config': 'pkg-config', 'project_meson': 'meson'}
EXPECTED = {
    'project_cmake': 'cmake 7 9\n' * 2,
    'project_cmake_compiler_alone': 'alone 7\n',
    'project_cmake_package': 'cmake 7 9\n' 'devices 1\n',
    'project_cmake_toolchain_file': 'cmake 7 9\n',
    'project_pkg_config': 'cmake 7 9\n',
    'project_meson': 'meson 7 9\n',
    'project_versions_agree': '',
    'project_make': 'make 2 4 6 8\n',
    'project_rdc_in_one_command': 'rdc 34 127 21\n',
    'project_rdc_in_steps': 'rdc 34 127 21\n',
}


def main():
    failed = 0
    print(f'1..{len(EXPECTED)}')
    for name, want in EXPECTED.items():
        missing = [tool for start, tool in TOOLS.items() if name.startswith(start) and not shutil.which(tool)]
        if missing:
            print(f'ok {name} # SKIP there is no {missing[0]}')
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
