# SPDX-License-Identifier: Apache-2.0
"""Tests of `hostwarp cc`: options, what it makes, what it says."""
import os
import re
import shutil
import struct
import subprocess

from box import *


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


def test_cc_lets_kernels_launch_kernels(box):
    box.write('cdp.cu', LAUNCHING)
    box.hostwarp('cc', '-rdc=true', 'cdp.cu', '-o', 'cdp')
    assert box.run('./cdp').stdout == LAUNCHED
    box.write('bad.cu', LAUNCHING.replace('cudaStreamDestroy(s);', 'cudaStreamDestroy(t);'))
    has(box.hostwarp('cc', '-rdc=true', 'bad.cu', status=1).stderr, 'bad.cu:15:')
