#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs with many ranks, on this machine. usage: run.py BUILD [PATTERN]      Each function test_* is one rule; the result is TAP. Without Open MPI all are skipped."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
WORK = tempfile.TemporaryDirectory(prefix='hostwarp-mpi-')
BOX = pathlib.Path(WORK.name)
# More ranks than cores: nobody may spin, or be bound to one. Root may run tests.
ENV = {**{k: v for k, v in os.environ.items() if not k.startswith(('CUDA', 'NVCC', 'OMPI_', 'LD_'))}, 'PATH': f'{BUILD}/bin:{os.environ["PATH"]}',
       'HOSTWARP_CACHE': os.environ.get('HOSTWARP_CACHE', str(BOX / 'cache')), 'HOSTWARP_THREADS': '1', 'HOSTWARP_MEMORY': '512M', 'TMPDIR': WORK.name,
       'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1', 'OMPI_MCA_mpi_yield_when_idle': '1', 'OMPI_MCA_rmaps_base_oversubscribe': '1',
       'OMPI_MCA_hwloc_base_binding_policy': 'none', 'OMPI_MCA_plm_rsh_agent': 'false', 'OMPI_MCA_pml': 'ob1', 'OMPI_MCA_btl': 'self,vader'}


def run(*command, **env):
    p = subprocess.run([str(c) for c in command], cwd=BOX, env={**ENV, **env}, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=170)
    return p.returncode, p.stdout


def build(name, source, *options, **env):
    status, out = run(*options or ['nvcc', '-ccbin', 'mpicxx'], '-O2', '-o', name, source, **env)
    assert status == 0, out
    return f'./{name}'


def halo():
    return './halo' if (BOX / 'halo').exists() else build('halo', TREE / 'examples/mpi/halo.cu')


def ranks(n, *command, **env):
    """The lines that the program printed; warnings of MPI itself are left out."""
    status, out = run('mpirun', '-n', n, *command, **env)
    assert status == 0, f'status {status}\n{out}'
    return [line for line in out.splitlines() if line.startswith(('halo:', 'messages:', 'MPIX', 'hostwarp'))]


def halo_lines(n, devices, ways=('device', 'managed', 'pinned', 'ipc')):
    return [f'halo: {way}, {n} ranks with {devices} devices each: 0 points wrong' for way in ways]


def test_edges_are_exchanged_between_two_ranks():
    assert ranks(2, halo()) == halo_lines(2, 1)


def test_and_four():
    assert ranks(4, halo()) == halo_lines(4, 1)


def test_and_eight_with_two_devices_each():
    got = ranks(8, halo(), '--devices', '2', HOSTWARP_DEVICES='16')
    assert got == halo_lines(8, 2), got


def test_a_rank_may_see_its_own_devices_alone():
    (BOX / 'mine').write_text('#!/bin/sh\nn=$OMPI_COMM_WORLD_LOCAL_RANK\nCUDA_VISIBLE_DEVICES=$((2 * n)),$((2 * n + 1)) exec "$@"\n')
    (BOX / 'mine').chmod(0o755)
    assert ranks(4, './mine', halo(), '--devices', '2', HOSTWARP_DEVICES='8') == halo_lines(4, 2)


def test_large_edges_go_from_process_to_process():
    """Rows of 800 kB: Open MPI copies them with one system call from the other process's memory."""
    assert ranks(2, halo(), '--width', '200000', '--height', '12', '--steps', '3') == halo_lines(2, 1)


def test_edges_cross_a_network():
    """Neighbours on one machine may talk through sockets as if they were on two. The events and memory of `ipc` do not."""
    assert ranks(2, halo(), '--how', 'device', OMPI_MCA_btl='self,tcp', OMPI_MCA_btl_tcp_if_include='lo', OMPI_MCA_oob_tcp_if_include='lo') == halo_lines(2, 1, ['device'])


def test_a_wrong_exchange_is_seen():
    """The comparison can fail: without halos the points next to the edges are wrong."""
    source = (TREE / 'examples/mpi/halo.cu').read_text()
    wrong = source.replace('MPI_Irecv(in, count', 'MPI_Irecv(in, count / 2', 1).replace('MPI_Isend(out, count', 'MPI_Isend(out, count / 2', 1)
    assert wrong != source
    (BOX / 'wrong.cu').write_text(wrong)
    status, out = run('mpirun', '-n', 2, build('wrong', 'wrong.cu'), '--how', 'device')
    assert status != 0 and re.search(r'halo: device, 2 ranks with 1 devices each: [1-9]\d* points wrong', out), out


def test_the_checker_finds_nothing_wrong_with_it():
    for way in 'device', 'pinned', 'ipc':
        got = ranks(2, 'hostwarp', 'check', halo(), '--how', way, '--steps', '4', '--devices', '2', HOSTWARP_DEVICES='4')
        assert got == halo_lines(2, 2, [way]), got


def test_messages_of_every_kind_of_memory():
    program = build('messages', HERE / 'messages.cu')
    got = ranks(2, program)
    assert got[-1] == 'messages: 2 ranks, 0 failures', got


def test_messages_of_every_kind_through_sockets_and_in_pieces():
    program = build('messages', HERE / 'messages.cu')
    tcp = dict(OMPI_MCA_btl='self,tcp', OMPI_MCA_btl_tcp_if_include='lo', OMPI_MCA_oob_tcp_if_include='lo')
    assert ranks(2, program, 'no-windows', **tcp)[-1] == 'messages: 2 ranks, 0 failures'
    assert ranks(2, program, 'no-windows', OMPI_MCA_btl_vader_single_copy_mechanism='none')[-1] == 'messages: 2 ranks, 0 failures'


def test_programs_that_ask_whether_device_pointers_may_be_sent_can_be_told():
    (BOX / 'ask.c').write_text('#include <mpi.h>\n#include <mpi-ext.h>\n#include <stdio.h>\nint main(int c, char **v)\n{\n    MPI_Init(&c, &v);\n'
                               '    printf("MPIX %d\\n", MPIX_Query_cuda_support());\n    return MPI_Finalize();\n}\n')
    assert run('mpicc', '-o', 'ask', 'ask.c')[0] == 0
    assert ranks(1, './ask', LD_PRELOAD=f'{BUILD}/lib/libhostwarp-mpi.so') == ['MPIX 1']


def test_every_way_to_name_the_compiler():
    source = TREE / 'examples/mpi/halo.cu'
    build('a', source, 'nvcc', '-ccbin=' + shutil.which('mpicxx'))
    build('b', source, 'nvcc', '--compiler-bindir', 'mpicc')
    build('c', source, 'nvcc', NVCC_CCBIN='mpic++')
    build('d', source, 'mpicxx', OMPI_CXX='nvcc')
    for name in 'abcd':
        assert ranks(2, f'./{name}', '--how', 'pinned') == halo_lines(2, 1, ['pinned'])
    status, out = run('nvcc', '-ccbin', '/nowhere/mpicxx', '-o', 'e', source)
    assert status != 0 and 'does not answer -show' in out, out


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else ''
    tests = [(name, fn) for name, fn in globals().items() if name.startswith('test_') and pattern in name]
    missing = [tool for tool in ('mpirun', 'mpicxx') if not shutil.which(tool)]
    if missing or 'Open MPI' not in run('mpirun', '--version')[1]:
        print(f'there is no Open MPI ({", ".join(missing) or "mpirun is another one"}; Debian: openmpi-bin, libopenmpi-dev)')
        return 77
    failed = 0
    print(f'1..{len(tests)}')
    for i, (name, fn) in enumerate(tests, 1):
        try:
            fn()
            print(f'ok {i} {name}', flush=True)
        except (AssertionError, OSError, subprocess.SubprocessError) as e:
            failed += 1
            print(f'not ok {i} {name}\n# ' + str(e).replace('\n', '\n# '), flush=True)
    return 1 if failed else 0


sys.exit(main())
