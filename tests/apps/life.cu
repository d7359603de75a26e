// SPDX-License-Identifier: Apache-2.0
// Conway's Life on a torus: a two-dimensional stencil through shared memory with a border.
#include "app.h"
#include <vector>

enum { W = 150, H = 90, BX = 32, BY = 8 };

__global__ void generation(const unsigned char *in, unsigned char *out)
{
    __shared__ unsigned char s[BY + 2][BX + 2];
    int x = blockIdx.x * BX + threadIdx.x, y = blockIdx.y * BY + threadIdx.y;
    for (int j = threadIdx.y; j < BY + 2; j += BY)
        for (int i = threadIdx.x; i < BX + 2; i += BX)
            s[j][i] = in[(blockIdx.y * BY + j - 1 + H) % H * W + (blockIdx.x * BX + i - 1 + W) % W];
    __syncthreads();
    if (x >= W || y >= H)
        return;
    int tx = threadIdx.x + 1, ty = threadIdx.y + 1, near = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            near += (dx || dy) && s[ty + dy][tx + dx];
    out[y * W + x] = near == 3 || (near == 2 && s[ty][tx]);
}

static void reference(const std::vector<unsigned char> &in, std::vector<unsigned char> &out)
{
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            int near = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    near += (dx || dy) && in[(y + dy + H) % H * W + (x + dx + W) % W];
            out[y * W + x] = near == 3 || (near == 2 && in[y * W + x]);
        }
}

int main()
{
    std::vector<unsigned char> world(W * H), next(W * H), got(W * H);
    for (int i = 0; i < W * H; i++)
        world[i] = app_random((uint32_t)i) % 3 == 0;
    unsigned char *a, *b;
    CUDA(cudaMalloc(&a, W * H));
    CUDA(cudaMalloc(&b, W * H));
    CUDA(cudaMemcpy(a, world.data(), W * H, cudaMemcpyHostToDevice));
    for (int g = 1; g <= 60; g++) {
        generation<<<dim3((W + BX - 1) / BX, (H + BY - 1) / BY), dim3(BX, BY)>>>(a, b);
        std::swap(a, b);
        reference(world, next);
        world.swap(next);
        if (g % 20)
            continue;
        CUDA(cudaMemcpy(got.data(), a, W * H, cudaMemcpyDeviceToHost));
        int alive = 0;
        for (unsigned char c : got)
            alive += c;
        printf("generation %d: %d alive, %s\n", g, alive, got == world ? "right" : "wrong");
    }
    return got != world;
}
