#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks that every #include in src/ points down: layers.txt lists, for each folder, the folders it may include, and for some the same for their parts.
Doors (what one library of ours exports for another under a name hostwarp_*) are in the same list: who has one, and who uses it.
Units (a .c file with its header, and its _internal header) of the folders in ACYCLIC must not include each other in a circle either.

usage: check_layers.py [TREE]      Exit status 1 and one line per wrong include or circle; the list itself must have no circle.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.M)
LLVM = re.compile(r'^\s*#\s*include\s+[<"]llvm-c/', re.M)
EXPORTED = re.compile(r'^(?:extern )?(?:HW_)?EXPORT\b[^;{(=]*?\b(hostwarp_\w+)', re.M)
COMMENT = re.compile(r'/\*.*?\*/', re.S)
ACYCLIC = 'core', 'exec', 'prof', 'clock', 'pass', 'ptx'


def read_layers(path):
    layers = {}
    for line in path.read_text().splitlines():
        line = line.split('#')[0].strip()
        if line and not line.startswith('door '):
            folder, _, below = line.partition(':')
            folder = folder.strip()
            parent = folder.rpartition('/')[0]
            layers[folder] = [f'{parent}/{b}' if parent else b for b in below.split()]
    return layers


def read_doors(path):
    """{name: (folder that has it, folders that use it)}"""
    found = re.findall(r'^door (\w+): (\w+) > (.+)$', path.read_text(), re.M)
    return {name: (owner, users.split()) for name, owner, users in found}


def check_doors(tree, doors):
    """Each exported name has its line, lies where that says, and is used by those that it names and by nobody else."""
    public = ''.join(p.read_text(errors='replace') for p in sorted((tree / 'include').rglob('*.h')))
    exported, used = {}, {}
    for path in sorted((tree / 'src').rglob('*.[ch]')):
        folder, text = path.relative_to(tree / 'src').parts[0], COMMENT.sub('', path.read_text(errors='replace'))
        exported.update((name, folder) for name in EXPORTED.findall(text))
        for name in set(re.findall(r'\bhostwarp_\w+', text)) & doors.keys():
            used.setdefault(name, set()).add(folder)
    for name, folder in sorted(exported.items()):
        if name not in doors:
            yield f'layers.txt: {folder} exports {name}, which has no line as a door'
    for name, (owner, users) in sorted(doors.items()):
        if exported.get(name) != owner:
            yield f'layers.txt: {owner} does not export {name}'
        wanted = set(users) - {'programs'}
        for folder in sorted(used.get(name, set()) - wanted - {owner}):
            yield f'layers.txt: {folder} uses {name}, which is a door for {", ".join(users)}'
        for folder in sorted(wanted - used.get(name, set())):
            yield f'layers.txt: {folder} does not use {name} any more'
        if 'programs' in users and name not in public:
            yield f'layers.txt: {name} is for programs, but no header of include/ has it'


def check_list(layers):
    """A folder may list only folders above it in the file, so that no circle can arise."""
    seen, problems = set(), []
    for folder, below in layers.items():
        problems += [f'layers.txt: {folder} lists {b}, which does not stand before it' for b in below if b not in seen]
        seen.add(folder)
    return problems


def part_of(name, layers):
    """The part of a folder that a path within src/ lies in, or None: in no part that is listed."""
    parts = name.split('/')
    part = '/'.join(parts[:2])
    return part if len(parts) > 2 and part in layers else None


def check_parts(path, name, included, layers):
    folder = name.split('/')[0]
    if not any(f.startswith(folder + '/') for f in layers):
        return
    own = part_of(name, layers)
    if len(name.split('/')) > 2 and not own:
        yield f'{path}: its folder is not in layers.txt'
    for target in included:
        other = part_of(target, layers) if target.split('/')[0] == folder else None
        if own and other and other != own and other not in layers[own]:
            yield f'{path}: includes "{target}", but layers.txt does not let {own} use {other}'


def check_file(path, src, layers):
    name = str(path.relative_to(src))
    folder = name.split('/')[0]
    text = path.read_text(errors='replace')
    included = INCLUDE.findall(text)
    for target_name in included:
        target = target_name.split('/')[0] if '/' in target_name else None
        if target is None or not (src / target).is_dir():
            if (path.parent / target_name).exists():
                yield f'{path}: "{target_name}" must be written with its folder'
            continue                                # generated, or outside src
        if target != folder and target not in layers[folder]:
            yield f'{path}: includes "{target_name}", but layers.txt does not let {folder} use {target}'
    yield from check_parts(path, name, included, layers)
    if folder not in ('jit', 'nvvm') and LLVM.search(text):
        yield f'{path}: only jit/ and nvvm/ may include llvm-c'


def unit_of(name):
    stem = name.rpartition('.')[0]
    return stem[:-len('_internal')] if stem.endswith('_internal') else stem


def units(src, folder):
    """{unit: units that it includes} of a folder."""
    graph = {}
    for path in sorted((src / folder).rglob('*')):
        if path.suffix in ('.c', '.h'):
            unit = unit_of(str(path.relative_to(src)))
            targets = {unit_of(t) for t in INCLUDE.findall(path.read_text(errors='replace')) if t.startswith(folder + '/') and t.endswith('.h')}
            graph.setdefault(unit, set()).update(targets - {unit})
    return graph


def find_circle(graph):
    """A list of units each of which includes the next, the last the first; None: there is no circle."""
    done, way = set(), []

    def visit(unit):
        if unit in way:
            return way[way.index(unit):]
        if unit in done:
            return None
        way.append(unit)
        for other in sorted(graph.get(unit, ())):
            circle = visit(other)
            if circle:
                return circle
        done.add(way.pop())
        return None

    for unit in sorted(graph):
        circle = visit(unit)
        if circle:
            return circle
    return None


def check_circles(src):
    for folder in ACYCLIC:
        circle = find_circle(units(src, folder)) if (src / folder).is_dir() else None
        if circle:
            yield 'these include each other in a circle: ' + ' -> '.join(circle + circle[:1])


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
    problems += check_circles(src)
    doors = read_doors(tree / 'layers.txt')
    problems += check_doors(tree, doors)
    print('\n'.join(problems) if problems else f'{len(layers)} folders and parts, every include points down, no circle; {len(doors)} doors')
    return 1 if problems else 0


sys.exit(main())
