#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The kernels of probe/ and bench/everyday as an H200 took them (h200/*.csv), and as the h200 profile predicts them; and how well kernels are predicted that no number was chosen with.

usage: probe.py BUILD FOLDER [PROGRAM...] [--count] [--all] [--parts] [--left-out]
FOLDER keeps programs and what was counted; --count counts anew. --all shows each kernel, --parts also what limits it. --left-out: each program is left out in turn, numbers of the
profile are chosen by the others, starting from what crossval.py starts from.
"""
import pathlib
import re
import shutil
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import crossval                                  # noqa: E402: beside this file
import os                                        # noqa: E402
PROBES = 'daily', 'units', 'micro', 'learn', 'world'
EVERYDAY = 'vector', 'grid', 'rows', 'irregular'
EMPTY_US = 2.784 - 2.0                           # what an empty kernel takes more than 2 us between two events


def measured():
    """{(program, kernel, parameters): us}, caches cold."""
    out, program = {}, None
    for file in sorted((HERE / 'h200').glob('probe*.csv')):
        for line in file.read_text().splitlines():
            how, kernel, *middle, last = line.split(',')
            if how == 'program':
                program = kernel
            elif how == 'cold':
                out[program, kernel, ','.join(middle)] = float(last) - EMPTY_US
    return out


def count(build, folder, program):
    folder.mkdir(parents=True, exist_ok=True)
    everyday = program in EVERYDAY
    shutil.copy(HERE / 'probe/probe.h', folder)
    source = shutil.copy((TREE / 'bench/everyday' if everyday else HERE / 'probe') / (program + '.cu'), folder)
    if everyday:
        shutil.copy(HERE / 'probe/everyday.h', folder / 'bench.h')
        shutil.copy(TREE / 'bench/everyday/common.h', folder)
    subprocess.run([build / 'bin/hostwarp', 'cc', '-O3', '-o', folder / program, source], check=True)
    env = {**os.environ, 'PROBE_ONCE': '1', 'HOSTWARP_GPU': 'h200', 'HOSTWARP_CLOCK_OUT': str(folder / (program + '.clock'))}
    (folder / (program + '.rows')).write_text(subprocess.run([folder / program], env=env, check=True, capture_output=True, text=True).stdout)


def rows_of(folder, program):
    """[(kernel, parameters)] in the order of their marks, and the numbers of the counted launches of each."""
    names, launches, now = [], {}, None
    for line in (folder / (program + '.rows')).read_text().splitlines():
        if line.startswith('row,'):
            _, kernel, *middle, number = line.split(',')
            names.append((kernel, ','.join(middle)))
    n = 0
    for line in (folder / (program + '.clock')).read_text().splitlines():
        if line.startswith('counts '):
            _, name, grid, *_ = line.split(' ', 3)
            if 'probe_row' in name:
                now = names[int(grid.split('x')[0]) - 1]
            elif now:
                launches.setdefault(now, []).append(n)
            n += 1
    return launches


class Model:
    def __init__(self, build, folder, programs):
        self.folder, self.programs, self.known = folder, programs, {}
        self.launches = {p: rows_of(folder, p) for p in programs}
        self.exe = folder / 'model'
        subprocess.run(['cc', '-O1', '-I', TREE / 'src', '-o', self.exe, HERE / 'model.c', TREE / 'src/gpu/kernel.c', TREE / 'src/gpu/profile.c',
                        build / 'meson/src/base/libhw_base.a', '-lm', '-ldl', '-lpthread'], check=True)

    def times(self, numbers):
        """{(program, kernel, parameters): us}, and the parts of the time of its longest launch."""
        key = tuple(sorted(numbers.items()))
        if key in self.known:
            return self.known[key]
        text = (TREE / 'share/gpus/h200').read_text()
        for name, value in numbers.items():
            text, n = re.subn(rf'^({name}\s+)\S+', rf'\g<1>{value}', text, flags=re.M)
            assert n == 1, name
        (self.folder / 'card').write_text(text)
        out = {}
        for p in self.programs:
            lines = subprocess.run([self.exe, self.folder / 'card', self.folder / (p + '.clock')], check=True, capture_output=True, text=True).stdout.splitlines()
            for (kernel, parameters), numbers_ in self.launches[p].items():
                found = [lines[n].split() for n in numbers_]
                longest = max(found, key=lambda f: float(f[4]))
                out[p, kernel, parameters] = sum(float(f[4]) for f in found) / 1e3, longest[5:]
        self.known[key] = out
        return out


def summary(pairs):
    errors = [abs(p / m - 1) for p, m in pairs]
    return f'{len(pairs):4} kernels, median error {100 * statistics.median(errors):5.1f} %, {100 * sum(max(p / m, m / p) <= 2 for p, m in pairs) / len(pairs):5.1f} % within a factor of 2'


def main():
    args = [a for a in sys.argv[1:] if not a.startswith('--')]
    build, folder = pathlib.Path(args[0]).resolve(), pathlib.Path(args[1]).resolve()
    known = measured()
    programs = args[2:] or [p for p in (*PROBES, *EVERYDAY) if any(k[0] == p for k in known)]
    for p in programs:
        if '--count' in sys.argv or not (folder / (p + '.clock')).exists():
            count(build, folder, p)
    model = Model(build, folder, programs)
    now = model.times({})
    for p in programs:
        keys = [k for k in now if k[0] == p]
        for k in keys if '--all' in sys.argv else []:
            m = known.get(k)
            print(f'{k[1]:20} {k[2]:32} {m or 0:9.2f} {now[k][0]:9.2f} ' + (f'{100 * (now[k][0] / m - 1):+5.0f} %' if m else '') + ('   ' + ' '.join(now[k][1]) if '--parts' in sys.argv else ''))
        pairs = [(now[k][0], known[k]) for k in keys if k in known]
        if pairs:
            print(f'{p:10} {summary(pairs)}', flush=True)
    print(f'all        {summary([(now[k][0], known[k]) for k in now if k in known])}')
    if '--left-out' in sys.argv:
        left_out(model, known, programs)


def left_out(model, known, programs):
    pairs = []
    for p in programs:
        numbers = {name: values[0] for name, values in crossval.FITTED.items()}
        for name, values in crossval.FITTED.items():
            def error(v):
                times = model.times({**numbers, name: v})
                return statistics.mean(min(1, abs(times[k][0] / known[k] - 1)) for k in times if k in known and k[0] != p)
            numbers[name] = min(values, key=error)
        times = model.times(numbers)
        mine = [(times[k][0], known[k]) for k in times if k in known and k[0] == p]
        pairs += mine
        print(f'without {p:10} {summary(mine)}   ' + ' '.join(f'{n}={v:g}' for n, v in numbers.items() if v != crossval.FITTED[n][0]), flush=True)
    print(f'left out           {summary(pairs)}')


if __name__ == '__main__':
    main()
