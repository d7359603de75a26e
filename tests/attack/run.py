#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the kernels of kernels.py, which try to leave their sandbox, at every vector width this machine has.

usage: run.py [BUILD] [--lib LIBCUDA] [--only PATTERN] [--width W] [--all] [--keep FOLDER]
  --only  those whose name or family is like this
  --all   every one at every width; else many run at two widths only, by their names
  --lib   another driver library: what an older one lets through
  --keep  leave the PTX there
"""
import argparse
import fnmatch
import os
import pathlib
import subprocess
import sys
import tempfile
import zlib

from kernels import attacks

HERE = pathlib.Path(__file__).resolve().parent


def widths():
    flags = pathlib.Path('/proc/cpuinfo').read_text()
    return [1, 4, 8] + [16] * ('avx512bw' in flags)


def escaped(build, lib):
    """Kernels that the escape fuzzer once found a way out with; it runs them again, at the width that they name."""
    for path in sorted((HERE / 'escaped').glob('*.ptx')):
        if 'width 16' in path.read_text() and 16 not in widths():
            continue
        r = subprocess.run([build / 'meson/tests/fuzz-escape', '--lib', lib, '--files', path], stdout=subprocess.PIPE, text=True, errors='replace', timeout=60)
        yield path.stem, r.returncode == 0 and ' 1 cases, 0 findings' in r.stdout, r.stdout


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('build', nargs='?', type=pathlib.Path, default=HERE.parent.parent / 'build')
    p.add_argument('--lib')
    p.add_argument('--only', default='*')
    p.add_argument('--width', type=int)
    p.add_argument('--all', action='store_true')
    p.add_argument('--keep', type=pathlib.Path)
    o = p.parse_args()
    lib = o.lib or o.build / 'lib/libcuda.so.1'
    bad = n = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = o.keep or pathlib.Path(scratch)
        folder.mkdir(exist_ok=True)
        chosen = [a for a in attacks() if fnmatch.fnmatch(a.name, o.only) or fnmatch.fnmatch(a.family, o.only)]
        for a in chosen:
            (folder / f'{a.name}.ptx').write_text(a.text)
        for k, width in enumerate([o.width] if o.width else widths()):
            lines = [f'{a.name} {folder / a.name}.ptx {a.blocks} {a.threads} {a.shared} {a.argument} {a.expect}\n'
                     for a in chosen if o.all or o.width or a.every or (zlib.crc32(a.name.encode()) + k) % 2]
            (folder / 'list').write_text(''.join(lines))
            env = dict(os.environ, HOSTWARP_WIDTH=str(width), HOSTWARP_TIERS='off')
            r = subprocess.run([o.build / 'meson/tests/attack-attack', lib, folder / 'list'], env=env, stdout=subprocess.PIPE, text=True, errors='replace')
            print(f'# width {width}')
            for line in r.stdout.splitlines():
                if line.startswith(('ok', 'not ok')):
                    n += 1
                    bad += line.startswith('not')
                    verdict, name = line.split(' - ')
                    print(f'{"not ok" if line.startswith("not") else "ok"} {n} - {name} at width {width}')
                elif not line.startswith('1..'):
                    print(line)
            if r.returncode not in (0, 1) or f'1..{len(lines)}' not in r.stdout:
                print(f'not ok {n + 1} - all were run at width {width}')
                n, bad = n + 1, bad + 1
    for name, ok, text in escaped(o.build, lib) if o.only == '*' and not o.width else ():
        n, bad = n + 1, bad + (not ok)
        print(f'{"ok" if ok else "not ok"} {n} - {name}', *(() if ok else ('# ' + text.replace('\n', '\n# '),)), sep='\n' if not ok else '')
    print(f'1..{n}')
    return bad != 0


sys.exit(main())
