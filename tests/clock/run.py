#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the clock of a computed GPU (HOSTWARP_GPU). usage: run.py BUILD [PATTERN]      Each function test_* is one rule; the result is TAP."""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import traceback

HERE = pathlib.Path(__file__).resolve().parent
TREE = HERE.parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
import kernels                                   # noqa: E402: beside this file
BUILD = pathlib.Path(sys.argv[1]).resolve()
HOSTWARP = BUILD / 'bin/hostwarp'
WORK = tempfile.TemporaryDirectory(prefix='hostwarp-clock-test-')
FOLDER = pathlib.Path(WORK.name)
ENV = {k: v for k, v in os.environ.items() if not k.startswith('HOSTWARP_')}
ENV['HOSTWARP_CACHE'] = os.environ.get('HOSTWARP_CACHE', str(FOLDER / 'cache'))


def build(source, *options):
    out = FOLDER / pathlib.Path(source).stem
    if not out.exists():
        subprocess.run([HOSTWARP, 'cc', '-O2', *options, '-o', out, source], check=True, env=ENV)
    return out


def run(*args, status=0, **env):
    p = subprocess.run([str(a) for a in args], env={**ENV, **env}, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                       cwd=FOLDER)
    assert p.returncode == status, f'{args}: status {p.returncode}, not {status}\n{p.stdout}'
    return p.stdout


def number(text, what):
    return float(re.search(what + r'\D*?([\d.]+) us', text).group(1))


def near(value, wanted, part):
    assert abs(value / wanted - 1) <= part, f'{value} is not within {100 * part:.0f} % of {wanted}'


def test_twenty_runs_tell_the_same_times(_):
    exe = build(HERE / 'lanes.cu')
    first = run(exe, HOSTWARP_GPU='h200')
    for k in range(19):
        again = run(exe, HOSTWARP_GPU='h200', HOSTWARP_THREADS=str((1, 2, 16)[k % 3]))
        assert again == first, f'run {k}, threads {(1, 2, 16)[k % 3]}:\n{first}\n{again}'


def test_page_locked_copies_are_faster_and_streams_overlap(_):
    text = run(build(HERE / 'lanes.cu'), HOSTWARP_GPU='h200')
    assert number(text, 'pageable') > 3 * number(text, 'pinned'), text
    assert number(text, '1 streams') > 1.3 * number(text, '4 streams'), text
    near(number(text, 'delay'), 100000 / 1.98e3, 0.3)


def test_a_kernels_clock_goes_on_by_what_lies_between_two_looks(_):
    exe = build(HERE / 'looks.cu')
    text = run(exe, HOSTWARP_GPU='h200')
    for n, fma, eight, shared, far in re.findall(r'n=(\d+) .*fma=(-?\d+) eight=(-?\d+) shared=(-?\d+) global=(-?\d+)', text):
        n = int(n)
        near(float(fma), 4 * n, 0.2)             # the H200's latencies, as its profile has them
        near(float(eight), 32, 0.4)
        near(float(shared), 33 * n, 0.3)
        assert 400 * n < float(far) < 1200 * n, text
    met = [float(v) for v in re.search('meets (.*)', text).group(1).split()]
    assert min(met) > 4000 and max(met) < 6000, text                             # who waits at the barrier has waited
    for took, since in re.findall(r'took=(-?\d+) since=(-?\d+)', text):
        near(float(took), 4000 / 1.98, 0.3)
        assert float(since) >= 0, text                                           # later launches have later times
    for threads in '1', '2', '16':
        assert run(exe, HOSTWARP_GPU='h200', HOSTWARP_THREADS=threads) == text


def test_managed_memory_moves_once_and_again_when_the_host_wrote(_):
    text = run(build(HERE / 'managed.cu'), HOSTWARP_GPU='h200')
    near(number(text, 'first'), 10799, 0.15)     # tests/oracle/h200/lessons.txt
    near(number(text, 'second'), 34.3, 0.5)
    near(number(text, 'written'), number(text, 'first'), 0.01)
    near(number(text, 'prefetch'), 1218, 0.1)    # at the rate of page-locked copies
    near(number(text, 'fetched'), number(text, 'second'), 0.2)
    near(number(text, 'back'), 1216, 0.1)
    near(number(text, 'again'), number(text, 'first'), 0.01)


def test_counted_code_goes_with_its_module(_):
    source = FOLDER / 'modules.cu'
    source.write_text('''#include <cstdio>
#include <cstring>
#include <cuda.h>
static const char *ptx = ".version 7.0\\n.target sm_70\\n.address_size 64\\n.visible .entry k(.param .u64 p) { .reg .b64 %%d<2>; .reg .b32 %%r<2>;"
    "ld.param.u64 %%d1, [p]; mov.u32 %%r1, %d; st.global.u32 [%%d1], %%r1; ret; }";
static int code() { FILE *f = fopen("/proc/self/maps", "r"); char line[512]; long n = 0, a, z; while (fgets(line, sizeof line, f)) if (strstr(line, "r-xp 00000000 00:00 0") && sscanf(line, "%lx-%lx", &a, &z) == 2) n += z - a; fclose(f); return (int)(n >> 12); }
int main() {
    CUdevice d; CUcontext c; CUdeviceptr p; int early = 0;
    cuInit(0); cuDeviceGet(&d, 0); cuCtxCreate(&c, 0, d); cuMemAlloc(&p, 64);
    for (int k = 0; k < 12; k++) {
        CUmodule m; CUfunction f; void *args[] = { &p }; char text[512];
        snprintf(text, sizeof text, ptx, k);
        if (cuModuleLoadData(&m, text) || cuModuleGetFunction(&f, m, "k") || cuLaunchKernel(f, 1, 1, 1, 32, 1, 1, 0, 0, args, 0) || cuCtxSynchronize() || cuModuleUnload(m)) return 1;
        if (k == 3) early = code();
    }
    printf("%d pages of code more\\n", code() - early);
}
''')
    text = run(build(source), HOSTWARP_GPU='h200')
    assert int(text.split()[0]) <= 0, text


def counts(program, kernel, *args, **env):
    """{number: value} of the first launch of a kernel."""
    out = FOLDER / 'counts.clock'
    run(program, *args, HOSTWARP_GPU='h200', HOSTWARP_CLOCK_OUT=str(out), **env)
    names = re.findall(r'^ +double (.*?);', (TREE / 'src/gpu/kernel.h').read_text().split('struct gpu_counts {')[1].split('};')[0], re.M)
    sizes = {'DETAILS_WORK_COUNT': 8, 'DETAILS_PATH_COUNT': 9, 'GPU_REUSE': 32}
    flat = [f'{n.split("[")[0]}{k}' if '[' in n else n for line in names for n in line.split(', ') for k in range(sizes[n.split('[')[1][:-1]] if '[' in n else 1)]
    for line in out.read_text().splitlines():
        f = line.split()
        if f[0] == 'counts' and kernels.plain(f[1]) == kernel:
            assert len(f) == 4 + len(flat), line
            return dict(zip(flat, map(float, f[4:])))
    raise AssertionError(f'{kernel} was not counted')


def test_what_rounds_of_an_unrolled_loop_share_is_counted(_):
    source = FOLDER / 'rounds.cu'
    source.write_text("""__global__ void rounds(float *x, int n) { float v = x[threadIdx.x]; for (int k = 0; k < n; k++) v = v * 0.5f + 1.0f; x[threadIdx.x] = v; }
int main() { float *x; cudaMalloc(&x, 128); rounds<<<1, 32>>>(x, 4096); return cudaDeviceSynchronize(); }
""")
    c = counts(build(source), 'rounds')
    assert 4096 <= c['work0'] < 4200, c          # a product with a sum in each round
    assert 0.05 * 4096 < c['work1'] + c['work6'] < 1.1 * 4096, c                  # a counter, a comparison and a jump for several


def test_a_kernel_that_passes_gave_more_registers_is_counted(_):
    exe = FOLDER / 'daily'
    run(HOSTWARP, 'cc', '-O3', '-o', exe, HERE / 'probe/daily.cu')
    c = counts(exe, 'layer_norm', 'layer_norm', PROBE_ONCE='1', LD_PRELOAD='libc_malloc_debug.so.0', MALLOC_CHECK_='3')
    assert c['work5'] > 10, c


def test_devices_say_they_are_that_card(_):
    source = FOLDER / 'props.cu'
    source.write_text('''#include <cstdio>
__global__ void k(float *x) { __shared__ float s[8192]; s[threadIdx.x] = *x; *x = s[0]; }
int main() { cudaDeviceProp p; cudaGetDeviceProperties(&p, 0); int n; cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 64, 0);
printf("%s %d.%d %d %d %d %d\\n", p.name, p.major, p.minor, p.multiProcessorCount, p.maxThreadsPerMultiProcessor, p.l2CacheSize >> 10, n); }
''')
    exe = build(source)
    for gpu, said in {'h200': 'NVIDIA H200 9.0 132 2048 61440 6', 'k40c': 'Tesla K40c 3.5 15 2048 1536 1', 't4': 'Tesla T4 7.5 40 1024 4096 2'}.items():
        assert run(exe, HOSTWARP_GPU=gpu).strip() == said, run(exe, HOSTWARP_GPU=gpu)


def test_a_wrong_profile_is_an_error_with_its_line(_):
    good = (TREE / 'share/gpus/h200').read_text()
    exe = build(HERE / 'lanes.cu')
    broken = {
        'unknown': ('multiprocessors  ', 'multiprocessorz  ', r'card:\d+: unknown name .multiprocessorz.'),
        'number': ('multiprocessors        132', 'multiprocessors        many', r"card:\d+: multiprocessors: 'many' is not a number"),
        'range': ('multiprocessors        132', 'multiprocessors        0', r'card:\d+: multiprocessors: 0 is not between'),
        'source': ('| published', '| guessed', r'card:\d+: .*measured, published or assumed'),
        'bar': ('132          |', '132           ', r'card:\d+: no \|'),
        'missing': ('kernel-gap', '# ', r'card:\d+: kernel-gap is missing'),
        'twice': ('kernel-gap', 'issue 4 | assumed\nkernel-gap', r'card:\d+: issue stands here twice'),
        'curve': ('4K:7.77us', '4K:7.77', r'card:\d+: copy-pinned-in: .4K:7.77. is not a size and a time'),
        'order': ('4K:7.77us', '4M:7.77us', r'card:\d+: copy-pinned-in: sizes must grow'),
    }
    for what, (old, new, said) in broken.items():
        assert old in good, (what, old)
        (FOLDER / 'card').write_text(good.replace(old, new, 1))
        text = run(exe, status=1, HOSTWARP_GPU=str(FOLDER / 'card'))
        assert re.search(said, text), (what, text)
    (FOLDER / 'card').write_text(good)
    run(exe, HOSTWARP_GPU=str(FOLDER / 'card'))
    assert 'there is no profile of a GPU `no-such-card`' in run(exe, status=1, HOSTWARP_GPU='no-such-card')


def test_all_profiles_are_read(_):
    text = run(HOSTWARP, 'info', '--gpus')
    for name in 'a100', 'h100', 'h200', 'k40c', 'rtx4090', 't4':
        assert re.search(rf'^{name} ', text, re.M), text


def test_the_machine_is_an_h200_and_its_profile_is_read_back(_):
    exe, card = build(TREE / 'bench/machine.cu'), FOLDER / 'mycard'
    pattern = re.compile(r'^  (.+?)\s{2,}([\d.]+) \S+$', re.M)
    measured = dict(pattern.findall((HERE / 'h200/machine.txt').read_text()))
    rows = dict(pattern.findall(run(exe, '--quick', '--profile', card, HOSTWARP_GPU='h200')))
    for name, value in measured.items():
        if not name.startswith('malloc'):        # the host's own work takes what it takes here
            assert abs(float(rows[name]) / float(value) - 1) <= 0.15, f'{name}: {rows[name]}, measured {value}'
    for line in card.read_text().splitlines():   # every number says where it is from
        assert line.startswith('#') or not line or re.search(r'\| (measured|published|assumed)', line), line
    lanes = build(HERE / 'lanes.cu')
    ours, theirs = run(lanes, HOSTWARP_GPU=str(card)), run(lanes, HOSTWARP_GPU='h200')
    for name in 'pageable', 'pinned', '1 streams', '4 streams':
        near(number(ours, name), number(theirs, name), 0.25)


def test_copies_zero_copy_and_overlap_take_what_they_took(_):
    rows = re.compile(r'^((?:copy|zerocopy|overlap|register|hostalloc|launch)\.\S+|kernel_read_device) = (.*)', re.M)
    measured = dict(rows.findall((TREE / 'tests/oracle/h200/timing.txt').read_text()))
    told = rows.findall(run(build(TREE / 'tests/oracle/probes/timing.cu', '-DQUICK'), HOSTWARP_GPU='h200'))
    assert len(told) > 30, told
    small = re.compile('register.1MiB|hostalloc.1MiB')           # some microseconds, and first touches of another kind
    for name, text in told:
        for ours, theirs in zip(re.findall(r'[\d.]+', text), re.findall(r'[\d.]+', measured[name])):
            part = 0.3 if '.4KiB' in name or 'launch.' in name else 0.15          # microseconds, in which what the host does itself counts
            assert small.match(name) or abs(float(ours) / float(theirs) - 1) <= part, f'{name}: {text}, measured {measured[name]}'


def test_memory_that_nobody_touched_costs_more(_):
    source = FOLDER / 'untouched.cu'
    source.write_text('''#include <cstdio>
#include <cstdlib>
#include <chrono>
static double now() { return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count(); }
int main() {
    size_t n = 16 << 20; char *d, *h = (char *)aligned_alloc(4096, n), *o = (char *)aligned_alloc(4096, n); cudaMalloc((void **)&d, n);
    for (int k = 0; k < 2; k++) { double t = now(); cudaMemcpy(d, h, n, cudaMemcpyHostToDevice); printf("in%d %.1f us\\n", k, now() - t); if (k == 0) for (size_t i = 0; i < n; i += 4096) h[i] = 1; }
    for (int k = 0; k < 2; k++) { double t = now(); cudaMemcpy(o, d, n, cudaMemcpyDeviceToHost); printf("out%d %.1f us\\n", k, now() - t); }
}
''')
    text = run(build(source), HOSTWARP_GPU='h200')
    near(number(text, 'in0 '), 3950, 0.2)        # what an H200's host took, in the middle of six processes
    near(number(text, 'out0 '), 9250, 0.2)
    assert number(text, 'in1 ') < 1500 and number(text, 'out1 ') < 1500, text


def seed(name):
    """None: the seeds are not beside this tree."""
    for folder in TREE.parent, TREE.parent.parent:
        if (folder / 'shared/seeds/programs' / name).exists():
            return build(folder / 'shared/seeds/programs' / name, f'-I{folder}/shared/seeds/common')
    print('# the seeds are not here')
    return None


def test_seed_4_takes_what_its_tutorial_shows(_):
    program = seed('seed4_mem_transfer.cu')
    if not program:
        return
    text = run(HOSTWARP, 'prof', program, HOSTWARP_GPU='k40c')
    unit = {'ms': 1, 'us': 1e-3, 's': 1e3}
    for name, ms in {r'\[CUDA memcpy HtoD\]': 5.7688, r'\[CUDA memcpy DtoH\]': 5.2886, 'cudaMalloc': 291.24, 'cudaDeviceReset': 151.39, 'cudaMemcpy': 12.009, 'cudaGetDeviceProperties': 0.50696,
                     'cudaFree': 0.28143, 'cudaSetDevice': 0.018748}.items():
        value, u = re.search(rf'^\s*[\d.]+%\s+([\d.]+)(ms|us|s)\s.*\s{name}(?: |$)', text, re.M).groups()
        assert 1 / 1.5 <= float(value) * unit[u] / ms <= 1.5, f'{name}: {value} {u}, in the tutorial {ms} ms'


def test_seed_3_takes_what_it_took(_):
    program = seed('seed3_pinned_vs_pageable.cu')
    if not program:
        return
    seconds = [float(v) for v in re.findall(r': ([\d.e-]+) s', run(program, HOSTWARP_GPU='h200'))]
    near(seconds[0], 0.00327, 0.2)
    near(seconds[1], 0.0180, 0.2)


def test_the_clock_costs_little_after_the_first_launch(_):
    source = FOLDER / 'cost.cu'
    source.write_text('''#include <cstdio>
#include <sys/resource.h>
__global__ void work(float *x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; float v = x[i]; for (int k = 0; k < n; k++) v = v * 0.5f + 1.0f; x[i] = v; }
static double cpu() { rusage r; getrusage(RUSAGE_SELF, &r); return r.ru_utime.tv_sec + r.ru_stime.tv_sec + 1e-6 * (r.ru_utime.tv_usec + r.ru_stime.tv_usec); }
int main() {
    float *x; cudaMalloc((void **)&x, 1 << 20);
    for (int k = 0; k < 50; k++) { work<<<1024, 256>>>(x, 200); cudaDeviceSynchronize(); }
    double best = 1e9;
    for (int r = 0; r < 9; r++) {
        double a = cpu();
        for (int k = 0; k < 200; k++) { work<<<1024, 256>>>(x, 200); cudaDeviceSynchronize(); }
        best = cpu() - a < best ? cpu() - a : best;
    }
    printf("%.6f\\n", best);
}
''')
    exe = build(source)                          # getrusage is the machine's: clocks of the program are the GPU's
    runs = [(float(run(exe, HOSTWARP_THREADS='1')), float(run(exe, HOSTWARP_THREADS='1', HOSTWARP_GPU='h200'))) for _ in range(3)]
    plain, clock = min(p for p, _ in runs), min(c for _, c in runs)
    print(f'# CPU time of 200 launches: {plain:.4f} s, with the clock {clock:.4f} s')
    assert plain > 0.01 and clock <= 1.1 * plain, runs


def test_kernels_take_what_they_took(_):
    rows = kernels.compare(BUILD, ['bfs', 'blackscholes', 'compact', 'fft', 'histogram', 'kmeans', 'montecarlo', 'pathfinder', 'softmax', 'sort', 'spmv'], FOLDER)
    median, within = kernels.summary(rows)
    assert median <= 0.25 and within >= 0.9, (median, within, rows)


def test_prof_shows_gpus_side_by_side(_):
    text = run(HOSTWARP, 'prof', '--gpu', 'h200,k40c', build(HERE / 'lanes.cu'))
    for part in 'Predicted:', 'h200', 'k40c', 'work(float*, int, int)', 'pinned-in', 'limited by', 'saves':
        assert part in text, f'no {part!r} in:\n{text}'


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else ''
    tests = [(name, fn) for name, fn in globals().items() if name.startswith('test_') and pattern in name]
    failed = 0
    print(f'1..{len(tests)}')
    for i, (name, fn) in enumerate(tests, 1):
        try:
            fn(None)
            print(f'ok {i} {name}', flush=True)
        except Exception:
            failed += 1
            print(f'not ok {i} {name}\n' + ''.join('# ' + l + '\n' for l in traceback.format_exc().splitlines()), flush=True)
    WORK.cleanup()
    return 1 if failed else 0


sys.exit(main())
