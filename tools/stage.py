#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lays out what meson built the way the hostwarp command expects it: bin/, lib/, include/, nvvm/libdevice/, share/.

usage: stage.py BUILD                         from BUILD/meson into BUILD
       stage.py BUILD --install PREFIX [--destdir DIR] [--no-strip]
                                              copies that to PREFIX/lib/hostwarp, links PREFIX/bin/hostwarp to it, and adds manual pages and completion
       stage.py BUILD --uninstall PREFIX [--destdir DIR]
                                              removes what the former put there, and the folders that it made

The folder that holds bin/ and lib/ also is the --cuda-path that clang gets, hence nvvm/libdevice.
"""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parent.parent
VERSION = (SOURCE / 'VERSION').read_text().strip()
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
FILES.update({'lib/hostwarp-nvvm': ['src/nvvm/hostwarp-nvvm'], 'nvvm/lib64/libnvvm.so.4': ['src/nvvm/libnvvm4.so'],
              'nvvm/libdevice/libdevice.10.bc': ['src/nvvm/libdevice.10.bc']})
# From the source as they are.
COPIES = {'lib/hostwarp-nvvm.ll': 'src/nvvm/prelude.ll'}
# Text for build systems, with @VERSION@ and @ROOT@ (the way from the file's folder to the root) filled in.
TEXTS = {f'lib/cmake/hostwarp/{name}': f'share/cmake/{name}' for name in ('hostwarp-config.cmake', 'hostwarp-config-version.cmake', 'toolchain.cmake')}
TEXTS['lib/pkgconfig/hostwarp.pc'] = 'share/pkgconfig/hostwarp.pc'
TEXTS.update({name: f'share/toolkit/{name}' for name in ('version.txt', 'version.json')})       # the level of the toolkit, where build systems look
# The same where CMake and pkg-config look in a PREFIX.
OUTER = {'lib/cmake/hostwarp/hostwarp-config.cmake': 'include("${CMAKE_CURRENT_LIST_DIR}/../../hostwarp/lib/cmake/hostwarp/hostwarp-config.cmake")\n',
         'lib/cmake/hostwarp/hostwarp-config-version.cmake': 'include("${CMAKE_CURRENT_LIST_DIR}/../../hostwarp/lib/cmake/hostwarp/hostwarp-config-version.cmake")\n',
         'lib/pkgconfig/hostwarp.pc': None}
LINKS = {'nvvm/lib64/libnvvm.so': 'libnvvm.so.4', 'nvvm/lib': 'lib64', 'nvvm/include': '../include', 'lib/libnvvm.so.4': '../nvvm/lib64/libnvvm.so.4',
         'lib/libnvvm.so': 'libnvvm.so.4', 'lib/libnvrtc.so': 'libnvrtc.so.12', 'lib/libnvJitLink.so': 'libnvJitLink.so.12',
         'lib/libcuda.so': 'libcuda.so.1', 'lib/libcudart.so': 'libcudart.so.12', 'lib64': 'lib', **{f'bin/{name}': 'hostwarp' for name in ('nvcc', 'ptxas', 'nvprof', 'compute-sanitizer', 'cuda-memcheck')}}
# Built where LLVM's static libraries are installed; jit/code/llvm.c takes the system's LLVM without it.
FILES['lib/libhostwarp-check.so'] = ['src/preload/libhostwarp-check.so']
FILES['lib/libhostwarp-mpi.so'] = ['src/preload/libhostwarp-mpi.so']
OPTIONAL = {'lib/libhostwarp-llvm.so'}
FILES['lib/libhostwarp-llvm.so'] = ['src/jit/libhostwarp-llvm.so']
# Device code is linked when it is loaded, so this library has nothing inside; build files name it all the same.
EMPTY = ['lib/libcudadevrt.a']
FOLDERS = {'include': 'include', 'share/bench': 'bench', 'share/examples': 'examples', 'share/check': 'share/check', 'share/prof': 'share/prof', 'share/gdb': 'share/gdb', 'share/gpus': 'share/gpus'}
COMPLETION = {'bash': 'share/bash-completion/completions/hostwarp', 'zsh': 'share/zsh/site-functions/_hostwarp'}
MADE = 'lib/hostwarp/made.txt'                   # the folders that installing made, for uninstalling


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


def put_texts(root):
    for name, source in TEXTS.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(filled(source, '../..'))


def filled(source, root):
    return (SOURCE / source).read_text().replace('@VERSION@', VERSION).replace('@ROOT@', root)


def stage(build):
    for folder in 'bin', 'lib', 'nvvm/libdevice', 'nvvm/lib64', 'share':
        (build / folder).mkdir(parents=True, exist_ok=True)
    for name, patterns in FILES.items():
        found = [f for p in patterns for f in (build / 'meson').glob(p) if f.is_file()]
        if not found and name in OPTIONAL:
            continue
        if not found:
            sys.exit(f'stage.py: {build}/meson has no {patterns[0]}; is the build complete?')
        put_file(found[0].resolve(), build / name)
    for name, source in COPIES.items():
        shutil.copy2(SOURCE / source, build / name)
    put_texts(build)
    for name, target in LINKS.items():
        put_link(build / name, target)
    for name in EMPTY:
        (build / name).write_bytes(b'!<arch>\n')
    for name, folder in FOLDERS.items():
        put_link(build / name, os.path.relpath(SOURCE / folder, (build / name).parent))


def make_folder(path, top, made):
    """Notes which folders were not there before, deepest last."""
    missing = [p for p in (path, *path.parents) if not p.exists()]
    path.mkdir(parents=True, exist_ok=True)
    made += [str(p.relative_to(top)) for p in reversed(missing) if p.is_relative_to(top) and p != top]


def install_program(build, name, root, strip):
    shutil.copy2(build / name, root / name)
    if strip and (root / name).read_bytes()[:4] in (b'\x7fELF', b'!<ar'):       # what a debugger needs is as large as the rest
        subprocess.run(['strip', '--strip-debug' if name.endswith('.a') else '--strip-unneeded', '--remove-section=.comment', root / name], check=True)


def install(build, prefix, destdir, strip):
    prefix = pathlib.Path(os.path.abspath(prefix))
    top = pathlib.Path(destdir + str(prefix)) if destdir else prefix
    root, made = top / 'lib/hostwarp', []
    uninstall_tree(top)                          # also the folders, which are then made and noted anew
    make_folder(root, top, made)
    for folder in 'bin', 'lib', 'nvvm/libdevice', 'nvvm/lib64', 'share':
        (root / folder).mkdir(parents=True)
    for name in FILES:
        if name not in OPTIONAL or (build / name).exists():
            install_program(build, name, root, strip)
    for name, source in COPIES.items():
        shutil.copy2(SOURCE / source, root / name)
    put_texts(root)
    for name, target in LINKS.items():
        os.symlink(target, root / name)
    for name in EMPTY:
        shutil.copy2(build / name, root / name)
    for name, folder in FOLDERS.items():
        shutil.copytree(SOURCE / folder, root / name)
    make_folder(top / 'bin', top, made)
    put_link(top / 'bin/hostwarp', '../lib/hostwarp/bin/hostwarp')
    make_folder(top / 'share/man/man1', top, made)
    for page in manual_pages():
        (top / 'share/man/man1' / page.name).write_text(page.read_text().replace('@VERSION@', VERSION))
    for name, text in OUTER.items():
        make_folder((top / name).parent, top, made)
        (top / name).write_text(text or filled(TEXTS[name], '../hostwarp'))
    for shell, name in COMPLETION.items():
        make_folder((top / name).parent, top, made)
        shutil.copy2(SOURCE / f'share/completion/hostwarp.{shell}', top / name)
    (top / MADE).write_text(''.join(m + '\n' for m in made))
    print(f'Installed in {top}: bin/hostwarp, lib/hostwarp (libraries, headers, examples), share/man/man1')


def manual_pages():
    return sorted((SOURCE / 'man').glob('*.1'))


def uninstall_tree(top):
    """Removes an installation; true when there was one. What somebody else put into the folders keeps them."""
    root = top / 'lib/hostwarp'
    if not root.exists():
        return False
    made = (top / MADE).read_text().split('\n') if (top / MADE).exists() else []
    shutil.rmtree(root)
    for name in ['bin/hostwarp', *COMPLETION.values(), *OUTER, *(f'share/man/man1/{p.name}' for p in manual_pages())]:
        if os.path.lexists(top / name):
            (top / name).unlink()
    for name in sorted(filter(None, made), key=len, reverse=True):
        try:
            (top / name).rmdir()
        except OSError:
            pass
    return True


def uninstall(prefix, destdir):
    prefix = pathlib.Path(os.path.abspath(prefix))
    top = pathlib.Path(destdir + str(prefix)) if destdir else prefix
    print(f'Removed hostwarp from {top}' if uninstall_tree(top) else f'There is no hostwarp in {top}')


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('build', type=pathlib.Path)
    p.add_argument('--install', metavar='PREFIX')
    p.add_argument('--uninstall', metavar='PREFIX')
    p.add_argument('--destdir', default='')
    p.add_argument('--no-strip', action='store_true')
    a = p.parse_args()
    build = a.build.resolve()
    if a.install:
        install(build, a.install, a.destdir, not a.no_strip)
    elif a.uninstall:
        uninstall(a.uninstall, a.destdir)
    else:
        stage(build)


if __name__ == '__main__':
    main()
