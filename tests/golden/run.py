#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Golden tests: x.ptx must become exactly x.ir, or fail with exactly x.err; where there is x.explain, `hostwarp cc --explain` says that of it.

usage: run.py BUILD_FOLDER [--update] [NAME...]

--update writes what the files should be; read the difference before keeping it.
"""
import difflib
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def same(name, want_file, now, update, wrong):
    if update:
        want_file.write_text(now)
    want = want_file.read_text() if want_file.exists() else ''
    ok = want == now and not wrong
    print(f'{"ok" if ok else "not ok"} {name}')
    if not ok:
        sys.stdout.writelines(difflib.unified_diff(want.splitlines(True), now.splitlines(True), want_file.name, 'now'))
    return ok


def main():
    args = [a for a in sys.argv[1:] if a != '--update']
    update = '--update' in sys.argv
    if not args:
        print(__doc__, file=sys.stderr)
        return 2
    dump = pathlib.Path(args[0]) / 'meson' / 'tests' / 'golden-dump'
    bad = 0
    sources = [s for s in sorted(HERE.glob('*.ptx')) if not args[1:] or s.stem in args[1:]]
    print(f'1..{len(sources) + sum(s.with_suffix(".explain").exists() for s in sources)}')
    for source in sources:
        p = subprocess.run([str(dump), str(source)], capture_output=True, text=True, timeout=60)
        want_file = source.with_suffix('.err' if p.returncode == 1 else '.ir')
        other = source.with_suffix('.ir' if p.returncode == 1 else '.err')
        if p.returncode not in (0, 1) or p.stderr:
            print(f'not ok {source.stem}: exit status {p.returncode} {p.stderr}')
            return 1
        if update:
            other.unlink(missing_ok=True)
        bad += not same(source.stem, want_file, p.stdout, update, other.exists())
        if source.with_suffix('.explain').exists():
            env = dict(os.environ, HOSTWARP_WIDTH='16')
            p = subprocess.run([f'{args[0]}/bin/hostwarp', 'cc', '--explain', str(source)], capture_output=True, text=True, timeout=60, env=env)
            bad += not same(source.stem + ' --explain', source.with_suffix('.explain'), p.stdout + p.stderr, update, False)
    return 1 if bad else 0


sys.exit(main())
