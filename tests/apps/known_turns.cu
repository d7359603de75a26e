// SPDX-License-Identifier: Apache-2.0
// Loops whose turns follow from the thread's number and the block's shape, which is known when a kernel is compiled: one turn or several, for all threads
// or some of them, with the test at either end, more than one way out, values that go on after the loop, numbers that wrap around.
#include "app.h"
#include <vector>

enum { MOST = 256, OUT = 10 };

struct place { int x, y, z, nx, ny, nz; };

/* What a thread does, on either side. limit is no constant for the compiler where `hidden` says so. */
template <int N> __host__ __device__ void turns(place t, const int *in, int hidden, int *out)
{
    int me = (t.z * t.ny + t.y) * t.nx + t.x, all = t.nx * t.ny * t.nz, sum = 0, n = 0, i;
    for (i = me; i < N; i += all) {              /* after the loop: where it ended */
        sum += in[i % MOST] * (i + 1);
        n++;
    }
    out[0] = sum + i * 1000 + n;
    for (i = t.x; i < N; i += t.nx) {            /* a second way out, and turns that skip a part */
        if (in[(i + t.y) % MOST] % 7 == 3)
            break;
        if (in[i % MOST] % 5 == 1)
            continue;
        sum ^= in[(i * 3) % MOST] + i;
    }
    out[1] = sum + i;
    unsigned u = t.x + 5u;
    do {                                         /* at least once; falls below zero */
        sum = sum * 3 + in[u % MOST];
        u -= 9;
    } while (u < 40u);
    out[2] = sum + (int)u;
    for (i = t.y * 2 - 3; i < N / 8; i += t.ny + 1)      /* rows: the same for a warp, or not */
        sum += in[(i + 8) % MOST] << (i & 3);
    out[3] = sum;
    for (i = N - 1 - t.x; i >= 0; i -= 24)       /* down */
        sum -= in[i % MOST];
    out[4] = sum + i;
    for (int j = t.x % 3; j < 4; j += 2)         /* one in another */
        for (int k = me; k < N / 2 + j; k += all)
            sum += in[(k + j) % MOST] * k;
    out[5] = sum;
    for (i = t.x; i < hidden; i += t.nx)         /* not known */
        sum ^= in[i % MOST] * i;
    out[6] = sum + i;
    n = 0;
    for (long long w = t.x * 0x40000000ll; w < 0x500000000ll; w += 0x100000000ll)        /* 64 bits, and a value that only the end has */
        n = (int)(w >> 28) + in[n % MOST];
    out[7] = n;
    int end = t.x * 2 + 50 + (t.x & 1);          /* an end that lies so far from the beginning */
    for (i = t.x * 2; i < end; i += 20)
        sum += in[i % MOST] ^ i;
    out[8] = sum;
    for (int j = 0, from = t.x, before = 0; j < 3; j++) {        /* the second time it begins, and ends, where the first one left it */
        int limit = before + 40;
        for (i = from; i < limit; i += 16)
            sum = sum * 5 + in[i % MOST];
        before = from = i;
    }
    out[9] = sum;
}

template <int N> __global__ void kernel(const int *in, int hidden, int *out)
{
    __shared__ int s[MOST];
    place t = { (int)threadIdx.x, (int)threadIdx.y, (int)threadIdx.z, (int)blockDim.x, (int)blockDim.y, (int)blockDim.z };
    int me = (t.z * t.ny + t.y) * t.nx + t.x, all = t.nx * t.ny * t.nz;
    for (int i = me; i < MOST; i += all)
        s[i] = in[i];
    __syncthreads();
    turns<N>(t, s, hidden, out + (blockIdx.x * all + me) * OUT);
}

template <int N> static void check(const int *in, int *out, dim3 block)
{
    const int threads = (int)(block.x * block.y * block.z), blocks = 2;
    kernel<N><<<blocks, block>>>(in, N, out);
    CUDA(cudaDeviceSynchronize());
    int wrong = 0;
    for (int b = 0; b < blocks; b++)
        for (int i = 0; i < threads; i++) {
            int want[OUT], x = i % (int)block.x, y = i / (int)block.x % (int)block.y, z = i / (int)(block.x * block.y);
            turns<N>({ x, y, z, (int)block.x, (int)block.y, (int)block.z }, in, N, want);
            for (int k = 0; k < OUT; k++)
                wrong += out[(b * threads + i) * OUT + k] != want[k];
        }
    printf("%d, %ux%ux%u: %d wrong\n", N, block.x, block.y, block.z, wrong);
}

int main()
{
    int *in, *out;
    CUDA(cudaMallocManaged(&in, MOST * sizeof *in));
    CUDA(cudaMallocManaged(&out, 2 * 1024 * OUT * sizeof *out));
    for (int i = 0; i < MOST; i++)
        in[i] = (int)(app_random(i) % 1000);
    const dim3 blocks[] = { dim3(32), dim3(38), dim3(256), dim3(32, 8), dim3(16, 4, 2), dim3(5, 3), dim3(1) };
    for (dim3 b : blocks) {
        check<1>(in, out, b);
        check<32>(in, out, b);
        check<38>(in, out, b);
        check<256>(in, out, b);
        check<300>(in, out, b);
    }
    return 0;
}
