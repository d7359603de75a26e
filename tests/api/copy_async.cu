// SPDX-License-Identifier: Apache-2.0
// memcpy_async of sizes and places that are aligned to 1, 4, 8 and 16 bytes, known so by a promise, by the type or not at all.
#include "runtime_check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda/barrier>
#include <cuda/pipeline>

namespace cg = cooperative_groups;

enum { THREADS = 64, BYTES = THREADS * 16 };
enum how { PROMISED_16, PROMISED_8, OF_TYPE_16, OF_TYPE_4, OF_BYTES, ODD_BYTES, GROUP_PROMISED, GROUP_ODD, ELEMENTS, WAYS };

/* Copies part of in to the same place of out through shared memory; the rest of out stays. */
__global__ void copy(how way, const char *in, char *out)
{
    alignas(16) __shared__ char tile[BYTES];
    auto block = cg::this_thread_block();
    int t = threadIdx.x;
    auto pipe = cuda::make_pipeline();
    for (int i = t; i < BYTES; i += THREADS)
        tile[i] = out[i];
    block.sync();
    pipe.producer_acquire();
    switch (way) {
    case PROMISED_16: cuda::memcpy_async(tile + 16 * t, in + 16 * t, cuda::aligned_size_t<16>(16), pipe); break;
    case PROMISED_8: cuda::memcpy_async(tile + 16 * t, in + 16 * t, cuda::aligned_size_t<8>(8), pipe); break;
    case OF_TYPE_16: cuda::memcpy_async((int4 *)tile + t, (const int4 *)in + t, sizeof(int4), pipe); break;
    case OF_TYPE_4: cuda::memcpy_async((int *)tile + t, (const int *)in + t, 4, pipe); break;
    case OF_BYTES: cuda::memcpy_async(tile + 16 * t, in + 16 * t, 12, pipe); break;
    case ODD_BYTES: cuda::memcpy_async(tile + 16 * t + 1, in + 16 * t + 1, 7, pipe); break;
    case GROUP_PROMISED: cg::memcpy_async(block, tile, in, cuda::aligned_size_t<16>(BYTES)); break;
    case GROUP_ODD: cg::memcpy_async(block, tile + 3, in + 3, 1001); break;
    case ELEMENTS: cg::memcpy_async(block, (short *)tile, 300, (const short *)in, 200); break;
    default: break;
    }
    pipe.producer_commit();
    pipe.consumer_wait();
    cg::wait(block);
    block.sync();
    for (int i = t; i < BYTES; i += THREADS)
        out[i] = tile[i];
}

static bool is_copied(how way, int i)
{
    switch (way) {
    case PROMISED_8: return i % 16 < 8;
    case OF_TYPE_4: return i < 4 * THREADS;
    case OF_BYTES: return i % 16 < 12;
    case ODD_BYTES: return i % 16 >= 1 && i % 16 < 8;
    case GROUP_ODD: return i >= 3 && i < 1004;
    case ELEMENTS: return i < 400;
    default: return true;
    }
}

int main()
{
    static const char *const rules[WAYS] = { "promised_16_bytes", "promised_8_bytes", "elements_of_16_bytes", "elements_of_4_bytes", "12_bytes", "odd_bytes",
                                             "a_group_with_a_promise", "a_group_with_odd_bytes", "the_smaller_count_of_elements" };
    char *in, *out;
    cudaMallocManaged(&in, BYTES);
    cudaMallocManaged(&out, BYTES);
    for (int way = 0; way < WAYS; way++) {
        for (int i = 0; i < BYTES; i++) {
            in[i] = (char)(i * 7 + way);
            out[i] = (char)~in[i];
        }
        copy<<<1, THREADS>>>((how)way, in, out);
        bool ok = cudaDeviceSynchronize() == cudaSuccess;
        for (int i = 0; i < BYTES && ok; i++)
            ok = out[i] == (is_copied((how)way, i) ? in[i] : (char)~in[i]);
        CHECK(rules[way], ok);
    }
    return check_failures != 0;
}
