#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the C test programs of a folder, so that adding a test edits no list.

usage: list.py FOLDER         one line per program, its name: every C file with a main is one
       list.py FOLDER --helpers  the folder's files without a main, which all its programs may use
       list.py --changed FILE exit status 0 when the set of all test programs is not what FILE says; FILE is brought up to date
"""
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
MAIN = re.compile(r'^int\s+main\s*\(', re.M)


def split(folder):
    files = sorted((HERE / folder).glob('*.c'))
    mains = [f for f in files if MAIN.search(f.read_text(errors='replace'))]
    return mains, [f for f in files if f not in mains]


def main():
    if sys.argv[1] == '--changed':
        stamp = pathlib.Path(sys.argv[2])
        now = ''.join(f'{f}\n' for d in sorted(HERE.iterdir()) if d.is_dir() for part in split(d.name) for f in part)
        old = stamp.read_text() if stamp.exists() else None
        stamp.write_text(now)
        return 0 if old is not None and old != now else 1
    mains, helpers = split(sys.argv[1])
    if len(sys.argv) > 2:
        print('\n'.join(f'{sys.argv[1]}/{f.name}' for f in helpers))
    else:
        print('\n'.join(m.stem for m in mains))
    return 0


sys.exit(main())
