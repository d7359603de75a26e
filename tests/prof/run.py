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
                           stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
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


def test_nvtx_ranges_are_counted(box):
    got = calls(box.json(HERE / 'overlap.cu'), 'ranges')
    assert got == {'pipeline': 1, 'chunk': 8}, got


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


def test_the_trace_is_in_trace_event_format(box):
    box.prof('--trace', 'out.json', HERE / 'overlap.cu')
    trace = json.loads((box.path / 'out.json').read_text())
    events = trace['traceEvents']
    needed = {'X': {'name', 'cat', 'pid', 'tid', 'ts', 'dur'}, 'M': {'name', 'pid', 'args'}, 's': {'id', 'pid', 'tid', 'ts', 'cat', 'name'},
              'f': {'id', 'pid', 'tid', 'ts', 'cat', 'name', 'bp'}}
    for e in events:
        assert needed[e['ph']] <= set(e), e
        if e['ph'] == 'X':
            assert e['ts'] >= 0 and e['dur'] >= 0, e
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


CHECKS = '''
<script>
addEventListener('load', () => {
  const T = window.timeline, out = { lanes: T.lanes.map(l => [l.group, l.name, l.n]), overlap: T.overlap.both, shown: document.getElementById('overlap').textContent };
  const painted = () => {
    const c = document.getElementById('view'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
    let n = 0;
    for (let i = 0; i < d.length; i += 4) if (d[i + 2] > d[i] + 60 && d[i + 3] > 100) n++;
    return n;
  };
  const began = performance.now();
  for (let i = 0; i < 10; i++) T.draw();
  out.draw_ms = (performance.now() - began) / 10;
  out.blue = painted();
  const span = () => T.view.to - T.view.from, before = span();
  document.getElementById('view').dispatchEvent(new WheelEvent('wheel', { deltaY: -600, clientX: 700, clientY: 300, bubbles: true, cancelable: true }));
  out.wheel = span() / before;
  dispatchEvent(new KeyboardEvent('keydown', { key: '+' }));
  out.plus = span() / before;
  const from = T.view.from;
  dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight' }));
  out.moved = T.view.from - from;
  dispatchEvent(new KeyboardEvent('keydown', { key: 'Home' }));
  out.home = span() / before;
  const lane = T.lanes[0], it = lane.rows[0][1];
  T.show(it.s - 2 * (it.e - it.s), it.e + 2 * (it.e - it.s));
  const hit = T.find(T.x((it.s + it.e) / 2), lane.y + 8);
  out.hover = hit ? T.details(hit).join('; ') : '';
  const pre = document.createElement('pre');
  pre.id = 'result';
  pre.textContent = JSON.stringify(out);
  document.body.append(pre);
});
</script>
'''


def in_browser(box, page):
    browser = shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
    if not browser:
        raise Skip('no chromium')
    lacks(page, 'http://', 'https://', 'src="', '@import')
    box.write('page.html', page.replace('</body>', CHECKS + '</body>'))
    p = subprocess.run([browser, '--headless=new', '--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * ~NOTFOUND', '--window-size=1400,700',
                        '--enable-logging=stderr', f'--user-data-dir={box.path}/browser', '--virtual-time-budget=4000', '--dump-dom',
                        f'file://{box.path}/page.html#light'], text=True, capture_output=True, timeout=100)
    messages = [l for l in p.stderr.splitlines() if 'CONSOLE' in l]
    assert not messages, messages
    found = re.search(r'<pre id="result">(.*?)</pre>', p.stdout, re.S)
    assert found, p.stdout[-2000:] + p.stderr[-2000:]
    return json.loads(found.group(1).replace('&gt;', '>').replace('&lt;', '<').replace('&amp;', '&'))


def test_the_timeline_works_in_a_browser(box):
    box.prof('--timeline', 'out.html', '--trace', 'out.json', HERE / 'overlap.cu')
    got = in_browser(box, (box.path / 'out.html').read_text())
    groups = {g for g, _, _ in got['lanes']}
    assert groups == {'Streams', 'Engines', 'Host threads'}, got
    assert [n for g, _, n in got['lanes'] if g == 'Streams'] == [13, 12], got
    assert got['blue'] > 500, got
    assert got['wheel'] < 0.6 and got['plus'] < got['wheel'] and got['moved'] > 0 and abs(got['home'] - 1) < 0.01, got
    has(got['hover'], 'Pinned', '2.000 MiB')
    trace = json.loads((box.path / 'out.json').read_text())
    assert got['overlap'] == int(trace['otherData']['overlap_ns']), (got, trace['otherData'])
    has(got['shown'], '% of busy time')


def test_the_timeline_is_smooth_with_100000_bars(box):
    page = (BUILD / 'share/prof/timeline.html').read_text()
    bars = [['k' if i % 3 else 'c', f'k{i % 7}', i * 1000, 700, i % 4, 0 if i % 3 else 1, 4096, 1, 2, 500, [1, 1, 1, 32, 1, 1, 32, 50]] for i in range(100000)]
    data = {'pid': 1, 'command': 'many', 'engines': ['Compute', 'Copy in', 'Copy out', 'Host functions'], 'places': ['Pageable', 'Pinned', 'Device', 'Managed'],
            'streams': [f'Stream {i}' for i in range(4)], 'bars': bars, 'spans': [['a', 'cudaMemcpy', 0, 10, 1]], 'edges': [[i, i + 1, 0] for i in range(0, 99999, 9)]}
    got = in_browser(box, page.replace('/*PROFILE*/null', json.dumps(data).replace('<', '\\u003c')))
    assert got['draw_ms'] < 100, got                # a few on a quiet machine; 16 is smooth


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
