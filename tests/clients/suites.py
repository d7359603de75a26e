#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the test suites of Python programs that use CUDA, with hostwarp's libraries, and counts.

usage: suites.py NAME --folder FOLDER [--hostwarp COMMAND] [--source CHECKOUT] [--only WORD...] [--again] [--part N] [--limit SECONDS] [--sample N] [--report]

Makes a virtual environment in FOLDER with the versions of the packages that clients.py names (from PyPI, so this needs a network and is no part of CI), gets the suite's sources, lists its tests, and
runs them in parts, each in a process of its own: a test that crashes or hangs is one failure, and the next one starts a new process. What came out is in FOLDER/NAME.results, a line for each test;
a run that was stopped goes on where it was. known.txt has the reasons of failures that are known; the others are listed. docs/status-clients.md has the counts.

Install hostwarp first (make install PREFIX=...) and name that copy, when it is built while a suite runs.
"""
import argparse
import collections
import fnmatch
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

from clients import CLIENTS, COMMON, HERE, sources


def environment(command, client, folder, source):
    """As `hostwarp env` sets it; the order of folders is ours first."""
    out = subprocess.run([command, 'env'], check=True, capture_output=True, text=True).stdout
    env = subprocess.run(['sh', '-c', out + '\nenv -0'], check=True, capture_output=True).stdout.decode().split('\0')
    env = dict(line.split('=', 1) for line in env if '=' in line)
    env.update({k: v.format(folder=folder, home=env['CUDA_HOME'], source=source) for k, v in client.get('env', {}).items()})
    env['PYTHONPATH'] = os.pathsep.join([str(HERE)] + client.get('path', []))
    return env


def prepare(folder, client, env, source):
    """A virtual environment that has the client's packages; made again where the list of them changed."""
    python, stamp = folder / 'venv/bin/python', folder / 'venv/made'
    if not python.exists():
        subprocess.run([sys.executable, '-m', 'venv', folder / 'venv'], check=True)
    made = stamp.read_text() if stamp.exists() else ''
    for step in [['install', *COMMON, *client['packages']], *([w.format(source=source) for w in s] for s in client.get('pip', []))]:
        line = ' '.join(step)
        if line not in made.split('\n'):
            subprocess.run([python, '-m', 'pip', '-q', '--disable-pip-version-check', *step], check=True, env=env, cwd=folder)
            made += line + '\n'
            stamp.write_text(made)
    if 'prepare' in client:
        client['prepare'](folder, python, env, source)
    return python


def pytest(python, client, env, where, log, words, run=None):
    """Starts pytest; the suite's lines go to env's SUITES_OUT, what it prints to the log."""
    env = {**env, **({'SUITES_RUN': str(run)} if run else {})}
    command = [python, '-m', 'pytest', '-q', '-p', 'record', '-p', 'no:cacheprovider', *client.get('options', []), *words]
    return subprocess.Popen(command, cwd=where, env=env, stdout=log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def collect(python, client, env, where, folder, name):
    """The suite's tests as (id, file), in order; asked once, then kept."""
    path = folder / f'{name}.tests'
    if not path.exists():
        with open(folder / f'{name}.collect.log', 'w') as log:
            out = path.with_suffix('.new')
            out.unlink(missing_ok=True)
            pytest(python, client, {**env, 'SUITES_OUT': str(out)}, where, log, client['tests']).wait(1800)
        if not out.exists():
            sys.exit(f'suites.py: nothing was collected, see {log.name}')
        out.rename(path)
    tests = lines(path)
    for line in tests:
        if line['path'] is None:
            print(f'cannot be collected: {line["id"]}: {line["why"].strip().splitlines()[-1] if line["why"].strip() else ""}')
    return {line['id']: line['path'] for line in tests if line['path']}


def sample(tests, most):
    """At most so many of each test function's parameters, spread evenly."""
    functions = collections.defaultdict(list)
    for i in tests:
        functions[i.split('[', 1)[0]].append(i)
    chosen = {ids[k * (len(ids) - 1) // max(min(most, len(ids)) - 1, 1)] for ids in functions.values() for k in range(min(most, len(ids)))}
    return {i: path for i, path in tests.items() if i in chosen}


def stop(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)     # its own session: nobody else's processes
    except ProcessLookupError:
        pass
    process.wait()


def watch(process, results, limit):
    """Waits for the end; a test that takes longer than the limit ends it. Returns why a test that began has no end."""
    seen, since = -1, time.monotonic()
    while process.poll() is None:
        time.sleep(0.5)
        size = results.stat().st_size if results.exists() else 0
        if size != seen:
            seen, since = size, time.monotonic()
        if time.monotonic() - since > limit:
            stop(process)
            return 'timeout'
    return 'crashed'


def finish(results, why, note):
    """A test that began and did not end gets its line. Returns whether there was one."""
    open_test = None
    for line in lines(results):
        open_test = line['id'] if line['result'] == 'started' else None
    if open_test:
        with open(results, 'a') as f:
            f.write(json.dumps({'id': open_test, 'result': why, 'why': note}) + '\n')
    return open_test is not None


def run_parts(python, client, env, where, folder, name, todo, tests, a):
    results, ids = folder / f'{name}.results', folder / f'{name}.part'
    env = {**env, 'SUITES_OUT': str(results)}
    while todo:
        part = todo[:a.part or client.get('part', 200)]
        ids.write_text('\n'.join(part))
        files = list(dict.fromkeys(client.get('word', str)(tests[i]) for i in part))
        with open(folder / f'{name}.log', 'a') as log:
            process = pytest(python, client, env, where, log, files, ids)
            try:
                why = watch(process, results, a.limit)
            finally:
                stop(process)                                        # also what it left running
        finish(results, why, f'exit status {process.returncode}')
        ended = {line['id'] for line in lines(results)}
        left = [i for i in todo if i not in ended]
        if len(left) == len(todo):
            sys.exit(f'suites.py: no test of the part that begins with {part[0]} was run, see {folder / name}.log')
        todo = left
        print(f'{len(tests) - len(todo)} of {len(tests)}', flush=True)


def known_reasons(name):
    for line in (HERE / 'known.txt').read_text().splitlines():
        words = [w.strip() for w in line.split(' | ', 2)]
        if not line.startswith('#') and len(words) == 3 and words[0] == name:
            yield words[1].replace('[', '('), words[2]


def report(name, results, tests):
    """Counts, known failures by reason, the others one by one. What needs something that is not hostwarp's to have is counted by itself. Returns whether there are failures that are not known."""
    last = {line['id']: line for line in lines(results) if line['id'] in tests and line['result'] != 'started'}
    reasons, known, others = list(known_reasons(name)), collections.Counter(), []
    counts = collections.Counter('failed' if line['result'] in ('crashed', 'timeout') else line['result'] for line in last.values())
    for line in last.values():
        if line['result'] in ('failed', 'crashed', 'timeout'):
            words = f'{line["id"]}: {line["result"]}: {line["why"]}'.replace('[', '(')
            reason = next((why for pattern, why in reasons if fnmatch.fnmatchcase(words, f'*{pattern}*')), None)
            if reason:
                known[reason] += 1
            else:
                others.append(line)
    for line in others:
        print(f'{line["result"]}: {line["id"]}: {" ".join(line["why"].split())[:150]}')
    for reason, n in known.most_common():
        print(f'{n:5} known: {reason}')
    outside = sum(n for reason, n in known.items() if reason.startswith('needs '))
    failed = counts['failed'] - outside
    print(f'{name}: {counts["passed"]} passed, {failed} failed ({sum(known.values()) - outside} for known reasons), {outside} need what is not here, '
          f'{counts["skipped"] + counts["xfailed"]} skipped by the suite, {len(tests) - len(last)} not run; {100 * counts["passed"] / max(counts["passed"] + failed, 1):.1f} % passed')
    return bool(others)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('name', choices=CLIENTS)
    p.add_argument('--folder', type=pathlib.Path, required=True)
    p.add_argument('--hostwarp', type=pathlib.Path, default=HERE.parent.parent / 'build/bin/hostwarp')
    p.add_argument('--source', type=pathlib.Path, help='a checkout of the suite, where it is not to be fetched')
    p.add_argument('--only', nargs='+', default=[], help='tests whose id has one of these words')
    p.add_argument('--again', action='store_true', help='run what has failed once more')
    p.add_argument('--part', type=int, help='how many tests one process runs: 200, or what the table says')
    p.add_argument('--limit', type=int, default=240, help='seconds for one test')
    p.add_argument('--sample', type=int, help="how many of a test function's parameters are run")
    p.add_argument('--report', action='store_true', help='only count what is there')
    a = p.parse_args()
    client, folder = CLIENTS[a.name], a.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    source = sources(client, folder, a.source)
    env = environment(a.hostwarp.resolve(), client, folder, source)
    env['SUITES_ROOT'] = str(source or '')
    python = prepare(folder, client, env, source)
    where = client['where'](folder, source) if 'where' in client else source or folder
    tests = collect(python, client, env, where, folder, a.name)
    if a.sample or client.get('sample'):
        tests = sample(tests, a.sample or client['sample'])
    results = folder / f'{a.name}.results'
    if a.report:
        return report(a.name, results, tests)
    finish(results, 'crashed', 'the run was stopped')
    last = {line['id']: line['result'] for line in lines(results)}
    todo = [i for i in tests if (i not in last or a.again and last[i] in ('failed', 'crashed', 'timeout')) and (not a.only or any(w in i for w in a.only))]
    if a.again and todo:                          # they begin anew: forget how they ended
        keep = [line for line in lines(results) if line['id'] not in set(todo)]
        results.write_text(''.join(json.dumps(line) + '\n' for line in keep))
    run_parts(python, client, env, where, folder, a.name, todo, tests, a)
    return report(a.name, results, tests)


if __name__ == '__main__':
    sys.exit(main())
