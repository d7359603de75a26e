/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Launches in device code, for a file that has some (src/cli/cc_launch.c); device_runtime.h has the functions that go with them. clang has no such launches and
 * lets no device code name a kernel, so in the device's pass kernels are device functions with the kernel's calling convention.
 */
#ifndef HOSTWARP_DEVICE_LAUNCH_H
#define HOSTWARP_DEVICE_LAUNCH_H

#include "words_push.h"

extern "C++" {                           /* it may be included between a program's extern "C" braces */
#ifdef __CUDA_ARCH__
/* Shows how static kernels are called; src/cli/cc_launch.c takes it out. */
static __attribute__((global)) __attribute__((used)) void __hostwarp_names() {}
#undef __global__
#define __global__ __attribute__((host)) __attribute__((device)) __attribute__((nvptx_kernel)) __attribute__((used))

namespace hostwarp_device {

template <class T> struct same { typedef T type; };

/* kernel<<<grid, block, shared, stream>>>(arguments) is written launch(grid, block, shared, stream)(kernel, arguments). In host code too, where
   all that counts is that the kernel is named. Arguments become what the kernel takes, in the places where it looks for them. */
struct launch {
    dim3 grid, block;
    unsigned shared;
    cudaStream_t stream;

#define HOSTWARP_BOTH __attribute__((host)) __attribute__((device))
    HOSTWARP_BOTH launch(dim3 g, dim3 b, size_t bytes = 0, cudaStream_t s = 0) : grid(g), block(b), shared((unsigned)bytes), stream(s) {}

    template <class T> static HOSTWARP_BOTH void put(char *buffer, size_t &at, const T &value)
    {
        at = (at + alignof(T) - 1) / alignof(T) * alignof(T);
        __builtin_memcpy(buffer + at, &value, sizeof(T));
        at += sizeof(T);
    }
    template <class K, class... P> HOSTWARP_BOTH void go(K *kernel, const P &...arguments) const
    {
        char *buffer = (char *)__cudaCDP2GetParameterBufferV2((void *)kernel, grid, block, shared);
        size_t at = 0;
        if (!buffer)
            return;
        (put(buffer, at, arguments), ...);
        __cudaCDP2LaunchDeviceV2(buffer, stream);
    }

    /* One for each number of parameters, and not one for all: an overloaded kernel is told by how many it takes. */
    HOSTWARP_BOTH void operator()(void (*kernel)()) const { go(kernel); }
#define HOSTWARP_LAUNCH(classes, types, parameters, names) \
    template <classes> HOSTWARP_BOTH void operator()(void (*kernel)(types), parameters) const { go(kernel, names); }
#define HOSTWARP_LIST(...) __VA_ARGS__
#define HOSTWARP_A(n) typename same<P##n>::type a##n
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0), HOSTWARP_LIST(P0),
                    HOSTWARP_LIST(HOSTWARP_A(0)),
                    HOSTWARP_LIST(a0))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1), HOSTWARP_LIST(P0, P1),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1)),
                    HOSTWARP_LIST(a0, a1))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2), HOSTWARP_LIST(P0, P1, P2),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2)),
                    HOSTWARP_LIST(a0, a1, a2))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2, class P3), HOSTWARP_LIST(P0, P1, P2, P3),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2), HOSTWARP_A(3)),
                    HOSTWARP_LIST(a0, a1, a2, a3))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2, class P3, class P4), HOSTWARP_LIST(P0, P1, P2, P3, P4),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2), HOSTWARP_A(3), HOSTWARP_A(4)),
                    HOSTWARP_LIST(a0, a1, a2, a3, a4))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2, class P3, class P4, class P5), HOSTWARP_LIST(P0, P1, P2, P3, P4, P5),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2), HOSTWARP_A(3), HOSTWARP_A(4), HOSTWARP_A(5)),
                    HOSTWARP_LIST(a0, a1, a2, a3, a4, a5))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2, class P3, class P4, class P5, class P6), HOSTWARP_LIST(P0, P1, P2, P3, P4, P5, P6),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2), HOSTWARP_A(3), HOSTWARP_A(4), HOSTWARP_A(5), HOSTWARP_A(6)),
                    HOSTWARP_LIST(a0, a1, a2, a3, a4, a5, a6))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2, class P3, class P4, class P5, class P6, class P7), HOSTWARP_LIST(P0, P1, P2, P3, P4, P5, P6, P7),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2), HOSTWARP_A(3), HOSTWARP_A(4), HOSTWARP_A(5), HOSTWARP_A(6), HOSTWARP_A(7)),
                    HOSTWARP_LIST(a0, a1, a2, a3, a4, a5, a6, a7))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2, class P3, class P4, class P5, class P6, class P7, class P8), HOSTWARP_LIST(P0, P1, P2, P3, P4, P5, P6, P7, P8),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2), HOSTWARP_A(3), HOSTWARP_A(4), HOSTWARP_A(5), HOSTWARP_A(6), HOSTWARP_A(7), HOSTWARP_A(8)),
                    HOSTWARP_LIST(a0, a1, a2, a3, a4, a5, a6, a7, a8))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2, class P3, class P4, class P5, class P6, class P7, class P8, class P9), HOSTWARP_LIST(P0, P1, P2, P3, P4, P5, P6, P7, P8, P9),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2), HOSTWARP_A(3), HOSTWARP_A(4), HOSTWARP_A(5), HOSTWARP_A(6), HOSTWARP_A(7), HOSTWARP_A(8), HOSTWARP_A(9)),
                    HOSTWARP_LIST(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2, class P3, class P4, class P5, class P6, class P7, class P8, class P9, class P10), HOSTWARP_LIST(P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2), HOSTWARP_A(3), HOSTWARP_A(4), HOSTWARP_A(5), HOSTWARP_A(6), HOSTWARP_A(7), HOSTWARP_A(8), HOSTWARP_A(9), HOSTWARP_A(10)),
                    HOSTWARP_LIST(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2, class P3, class P4, class P5, class P6, class P7, class P8, class P9, class P10, class P11), HOSTWARP_LIST(P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2), HOSTWARP_A(3), HOSTWARP_A(4), HOSTWARP_A(5), HOSTWARP_A(6), HOSTWARP_A(7), HOSTWARP_A(8), HOSTWARP_A(9), HOSTWARP_A(10), HOSTWARP_A(11)),
                    HOSTWARP_LIST(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2, class P3, class P4, class P5, class P6, class P7, class P8, class P9, class P10, class P11, class P12), HOSTWARP_LIST(P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2), HOSTWARP_A(3), HOSTWARP_A(4), HOSTWARP_A(5), HOSTWARP_A(6), HOSTWARP_A(7), HOSTWARP_A(8), HOSTWARP_A(9), HOSTWARP_A(10), HOSTWARP_A(11), HOSTWARP_A(12)),
                    HOSTWARP_LIST(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2, class P3, class P4, class P5, class P6, class P7, class P8, class P9, class P10, class P11, class P12, class P13), HOSTWARP_LIST(P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2), HOSTWARP_A(3), HOSTWARP_A(4), HOSTWARP_A(5), HOSTWARP_A(6), HOSTWARP_A(7), HOSTWARP_A(8), HOSTWARP_A(9), HOSTWARP_A(10), HOSTWARP_A(11), HOSTWARP_A(12), HOSTWARP_A(13)),
                    HOSTWARP_LIST(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2, class P3, class P4, class P5, class P6, class P7, class P8, class P9, class P10, class P11, class P12, class P13, class P14), HOSTWARP_LIST(P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2), HOSTWARP_A(3), HOSTWARP_A(4), HOSTWARP_A(5), HOSTWARP_A(6), HOSTWARP_A(7), HOSTWARP_A(8), HOSTWARP_A(9), HOSTWARP_A(10), HOSTWARP_A(11), HOSTWARP_A(12), HOSTWARP_A(13), HOSTWARP_A(14)),
                    HOSTWARP_LIST(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14))
    HOSTWARP_LAUNCH(HOSTWARP_LIST(class P0, class P1, class P2, class P3, class P4, class P5, class P6, class P7, class P8, class P9, class P10, class P11, class P12, class P13, class P14, class P15), HOSTWARP_LIST(P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13, P14, P15),
                    HOSTWARP_LIST(HOSTWARP_A(0), HOSTWARP_A(1), HOSTWARP_A(2), HOSTWARP_A(3), HOSTWARP_A(4), HOSTWARP_A(5), HOSTWARP_A(6), HOSTWARP_A(7), HOSTWARP_A(8), HOSTWARP_A(9), HOSTWARP_A(10), HOSTWARP_A(11), HOSTWARP_A(12), HOSTWARP_A(13), HOSTWARP_A(14), HOSTWARP_A(15)),
                    HOSTWARP_LIST(a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15))
#undef HOSTWARP_LAUNCH
#undef HOSTWARP_LIST
#undef HOSTWARP_A
#undef HOSTWARP_BOTH
};

}
#else
namespace hostwarp_device {

/* The host's pass reads device code and makes none of it. */
struct launch {
    template <class... C> __attribute__((device)) launch(const C &...) {}
    template <class... A> __attribute__((device)) void operator()(const A &...) const {}
};

}
#endif
}

#include "words_pop.h"

#endif
