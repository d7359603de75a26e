// SPDX-License-Identifier: Apache-2.0
// Warp functions and cooperative groups: what each lane gets, against the host's idea of it.
#include "runtime_check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <vector>

namespace cg = cooperative_groups;

enum { N = 96 };

__host__ __device__ static unsigned value_of(unsigned i)
{
    i ^= i >> 7;
    i *= 0x2c1b3c6du;
    return i ^ i >> 12;
}

enum part {
    REDUCE_ADD, REDUCE_MIN_S, REDUCE_MAX_U, REDUCE_XOR, MATCH, TILE_RANK, TILE_META, TILE_SHFL, TILE_XOR, TILE_SUM, WARP_BALLOT,
    ACTIVE_SIZE, ACTIVE_FIRST, ACTIVE_RANK, GRID_RANK, TILE_BALLOT, PARTS
};

__global__ void lanes(unsigned *out, int part)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, v = value_of(i), r = 0;
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(warp);
    switch (part) {
    case REDUCE_ADD: r = __reduce_add_sync(~0u, v); break;
    case REDUCE_MIN_S: r = (unsigned)__reduce_min_sync(~0u, (int)v); break;
    case REDUCE_MAX_U: r = __reduce_max_sync(~0u, v); break;
    case REDUCE_XOR: r = __reduce_xor_sync(~0u, v); break;
    case MATCH: r = __match_any_sync(~0u, v % 5); break;
    case TILE_RANK: r = eight.thread_rank(); break;
    case TILE_META: r = eight.meta_group_rank() * 100 + eight.meta_group_size(); break;
    case TILE_SHFL: r = eight.shfl(v, 5); break;
    case TILE_XOR: r = (unsigned)(eight.shfl_xor((unsigned long long)v << 9, 3) >> 9); break;
    case TILE_SUM: r = cg::reduce(eight, v, cg::plus<unsigned>()); break;
    case WARP_BALLOT: r = warp.ballot(v & 1); break;
    case ACTIVE_SIZE: if (v & 2) r = cg::coalesced_threads().size(); break;
    case ACTIVE_FIRST: if (v & 2) r = cg::coalesced_threads().shfl(v, 0); break;
    case ACTIVE_RANK: if (v & 2) r = cg::coalesced_threads().thread_rank(); break;
    case GRID_RANK: r = (unsigned)cg::this_grid().thread_rank(); break;
    case TILE_BALLOT: r = eight.ballot(v & 1); break;
    }
    block.sync();
    out[i] = r;
}

static unsigned want(int part, unsigned i)
{
    unsigned base = i & ~31u, lane = i & 31, v = value_of(i), r = 0, active = 0;
    for (unsigned k = 0; k < 32; k++)
        active |= (value_of(base + k) & 2 ? 1u : 0u) << k;
    switch (part) {
    case REDUCE_ADD: for (unsigned k = 0; k < 32; k++) r += value_of(base + k); break;
    case REDUCE_XOR: for (unsigned k = 0; k < 32; k++) r ^= value_of(base + k); break;
    case REDUCE_MIN_S: r = v; for (unsigned k = 0; k < 32; k++) r = (int)value_of(base + k) < (int)r ? value_of(base + k) : r; break;
    case REDUCE_MAX_U: for (unsigned k = 0; k < 32; k++) r = value_of(base + k) > r ? value_of(base + k) : r; break;
    case MATCH: for (unsigned k = 0; k < 32; k++) r |= (value_of(base + k) % 5 == v % 5 ? 1u : 0u) << k; break;
    case TILE_RANK: r = lane % 8; break;
    case TILE_META: r = lane / 8 * 100 + 4; break;
    case TILE_SHFL: r = value_of(i - lane % 8 + 5); break;
    case TILE_XOR: r = value_of(i ^ 3); break;
    case TILE_SUM: for (unsigned k = 0; k < 8; k++) r += value_of(i - lane % 8 + k); break;
    case WARP_BALLOT: for (unsigned k = 0; k < 32; k++) r |= (value_of(base + k) & 1) << k; break;
    case ACTIVE_SIZE: r = v & 2 ? (unsigned)__builtin_popcount(active) : 0; break;
    case ACTIVE_FIRST: r = v & 2 ? value_of(base + (unsigned)__builtin_ctz(active)) : 0; break;
    case ACTIVE_RANK: r = v & 2 ? (unsigned)__builtin_popcount(active & ((1u << lane) - 1)) : 0; break;
    case GRID_RANK: r = i; break;
    case TILE_BALLOT: for (unsigned k = 0; k < 8; k++) r |= (value_of(i - lane % 8 + k) & 1) << k; break;
    }
    return r;
}

/* Tiles of several warps meet, reduce, vote and hand values around, each for itself. */
template <unsigned Size> __global__ void large_tiles(unsigned *out)
{
    __shared__ cg::block_tile_memory<256> memory;
    __shared__ unsigned left[256];
    cg::thread_block block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<Size>(block);
    unsigned i = threadIdx.x, sum = cg::reduce(tile, value_of(i), cg::plus<unsigned>());
    left[i] = i;
    tile.sync();
    unsigned neighbour = left[i - i % Size + (i + 40) % Size], first = tile.shfl(i, 0);
    out[i] = sum + neighbour * 3 + first * 5 + (tile.any(i == 77) ? 1000000 : 0) + (tile.all(i < 200) ? 2000000 : 0) +
             tile.meta_group_rank() * 10000000 + (tile.meta_group_size() == 256 / Size && tile.thread_rank() == i % Size ? 0 : 1);
}

template <unsigned Size> static int wrong_in_large_tiles()
{
    unsigned got[256], *d;
    int wrong = 0;
    NEED(cudaMalloc(&d, sizeof got));
    large_tiles<Size><<<1, 256>>>(d);
    NEED(cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < 256; i++) {
        unsigned base = i - i % Size, want = (base + (i + 40) % Size) * 3 + base * 5 + i / Size * 10000000;
        for (unsigned k = 0; k < Size; k++)
            want += value_of(base + k);
        want += (77 >= base && 77 < base + Size ? 1000000 : 0) + (base + Size <= 200 ? 2000000 : 0);
        wrong += got[i] != want;
    }
    return wrong;
}

int main()
{
    static const char *const rules[PARTS] = {
        "reduce_add", "reduce_min_is_signed_for_int", "reduce_max_is_unsigned_for_unsigned", "reduce_xor", "match_any", "rank_in_a_tile",
        "place_of_a_tile_in_its_parent", "shuffle_in_a_tile", "xor_shuffle_of_64_bits", "sum_over_a_tile", "ballot_of_a_warp",
        "active_lanes_are_counted", "the_first_active_lane_is_rank_0", "rank_among_active_lanes", "rank_in_the_grid", "ballot_of_a_tile",
    };
    std::vector<unsigned> got(2 * N);
    unsigned *d;
    NEED(cudaMalloc(&d, 2 * N * sizeof *d));
    for (int part = 0; part < PARTS; part++) {
        lanes<<<2, N>>>(d, part);
        NEED(cudaMemcpy(got.data(), d, 2 * N * sizeof *d, cudaMemcpyDeviceToHost));
        int wrong = 0;
        for (unsigned i = 0; i < 2 * N; i++)
            wrong += got[i] != want(part, i);
        CHECK(rules[part], wrong == 0);
    }
    CHECK("tiles_of_two_warps", wrong_in_large_tiles<64>() == 0);
    CHECK("tiles_of_four_warps", wrong_in_large_tiles<128>() == 0);
    return check_failures != 0;
}
