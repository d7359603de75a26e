#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the cache and of temporary folders with whole programs. usage: run.py BUILD [PATTERN]      Each function test_* is one rule; the result is TAP."""
import fnmatch
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
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


def main():
    pattern = sys.argv[2] if len(sys.argv) > 2 else '*'
    failed = 0
    for name, test in list(globals().items()):
        if not name.startswith('test_') or not fnmatch.fnmatch(name, pattern):
            continue
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
