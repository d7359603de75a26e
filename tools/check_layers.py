#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every #include in src/ points down: layers.txt lists, for each folder, the folders it may include.

usage: check_layers.py [TREE]      Exit status 1 and one line per wrong include; the list itself must have no circle.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
LLVM = re.compile(r'^\s*#\s*include\s+[<"]llvm-c/', re.M)


def read_layers(path):
    layers = {}
    for line in path.read_text().splitlines():
        line = line.split('#')[0].strip()
        if line:
            folder, _, below = line.partition(':')
            layers[folder.strip()] = below.split()
    return layers


def check_list(layers):
    """A folder may list only folders above it in the file, so that no circle can arise."""
    seen, problems = set(), []
    for folder, below in layers.items():
        problems += [f'layers.txt: {folder} lists {b}, which does not stand before it' for b in below if b not in seen]
        seen.add(folder)
    return problems


def check_file(path, src, layers):
    folder = path.relative_to(src).parts[0]
    text = path.read_text(errors='replace')
    for name in INCLUDE.findall(text):
        target = name.split('/')[0] if '/' in name else None
        if target is None or not (src / target).is_dir():
            if (path.parent / name).exists():
                yield f'{path}: "{name}" must be written with its folder'
            continue                                # generated, or outside src
        if target != folder and target not in layers[folder]:
            yield f'{path}: includes "{name}", but layers.txt does not let {folder} use {target}'
    if folder not in ('jit', 'nvvm') and LLVM.search(text):
        yield f'{path}: only jit/ and nvvm/ may include llvm-c'


def main():
    tree = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent
    layers = read_layers(tree / 'layers.txt')
    src = tree / 'src'
    problems = check_list(layers)
    for path in sorted(src.rglob('*')):
        if path.suffix in ('.c', '.h', '.def', '.inc') and path.parent != src:
            if path.relative_to(src).parts[0] not in layers:
                problems.append(f'{path}: its folder is not in layers.txt')
            else:
                problems += check_file(path, src, layers)
    print('\n'.join(problems) if problems else f'{len(layers)} folders, every include points down')
    return 1 if problems else 0


sys.exit(main())
