#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables of docs/performance.md from what benchmarks printed as JSON (docs/data), or checks that they are what they say.

usage: gen_performance.py [--update]

bench-N.json     bench/run --threads N --json
machine-X.json   hostwarp bench --json, on a GPU and on its host
"""
import json
import math
import pathlib
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent
DATA = TREE / 'docs/data'
END = '<!-- end table -->\n'


def read(name):
    return json.loads((DATA / name).read_text())


def ratio(result, other):
    v = result['variants']
    return v[other]['seconds'] / v['cuda']['seconds']


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def bench_table():
    one, two = read('bench-1.json')['results'], {r['name']: r for r in read('bench-2.json')['results']}
    rows = ['| benchmark | CUDA ms | OpenCL ms | OpenMP ms | vs OpenCL | vs OpenMP | 2 threads: CUDA ms | vs OpenCL | vs OpenMP |', '|---|---:|---:|---:|---:|---:|---:|---:|---:|']
    for r in sorted(one, key=lambda r: r['name']):
        ms = [r['variants'][v]['seconds'] * 1e3 for v in ('cuda', 'ocl', 'omp')]
        s = two[r['name']]
        rows.append(f'| {r["name"]} | {ms[0]:.2f} | {ms[1]:.1f} | {ms[2]:.2f} | {ratio(r, "ocl"):.2f} | {ratio(r, "omp"):.2f} '
                    f'| {s["variants"]["cuda"]["seconds"] * 1e3:.2f} | {ratio(s, "ocl"):.2f} | {ratio(s, "omp"):.2f} |')
    m = [mean([ratio(r, v) for r in part]) for part in (one, two.values()) for v in ('ocl', 'omp')]
    rows.append(f'| **geometric mean** | | | | **{m[0]:.2f}** | **{m[1]:.2f}** | | **{m[2]:.2f}** | **{m[3]:.2f}** |')
    return '\n'.join(rows) + '\n'


def machine_table():
    gpu, host = read('machine-h200.json'), read('machine-host.json')
    here = {r['name']: r for r in host['results']}
    rows = [f'| | {gpu["device"]} | {host["device"]} | |', '|---|---:|---:|---|']
    rows += [f'| {r["name"]} | {r["value"]:g} | {here[r["name"]]["value"]:g} | {r["unit"]} |' for r in gpu['results']]
    return '\n'.join(rows) + '\n'


def main():
    page = TREE / 'docs/performance.md'
    text = now = page.read_text()
    for name, make in {'bench': bench_table, 'machine': machine_table}.items():
        begin = f'<!-- begin {name}: tools/gen_performance.py --update -->\n'
        before, rest = now.split(begin)
        now = before + begin + make() + END + rest.split(END, 1)[1]
    if '--update' in sys.argv:
        page.write_text(now)
    elif now != text:
        print('docs/performance.md is not what docs/data says; run tools/gen_performance.py --update')
        return 1
    print('the tables of docs/performance.md are those of docs/data')
    return 0


sys.exit(main())
