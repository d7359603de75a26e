#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the seed programs unmodified and compares what they print with what they printed on a real GPU.

usage: run.py BUILD        The programs stand in ../shared/seeds beside this repository; where they do not, the test is skipped.

Addresses, times and the device's name differ from machine to machine and are masked on both sides; the programs run with
the compute capability of that GPU.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
SEEDS = TREE.parent / 'shared/seeds'
MASKS = [
    (r'0x[0-9a-f]+', 'ADDRESS'),
    (r'[0-9.]+(e-?\d+)? s\b', 'TIME s'),
    (r'(starting at device 0: ).*?( memory size)', r'\1NAME\2'),
    (r'^\S*/?(seed4_\w+) starting', r'\1 starting'),
]


def mask(text):
    for pattern, replacement in MASKS:
        text = re.sub(pattern, replacement, text, flags=re.M)
    return text.strip()


def expected():
    """seeds.out -> {name: (output, exit status)}. `rc N` ends an entry, on the last line of output if that has no newline."""
    text = (TREE / 'tests/oracle/h200/seeds.out').read_text()
    parts = re.split(r'^=== (\S+)\n', text, flags=re.M)[1:]
    result = {}
    for name, body in zip(parts[::2], parts[1::2]):
        m = re.match(r'(.*?)rc (\d+)\s*$', body, re.S)
        result[name] = (m.group(1), int(m.group(2)))
    return result


def try_seed(hostwarp, source, want, folder):
    program = os.path.join(folder, source.stem)
    args = [hostwarp, 'cc', '-o', program, source, f'-I{SEEDS}/common', '-lcuda']
    built = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    if built.returncode:
        return 'does not compile:\n' + built.stdout
    try:
        ran = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, cwd=folder, stdin=subprocess.DEVNULL,
                             env={**os.environ, 'HOSTWARP_CC': '90'})
    except subprocess.TimeoutExpired:
        return 'no end after 60 s'
    have = mask(ran.stdout.decode(errors='replace'))
    if ran.returncode != want[1]:
        return f'exit status {ran.returncode}, on the GPU {want[1]}\n{have}'
    return None if have == mask(want[0]) else f'prints:\n{have}\n# on the GPU:\n{mask(want[0])}'


def main():
    if not (SEEDS / 'programs').is_dir():
        print(f'skipped: there is no {SEEDS}')
        return 77
    bad = 0
    want = expected()
    with tempfile.TemporaryDirectory() as folder:
        sources = sorted((SEEDS / 'programs').glob('seed*'))
        print(f'1..{len(sources)}')
        for source in sources:
            problem = try_seed(pathlib.Path(sys.argv[1]) / 'bin/hostwarp', source, want[source.stem], folder)
            print(f'{"not ok" if problem else "ok"} - seed program {source.name}')
            if problem:
                bad += 1
                print('# ' + problem.replace('\n', '\n# '))
    return 1 if bad else 0


sys.exit(main())
