#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Kernels of the kinds that Triton's tutorials have, without torch: memory comes from the driver, results are compared with numpy's. Prints a line each, and a count."""
import ctypes
import sys
import traceback

import numpy as np
import triton
import triton.language as tl

cuda = ctypes.CDLL('libcuda.so.1')


def check(rc):
    if rc:
        raise RuntimeError(f'driver error {rc}')


class Array:
    """What Triton wants of an argument: a type and an address."""

    def __init__(self, data):
        self.host = np.ascontiguousarray(data)
        self.dtype = {'float32': 'fp32', 'float16': 'fp16', 'int32': 'i32', 'int64': 'i64', 'uint8': 'u8', 'float64': 'fp64', 'int8': 'i8'}[self.host.dtype.name]
        self.address = ctypes.c_uint64()
        check(cuda.cuMemAlloc_v2(ctypes.byref(self.address), ctypes.c_size_t(max(self.host.nbytes, 1))))
        check(cuda.cuMemcpyHtoD_v2(self.address, self.host.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(self.host.nbytes)))

    def data_ptr(self):
        return self.address.value

    def get(self):
        check(cuda.cuCtxSynchronize())
        check(cuda.cuMemcpyDtoH_v2(self.host.ctypes.data_as(ctypes.c_void_p), self.address, ctypes.c_size_t(self.host.nbytes)))
        return self.host


rng = np.random.default_rng(1)


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    tl.store(out + i, tl.load(x + i, mask=m) + tl.load(y + i, mask=m), mask=m)


def vector_add():
    n = 98432
    x, y = rng.random(n, np.float32), rng.random(n, np.float32)
    out = Array(np.zeros(n, np.float32))
    add_kernel[(triton.cdiv(n, 1024),)](Array(x), Array(y), out, n, BLOCK=1024)
    np.testing.assert_array_equal(out.get(), x + y)


@triton.jit
def softmax_kernel(out, x, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + i, mask=i < columns, other=-float('inf'))
    e = tl.exp(v - tl.max(v, axis=0))
    tl.store(out + row * stride + i, e / tl.sum(e, axis=0), mask=i < columns)


def fused_softmax():
    x = rng.standard_normal((123, 781)).astype(np.float32)
    out = Array(np.zeros_like(x))
    softmax_kernel[(123,)](out, Array(x), 781, 781, BLOCK=1024)
    e = np.exp(x - x.max(1, keepdims=True))
    np.testing.assert_allclose(out.get(), e / e.sum(1, keepdims=True), rtol=2e-5, atol=1e-7)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    rk = tl.arange(0, BK)
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        x = tl.load(a + rm[:, None] * K + (k + rk)[None, :], mask=(rm[:, None] < M) & ((k + rk)[None, :] < K), other=0.0)
        y = tl.load(b + (k + rk)[:, None] * N + rn[None, :], mask=((k + rk)[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc = tl.dot(x, y, acc)
    tl.store(c + rm[:, None] * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


def matmul(kind):
    M, N, K = 200, 136, 96
    a, b = rng.standard_normal((M, K)).astype(kind), rng.standard_normal((K, N)).astype(kind)
    c = Array(np.zeros((M, N), np.float32))
    matmul_kernel[(triton.cdiv(M, 64), triton.cdiv(N, 64))](Array(a), Array(b), c, M, N, K, BM=64, BN=64, BK=32)
    np.testing.assert_allclose(c.get(), a.astype(np.float32) @ b.astype(np.float32), rtol=2e-2, atol=5e-2)


def matmul_fp16():
    matmul(np.float16)


def matmul_tf32():
    matmul(np.float32)


@triton.jit
def dropout_kernel(x, out, n, p, seed, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    m = i < n
    keep = tl.rand(seed, i) > p
    tl.store(out + i, tl.where(keep, tl.load(x + i, mask=m) / (1 - p), 0.0), mask=m)


def low_memory_dropout():
    n = 4096
    x = rng.random(n, np.float32) + 1
    results = []
    for seed in (7, 7, 8):
        out = Array(np.zeros(n, np.float32))
        dropout_kernel[(4,)](Array(x), out, n, 0.5, seed, BLOCK=1024)
        results.append(out.get().copy())
    assert (results[0] == results[1]).all() and (results[0] != results[2]).any() and 0.4 < (results[0] == 0).mean() < 0.6
    np.testing.assert_allclose(results[0][results[0] != 0], 2 * x[results[0] != 0], rtol=1e-6)


@triton.jit
def norm_kernel(x, out, w, b, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    m = i < n
    v = tl.load(x + row * n + i, mask=m, other=0.0)
    mean = tl.sum(v, axis=0) / n
    d = tl.where(m, v - mean, 0.0)
    r = 1 / tl.sqrt(tl.sum(d * d, axis=0) / n + eps)
    tl.store(out + row * n + i, d * r * tl.load(w + i, mask=m) + tl.load(b + i, mask=m), mask=m)


def layer_norm():
    x, w, b = rng.standard_normal((50, 300)).astype(np.float32), rng.random(300, np.float32), rng.random(300, np.float32)
    out = Array(np.zeros_like(x))
    norm_kernel[(50,)](Array(x), out, Array(w), Array(b), 300, 1e-5, BLOCK=512)
    expect = (x - x.mean(1, keepdims=True)) / np.sqrt(x.var(1, keepdims=True) + 1e-5) * w + b
    np.testing.assert_allclose(out.get(), expect, rtol=1e-4, atol=1e-5)


@triton.jit
def attention_kernel(q, k, v, out, n, scale, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    queries = tl.load(q + rows[:, None] * D + d[None, :])
    top = tl.full((BM,), -float('inf'), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    for start in range(0, n, BN):
        c = start + tl.arange(0, BN)
        s = tl.dot(queries, tl.load(k + c[None, :] * D + d[:, None])) * scale
        s = tl.where(rows[:, None] >= c[None, :], s, -1e30)
        new = tl.maximum(top, tl.max(s, 1))
        p = tl.exp(s - new[:, None])
        alpha = tl.exp(top - new)
        acc = acc * alpha[:, None] + tl.dot(p.to(tl.float16), tl.load(v + c[:, None] * D + d[None, :]))
        total = total * alpha + tl.sum(p, 1)
        top = new
    tl.store(out + rows[:, None] * D + d[None, :], acc / total[:, None])


def causal_attention():
    n, D = 128, 32
    q, k, v = (rng.standard_normal((n, D)).astype(np.float16) for _ in range(3))
    out = Array(np.zeros((n, D), np.float32))
    attention_kernel[(n // 32,)](Array(q), Array(k), Array(v), out, n, 0.2, BM=32, BN=32, D=D)
    s = q.astype(np.float32) @ k.astype(np.float32).T * 0.2
    s[np.triu_indices(n, 1)] = -np.inf
    e = np.exp(s - s.max(1, keepdims=True))
    np.testing.assert_allclose(out.get(), e / e.sum(1, keepdims=True) @ v.astype(np.float32), rtol=2e-2, atol=2e-2)


@triton.jit
def scan_kernel(x, sums, sorted_out, counts, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    tl.store(sums + i, tl.cumsum(v, 0))
    tl.store(sorted_out + i, tl.sort(v))
    tl.atomic_add(counts + (v % 8), 1)


def scan_sort_histogram():
    x = rng.integers(0, 1000, 256).astype(np.int32)
    sums, ordered, counts = (Array(np.zeros(n, np.int32)) for n in (256, 256, 8))
    scan_kernel[(1,)](Array(x), sums, ordered, counts, BLOCK=256)
    np.testing.assert_array_equal(sums.get(), np.cumsum(x))
    np.testing.assert_array_equal(ordered.get(), np.sort(x))
    np.testing.assert_array_equal(counts.get(), np.bincount(x % 8, minlength=8))


@triton.jit
def math_kernel(x, out, n, WHICH: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    v = tl.load(x + i)
    if WHICH == 0:
        r = tl.sin(v)
    elif WHICH == 1:
        r = tl.log(v)
    elif WHICH == 2:
        r = tl.math.erf(v)
    elif WHICH == 3:
        r = tl.exp2(v)
    elif WHICH == 4:
        r = tl.rsqrt(v)
    else:
        r = tl.floor(v * 10)
    tl.store(out + i, r)


def functions():
    import math
    x = rng.random(128, np.float32) + 0.1
    for which, f in enumerate((np.sin, np.log, np.vectorize(math.erf), np.exp2, lambda v: 1 / np.sqrt(v), lambda v: np.floor(v * np.float32(10)))):
        out = Array(np.zeros(128, np.float32))
        math_kernel[(1,)](Array(x), out, 128, WHICH=which, BLOCK=128)
        np.testing.assert_allclose(out.get(), f(x), rtol=1e-5, atol=1e-6)


def main():
    tests = [vector_add, fused_softmax, matmul_fp16, matmul_tf32, low_memory_dropout, layer_norm, causal_attention, scan_sort_histogram, functions]
    context, device = ctypes.c_void_p(), ctypes.c_int()
    check(cuda.cuInit(0))
    check(cuda.cuDeviceGet(ctypes.byref(device), 0))
    check(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device))
    check(cuda.cuCtxSetCurrent(context))
    good = 0
    for test in tests:
        try:
            test()
            good += 1
            print(f'ok {test.__name__}', flush=True)
        except Exception:
            print(f'not ok {test.__name__}', flush=True)
            traceback.print_exc(limit=-3)
    print(f'{good} passed, {len(tests) - good} failed')
    return good != len(tests)


sys.exit(main())
