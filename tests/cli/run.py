#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the hostwarp command. usage: run.py BUILD [PATTERN]      Each function test_* is one rule; the result is TAP."""
import json
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import traceback
import xml.etree.ElementTree

from box import *
from cc import *
from device_code import *
from programs import *


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


def test_a_bad_access_tells_what_is_near_and_what_to_do(box):
    box.write('b.cu', '__global__ void k(int *p, int i) { p[i] = 1; }\nint main(int argc, char **argv) { int *p; cudaMalloc(&p, 4000); k<<<1, 1>>>(p, atoi(argv[1])); return cudaDeviceSynchronize() != cudaSuccess; }')
    box.hostwarp('cc', 'b.cu', '-o', 'b', '-include', 'cstdlib')
    for index, words in ('-1', '4 bytes before device memory of 4000 bytes'), ('2000000', '7996000 bytes past the end of device memory of 4000 bytes'):
        has(box.run('./b', index, status=1).stderr, 'illegal memory access at 0x', words, '`hostwarp check` names the line')
    lacks(box.hostwarp('check', './b', '-1', status=1).stderr, 'names the line')


def test_without_sleef_the_package_is_named(box):
    box.write('s.cu', '__global__ void k(float *p) { p[threadIdx.x] = sinf(p[threadIdx.x]); }\n'
              'int main() { float *p; cudaMallocManaged(&p, 4096); k<<<1, 64>>>(p); return cudaDeviceSynchronize() != cudaSuccess || cudaGetLastError() != cudaSuccess; }')
    box.hostwarp('cc', 's.cu', '-o', 's')
    box.write('broken/libsleef.so.3', '')                         # found first, and no library
    said = box.run('./s', env={'LD_LIBRARY_PATH': f'{BUILD}/lib:{box.path}/broken', 'HOSTWARP_WIDTH': '4', 'HOSTWARP_CACHE': 'off'}, status=1).stderr
    has(said, 'needs SLEEF', 'libsleef3')
    box.run('./s')


def test_other_tools_names_are_ours_too(box):
    box.write('a.cu', HELLO)
    box.run(BUILD / 'bin/nvcc', '-o', 'a', 'a.cu')
    p = box.run(BUILD / 'bin/nvprof', './a')                      # as a tutorial has it
    assert p.stdout == '2 4 6 8\n', p.stdout
    has(p.stderr, 'Profiling result:', 'twice(int*)', '[CUDA memcpy HtoD]', 'API calls:', 'cudaMalloc')
    box.write('race.cu', '__global__ void k(int *p) { __shared__ int x; x = threadIdx.x; __syncthreads(); p[threadIdx.x] = x; }\n'
              'int main() { int *p; cudaMalloc(&p, 4096); k<<<1, 64>>>(p); return cudaDeviceSynchronize(); }')
    box.run(BUILD / 'bin/nvcc', '-lineinfo', '-o', 'race', 'race.cu')
    has(box.run(BUILD / 'bin/compute-sanitizer', '--tool', 'racecheck', './race', status=1).stderr, 'race.shared')
    lacks(box.run(BUILD / 'bin/compute-sanitizer', '--tool', 'memcheck', './race').stderr, 'race', 'leak')
    lacks(box.run(BUILD / 'bin/cuda-memcheck', '--tool=initcheck', './race').stderr, 'race')
    has(box.hostwarp('check', '--tool', 'rracecheck', './race', status=2).stderr, 'no tool `rracecheck`')


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
