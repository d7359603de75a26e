#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the cache and of temporary folders with whole programs. usage: run.py BUILD [PATTERN]      Each function test_* is one rule; the result is TAP."""
import fnmatch
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

BUILD = pathlib.Path(sys.argv[1]).resolve()
HOSTWARP = BUILD / 'bin/hostwarp'
SOURCE = '''
#include <cstdio>
__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
__global__ void more(int *p) { p[threadIdx.x] += 7; }
int main() {
    int h[4] = {1, 2, 3, 4}, *d;
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    twice<<<1, 4>>>(d);
    more<<<1, 4>>>(d);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    std::printf("%d %d %d %d\\n", h[0], h[1], h[2], h[3]);
    return cudaGetLastError();
}
'''
ANSWER = '9 11 13 15\n'
NOBODY = 65534


class Skip(Exception):
    """The test needs what is not here."""


class Box:
    """A fresh folder that everybody may enter, with a compiled program; afterwards what was mounted there is not."""

    def __init__(self, path):
        self.path, self.mounts = pathlib.Path(path), []
        self.path.chmod(0o755)
        self.cache = self.path / 'cache'
        self.env = {**{k: v for k, v in os.environ.items() if not k.startswith('HOSTWARP_')}, 'HOSTWARP_CACHE': str(self.cache)}
        (self.path / 'p.cu').write_text(SOURCE)

    def run(self, *args, status=0, answer=ANSWER, user=None, limit=60, **env):
        become = {'user': user, 'group': user, 'extra_groups': []} if user else {}
        p = subprocess.run([str(a) for a in args], cwd=self.path, env={**self.env, **env}, text=True, capture_output=True, timeout=limit, **become)
        assert p.returncode == status and p.stdout == answer, (args, p.returncode, p.stdout, p.stderr)
        return p.stderr

    def compile(self):
        subprocess.run([HOSTWARP, 'cc', '-o', 'p', 'p.cu'], cwd=self.path, env=self.env, check=True, timeout=120)

    def tmpfs(self, name, options):
        folder = self.path / name
        folder.mkdir()
        if os.geteuid() or subprocess.run(['mount', '-t', 'tmpfs', '-o', options, 'none', folder], capture_output=True).returncode:
            raise Skip('mounting is not allowed here')
        self.mounts.append(folder)
        return folder

    def close(self):
        for folder in self.mounts:
            subprocess.run(['umount', '-l', folder])


def entries(box):
    return sorted((box.cache / 'kernels').iterdir())


def said_once(text, *parts):
    lines = [line for line in text.splitlines() if line.startswith('hostwarp')]
    assert len(lines) == 1 and all(part in lines[0] for part in parts), text


# A program for NVRTC, compiled twice by one process: how long each took, and what came of it.
RTC = '''
import ctypes, json, sys, time
lib = ctypes.CDLL(sys.argv[1])
def compile(source, options):
    p, n = ctypes.c_void_p(), ctypes.c_size_t()
    assert lib.nvrtcCreateProgram(ctypes.byref(p), source.encode(), b'a.cu', 0, None, None) == 0
    array = (ctypes.c_char_p * len(options))(*[o.encode() for o in options])
    start = time.monotonic()
    rc = lib.nvrtcCompileProgram(p, len(options), array)
    took = time.monotonic() - start
    log, ptx = b'', b''
    lib.nvrtcGetProgramLogSize(p, ctypes.byref(n))
    log = ctypes.create_string_buffer(n.value); lib.nvrtcGetProgramLog(p, log)
    if rc == 0:
        lib.nvrtcGetPTXSize(p, ctypes.byref(n))
        ptx = ctypes.create_string_buffer(n.value); lib.nvrtcGetPTX(p, ptx)
    return rc, took, ptx.value.decode() if rc == 0 else log.value.decode()
print(json.dumps([compile(*job) for job in json.load(sys.stdin)]))
'''


def rtc(box, *jobs, **env):
    """Each job is a source and its options."""
    out = subprocess.run([sys.executable, '-c', RTC, BUILD / 'lib/libnvrtc.so.12'], input=json.dumps(jobs), env={**box.env, **env}, cwd=box.path,
                         capture_output=True, text=True, check=True, timeout=120).stdout
    return json.loads(out)


KERNEL = 'extern "C" __global__ void k(float *p) { p[threadIdx.x] *= %s; }\n'


def test_nvrtc_keeps_what_it_has_compiled(box):
    one = rtc(box, [KERNEL % '2', ['-arch=sm_80']])[0]
    kept = sorted((box.cache / 'nvrtc').glob('*.ptx'))
    assert one[0] == 0 and len(kept) == 1, one
    kept[0].write_text(kept[0].read_text().replace('.visible .entry k', '.visible .entry from_the_cache'))
    again, other, asked = rtc(box, [KERNEL % '2', ['-arch=sm_80']], [KERNEL % '3', ['-arch=sm_80']], [KERNEL % '2', ['-arch=sm_80', '-no-cache']])
    assert again[0] == 0 and 'from_the_cache' in again[2], again
    assert other[0] == 0 and 'from_the_cache' not in other[2], other
    assert asked[2] == one[2], asked


def test_nvrtc_compiles_again_what_includes_a_header_that_changed(box):
    (box.path / 'factor.h').write_text('#define FACTOR 2.0f\n')
    job = ['#include "factor.h"\n' + KERNEL % 'FACTOR', ['-arch=sm_80', f'-I{box.path}']]
    first = rtc(box, job)[0]
    (box.path / 'factor.h').write_text('#define FACTOR 3.0f \n')
    second = rtc(box, job)[0]
    assert first[0] == second[0] == 0 and '0f40400000' in second[2] and first[2] != second[2], (first, second)


def test_nvrtc_results_are_those_without_precompiled_headers(box):
    """Macros of the program, of CUDA and of the C library reach the same places with and without the precompiled header."""
    source = '#ifdef MINE\n__device__ float4 v = {MINE, 0, 0, 0};\n#endif\n' \
             'extern "C" __global__ void k(float *p) { assert(p); p[threadIdx.x] = sinf(p[threadIdx.x]) + min(3, (int)threadIdx.x); }\n'
    jobs = [[source, options] for options in (['-arch=sm_80'], ['-arch=sm_75', '-DMINE=3', '-DNDEBUG'], ['-arch=sm_80', '-std=c++20', '-use_fast_math'],
                                              ['-arch=sm_80', '-rdc=true'], ['-arch=sm_80', '-lineinfo'], ['-arch=sm_80', '-default-device'])]
    kept, plain = rtc(box, *jobs), rtc(box, *jobs, HOSTWARP_CACHE='off')
    assert list((box.cache / 'prelude').glob('*.pch'))
    for a, b, job in zip(kept, plain, jobs):
        assert a[0] == b[0] == 0 and a[2] == b[2], (job[1], a, b)


def test_nvrtc_does_without_a_spoilt_precompiled_header(box):
    rtc(box, [KERNEL % '2', ['-arch=sm_80']])
    for file in (box.cache / 'prelude').glob('*.list'):
        file.write_text('1 1.000000000 /no/such/file\n')
    again = rtc(box, [KERNEL % '4', ['-arch=sm_80']])[0]
    assert again[0] == 0 and '0f40800000' in again[2], again


def test_damaged_headers_are_compiled_again(box):
    box.compile()
    assert box.run('./p') == ''
    for at in 8, 50, 64, 65, 100, 120:           # some of these once made a program wait for ever
        for entry in entries(box):
            data = bytearray(entry.read_bytes())
            data[at] ^= 0xff
            entry.write_bytes(data)
        assert box.run('./p', limit=20) == '', at


def test_entries_of_each_other_are_compiled_again(box):
    box.compile()
    box.run('./p')
    a, b = entries(box)
    text = a.read_bytes()
    a.write_bytes(b.read_bytes())
    b.write_bytes(text)
    assert box.run('./p') == ''
    assert a.read_bytes() == text                # mended


def test_pipes_and_devices_are_not_waited_for(box):
    box.compile()
    box.run('./p')
    for make in os.mkfifo, lambda entry: entry.symlink_to('/dev/zero'), lambda entry: entry.mkdir():
        for entry in entries(box):
            shutil.rmtree(entry) if entry.is_dir() else entry.unlink()
            make(entry)
        assert box.run('./p', limit=20) == ''


def test_a_full_disk_is_said_once(box):
    box.compile()
    full = box.tmpfs('full', 'size=64k')
    (full / 'kernels').mkdir(mode=0o700)
    try:
        (full / 'filler').write_bytes(bytes(1 << 20))
    except OSError:
        pass
    said_once(box.run('./p', HOSTWARP_CACHE=str(full)), 'the cache cannot be used', 'No space left')
    told = box.run(HOSTWARP, 'run', 'p.cu', HOSTWARP_CACHE=str(full))    # the command, the program: one line each
    assert 1 <= told.count('the cache cannot be used') <= 2, told


def test_a_folder_of_somebody_else_is_done_without(box):
    if os.geteuid():
        raise Skip('needs root')
    box.compile()
    box.run('./p')
    said_once(box.run('./p', user=NOBODY), 'the cache cannot be used')
    said_once(box.run('./p', user=NOBODY, HOSTWARP_CACHE='/proc/nothing'), 'the cache cannot be used')
    os.chmod(box.cache, 0o755)
    os.chmod(box.cache / 'kernels', 0o755)       # root's, to be read
    assert box.run('./p', user=NOBODY) == ''


def test_temporary_files_go_elsewhere(box):
    box.run(HOSTWARP, 'run', 'p.cu', HOSTWARP_CACHE='off', TMPDIR=str(box.path / 'none'))
    said_once(box.run(HOSTWARP, 'cc', '-o', 'q', 'p.cu', answer='', TMPDIR=str(box.path / 'none')), 'cannot be used for temporary files')
    full = box.tmpfs('full', 'size=64k')
    said_once(box.run(HOSTWARP, 'cc', '-o', 'q', 'p.cu', answer='', TMPDIR=str(full)), 'cannot be used for temporary files')
    assert list(full.iterdir()) == []


def test_a_hundred_processes_and_kill_9(box):
    """Half of them are killed at any moment, entries are cut and folders taken away meanwhile: whoever is let live has the right answer and nothing to complain of,
    and nothing that is left blocks the next. PROCESSES=2000 SEED=7 are more, others."""
    box.compile()
    chance = random.Random(int(os.environ.get('SEED', '1')))
    start = time.monotonic()
    box.run('./p')
    once = time.monotonic() - start
    shutil.rmtree(box.cache)
    left, running, killed = int(os.environ.get('PROCESSES', '100')), [], 0
    while left or running:
        while left and len(running) < 10:
            left -= 1
            p = subprocess.Popen(['./p'], cwd=box.path, env=box.env, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            running.append((p, time.monotonic(), chance.random() * once if left % 2 else None))
        for job in list(running):
            p, begun, dies = job
            if dies is not None and time.monotonic() - begun > dies and p.poll() is None:
                p.kill()
                killed += 1
            if p.poll() is not None:
                running.remove(job)
                out = p.communicate()[0]
                assert p.returncode == -9 or (p.returncode == 0 and out == ANSWER), (p.returncode, out)
            assert time.monotonic() - begun < 60, 'a process waits for ever'
        if chance.random() < .05 and (box.cache / 'kernels').exists():
            try:
                os.truncate(chance.choice(entries(box)), chance.randrange(200))
            except (FileNotFoundError, IndexError):
                pass
            if chance.random() < .3:
                shutil.rmtree(box.cache, ignore_errors=True)
        time.sleep(.005)
    assert killed >= 10, killed
    assert box.run('./p', limit=20) == ''        # mends what is left, and then it is good
    mended = {e.name: e.stat().st_ino for e in entries(box)}
    assert box.run('./p', limit=20) == ''
    assert mended == {e.name: e.stat().st_ino for e in entries(box)}, 'compiled again what was there'


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else '*'
    failed = 0
    tests = [(name, test) for name, test in globals().items() if name.startswith('test_') and fnmatch.fnmatch(name, pattern)]
    print(f'1..{len(tests)}')
    for name, test in tests:
        with tempfile.TemporaryDirectory(prefix='hostwarp-cache-test-') as path:
            box = Box(path)
            try:
                test(box)
                print(f'ok {name[5:]}', flush=True)
            except Skip as why:
                print(f'ok {name[5:]} # SKIP {why}', flush=True)
            except Exception:                    # a test that breaks is one that fails
                failed += 1
                print(f'not ok {name[5:]}\n{traceback.format_exc()}', flush=True)
            finally:
                box.close()
    return 1 if failed else 0


if __name__ == '__main__':
    sys.exit(main())
