#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the hostwarp command. usage: run.py BUILD [PATTERN]      Each function test_* is one rule; the result is TAP."""
import json
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import traceback
import xml.etree.ElementTree

from device_code import *

TREE = pathlib.Path(__file__).resolve().parent.parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
HOSTWARP = BUILD / 'bin/hostwarp'
HELLO = r'''
#include <cstdio>
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
int main() {
    int h[4] = {1, 2, 3, 4}, *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    twice<<<1, 4>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    std::printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    return cudaGetLastError();
}
'''


class Box:
    """A fresh folder to work in."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        (self.path / 'tmp').mkdir()
        self.env = {**os.environ, 'TMPDIR': str(self.path / 'tmp'), 'HOSTWARP_CACHE': str(self.path / 'cache')}

    def write(self, name, text):
        (self.path / name).parent.mkdir(parents=True, exist_ok=True)
        (self.path / name).write_text(text)
        return name

    def run(self, *args, status=0, env=None, stdin='', timeout=90):
        p = subprocess.run([str(a) for a in args], cwd=self.path, env={**self.env, **(env or {})}, input=stdin, text=True,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
        if status is not None and p.returncode != status:
            raise AssertionError(f'{args}: status {p.returncode}, not {status}\n{p.stdout}{p.stderr}')
        left = os.listdir(self.path / 'tmp')
        assert not left, f'{args} left temporary files: {left}'
        return p

    def hostwarp(self, *args, **kw):
        return self.run(HOSTWARP, *args, **kw)

    def hostwarp_root(self):
        return BUILD


def has(text, *parts):
    for part in parts:
        assert part in text, f'no {part!r} in:\n{text}'


def lacks(text, *parts):
    for part in parts:
        assert part not in text, f'{part!r} is in:\n{text}'


# --- the command as such

def test_help_and_version_are_answered_everywhere(box):
    has(box.hostwarp('--help').stdout, 'run', 'cc', 'info', 'env')
    has(box.hostwarp('--version').stdout, 'hostwarp ')
    for command in 'run', 'cc', 'info', 'env', 'prof', 'bench', 'check':
        has(box.hostwarp(command, '--help').stdout, 'usage:')


def test_wrong_commands_say_so_with_status_2(box):
    has(box.hostwarp(status=2).stderr, 'usage:')
    has(box.hostwarp('frob', status=2).stderr, 'frob')
    has(box.hostwarp('prfo', status=2).stderr, 'did you mean `prof`?')
    box.write('hello.cu', HELLO)
    has(box.hostwarp('hello.cu', status=2).stderr, 'did you mean `hostwarp run hello.cu`?')
    has(box.hostwarp('prof', '--timelin', 'x.html', 'hello.cu', status=2).stderr, 'did you mean --timeline?')
    has(box.hostwarp('check', status=2).stderr, 'which program?')
    has(box.hostwarp('check', '--frob', 'x', status=2).stderr, '--frob')
    has(box.hostwarp('check', 'x', status=127).stderr, 'cannot run x')


def test_usual_mistakes_are_told_with_what_to_do(box):
    box.write('host.cu', '''__global__ void k(int *p) { *p = 1; }
int main() { int x; k<<<1, 1>>>(&x); return cudaDeviceSynchronize() == cudaSuccess; }''')
    has(box.hostwarp('run', 'host.cu').stderr, 'kernel k', 'a pointer of the host?', 'cudaMalloc')
    box.write('block.cu', '__global__ void k() {}\nint main() { k<<<1, 2048>>>(); }')
    has(box.hostwarp('run', 'block.cu').stderr, 'block.cu:2', '2048', 'at most 1024 threads')
    has(box.hostwarp('run', 'block.cu', env={'HOSTWARP_GPU': 'h20'}).stderr, 'no profile of a GPU `h20`', 'hostwarp info --gpus')
    box.write('new.ptx', '.version 12.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n')
    has(box.hostwarp('cc', '--explain', 'new.ptx', status=1).stderr, 'new.ptx: line 1', '.version 12.0 is newer than')


def test_info_shows_the_device_and_every_variable(box):
    out = box.hostwarp('info').stdout
    has(out, 'Device 0', 'compute capability 8.0', 'Page locking', str(box.path / 'cache'))
    for name in re.findall(r'"(HOSTWARP_\w+)"', (TREE / 'src/base/options.def').read_text()):
        has(out, name)
    has(box.hostwarp('info', env={'HOSTWARP_DEVICES': '2', 'HOSTWARP_CC': '90'}).stdout, 'Device 1', 'compute capability 9.0')


def test_info_as_json_says_the_same(box):
    info = json.loads(box.hostwarp('info', '--json', env={'HOSTWARP_DEVICES': '2', 'HOSTWARP_CC': '90'}).stdout)
    assert [(d['compute_capability_major'], d['warp_size']) for d in info['devices']] == [(9, 32)] * 2, info
    assert info['cache'].startswith(str(box.path / 'cache')) and info['memory_bytes'] > 0 and info['cpus'] > 0, info
    table = re.findall(r'"(HOSTWARP_\w+)"', (TREE / 'src/base/options.def').read_text())
    assert [v['name'] for v in info['variables']] == table, info
    assert {v['name']: v['value'] for v in info['variables'] if v['set']}.items() >= {'HOSTWARP_CC': '90', 'HOSTWARP_DEVICES': '2'}.items(), info
    assert {v['name']: v['value'] for v in info['variables']}['HOSTWARP_PIN'] == 'auto', info
    info = json.loads(box.hostwarp('info', '--json', env={'HOSTWARP_DEVICES': '4', 'CUDA_VISIBLE_DEVICES': '2,1', 'CUDA_AUTO_BOOST': '0'}).stdout)
    assert len(info['devices']) == 2, info
    assert {v['name']: v['effect'] for v in info['driver_variables'] if v['value'] is not None} == {'CUDA_VISIBLE_DEVICES': True, 'CUDA_AUTO_BOOST': False}, info


def test_variables_are_checked_once_each(box):
    """Names that do not exist, values out of range: one line each, by the command or by the program, never by both."""
    box.write('k.cu', 'int main() { return cudaFree(0); }')
    wrong = {'HOSTWARP_TREADS': ('2', 'did you mean HOSTWARP_THREADS?'), 'HOSTWARP_WIDTH': ('7', 'is not 0, 1, 4, 8 or 16; the default (0) is used'),
             'HOSTWARP_DUMP': ('ptx,foo', 'llvm or asm'), 'HOSTWARP_MEMORY': ('lots', 'a size, such as 512M'), 'HOSTWARP_GUARD': ('yes', 'is not 0 or 1'),
             'HOSTWARP_THREADS': ('-1', 'from 0 to 4096'), 'HOSTWARP_PIN': ('sometimes', 'is not auto, strict or off'), 'HOSTWARP_XYZZY': ('1', '`hostwarp info` lists them')}
    env = {k: v for k, (v, _) in wrong.items()}
    box.hostwarp('cc', 'k.cu', '-o', 'k')
    for p in box.hostwarp('run', 'k.cu', env=env), box.run('./k', env=env):
        lines = [l for l in p.stderr.splitlines() if 'HOSTWARP_' in l]
        assert len(lines) == len(wrong), p.stderr
        for name, (_, words) in wrong.items():
            assert sum(words in l for l in lines if name in l.split(';')[0]) == 1, (name, lines)
    right = {'HOSTWARP_WIDTH': '0x10', 'HOSTWARP_DUMP_DIR': '/tmp', 'HOSTWARP_MEMORY': '1GiB', 'HOSTWARP_CC': '90', 'HOSTWARP_THREADS': '', 'HOSTWARP_LOG': 'warn'}
    assert not box.run('./k', env=right).stderr
    assert not box.run('./k', env={**env, 'HOSTWARP_LOG': 'error'}).stderr


REFUSED = r"""
#include <cstdio>
#include <cstdlib>
__device__ int v[4];
__global__ void k(int *p) { p[threadIdx.x] = 1; }
int main() {
    int *d, *h = (int *)malloc(8192);
    cudaStream_t s;
    cudaMalloc(&d, 1024);
    cudaHostRegister(h, 4096, 0);
    cudaHostRegister(h, 4096, 0);
    cudaHostRegister(d, 4096, 0);
    cudaHostRegister((void *)(1ull << 40), 4096, 0);
    cudaHostRegister(h, 4096, 64);
    cudaHostUnregister(h + 4);
    cudaMemcpy(d, h, 4096, cudaMemcpyHostToDevice);
    cudaMemcpyAsync(h, d, 128, cudaMemcpyDeviceToHost);
    cudaMemset(d, 3, 64);
    k<<<dim3(2, 3), 32>>>(d);
    k<<<1, 2048>>>(d);
    cudaStreamCreate(&s);
    cudaStreamDestroy(s);
    cudaStreamSynchronize(s);
    cudaFree(d + 1);
    cudaDeviceSynchronize();
    cudaMemcpyToSymbol(v, h, 32);
    cudaMemcpyToSymbol("v", h, 4);
    cudaMemcpy(h, h, 4, (cudaMemcpyKind)9);
    cudaSetDevice(7);
    cudaLaunchKernel(h, 1, 1, 0, 0, 0);
    cudaStreamCreate(&s);
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaStreamSynchronize(s);
    k<<<1, 1, 0, s>>>(d);
    cudaGraph_t g;
    cudaStreamEndCapture(s, &g);
    cudaDeviceEnablePeerAccess(0, 0);
}"""



def test_the_debug_log_tells_launches_copies_and_why_calls_are_refused(box):
    box.write('r.cu', REFUSED)
    box.hostwarp('cc', 'r.cu', '-o', 'r')
    assert not box.run('./r', env={'HOSTWARP_UNSEEN': '0'}).stderr
    said = box.run('./r', env={'HOSTWARP_LOG': 'debug'}).stderr.splitlines()

    def line(*words):
        assert any(all(w in l for w in words) for l in said), (words, said)
    line('cuMemHostRegister_v2(p=0x', 'CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED (712)', 'is registered already')
    line('cuMemHostRegister_v2(', 'CUDA_ERROR_INVALID_VALUE (1)', 'memory that CUDA allocated')
    line('cuMemHostRegister_v2(', 'CUDA_ERROR_INVALID_VALUE (1)', 'are mapped in this process')
    line('cuMemHostRegister_v2(', 'flags 0x40')
    line('cudaHostRegister(ptr=0x', 'flags=64) answers cudaErrorInvalidValue (1)')
    line('cuMemHostUnregister(', '16 bytes inside of other memory')
    line('cuMemcpyHtoD_v2(', 'ByteCount=4096', 'the destination: 4096 bytes', 'allocation of 1024 bytes')
    line('copy ', '128 bytes from device memory', 'to registered memory', 'default stream')
    line('fill ', '64 bytes of device memory', 'with 0x3')
    line('launch ', 'kernel _Z1kPi, grid [2,3,1], block [32,1,1]')
    line('cuLaunchKernel(', 'blockDimX=2048', 'at most 1024 threads')
    line('cuStreamSynchronize(', 'CUDA_ERROR_INVALID_HANDLE', 'it was destroyed')
    line('cuMemFree_v2(', '4 bytes inside of other memory')
    line('cudaMemcpyToSymbol(', 'cudaErrorInvalidValue (1): 32 bytes from 0 are not inside of a variable of 16 bytes')
    line('cudaMemcpyToSymbol(', 'cudaErrorInvalidSymbol (13): no variable of this program has that address')
    line('cudaMemcpy(', 'there is no kind of copy 9')
    line('cudaSetDevice(device=7)', 'there is no device 7; cudaGetDeviceCount() says 1')
    line('cudaLaunchKernel(', 'no kernel of this program has that address')
    line('cuStreamSynchronize(', 'CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED (900)', 'its work runs when the graph is launched')
    line('cuLaunchKernel(', 'CUDA_ERROR_STREAM_CAPTURE_INVALIDATED (901)', 'broken by an earlier call')
    line('cuStreamEndCapture(', 'CUDA_ERROR_STREAM_CAPTURE_INVALIDATED (901)', 'broken by an earlier call')
    line('cuCtxEnablePeerAccess(', 'both contexts are on device 0')


# A call of the driver that must be refused, its error, and words of the reason.
REFUSED_CALLS = (
    ('cuMemAddressFree(base + MiB, MiB)', 'INVALID_VALUE (1)', 'are no reservation of cuMemAddressReserve()'),
    ('cuMemMap(base, 2 * MiB, 0, 0, 0)', 'INVALID_VALUE (1)', 'no memory of cuMemCreate()'),
    ('cuMemMap(base, MiB, 0, mem, 0)', 'NOT_SUPPORTED (801)', 'only the whole allocation of 2097152 bytes'),
    ('cuMemMap(base + MiB, 2 * MiB, 0, mem, 0)', 'INVALID_VALUE (1)', 'not aligned to 2 MiB'),
    ('cuMemUnmap(1 << 20, MiB)', 'INVALID_VALUE (1)', 'are not reserved'),
    ('cuMemSetAccess(base, 2 * MiB, &access, 1)', 'INVALID_VALUE (1)', 'not covered by whole mappings'),
    ('cuMemExportToShareableHandle(&fd, mem, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0)', 'INVALID_VALUE (1)', 'made without CU_MEM_HANDLE_TYPE_POSIX'),
    ('cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_HIGH, &five)', 'INVALID_VALUE (1)', 'can only be set to 0'),
    ('cuMemPoolSetAttribute(pool, (CUmemPool_attribute)99, &five)', 'INVALID_VALUE (1)', 'no attribute 99 of pools'),
    ('cuMemPoolTrimTo(0, 0)', 'INVALID_VALUE (1)', 'no pool'),
    ('cuIpcGetMemHandle(&ipc, 64)', 'INVALID_VALUE (1)', '0x40 is not in memory of cuMemAlloc()'),
    ('cuGraphAddDependencies(0, 0, 0, 0)', 'INVALID_VALUE (1)', 'no graph'),
    ('cuGraphDebugDotPrint(graph, 0, 0)', 'INVALID_VALUE (1)', 'path is NULL'),
    ('cuGraphExecUpdate(0, graph, 0)', 'INVALID_VALUE (1)', 'no executable graph'),
    ('cuGraphAddMemFreeNode(&node, graph, 0, 0, 4096)', 'INVALID_VALUE (1)', '0x1000 is no memory that a node'),
    ('cuGraphKernelNodeCopyAttributes(0, 0)', 'INVALID_VALUE (1)', 'no kernel node'),
    ('cuFuncSetBlockShape(0, 1, 1, 1)', 'INVALID_HANDLE (400)', 'no kernel'),
    ('cuEventElapsedTime(&ms, here, there)', 'INVALID_HANDLE (400)', 'two contexts'),
    ('cuCtxRecordEvent(0, here)', 'INVALID_CONTEXT (201)', 'no context'),
    ('cuModuleLoad(&module, "not-there.ptx")', 'FILE_NOT_FOUND (301)', 'not-there.ptx cannot be read'),
)

REFUSED_FRAME = """#include <cuda.h>
#define MiB (1u << 20)
int main() {
    CUdevice dev; CUcontext one, two; CUevent here, there; CUdeviceptr base; CUmemGenericAllocationHandle mem; CUmemoryPool pool; CUgraph graph; CUgraphNode node;
    CUmodule module; CUipcMemHandle ipc; cuuint64_t five = 5; int fd; float ms;
    cuInit(0); cuDeviceGet(&dev, 0); cuCtxCreate(&one, 0, 0, dev); cuEventCreate(&there, 0); cuCtxCreate(&two, 0, 0, dev); cuEventCreate(&here, 0);
    CUmemAllocationProp prop = { CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_HANDLE_TYPE_NONE, { CU_MEM_LOCATION_TYPE_DEVICE, 0 } };
    CUmemAccessDesc access = { { CU_MEM_LOCATION_TYPE_DEVICE, 0 }, CU_MEM_ACCESS_FLAGS_PROT_READWRITE };
    cuMemAddressReserve(&base, 4 * MiB, 0, 0, 0); cuMemCreate(&mem, 2 * MiB, &prop, 0); cuDeviceGetDefaultMemPool(&pool, dev); cuGraphCreate(&graph, 0);
    %s
}"""


def test_every_kind_of_refusal_has_its_reason_in_the_log(box):
    box.write('r.cpp', REFUSED_FRAME % '\n    '.join(call + ';' for call, _, _ in REFUSED_CALLS))
    box.hostwarp('cc', 'r.cpp', '-o', 'r', '-lcuda')
    said = box.run('./r', env={'HOSTWARP_LOG': 'debug', 'HOSTWARP_UNSEEN': '0'}).stderr.splitlines()
    lines = [l for l in said if ' answers CUDA_ERROR_' in l]
    assert len(lines) == len(REFUSED_CALLS), '\n'.join(lines)
    for line, (call, error, words) in zip(lines, REFUSED_CALLS):
        assert call.partition('(')[0] in line and f'CUDA_ERROR_{error}' in line and words in line, (call, line)


def test_one_warning_says_that_memory_was_not_locked_and_what_to_do(box):
    box.write('l.cu', 'int main() { void *p, *q; return cudaHostAlloc(&p, 9 << 20, 0) || cudaHostAlloc(&q, 9 << 20, 0); }')
    box.hostwarp('cc', 'l.cu', '-o', 'l')
    # without the right to lock any amount, which root has
    limited = ['prlimit', '--memlock=8388608:8388608', 'setpriv', '--bounding-set=-ipc_lock', '--inh-caps=-ipc_lock', './l']
    if subprocess.run(limited[:-1] + ['true'], capture_output=True).returncode:
        raise Skip('no setpriv and prlimit that may do it')
    said = box.run(*limited).stderr
    assert said.count('page-locked memory is not locked') == 1, said
    has(said, '9216 KiB', 'may lock 8192 KiB', 'ulimit -l unlimited', 'LimitMEMLOCK=infinity', '--ulimit memlock=-1', 'HOSTWARP_PIN=off')
    assert not box.run(*limited, env={'HOSTWARP_PIN': 'off'}).stderr
    assert box.run(*limited, env={'HOSTWARP_PIN': 'strict'}, status=1)


def test_bench_measures_and_draws(box):
    out = box.hostwarp('bench', '--quick', '--svg', 'out.svg', '--json', 'out.json').stdout
    has(out, 'pinned to device, 64 MiB', 'cudaHostRegister', 'empty kernel', 'four streams')
    results = json.loads((box.path / 'out.json').read_text())['results']
    assert len(results) >= 35 and all(r['value'] > 0 for r in results), results
    picture = xml.etree.ElementTree.parse(box.path / 'out.svg').getroot()
    assert len(picture.findall('.//{http://www.w3.org/2000/svg}polyline')) == 5
    other = json.loads((box.path / 'out.json').read_text())
    box.write('gpu.json', (box.path / 'out.json').read_text().replace(other['device'], 'A GPU'))
    has(box.hostwarp('bench', '--quick', '--beside', 'gpu.json').stdout, '| | A GPU | hostwarp', '| gain |')
    has(box.hostwarp('bench', '--frob', status=2).stderr, 'usage:')


def test_completion_knows_every_command(box):
    commands = re.findall(r'\{ "(\w+)", cmd_\w+, "', (TREE / 'src/cli/main.c').read_text())     # those without help are for ourselves
    assert len(commands) >= 6
    for shell in 'bash', 'zsh':
        has((TREE / f'share/completion/hostwarp.{shell}').read_text(), *commands)
    script = f'. {TREE}/share/completion/hostwarp.bash; COMP_WORDS=(hostwarp pr); COMP_CWORD=1; _hostwarp; echo "${{COMPREPLY[@]}}"; ' \
             'COMP_WORDS=(hostwarp prof --time); COMP_CWORD=2; _hostwarp; echo "${COMPREPLY[@]}"'
    assert box.run('bash', '-c', script).stdout.split() == ['prof', '--timeline']


def options_of(box, command):
    """The long options that --help shows; what stands in brackets is another command's."""
    return set(re.findall(r'(?<![\w-])--[a-z][\w-]*', re.sub(r'\(hostwarp [^)]*\)', '', box.hostwarp(command, '--help').stdout))) - {'--help'}


def test_options_are_in_the_manual_and_in_completion(box):
    bash, zsh = ((TREE / f'share/completion/hostwarp.{shell}').read_text() for shell in ('bash', 'zsh'))
    for command in 'info', 'bench', 'prof':
        options = options_of(box, command)
        assert options, command
        page = (TREE / f'man/hostwarp-{command}.1').read_text().replace('\\-', '-')
        row = re.search(rf'^    {command}\) words=.*$', bash, re.M).group()
        lines = re.search(rf'^    {command}\) (.*?);;', zsh, re.M | re.S).group(1)
        for option in sorted(options):
            for where, text in ('the manual', page), ('bash', row), ('zsh', lines):
                assert re.search(rf'{option}(?![\w-])', text), f'{command} {option} is not in {where}'


def test_zsh_completes_commands_and_options(box):
    """With zsh where it is there; else what _arguments is given is looked at, spec by spec."""
    text = (TREE / 'share/completion/hostwarp.zsh').read_text()
    if shutil.which('zsh'):
        stub = '_describe() { print -l $commands; }; _arguments() { print -l -- "$@"; }; _files() { :; }; '
        script = stub + f'words=(hostwarp pr); CURRENT=2; source {TREE}/share/completion/hostwarp.zsh; words=(hostwarp prof --t); CURRENT=3; _hostwarp'
        has(box.run('zsh', '-f', '-c', script).stdout, 'prof:profile a program', '--timeline[page]:file:_files')
    specs = re.findall(r"'([^']*)'", text[text.index('case $words[2]'):])
    assert len(specs) > 15
    for spec in specs:
        assert re.fullmatch(r'(\*|--[a-z][\w-]*(\[[^\[\]:]+\])?)(:[^:]+:(_files|\([\w -]+\)))?', spec), spec
    assert text.startswith('#compdef hostwarp\n') and len(re.findall(r'\bcase\b', text)) == len(re.findall(r'\besac\b', text)) and text.count("'") % 2 == 0


def test_bash_completes_commands_options_and_files(box):
    box.write('prog.cu', '')
    def complete(*words):
        quoted = ' '.join(f"'{w}'" for w in words)
        return box.run('bash', '-c', f'. {TREE}/share/completion/hostwarp.bash; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _hostwarp; '
                       'echo "${COMPREPLY[@]}"').stdout.split()
    commands = re.findall(r'\{ "(\w+)", cmd_\w+, "', (TREE / 'src/cli/main.c').read_text())     # those without help are for ourselves
    assert set(complete('hostwarp', '')) >= set(commands)
    assert complete('hostwarp', 'prof', '--kernel') == ['--kernel-details']
    assert complete('hostwarp', 'info', '--j') == ['--json']
    assert complete('hostwarp', 'run', 'prog') == ['prog.cu']


def test_every_command_has_a_manual_page(box):
    for name in re.findall(r'\{ "(\w+)", cmd_(?!not_there)', (TREE / 'src/cli/main.c').read_text()):
        assert (TREE / f'man/hostwarp-{name}.1').exists(), name


def test_env_lets_another_compiler_build_and_run_a_program(box):
    box.write('p.c', '#include <cuda.h>\n#include <stdio.h>\nint main(void) { int n; if (cuInit(0) || cuDeviceGetCount(&n)) return 1; printf("%d\\n", n); return 0; }')
    script = f'eval "$({HOSTWARP} env)" && cc p.c -lcuda -o p && ./p && command -v hostwarp'
    out = box.run('sh', '-c', script).stdout
    has(out, '1\n', str(HOSTWARP))


# --- cc

def test_cc_builds_a_program_that_runs_by_itself(box):
    box.write('hello.cu', HELLO)
    box.hostwarp('cc', 'hello.cu')
    has(box.run('./a.out').stdout, '2 4 6 8')


def test_cc_unknown_options_are_named(box):
    box.write('hello.cu', HELLO)
    has(box.hostwarp('cc', '--frob', 'hello.cu', status=2).stderr, '--frob')
    has(box.hostwarp('cc', '-arch=banana', 'hello.cu', status=2).stderr, 'banana')
    for arch in 'sm_999', 'compute_80x', 'sm_8':
        has(box.hostwarp('cc', f'-arch={arch}', 'hello.cu', status=2).stderr, arch, '--list-gpu-arch')
    for arch in 'sm_20', 'sm_90a', 'compute_121':        # of all times
        box.hostwarp('cc', f'-arch={arch}', '-c', 'hello.cu', '-o', 'hello.o')
    has(box.hostwarp('cc', '--use-fast-math', 'hello.cu', status=2).stderr, 'did you mean --use_fast_math?')
    has(box.hostwarp('cc', '-O3', '-linenfo', 'hello.cu', '-o', 'x', status=1).stderr, 'inenfo')
    has(box.hostwarp('cc', '-o', status=2).stderr, 'needs a value')
    has(box.hostwarp('cc', '-ltoir', 'hello.cu', status=2).stderr, 'LTO')
    has(box.hostwarp('cc', '-default-stream=maybe', 'hello.cu', status=2).stderr, 'maybe')


def test_cc_missing_and_unclear_inputs_are_errors(box):
    has(box.hostwarp('cc', status=1).stderr, 'no input')
    has(box.hostwarp('cc', 'gone.cu', status=1).stderr, 'gone.cu')
    has(box.hostwarp('cc', 'tmp', status=1).stderr, 'folder')
    box.write('a.cu', '')
    box.write('b.cu', '')
    has(box.hostwarp('cc', '-c', 'a.cu', 'b.cu', '-o', 'x.o', status=1).stderr, '2 sources')
    box.write('x.txt', HELLO)
    has(box.hostwarp('cc', '-c', 'x.txt', status=1).stderr, '-x cu')
    box.hostwarp('cc', '-x', 'cu', '-c', 'x.txt', '-o', 'x.o')


def test_cc_shows_the_compilers_own_message_once(box):
    box.write('bad.cu', 'int main() { retrun 0; }\n')
    err = box.hostwarp('cc', 'bad.cu', status=1).stderr
    has(err, "bad.cu:1:14: error:", 'retrun')
    assert err.count('bad.cu:1:14: error:') == 1, err
    assert not (box.path / 'a.out').exists()
    box.write('warn.cu', 'static int f() { int unused; return 0; } int main() { return f(); }\n')
    err = box.hostwarp('cc', '-Wall', 'warn.cu').stderr
    assert err.count('unused variable') == 1, err
    lacks(box.hostwarp('cc', '-w', '-Wall', 'warn.cu').stderr, 'warning')
    box.hostwarp('cc', '-Wall', '-Werror', 'all-warnings', 'warn.cu', status=1)


def test_cc_link_errors_have_a_status(box):
    box.write('u.cu', 'void gone(); int main() { gone(); }\n')
    has(box.hostwarp('cc', 'u.cu', status=1).stderr, 'gone')
    box.hostwarp('cc', 'u.cu', '-lnosuchlibrary', status=1)


def test_cc_objects_link_later_and_archives_too(box):
    box.write('k.cu', '__global__ void k(int *p) { *p = 7; }\nvoid go(int *p) { k<<<1, 1>>>(p); }\n')
    box.write('m.cpp', '#include <cuda_runtime.h>\n#include <stdio.h>\nvoid go(int *); int main() { int *p, h = 0; cudaMalloc((void **)&p, 4); '
              'go(p); cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost); printf("%d\\n", h); return h != 7; }\n')
    box.hostwarp('cc', '-c', 'k.cu', 'm.cpp')
    box.hostwarp('cc', 'k.o', 'm.o', '-o', 'one')
    assert box.run('./one').stdout == '7\n'
    box.hostwarp('cc', '-lib', '-o', 'libk.a', 'k.o')
    box.hostwarp('cc', 'm.cpp', '-L.', '-lk', '-o', 'two')
    assert box.run('./two').stdout == '7\n'
    box.hostwarp('cc', '-shared', '-Xcompiler', '-fPIC', 'k.cu', '-o', 'libks.so')
    box.hostwarp('cc', 'm.cpp', '-L.', '-lks', '-Xlinker', '-rpath,.', '-o', 'three')
    assert box.run('./three', env={'LD_LIBRARY_PATH': str(box.path)}).stdout == '7\n'


def test_cc_static_runtime(box):
    box.write('hello.cu', HELLO)
    box.hostwarp('cc', '-cudart', 'static', 'hello.cu', '-o', 'hello')
    has(box.run('./hello').stdout, '2 4 6 8')
    lacks(box.run('readelf', '-d', 'hello').stdout, 'libcudart')


def test_cc_compiles_plain_c(box):
    box.write('p.c', '#include <cuda.h>\nint main(void) { int new = cuInit(0); return new; }\n')
    box.hostwarp('cc', '-std=c++17', 'p.c', '-lcuda', '-o', 'p')
    box.run('./p')


def test_cc_macros_includes_and_standards_reach_both_passes(box):
    box.write('inc/value.h', '#define VALUE 40\n')
    box.write('pre.h', '#define PRE 1\n')
    box.write('m.cu', '#include "value.h"\n#include <concepts>\n#include <cstdio>\n'
              '__device__ int d = VALUE + PRE + ONE;\n#ifdef GONE\n#error GONE\n#endif\n__global__ void k() {}\n'
              'int main() { int h; cudaMemcpyFromSymbol(&h, d, 4); std::printf("%d %d\\n", h, VALUE + PRE + ONE); }\n')
    box.hostwarp('cc', '-Iinc', '-include', 'pre.h', '-D', 'ONE=1', '-DGONE', '-UGONE', '--std', 'c++20', '-O2', '-g', '-o', 'm', 'm.cu')
    assert box.run('./m').stdout == '42 42\n'


def test_cc_ptx_and_architectures(box):
    box.write('k.cu', '__global__ void k(int *p) {\n#ifdef __CUDA_ARCH__\n*p = __CUDA_ARCH__;\n#endif\n}\n')
    for args, target, value in [((), 'sm_80', 800), (('-arch=sm_75',), 'sm_75', 750), (('-arch', 'compute_90'), 'sm_90', 900),
                                (('--gpu-architecture=sm_120',), 'sm_120', 1200), (('-arch=compute_88',), 'sm_88', 880), (('-arch=native',), 'sm_80', 800),
                                (('-gencode', 'arch=compute_70,code=sm_70', '-gencode=arch=compute_90,code=sm_90'), 'sm_70', 700)]:
        box.hostwarp('cc', '-ptx', *args, 'k.cu')
        ptx = (box.path / 'k.ptx').read_text()
        has(ptx, f'.target {target}', '.visible .entry _Z1kPi', f', {value};')


def test_cc_explains_how_kernels_are_lowered(box):
    box.write('k.cu', '__global__ void copy(const float *a, float *b, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n'
                      '  if (i < n)\n    b[i] = a[i];\n}\n')
    text = box.hostwarp('cc', '--explain', 'k.cu').stdout
    has(text, 'kernel copy(float const*, float*, int)', '256x1x1', 'k.cu:3  divergent: depends on threadIdx.x', 'load   global     4 bytes  vector, masked')
    has(box.hostwarp('cc', '--explain', '--explain-block', '16,8', 'k.cu').stdout, '16x8x1')
    box.hostwarp('cc', '-ptx', 'k.cu')
    has(box.hostwarp('cc', '--explain', 'k.ptx').stdout, 'PTX line ')
    box.hostwarp('cc', '--explain', '-o', 'k.txt', 'k.cu')
    assert (box.path / 'k.txt').read_text() == text
    has(box.hostwarp('cc', '--explain', '--explain-block=0', 'k.cu', status=2).stderr, 'no shape of a block')


def test_cc_keeps_arrays_of_large_device_functions_in_registers(box):
    """Two calls of a function that is large once its loops are unrolled: clang inlines it, or the arrays would lie in memory."""
    box.write('k.cu', '__device__ void mix(unsigned s[8], unsigned w[16]) {\n  for (int t = 0; t < 64; t += 16) {\n#pragma unroll\n'
                      '    for (int i = 0; i < 16; i++) {\n      unsigned x = s[7] + (__funnelshift_r(s[4], s[4], 6) ^ __funnelshift_r(s[4], s[4], 11)) + w[i] + t;\n'
                      '#pragma unroll\n      for (int k = 7; k > 0; k--)\n        s[k] = s[k - 1];\n      s[4] += x;\n      s[0] = x + (s[1] & s[2] | s[3] & (s[1] | s[2]));\n    }\n'
                      '#pragma unroll\n    for (int i = 0; i < 16; i++)\n      w[i] += w[(i + 9) & 15] + (__funnelshift_r(w[(i + 1) & 15], w[(i + 1) & 15], 7) ^ w[(i + 14) & 15] >> 3);\n  }\n}\n'
                      '__global__ void k(const unsigned *in, unsigned *out) {\n  unsigned s[8], w[16];\n  for (int i = 0; i < 8; i++)\n    s[i] = in[i];\n'
                      '  for (int i = 0; i < 16; i++)\n    w[i] = in[threadIdx.x + i];\n  mix(s, w);\n  for (int i = 0; i < 16; i++)\n    w[i] = i;\n  mix(s, w);\n'
                      '  for (int i = 0; i < 8; i++)\n    out[threadIdx.x * 8 + i] = s[i];\n}\n')
    text = box.hostwarp('cc', '--explain', 'k.cu').stdout
    has(text, 'lowering   vector')
    has(text, ' 0 of local memory')


def test_cc_fatbin_has_the_layout_of_the_format(box):
    box.write('k.cu', '__global__ void k(int *p) { *p = 1; }\n')
    box.hostwarp('cc', '-fatbin', '-arch=sm_75', 'k.cu', '-o', 'k.fatbin')
    data = (box.path / 'k.fatbin').read_bytes()
    magic, version, header, payload = struct.unpack_from('<IHHQ', data)
    assert (magic, version, header, payload) == (0xba55ed50, 1, 16, len(data) - 16), data[:16]
    kind, _, entry, size, packed = struct.unpack_from('<HHIQI', data, 16)
    arch, = struct.unpack_from('<I', data, 16 + 28)
    assert (kind, entry, size, packed, arch) == (1, 64, payload - 64, 0, 75), data[16:80]
    assert data[80:].rstrip(b'\0').lstrip().startswith(b'//') and data[-1] == 0 and size % 8 == 0


def test_cc_device_math_options_change_the_ptx(box):
    box.write('k.cu', '__global__ void k(float *p, float a, float b) { p[0] = a * b + p[0]; p[1] = a / b; p[2] = sqrtf(a); }\n')
    def ptx(*args):
        box.hostwarp('cc', '-ptx', *args, 'k.cu')
        return (box.path / 'k.ptx').read_text()
    has(ptx(), 'fma.rn.f32', 'div.rn.f32')
    lacks(ptx('-fmad=false'), 'fma.rn')
    has(ptx('-ftz=true'), '.ftz.f32')
    has(ptx('-prec-div=false'), 'div.full.f32')
    has(ptx('-use_fast_math'), '.ftz.f32', 'div.approx')


def test_cc_per_thread_default_stream(box):
    box.write('k.cu', '__global__ void k() {}\nint main() { k<<<1, 1>>>(); return cudaStreamSynchronize(0); }\n')
    box.hostwarp('cc', '-c', '--default-stream', 'per-thread', 'k.cu')
    has(box.run('nm', 'k.o').stdout, 'cudaLaunchKernel_ptsz', 'cudaStreamSynchronize_ptsz')
    box.hostwarp('cc', '-c', 'k.cu')
    lacks(box.run('nm', 'k.o').stdout, '_ptsz')


def test_cc_dryrun_shows_and_does_nothing(box):
    box.write('k.cu', HELLO)
    err = box.hostwarp('cc', '-dryrun', 'k.cu', '-o', 'k').stderr
    has(err, '#$ ', '--cuda-device-only', '--cuda-host-only', '-lcudart')
    assert not (box.path / 'k').exists()
    has(box.hostwarp('cc', '-v', 'k.cu', '-o', 'k').stderr, '#$ ')
    assert (box.path / 'k').exists()


def test_cc_keeps_intermediate_files_when_asked(box):
    box.write('k.cu', HELLO)
    p = subprocess.run([HOSTWARP, 'cc', '-keep', '-c', 'k.cu'], cwd=box.path, env=box.env, capture_output=True, text=True)
    folder = re.search(r'files are in (\S+)', p.stderr).group(1)
    assert any(f.endswith('.ptx') for f in os.listdir(folder)), os.listdir(folder)
    shutil.rmtree(folder)


def test_cc_writes_dependencies(box):
    box.write('h.h', '')
    box.write('k.cu', '#include "h.h"\n')
    box.hostwarp('cc', '-c', '-MMD', 'k.cu', '-o', 'k.o')
    has((box.path / 'k.d').read_text(), 'k.o:', 'h.h')
    has(box.hostwarp('cc', '-MM', 'k.cu').stdout, 'k.cu', 'h.h')


def test_cc_reads_options_from_a_file(box):
    box.write('k.cu', '#if X != 3\n#error X\n#endif\n')
    box.write('opts', '-DX=3\n-c -o "out 1.o"\n')
    box.hostwarp('cc', '--options-file', 'opts', 'k.cu')
    assert (box.path / 'out 1.o').exists()


def test_cc_is_not_led_astray_by_an_installed_toolkit(box):
    box.write('cuda/include/cuda_runtime.h', '#error this toolkit must not be used\n')
    box.write('cuda/include/cuda.h', '#error this toolkit must not be used\n#define CUDA_VERSION 13000\n')
    box.write('cuda/include/only_there.h', '#define ONLY 1\n')
    box.write('cuda/lib64/libcudart.so.12', 'not a library')
    box.write('cuda/lib64/libcudart.so', 'not a library')
    box.write('hello.cu', '#include <cuda_runtime.h>\n#include <cuda.h>\n' + HELLO)
    cuda = str(box.path / 'cuda')
    env = {'CPATH': cuda + '/include', 'CPLUS_INCLUDE_PATH': cuda + '/include', 'CUDA_HOME': cuda, 'CUDA_PATH': cuda,
           'LIBRARY_PATH': cuda + '/lib64', 'LD_LIBRARY_PATH': cuda + '/lib64'}
    box.hostwarp('cc', '-I', cuda + '/include', '-L' + cuda + '/lib64', 'hello.cu', '-o', 'hello', env=env)
    has(box.run('./hello', env=env).stdout, '2 4 6 8')
    box.write('more.cu', '#include <only_there.h>\nint main() { return ONLY - 1; }\n')
    box.hostwarp('cc', f'-I{cuda}/include', 'more.cu', '-o', 'more')
    box.hostwarp('cc', 'more.cu', '-o', 'more', env=env, status=1)
    box.write('half/cuda_fp16.h', '#pragma once\nstruct __half { unsigned short x; };\n__device__ float __half2float(__half);\n')        # as some packages bring it, for NVIDIA's NVRTC
    box.write('half.cu', '#include <cuda_fp16.h>\nextern "C" __global__ void k(float *p, __half h) { *p = __half2float(h); }\n')
    box.hostwarp('cc', '-I', 'half', '-cubin', 'half.cu', '-o', 'half.cubin')


def test_cc_takes_launches_by_kernels_between_extern_c_braces(box):
    box.write('c.cu', """#include <cstdio>
extern "C" {
#include <string.h>
__global__ void inner(int *p, int n) { p[threadIdx.x] = n; }
__global__ void outer(int *p) { inner<<<1, 4>>>(p, 7); }
}
int main() { int *p; cudaMallocManaged(&p, 16); outer<<<1, 1>>>(p); int rc = cudaDeviceSynchronize(); std::printf("%d %d %d\\n", rc, p[0], p[3]); }
""")
    box.hostwarp('cc', '-rdc=true', 'c.cu', '-o', 'c', '-lcudadevrt')
    has(box.run('./c').stdout, '0 7 7')
    box.hostwarp('cc', '-rdc=true', '-ptx', 'c.cu')
    has((box.path / 'c.ptx').read_text(), '.entry inner', '.entry outer')


def test_cc_works_in_folders_with_odd_names(box):
    box.write("my dir's/he llo.cu", HELLO)
    box.hostwarp('cc', "my dir's/he llo.cu", '-o', "my dir's/he llo")
    has(box.run("./my dir's/he llo").stdout, '2 4 6 8')


def test_cc_takes_special_registers_with_one_percent_sign(box):
    box.write('real/value.h', '#define VALUE 1')
    source = """#include "value.h"
#include <cstdio>
// it's a comment, "with quotes
__global__ void k(unsigned *o) { unsigned l, t; asm("mov.u32 %0, %laneid;" : "=r"(l)); asm volatile("mov.u32 %0, %%tid.x;" : "=r"(t));
    o[threadIdx.x] = l + t + VALUE; }
int main() { unsigned *d, h[64]; cudaMalloc(&d, sizeof h); k<<<1, 64>>>(d); cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    std::printf("%d %%tid %d %s\\n", h[63], 1'000, __FILE__); }
"""
    box.write('real/r.cu', source)
    (box.path / 'link').symlink_to('real')
    for folder, name in ('real', 'r.cu'), ('link', 'r.cu'), ('.', 'link/../real/r.cu'), ('.', str(box.path / 'link/r.cu')):
        out = box.run('sh', '-c', f'cd {folder} && {HOSTWARP} cc {name} -o r && ./r').stdout
        assert out == f'95 %tid 1000 {name}\n', out
    box.write('bad.cu', source.replace('VALUE; }', 'GONE; }').replace('#include "value.h"', ''))
    has(box.hostwarp('cc', 'bad.cu', status=1).stderr, 'bad.cu:5:')


def test_cc_takes_assembly_without_a_comma_between_operands(box):
    box.write('c.cu', r"""#include <cstdio>
#define PART(x) x
__global__ void k(int *o, int a) { int r; asm(PART("add.s32 ") "%0, %1, %2;" : "=r"(r) : "r"(a) "r"(40)); asm volatile("st.global.u32 [%1], %0;"
    :: "r"(r)
    "l"(o) : "memory"); }
int main() { int *d, h; cudaMalloc(&d, 4); k<<<1, 1>>>(d, 2); cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); std::printf("%d %d\n", h, __LINE__); }
""")
    assert box.hostwarp('run', 'c.cu').stdout == '42 6\n'


def test_cc_compiles_once_and_again_when_something_changed(box):
    """An object comes from the cache only while source, headers and options are the same, and nothing that was said is lost."""
    box.write('value.h', '#define VALUE 1')
    box.write('c.cu', '#include "value.h"\n#include <cstdio>\n__global__ void k() {}\nint main() { std::printf("%d %d\\n", VALUE, MORE); }')

    def objects():
        return sorted(p.name for p in (box.path / 'cache').rglob('*.o'))
    for options, text, want in (('-DMORE=1', '', '1 1'), ('-DMORE=1', '', '1 1'), ('-DMORE=2', '', '1 2'), ('-DMORE=1', '#define VALUE 7', '7 1')):
        if text:
            box.write('value.h', text)
        box.run(HOSTWARP, 'cc', options, 'c.cu', '-o', 'c', env={'HOSTWARP_CACHE': str(box.path / 'cache')})
        assert box.run('./c').stdout == want + '\n', (options, text)
    assert len(objects()) == 2, objects()
    before = len(objects())
    box.write('w.cu', '__global__ void k() {}\nint main() { int unused; return 0; }')
    for _ in range(2):
        has(box.run(HOSTWARP, 'cc', '-Xcompiler', '-Wall', 'w.cu', '-o', 'w', env={'HOSTWARP_CACHE': str(box.path / 'cache')}).stderr, 'unused')
    assert len(objects()) == before
    for _ in range(2):                                           # an error is an error each time, said once
        box.write('e.cu', '__global__ void k() { int x = missing; }\nint main() {}')
        err = box.hostwarp('cc', '-c', 'e.cu', status=1).stderr
        assert err.count('missing') >= 1 and err.count('error:') == 1, err
    assert not list(box.path.glob('e*.o*')), list(box.path.glob('e*'))


def test_the_cache_keeps_what_was_used_last(box):
    """Each folder of it has a limit; files that were not used for long go first."""
    cache = box.path / 'cache' / 'cc'
    cache.mkdir(parents=True)
    for k in range(4):
        (cache / f'old{k}').write_bytes(bytes(600 * 1024))
        os.utime(cache / f'old{k}', (1000 + k, 1000 + k))
    box.write('c.cu', '__global__ void k() {}\nint main() {}')
    box.hostwarp('cc', '-c', 'c.cu', env={'HOSTWARP_CACHE_MIB': '2'})
    left = sorted(p.name for p in cache.iterdir())
    assert not {'old0', 'old1'} & set(left) and 'old3' in left and any(n.endswith('.o') for n in left), left
    box.write('d.cu', '__global__ void k() {}\nint main() { return 1; }')
    box.hostwarp('cc', '-c', 'd.cu', env={'HOSTWARP_CACHE_MIB': '0'})
    assert set(left) <= {p.name for p in cache.iterdir()}


def test_large_kernels_begin_with_quick_code_and_go_on_with_the_best(box):
    """One process makes code quickly and ends; the next one finds that, and makes the best before it ends; the third compiles nothing."""
    box.write('large.cu', r"""#include <cstdio>
__global__ void large(float *p, int n) {
    float v[16];
#pragma unroll
    for (int i = 0; i < 16; i++) v[i] = p[i] + threadIdx.x;
#pragma unroll
    for (int r = 0; r < 12; r++)
#pragma unroll
        for (int i = 0; i < 16; i++) { v[i] = v[i] * v[(i + r) % 16] + 0.25f; if (v[i] > n) v[i] = v[(i + 1) % 16] / 3.0f; }
    float s = 0;
#pragma unroll
    for (int i = 0; i < 16; i++) s += v[i];
    p[16 + threadIdx.x] = s; }
__global__ void small(float *p) { p[threadIdx.x] += 1; }
int main() {
    float h[16 + 96], *d;
    for (int i = 0; i < 16 + 96; i++) h[i] = 0.01f * i;
    cudaMalloc(&d, sizeof h); cudaMemcpy(d, h, sizeof h, cudaMemcpyDefault);
    large<<<1, 96>>>(d, 8); small<<<1, 96>>>(d); cudaMemcpy(h, d, sizeof h, cudaMemcpyDefault);
    unsigned sum = 0;
    for (int i = 0; i < 16 + 96; i++) { unsigned u; __builtin_memcpy(&u, &h[i], 4); sum = sum * 31 + u; }
    std::printf("%08x %s\n", sum, cudaGetErrorString(cudaGetLastError()));
    std::fflush(stdout); }""")
    box.hostwarp('cc', '-O3', 'large.cu', '-o', 'large')
    log = {'HOSTWARP_LOG': 'debug'}
    kernels = box.path / 'cache' / 'kernels'

    def lines(err, *words):
        return [line for line in err.splitlines() if all(w in line for w in words)]
    best = box.run('./large', env={**log, 'HOSTWARP_TIERS': 'off'})
    assert lines(best.stderr, 'compiled', 'large') and not lines(best.stderr, 'quickly'), best.stderr
    shutil.rmtree(kernels)
    quick = box.run('./large', env={**log, 'HOSTWARP_TIERS': 'quick'})
    assert quick.stdout == best.stdout, (quick.stdout, best.stdout)
    shutil.rmtree(kernels)
    for turn in range(4):
        now = box.run('./large', env=log)
        assert now.stdout == best.stdout, (now.stdout, best.stdout)
        if turn == 0:
            assert lines(now.stderr, 'compiled', 'large', 'quickly') and not lines(now.stderr, 'compiled', 'small', 'quickly'), now.stderr
        if lines(now.stderr, 'best code of', 'large'):
            break
    assert turn < 2, 'the best code was never made'
    lacks(box.run('./large', env=log).stderr, 'compiled')
    shutil.rmtree(kernels)
    limited = box.run('./large', env={**log, 'HOSTWARP_COMPILE_LIMIT': '1'})
    assert limited.stdout == best.stdout
    assert not list(kernels.glob('*.new*')), list(kernels.iterdir())


def test_cc_unrolls_marked_loops_to_a_measure(box):
    """A loop of thousands of matrix products or copies must not become code that takes minutes to compile."""
    box.write('u.cu', """__global__ void k(float *p, const float *q) {
    float s = 0;
#pragma unroll
    for (int i = 0; i < 4096; i++) s = s * q[i * 32 + threadIdx.x] + 1;
    float own[16];
#pragma unroll
    for (int i = 0; i < 16; i++) own[i] = q[i] * s;
#pragma unroll
    for (int i = 0; i < 16; i++) p[i] = own[15 - i]; }""")
    box.hostwarp('cc', '-ptx', 'u.cu', '-o', 'u.ptx')
    ptx = (box.path / 'u.ptx').read_text()
    assert 100 < ptx.count('ld.global') < 1000 and '.local' not in ptx, ptx.count('ld.global')


def test_cc_takes_alignas_behind_a_memory_space(box):
    box.write('a.cu', """#include <cstdio>
struct alignas(32) big { int x; };
__device__ alignas(64) int d[4];
extern __shared__ alignas(16) char dynamic[];
__global__ void k(int *o) { __shared__ char c; __shared__ alignas(alignof(float4)) float s[5]; __shared__ alignas(big) char t[3]; c = dynamic[0] = 1;
    s[threadIdx.x] = c; t[0] = 2; *o = (int)((size_t)s % 16 + (size_t)t % 32 + (size_t)d % 64 + (size_t)dynamic % 16); }
int main() { int *o; cudaMallocManaged(&o, 4); *o = 9; k<<<1, 1, 16>>>(o); cudaDeviceSynchronize(); std::printf("%d\\n", *o); }
""")
    box.hostwarp('cc', 'a.cu', '-o', 'a')
    assert box.run('./a').stdout == '0\n'


def test_cc_small_headers_that_programs_ask_for(box):
    """<nv/target> tells the passes apart, NVTX takes wide text, and CUDA_VERSION is there from the start."""
    box.write('h.cu', """#include <nv/target>
#include <nvtx3/nvToolsExt.h>
#include <cstdio>
#if CUDA_VERSION < 12000 || !defined(__HOST_DEFINES_H__)
#error "what libraries ask for"
#endif
__host__ __device__ int where() { NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return 1;), (return 2;)) }
__host__ __device__ int maybe() { NV_IF_TARGET(NV_IS_DEVICE, (int a = 3; return a;)) return 4; }
__host__ __device__ int arch() { NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, (return 90;), NV_PROVIDES_SM_80, (return 80;), NV_IS_HOST, (return 5;)) }
__global__ void k(int *o) { o[0] = where(); o[1] = maybe(); o[2] = arch(); }
int main() { int *o; nvtxDomainCreateW(L"d"); nvtxRangePushW(L"x"); nvtxRangePop(); cudaMallocManaged(&o, 12); k<<<1, 1>>>(o);
    cudaDeviceSynchronize(); std::printf("%d %d %d %d %d %d\\n", o[0], o[1], o[2], where(), maybe(), arch()); }
""")
    box.hostwarp('cc', '-arch=sm_80', 'h.cu', '-o', 'h')
    assert box.run('./h').stdout == '1 3 80 2 4 5\n'


def test_cc_the_cpp_library_works_beside_and_inside_kernels(box):
    """Also with the toolkit's headers that some systems have in /usr/local/include out of sight, where that can be arranged."""
    box.write('lib.cu', """#include <complex>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>
struct S { int a; __device__ S(int x) : a(x) {} };
__global__ void k(int *o) {
    S *s = new S(3); int *p = new int[4]; p[2] = 4; alignas(S) char b[sizeof(S)]; S *q = new (b) S(5); void *m = std::malloc(8); std::free(m);
    std::complex<float> x(1, 2), y(3, 4); x *= y;
    o[0] = s->a + p[2] + q->a + int(x.imag()); delete s; delete[] p;
}
int main() { int *d; std::vector<int> h(1); cudaMalloc(&d, 4); k<<<1, 1>>>(d); cudaMemcpy(h.data(), d, 4, cudaMemcpyDeviceToHost);
    std::printf("%s\\n", std::to_string(h[0]).c_str()); }
""")
    hidden = f"mount --bind {box.path}/tmp /usr/local/include && exec {HOSTWARP} cc"
    alone = subprocess.run(['unshare', '-m', 'mount', '--bind', box.path / 'tmp', '/usr/local/include'], capture_output=True).returncode == 0
    for std in 'c++14', 'c++17', 'c++20':
        box.hostwarp('cc', '-std=' + std, 'lib.cu', '-o', 'lib')
        assert box.run('./lib').stdout == '22\n'
        if alone:
            box.run('unshare', '-m', 'sh', '-c', hidden + f' -std={std} lib.cu -o lib', env={'TMPDIR': '/tmp'})
            assert box.run('./lib').stdout == '22\n'


def test_cc_without_clang_says_what_is_missing(box):
    box.write('hello.cu', HELLO)
    has(box.hostwarp('cc', 'hello.cu', env={'HOSTWARP_CLANG': '/nowhere/clang++'}, status=1).stderr, '/nowhere/clang++')


# --- run

def counting_clang(box):
    """A compiler that notes each call; returns (variables, how often it was called)."""
    real = box.run('sh', '-c', 'ls /usr/lib/llvm-19/bin/clang++ || command -v clang++-19').stdout.split()[0]
    box.write('clang', f'#!/bin/sh\necho call >> {box.path}/calls\nexec {real} "$@"\n')
    os.chmod(box.path / 'clang', 0o755)
    return {'HOSTWARP_CLANG': str(box.path / 'clang')}, lambda: len((box.path / 'calls').read_text().split())


def test_run_compiles_once_and_again_when_something_changed(box):
    env, calls = counting_clang(box)
    box.write('value.h', '#define VALUE 1\n')
    box.write('v.cu', '#include "value.h"\n#include <cstdio>\n#ifndef X\n#define X 0\n#endif\nint main() { std::printf("%d\\n", VALUE + X); }\n')
    assert box.hostwarp('run', 'v.cu', env=env).stdout == '1\n'
    first = calls()
    assert box.hostwarp('run', 'v.cu', env=env).stdout == '1\n'
    assert calls() == first, 'compiled although nothing changed'
    assert box.hostwarp('run', '-DX=5', 'v.cu', env=env).stdout == '6\n'
    box.write('value.h', '#define VALUE 22\n')
    assert box.hostwarp('run', 'v.cu', env=env).stdout == '22\n'
    box.write('v.cu', '#include <cstdio>\nint main() { std::printf("new\\n"); }\n')
    assert box.hostwarp('run', 'v.cu', env=env).stdout == 'new\n'
    assert box.hostwarp('run', 'v.cu', env={**env, 'HOSTWARP_CACHE': 'off'}).stdout == 'new\n'


def test_run_passes_arguments_input_and_status(box):
    box.write('p.cu', '#include <cstdio>\nint main(int argc, char **argv) { int c, n = 0; while ((c = getchar()) != EOF) n++; '
              'std::printf("%d %s %s %d\\n", argc, argv[1], argv[2], n); return 42; }\n')
    assert box.hostwarp('run', 'p.cu', '-x', '--help', stdin='12345', status=42).stdout == '3 -x --help 5\n'
    box.hostwarp('cc', 'p.cu', '-o', 'p')
    assert box.hostwarp('run', './p', 'a b', '', stdin='12', status=42).stdout == '3 a b  2\n'
    assert box.hostwarp('run', 'p', 'a', 'b', status=42).stdout == '3 a b 0\n'
    assert box.hostwarp('run', 'p.cu', 'a', 'b', env={'HOSTWARP_CACHE': 'off'}, status=42).stdout == '3 a b 0\n'


class Skip(Exception):
    """The test needs what is not here."""


def test_run_dumps_every_stage_of_every_kernel(box):
    box.write('k.cu', """
__global__ void first(float *p) { p[threadIdx.x] = 1; }
__global__ void second(float *p) { p[threadIdx.x] *= 3; }
int main() {
    float *p;
    if (cudaMalloc(&p, 256)) return 2;
    first<<<1, 64>>>(p);
    second<<<1, 64>>>(p);
    return cudaDeviceSynchronize();
}
""")
    box.hostwarp('run', 'k.cu', env={'HOSTWARP_DUMP': 'ptx,ir,llvm,asm', 'HOSTWARP_DUMP_DIR': str(box.path / 'stages')})
    for name in ('first', 'second'):
        for ending, what in (('ptx', '.entry'), ('ir', 'kernel '), ('ll', 'define '), ('s', '.text')):
            files = list((box.path / 'stages').glob(f'*{name}*.64x1x1.{ending}'))
            assert len(files) == 1, f'{name}.{ending}: {len(files)} files'
            has(files[0].read_text(), what, name)


def test_run_kernels_from_the_cache_need_no_compiler(box):
    """LLVM takes longer to load than a small program takes to run: it is loaded where something has to be compiled."""
    box.write('k.cu', r"""
#include <cstdio>
#include <cstring>
__global__ void k(float *p, int n) { for (int i = 0; i < n; i++) p[threadIdx.x] += sqrtf(threadIdx.x) * sinf(i); }
int main() {
    float *p, h = 0;
    char line[1000];
    bool loaded = false;
    cudaMalloc(&p, 128);
    cudaMemset(p, 0, 128);
    k<<<1, 32>>>(p, 3);
    cudaMemcpy(&h, p + 1, 4, cudaMemcpyDeviceToHost);
    FILE *maps = fopen("/proc/self/maps", "r");
    while (fgets(line, sizeof line, maps)) loaded |= strstr(line, "libLLVM") || strstr(line, "hostwarp-llvm");
    printf("%s %.4f\n", loaded ? "compiled" : "cached", h);
    return cudaGetLastError();
}
""")
    box.hostwarp('cc', 'k.cu', '-o', 'k')
    has(box.run('./k').stdout, 'compiled 1.7508')
    has(box.run('./k').stdout, 'cached 1.7508')
    has(box.run('./k', env={'HOSTWARP_CACHE': 'off'}).stdout, 'compiled 1.7508')


def test_run_results_that_fit_the_caches_stay_in_them(box):
    """Blocks that all write the same few bytes write much, and nothing of it belongs past the caches."""
    sizes = [p.read_text() for p in pathlib.Path('/sys/devices/system/cpu/cpu0/cache').glob('index*/size')]
    if not sizes or max(int(s.strip().rstrip('K')) for s in sizes) > 200 << 10:
        raise Skip('the caches of this machine are not known, or larger than what the test writes')
    box.write('k.cu', """
__global__ void apart(float *p) { p[blockIdx.x * 256u + threadIdx.x] = 1; }
__global__ void same(float *p) { p[threadIdx.x] = 1; }
int main() {
    float *large, *small;
    if (cudaMalloc(&large, 256 << 20) || cudaMalloc(&small, 1 << 20)) return 2;
    apart<<<1 << 18, 256>>>(large);
    same<<<1 << 18, 256>>>(small);
    return cudaDeviceSynchronize();
}
""")
    box.hostwarp('run', 'k.cu', env={'HOSTWARP_DUMP': 'llvm', 'HOSTWARP_DUMP_DIR': str(box.path), 'HOSTWARP_CACHE': 'off'})
    text = {name: ''.join(p.read_text() for p in box.path.glob(f'*{name}*.ll')) for name in ('apart', 'same')}
    has(text['apart'], 'nontemporal')
    has(text['same'], 'store <')
    lacks(text['same'], 'nontemporal')


def real_nvcc():
    nvcc = pathlib.Path('/usr/local/cuda/bin/nvcc')
    if not nvcc.exists():
        raise Skip('there is no nvcc at /usr/local/cuda')
    return nvcc


PTX_80 = ['-gencode', 'arch=compute_80,code=compute_80']
KERNELS = r'''
#include <cstdio>
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
struct Pair { float a; double b; };
__constant__ int table[4] = {1, 2, 3, 4};
__device__ int total;
__managed__ int shown = 5;
template <int N> __global__ void sum(const int *in, int *out)
{
    __shared__ int part[N];
    part[threadIdx.x] = in[threadIdx.x];
    __syncthreads();
    for (int k = N / 2; k; k /= 2) {
        if (threadIdx.x < k)
            part[threadIdx.x] += part[threadIdx.x + k];
        __syncthreads();
    }
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    int lanes = __popc(warp.ballot(threadIdx.x & 1));
    if (threadIdx.x == 0) {
        *out = part[0] * table[3] + lanes + shown;
        atomicAdd(&total, 7);
        printf("block %d of %d\n", blockIdx.x, gridDim.x);
    }
}
__global__ void scale(Pair *p, double by) { p->a = sqrtf(p->a); p->b = sin(p->b) * by; }
int main()
{
    int h[64], *d, *o, r, t;
    for (int i = 0; i < 64; i++)
        h[i] = i;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&o, 4);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    sum<64><<<1, 64>>>(d, o);
    cudaMemcpy(&r, o, 4, cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(&t, total, 4);
    Pair *p;
    cudaMallocManaged(&p, sizeof *p);
    *p = {16, 0.5};
    scale<<<1, 1>>>(p, 2);
    cudaError_t e = cudaDeviceSynchronize();
    std::printf("%d %d %g %.6f %s\n", r, t, p->a, p->b, cudaGetErrorName(e));
    return 0;
}
'''


def test_run_programs_of_a_real_nvcc(box):
    """PTX in each way that nvcc packs it, with the shared runtime, and with ours linked in."""
    nvcc = real_nvcc()
    box.write('k.cu', KERNELS)
    ours = ['-cudart', 'none', f'-L{BUILD}/lib', '-lcudart_static', '-lcuda', '-ldl', '-lpthread', '-lrt']
    for options in (['-cudart', 'shared', '-arch=sm_80'], ['-cudart', 'shared', *PTX_80], ['-cudart', 'shared', *PTX_80, '-no-compress'],
                    ['-cudart', 'shared', *PTX_80, '-Xfatbin', '-compress-all'], ['-cudart', 'shared', *PTX_80, '-compress-mode', 'speed'],
                    ['-cudart', 'shared', *PTX_80, '-rdc=true'], [*PTX_80, *ours]):
        box.run(nvcc, 'k.cu', *options, '-o', 'k')
        p = box.hostwarp('run', './k')
        assert p.stdout == 'block 0 of 1\n8085 7 4 0.958851 cudaSuccess\n' and not p.stderr, (options, p)


def test_run_programs_of_a_real_nvcc_that_cannot_run_say_why(box):
    """With NVIDIA's static runtime, or without PTX, one sentence says what to do."""
    nvcc = real_nvcc()
    box.write('hello.cu', HELLO)
    no_ptx = ['-cudart', 'shared', '-gencode', 'arch=compute_80,code=sm_80']
    for options, words in ((['-cudart', 'static', '-arch=sm_80'], '-cudart shared'), (no_ptx, 'code=compute_80'),
                           ([*no_ptx, '-rdc=true'], 'code=compute_80')):
        box.run(nvcc, *options, 'hello.cu', '-o', 'hello')
        p = box.hostwarp('run', './hello', status=None)
        has(p.stderr, words)
        assert p.stdout != '2 4 6 8\n', p


def test_run_programs_that_a_real_nvcc_linked_of_parts(box):
    """-rdc=true: the parts are joined when the program first needs them."""
    nvcc, rdc = real_nvcc(), TREE / 'tests/projects/rdc'
    for name in 'main', 'parts':
        box.run(nvcc, *PTX_80, '-dc', f'-I{rdc}', rdc / f'{name}.cu', '-o', f'{name}.o')
    box.run(nvcc, *PTX_80, '-cudart', 'shared', 'main.o', 'parts.o', '-o', 'together')
    box.run(nvcc, *PTX_80, '-dlink', 'main.o', 'parts.o', '-o', 'linked.o')
    box.run('g++', 'main.o', 'parts.o', 'linked.o', '-o', 'steps', f'-L{nvcc.parent.parent}/lib64', '-lcudart', '-lcudadevrt')
    box.run(nvcc, '-arch=sm_80', '-rdc=true', '-cudart', 'shared', f'-I{rdc}', rdc / 'main.cu', rdc / 'parts.cu', '-o', 'both')
    for name in 'together', 'steps', 'both':
        assert box.hostwarp('run', f'./{name}').stdout == 'rdc 34 127 21\n', name


LAUNCHING = r'''
#include <cstdio>
struct Amount { const int by; };
template <int N> __global__ void leaf(int *p, Amount a) { atomicAdd(p, a.by * N); }
__global__ void add(int *p, short one, double two) { atomicAdd(p, (int)(one + two)); }
__global__ void add(int *p) { atomicAdd(p, 100); }            // "<<<" of a string, 'and' /* a comment <<< */
__global__ void node(int *p, int depth)
{
    cudaStream_t s;
    cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
    if (depth)
        node<<<2, 1, 0, s>>>(p, depth - 1);
    else
        leaf<3><<<dim3(1, 2), dim3(4, 2)>>>(p, Amount{1});
    cudaStreamDestroy(s);
    add<<<1, 1, 0, cudaStreamFireAndForget>>>(p, 400, 500);
    add <<<1, 1>>>
        (p);
    if (cudaGetLastError() != cudaSuccess)
        printf("launch failed\n");
}
int main()
{
    int *p, h;
    cudaMalloc(&p, 4);
    cudaMemset(p, 0, 4);
    node<<<1, 1>>>(p, 3);
    cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
    std::printf("%d %d %s\n", h, __LINE__, cudaGetErrorName(cudaDeviceSynchronize()));
}
'''
# 15 nodes of 1000 each, and 8 of them launch 16 threads
LAUNCHED = '15384 29 cudaSuccess\n'


def test_run_programs_of_a_real_nvcc_whose_kernels_launch(box):
    box.write('cdp.cu', LAUNCHING)
    box.run(real_nvcc(), *PTX_80, '-cudart', 'shared', '-rdc=true', 'cdp.cu', '-o', 'cdp', '-lcudadevrt')
    assert box.hostwarp('run', './cdp').stdout == LAUNCHED


def test_cc_lets_kernels_launch_kernels(box):
    box.write('cdp.cu', LAUNCHING)
    box.hostwarp('cc', '-rdc=true', 'cdp.cu', '-o', 'cdp')
    assert box.run('./cdp').stdout == LAUNCHED
    box.write('bad.cu', LAUNCHING.replace('cudaStreamDestroy(s);', 'cudaStreamDestroy(t);'))
    has(box.hostwarp('cc', '-rdc=true', 'bad.cu', status=1).stderr, 'bad.cu:15:')


def test_run_lets_signals_through(box):
    box.write('s.cu', '#include <unistd.h>\n#include <cstdio>\nint main() { std::printf("up\\n"); std::fflush(stdout); pause(); }\n')
    box.hostwarp('cc', 's.cu', '-o', 's')
    for args in (['run', './s'], ['run', 's.cu']):
        p = subprocess.Popen([HOSTWARP, *args], cwd=box.path, env=box.env, stdout=subprocess.PIPE, text=True)
        assert p.stdout.readline() == 'up\n'
        p.send_signal(signal.SIGTERM)
        assert p.wait(30) == -signal.SIGTERM
    box.write('a.cu', '#include <cstdlib>\nint main() { abort(); }\n')
    box.hostwarp('run', 'a.cu', status=-signal.SIGABRT)


def test_run_what_cannot_run_is_an_error(box):
    has(box.hostwarp('run', status=2).stderr, 'which program')
    has(box.hostwarp('run', './gone', status=127).stderr, './gone')
    has(box.hostwarp('run', 'gone.cu', status=1).stderr, 'gone.cu')
    box.write('text', 'hello')
    has(box.hostwarp('run', './text', status=126).stderr, './text')
    box.write('bad.cu', 'int main( {}')
    has(box.hostwarp('run', 'bad.cu', status=1).stderr, 'bad.cu:1')
    has(box.hostwarp('run', '-O2', './text', status=2).stderr, 'no source')


def test_run_gives_an_existing_program_our_libraries(box):
    box.write('hello.cu', HELLO)
    box.hostwarp('cc', 'hello.cu', '-o', 'hello')
    shutil.copy(BUILD / 'lib/libcudart.so.12', box.path)        # a program without a built-in path
    box.hostwarp('cc', '-c', 'hello.cu')
    box.run('cc', 'hello.o', '-o', 'bare', '-L' + str(BUILD / 'lib'), '-lcudart', '-lstdc++')
    has(box.hostwarp('run', './bare').stdout, '2 4 6 8')


# --- install

PTX = """.version 7.0
.target sm_80
.address_size 64
.visible .global .align 4 .u32 counter;
.visible .entry add_one(.param .u64 p, .param .u32 n)
{
    .reg .b64 %rd<3>;
    .reg .b32 %r<3>;
    .shared .align 4 .b8 room[128];
    ld.param.u64 %rd1, [p];
    ld.global.u32 %r1, [%rd1];
    add.s32 %r2, %r1, 1;
    st.shared.u32 [room], %r2;
    bar.sync 0;
    st.global.u32 [%rd1], %r2;
    ret;
}
"""
LOAD = r'''
#include <cuda.h>
#include <cstdio>
int main(int, char **argv) {
    CUdevice d; CUcontext c; CUmodule m; CUfunction f; CUdeviceptr p; int v = 41, n = 0;
    cuInit(0); cuDeviceGet(&d, 0); cuDevicePrimaryCtxRetain(&c, d); cuCtxSetCurrent(c);
    if (CUresult rc = cuModuleLoad(&m, argv[1])) return std::printf("load: %d\n", rc), 1;
    cuModuleGetFunction(&f, m, "add_one"); cuMemAlloc(&p, 4); cuMemcpyHtoD(p, &v, 4);
    void *args[] = {&p, &n};
    cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0);
    cuMemcpyDtoH(&v, p, 4);
    std::printf("%d\n", v);
}
'''


def test_ptxas_makes_a_cubin_that_loads(box):
    box.write('k.ptx', PTX)
    said = box.run(BUILD / 'bin/ptxas', '-lineinfo', '-v', '--opt-level', '3', '--regAllocOptLevel=2', '--gpu-name=sm_90a', 'k.ptx', '-o', 'k.cubin').stderr
    assert "Compiling entry function 'add_one' for 'sm_90a'" in said and re.search(r'Used \d+ registers, used 1 barriers, 128 bytes smem, \d+ bytes cmem\[0\]', said), said
    assert 'ptxas info    : 4 bytes gmem' in said, said
    box.hostwarp('cc', '-cubin', '-o', 'cc.cubin', 'k.ptx')
    image = (box.path / 'k.cubin').read_bytes()
    assert image[:4] == b'\x7fELF' and image == (box.path / 'cc.cubin').read_bytes() and struct.unpack_from('<H', image, 18) == (0,)
    box.write('load.cu', LOAD)
    box.hostwarp('cc', '-o', 'load', 'load.cu')
    assert box.run('./load', 'k.cubin').stdout == '42\n'
    for name, damaged in {'cut': image[:200], 'format': image[:88] + b'\x07' + image[89:], 'text': image.replace(b'.entry', b'.entrx'), 'head': image[:64]}.items():
        (box.path / name).write_bytes(damaged)
        assert box.run('./load', name, status=1).stdout.startswith('load: '), name


def test_ptxas_says_what_is_wrong_and_where(box):
    box.write('bad.ptx', PTX.replace('add.s32 %r2, %r1, 1', 'add.s32 %r2, %r7, 1'))
    said = box.run(BUILD / 'bin/ptxas', '-arch=sm_80', 'bad.ptx', '-o', 'bad.cubin', status=1).stderr
    assert 'ptxas bad.ptx, line 12; error   : ' in said and said.endswith('ptxas fatal   : Ptx assembly aborted due to errors\n'), said
    assert not (box.path / 'bad.cubin').exists()
    box.write('k.ptx', PTX)
    for words, part in ((('--no-such', 'k.ptx'), "Unknown option '--no-such'"), (('-arch=sm_75', 'k.ptx'), '.target'), ((), 'No input file'), (('none.ptx',), 'none.ptx'),
                        (('-arch=compute_80', 'k.ptx'), 'gpu-name'), (('-o',), 'needs a value')):
        assert part in box.run(BUILD / 'bin/ptxas', *words, status=1).stderr, words
    assert 'release 12' in box.run(BUILD / 'bin/ptxas', '--version').stdout


def test_show_lists_what_files_hold(box):
    box.write('hello.cu', HELLO)
    box.write('k.ptx', PTX)
    box.hostwarp('cc', '-o', 'hello', 'hello.cu')
    box.hostwarp('cc', '-dc', '-o', 'hello.o', 'hello.cu')
    box.hostwarp('cc', '-fatbin', '-o', 'k.fatbin', 'k.ptx')
    box.hostwarp('ptxas', '-o', 'k.cubin', 'k.ptx')
    for name, parts in {'hello': ['PTX, ', 'kernel twice(int*)'], 'hello.o': ['kernel twice(int*)'], 'k.fatbin': ['PTX, version 7.0 for sm_80', 'kernel add_one'],
                        'k.cubin': ['cubin of hostwarp', 'global variable counter, 4 bytes'], 'k.ptx': ['kernel add_one'], HOSTWARP: ['no device code']}.items():
        out = box.hostwarp('show', name).stdout
        assert all(part in out for part in parts), (name, out)
    assert box.hostwarp('show', '--ptx', 'k.cubin').stdout == PTX
    box.hostwarp('show', 'hello.cu', status=1)
    box.hostwarp('show', 'not-there', status=1)
    box.hostwarp('show', status=2)


DEBUGGED = r'''
#include <cstdio>
__global__ void scale_and_add(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = p[i];
        p[i] = v * 2 + 1;
    }
}
__global__ void turn_around(float *p) {
    __shared__ float s[64];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[63 - threadIdx.x];
}
int main() {
    float *d;
    cudaMalloc(&d, 1024);
    cudaMemset(d, 0, 1024);
    for (int i = 0; i < (REPEAT); i++)
        scale_and_add<<<4, 64>>>(d, 256);
    turn_around<<<1, 64>>>(d);
    std::printf("done %d\n", cudaDeviceSynchronize());
}
'''


def test_gdb_stops_in_kernels_by_name_and_by_line(box):
    if not shutil.which('gdb'):
        raise Skip('no gdb')
    box.write('dbg.cu', DEBUGGED)
    box.write('commands', 'break scale_and_add\nbreak dbg.cu:14\nrun\nbt 1\nhostwarp where\ndelete 1\ncontinue\nbt 1\nhostwarp threads\ndelete\ncontinue\n')
    said = box.hostwarp('gdb', '--batch', 'commands', '-DREPEAT=1', 'dbg.cu', env={'HOSTWARP_THREADS': '1'}, status=None).stdout
    if 'ptrace' in said or 'personality' in said:
        raise Skip('debugging is not allowed here')
    has(said, 'scale_and_add', 'kernel _Z13scale_and_addPfi, block (0,0,0) of (4,1,1), threads 0 to ', 'turn_around(float*)', 'dbg.cu:14',
        'kernel _Z11turn_aroundPf, block (0,0,0) of (1,1,1)', 'done 0')
    assert re.search(r'#0 .*scale_and_add.* at .*dbg.cu:[3-7]\n', said), said


def test_perf_map_names_kernels(box):
    box.write('p.cu', DEBUGGED)
    box.hostwarp('cc', '-DREPEAT=1', '-o', 'p', 'p.cu')
    out = box.run('sh', '-c', './p & wait $!; echo $!', env={'HOSTWARP_PERF': '1'}).stdout
    lines = pathlib.Path(f'/tmp/perf-{out.split()[-1]}.map').read_text().splitlines()
    os.unlink(f'/tmp/perf-{out.split()[-1]}.map')
    names = [line.split(' ', 2)[2] for line in lines]
    assert '_Z13scale_and_addPfi' in names and '_Z11turn_aroundPf' in names and all(int(w, 16) > 0 for line in lines for w in line.split()[:2]), lines


def thread_local_bytes(library):
    """Of its PT_TLS header."""
    data = library.read_bytes()
    at, size, n = struct.unpack_from('<Q', data, 32)[0], *struct.unpack_from('<HH', data, 54)
    for k in range(n):
        kind, memory = struct.unpack_from('<I', data, at + k * size)[0], struct.unpack_from('<Q', data, at + k * size + 40)[0]
        if kind == 7:
            return memory
    return 0


def test_libraries_need_little_thread_local_memory(box):
    """What is loaded while a program runs gets some hundred bytes of it at most, and else does not load."""
    for name in 'libcuda.so.1', 'libcudart.so.12', 'libcudart.so.13', 'libnvrtc.so.12', 'libnvJitLink.so.12':
        bytes_ = thread_local_bytes(BUILD / 'lib' / name)
        assert bytes_ <= 640, f'{name}: {bytes_} bytes'


def test_benchmarks_have_a_column_for_every_opencl_that_is_there(box):
    """A made-up benchmark: its OpenCL program says which implementation the loader would take, and has another time for each."""
    box.write('b/x/x_ocl.c', '#include <stdio.h>\n#include <stdlib.h>\nint main(void) { const char *v = getenv("OCL_ICD_VENDORS"); '
              'printf("x ocl seconds=%d check=1 work=1 unit=GB/s\\n", v ? 2 : 4); }\n')
    box.write('b/x/x_omp.c', '#include <stdio.h>\nint main(void) { puts("x omp seconds=8 check=1 work=1 unit=GB/s"); }\n')
    box.write('other.icd', str(box.path / 'libother.so') + '\n')
    bench = [TREE / 'bench/run', '--build-dir', box.path / 'o/bench', '--rounds', '1', '--ocl-compile', 'gcc -o {out} {src}', '--omp-compile', 'gcc -o {out} {src}']
    has(box.run(*bench, '--opencl', 'other=other.icd', 'b', status=2).stderr, 'no library behind other.icd')
    has(box.run(*bench, '--opencl', 'omp=other.icd', 'b', status=2).stderr, 'a name of at most')
    has(box.run(*bench, '--skip', 'other', 'b', status=2).stderr, 'no such variant')
    box.write('libother.so', '')
    box.write('o/bench-intel/intel.icd', str(box.path / 'libother.so'))
    out = box.run(*bench, '--opencl', 'other=other.icd', '--json', 'j', 'b').stdout.splitlines()
    assert out[0].split()[:11] == 'NAME cuda s ocl s intel s other s omp s'.split(), out
    assert out[1].split()[:6] == ['x', '-', '4.000000', '2.000000', '2.000000', '8.000000'], out
    has(box.run(*bench, '--skip', 'intel', 'b').stdout.splitlines()[0], 'ocl s        omp s')


def test_install_makes_a_copy_that_works_by_itself(box):
    box.write('hello.cu', HELLO)
    prefix = box.path / 'prefix'
    box.run(sys.executable, TREE / 'tools/stage.py', BUILD, '--install', prefix)
    moved = box.path / 'moved'
    prefix.rename(moved)                                        # nothing may depend on the place
    command = moved / 'bin/hostwarp'
    has(box.run(command, 'run', 'hello.cu').stdout, '2 4 6 8')
    has(box.run(command, 'info').stdout, str(moved / 'lib/hostwarp'))
    assert (moved / 'share/man/man1/hostwarp.1').exists()


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else ''
    bad = 0
    tests = [(name, test) for name, test in globals().items() if name.startswith('test_') and pattern in name]
    print(f'1..{len(tests)}')
    for name, test in tests:
        with tempfile.TemporaryDirectory(prefix='hostwarp-cli-') as folder:
            try:
                test(Box(folder))
                print(f'ok - {name[5:]}', flush=True)
            except Skip as e:
                print(f'ok - {name[5:]} # SKIP {e}', flush=True)
            except Exception as e:
                bad += 1
                where = traceback.extract_tb(e.__traceback__)[1:2]
                print(f'not ok - {name[5:]}\n# line {where[0].lineno if where else "?"}: ' + f'{type(e).__name__}: {e}'.replace('\n', '\n# '), flush=True)
    return 1 if bad else 0


sys.exit(main())
