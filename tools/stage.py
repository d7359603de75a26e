#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lays out what meson built the way the hostwarp command expects it: bin/, lib/, include/, nvvm/libdevice/, share/.

usage: stage.py BUILD                         from BUILD/meson into BUILD
       stage.py BUILD --install PREFIX [--destdir DIR]
                                              copies that to PREFIX/lib/hostwarp and links PREFIX/bin/hostwarp to it

The folder that holds bin/ and lib/ also is the --cuda-path that clang gets, hence nvvm/libdevice (empty).
"""
import argparse
import os
import pathlib
import shutil
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
# what -> where meson leaves it
FILES = {
    'bin/hostwarp': ['src/cli/hostwarp'],
    'lib/libcuda.so.1': ['src/driver/libcuda.so.1'],
    'lib/libcudart.so.12': ['src/runtime/libcudart.so.12', 'src/runtime/*/libcudart.so.12'],
    'lib/libcudart.so.13': ['src/runtime/libcudart.so.13', 'src/runtime/*/libcudart.so.13'],
    'lib/libcudart_static.a': ['src/runtime/libcudart_static.a', 'src/runtime/*/libcudart_static.a'],
}
FILES.update({f'lib/libnvrtc.so.{n}': [f'src/nvrtc/libnvrtc{n}.so'] for n in (12, 13)})
FILES.update({f'lib/libnvJitLink.so.{n}': [f'src/nvjitlink/libnvJitLink{n}.so'] for n in (12, 13)})
LINKS = {'lib/libnvrtc.so': 'libnvrtc.so.12', 'lib/libnvJitLink.so': 'libnvJitLink.so.12',
         'lib/libcuda.so': 'libcuda.so.1', 'lib/libcudart.so': 'libcudart.so.12', 'lib64': 'lib', 'bin/nvcc': 'hostwarp'}
# Built where LLVM's static libraries are installed; jit/llvm.c takes the system's LLVM without it.
FILES['lib/libhostwarp-check.so'] = ['src/preload/libhostwarp-check.so']
OPTIONAL = {'lib/libhostwarp-llvm.so'}
FILES['lib/libhostwarp-llvm.so'] = ['src/jit/libhostwarp-llvm.so']
# Device code is linked when it is loaded, so this library has nothing inside; build files name it all the same.
EMPTY = ['lib/libcudadevrt.a']
FOLDERS = {'include': 'include', 'share/bench': 'bench', 'share/examples': 'examples', 'share/prof': 'share/prof'}


def put_link(link, target):
    if os.path.islink(link) and os.readlink(link) == target:
        return
    if os.path.lexists(link):
        os.unlink(link)
    os.symlink(target, link)


def put_file(src, dst):
    """A hard link: the command finds its root from the name it was started with. A copy where links cannot be made."""
    if dst.exists() and os.path.samefile(src, dst):
        return
    if os.path.lexists(dst):
        dst.unlink()
    try:
        os.link(src, dst)
    except OSError:
        shutil.copy2(src, dst)


def stage(build):
    for folder in 'bin', 'lib', 'nvvm/libdevice', 'share':
        (build / folder).mkdir(parents=True, exist_ok=True)
    for name, patterns in FILES.items():
        found = [f for p in patterns for f in (build / 'meson').glob(p) if f.is_file()]
        if not found and name in OPTIONAL:
            continue
        if not found:
            sys.exit(f'stage.py: {build}/meson has no {patterns[0]}; is the build complete?')
        put_file(found[0].resolve(), build / name)
    for name, target in LINKS.items():
        put_link(build / name, target)
    for name in EMPTY:
        (build / name).write_bytes(b'!<arch>\n')
    for name, folder in FOLDERS.items():
        put_link(build / name, os.path.relpath(SOURCE / folder, (build / name).parent))


def install(build, prefix, destdir):
    prefix = pathlib.Path(os.path.abspath(prefix))
    top = pathlib.Path(destdir + str(prefix)) if destdir else prefix
    root = top / 'lib/hostwarp'
    if root.exists():
        shutil.rmtree(root)
    for folder in 'bin', 'lib', 'nvvm/libdevice', 'share':
        (root / folder).mkdir(parents=True)
    for name in FILES:
        if name not in OPTIONAL or (build / name).exists():
            shutil.copy2(build / name, root / name)
    for name, target in LINKS.items():
        os.symlink(target, root / name)
    for name in EMPTY:
        shutil.copy2(build / name, root / name)
    for name, folder in FOLDERS.items():
        shutil.copytree(SOURCE / folder, root / name)
    (top / 'bin').mkdir(parents=True, exist_ok=True)
    put_link(top / 'bin/hostwarp', '../lib/hostwarp/bin/hostwarp')
    man = top / 'share/man/man1'
    man.mkdir(parents=True, exist_ok=True)
    for page in sorted((SOURCE / 'man').glob('*.1')):
        shutil.copy2(page, man / page.name)
    for shell, name in (('bash', 'bash-completion/completions/hostwarp'), ('zsh', 'zsh/site-functions/_hostwarp')):
        completion = top / 'share' / name
        completion.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(SOURCE / f'share/completion/hostwarp.{shell}', completion)
    print(f'Installed in {top}: bin/hostwarp, lib/hostwarp (libraries, headers, examples), share/man/man1')


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('build', type=pathlib.Path)
    p.add_argument('--install', metavar='PREFIX')
    p.add_argument('--destdir', default='')
    a = p.parse_args()
    build = a.build.resolve()
    if a.install:
        install(build, a.install, a.destdir)
    else:
        stage(build)


main()
