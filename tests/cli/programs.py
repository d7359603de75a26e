# SPDX-License-Identifier: Apache-2.0
"""Tests of commands that run programs or look into them: run, ptxas, show, gdb; the cache and the two codes of a kernel."""
import os
import pathlib
import re
import shutil
import signal
import struct
import subprocess

from box import *


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


def test_run_programs_of_a_real_nvcc_whose_kernels_launch(box):
    box.write('cdp.cu', LAUNCHING)
    box.run(real_nvcc(), *PTX_80, '-cudart', 'shared', '-rdc=true', 'cdp.cu', '-o', 'cdp', '-lcudadevrt')
    assert box.hostwarp('run', './cdp').stdout == LAUNCHED


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
