# SPDX-License-Identifier: Apache-2.0
"""Tests of `hostwarp cc` that run.py runs with its own: device code is verified as ptxas does it, and what nvcc accepts is accepted."""
import pathlib
import re
import string


def has(text, *parts):
    for part in parts:
        assert part in text, f'no {part!r} in:\n{text}'


MAIN = 'int main() { return cudaDeviceSynchronize(); }\n'
GOOD = '__global__ void good(int *p) { *p = 1; }\n'

# What is wrong, and what the message must have in it: the line, the name.
BAD = {
    'asm': ('__global__ void k(int *p)\n{\n    asm volatile("bogus.u32 %0, 3;" : "=r"(*p));\n}\n', ':4: error: unknown instruction \'bogus\''),
    'function': ('__device__ int absent(int);\n__global__ void k(int *p)\n{\n    *p = absent(3);\n}\n', ":5: error: ", "'absent(int)'", "'k(int*)'"),
    'shared': ('__global__ void k(int *p)\n{\n    __shared__ int x[12289]; x[threadIdx.x] = *p; __syncthreads(); p[1] = x[p[2]];\n}\n', '0xc004', "'k(int*)'"),
    'constant': ('__constant__ int c[16385]; __global__ void k(int *p) { *p = c[*p]; }\n', '0x10004', 'constant memory'),
    'type': ('__global__ void k(int *p)\n{\n    asm volatile("{ .reg .f32 f; add.s32 %0, f, 3; }" : "=r"(*p));\n}\n', ':4: error: operand f'),
}


def test_cc_device_code_that_cannot_be_loaded_is_an_error_of_the_build(box):
    for name, (text, *parts) in BAD.items():
        box.write(f'{name}.cu', GOOD + text + MAIN)
        for option in ('-c', '-cubin', '-fatbin', '-rdc=true') if name == 'asm' else ('-c',):
            has(box.hostwarp('cc', option, f'{name}.cu', '-o', 'out', status=1).stderr, *parts, f'{name}.cu')
        assert not (box.path / 'out').exists()
        box.hostwarp('cc', '-ptx', f'{name}.cu', '-o', 'out.ptx')        # nvcc does not start ptxas for this either
    box.hostwarp('cc', '-ptx', 'asm.cu', '-o', 'bad.ptx')
    has(box.hostwarp('cc', '-cubin', 'bad.ptx', status=1).stderr, 'bad.ptx:', 'bogus')


def test_cc_a_function_that_nobody_calls_may_lack_others(box):
    box.write('a.cu', '__device__ int absent(int);\n__device__ int unused(int x) { return absent(x); }\n' + GOOD + MAIN)
    box.hostwarp('cc', 'a.cu', '-o', 'a')
    box.run('./a')


def test_cc_an_extern_variable_of_one_file_is_its_own(box):
    box.write('a.cu', 'extern __device__ int v;\n__global__ void k(int *p) { *p = v; }\n' + MAIN)
    has(box.hostwarp('cc', 'a.cu', '-o', 'a').stderr, "'v'", 'static definition')
    box.run('./a')


RDC_MAIN = r'''
#include <cstdio>
__device__ int of_library(int);
extern __device__ int number;
__global__ void k(int *p) { *p = of_library(3) + number; }
int main() {
    int *p, h = 0;
    cudaMalloc(&p, 4);
    k<<<1, 1>>>(p);
    cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
    std::printf("%d\n", h);
}
'''


def make_library(box):
    box.write('main.cu', RDC_MAIN)
    box.write('lib.cu', '__device__ int number = 40;\n__device__ int of_library(int x) { return x + 4; }\n')
    box.write('other.cu', '__device__ int absent(int);\n__device__ int other(int x) { return absent(x); }\n')
    box.hostwarp('cc', '-dc', 'main.cu', 'lib.cu', 'other.cu')
    box.run('ar', 'rcs', 'libdev.a', 'lib.o', 'other.o')


def test_cc_what_device_code_lacks_is_an_error_of_the_link(box):
    make_library(box)
    for stage in '-dlink', '-rdc=true':
        has(box.hostwarp('cc', stage, 'main.o', '-o', 'out', status=1).stderr, "'of_library(int)'", "'number'", 'not defined')


def test_cc_links_members_of_archives_that_only_device_code_needs(box):
    make_library(box)
    for number, inputs in enumerate((['lib.o'], ['libdev.a'], ['-L.', '-ldev'])):
        box.hostwarp('cc', 'main.o', *inputs, '-o', f'main{number}')
        assert box.run(f'./main{number}').stdout == '47\n', inputs
    box.hostwarp('cc', '-dlink', 'main.o', 'libdev.a', '-o', 'dlink.o')
    lib = box.path / 'lib'
    lib.symlink_to(box.hostwarp_root() / 'lib')
    box.run('g++', 'main.o', 'dlink.o', 'libdev.a', f'-L{lib}', '-lcudart', '-o', 'other', f'-Wl,-rpath,{lib}')
    assert box.run('./other').stdout == '47\n'


LINKER = r'''
#include <cstdio>
#include <cuda.h>
#include <nvJitLink.h>
static void go(const void *image) {
    CUmodule m;
    CUfunction f;
    CUdeviceptr d;
    int h = 0;
    if (cuModuleLoadData(&m, image) || cuModuleGetFunction(&f, m, "_Z1kPi") || cuMemAlloc(&d, 4))
        return (void)puts("no");
    void *args[] = {&d};
    cuLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, 0, args, 0);
    cuMemcpyDtoH(&h, d, 4);
    printf("%d\n", h);
}
int main() {
    CUcontext c;
    CUlinkState s;
    void *image;
    size_t n;
    cuInit(0);
    cuDevicePrimaryCtxRetain(&c, 0);
    cuCtxSetCurrent(c);
    cuLinkCreate(0, 0, 0, &s);
    printf("%d %d ", cuLinkAddFile(s, CU_JIT_INPUT_LIBRARY, "libdev.a", 0, 0, 0), cuLinkAddFile(s, CU_JIT_INPUT_OBJECT, "main.o", 0, 0, 0));
    if (cuLinkComplete(s, &image, &n) == 0)
        go(image);
    const char *options[] = {"-arch=sm_80"};
    nvJitLinkHandle l;
    nvJitLinkCreate(&l, 1, options);
    printf("%d %d ", nvJitLinkAddFile(l, NVJITLINK_INPUT_OBJECT, "main.o"), nvJitLinkAddFile(l, NVJITLINK_INPUT_ANY, "libdev.a"));
    static char linked[1 << 16];
    if (nvJitLinkComplete(l) == 0 && nvJitLinkGetLinkedCubinSize(l, &n) == 0 && n < sizeof linked && nvJitLinkGetLinkedCubin(l, linked) == 0)
        go(linked);
    nvJitLinkCreate(&l, 1, options);
    printf("%d %d ", nvJitLinkAddFile(l, NVJITLINK_INPUT_OBJECT, "host.o"), nvJitLinkAddFile(l, NVJITLINK_INPUT_LIBRARY, "main.o"));
    nvJitLinkAddFile(l, NVJITLINK_INPUT_OBJECT, "main.o");
    printf("%d\n", nvJitLinkComplete(l));
}
'''


def test_linkers_take_objects_and_archives(box):
    make_library(box)
    box.write('newer.cu', '__device__ int newer(int x) { return x; }\n')        # PTX for another device in an archive is no harm
    box.hostwarp('cc', '-arch=sm_90', '-dc', 'newer.cu')
    box.run('ar', 'rs', 'libdev.a', 'newer.o')
    box.write('host.c', 'int x;\n')
    box.run('gcc', '-c', 'host.c')
    box.write('linker.cpp', LINKER)
    box.hostwarp('cc', 'linker.cpp', '-o', 'linker', '-lnvJitLink')
    assert box.run('./linker').stdout == '0 0 47\n0 0 47\n0 12 6\n'


# Programs that nvcc 13 compiles, most with warnings, and clang refuses.
ACCEPTED = {
    'register': '__global__ void k(int *p) { register int a = p[0]; p[1] = a; }\n',
    'narrowing': '__global__ void k(int *p, double d) { float x[2] = {d, 1.0}; unsigned char c[] = {p[0], 300}; p[0] = x[0] + c[0]; }\n'
                 'void f(int n) { dim3 g{n, 1, 1}; float v[2] = {n, 2.0}; }\n',
    'time': 'long f() { return time(0) + clock(); }\n',
    'omp_header': '#include <omp.h>\nint f() { return 0; }\n',
    'wrong_side': '#include <cstdlib>\nstatic int table[2] = {1, 2};\nint host(int x) { return x + table[0]; }\n'
                  'template <class T> __host__ __device__ int f(T x) { if (x < 0) exit(3); return host(x); }\n'
                  '__global__ void k(int *p) { if (*p > 1) *p = f(*p); }\nint g() { return f(2); }\n',
}


def test_cc_takes_what_nvcc_takes(box):
    for name, text in ACCEPTED.items():
        box.write(f'{name}.cu', text + GOOD + MAIN)
        box.hostwarp('cc', f'{name}.cu', '-o', name)
        box.run(f'./{name}')
    box.write('old.c', 'main() { return abs(f(1)) - 1; }\nint f(int x) { return strlen("a") * x; }\n')
    box.hostwarp('cc', 'old.c', '-o', 'old')
    box.run('./old')


def test_cc_takes_launches_with_blanks_in_their_signs(box):
    box.write('a.cu', '''#include <cstdio>
template <class A, class B> struct P {};
__global__ void k(P<int, P<int, P<int, int> > > q) { printf("k\\n"); }
template <int N> __global__ void t(int *p) { printf("t %d\\n", N); }
int main() {
    P<int, P<int, P<int, int>> > q;
    int n = 4;
    k << < 1, 2 >> > (q);
    t<3> << <1, (n > 2) >> >(0);
    k<<<1, 1 >> >(q);
    return cudaDeviceSynchronize();
}
''')
    box.hostwarp('cc', 'a.cu', '-o', 'a')
    assert sorted(box.run('./a').stdout.split('\n')) == ['', 'k', 'k', 'k', 't 3']


def test_cc_finds_launches_behind_branches_that_open_braces(box):
    box.write('a.cu', '''#include <cstdio>
#define BEGIN {
__global__ void child(int n) { printf("child %d\\n", n); }
__global__ void k(int n) {
#ifdef MORE
  if (n > 5) {
#else
  if (n > 0) {
#endif
    child<<<1, 1>>>(n);
  }
}
void host(int n) {
#if defined MORE
  if (n > 1) {
#elif 0
  while (1) {
#else
  if (n > 0) {
#endif
    k<<<1, 1>>>(n);
  }
}
int main() { host(2); return cudaDeviceSynchronize(); }
''')
    box.hostwarp('cc', '-rdc=true', 'a.cu', '-o', 'a')
    assert box.run('./a').stdout == 'child 2\n'
    box.hostwarp('cc', '-rdc=true', '-DMORE', 'a.cu', '-o', 'a')
    assert box.run('./a').stdout == ''


OPENMP = r'''
#include <cstdio>
#include <omp.h>
#ifndef _OPENMP
#error no OpenMP
#endif
#include "said.h"
__global__ void k(int *p) { *p = GIVEN + SAID; }
int main() {
    int sum = 0, h = 0, *p;
    volatile int here[2] = {0, 0};
    omp_set_num_threads(2);
#pragma omp parallel reduction(+ : sum)
    {
        here[omp_get_thread_num()] = 1;
        while (!here[1 - omp_get_thread_num()])          // ends only where both run at a time
            continue;
        sum += omp_get_num_threads();
    }
    cudaMalloc(&p, 4);
    k<<<1, 1>>>(p);
    cudaMemcpy(&h, p, 4, cudaMemcpyDeviceToHost);
    std::printf("%d %d\n", sum, h);
}
'''


def test_cc_openmp_and_what_is_inside_xcompiler_reach_both_passes(box):
    box.write('a.cu', OPENMP)
    box.write('in c/said.h', '#define SAID 5\n')
    box.hostwarp('cc', '-Xcompiler', '-fopenmp,-DGIVEN=7,"-isystem","in c"', 'a.cu', '-o', 'a')
    assert box.run('./a').stdout == '4 12\n'
    box.hostwarp('cc', '-Xcompiler=-fopenmp', '-Xcompiler', '-I', '-Xcompiler', '"in c"', '-Xcompiler', '-DGIVEN=8', '-c', 'a.cu', '-o', 'a.o')
    box.hostwarp('cc', 'a.o', '-lgomp', '-o', 'a')
    assert box.run('./a').stdout == '4 13\n'


def test_cc_outputs_of_nvcc(box):
    box.write('a.cu', GOOD + 'int main(int n, char **v) { good<<<1, 1>>>(0); return n == 3 ? v[2][0] : 1; }\n')
    box.hostwarp('cc', '-run', '-run-args', 'x,Q', 'a.cu', '-o', 'a', status=ord('Q'))
    box.hostwarp('cc', '-run', '-run-args', 'x,R', 'a', status=ord('R'))                # a program that is there is run
    box.hostwarp('cc', '--run', '"./a"', '-run-args', 'x,S', status=ord('S'))           # as Meson asks
    (box.path / 'there').mkdir()
    box.hostwarp('cc', '-c', '-odir', 'there', 'a.cu')
    box.hostwarp('cc', '-cubin', '--output-directory=there', 'a.cu')
    assert sorted(p.name for p in (box.path / 'there').iterdir()) == ['a.cubin', 'a.o']
    box.hostwarp('cc', '-cuda', 'a.cu')
    lib = box.path / 'lib'
    lib.symlink_to(box.hostwarp_root() / 'lib')
    box.run('g++', '-c', 'a.cu.cpp.ii', '-o', 'a.o')
    box.run('g++', 'a.o', f'-L{lib}', '-lcudart', '-o', 'b', f'-Wl,-rpath,{lib}')
    box.run('./b', 'x', 'A', status=65)
    has(box.hostwarp('cc', '--list-gpu-arch').stdout, 'compute_80\n')
    box.hostwarp('cc', '--objdir-as-tempdir', '-t', '4', '--split-compile=2', '-Xfatbin', '-compress-all', '--Wreorder', '-ftemplate-depth', '99',
                 '-dopt', 'on', '--brief-diagnostics=true', '-Xptxas', '-v', '-Xcompiler', '-fno-gnu-unique,-fno-ipa-icf,-funroll-loops', '--generate-code=arch=compute_80,code=[sm_80,compute_80]', '-c', 'a.cu')


def test_cc_missing_libraries_of_nvidia_are_named(box):
    box.write('a.cu', '#include <cutensor.h>\n' + MAIN)
    has(box.hostwarp('cc', 'a.cu', status=1).stderr, 'cutensor.h', 'cuTENSOR is a library of NVIDIA')
    box.write('b.cu', MAIN)
    has(box.hostwarp('cc', 'b.cu', '-lnvgraph', status=1).stderr, 'nvGRAPH is a library of NVIDIA')


def public_headers(top):
    """Those that programs include by name and that say more than where something is."""
    folders = '', 'cuda', 'cuda/std', 'cooperative_groups', 'nvtx3'
    return [f for d in folders for f in sorted((top / d).iterdir()) if f.is_file() and '#ifndef' in f.read_text() and f.read_text().count('\n') > 12]


def test_headers_take_macros_with_short_names(box):
    """Every header, and what is put into a source with launches in device code, after a program that has used up the short words."""
    top = pathlib.Path(__file__).resolve().parent.parent.parent / 'include'
    headers = public_headers(top)
    assert len(headers) > 60, headers
    for h in headers:
        text = h.read_text()
        assert 'words_push.h' in text and 'words_pop.h' in text, f'{h} does not put macros away'
    away, back = [re.findall(f'#pragma {how}_macro\\("(\\w+)"\\)', (top / f'hostwarp/words_{how}.h').read_text()) for how in ('push', 'pop')]
    assert away == back and len(set(away)) == len(away) > 200
    words = list(string.ascii_letters) + 'check error SIZE PI WIDTH BLOCK MAX MIN value size count index mask first last data result P0 a0 a1 T1'.split()
    box.write('hostile.h', ''.join(f'#define {w} @ hostile {w} @\n' for w in words) + '#define min(x, y) @\n#define max(x, y) @\n')
    names = [str(h.relative_to(top)) for h in headers]
    not_here = {'hostwarp.h', 'nvrtc.h', 'nvJitLink.h'}
    box.write('a.cu', '#include "hostile.h"\n' + ''.join(f'#include <{n}>\n' for n in names if n not in not_here) + '''
__global__ void child(int *ones) { *ones = 1; }
__global__ void parent(int *ones) { child<<<1, 1>>>(ones); }
#ifndef A
#error A macro of the program is gone
#endif
int main() { return 0; }
''')
    box.hostwarp('cc', '-std=c++17', '-rdc=true', '-c', 'a.cu', '-o', 'a.o')
    box.write('b.cpp', '#include "hostile.h"\n#include <cuda_runtime.h>\n#include <cuda.h>\n#include <nvrtc.h>\n#include <nvJitLink.h>\nint main() { return 0; }\n')
    box.hostwarp('cc', '-c', 'b.cpp', '-o', 'b.o')


def test_cc_refuses_votes_without_sync_as_ptxas_does(box):
    """PTX 6.4 has them for sm_6x only; __shfl is no name any more."""
    box.write('a.cu', '__global__ void k(int *p) { p[0] = __any(p[1]); }\n')
    said = box.hostwarp('cc', '-arch=sm_90', '-c', 'a.cu', '-o', 'a.o', status=1).stderr
    assert "without '.sync'" in said, said
    box.hostwarp('cc', '-arch=sm_60', '-c', 'a.cu', '-o', 'a.o')
    box.write('b.cu', '__global__ void k(int *p) { p[0] = __shfl(p[1], 3); }\n')
    said = box.hostwarp('cc', '-arch=sm_90', '-c', 'b.cu', '-o', 'b.o', status=1).stderr
    assert "'__shfl'" in said and 'PLEASE submit' not in said, said
    box.write('c.cu', '#define __shfl(value, lane) __shfl_sync(0xffffffffu, value, lane)\n__global__ void k(int *p) { p[0] = __shfl(p[1], 3); }\n')
    box.hostwarp('cc', '-arch=sm_90', '-c', 'c.cu', '-o', 'c.o')


def test_cc_host_code_has_the_names_of_math_h(box):
    box.write('a.cu', '''#include <cstdio>
int main() {
    float x = -1;
    double d = 1;
    printf("%d %d %d %d %g %g\\n", isnan(x), signbit(d), isinf(x), isfinite(d), pow(x, 2), sqrt(x * x));
}
''')
    box.hostwarp('cc', 'a.cu', '-o', 'a')
    assert box.run('./a').stdout == '0 0 0 1 1 1\n'


def test_cc_static_kernels_are_found_in_files_with_launches(box):
    box.write('a.cu', '''#include <cstdio>
static __global__ void child(int *p) { *p += 5; }
namespace { template <int N> __global__ void parent(int *p) { child<<<1, N>>>(p); } }
int main() {
    int *p;
    cudaMallocManaged(&p, 4);
    *p = 0;
    parent<1><<<1, 1>>>(p);
    cudaDeviceSynchronize();
    child<<<1, 1>>>(p);
    printf("%d %d\\n", cudaDeviceSynchronize(), *p);
}
''')
    box.hostwarp('cc', '-rdc=true', 'a.cu', '-o', 'a')
    assert box.run('./a').stdout == '0 10\n'


def test_cc_shared_variables_with_constructors_are_not_constructed(box):
    """nvcc's warning 20054, clang's error."""
    box.write('a.cu', '''#include <cstdio>
struct number { int x; __device__ number() : x(5) {} __device__ ~number() { x = 0; } };
template <class T> struct pair { T r, i; __host__ __device__ pair(T a = 0, T b = 0) : r(a), i(b) {} };
template <class T, int N> __global__ void sum(const T *in, T *out) {
    __shared__ pair<T> f[N][2],
        one;
    __shared__ alignas(16) number a[N]; __shared__ number last;
    int t = threadIdx.x;
    f[t][0] = pair<T>(in[t], 1);
    f[t][1].r = 2, a[t].x = t;
    if (t == 0)
        one = pair<T>(100), last.x = 1000;
    __syncthreads();
    if (t == 0) {
        T s = one.r + last.x + ((size_t)a % 16);
        for (int k = 0; k < N; k++)
            s += f[k][0].r * f[k][1].r + a[k].x;
        *out = s;
    }
}
static __device__ int *first() { __shared__ number a[2]; return &a[0].x; }
template <int N> static __device__ int *other() { static __shared__ number a[2]; return &a[0].x; }
__global__ void places(int *out) {
    *first() = 1, *other<1>() = 2, *other<2>() = 3;
    *out = *first() * 100 + *other<1>() * 10 + *other<2>();
}
int main() {
    float *p;
    int *q;
    cudaMallocManaged(&p, 4 * 65), cudaMallocManaged(&q, 4);
    for (int k = 0; k < 64; k++)
        p[k] = k;
    sum<float, 64><<<1, 64>>>(p, p + 64);
    places<<<1, 1>>>(q);
    int rc = cudaDeviceSynchronize();
    printf("%d %g %d %d\\n", rc, p[64], *q, __LINE__);
}
''')
    for stage in ['-c'], ['-ptx'], []:
        said = box.hostwarp('cc', *stage, 'a.cu', '-o', 'a').stderr
        has(said, 'a.cu:5: warning', 'a.cu:6: warning', 'a.cu:7: warning', 'a.cu:21: warning', 'a.cu:22: warning')
        assert 'error' not in said, said
    assert box.run('./a').stdout == '0 7148 123 36\n'
    box.write('in/room.cuh', 'struct cell { int x; __device__ cell() : x(5) {} };\ntemplate <int N> __global__ void fill(int *p) {\n    __shared__ cell c[N];\n    c[threadIdx.x].x = 7;\n    p[threadIdx.x] = c[threadIdx.x].x;\n}\n')
    box.write('c.cu', '#include <cstdio>\n#include "in/room.cuh"\n__global__ void one(int *p) { __shared__ cell c; c.x = 1; *p = c.x; }\nint main() { int *p; cudaMallocManaged(&p, 64); fill<8><<<1, 8>>>(p); one<<<1, 1>>>(p + 9); printf("%d %d %d\\n", cudaDeviceSynchronize(), p[7], p[9]); }\n')
    has(box.hostwarp('cc', 'c.cu', '-o', 'c').stderr, 'room.cuh:3: warning', 'c.cu:3: warning')
    assert box.run('./c').stdout == '0 7 1\n'
    box.write('b.cu', 'struct number { int x; __device__ number() : x(5) {} };\n__global__ void k(int *p) { __shared__ number n; *p = n.x + missing; }\n')
    has(box.hostwarp('cc', '-c', 'b.cu', '-o', 'b.o', status=1).stderr, 'b.cu:2:', "'missing'", 'initialization is not supported')


def test_cc_host_integers_wrap_around(box):
    """Undefined in C++; nvcc's host compiler, gcc, lets such a loop be, clang would compare with a wider product."""
    box.write('a.cu', '''#include <cstdio>
int main() {
    const int n = 1000000;
    int *a = new int[n], bad = 0;
    for (int i = 0; i < n; i++)
        a[i] = (int)((unsigned)i * (unsigned)i);
    for (int i = 0; i < n; i++) {
        if (a[i] != i * i) {
            bad = i;
            break;
        }
    }
    printf("%d\\n", bad);
}
''')
    box.hostwarp('cc', '-O2', 'a.cu', '-o', 'a')
    assert box.run('./a').stdout == '0\n'


def test_cc_openmp_loops_with_dynamic_schedules_link(box):
    """clang 19 calls a function that an older libomp does not have."""
    loop = 'int sum(int n) {\n    int s = 0;\n    #pragma omp parallel for schedule(dynamic) reduction(+ : s)\n    for (int i = 0; i < n; i++)\n        s += i;\n    return s;\n}\n'
    box.write('b.cpp', loop)
    box.write('a.cu', loop.replace('sum', 'twice') + '#include <cstdio>\nint sum(int);\nint main() { printf("%d\\n", sum(1000) + twice(10)); }\n')
    box.hostwarp('cc', '-Xcompiler', '-fopenmp', 'a.cu', 'b.cpp', '-o', 'a')
    assert box.run('./a').stdout == '499545\n'
