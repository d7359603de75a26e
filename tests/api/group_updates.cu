// SPDX-License-Identifier: Apache-2.0
// run: -arch=sm_90
// Groups whose result goes into an atomic or into memory, one thread that works for all, a thread alone, a cluster (of one block), and a barrier that waits for copies.
#include "runtime_check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cuda_pipeline.h>

namespace cg = cooperative_groups;

enum { N = 96, TILE = 16 };
typedef cuda::atomic<int, cuda::thread_scope_device> counter;

struct results {
    counter sum, most, upto, before;
    int stored[N / TILE], kept[N / TILE], inclusive[N], exclusive[N], told[N], alone[N], copied[N];
    unsigned cluster[N], of_rank[N];
};

__global__ void __launch_bounds__(N, 1, 2) play(results *r, const int *in)
{
    __shared__ int shared[N];
    __shared__ __mbarrier_t done;
    auto block = cg::this_thread_block();
    auto tile = cg::tiled_partition<TILE>(block);
    int i = (int)threadIdx.x, v = i * 7 % 31;
    cg::reduce_update_async(tile, r->sum, v, cg::plus<int>());
    cg::reduce_update_async(tile, r->most, v, cg::greater<int>());
    cg::reduce_store_async(tile, &r->stored[i / TILE], v, cg::less<int>());
    r->inclusive[i] = cg::inclusive_scan_update(tile, r->upto, v, cg::plus<int>());
    r->exclusive[i] = cg::exclusive_scan_update(tile, r->before, v);
    r->told[i] = cg::invoke_one_broadcast(tile, [&](int add) { return (int)tile.meta_group_rank() + add; }, 100);
    cg::invoke_one(tile, [&] { r->kept[i / TILE] = i / TILE; });
    r->alone[i] = (int)(cg::this_thread().size() + cg::this_thread().thread_rank());
    cg::this_thread().sync();

    if (i == 0)
        __mbarrier_init(&done, N);
    block.sync();
    __pipeline_memcpy_async(&shared[i], &in[N - 1 - i], sizeof(int));
    __pipeline_arrive_on(&done);
    auto token = __mbarrier_arrive(&done);
    while (!__mbarrier_test_wait(&done, token))
        ;
    r->copied[i] = shared[(i + 1) % N];

    auto cluster = cg::this_cluster();
    cluster.sync();
    r->cluster[i] = cluster.num_blocks() * 1000 + cluster.block_rank() * 500 + cluster.thread_rank();
    r->of_rank[i] = (unsigned)*cluster.map_shared_rank(&shared[i], 0) + cluster.query_shared_rank(&shared[i]);
    cluster.sync();
}

int main()
{
    results *r;
    int *in;
    NEED(cudaMallocManaged(&r, sizeof *r));
    NEED(cudaMallocManaged(&in, N * sizeof *in));
    memset((void *)r, 0, sizeof *r);
    for (int i = 0; i < N; i++)
        in[i] = 3 * i + 1;
    play<<<1, N>>>(r, in);
    NEED(cudaDeviceSynchronize());
    int sum = 0, most = 0, stored = 0, inclusive = 0, exclusive = 0, rest = 0;
    for (int i = 0; i < N; i++) {
        int v = i * 7 % 31, least = v, left = 0, first = i / TILE * TILE;
        for (int k = first; k < first + TILE; k++) {
            least = least < k * 7 % 31 ? least : k * 7 % 31;
            left += k < i ? k * 7 % 31 : 0;
        }
        sum += v;
        most = most > v ? most : v;
        stored += r->stored[i / TILE] == least && r->kept[i / TILE] == i / TILE;
        inclusive += r->inclusive[i] - (left + v) == r->inclusive[first] - first * 7 % 31;      // tiles come in any order
        exclusive += r->exclusive[i] - left == r->exclusive[first];
        rest += r->told[i] == i / TILE + 100 && r->alone[i] == 1 && r->copied[i] == in[N - 1 - (i + 1) % N] && r->cluster[i] == 1000u + (unsigned)i &&
                r->of_rank[i] == (unsigned)in[N - 1 - i];
    }
    CHECK("a_tile_adds_to_an_atomic", r->sum.load() == sum);
    CHECK("a_tile_raises_an_atomic", r->most.load() == most);
    CHECK("a_tile_stores_its_result", stored == N);
    CHECK("a_scan_goes_on_from_an_atomic", inclusive == N && r->upto.load() == sum);
    CHECK("an_exclusive_scan_goes_on_from_an_atomic", exclusive == N && r->before.load() == sum);
    CHECK("one_for_all_one_alone_and_a_cluster", rest == N);
    return check_failures != 0;
}
