#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs with HOSTWARP_VERIFY=1 and writes docs/status-verify.md: how many launches were compared with scalar code, and every one that differs.

usage: verify_table.py [--build BUILD] [--state FILE] [--most N] [--limit SECONDS] [--width LANES] [SUITE...]
       verify_table.py --write [--state FILE] [--note SENTENCE]

A SUITE is one of our own folders (api, apps, examples, bench, everyday) or NAME=FOLDER: somebody's programs, one per folder, which tests/corpus/run.py
builds and runs; NAME=FOLDER,INCLUDE,... names folders of headers; NAME=FOLDER@LIST has its commands in LIST, for programs that want arguments: `SUBFOLDER:
command; command`, run by a shell in a copy, with $CC in the compiler's place. What a suite gave is kept in FILE (build/verify.json), by program, so that suites can be
run one at a time, and some programs again (SUITE:PATTERN). --write makes the document out of it. Sentences that say why a kernel is reported come
from tools/verify_known.txt: `SUITE PROGRAM KERNEL-PREFIX: sentence`, * for any.
"""
import argparse
import collections
import fnmatch
import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

TREE = pathlib.Path(__file__).resolve().parent.parent
DOCUMENT = TREE / 'docs/status-verify.md'
SUMMARY = re.compile(r'verify: (\d+) launches: (\d+) the same, (\d+) different, (\d+) order-dependent, (\d+) not verified')
LINE = re.compile(r'verify: kernel (.*), grid (\[.*?\]), block (\[.*?\]), launch \d+: (DIFFERENT|order-dependent|not verified): (.*)')
FIELDS = 'launches', 'same', 'different', 'order', 'not'


def load_corpus():
    spec = importlib.util.spec_from_file_location('corpus', TREE / 'tests/corpus/run.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_log(path):
    """Counts of all processes of one program, and what was said about kernels."""
    counts, told = collections.Counter(), {}
    for line in path.read_text(errors='replace').splitlines() if path.exists() else []:
        found = SUMMARY.search(line)
        if found:
            counts.update(dict(zip(FIELDS, map(int, found.groups()))))
        found = LINE.search(line)
        if found:
            kernel, grid, block, kind, what = found.groups()
            told.setdefault(f'{kernel[:120]} / {kind}', f'grid {grid}, block {block}: {what}')
    return {**{f: counts[f] for f in FIELDS}, 'told': told}


def run(command, limit, env, cwd=TREE):
    with tempfile.TemporaryFile() as out:
        p = subprocess.Popen([str(c) for c in command], stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, env=env, cwd=cwd, start_new_session=True)
        try:
            status = p.wait(limit)
        except subprocess.TimeoutExpired:
            os.killpg(p.pid, 9)
            p.wait()
            return None, ''
        out.seek(0)
        return status, out.read().decode(errors='replace')


def options_of(path):
    for line in path.read_text(errors='replace').splitlines()[:20]:
        found = re.match(r'^(?://|/\*) run:(.*?)(?:\*/)?$', line)
        if found:
            cc, _, args = found.group(1).partition(' -- ')
            return shlex.split(cc), shlex.split(args)
    return [], []


def own_programs(suite):
    top = {'api': TREE / 'tests/api', 'apps': TREE / 'tests/apps', 'examples': TREE / 'examples', 'bench': TREE / 'bench', 'everyday': TREE / 'bench/everyday'}[suite]
    paths = top.glob('*/*.cu') if suite == 'bench' else top.glob('*')
    for path in sorted(p for p in paths if p.suffix in ('.cu', '.c', '.cpp')):
        if suite not in ('bench', 'everyday') or path.suffix == '.cu' and (suite == 'everyday' or path.parent != TREE / 'bench/everyday'):
            yield path.stem, path


def run_own(args, suite, path, env):
    cc, words = options_of(path)
    program = args.work / f'{suite}-{path.stem}'
    libs = ['-lcuda'] if path.suffix != '.cu' else []
    if suite == 'everyday':                                      # the plain loops beside the kernels
        loops = program.with_suffix('.o')
        run(['gcc', '-O2', '-w', '-fopenmp', '-c', '-o', loops, path.with_suffix('.c')], 300, env)
        cc, libs = ['-std=c++17'], [loops, '-lgomp', '-lm']
    status, text = run([args.build / 'bin/hostwarp', 'cc', '-O3', '-o', program, *cc, path, *libs], 300, env)
    if status != 0:
        return 'does not build'
    plain = {k: v for k, v in env.items() if not k.startswith('HOSTWARP_VERIFY')}
    words = ['1'] if suite in ('bench', 'everyday') else words
    status, text = run([program, *words], args.limit, env)
    if status is None:
        return 'time out'
    return 'as without' if status == run([program, *words], args.limit, plain)[0] else f'status {status}'


def own_suite(args, suite, pattern):
    for name, path in own_programs(suite):
        if fnmatch.fnmatch(name, pattern):
            yield name, lambda env, path=path: run_own(args, suite, path, env)


def corpus_suite(args, folder, includes, pattern):
    corpus = load_corpus()
    wants = argparse.Namespace(build=args.build, include=includes, limit=args.limit, verbose=False, plain=True, nvcc=None)

    def one(env, path, sources):
        old = dict(os.environ)
        os.environ.update(env)
        try:
            kind, why, _, _ = corpus.one(wants, path, sources)
        finally:
            os.environ.clear()
            os.environ.update(old)
        return kind
    for path, sources in corpus.programs(folder):
        name = str(path.relative_to(folder))
        if fnmatch.fnmatch(name, pattern):
            yield name, lambda env, path=path, sources=sources: one(env, path, sources)


def list_suite(args, folder, path, pattern):
    """Commands of a list, in a copy of the folder."""
    copy = args.work / 'copy'
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder, copy, symlinks=True)

    def one(env, name, command):
        env = dict(env, PATH=f'{args.build}/bin:' + env['PATH'], CC=f'{args.build}/bin/hostwarp cc', CUDA_DIR=str(args.build))
        status, text = run(['bash', '-ec', command], args.limit, env, copy / name.partition('#')[0])
        if status:
            print(text[-600:])
        return 'time out' if status is None else 'pass' if status == 0 else f'status {status}'
    for line in path.read_text().splitlines():
        name, _, command = line.partition(': ')
        if command and not line.startswith('#') and fnmatch.fnmatch(name, pattern):
            yield name, lambda env, name=name, command=command: one(env, name, command)


def run_suite(args, word, state):
    word, _, pattern = word.partition(':')
    suite, _, folders = word.partition('=')
    folders, _, commands = folders.partition('@')
    folders = [pathlib.Path(f).resolve() for f in folders.split(',')] if folders else []
    if commands:
        programs = list_suite(args, folders[0], pathlib.Path(commands).resolve(), pattern or '*')
    else:
        programs = corpus_suite(args, folders[0], folders[1:], pattern or '*') if folders else own_suite(args, suite, pattern or '*')
    kept = state.setdefault(f'{suite}, {args.width} lanes' if args.width else suite, {})
    for name, go in programs:
        log = args.work / 'log'
        log.unlink(missing_ok=True)
        result = go({**os.environ, 'HOSTWARP_VERIFY': '1', 'HOSTWARP_VERIFY_MOST': str(args.most), 'HOSTWARP_VERIFY_LOG': str(log),
                     'HOSTWARP_CACHE': str(args.work / 'cache'), 'HOSTWARP_WIDTH': str(args.width)})
        kept[name] = {'result': result, 'most': args.most, **read_log(log)}
        print(suite, name, result, *(f'{f} {kept[name][f]}' for f in FIELDS), flush=True)
        for kernel, what in kept[name]['told'].items():
            print('   ', kernel[:100], what[:300], flush=True)
        args.state.write_text(json.dumps(state, indent=1))


# --- the document ---

def known():
    rows = []
    for line in (TREE / 'tools/verify_known.txt').read_text().splitlines():
        if line and not line.startswith('#'):
            where, _, why = line.partition(': ')
            rows.append((*where.split(None, 2), why))
    return rows


def reason(rows, suite, program, kernel):
    for s, p, k, why in rows:
        if fnmatch.fnmatch(suite, s) and fnmatch.fnmatch(program, p) and (k == '*' or kernel.startswith(k)):
            return why
    return ''


HEAD = '''# Kernels compared with scalar code

Made by `tools/verify_table.py` with HOSTWARP_VERIFY=1. *Of each* is how many launches of a kernel were looked at at most. *Launches* is how many were looked at, *same* how many
wrote, bit for bit, what the plain scalar build of the kernel wrote from the same memory (or ended with the same fault). *Order-dependent*: two runs of
the scalar build in different orders of threads differ too. *Not verified*: the kernel did not end by itself in the time it had, or had no scalar build.
[debugging.md](debugging.md) explains the mode. Programs without launches, and what does not build, is out of scope or does not end in time, are not counted.

To repeat it: `tools/verify_table.py examples apps api bench everyday`, `tools/verify_table.py NAME=FOLDER@LIST` for somebody's programs (its `--help` has the form of a list;
[status-suites.md](status-suites.md) says where the suites are from), then `tools/verify_table.py --write`. What each gave is kept in `build/verify.json` until then. Thrust and CUB are
in api (`algorithm_rounds`, `thrust*`, `cub*`).

| suite | programs | of each | launches | same | different | order-dependent | not verified |
|---|---|---|---|---|---|---|---|
'''


def write_document(state, note=''):
    rows, explained, lines, missing = known(), [], [], 0
    for suite, programs in state.items():
        ran = {n: p for n, p in programs.items() if p['launches']}
        total = collections.Counter()
        for name, p in sorted(ran.items()):
            total.update({f: p[f] for f in FIELDS})
            for entry, what in sorted(p['told'].items()):
                kernel, kind = entry.rsplit(' / ', 1)
                why = reason(rows, suite, name, kernel)
                missing += kind == 'DIFFERENT' and not why
                short = re.sub(r'0x20[0-9a-f]+', '0x…', what)[:230].replace('|', '\\|')
                explained.append((kind != 'DIFFERENT', suite, name, kernel[:70].replace('|', '\\|'), kind, short, why))
        most = max((p['most'] for p in ran.values()), default=0)
        lines.append(f'| {suite} | {len(ran)} | {most} | ' + ' | '.join(str(total[f]) for f in FIELDS) + ' |')
    text = HEAD + '\n'.join(lines) + '\n' + (f'\n{note}\n' if note else '')
    for late, title in (False, 'Differences'), (True, 'Order-dependent or not verified'):
        part = sorted(e for e in explained if e[0] == late)
        text += f'\n## {title}\n\n'
        if not part:
            text += 'None.\n'
            continue
        text += 'The first of each kernel.\n\n| program | kernel | what | why |\n|---|---|---|---|\n'
        for _, suite, name, kernel, kind, what, why in part:
            text += f'| {suite}/{name} | `{kernel}` | {kind}: {what} | {why} |\n'
    DOCUMENT.write_text(text)
    print(f'{DOCUMENT}: {len(explained)} rows, {missing} differences without a reason')
    return 1 if missing else 0


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', type=pathlib.Path, default=TREE / 'build')
    p.add_argument('--state', type=pathlib.Path)
    p.add_argument('--most', type=int, default=20)
    p.add_argument('--limit', type=float, default=300)
    p.add_argument('--width', type=int, default=0, help='lanes per vector, as HOSTWARP_WIDTH says')
    p.add_argument('--write', action='store_true')
    p.add_argument('--note', default='', help='with --write: a sentence below the table')
    p.add_argument('suite', nargs='*')
    args = p.parse_args()
    args.build = args.build.resolve()
    args.state = args.state or args.build / 'verify.json'
    state = json.loads(args.state.read_text()) if args.state.exists() else {}
    with tempfile.TemporaryDirectory(prefix='verify-') as work:
        args.work = pathlib.Path(work)
        for word in args.suite:
            run_suite(args, word, state)
    return write_document(state, args.note) if args.write else 0


if __name__ == '__main__':
    sys.exit(main())
