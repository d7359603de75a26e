// SPDX-License-Identifier: Apache-2.0
// A lambda for the device, as --extended-lambda allows.
template <class F> __global__ void each(int *p, F f) { p[threadIdx.x] = f(p[threadIdx.x]); }

void twice(int *p, int n)
{
    each<<<1, n>>>(p, [] __device__(int x) { return 2 * x; });
}
