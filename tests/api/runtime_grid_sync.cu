// SPDX-License-Identifier: Apache-2.0
// Grid-wide synchronisation: what one block writes before it, all see behind it; also in a plain launch whose blocks all fit, as on
// an H200.
#include <cooperative_groups.h>

#include <cstdio>

namespace cg = cooperative_groups;

__global__ void rounds(unsigned *cells, unsigned *wrong, int n)
{
    cg::grid_group grid = cg::this_grid();
    unsigned blocks = gridDim.x, mine = blockIdx.x;
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0)
            cells[mine] = i + mine;
        grid.sync();
        unsigned other = (mine + threadIdx.x) % blocks;
        if (((volatile unsigned *)cells)[other] != i + other)
            atomicAdd(wrong, 1u);
        grid.sync();
    }
    auto token = grid.barrier_arrive();
    grid.barrier_wait(static_cast<cg::grid_group::arrival_token &&>(token));
    if (!grid.is_valid())
        atomicAdd(wrong, 1u);
}

__global__ void plain(int *valid) { *valid = cg::this_grid().is_valid(); }

int main()
{
    unsigned *cells, *wrong;
    int *valid, n = 20, bad = 0;
    cudaMallocManaged(&cells, 4096);
    cudaMallocManaged(&wrong, 4);
    cudaMallocManaged(&valid, 4);
    *wrong = 0;
    *valid = 7;
    void *args[] = {&cells, &wrong, &n};
    for (int blocks = 1; blocks <= 16; blocks *= 4) {
        bad += cudaLaunchCooperativeKernel((void *)rounds, dim3(blocks), dim3(96), args, 0, 0) != cudaSuccess;
        bad += cudaDeviceSynchronize() != cudaSuccess;
    }
    plain<<<1, 1>>>(valid);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    rounds<<<4, 96>>>(cells, wrong, 2);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    printf("bad %d, wrong %u, valid in a plain launch %d\n", bad, *wrong, *valid);
    return bad || *wrong || *valid != 1;
}
