// SPDX-License-Identifier: Apache-2.0
// Pairs `gap` apart are put in order, keys and values, by unsigned 32-bit indices. No index is out of range.
#include <cstdio>

__global__ void order_pairs(unsigned *__restrict__ keys_out, unsigned *__restrict__ values_out, const unsigned *__restrict__ keys,
                            const unsigned *__restrict__ values, unsigned n, unsigned span, unsigned gap, unsigned up)
{
    unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned rising = up ^ (((thread & (n / 2 - 1)) & (span / 2)) != 0);
    unsigned low = 2 * thread - (thread & (gap - 1)), high = low + gap;
    unsigned key_low = keys[low], value_low = values[low], key_high = keys[high], value_high = values[high];
    if ((key_low > key_high) == rising) {
        unsigned key = key_low, value = value_low;
        key_low = key_high, value_low = value_high, key_high = key, value_high = value;
    }
    keys_out[low] = key_low, values_out[low] = value_low, keys_out[high] = key_high, values_out[high] = value_high;
}

int main()
{
    const unsigned n = 16384;
    unsigned *keys, *values;
    cudaMalloc(&keys, n * 4), cudaMalloc(&values, n * 4);
    cudaMemset(keys, 1, n * 4), cudaMemset(values, 1, n * 4);
    for (unsigned span = 1024; span <= n; span *= 2)
        for (unsigned gap = span / 2; gap >= 512; gap /= 2) {
            order_pairs<<<n / 2 / 128, 128>>>(keys, values, keys, values, n, span, gap, 0);
            cudaError_t e = cudaDeviceSynchronize();
            printf("size %u stride %u: %s\n", span, gap, cudaGetErrorString(e));
            if (e)
                return 1;
        }
}
