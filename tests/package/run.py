#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of installing, uninstalling and packages. usage: run.py BUILD [PATTERN]      Each function test_* is one rule; the result is TAP.

tools/chroot_test.py does the same with real systems, which takes minutes; here is what can be seen in seconds."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
VERSION = (TREE / 'VERSION').read_text().strip()
HELLO = '__global__ void k(int *p) { *p = 42; }\nint main() { int *p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize(); return *p != 42; }\n'


class Skip(Exception):
    pass


def run(*args, **kw):
    p = subprocess.run([str(a) for a in args], capture_output=True, text=True, timeout=300, **kw)
    assert p.returncode == 0, f'{args}: status {p.returncode}\n{p.stdout[-2000:]}{p.stderr[-2000:]}'
    return p.stdout


def stage(*args):
    return run(sys.executable, TREE / 'tools/stage.py', BUILD, *args)


def files(folder):
    return sorted(str(p.relative_to(folder)) for p in folder.rglob('*'))


def test_the_version_is_in_one_place(box):
    assert re.fullmatch(r'\d+\.\d+\.\d+', VERSION), VERSION
    assert run(BUILD / 'bin/hostwarp', '--version').strip() == f'hostwarp {VERSION}'
    for page in (TREE / 'man').glob('*.1'):
        assert '@VERSION@' in page.read_text(), page
    assert VERSION not in (TREE / 'meson.build').read_text()


def test_what_is_installed_can_be_removed_without_a_trace(box):
    (box / 'usr/bin').mkdir(parents=True)
    (box / 'usr/bin/other').write_text('somebody else\'s')
    before = files(box)
    stage('--install', '/usr', '--destdir', str(box))
    stage('--install', '/usr', '--destdir', str(box))                    # again, over the old one
    (box / 'k.cu').write_text(HELLO)
    run(box / 'usr/bin/hostwarp', 'run', 'k.cu', cwd=box, env={**os.environ, 'HOSTWARP_CACHE': 'off'})
    (box / 'k.cu').unlink()
    assert VERSION in (box / 'usr/share/man/man1/hostwarp.1').read_text()
    stage('--uninstall', '/usr', '--destdir', str(box))
    left = [f for f in files(box) if f not in before]
    # folders that the second installation found made by the first are noted once, and go too
    assert not left, left
    assert (box / 'usr/bin/other').exists()


def test_uninstalling_nothing_says_so(box):
    assert 'There is no hostwarp' in stage('--uninstall', str(box / 'nowhere'))


def test_installed_libraries_are_stripped(box):
    stage('--install', '/usr', '--destdir', str(box))
    for file in [*(box / 'usr/lib/hostwarp/lib').glob('*.so.*'), box / 'usr/lib/hostwarp/bin/hostwarp']:
        sections = run('readelf', '-SW', file)
        assert '.debug_info' not in sections and '.symtab' not in sections, file


def test_build_systems_find_an_installation(box):
    stage('--install', '/usr', '--destdir', str(box))
    outer = (box / 'usr/lib/cmake/hostwarp/hostwarp-config.cmake').read_text()
    target = re.search(r'CMAKE_CURRENT_LIST_DIR}/(.*)"', outer)[1]
    assert (box / 'usr/lib/cmake/hostwarp' / target).exists() and VERSION in (box / 'usr/lib/hostwarp/lib/cmake/hostwarp/hostwarp-config-version.cmake').read_text()
    if not shutil.which('pkg-config'):
        raise Skip('no pkg-config')
    env = {**os.environ, 'PKG_CONFIG_PATH': str(box / 'usr/lib/pkgconfig')}
    assert run('pkg-config', '--modversion', 'hostwarp', env=env).strip() == VERSION
    libraries, nvcc = (pathlib.Path(run('pkg-config', f'--variable={name}', 'hostwarp', env=env).strip()) for name in ('libdir', 'nvcc'))
    assert (libraries / 'libcudart.so').exists() and nvcc.exists(), (libraries, nvcc)


def test_a_wheel_gives_the_command_and_the_libraries(box):
    if subprocess.run([sys.executable, '-m', 'venv', '--without-pip', box / 'v'], capture_output=True).returncode:
        raise Skip('no venv')
    run(sys.executable, TREE / 'tools/make_wheel.py', '--quick', BUILD, box)
    wheel, = box.glob('*.whl')
    assert wheel.name == f'hostwarp-{VERSION}-py3-none-linux_x86_64.whl'
    if subprocess.run([sys.executable, '-m', 'pip', '--version'], capture_output=True).returncode:
        raise Skip('no pip')
    run(sys.executable, '-m', 'pip', '--python', box / 'v/bin/python', 'install', '-q', '--no-index', wheel)
    (box / 'k.cu').write_text(HELLO)
    env = {**os.environ, 'HOSTWARP_CACHE': 'off'}
    assert run(box / 'v/bin/hostwarp', '--version').strip() == f'hostwarp {VERSION}'
    run(box / 'v/bin/hostwarp', 'run', box / 'k.cu', env=env)
    code = 'import hostwarp, ctypes; d = hostwarp.load(); n = ctypes.c_int(); print(d.cuInit(0), d.cuDeviceGetCount(ctypes.byref(n)), n.value)'
    assert run(box / 'v/bin/python', '-c', code, env=env).split() == ['0', '0', '1']
    # What packages ask for by name afterwards is there, though no path leads to it.
    names = 'libcuda.so.1', 'libcudart.so.12', 'libcudart.so.13', 'libnvrtc.so.13', 'libnvJitLink.so.13', 'libnvvm.so.4'
    code = f'import hostwarp, ctypes, os; hostwarp.load(); print([ctypes.CDLL(n, mode=os.RTLD_NOLOAD | os.RTLD_LAZY)._name for n in {names!r}])'
    assert run(box / 'v/bin/python', '-c', code, env=env).count('.so.') == len(names)


def test_the_example_project_builds_with_make_and_cmake(box):
    project = box / 'project'
    shutil.copytree(TREE / 'examples/project', project)
    env = {**os.environ, 'HOSTWARP_CACHE': 'off', 'PATH': f'{BUILD}/bin:{os.environ["PATH"]}'}
    assert 'cudaSuccess, 0 wrong' in run('make', "NVCC=hostwarp cc", 'test', cwd=project, env=env)
    if shutil.which('cmake'):
        run('sh', '-ec', 'eval "$(hostwarp env)"; cmake -B build . && cmake --build build && ctest --test-dir build', cwd=project, env=env)


def test_a_tarball_holds_what_git_knows(box):
    if not (TREE / '.git').exists():
        raise Skip('not a checkout')
    run('git', '-C', TREE, 'archive', '--format=tar', f'--prefix=hostwarp-{VERSION}/', '-o', box / 'x.tar', 'HEAD')
    names = run('tar', '-tf', box / 'x.tar').splitlines()
    assert f'hostwarp-{VERSION}/Makefile' in names and f'hostwarp-{VERSION}/VERSION' in names


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else ''
    tests = [(name, fn) for name, fn in globals().items() if name.startswith('test_') and pattern in name]
    failed = 0
    print(f'1..{len(tests)}')
    for i, (name, fn) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory(prefix='hostwarp-package-') as folder:
            try:
                fn(pathlib.Path(folder))
                print(f'ok {i} {name}', flush=True)
            except Skip as why:
                print(f'ok {i} {name} # SKIP {why}', flush=True)
            except Exception:
                failed += 1
                print(f'not ok {i} {name}\n' + ''.join('# ' + l + '\n' for l in traceback.format_exc().splitlines()[-10:]), flush=True)
    return 1 if failed else 0


sys.exit(main())
