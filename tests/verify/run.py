#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of HOSTWARP_VERIFY. usage: run.py BUILD [PATTERN]      Each function test_* is one rule; the result is TAP."""
import fnmatch
import os
import pathlib
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
WORK = tempfile.TemporaryDirectory(prefix='hostwarp-verify-test-')
PROGRAM = pathlib.Path(WORK.name) / 'programs'
ENV = {**{k: v for k, v in os.environ.items() if not k.startswith('HOSTWARP_')}, 'HOSTWARP_CACHE': WORK.name + '/cache'}


def run(what, verify, **env):
    """Returns (status, standard output, what was said about launches, other messages)."""
    p = subprocess.run([PROGRAM, what], env={**ENV, 'HOSTWARP_VERIFY': str(verify), **env}, text=True, capture_output=True, timeout=120)
    lines = p.stderr.splitlines()
    return p.returncode, p.stdout, [l for l in lines if 'verify:' in l], [l for l in lines if 'verify:' not in l]


def summary(n, same=0, different=0, order=0, none=0):
    return f'hostwarp: verify: {n} launches: {same} the same, {different} different, {order} order-dependent, {none} not verified'


def test_off_says_nothing():
    status, _, told, other = run('undefined', 0)
    assert (status, told, other) == (0, [], []), (status, told, other)


def test_a_right_program_answers_the_same_and_nothing_happens_twice():
    plain, verified = run('right', 0), run('right', 2)
    assert plain[:2] == verified[:2], (plain, verified)
    assert verified[0] == 0 and 'launch 3' in verified[1] and 'launch 4' not in verified[1], verified
    assert verified[2] == [summary(3, same=3)], verified[2]


def test_a_difference_is_told_with_its_place_and_values():
    status, out, told, _ = run('undefined', 1)
    assert (status, out) == (0, 'cudaSuccess\n'), (status, out)
    assert told[-1] == summary(1, different=1), told
    for part in ('kernel undefined(int*), grid [2,1,1], block [32,1,1]', 'DIFFERENT: 16 bytes, first at 0x', 'byte 40 in device memory of 1048576 bytes',
                 'reference 0x00000000', 'vector code 0x0000003d (61,', 'before 0x00000000'):
        assert part in told[0], (part, told[0])


def test_a_difference_can_be_the_exit_status():
    status, out, told, _ = run('undefined', 2)
    assert (status, out, len(told)) == (86, 'cudaSuccess\n', 2), (status, out, told)


def test_what_depends_on_order_is_no_difference():
    for what in 'race', 'neighbours', 'uninitialised', 'places', 'total':
        status, _, told, _ = run(what, 2)
        assert status == 0 and told and '0 different' in told[-1] and '0 not verified' in told[-1], (what, status, told)
    assert 'order-dependent: ' in told[0] or summary(1, same=1) == told[-1], told


def test_scalar_runs_in_both_orders_show_races():
    told = run('neighbours', 2)[2]
    assert told[-1] == summary(1, order=1), told


def test_a_scalar_run_in_step_shows_threads_that_do_the_same():
    status, _, told, _ = run('rows', 2)
    assert status == 0 and '0 different' in told[-1], (status, told)


def test_a_fault_of_both_is_the_same_and_said_once():
    plain, verified = run('wild', 0), run('wild', 2)
    assert plain[:2] == verified[:2] and 'cudaErrorIllegalAddress' in verified[1], (plain, verified)
    assert verified[2] == [summary(1, same=1)] and len(verified[3]) == 1, verified


def test_a_kernel_that_waits_for_the_host_is_left_alone():
    status, out, told, _ = run('flag', 2, HOSTWARP_VERIFY_LIMIT='1')
    assert (status, out) == (0, 'over\n'), (status, out, told)
    assert 'not verified: took too long' in told[0] and told[-1] == summary(1, none=1), told


def test_launches_in_a_row_are_each_verified_or_as_many_as_asked():
    assert run('many', 2)[2][-1].startswith('hostwarp: verify: 50 launches:')
    assert run('many', 2, HOSTWARP_VERIFY_MOST='7')[2][-1].startswith('hostwarp: verify: 7 launches:')


def test_reports_go_to_a_file():
    log = pathlib.Path(WORK.name) / 'log'
    for _ in range(2):
        assert run('undefined', 1, HOSTWARP_VERIFY_LOG=str(log))[2] == []
    lines = log.read_text().splitlines()
    assert len(lines) == 4 and lines[3] == summary(1, different=1), lines


def test_vectors_of_every_width_are_compared():
    for width in '4', '8', '16':
        assert run('undefined', 2, HOSTWARP_WIDTH=width)[0] == 86, width
    assert run('undefined', 2, HOSTWARP_WIDTH='1')[2][-1] == summary(1, same=1)


def test_nans_of_functions_and_halves_have_the_same_bits_at_every_width():
    for width in '1', '4', '8', '16':
        status, out, told, _ = run('nans', 2, HOSTWARP_WIDTH=width)
        assert (status, out, told) == (0, 'cudaSuccess\n', [summary(1, same=1)]), (width, status, out, told)


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else '*'
    subprocess.run([BUILD / 'bin/hostwarp', 'cc', '-O3', '-o', PROGRAM, HERE / 'programs.cu'], env=ENV, check=True)
    failed = 0
    tests = [(name, test) for name, test in globals().items() if name.startswith('test_') and fnmatch.fnmatch(name, pattern)]
    print(f'1..{len(tests)}')
    for name, test in tests:
        try:
            test()
            print(f'ok {name[5:]}', flush=True)
        except Exception:                        # a test that breaks is one that fails
            failed += 1
            print(f'not ok {name[5:]}\n{traceback.format_exc()}', flush=True)
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
