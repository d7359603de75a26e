// SPDX-License-Identifier: Apache-2.0
// Device functions and variables for another file; its static names are also used there, for other things.
#include "parts.h"

__device__ int counter = 7;
static __constant__ int table[4] = {10, 20, 30, 40};
static __device__ __noinline__ int local(int x) { return x + table[0]; }
__device__ int helper(int x) { return local(x) * 2; }
