# SPDX-License-Identifier: Apache-2.0
"""What the tests of the command share: a fresh folder to work in, and words to look for."""
import os
import pathlib
import subprocess
import sys

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


class Skip(Exception):
    """The test needs what is not here."""

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
