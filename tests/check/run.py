#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of `hostwarp check`. usage: run.py BUILD [PATTERN]      The result is TAP.

pairs/NAME.cu is a bug with -DBUG and a correct program without. With the bug there must be a report that names the line marked /*HERE*/, and where there is
one marked /*THERE*/ that one too; without, there must be no report and the exit status is 0. twins/NAME.cu is correct, and run often: what it does is a
matter of time. sets/NAME.cu has many bugs with -DBUG: each line that is marked "// [NAME]" must be reported by that name, and nothing else.
"""
import concurrent.futures
import fnmatch
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
HOSTWARP = BUILD / 'bin/hostwarp'
WORK = tempfile.TemporaryDirectory(prefix='hostwarp-check-test-')
ENV = {**{k: v for k, v in os.environ.items() if not k.startswith('HOSTWARP_')}, 'HOSTWARP_CACHE': WORK.name + '/cache'}
failed = 0


def tell(good, rule, why=''):
    global failed
    failed += not good
    print(f"{'ok' if good else 'not ok'} - {rule}")
    if not good and why:
        print(re.sub('(?m)^', '# ', why), flush=True)


def run(*args, **env):
    return subprocess.run([str(a) for a in args], env={**ENV, **env}, text=True, capture_output=True, timeout=150)


def build(source, *options):
    program = pathlib.Path(WORK.name) / (source.stem + ''.join(options).replace('-', '.'))
    p = run(HOSTWARP, 'cc', '-std=c++17', '-g', '-lineinfo', *options, '-o', program, source)
    return program if p.returncode == 0 else None, p.stderr


def lines_of(source, marker):
    """The lines with a marker, as the compiler sees them with -DBUG: markers stand in what both variants have, or in BUG's."""
    return {k + 1 for k, text in enumerate(source.read_text().splitlines()) if marker in text}


def named(output, source, lines):
    return any(re.search(rf'\b{re.escape(source.name)}:{line}\b', output) for line in lines)


def pair(source):
    bug, why = build(source, '-DBUG')
    twin, why2 = build(source)
    if not bug or not twin:
        return [(False, f'{source.stem}: builds', why + why2)]
    found, clean = run(HOSTWARP, 'check', bug), run(HOSTWARP, 'check', twin)
    here, there = lines_of(source, '/*HERE*/'), lines_of(source, '/*THERE*/')
    places = named(found.stderr, source, here) and (not there or named(found.stderr, source, there))
    return [(found.returncode == 1 and 'hostwarp check:' in found.stderr and places, f'{source.stem}: found, with its places', found.stderr),
            (clean.returncode == 0 and 'hostwarp check:' not in clean.stderr, f'{source.stem}: nothing is said of the correct twin', clean.stderr)]


def reports_of(output, source):
    """(name, line of the first place) of each report."""
    for text in re.split(r'(?m)^(?=hostwarp check: )', output):
        name, line = re.search(r'\[([a-z.-]+)\]$', text.split('\n')[0]), re.findall(rf'\b{re.escape(source.name)}:(\d+)', text.split('\nhostwarp')[0])
        if name:
            yield name[1], int(line[0]) if line else 0


def many(source):
    bug, why = build(source, '-DBUG')
    twin, why2 = build(source)
    if not bug or not twin:
        return [(False, f'{source.stem}: builds', why + why2)]
    found, clean = run(HOSTWARP, 'check', '--tool', 'memory,init,sync,race', bug), run(HOSTWARP, 'check', twin)
    wanted = {(name, k + 1) for k, text in enumerate(source.read_text().splitlines()) if '// [' in text for name in re.findall(r'\[([a-z]+\.[a-z-]+)\]', text.split('// ')[-1])}
    told = set(reports_of(found.stderr, source))
    return [(told >= wanted, f'{source.stem}: all are found', f'not found: {sorted(wanted - told)}\n{found.stderr}'),
            (told <= wanted, f'{source.stem}: nothing else is', f'too many: {sorted(told - wanted)}\n{found.stderr}'),
            (found.stdout == clean.stdout == 'done\n', f'{source.stem}: the programs come to their ends', found.stdout + clean.stdout + found.stderr),
            (clean.returncode == 0 and 'hostwarp check:' not in clean.stderr, f'{source.stem}: nothing is said of what is correct', clean.stderr)]


def often(source):
    program, why = build(source)
    for _ in range(20 if program else 0):
        p = run(HOSTWARP, 'check', program)
        if p.returncode or 'hostwarp check:' in p.stderr:
            return tell(False, f'{source.stem}: nothing is said', p.stderr)
    tell(program, f'{source.stem}: nothing is said', why)


def options():
    source = HERE / 'pairs/two-blocks-one-word.cu'
    program, _ = build(source, '-DBUG')
    p = run(HOSTWARP, 'check', '--tool', 'memory,api', program)
    tell(p.returncode == 0, 'a tool that was not chosen says nothing', p.stderr)
    p = run(HOSTWARP, 'check', '--error-exitcode', '9', program)
    tell(p.returncode == 9, 'the exit status can be chosen', p.stderr)
    hide = pathlib.Path(WORK.name) / 'hide'
    hide.write_text('# known\nrace.global two-blocks*\n')
    p = run(HOSTWARP, 'check', '--suppress', hide, program)
    tell(p.returncode == 0 and '0 reports, 1 suppressed' in p.stderr, 'reports can be suppressed by name and place', p.stderr)
    p = run(HOSTWARP, 'check', '--nothing', 'x', program)
    tell(p.returncode == 2 and 'there is no option --nothing' in p.stderr, 'unknown options are refused', p.stderr)
    p = run(HOSTWARP, 'check', '-DBUG', source)
    tell(p.returncode == 1 and 'two-blocks-one-word.cu:' in p.stderr, 'a source is compiled with line information', p.stderr)


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else '*'
    sources = [s for s in sorted((HERE / 'pairs').glob('*.cu')) if fnmatch.fnmatch(s.stem, pattern)]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for outcome in pool.map(pair, sources):
            for line in outcome:
                tell(*line)
        for outcome in pool.map(many, [s for s in sorted((HERE / 'sets').glob('*.cu')) if fnmatch.fnmatch(s.stem, pattern)]):
            for line in outcome:
                tell(*line)
    if pattern == '*':
        for source in sorted((HERE / 'twins').glob('*.cu')):
            often(source)
        options()
    return failed != 0


sys.exit(main())
