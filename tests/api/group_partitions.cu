// SPDX-License-Identifier: Apache-2.0
// Groups that are divided while a kernel runs: tiles of any size of blocks, tiles, coalesced threads and groups of groups; labels and predicates inside of a tile; an odd last warp.
#include "runtime_check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

static const int N = 77;        // the last warp has 13 threads

struct seen {
    unsigned long long tile_size, tile_rank, inner_size, inner_rank, static_size, static_rank, grid_size, grid_rank;
    unsigned odd_size, odd_rank, odd_place, odd_places, label_size, label_rank, yes_size, yes_rank, all, any, sum;
};

static __device__ unsigned sum_of(const cg::thread_group &g, unsigned *memory, unsigned value)
{
    unsigned rank = (unsigned)g.thread_rank(), size = (unsigned)g.size(), sum = 0;
    memory[threadIdx.x] = value;
    g.sync();
    for (unsigned i = 0; i < size; i++)
        sum += memory[threadIdx.x - rank + i];
    g.sync();
    return sum;
}

__global__ void divide(seen *out, unsigned size)
{
    __shared__ unsigned memory[N];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_group tile = cg::tiled_partition(block, size), inner = cg::tiled_partition(tile, 4);
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    cg::thread_group of_warp = cg::tiled_partition(warp, 16), grid = cg::this_grid();
    unsigned i = threadIdx.x;
    seen s = {};
    s.tile_size = tile.size(), s.tile_rank = tile.thread_rank();
    s.inner_size = inner.size(), s.inner_rank = inner.thread_rank();
    s.static_size = of_warp.size(), s.static_rank = of_warp.thread_rank();
    s.grid_size = grid.size(), s.grid_rank = grid.thread_rank();
    s.sum = sum_of(tile, memory, i * i + 1);
    s.all = eight.all(i < 76) + 2 * warp.all(i < 77) + 4 * warp.all(i != 40);
    s.any = eight.any(i == 76) + 2 * warp.any(i == 33);
    if (i < 72) {
        cg::coalesced_group same = cg::labeled_partition(eight, (int)(i / 16 * 100 + i % 3)), yes = cg::binary_partition(eight, i % 5 == 0);
        s.label_size = same.size(), s.label_rank = same.thread_rank();
        s.yes_size = yes.size(), s.yes_rank = yes.thread_rank();
    }
    if (i % 2) {
        cg::coalesced_group odd = cg::tiled_partition(cg::coalesced_threads(), 5);
        s.odd_size = odd.size(), s.odd_rank = odd.thread_rank(), s.odd_place = odd.meta_group_rank(), s.odd_places = odd.meta_group_size();
    }
    block.barrier_wait(block.barrier_arrive());
    out[blockIdx.x * N + i] = s;
}

static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }

/* How many threads of those that `same` finds alike with i in [from, to), and how many of these come before i. */
template <class Same> static bool counts(unsigned size, unsigned rank, unsigned i, unsigned from, unsigned to, Same same)
{
    unsigned all = 0, before = 0;
    for (unsigned k = from; k < to; k++)
        if (same(k))
            all++, before += k < i;
    return all == size && before == rank;
}

static void check(unsigned size)
{
    static seen got[2 * N];
    seen *d;
    int tiles = 0, inner = 0, fixed = 0, grid = 0, sums = 0, votes = 0, labels = 0, odds = 0;
    NEED(cudaMalloc(&d, sizeof got));
    divide<<<2, N>>>(d, size);
    NEED(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned at = 0; at < 2 * N; at++) {
        seen &s = got[at];
        unsigned i = at % N, first = i / size * size, last = least(first + size, N), sum = 0;
        for (unsigned k = first; k < last; k++)
            sum += k * k + 1;
        tiles += s.tile_size == last - first && s.tile_rank == i - first;
        inner += s.inner_size == least(least(4, size), N - i / 4 * 4) && s.inner_rank == i % least(4, size);
        fixed += i >= 64 || (s.static_size == 16 && s.static_rank == i % 16);
        grid += s.grid_size == 2 * N && s.grid_rank == at;
        sums += s.sum == sum;
        votes += s.all == (i / 8 != 9) + 2u + 4u * (i / 32 != 1) && s.any == (i / 8 == 9) + 2u * (i / 32 == 1);
        unsigned eight = i / 8 * 8;
        labels += i >= 72 || (counts(s.label_size, s.label_rank, i, eight, eight + 8, [=](unsigned k) { return k % 3 == i % 3; }) &&
                              counts(s.yes_size, s.yes_rank, i, eight, eight + 8, [=](unsigned k) { return (k % 5 == 0) == (i % 5 == 0); }));
        unsigned among = least(16, (N - i / 32 * 32) / 2), rank = i % 32 / 2;
        odds += i % 2 == 0 || (s.odd_size == least(5, among - rank / 5 * 5) && s.odd_rank == rank % 5 && s.odd_place == rank / 5 && s.odd_places == (among + 4) / 5);
    }
    CHECK("a_tile_has_the_size_that_was_asked_for", tiles == 2 * N);
    CHECK("tiles_of_tiles", inner == 2 * N);
    CHECK("tiles_of_a_warp", fixed == 2 * N);
    CHECK("a_grid_is_a_thread_group", grid == 2 * N);
    CHECK("threads_of_a_tile_meet", sums == 2 * N);
    CHECK("votes_in_an_odd_warp_are_of_those_who_are_there", votes == 2 * N);
    CHECK("labels_and_predicates_divide_the_tile_and_no_more", labels == 2 * N);
    CHECK("coalesced_threads_are_divided_by_rank", odds == 2 * N);
}

int main()
{
    for (unsigned size = 1; size <= 32; size *= 2)
        check(size);
    return check_failures != 0;
}
