#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the kernels of kernels.py, which try to leave their sandbox, at every vector width this machine has.

usage: run.py [BUILD] [--lib LIBCUDA] [--only PATTERN] [--width W] [--mode MODE] [--all] [--keep FOLDER]
  --only  those whose name or family is like this
  --all   every one at every width; else many run at two widths only, by their names
  --mode  how kernels are compiled, a row of MODES, or `every`; without it plain, and some kernels in each of the others
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
import time
import zlib

from kernels import attacks

# Instrumented code and other ways to run a kernel are as good a way out as any.
MODES = {
    'plain': {'HOSTWARP_TIERS': 'off'},
    'tiers': {'HOSTWARP_TIERS': 'auto'},
    'check': {'HOSTWARP_TIERS': 'off', 'HOSTWARP_CHECK': 'all', 'HOSTWARP_CHECK_FD': '2'},
    'prof': {'HOSTWARP_TIERS': 'off', 'HOSTWARP_PROF': '{folder}/prof.%p', 'HOSTWARP_PROF_DETAILS': '1'},
    'verify': {'HOSTWARP_TIERS': 'off', 'HOSTWARP_VERIFY': '1'},
    'gpu': {'HOSTWARP_TIERS': 'off', 'HOSTWARP_GPU': 'h200'},
}
SAMPLE = 8                       # every so many of the kernels in the other modes, at a width that changes
TIMEOUT = 10                     # a kernel may wait for itself for ever
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


def plan(chosen, o):
    """(mode, width, kernels) of each run."""
    some = [o.width] if o.width else widths()
    modes = list(MODES) if o.mode == 'every' else [o.mode or 'plain']
    for mode in modes:
        for k, width in enumerate(some):
            yield mode, width, [a for a in chosen if o.all or o.width or a.every or (zlib.crc32(a.name.encode()) + k) % 2]
    for m, mode in enumerate(MODES if not (o.mode or o.width or o.all) else ()):
        for k, width in enumerate(some if mode != 'plain' else ()):
            yield mode, width, [a for a in chosen if zlib.crc32(a.name.encode()) % (SAMPLE * len(some)) == (m + k) % len(some) * SAMPLE]


def run_list(build, lib, folder, mode, width, chosen, before):
    """Runs them in one process, and tells; returns how many lines were told, and how many of them are bad."""
    n = bad = 0
    (folder / 'list').write_text(''.join(f'{a.name} {folder / a.name}.ptx {a.blocks} {a.threads} {a.shared} {a.argument} {a.expect}\n' for a in chosen))
    env = dict(os.environ, HOSTWARP_WIDTH=str(width), HOSTWARP_TIMEOUT=str(TIMEOUT), **{k: v.format(folder=folder) for k, v in MODES[mode].items()})
    start = time.monotonic()
    r = subprocess.run([build / 'meson/tests/attack-attack', lib, folder / 'list'], env=env, stdout=subprocess.PIPE, text=True, errors='replace')
    print(f'# width {width}, {mode}: {len(chosen)} kernels, {time.monotonic() - start:.0f} s')
    for line in r.stdout.splitlines():
        if line.startswith(('ok', 'not ok')):
            verdict, name = line.split(' - ')
            n += 1
            bad += verdict.startswith('not')
            print(f'{"not ok" if verdict.startswith("not") else "ok"} {before + n} - {name} at width {width}, {mode}')
        elif not line.startswith('1..'):
            print(line)
    if r.returncode not in (0, 1) or f'1..{len(chosen)}' not in r.stdout:
        n, bad = n + 1, bad + 1
        print(f'not ok {before + n} - all were run at width {width}, {mode}')
    return n, bad


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('build', nargs='?', type=pathlib.Path, default=HERE.parent.parent / 'build')
    p.add_argument('--lib')
    p.add_argument('--only', default='*')
    p.add_argument('--width', type=int)
    p.add_argument('--mode', choices=[*MODES, 'every'])
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
        for mode, width, part in plan(chosen, o):
            run_n, run_bad = run_list(o.build, lib, folder, mode, width, part, n)
            n, bad = n + run_n, bad + run_bad
    for name, ok, text in escaped(o.build, lib) if o.only == '*' and not o.width and not o.mode else ():
        n, bad = n + 1, bad + (not ok)
        print(f'{"ok" if ok else "not ok"} {n} - {name}', *(() if ok else ('# ' + text.replace('\n', '\n# '),)), sep='\n' if not ok else '')
    print(f'1..{n}')
    return bad != 0


sys.exit(main())
