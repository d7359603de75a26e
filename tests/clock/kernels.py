#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels of bench/ as they were measured on an H200 (h200/kernels.csv, Nsight Compute), and as the h200 profile predicts them.

usage: kernels.py BUILD [--markdown] [PROGRAM...]
"""
import csv
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
LIMITS = ('launch', 'issue', 'float units', 'integer units', 'double units', 'special units', 'load/store units', 'shared memory', 'matrix units', 'L2', 'DRAM', 'bus',
          'latency')


def plain(name):
    m = re.match(r'_Z(\d+)(.*)', name)
    return m.group(2)[:int(m.group(1))] if m else name


def predict(build, program, folder, env=None):
    """{(kernel, grid, block): [(ns, limit)]}: one for each set of numbers among the parameters."""
    exe, out = folder / program, folder / (program + '.clock')
    if not exe.exists():
        subprocess.run([build / 'bin/hostwarp', 'cc', '-O3', '-o', exe, TREE / 'bench' / program / (program + '.cu')], check=True)
    subprocess.run([exe, '1'], env={**os.environ, **(env or {}), 'HOSTWARP_GPU': 'h200', 'HOSTWARP_CLOCK_OUT': str(out)}, check=True, stdout=subprocess.DEVNULL, timeout=300)
    found, key = {}, None
    for line in out.read_text().splitlines():
        f = line.split()
        if f[0] == 'counts':
            key = plain(f[1]), f[2], f[3]
        elif f[0] == 'time' and f[1] == '0':
            found.setdefault(key, []).append((float(f[3]), LIMITS[int(f[5])]))
    return found


def compare(build, programs, folder):
    """Rows of (program, kernel, grid, block, measured ns, predicted ns, limit)."""
    rows, predicted = [], {}
    for r in csv.DictReader((HERE / 'h200/kernels.csv').open()):
        if programs and r['program'] not in programs:
            continue
        if r['program'] not in predicted:
            predicted[r['program']] = predict(build, r['program'], folder)
        all_ns = predicted[r['program']][r['kernel'], r['grid'], r['block']]
        ns = statistics.median(n for n, _ in all_ns)
        limit = min(all_ns, key=lambda n: abs(n[0] - ns))[1]
        rows.append((r['program'], r['kernel'], r['grid'], r['block'], float(r['ns']), ns, limit))
    return rows


def summary(rows):
    errors = [abs(p / m - 1) for *_, m, p, _ in rows]
    return statistics.median(errors), sum(max(p / m, m / p) <= 2 for *_, m, p, _ in rows) / len(rows)


def main():
    args = [a for a in sys.argv[1:] if a != '--markdown']
    with tempfile.TemporaryDirectory() as folder:
        rows = compare(pathlib.Path(args[0]).resolve(), args[1:], pathlib.Path(folder))
    markdown = '--markdown' in sys.argv
    if markdown:
        print('| program | kernel | grid | block | H200, us | predicted, us | error | limited by |\n|---|---|---|---|---:|---:|---:|---|')
    for program, kernel, grid, block, measured, predicted, limit in rows:
        form = '| {} | {} | {} | {} | {:.2f} | {:.2f} | {:+.0f} % | {} |' if markdown else '{:13} {:15} {:12} {:9} {:9.2f} {:9.2f} {:+5.0f} %  {}'
        print(form.format(program, kernel, grid, block, measured / 1e3, predicted / 1e3, 100 * (predicted / measured - 1), limit))
    median, within = summary(rows)
    print(f'\nmedian error {100 * median:.1f} %, {100 * within:.1f} % within a factor of 2')


if __name__ == '__main__':
    main()
