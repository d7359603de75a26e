/* SPDX-License-Identifier: Apache-2.0 */
/* Prototypes of all bodies (do_cudaMalloc, ...), made of runtime.def, and of what the rows cannot say. */
#ifndef RUNTIME_BODIES_H
#define RUNTIME_BODIES_H

#include "runtime/api.h"

#define API(base, sym, lib, pt, flags, params, args) cudaError_t do_##sym params;
#define SAME(base, sym, other, lib, pt, flags, params, args)
#define STUB(base, sym, lib, pt, flags, params, args)
#define HAND(base, sym, lib, pt, flags, params, args)
#include "runtime/runtime.def"
#undef API
#undef SAME
#undef STUB
#undef HAND

/* CUDA 13 has another struct under the same name: prop points at one of those. */
cudaError_t do_cudaGetDeviceProperties_13(struct cudaDeviceProp *prop, int device);

/* The other side of a row that is QUICK: gets what an ordinary entry point would be. Weak: a driver library that is not
   hostwarp's does without. */
#pragma weak hostwarp_copy_or
static inline cudaError_t quick_cudaMemcpy(cudaError_t (*whole)(void *, const void *, size_t, enum cudaMemcpyKind), void *dst,
                                           const void *src, size_t count, enum cudaMemcpyKind kind)
{
    if (hw_unlikely(!hostwarp_copy_or))
        return whole(dst, src, count, kind);
    return (cudaError_t)hostwarp_copy_or(dst, src, count, (unsigned)kind, (unsigned (*)(void *, const void *, size_t, unsigned))whole);
}

/* --- written out by hand --- */

const char *cudaGetErrorName(cudaError_t error);
const char *cudaGetErrorString(cudaError_t error);
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);

#endif
