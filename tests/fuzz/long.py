#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""All fuzzers for a longer time: each with a seed of its own, which its lines tell.

usage: tests/fuzz/long.py [--build DIR] [--seconds N] [-j N] [--seed S] [NAME...]

  --seconds  for each fuzzer, 60
  --seed     the same for all; without it each takes one from the system
  NAME       these only: escape, graphs, random_kernels, ...

What is found goes to DIR/fuzz-NAME.log whole; the lines that say `not ok` and the last one are shown. Stopped with Ctrl-C, all print
how far they came. The exit status is 1 when something was found.
"""
import argparse
import concurrent.futures
import os
import pathlib
import signal
import subprocess
import sys

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
SHOWN = 20
running = set()


def run(build, name, seconds, seed, env):
    log = build / f'fuzz-{name}.log'
    args = [build / f'meson/tests/fuzz-{name}', '--seconds', str(seconds), '--seed', seed]
    with open(log, 'w') as out:
        p = subprocess.Popen([str(a) for a in args], stdout=out, stderr=subprocess.STDOUT, cwd=TREE, env=env, start_new_session=True)
        running.add(p)
        status = p.wait()
        running.discard(p)
    lines = log.read_text(errors='replace').splitlines()
    told = [l for l in lines if l.startswith('not ok')]
    last = [l for l in lines if l.startswith(('ok ', 'not ok'))][-1:] or [f'not ok {name}: no last line, exit status {status}']
    return status, told[:-1][:SHOWN] + last + ([f'    see {log}'] if told else [])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', type=pathlib.Path, default=TREE / 'build')
    p.add_argument('--seconds', type=int, default=60)
    p.add_argument('--seed', default='random')
    p.add_argument('-j', '--jobs', type=int, default=min(8, len(os.sched_getaffinity(0))))
    p.add_argument('names', nargs='*', metavar='NAME')
    a = p.parse_args()
    known = subprocess.run([sys.executable, TREE / 'tests/list.py', 'fuzz'], capture_output=True, text=True, check=True).stdout.split()
    unknown = set(a.names) - set(known)
    if unknown:
        sys.exit(f'there is no {" ".join(sorted(unknown))}; there are {" ".join(known)}')
    build, bad, stopped = a.build.resolve(), 0, False
    env = {k: v for k, v in os.environ.items() if not k.startswith('HOSTWARP_')}
    with concurrent.futures.ThreadPoolExecutor(a.jobs) as pool:
        jobs = [pool.submit(run, build, n, a.seconds, a.seed, env) for n in a.names or known]
        while jobs:
            try:
                status, lines = jobs[0].result()
                jobs.pop(0)
                print('\n'.join(lines), flush=True)
                bad += status == 1 or status < 0 or lines[0].startswith('not ok')
            except KeyboardInterrupt:
                jobs = [jobs[0]] + [j for j in jobs[1:] if not j.cancel()] if not stopped else jobs
                stopped = True
                for process in list(running):
                    process.send_signal(signal.SIGTERM)
    print(f'{bad} of the fuzzers found something' if bad else 'nothing was found')
    return 1 if bad else 0


sys.exit(main())
