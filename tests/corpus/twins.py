#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs somebody's CUDA programs beside their OpenMP twins, compares what both answer, and prints a table with times.

usage: twins.py --build BUILD [--threads N] [--rounds N] [--limit SECONDS] [--clock wall|cpu] [--keep FOLDER] [--out TABLE.md] FOLDER LIST [PATTERN...]

FOLDER is where somebody put the programs; it is copied, and nothing in it is changed. LIST says how each is built and run, one section each, as in
an .ini file; both belong to whoever has the programs, and none are in this repository.

    [name]
    inputs = command...        run once in FOLDER's copy: makes what the programs read
    cuda = FOLDER              where the commands of the CUDA program run; omp = FOLDER for its twin
    cuda.build, cuda.run       commands for bash; $NVCC is `hostwarp cc`, $OMP is gcc and $OMPXX g++ with -O3 -march=native -fopenmp
    omp.build, omp.run         without these there is no twin, and only the program's own check counts
    cuda.seconds, omp.seconds  a pattern whose groups are seconds, as the program prints them; all of them are added up
    cuda.unit, omp.unit        what one of them is in seconds, 1 unless said
    same                       what must agree: `stdout`, or the name of a file that both write, or `NAME:NAME2`; numbers may differ by `tolerance` (1e-3)
    lines                      only the lines of it that match this pattern
    right, wrong               patterns that the CUDA program's output must, must not have
    limit                      seconds for one of its commands, in place of --limit
    error                      an error of the program's own; it is run and shown, and not counted

Without patterns for seconds, times are user and system time of the whole process. --clock cpu makes gettimeofday, omp_get_wtime and clock_gettime of both
programs tell the time that their process spent on a CPU: for a machine on which others work, with one thread. The best of all rounds counts; a ratio of
2 means that the CUDA program takes half of the twin's time.
"""
import argparse
import configparser
import fnmatch
import math
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

PASS, ENDS, WRONG, NO_BUILD, TIMEOUT, OWN = 'passes', 'ends well', 'wrong', 'does not build', 'not in time', 'error of its own'
NUMBER = re.compile(r'[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+(?:[eE][-+]?\d+)?|nan|inf)\b')
OMP = '-O3 -march=native -fopenmp -fno-math-errno -w'

# Clocks that tell the CPU time of the process, to code of the program itself; libraries keep the real ones, and pay next to nothing for it: where the
# program's code lies (and the C++ library's, which asks for the program) is found once.
CPU_CLOCK = r'''
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
static struct { char *from, *to; } code[16];
static int codes;
static int (*real)(clockid_t, struct timespec *);
static int note(struct dl_phdr_info *info, size_t size, void *first)
{
    if (!*(int *)first || strstr(info->dlpi_name, "libstdc++"))
        for (int i = 0; i < info->dlpi_phnum && codes < 16; i++)
            if (info->dlpi_phdr[i].p_type == PT_LOAD && info->dlpi_phdr[i].p_flags & PF_X) {
                code[codes].from = (char *)info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
                code[codes].to = code[codes].from + info->dlpi_phdr[i].p_memsz;
                codes++;
            }
    ++*(int *)first;
    return 0;
}
__attribute__((constructor)) static void find(void)
{
    int first = 0;
    if (real)
        return;
    dl_iterate_phdr(note, &first);
    real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
}
static int of_program(void *from)
{
    find();
    for (int i = 0; i < codes; i++)
        if ((char *)from >= code[i].from && (char *)from < code[i].to)
            return 1;
    return 0;
}
static int tell(void *from, clockid_t clock, struct timespec *t)
{
    return of_program(from) ? (int)syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, t) : real(clock, t);
}
int clock_gettime(clockid_t clock, struct timespec *t) { return tell(__builtin_return_address(0), clock, t); }
int gettimeofday(struct timeval *v, void *zone)
{
    struct timespec t;
    (void)zone;
    tell(__builtin_return_address(0), CLOCK_REALTIME, &t);
    v->tv_sec = t.tv_sec, v->tv_usec = t.tv_nsec / 1000;
    return 0;
}
double omp_get_wtime(void)
{
    struct timespec t;
    syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &t);
    return t.tv_sec + t.tv_nsec * 1e-9;
}
'''


class Ended(Exception):
    """How a program's part in the table ended early: (result, why)."""


def shell(command, cwd, limit, env):
    """Runs a command. Returns (status or None, its output, user and system seconds)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile() as out:
        p = subprocess.Popen(['bash', '-ec', command], cwd=cwd, env=env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = p.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, 9)
            p.wait()
            status = None
        out.seek(0)
        text = out.read(64 << 20).decode(errors='replace')
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return status, text, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def last_line(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if 'error' in line.lower()), lines[-1] if lines else 'said nothing')[:160]


def numbers_and_words(text, lines):
    text = '\n'.join(line for line in text.splitlines() if re.search(lines, line)) if lines else text
    return [float(x) for x in NUMBER.findall(text.lower())], NUMBER.sub('#', text.lower()).split()


def disagree(a, b, lines, tolerance):
    """Why two texts do not say the same, or ''."""
    (x, words), (y, others) = numbers_and_words(a, lines), numbers_and_words(b, lines)
    if not x and not words:
        return 'nothing to compare'
    if len(x) != len(y) or words != others:
        return f'{len(x)} numbers and {len(words)} words, the twin {len(y)} and {len(others)}'
    size = max((abs(v) for v in x if math.isfinite(v)), default=0)
    bad = [i for i, (v, w) in enumerate(zip(x, y)) if not (v == w or (math.isnan(v) and math.isnan(w)) or abs(v - w) <= tolerance * max(abs(v), abs(w), 1e-3 * size))]
    return f'{len(bad)} of {len(x)} numbers differ, the first {x[bad[0]]:g} and {y[bad[0]]:g}' if bad else ''


def seconds_of(text, pattern, unit, cpu):
    if not pattern:
        return cpu
    found = [float(g) for m in re.finditer(pattern, text, re.M) for g in m.groups() if g]
    return sum(found) * unit if found else None


class Program:
    def __init__(self, args, name, section, top):
        self.args, self.name, self.has, self.top = args, name, section, top
        self.times, self.text, self.problem = {}, {}, ''

    def folder(self, side):
        return self.top / self.has.get(side, '.')

    def limit(self):
        return float(self.has.get('limit', self.args.limit))

    def prepare(self, side, command, what):
        status, text, _ = shell(command, self.folder(side) if side else self.top, self.limit(), self.args.env)
        if status != 0:
            raise Ended(TIMEOUT if status is None else NO_BUILD, f'{what}: {last_line(text)}')

    def run(self, side):
        env = {**self.args.env, **({'LD_PRELOAD': str(self.args.preload)} if self.args.preload else {})}
        status, text, cpu = shell(self.has[f'{side}.run'], self.folder(side), self.limit(), env)
        if status is None:
            raise Ended(TIMEOUT, '' if side == 'cuda' else 'the twin')
        if status != 0:
            raise Ended(WRONG, f'{"" if side == "cuda" else "the twin: "}status {status}: {last_line(text)}')
        took = seconds_of(text, self.has.get(f'{side}.seconds'), float(self.has.get(f'{side}.unit', '1')), cpu)
        self.text[side] = text
        if took is not None:
            self.times[side] = min(took, self.times.get(side, took))

    def sides(self):
        return ['cuda', 'omp'] if 'omp.run' in self.has else ['cuda']

    def answers(self):
        """Whether what the programs said is right: (result, why)."""
        text, checked = self.text['cuda'], 'right' in self.has or 'wrong' in self.has
        for word, want in ('wrong', False), ('right', True):
            if word in self.has and bool(re.search(self.has[word], text, re.M)) != want:
                return WRONG, f'its own check: {last_line(text)}'
        if 'omp' not in self.text or not self.has.get('same'):
            return (PASS, 'its own check') if checked else (ENDS, '')
        for what in self.has['same'].split():
            mine, _, other = what.partition(':')
            missing = [n for s, n in (('cuda', mine), ('omp', other or mine)) if n != 'stdout' and not (self.folder(s) / n).is_file()]
            if missing:
                return WRONG, f'nobody wrote {missing[0]}'
            a, b = (self.text[s] if n == 'stdout' else (self.folder(s) / n).read_text(errors='replace') for s, n in (('cuda', mine), ('omp', other or mine)))
            why = disagree(a, b, self.has.get('lines'), float(self.has.get('tolerance', '1e-3')))
            if why:
                return WRONG, f'{what}: {why}'
        return PASS, 'agrees with the twin'

    def go(self):
        """Returns (result, why)."""
        try:
            if 'inputs' in self.has:
                self.prepare(None, self.has['inputs'], 'input')
            self.prepare('cuda', self.has['cuda.build'], 'CUDA')
            sides = self.sides()
            if 'omp' in sides:
                try:
                    self.prepare('omp', self.has['omp.build'], 'OpenMP')
                except Ended as e:
                    self.problem, sides = f'twin: {e.args[1]}', ['cuda']
            for number in range(self.args.rounds):
                for side in sides:
                    self.run(side)
            result, why = self.answers()
        except Ended as e:
            result, why = e.args
        if 'error' in self.has:
            return OWN, f'{self.has["error"]} ({result}{": " + why if why else ""})'
        return result, '; '.join(x for x in (why, self.problem) if x)


def ratio(p):
    return p.times['omp'] / p.times['cuda'] if p.times.get('omp') and p.times.get('cuda') else None


def table(rows):
    """The lines of the table, and the mean."""
    yield '| program | result | CUDA s | OpenMP s | ratio | |'
    yield '|---|---|---:|---:|---:|---|'
    for p, result, why in rows:
        cells = [f'{p.times[s]:.3g}' if s in p.times else '-' for s in ('cuda', 'omp')] + [f'{ratio(p):.2f}' if ratio(p) else '-']
        yield f'| {p.name} | {result} | {" | ".join(cells)} | {why.replace("|", "/")} |'
    good = [r for p, result, _ in rows if result in (PASS, ENDS) and (r := ratio(p))]
    counted = [r for _, r, _ in rows if r != OWN]
    yield ''
    yield f'{sum(r in (PASS, ENDS) for r in counted)} of {len(counted)} build and end well, {counted.count(PASS)} of them checked; {len(rows) - len(counted)} with an error of their own.'
    if good:
        yield f'Geometric mean of {len(good)} ratios: {math.exp(sum(map(math.log, good)) / len(good)):.2f}, lowest {min(good):.2f}.'


def run_list(args, top, sections):
    rows = []
    for name, section in sections:
        p = Program(args, name, section, top)
        start = time.time()
        rows.append((p, *p.go()))
        print(f'{name}: {rows[-1][1]} {rows[-1][2]} {p.times} {time.time() - start:.0f} s', flush=True)
        if args.out:                                             # each time: a run of hours may be ended early
            args.out.write_text('\n'.join(table(rows)) + '\n')
    return rows


def settings(args, work):
    args.build = args.build.resolve()
    args.env = {**os.environ, 'NVCC': f'{args.build}/bin/hostwarp cc -O3', 'OMP': f'gcc {OMP}', 'OMPXX': f'g++ {OMP}', 'HOSTWARP': str(args.build),
                'HOSTWARP_TIERS': 'off', 'LC_ALL': 'C'}
    args.preload = None
    if args.threads:
        args.env.update(OMP_NUM_THREADS=str(args.threads), HOSTWARP_THREADS=str(args.threads))
    if args.clock == 'cpu':
        args.preload = work / 'cpu_clock.so'
        (work / 'cpu_clock.c').write_text(CPU_CLOCK)
        subprocess.run(['gcc', '-O2', '-shared', '-fPIC', '-o', args.preload, work / 'cpu_clock.c', '-ldl'], check=True)


# --- a test of this runner, with programs of our own ---

SELF_CU = '''#include <cstdio>
#include <cstdlib>
__global__ void f(float *p, float x) { p[threadIdx.x] = threadIdx.x * x; }
int main(int n, char **a) {
    float *p; cudaMallocManaged(&p, 128); f<<<1, 32>>>(p, atof(a[1])); cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++) printf("value %g\\n", p[i]);
    puts("took 0.5 s");
}
'''
SELF_C = '''#include <stdio.h>
int main(void) { for (int i = 0; i < 32; i++) printf("value %g\\n", i * 3.0); puts("took 1.5 s"); }
'''
SELF_LIST = '''
[DEFAULT]
cuda.build = $NVCC -o p a.cu
omp.build = $OMP -o t a.c
omp.run = ./t
lines = value
same = stdout
cuda.seconds = took (.*) s
omp.seconds = took (.*) s
[same]
cuda.run = ./p 3
[near]
cuda.run = ./p 3.001
[far]
cuda.run = ./p 3.1
[longer]
cuda.run = ./p 3; echo value 7
[fails]
cuda.run = ./p 3; exit 4
[hangs]
limit = 4
cuda.build = true
omp.build = true
cuda.run = sleep 100
[typo]
cuda.build = $NVCC -o p none.cu
cuda.run = ./p 3
[nothing]
cuda.run = ./p 3
same = absent.txt
[own]
error = is known
cuda.run = ./p 7
[checked]
cuda.run = ./p 3 | sed s/value/v/
right = ^v 93
same =
[unchecked]
cuda.run = ./p 3
same =
'''
SELF = {'same': PASS, 'near': PASS, 'far': WRONG, 'longer': WRONG, 'fails': WRONG, 'hangs': TIMEOUT, 'typo': NO_BUILD, 'nothing': WRONG, 'own': OWN, 'checked': PASS, 'unchecked': ENDS}


def self_test(build):
    """Called by run.py, which has the plan: is each of these judged as it should be?"""
    failed = 0
    with tempfile.TemporaryDirectory(prefix='twins-') as top:
        top = pathlib.Path(top)
        (top / 'a.cu').write_text(SELF_CU)
        (top / 'a.c').write_text(SELF_C)
        args = argparse.Namespace(build=build, threads=1, rounds=1, limit=60, clock='cpu', out=None)
        settings(args, top)
        rows = run_list(args, top, read_list(SELF_LIST))
        for p, result, why in rows:
            good = result == SELF[p.name] and (p.name != 'same' or ratio(p) == 3)
            failed += not good
            print(f'{"ok" if good else "not ok"} twins_{p.name} is judged {result} {why}')
    return 1 if failed else 0


def read_list(text, patterns=()):
    ini = configparser.ConfigParser(interpolation=None, delimiters=('=',), comment_prefixes=('#',))
    ini.optionxform = str
    ini.read_string(text)
    return [(n, {k: v for k, v in ini[n].items()}) for n in ini.sections() if not patterns or any(fnmatch.fnmatch(n, x) for x in patterns)]


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', type=pathlib.Path, required=True)
    p.add_argument('--threads', type=int, default=0)
    p.add_argument('--rounds', type=int, default=3)
    p.add_argument('--limit', type=float, default=300)
    p.add_argument('--clock', choices=('wall', 'cpu'), default='wall')
    p.add_argument('--keep', type=pathlib.Path, help='copy the programs there, and leave them')
    p.add_argument('--out', type=pathlib.Path)
    p.add_argument('folder', type=pathlib.Path)
    p.add_argument('list', type=pathlib.Path)
    p.add_argument('pattern', nargs='*')
    args = p.parse_args()
    sections = read_list(args.list.read_text(), args.pattern)
    with tempfile.TemporaryDirectory(prefix='twins-') as work:
        work = pathlib.Path(work)
        settings(args, work)
        top = (args.keep or work / 'top').resolve()
        shutil.copytree(args.folder, top, symlinks=True, dirs_exist_ok=True)
        rows = run_list(args, top, sections)
    print('\n'.join(table(rows)))
    return 1 if any(r[1] in (WRONG, NO_BUILD, TIMEOUT) for r in rows) else 0


if __name__ == '__main__':
    sys.exit(main())
