#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of `hostwarp prof`. usage: run.py BUILD [PATTERN]      Each function test_* is one rule; the result is TAP."""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
import trace_event                               # noqa: E402: beside this file
BUILD = pathlib.Path(sys.argv[1]).resolve()
HOSTWARP = BUILD / 'bin/hostwarp'
CACHE = tempfile.TemporaryDirectory(prefix='hostwarp-prof-test-')


class Skip(Exception):
    pass


class Box:
    """A fresh folder to work in."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        (self.path / 'tmp').mkdir()
        env = {k: v for k, v in os.environ.items() if not k.startswith('HOSTWARP_')}
        self.env = {**env, 'TMPDIR': str(self.path / 'tmp'), 'HOSTWARP_CACHE': CACHE.name}

    def write(self, name, text):
        (self.path / name).write_text(text)
        return name

    def prof(self, *args, status=0, env=None):
        p = subprocess.run([str(a) for a in (HOSTWARP, 'prof', *args)], cwd=self.path, env={**self.env, **(env or {})}, text=True,
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
        if status is not None and p.returncode != status:
            raise AssertionError(f'{args}: status {p.returncode}, not {status}\n{p.stdout}{p.stderr}')
        left = os.listdir(self.path / 'tmp')
        assert not left, f'{args} left temporary files: {left}'
        return p

    def json(self, *args, **kw):
        self.prof('--json', '--log-file', 'out.json', *args, **kw)
        return json.loads((self.path / 'out.json').read_text())


def has(text, *parts):
    for part in parts:
        assert part in text, f'no {part!r} in:\n{text}'


def lacks(text, *parts):
    for part in parts:
        assert part not in text, f'{part!r} is in:\n{text}'


def calls(profile, part='api_calls'):
    return {row['name']: row['calls'] for row in profile[part]}


# --- tables

# nvprof's two blocks: rows are compared without order, since that depends on the times.
GOLDEN = '''\
==P== HOSTWARP is profiling process P, command: transfer
==P== Profiling application: transfer
==P== Profiling result:
Time(%)      Time     Calls       Avg       Min       Max  Name
 ##.##%  ########         1  ########  ########  ########  [CUDA memcpy DtoH] (pageable)
 ##.##%  ########         1  ########  ########  ########  [CUDA memcpy DtoH] (pinned)
 ##.##%  ########         1  ########  ########  ########  [CUDA memset]
 ##.##%  ########         1  ########  ########  ########  scale(float*, int, float)
 ##.##%  ########         2  ########  ########  ########  [CUDA memcpy HtoD] (pageable)

==P== API calls:
Time(%)      Time     Calls       Avg       Min       Max  Name
 ##.##%  ########         1  ########  ########  ########  cudaFree
 ##.##%  ########         1  ########  ########  ########  cudaFreeHost
 ##.##%  ########         1  ########  ########  ########  cudaHostAlloc
 ##.##%  ########         1  ########  ########  ########  cudaLaunchKernel
 ##.##%  ########         1  ########  ########  ########  cudaMalloc
 ##.##%  ########         1  ########  ########  ########  cudaMemset
 ##.##%  ########         1  ########  ########  ########  cudaSetDevice
 ##.##%  ########         4  ########  ########  ########  cudaMemcpy
'''


def masked(text):
    lines, block = [], []
    for line in re.sub(r'==\d+==', '==P==', re.sub(r'process \d+', 'process P', text)).splitlines():
        row = re.match(r'^[ \d]{3}\.\d\d%( +[\d.]+(?:ns|us|ms|s)) +\d+( +[\d.]+(?:ns|us|ms|s)){3}  ', line)
        if row:
            line = re.sub(r'^[ \d]{3}\.\d\d%', ' ##.##%', line)
            block.append(re.sub(r' {2,}[\d.]+(ns|us|ms|s)\b', lambda m: ' ' * (len(m.group()) - 8) + '########', line))
        else:
            lines += sorted(block) + [line]
            block = []
    return '\n'.join(lines + sorted(block)) + '\n'


def test_the_tables_are_nvprofs(box):
    shutil.copy(HERE / 'transfer.cu', box.path)
    p = box.prof('--no-advice', 'transfer.cu')
    assert p.stdout == '1 1\n', p.stdout
    assert masked(p.stderr) == GOLDEN, masked(p.stderr)


def test_shares_add_up_and_rows_are_sorted(box):
    profile = box.json(HERE / 'transfer.cu')
    for part in 'activities', 'api_calls':
        times = [r['time_ns'] for r in profile[part]]
        assert times == sorted(times, reverse=True) and all(t > 0 for t in times), times
        assert abs(sum(r['percent'] for r in profile[part]) - 100) < 0.01
        for r in profile[part]:
            assert r['min_ns'] <= r['avg_ns'] <= r['max_ns'] and abs(r['avg_ns'] * r['calls'] - r['time_ns']) <= r['calls'], r


def test_csv_is_csv(box):
    p = box.prof('--csv', '--log-file', 'out.csv', HERE / 'transfer.cu')
    lacks(p.stderr, 'Time(%)')
    rows = list(csv.reader(io.StringIO((box.path / 'out.csv').read_text())))
    assert ['Time(%)', 'Time', 'Calls', 'Avg', 'Min', 'Max', 'Name'] in rows and ['%', 'ms', '', 'ms', 'ms', 'ms', ''] in rows, rows
    kernel = [r for r in rows if r and r[-1] == 'scale(float*, int, float)']
    assert len(kernel) == 1 and len(kernel[0]) == 7 and float(kernel[0][1]) > 0, rows


def test_traces_list_every_activity_and_call(box):
    out = box.prof('--print-gpu-trace', '--print-api-trace', HERE / 'transfer.cu').stderr
    has(out, '(4096 1 1)', '(256 1 1)', '4.0000MB', 'Pinned', 'Pageable', 'Device')
    assert len(re.findall(r'\[CUDA memcpy HtoD\]', out)) == 2 and len(re.findall(r'  cudaMemcpy$', out, re.M)) == 4, out


def test_the_drivers_own_calls_have_their_names(box):
    box.write('d.c', '#include <cuda.h>\nint main(void) { CUdevice d; CUcontext c; CUdeviceptr p; return cuInit(0) || cuDeviceGet(&d, 0) ||'
              ' cuCtxCreate(&c, 0, d) || cuMemAlloc(&p, 100) || cuMemFree(p); }')
    subprocess.run([HOSTWARP, 'cc', 'd.c', '-o', 'd', '-lcuda'], cwd=box.path, env=box.env, check=True)
    got = calls(box.json('./d'))
    assert got == {'cuInit': 1, 'cuDeviceGet': 1, 'cuCtxCreate': 1, 'cuMemAlloc': 1, 'cuMemFree': 1}, got


# --- nothing is lost

CRASH = r'''
#include <csignal>
#include <cstdlib>
#include <unistd.h>
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
__global__ void forever(volatile int *p) { while (*p == 0) { } }
int main(int argc, char **argv) {
    int *d;
    cudaMalloc(&d, 256);
    cudaMemset(d, 0, 256);
    twice<<<1, 32>>>(d);
    cudaDeviceSynchronize();
    switch (argv[1][0]) {
    case 'e': _exit(3);
    case 'a': abort();
    case 's': raise(SIGSEGV);
    case 'k': forever<<<1, 1>>>(d); usleep(300000); raise(SIGKILL);
    }
}
'''


def test_a_crash_or_exit_loses_nothing(box):
    box.write('crash.cu', CRASH)
    for how, status in ('e', 3), ('a', 134), ('s', 139), ('k', 137):
        profile = box.json('crash.cu', how, status=status)
        assert calls(profile)['cudaDeviceSynchronize'] == 1, profile
        acts = calls(profile, 'activities')
        assert acts['twice(int*)'] == 1 and acts['[CUDA memset]'] == 1, profile
        if how == 'k':                              # killed in the middle of a kernel: what ran until then is there
            (row,) = [r for r in profile['activities'] if r['name'].startswith('forever')]
            assert row['calls'] == 1, row


def test_a_program_without_cuda_is_said_to_have_none(box):
    has(box.prof('true').stderr, 'No CUDA application was profiled')
    box.prof('false', status=1)
    has(box.prof(status=2).stderr, 'which program')


# --- choosing

def test_start_and_stop_choose_the_part(box):
    box.write('part.cu', '#include <cuda_profiler_api.h>\nint main() { int *p; cudaMalloc(&p, 10); cudaProfilerStart(); cudaMemset(p, 0, 10);'
              ' cudaProfilerStop(); cudaFree(p); }')
    got = calls(box.json('--profile-from-start', 'off', 'part.cu'))
    assert 'cudaMemset' in got and 'cudaMalloc' not in got and 'cudaFree' not in got, got
    got = calls(box.json('part.cu'))
    assert 'cudaMalloc' in got and 'cudaMemset' in got and 'cudaFree' not in got, got


def test_child_processes_are_shown_when_asked_for(box):
    box.write('kids.cu', '#include <cstdlib>\nint main(int n, char **v) { int *p; cudaMalloc(&p, 10); if (n > 1) { cudaFree(p); return 0; }'
              ' char c[4096]; snprintf(c, sizeof c, "/proc/%d/exe child", (int)getpid()); return system(c); }'.replace('#include <cstdlib>', '#include <cstdlib>\n#include <cstdio>\n#include <unistd.h>'))
    lacks(box.prof('kids.cu').stderr, 'cudaFree')
    out = box.prof('--profile-child-processes', 'kids.cu').stderr
    has(out, 'cudaFree')
    assert len(set(re.findall(r'==(\d+)== Profiling result', out))) == 2, out
    both = box.json('--profile-child-processes', '--trace', 'trace.json', 'kids.cu')
    assert sorted('cudaFree' in calls(p) for p in both) == [False, True] and len({p['pid'] for p in both}) == 2, both
    traces = list(box.path.glob('trace*.json'))
    assert len(traces) == 2 and not any(trace_event.faults(json.loads(t.read_text())) for t in traces), traces


def test_nvtx_ranges_are_counted(box):
    got = calls(box.json(HERE / 'overlap.cu'), 'ranges')
    assert got == {'pipeline': 1, 'chunk': 8}, got


# --- what kernels did

def same(got, want, what):
    for key, value in want.items():
        have = got
        for part in key.split('.'):
            have = have[part]
        assert have == value, f'{what}: {key} is {have}, not {value}'


# 4 blocks of 8 warps: 32 warps of 32 threads each. Accesses by what they are; several of one kind are in the order of their cost.
KERNELS = {
    'void transpose<0>(float*, float const*)': {       # rows of 32 words: a column is one bank
        'active_lanes': 32, 'bytes_read.global': 16384, 'bytes_written.global': 16384, 'bytes_read.shared': 16384, 'bytes_written.shared': 16384,
        'patterns.vector': 256, 'sectors': 1024, 'sector_bytes_used_percent': 100, 'shared_passes': 128 + 128 * 32, 'worst_conflict': 32,
        'instructions.load': 256, 'instructions.store': 256, 'instructions.barrier': 32, 'occupancy_percent': 100, 'achieved_occupancy_percent': 12.5},
    'void transpose<1>(float*, float const*)': {       # rows of 33
        'shared_passes': 256, 'shared_passes_without_conflicts': 256, 'worst_conflict': 1, 'patterns.vector': 256, 'active_lanes': 32},
    'copy_stride2(float*, float const*)': {            # every second word of 8 sectors
        'bytes_read.global': 4096, 'patterns.strided': 64, 'sectors': 512, 'sector_bytes_used_percent': 50, 'active_lanes': 32},
    'copy_float4(float4*, float4 const*)': {           # 512 bytes of a warp are 16 sectors
        'bytes_read.global': 16384, 'patterns.vector': 64, 'sectors': 1024, 'sector_bytes_used_percent': 100},
    'halves(float*, float const*)': {                  # both sides run, 2 instructions each, with 16 lanes
        'instructions.float': 128, 'patterns.vector': 64},
    'broadcast(float*, float const*)': {
        'patterns.uniform': 32, 'patterns.vector': 32, 'sectors': 32 + 128, 'sector_bytes_used': 32 * 4 + 4096, 'shared_passes': 64, 'worst_conflict': 1},
    'gather(float*, float const*, int const*)': {
        'patterns.gathered': 32, 'patterns.vector': 64, 'bytes_read.global': 8192},
    'wide_shared(double2*, double2 const*)': {         # quarters of a warp; every second 16 bytes: two lanes for a bank
        'shared_passes': 128 + 256, 'shared_passes_without_conflicts': 256, 'worst_conflict': 2, 'bytes_read.shared': 16384, 'patterns.vector': 64},
    'generic(float*, float const*)': {                 # a pointer that turns out to be one into shared memory
        'bytes_read.shared': 4096, 'bytes_read.global': 4096 + 4096, 'shared_passes': 64, 'patterns.uniform': 32},
    'count(int*)': {                                   # 8 lanes of each warp, one address
        'instructions.atomic': 32, 'bytes_read.global': 1024, 'bytes_written.global': 1024, 'patterns.uniform': 32, 'sectors': 32},
    'turns(int*, int*)': {                             # threads that take turns, put together again: 2 warps
        'instructions.atomic': 4, 'bytes_written.global': 3 * 64 * 4, 'patterns.uniform': 8, 'active_lanes': 32, 'achieved_occupancy_percent': 3.125},
}
ACCESSES = [                                           # kernel, line that holds this, access: runs, lanes, pattern or conflicts
    ('void transpose<0>', '= tile[threadIdx.x]', 'shared load', 128, 4096, 32),
    ('void transpose<0>', '= in[(threadIdx.y + j)', 'shared store', 128, 4096, 1),
    ('void transpose<1>', '= tile[threadIdx.x]', 'shared load', 128, 4096, 1),
    ('copy_stride2', 'out[i] = in[i]', 'global load', 32, 1024, 'strided'),
    ('copy_float4', 'float4 v = in[i]', 'global load', 32, 1024, 'vector'),
    ('wide_shared', 'v = s[2 * threadIdx.x % 512]', 'shared load', 32, 1024, 2),
    ('broadcast', '= in[0]', 'global load', 32, 1024, 'uniform'),
    ('broadcast', '= one[threadIdx.x / 32]', 'shared load', 32, 1024, 1),
    ('generic', '__device__ float through', 'shared load', 32, 1024, 1),
    ('count', 'atomicAdd(n, 1)', 'global atomic', 32, 256, 'uniform'),
]


def details_at(box, width, *args):
    return {k['name']: k for k in box.json('--kernel-details', *args, env={'HOSTWARP_WIDTH': str(width)})['kernels']}


def test_kernel_details_are_right_at_every_width(box):
    got = details_at(box, 16, HERE / 'details.cu', 'turns')
    assert got.keys() == KERNELS.keys(), got.keys()
    for name, want in KERNELS.items():
        same(got[name], want, name)
    # 20 instructions in all, 2 + 2 of them in the branches: those had half of their lanes
    halves = got['halves(float*, float const*)']
    assert halves['warp_instructions'] * 32 - halves['thread_instructions'] == 32 * 4 * 16, halves
    source = (HERE / 'details.cu').read_text().splitlines()
    for kernel, text, access, runs, lanes, what in ACCESSES:
        (k,) = [k for name, k in got.items() if name.startswith(kernel + '(')]
        (line,) = [i for i, l in enumerate(source, 1) if text in l] if kernel != 'copy_stride2' else [20]
        (a,) = [a for a in k['accesses'] if a['place'] == f'details.cu:{line}' and f"{a['space']} {a['access']}" == access]
        assert (a['runs'], a['lanes']) == (runs, lanes), a
        if isinstance(what, str):
            assert a['patterns'][what] == runs and sum(a['patterns'].values()) == runs, a
        else:
            assert a['shared_passes'] == what * a['shared_passes_without_conflicts'] and a['worst_conflict'] == what, a
    for width in 1, 4, 8:
        other = details_at(box, width, HERE / 'details.cu', 'turns')
        assert other == got, (width, {k: (other[k], got[k]) for k in got if other[k] != got[k]})


def test_instructions_are_counted_by_class(box):
    for width in 1, 8, 16:
        k = details_at(box, width, '-lcuda', HERE / 'classes.cu')['classes']
        # two warps; the guarded store only in the first, with 4 lanes; the loop three times
        same(k['instructions'], {'move': 2 * 3, 'convert': 2 * 2, 'integer': 2 * (4 + 3), 'compare': 2 * (1 + 3), 'float': 2, 'double': 2 * 2, 'special': 2,
                                 'branch': 2 * (3 + 1), 'load': 2 * 2, 'store': 2 * 2 + 1, 'atomic': 2, 'warp': 2, 'barrier': 2, 'matrix': 0, 'other': 0}, width)
        assert k['warp_instructions'] == 63 and k['thread_instructions'] == 62 // 2 * 40 + 4, k
        same(k, {'bytes_read.global': 320, 'bytes_written.global': 336, 'bytes_read.shared': 160, 'bytes_written.shared': 160}, width)


LOOPS = r'''
__device__ __noinline__ int depth(int n) { return n <= 1 ? 1 : 1 + depth(n - 1); }
__global__ void nested(int *out) {
    int sum = 0;
    for (int i = 0; i < (int)threadIdx.x % 5; i++)
        for (int k = 0; k < (int)(threadIdx.x + i) % 7; k++)
            sum += out[(k * 37 + i) % 64];
    __syncthreads();
    out[64 + threadIdx.x] = sum;
}
__global__ void calls(int *out) { out[threadIdx.x] = depth(threadIdx.x % 4 + 1); }
__global__ void local(int *out) { volatile int a[8]; for (int i = 0; i < 8; i++) a[(i + threadIdx.x) % 8] = i; out[threadIdx.x] = a[threadIdx.x % 8]; }
int main() {
    int *p; cudaMalloc(&p, 4096); cudaMemset(p, 0, 4096);
    nested<<<2, 90>>>(p); calls<<<1, 48>>>(p); local<<<1, 70>>>(p);
    return cudaDeviceSynchronize();
}
'''


def test_kernel_details_of_loops_and_calls_do_not_depend_on_the_width(box):
    box.write('loops.cu', LOOPS)
    first = details_at(box, 16, 'loops.cu')
    n = [sum(sum((t + i) % 7 for i in range(t % 5)) for t in range(90)) * 2][0]
    reads = [a for a in first['nested(int*)']['accesses'] if a['access'] == 'load']
    assert sum(a['lanes'] for a in reads) == n, (n, reads)
    warps = sum(sum(max((t + i) % 7 if i < t % 5 else 0 for t in range(w * 32, min(90, w * 32 + 32))) for i in range(4)) for w in range(3)) * 2
    assert sum(a['runs'] for a in reads) == warps, (warps, reads)
    same(first['local(int*)'], {'bytes_written.local': 70 * 8 * 4, 'bytes_read.local': 70 * 4, 'bytes_written.global': 280}, 'local')
    for width in 1, 8:
        assert details_at(box, width, 'loops.cu') == first, width


def test_kernel_details_as_tables(box):
    out = box.prof('--kernel-details', HERE / 'details.cu').stderr
    has(out, 'Kernel details (kernels were instrumented: their times are not those of a plain run)', 'of 32 lanes active', 'occupancy 100.0%, achieved 12.5%',
        'bank conflicts: 3968 passes more than the 256 without', 'uniform 0.0%, vector 0.0%, strided 100.0%, gathered 0.0%')
    assert re.search(r'^ +128 +32\.00 +4  shared load +- +- +32\.00  details\.cu:14$', out, re.M), out
    lacks(box.prof(HERE / 'details.cu').stderr, 'Kernel details')
    box.prof('--kernel-details', '--csv', '--log-file', 'out.csv', HERE / 'details.cu')
    rows = list(csv.reader(io.StringIO((box.path / 'out.csv').read_text())))
    assert ['void transpose<0>(float*, float const*)', 'worst bank conflict', '32'] in rows, rows
    assert any(r[:5] == ['void transpose<0>(float*, float const*)', 'details.cu:14', 'shared', 'load', '4'] and r[-1] == '32' for r in rows), rows


def test_kernel_details_only_count_what_is_profiled(box):
    box.write('part.cu', '#include <cuda_profiler_api.h>\n__global__ void f(int *p) { p[threadIdx.x] = 1; } int main() { int *p; cudaMalloc(&p, 400);'
              ' f<<<1, 32>>>(p); cudaDeviceSynchronize(); cudaProfilerStart(); f<<<3, 32>>>(p); cudaDeviceSynchronize(); cudaProfilerStop(); f<<<1, 32>>>(p);'
              ' return cudaDeviceSynchronize(); }')
    (k,) = box.json('--kernel-details', '--profile-from-start', 'off', 'part.cu')['kernels']
    assert k['launches'] == 1 and k['instructions']['store'] == 3, k


def test_a_crash_keeps_the_kernel_details(box):
    box.write('crash.cu', CRASH)
    for how, status in ('e', 3), ('k', 137):
        kernels = {k['name']: k for k in box.json('--kernel-details', 'crash.cu', how, status=status)['kernels']}
        assert kernels['twice(int*)']['bytes_written']['global'] == 128, kernels


def test_without_kernel_details_the_code_is_the_same(box):
    code = []
    for i, args in enumerate((['run'], ['prof'])):
        folder = box.path / f'asm{i}'
        subprocess.run([HOSTWARP, *args, HERE / 'details.cu', 'turns'], cwd=box.path, check=True, capture_output=True,
                       env={**box.env, 'HOSTWARP_DUMP': 'asm', 'HOSTWARP_DUMP_DIR': str(folder), 'HOSTWARP_CACHE': 'off'})
        code.append({f.name: f.read_text() for f in folder.iterdir()})
    assert code[0] and code[0] == code[1]


# --- pictures

def overlap_of(events):
    """The overlap of copies and kernels, from the trace alone."""
    edges = []
    for e in events:
        if e['ph'] == 'X' and e['pid'] == 2 and e['cat'] != 'host function':
            edges += [(e['ts'], 1, e['cat'] == 'kernel'), (e['ts'] + e['dur'], -1, e['cat'] == 'kernel')]
    edges.sort(key=lambda x: (x[0], -x[1]))
    n, both, last = [0, 0], 0.0, 0
    for ts, step, kernel in edges:
        both += (ts - last) if n[0] and n[1] else 0
        n[kernel] += step
        last = ts
    return both


def trace_of(box, *args, **kw):
    box.prof('--trace', 'out.json', *args, **kw)
    trace = json.loads((box.path / 'out.json').read_text())
    bad = trace_event.faults(trace)
    assert not bad, bad[:10]
    return trace


def test_the_trace_is_in_trace_event_format(box):
    trace = trace_of(box, HERE / 'overlap.cu')
    events = trace['traceEvents']
    assert {'X', 'M', 's', 'f', 'i'} <= {e['ph'] for e in events}
    lanes = {(e['pid'], e['args']['name']) for e in events if e['ph'] == 'M' and e['name'] == 'thread_name'}
    assert len([1 for pid, name in lanes if pid == 2]) == 2 and (3, 'Compute') in lanes, lanes
    kernels = [e for e in events if e['ph'] == 'X' and e['pid'] == 2 and e['cat'] == 'kernel']
    assert len(kernels) == 9 and kernels[-1]['args']['block'] == [256, 1, 1], kernels
    assert all(e['args']['occupancy_percent'] == 100 for e in kernels), kernels     # 256 threads, few registers
    # commands of one stream follow each other
    for tid in {e['tid'] for e in kernels}:
        rows = sorted((e['ts'], e['dur']) for e in events if e['ph'] == 'X' and e['pid'] == 2 and e['tid'] == tid)
        assert all(a + d <= b + 0.002 for (a, d), (b, _) in zip(rows, rows[1:])), rows
    starts, ends = ({e['id']: e for e in events if e['ph'] == k} for k in 'sf')
    assert starts and starts.keys() == ends.keys() and all(starts[i]['ts'] <= ends[i]['ts'] + 0.002 for i in starts), (starts, ends)
    assert abs(overlap_of(events) * 1000 - int(trace['otherData']['overlap_ns'])) < 2000, trace['otherData']


RANGES = r'''
#include <nvtx3/nvToolsExt.h>
#include <thread>
#include <vector>
__global__ void touch(int *p) { p[threadIdx.x]++; }
int main() {
    int *p; cudaMalloc(&p, 1024); cudaMemset(p, 0, 1024);
    nvtxRangeId_t a = nvtxRangeStartA("a"), b = nvtxRangeStartA("b");
    nvtxRangePushA("around \"quotes\" <and> \\"); touch<<<1, 32>>>(p); nvtxRangeEnd(a); nvtxRangePop();
    std::vector<std::thread> many;
    for (int i = 0; i < 4; i++)
        many.emplace_back([=] { cudaStream_t s; cudaStreamCreate(&s); for (int k = 0; k < 20; k++) touch<<<1, 32, 0, s>>>(p); cudaStreamSynchronize(s); });
    for (auto &t : many) t.join();
    nvtxMarkA("marked"); nvtxRangeEnd(b);
    return cudaDeviceSynchronize();
}
'''


def test_traces_of_threads_ranges_and_crashes_are_valid_too(box):
    box.write('ranges.cu', RANGES)
    trace = trace_of(box, 'ranges.cu')
    phases = [e['ph'] for e in trace['traceEvents']]
    assert phases.count('b') == phases.count('e') == 2 and phases.count('i') == 1, phases
    assert any(e['name'] == 'around "quotes" <and> \\' for e in trace['traceEvents']), [e['name'] for e in trace['traceEvents'] if e.get('cat') == 'nvtx']
    assert len({e['tid'] for e in trace['traceEvents'] if e['pid'] == 1 and e['ph'] == 'X'}) == 5
    box.write('crash.cu', CRASH)
    trace = trace_of(box, 'crash.cu', 'k', status=137)
    assert any(e.get('args', {}).get('unfinished') for e in trace['traceEvents'])


def test_graphs_appear_like_streams(box):
    profile = box.json('--trace', 'trace.json', '--timeline', 'out.html', HERE / 'graph.cu')
    assert calls(profile, 'activities') == {'twice(int*)': 6, 'plus(int*, int const*)': 3, '[CUDA memset]': 3, '[CUDA memcpy HtoD] (pinned)': 3,
                                            '[CUDA memcpy DtoH] (pinned)': 3}, profile['activities']
    assert calls(profile)['cudaGraphLaunch'] == 3
    assert not profile['advice'], profile['advice']     # a graph's own order is nobody's default stream
    trace = json.loads((box.path / 'trace.json').read_text())
    assert not trace_event.faults(trace), trace_event.faults(trace)[:10]
    events = trace['traceEvents']
    lanes = {e['args']['name'] for e in events if e['ph'] == 'M' and e['name'] == 'thread_name' and e['pid'] == 2}
    assert len(lanes) == 2 and all(re.fullmatch(r'Stream \d+ \(graph\)', l) for l in lanes), lanes
    # two kernels run after what stands before them in their branch, and the sum after both
    flows = {e['id']: e for e in events if e['ph'] == 's'}
    assert len(flows) >= 3 and {e['cat'] for e in flows.values()} == {'graph'}, flows
    rows = {k: sorted(e['ts'] for e in events if e['ph'] == 'X' and e['pid'] == 2 and e['name'].startswith(k)) for k in ('twice', 'plus')}
    assert all(plus > twice for plus, twice in zip(rows['plus'], rows['twice'][1::2])), rows
    has((box.path / 'out.html').read_text(), '(graph)', 'plus(int*, int const*)')
    out = box.prof('--print-gpu-trace', HERE / 'graph.cu').stderr
    assert len(re.findall(r'\(256 1 1\) +\(256 1 1\).*twice', out)) == 6 and out.count('[CUDA memset]') == 3, out


# Traces that are wrong in one way each. `base` is right.
def broken_traces():
    x = {'ph': 'X', 'name': 'k', 'cat': 'kernel', 'pid': 2, 'tid': 1, 'ts': 10.0, 'dur': 5.0}
    base = {'displayTimeUnit': 'ns', 'traceEvents': [
        {'ph': 'M', 'name': 'process_name', 'pid': 2, 'tid': 0, 'args': {'name': 'Streams'}},
        {'ph': 'M', 'name': 'thread_name', 'pid': 2, 'tid': 1, 'args': {'name': 'Stream 1'}}, x,
        dict(x, name='inner', ts=11.0, dur=2.0), dict(x, tid=2, ts=20.0),
        {'ph': 's', 'cat': 'event', 'name': 'waits', 'id': 1, 'pid': 2, 'tid': 1, 'ts': 14.999},
        {'ph': 'f', 'bp': 'e', 'cat': 'event', 'name': 'waits', 'id': 1, 'pid': 2, 'tid': 2, 'ts': 20.0},
        {'ph': 'B', 'name': 'b', 'pid': 2, 'tid': 3, 'ts': 1}, {'ph': 'E', 'name': 'b', 'pid': 2, 'tid': 3, 'ts': 2},
        {'ph': 'b', 'cat': 'nvtx', 'name': 'r', 'id': 4, 'pid': 2, 'tid': 1, 'ts': 1}, {'ph': 'e', 'cat': 'nvtx', 'name': 'r', 'id': 4, 'pid': 2, 'tid': 1, 'ts': 30},
        {'ph': 'i', 's': 't', 'cat': 'nvtx', 'name': 'm', 'pid': 2, 'tid': 1, 'ts': 1}]}
    yield 'right', base
    def change(why, index, **kw):
        copy = json.loads(json.dumps(base))
        for k, v in kw.items():
            if v is None:
                del copy['traceEvents'][index][k]
            else:
                copy['traceEvents'][index][k] = v
        return why, copy
    def without(why, index):
        copy = json.loads(json.dumps(base))
        del copy['traceEvents'][index]
        return why, copy
    yield change('unknown phase', 2, ph='?')
    yield change('no name', 2, name=None)
    yield change('a time in words', 2, ts='10')
    yield change('a negative time', 2, ts=-1.0)
    yield change('no time', 2, ts=None)
    yield change('not a number', 2, dur=float('nan'))
    yield change('a negative length', 2, dur=-5.0)
    yield change('no length', 2, dur=None)
    yield change('a process in words', 2, pid='2')
    yield change('no thread', 2, tid=None)
    yield change('args that are no object', 2, args=[1])
    yield change('slices that overlap by halves', 3, ts=13.0, dur=20.0)
    yield change('metadata that nobody knows', 1, name='lane_name')
    yield change('metadata without a name', 1, args={})
    yield change('a process without a name', 0, pid=7)
    yield change('a thread that is named twice', 0, name='thread_name', tid=1)
    yield without('an arrow that ends nowhere', 6)
    yield without('an arrow that begins nowhere', 5)
    yield change('an arrow from no slice', 5, ts=15.5)
    yield change('an arrow to no slice', 6, ts=30.0)
    yield change('an arrow back in time', 6, tid=1, ts=11.0)
    yield change('an arrow of another category', 6, cat='other')
    yield change('an arrow without a number', 5, id=None)
    yield without('B without E', 8)
    yield without('E without B', 7)
    yield change('E of another name', 8, name='c')
    yield change('E before B', 8, ts=0.5)
    yield without('b without e', 10)
    yield change('an unknown scope', 11, s='x')
    yield 'no events', {'displayTimeUnit': 'ns'}
    yield 'an unknown unit', dict(base, displayTimeUnit='s')
    yield 'an unknown member', dict(base, overlap=1)


def test_the_reader_of_traces_finds_what_is_wrong(box):
    for why, trace in broken_traces():
        found = trace_event.faults(trace)
        assert bool(found) == (why != 'right'), (why, found)


# --- advice: for each rule a program that earns it and one that does not

HEAD = '''
#include <cstdio>
#include <cstdlib>
#include <atomic>
#include <vector>
static std::atomic<int> gate_open;
static void gate(void *) { while (!gate_open) ; }
__global__ void busy(float *p, int n) { for (int i = 0; i < n; i++) p[threadIdx.x] = p[threadIdx.x] * 0.5f + i; }
int main() {
    const size_t MB = 1 << 20;
    float *d; cudaMalloc(&d, 4 * MB);
    cudaStream_t s[2], q; cudaStreamCreate(&s[0]); cudaStreamCreate(&s[1]); cudaStreamCreateWithFlags(&q, cudaStreamNonBlocking);
    std::vector<char> pageable(4 * MB); char *h;
'''
TAIL = '\n    cudaDeviceSynchronize(); return cudaGetLastError(); }'
ADVICE = {
    'pageable-async': ('cudaMemcpyAsync(d, pageable.data(), MB, cudaMemcpyHostToDevice, q);',
                       'cudaHostAlloc((void **)&h, MB, 0); cudaMemcpyAsync(d, h, MB, cudaMemcpyHostToDevice, q);'),
    'write-combined-read': ('cudaHostAlloc((void **)&h, MB, cudaHostAllocWriteCombined); cudaMemcpy(h, d, MB, cudaMemcpyDeviceToHost);',
                            'cudaHostAlloc((void **)&h, MB, cudaHostAllocWriteCombined); cudaMemcpy(d, h, MB, cudaMemcpyHostToDevice);'),
    'mapped-often': ('cudaHostAlloc((void **)&h, MB, cudaHostAllocMapped); for (int i = 0; i < 6; i++) busy<<<1, 32>>>((float *)h, 10);',
                     'cudaHostAlloc((void **)&h, MB, cudaHostAllocMapped); busy<<<1, 32>>>((float *)h, 10); for (int i = 0; i < 6; i++) busy<<<1, 32>>>(d, 10);'),
    'small-copies': ('for (int i = 0; i < 40; i++) cudaMemcpy(d + i, pageable.data(), 4, cudaMemcpyHostToDevice);',
                     'for (int i = 0; i < 40; i++) cudaMemcpy(d, pageable.data(), MB, cudaMemcpyHostToDevice);'),
    'allocation-in-loop': ('for (int i = 0; i < 20; i++) { float *p; cudaMalloc(&p, MB); cudaFree(p); }',
                           'float *p[20]; for (int i = 0; i < 20; i++) cudaMalloc(&p[i], MB); for (int i = 0; i < 20; i++) cudaFree(p[i]);'),
    # the gate stays shut until everything is queued, so that every wait is one however slow this thread is
    'legacy-stream': ('cudaLaunchHostFunc(s[0], gate, 0); for (int i = 0; i < 6; i++) { busy<<<1, 32, 0, s[i % 2]>>>(d, 10); busy<<<1, 32>>>(d, 10); } gate_open = 1;',
                      'cudaLaunchHostFunc(q, gate, 0); for (int i = 0; i < 6; i++) { busy<<<1, 32, 0, q>>>(d, 10); busy<<<1, 32>>>(d, 10); } gate_open = 1;'),
    'pinned-much': ('for (int i = 0; i < 3; i++) cudaHostAlloc((void **)&h, 12 * MB, 0);',
                    'for (int i = 0; i < 3; i++) { cudaHostAlloc((void **)&h, 12 * MB, 0); cudaFreeHost(h); }'),
}


def check_advice(box, rule):
    for earns, body in zip((True, False), ADVICE[rule]):
        box.write('p.cu', HEAD + body + TAIL)
        profile = box.json('p.cu', env={'HOSTWARP_PINNED_LIMIT': '64M'})
        rules = {a['rule']: a for a in profile['advice']}
        assert (rule in rules) == earns, (rule, earns, profile['advice'])
        assert set(rules) <= {rule}, profile['advice']
        if earns:
            line = HEAD.count('\n') + 1
            assert rules[rule]['place'].endswith(f'p.cu:{line}') or rule == 'mapped-often' or rule == 'legacy-stream', rules[rule]


for _rule in ADVICE:
    globals()['test_advice_' + _rule.replace('-', '_')] = lambda box, rule=_rule: check_advice(box, rule)


def test_advice_is_printed_below_the_tables(box):
    box.write('p.cu', HEAD + ADVICE['pageable-async'][0] + TAIL)
    out = box.prof('p.cu').stderr
    has(out, 'Advice:', 'cudaHostAlloc', '[pageable-async]')
    lacks(box.prof('--no-advice', 'p.cu').stderr, 'Advice:')


def test_time_that_went_into_compiling_is_told(box):
    box.write('t.cu', '__global__ void twice(float *p) { p[threadIdx.x] *= 2; }\n'
              'int main() { float *p; cudaMalloc(&p, 4096); cudaMemset(p, 0, 4096); twice<<<1, 32>>>(p); return cudaDeviceSynchronize(); }')
    env = {'HOSTWARP_CACHE': str(box.path / 'empty')}
    trace = box.path / 't.json'
    has(box.prof('--trace', trace, 't.cu', env=env).stderr, 'of the API calls went into compiling 1 kernel. A second run takes it from the cache')
    events = json.loads(trace.read_text())['traceEvents']
    (span,), (call,) = ([e for e in events if e.get(key) == value] for key, value in (('cat', 'compile'), ('name', 'cudaLaunchKernel')))
    assert span['name'] == 'twice(float*)' and call['ts'] <= span['ts'] and span['ts'] + span['dur'] <= call['ts'] + call['dur'], (span, call)
    lacks(box.prof('t.cu', env=env).stderr, 'went into compiling')


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else ''
    tests = [(name, fn) for name, fn in globals().items() if name.startswith('test_') and pattern in name]
    failed = 0
    print(f'1..{len(tests)}')
    for i, (name, fn) in enumerate(tests, 1):
        with tempfile.TemporaryDirectory(prefix='hostwarp-prof-', ignore_cleanup_errors=True) as folder:
            try:
                fn(Box(folder))
                print(f'ok {i} {name}', flush=True)
            except Skip as why:
                print(f'ok {i} {name} # SKIP {why}', flush=True)
            except Exception:
                failed += 1
                print(f'not ok {i} {name}\n' + ''.join('# ' + l + '\n' for l in traceback.format_exc().splitlines()), flush=True)
    CACHE.cleanup()
    return 1 if failed else 0


sys.exit(main())
