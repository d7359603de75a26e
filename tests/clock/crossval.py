#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How much of the model's accuracy comes from having seen the kernels: each program of h200/kernels.csv is left out in turn, the model's fitted numbers are chosen by the
others, starting from data-sheet values, and the one left out is predicted.

usage: crossval.py BUILD [FOLDER]      FOLDER keeps what was counted (a run takes minutes)
"""
import csv
import math
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import kernels                                   # noqa: E402: beside this file

# numbers of the profile that were chosen by looking at the table: what a data sheet or a paper has first, then what is tried
FITTED = {'issue': [4, 3.2, 3.6], 'dram-efficiency': [0.9, 0.8, 0.84, 0.88, 0.92], 'kernel-least': [2500, 1500, 2000, 2250], 'latency-dram': [600, 700, 800, 850, 950],
          'l2-bandwidth': [5500, 4000, 7000], 'latency-shared': [29, 24, 34], 'latency-l1': [38, 32], 'latency-barrier': [30, 20, 45], 'latency-special': [24, 18, 36]}


class Model:
    def __init__(self, build, folder, programs):
        self.folder, self.known = folder, {}
        self.files = [folder / (p + '.clock') for p in programs]
        for p, f in zip(programs, self.files):
            if not f.exists():
                kernels.predict(build, p, folder)
        self.exe = folder / 'model'
        subprocess.run(['cc', '-O1', '-I', TREE / 'src', '-o', self.exe, HERE / 'model.c', TREE / 'src/gpu/kernel.c', TREE / 'src/gpu/profile.c',
                        build / 'meson/src/base/libhw_base.a', '-lm', '-ldl', '-lpthread'], check=True)

    def times(self, numbers):
        key = tuple(sorted(numbers.items()))
        if key not in self.known:
            text = (TREE / 'share/gpus/h200').read_text()
            for name, value in numbers.items():
                text, n = re.subn(rf'^({name}\s+)\S+', rf'\g<1>{value}', text, flags=re.M)
                assert n == 1, name
            (self.folder / 'card').write_text(text)
            out = {}
            for line in subprocess.run([self.exe, self.folder / 'card', *self.files], check=True, capture_output=True, text=True).stdout.splitlines():
                file, name, grid, block, ns, *_ = line.split()
                out.setdefault((pathlib.Path(file).stem, kernels.plain(name), grid, block), []).append(float(ns))
            self.known[key] = {k: statistics.median(v) for k, v in out.items()}
        return self.known[key]


def error(times, rows):
    """Of each kernel the mean over its shapes, so that one that is launched in 24 shapes counts once."""
    by = {}
    for key, ns in rows:
        by.setdefault(key[:2], []).append(abs(math.log(times[key] / ns)))
    return statistics.mean(statistics.mean(v) for v in by.values())


def fit(model, rows):
    numbers = {name: values[0] for name, values in FITTED.items()}
    for _ in range(3):
        before = dict(numbers)
        for name, values in FITTED.items():
            numbers[name] = min(values, key=lambda v: error(model.times({**numbers, name: v}), rows))
        if numbers == before:
            break
    return numbers


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    temporary = tempfile.TemporaryDirectory()
    folder = pathlib.Path(sys.argv[2] if len(sys.argv) > 2 else temporary.name).resolve()
    rows = [((r['program'], r['kernel'], r['grid'], r['block']), float(r['ns'])) for r in csv.DictReader((HERE / 'h200/kernels.csv').open())]
    programs = sorted({k[0] for k, _ in rows})
    model, left_out = Model(build, folder, programs), []
    for p in programs:
        numbers = fit(model, [r for r in rows if r[0][0] != p])
        errors = [model.times(numbers)[k] / ns - 1 for k, ns in rows if k[0] == p]
        left_out += [(k, model.times(numbers)[k], ns) for k, ns in rows if k[0] == p]
        print(f'{p:13} {len(errors):3} rows, median error {100 * statistics.median(map(abs, errors)):5.1f} %   ' + ' '.join(f'{n}={v:g}' for n, v in numbers.items() if v != FITTED[n][0]), flush=True)
    for what, list_ in ('rows', left_out), ('kernels', list({k[:2]: (k, p, m) for k, p, m in left_out}.values())):
        print(f'left out, {len(list_)} {what}: median error {100 * statistics.median(abs(p / m - 1) for _, p, m in list_):.1f} %, '
              f'{100 * sum(max(p / m, m / p) <= 2 for _, p, m in list_) / len(list_):.1f} % within a factor of 2')
    print(f'with data-sheet values alone: median error {100 * statistics.median(abs(model.times({n: v[0] for n, v in FITTED.items()})[k] / ns - 1) for k, ns in rows):.1f} %')
    temporary.cleanup()


if __name__ == '__main__':
    main()
