#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Passes, by files: what apply makes of x.ir must be x.out. The comments in x.ir say which passes run.

usage: run.py BUILD_FOLDER [--update] [NAME...]

--update writes what the files should be; read the difference before keeping it.
"""
import difflib
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def untested():
    """Transformations of passes.def that no file names."""
    table = (HERE.parent.parent / 'src/pass/passes.def').read_text()
    named = set(' '.join(re.findall(r'^; passes: (.*)$', '\n'.join(f.read_text() for f in HERE.glob('*.ir')), re.M)).upper().split())
    return [t for t in re.findall(r'^TRANSFORM\((\w+),', table, re.M) if t not in named]


def main():
    args = [a for a in sys.argv[1:] if a != '--update']
    update = '--update' in sys.argv
    if not args:
        print(__doc__, file=sys.stderr)
        return 2
    apply = pathlib.Path(args[0]) / 'meson' / 'tests' / 'pass-apply'
    bad = 0
    sources = [s for s in sorted(HERE.glob('*.ir')) if not args[1:] or s.stem in args[1:]]
    print(f'1..{len(sources) + 1}')
    for source in sources:
        p = subprocess.run([str(apply), str(source)], capture_output=True, text=True, timeout=60)
        want_file = source.with_suffix('.out')
        if update:
            want_file.write_text(p.stdout)
        want = want_file.read_text() if want_file.exists() else ''
        ok = p.returncode == 0 and not p.stderr and want == p.stdout
        print(f'{"ok" if ok else "not ok"} {source.stem}')
        if not ok:
            bad += 1
            sys.stdout.writelines(difflib.unified_diff(want.splitlines(True), p.stdout.splitlines(True), want_file.name, 'now'))
            print(p.stderr, f'exit status {p.returncode}')
    missing = untested()
    print(f'{"not ok" if missing else "ok"} every transformation has a file', *missing)
    return 1 if bad or missing else 0


sys.exit(main())
