/* SPDX-License-Identifier: Apache-2.0 */
/* What a CUDA compilation must see before any other header. Part of cuda_runtime.h. */
#ifndef HOSTWARP_DEVICE_FIRST_H
#define HOSTWARP_DEVICE_FIRST_H

/* Programs and the C++ library ask by these names whether this is CUDA and how old it is. */
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#ifndef __NVCC__
#define __NVCC__ 1
#endif
#define __NVCC_DIAG_PRAGMA_SUPPORT__ 1
#ifndef __CUDACC_VER_MAJOR__
#define __CUDACC_VER_MAJOR__ 12
#define __CUDACC_VER_MINOR__ 3
#define __CUDACC_VER_BUILD__ 0
#endif
#ifndef CUDA_VERSION
#define CUDA_VERSION 12030 /* as cuda.h has it: with clang, libraries expect to know it from the start */
#endif

#include "hostwarp/device_cmath_first.h"

/* clang's wrapper of <new>, which <cmath> may include, calls these. */
extern "C" {
__attribute__((device)) void free(void *) __attribute__((nothrow));
__attribute__((device)) void *malloc(__SIZE_TYPE__) __attribute__((nothrow, malloc));
}

#include <cmath>
#include <cstdlib>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <utility>

#if __cplusplus >= 201703L
/* clang 19 takes a deduction guide for a function of the host; hostwarp/cxx has those of other headers. */
namespace std {
#ifdef _GLIBCXX_BEGIN_NAMESPACE_VERSION
_GLIBCXX_BEGIN_NAMESPACE_VERSION
#endif
template <class T, class U> __attribute__((device)) pair(T, U) -> pair<T, U>;
#ifdef _GLIBCXX_BEGIN_NAMESPACE_VERSION
_GLIBCXX_END_NAMESPACE_VERSION
#endif
}
#endif

/* Managed variables. On the host the variable itself is the storage: it lives in a section of its own, which
   hostwarp_managed_section() tells the runtime, and the device's symbol is bound to it when the module is loaded. */
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, section("hostwarp_managed")))
#endif

#endif
