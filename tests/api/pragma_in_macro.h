// SPDX-License-Identifier: Apache-2.0
// For pragma_in_macro.cu: a macro of a header.
#ifdef __CUDA_ARCH__
#  define EVERY_TIME # pragma unroll 4 // as many at a time
#else
#  define EVERY_TIME
#endif
