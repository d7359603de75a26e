/* SPDX-License-Identifier: Apache-2.0 */
/* Cooperative groups: names for the threads that work together, and what they can do together. Groups over several devices
   are not supported. */
#ifndef HOSTWARP_COOPERATIVE_GROUPS_H
#define HOSTWARP_COOPERATIVE_GROUPS_H

#include "hostwarp/words_push.h"

#if !defined(__cplusplus) || !defined(__CUDA__)
#error "cooperative_groups.h is for CUDA C++"
#endif

#include "cuda_runtime.h"

namespace cooperative_groups {

namespace details {

static __device__ inline unsigned lane() { return __nvvm_read_ptx_sreg_laneid(); }
static __device__ inline unsigned lanes_below(unsigned mask) { return (unsigned)__popc(mask & ((1u << lane()) - 1)); }

static __device__ inline unsigned thread_in_block()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

static __device__ inline unsigned threads_of_block() { return blockDim.x * blockDim.y * blockDim.z; }

/* Values of any trivially copyable type travel between lanes word by word. */
template <class T, class Move> static __device__ inline T move_words(const T &value, Move move)
{
    enum { words = (sizeof(T) + 3) / 4 };
    unsigned w[words];
    T out;
    w[words - 1] = 0;
    __builtin_memcpy(w, &value, sizeof(T));
    for (int i = 0; i < words; i++)
        w[i] = move(w[i]);
    __builtin_memcpy(&out, w, sizeof(T));
    return out;
}

/* Which lane is the n-th of a mask. */
static __device__ inline unsigned nth_lane(unsigned mask, unsigned n)
{
    while (n--)
        mask &= mask - 1;
    return (unsigned)__ffs((int)mask) - 1;
}

/* The lanes of this warp that are threads of the block: all, but for the last warp of an odd block. */
static __device__ inline unsigned lanes_of_block()
{
    unsigned rest = threads_of_block() - (thread_in_block() & ~31u);
    return rest >= 32 ? ~0u : (1u << rest) - 1;
}

/* Which lanes of a mask are in this lane's tile, when neighbours of the mask are tiles of that size. */
static __device__ inline unsigned tile_of_lanes(unsigned mask, unsigned size)
{
    unsigned first = lanes_below(mask) / size * size, tile = 0;
    for (unsigned rank = 0; mask; mask &= mask - 1, rank++)
        if (rank - first < size)
            tile |= mask & (0u - mask);
    return tile;
}

static __device__ inline unsigned long long threads_of_grid();
static __device__ inline unsigned long long thread_in_grid();
static __device__ inline void sync_grid();

}

/* ---- any group ---- */

class thread_group {
  public:
    enum kind { block_kind, lanes_kind, grid_kind };
    __device__ explicit thread_group(kind k, unsigned mask) : kind_(k), mask_(mask) {}

    __device__ unsigned long long size() const
    {
        return kind_ == lanes_kind ? (unsigned)__popc(mask_) : kind_ == block_kind ? details::threads_of_block() : details::threads_of_grid();
    }
    __device__ unsigned long long num_threads() const { return size(); }
    __device__ unsigned long long thread_rank() const
    {
        return kind_ == lanes_kind ? details::lanes_below(mask_) : kind_ == block_kind ? details::thread_in_block() : details::thread_in_grid();
    }
    __device__ bool is_valid() const { return true; }
    __device__ void sync() const
    {
        if (kind_ == block_kind)
            __syncthreads();
        else if (kind_ == lanes_kind)
            __syncwarp(mask_);
        else
            details::sync_grid();
    }
    __device__ unsigned lane_mask() const { return kind_ == lanes_kind ? mask_ : details::lanes_of_block(); }

  private:
    kind kind_;
    unsigned mask_;
};

/* ---- the block ---- */

namespace details {

/* Where the warps of tiles larger than a warp meet and leave values for each other: one place for each warp of a block.
   A tile uses the meeting place of its first warp. */
struct tile_memory {
    struct {
        unsigned here, meetings;
    } place[32];
    alignas(16) unsigned char value[32][16];
};

}

/* Tiles larger than a warp need it. It is to be in shared memory, and handed to this_thread_block(). */
template <unsigned MaxBlockSize = 1024> struct block_tile_memory {
    details::tile_memory memory_;
};

class thread_block {
  public:
    thread_block() = default;
    __device__ explicit thread_block(details::tile_memory *memory) : memory_(memory) {}
    __device__ details::tile_memory *memory() const { return memory_; }
    static __device__ void sync() { __syncthreads(); }
    /* The two halves of sync(); threads meet in the second. */
    struct arrival_token {};
    static __device__ arrival_token barrier_arrive() { return arrival_token(); }
    static __device__ void barrier_wait(arrival_token &&) { __syncthreads(); }
    static __device__ unsigned lane_mask() { return details::lanes_of_block(); }
    static __device__ unsigned thread_rank() { return details::thread_in_block(); }
    static __device__ unsigned size() { return details::threads_of_block(); }
    static __device__ unsigned num_threads() { return size(); }
    static __device__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    static __device__ dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
    static __device__ dim3 group_dim() { return dim3(blockDim.x, blockDim.y, blockDim.z); }
    static __device__ dim3 dim_threads() { return group_dim(); }
    __device__ bool is_valid() const { return true; }
    __device__ operator thread_group() const { return thread_group(thread_group::block_kind, 0); }

  private:
    details::tile_memory *memory_ = nullptr;
};

static __device__ inline thread_block this_thread_block() { return thread_block(); }

/* All threads of the block come here. */
template <unsigned Max> static __device__ inline thread_block this_thread_block(block_tile_memory<Max> &memory)
{
    for (unsigned i = details::thread_in_block(); i < 32; i += details::threads_of_block())
        memory.memory_.place[i].here = memory.memory_.place[i].meetings = 0;
    __syncthreads();
    return thread_block(&memory.memory_);
}

/* ---- the grid ---- */

namespace details {

/* Where the blocks of a grid meet. A grid takes the place of its number, so that grids that run at the same time have
   different ones, and leaves it as it was but for the count of meetings. */
struct grid_place {
    unsigned here, meetings;
};
template <int n> struct grid_places {
    static __device__ grid_place at[n];
};
template <int n> __device__ grid_place grid_places<n>::at[n];

static __device__ inline unsigned long long grid_number()
{
    unsigned long long id;
    __asm__ volatile("mov.u64 %0, %%gridid;" : "=l"(id));
    return id;
}
static __device__ inline grid_place *place_of_grid() { return &grid_places<256>::at[grid_number() % 256]; }

/* One thread of each block. Returns the meeting that a block has arrived at. */
static __device__ inline unsigned grid_arrive(grid_place *place, unsigned blocks)
{
    __threadfence();
    unsigned meeting = *(volatile unsigned *)&place->meetings;
    if (atomicAdd(&place->here, 1u) == blocks - 1) {
        *(volatile unsigned *)&place->here = 0;
        __threadfence();
        atomicAdd(&place->meetings, 1u);
    }
    return meeting;
}

static __device__ inline void grid_await(grid_place *place, unsigned meeting)
{
    while (*(volatile unsigned *)&place->meetings == meeting)
        __nanosleep(100);
    __threadfence();
}

}

class grid_group {
  public:
    /* Measured: true from the context's first cooperative launch on, also in plain launches behind it. Only a cooperative one promises that all blocks
       run at the same time. */
    __device__ bool is_valid() const
    {
        unsigned high, low;
        asm volatile("mov.u32 %0, %%envreg1;" : "=r"(high));
        asm volatile("mov.u32 %0, %%envreg2;" : "=r"(low));
        return high || low;
    }
    __device__ void sync() const
    {
        if (!is_valid())
            __trap();
        __syncthreads();
        if (details::thread_in_block() == 0) {
            details::grid_place *place = details::place_of_grid();
            details::grid_await(place, details::grid_arrive(place, (unsigned)num_blocks()));
        }
        __syncthreads();
    }
    /* The two halves of sync(). The token is good for the meeting that it was given for. */
    typedef unsigned arrival_token;
    __device__ arrival_token barrier_arrive() const
    {
        if (!is_valid())
            __trap();
        details::grid_place *place = details::place_of_grid();
        arrival_token token = *(volatile unsigned *)&place->meetings;
        __syncthreads();
        if (details::thread_in_block() == 0)
            details::grid_arrive(place, (unsigned)num_blocks());
        return token;
    }
    __device__ void barrier_wait(arrival_token &&token) const
    {
        if (details::thread_in_block() == 0)
            details::grid_await(details::place_of_grid(), token);
        __syncthreads();
    }
    static __device__ unsigned long long size() { return num_blocks() * details::threads_of_block(); }
    static __device__ unsigned long long num_threads() { return size(); }
    static __device__ unsigned long long num_blocks() { return (unsigned long long)gridDim.x * gridDim.y * gridDim.z; }
    static __device__ unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    static __device__ unsigned long long thread_rank()
    {
        return block_rank() * details::threads_of_block() + details::thread_in_block();
    }
    static __device__ dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
    static __device__ dim3 dim_blocks() { return group_dim(); }
    static __device__ dim3 block_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
    __device__ operator thread_group() const { return thread_group(thread_group::grid_kind, 0); }
};

namespace details {

static __device__ inline unsigned long long threads_of_grid() { return grid_group::size(); }
static __device__ inline unsigned long long thread_in_grid() { return grid_group::thread_rank(); }
static __device__ inline void sync_grid() { grid_group().sync(); }

}

static __device__ inline grid_group this_grid() { return grid_group(); }

/* ---- lanes of one warp ---- */

/* What tiles and coalesced groups share: a mask of lanes, and talking to each other by rank. */
class coalesced_group {
  public:
    __device__ explicit coalesced_group(unsigned mask, unsigned meta_rank = 0, unsigned meta_size = 1)
        : mask_(mask), meta_rank_(meta_rank), meta_size_(meta_size)
    {
    }

    __device__ unsigned size() const { return (unsigned)__popc(mask_); }
    __device__ unsigned num_threads() const { return size(); }
    __device__ unsigned thread_rank() const { return details::lanes_below(mask_); }
    __device__ unsigned meta_group_rank() const { return meta_rank_; }
    __device__ unsigned meta_group_size() const { return meta_size_; }
    __device__ bool is_valid() const { return true; }
    __device__ void sync() const { __syncwarp(mask_); }
    __device__ unsigned lane_mask() const { return mask_; }
    __device__ operator thread_group() const { return thread_group(thread_group::lanes_kind, mask_); }

    template <class T> __device__ T shfl(T value, unsigned rank) const
    {
        unsigned from = details::nth_lane(mask_, rank % size());
        return pull(value, from);
    }
    template <class T> __device__ T shfl_up(T value, int delta) const
    {
        unsigned rank = thread_rank();
        return pull(value, rank >= (unsigned)delta ? details::nth_lane(mask_, rank - (unsigned)delta) : details::lane());
    }
    template <class T> __device__ T shfl_down(T value, int delta) const
    {
        unsigned rank = thread_rank();
        return pull(value, rank + (unsigned)delta < size() ? details::nth_lane(mask_, rank + (unsigned)delta) : details::lane());
    }

    __device__ int any(int predicate) const { return (__ballot_sync(mask_, predicate) & mask_) != 0; }
    __device__ int all(int predicate) const { return (__ballot_sync(mask_, predicate) & mask_) == mask_; }
    __device__ unsigned ballot(int predicate) const { return pack(__ballot_sync(mask_, predicate)); }
    template <class T> __device__ unsigned match_any(T value) const { return pack(__match_any_sync(mask_, value)); }
    template <class T> __device__ unsigned match_all(T value, int &predicate) const
    {
        return pack(__match_all_sync(mask_, value, &predicate));
    }

  private:
    template <class T> __device__ T pull(T value, unsigned from) const
    {
        unsigned mask = mask_;
        return details::move_words(value, [=](unsigned w) { return __shfl_sync(mask, w, (int)from); });
    }
    /* Bits by lane become bits by rank. */
    __device__ unsigned pack(unsigned bits) const
    {
        unsigned out = 0, rank = 0;
        for (unsigned rest = mask_; rest; rest &= rest - 1, rank++)
            out |= (bits >> (__ffs((int)rest) - 1) & 1u) << rank;
        return out;
    }
    unsigned mask_, meta_rank_, meta_size_;
};

static __device__ inline coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

namespace details {

/* Which of its parent's tiles this one is, and how many there are. */
template <unsigned Size, class Parent> struct tile_place {
    static __device__ unsigned rank() { return thread_in_block() / Size; }
    static __device__ unsigned count() { return (threads_of_block() + Size - 1) / Size; }
};

}

/* A tile: Size neighbouring threads of a block, a power of two. Several warps long ones come further below. */
template <unsigned Size, class Parent = void, bool Large = (Size > 32)> class thread_block_tile {
    static_assert(Size > 0 && (Size & (Size - 1)) == 0, "tiles are powers of two");

  public:
    thread_block_tile() = default;
    template <class Any> __device__ explicit thread_block_tile(const Any &) {}
    /* Functions take tiles without naming the parent; who is asked for its place among tiles then answers for the block. */
    template <class Other> __device__ thread_block_tile(const thread_block_tile<Size, Other> &) {}
    static __device__ unsigned thread_rank() { return details::lane() & (Size - 1); }
    static __device__ constexpr unsigned size() { return Size; }
    static __device__ constexpr unsigned num_threads() { return Size; }
    static __device__ unsigned meta_group_rank() { return details::tile_place<Size, Parent>::rank(); }
    static __device__ unsigned meta_group_size() { return details::tile_place<Size, Parent>::count(); }
    static __device__ void sync() { __syncwarp(lane_mask()); }
    static __device__ unsigned lane_mask()
    {
        return (Size == 32 ? ~0u : (1u << (Size & 31)) - 1) << (details::lane() & ~(Size - 1));
    }
    __device__ bool is_valid() const { return true; }
    __device__ operator thread_group() const { return thread_group(thread_group::lanes_kind, lane_mask()); }

    template <class T> __device__ T shfl(T value, int rank) const
    {
        unsigned mask = lane_mask();
        return details::move_words(value, [=](unsigned w) { return __shfl_sync(mask, w, rank, Size); });
    }
    template <class T> __device__ T shfl_up(T value, int delta) const
    {
        unsigned mask = lane_mask();
        return details::move_words(value, [=](unsigned w) { return __shfl_up_sync(mask, w, (unsigned)delta, Size); });
    }
    template <class T> __device__ T shfl_down(T value, int delta) const
    {
        unsigned mask = lane_mask();
        return details::move_words(value, [=](unsigned w) { return __shfl_down_sync(mask, w, (unsigned)delta, Size); });
    }
    template <class T> __device__ T shfl_xor(T value, int lanes) const
    {
        unsigned mask = lane_mask();
        return details::move_words(value, [=](unsigned w) { return __shfl_xor_sync(mask, w, lanes, Size); });
    }

    __device__ int any(int predicate) const { return __any_sync(lane_mask(), predicate); }
    __device__ int all(int predicate) const { return __all_sync(lane_mask(), predicate); }
    __device__ unsigned ballot(int predicate) const { return own(__ballot_sync(lane_mask(), predicate)); }
    template <class T> __device__ unsigned match_any(T value) const { return own(__match_any_sync(lane_mask(), value)); }
    template <class T> __device__ unsigned match_all(T value, int &predicate) const
    {
        return own(__match_all_sync(lane_mask(), value, &predicate));
    }

  private:
    static __device__ unsigned own(unsigned bits)
    {
        return (bits & lane_mask()) >> (details::lane() & ~(Size - 1));
    }
};

namespace details {

template <unsigned Size, unsigned Outer, class Parent> struct tile_place<Size, thread_block_tile<Outer, Parent>> {
    static __device__ unsigned rank() { return (thread_in_block() & (Outer - 1)) / Size; }
    static __device__ unsigned count() { return Outer / Size; }
};

}

/* A tile of several warps, which meet in the memory that the block was given. */
template <unsigned Size, class Parent> class thread_block_tile<Size, Parent, true> {
    static_assert(Size <= 1024 && (Size & (Size - 1)) == 0, "tiles are powers of two, up to a block");

  public:
    template <class Any> __device__ explicit thread_block_tile(const Any &parent) : memory_(parent.memory()) {}
    __device__ details::tile_memory *memory() const { return memory_; }
    static __device__ unsigned thread_rank() { return details::thread_in_block() & (Size - 1); }
    static __device__ constexpr unsigned size() { return Size; }
    static __device__ constexpr unsigned num_threads() { return Size; }
    static __device__ unsigned meta_group_rank() { return details::tile_place<Size, Parent>::rank(); }
    static __device__ unsigned meta_group_size() { return details::tile_place<Size, Parent>::count(); }
    __device__ bool is_valid() const { return memory_ != nullptr; }
    __device__ void sync() const
    {
        auto &place = memory_->place[first_warp()];
        __syncwarp();
        if (details::lane() == 0) {
            __threadfence_block();
            unsigned meeting = *(volatile unsigned *)&place.meetings;
            if (atomicAdd(&place.here, 1u) == Size / 32 - 1) {
                place.here = 0;
                __threadfence_block();
                atomicAdd(&place.meetings, 1u);
            } else {
                while (*(volatile unsigned *)&place.meetings == meeting)
                    __nanosleep(20);
            }
            __threadfence_block();
        }
        __syncwarp();
    }
    template <class T> __device__ T shfl(T value, int rank) const
    {
        if (thread_rank() == (unsigned)rank % Size)
            *slot<T>(first_warp()) = value;
        sync();
        T got = *slot<T>(first_warp());
        sync();
        return got;
    }
    __device__ int any(int predicate) const { return combine(__any_sync(~0u, predicate), [](int a, int b) { return a | b; }); }
    __device__ int all(int predicate) const { return combine(__all_sync(~0u, predicate), [](int a, int b) { return a & b; }); }

    /* One value for each warp becomes one for the tile, in the order of the warps. */
    template <class T, class Op> __device__ T combine(T of_warp, Op op) const
    {
        if (details::lane() == 0)
            *slot<T>(details::thread_in_block() / 32) = of_warp;
        sync();
        T all = *slot<T>(first_warp());
        for (unsigned w = 1; w < Size / 32; w++)
            all = op(all, *slot<T>(first_warp() + w));
        sync();
        return all;
    }

  private:
    static __device__ unsigned first_warp() { return (details::thread_in_block() & ~(Size - 1)) / 32; }
    template <class T> __device__ T *slot(unsigned warp) const
    {
        static_assert(sizeof(T) <= 16, "values of up to 16 bytes");
        return (T *)(void *)memory_->value[warp];
    }
    details::tile_memory *memory_;
};

/* ---- a thread alone ---- */

class thread {
  public:
    static __device__ constexpr unsigned size() { return 1; }
    static __device__ constexpr unsigned num_threads() { return 1; }
    static __device__ constexpr unsigned thread_rank() { return 0; }
    static __device__ void sync() {}
    __device__ bool is_valid() const { return true; }
    __device__ operator thread_group() const { return thread_group(thread_group::lanes_kind, 1u << details::lane()); }
};

static __device__ inline thread this_thread() { return thread(); }

/* ---- dividing groups ---- */

template <unsigned Size, class Parent> static __device__ inline thread_block_tile<Size, Parent> tiled_partition(const Parent &parent)
{
    return thread_block_tile<Size, Parent>(parent);
}

/* Tiles whose size the kernel computes: neighbours by rank, up to a warp. */
static __device__ inline thread_group tiled_partition(const thread_group &parent, unsigned size)
{
    return thread_group(thread_group::lanes_kind, details::tile_of_lanes(parent.lane_mask(), size));
}

static __device__ inline coalesced_group tiled_partition(const coalesced_group &parent, unsigned size)
{
    return coalesced_group(details::tile_of_lanes(parent.lane_mask(), size), parent.thread_rank() / size, (parent.size() + size - 1) / size);
}

/* Lanes of a group that agree on a label, or on a predicate, are one group each. */
template <class Group, class Label> static __device__ inline coalesced_group labeled_partition(const Group &group, Label label)
{
    return coalesced_group(__match_any_sync(group.lane_mask() & details::lanes_of_block(), label));
}

template <class Group> static __device__ inline coalesced_group binary_partition(const Group &group, bool predicate)
{
    unsigned lanes = group.lane_mask() & details::lanes_of_block(), yes = __ballot_sync(lanes, predicate) & lanes;
    return coalesced_group(predicate ? yes : lanes & ~yes);
}

/* ---- the same as functions ---- */

template <class Group> static __device__ inline void sync(const Group &g) { g.sync(); }
template <class Group> static __device__ inline unsigned long long thread_rank(const Group &g) { return g.thread_rank(); }
template <class Group> static __device__ inline unsigned long long group_size(const Group &g) { return g.size(); }

/* One thread of the group does something for all, or works out a value for all. */
template <class Group, class F, class... Args> static __device__ inline void invoke_one(const Group &g, F &&f, Args &&...args)
{
    if (g.thread_rank() == 0)
        static_cast<F &&>(f)(static_cast<Args &&>(args)...);
}
template <class Group, class F, class... Args>
static __device__ inline auto invoke_one_broadcast(const Group &g, F &&f, Args &&...args) -> decltype(f(static_cast<Args &&>(args)...))
{
    decltype(f(static_cast<Args &&>(args)...)) value{};
    if (g.thread_rank() == 0)
        value = static_cast<F &&>(f)(static_cast<Args &&>(args)...);
    return g.shfl(value, 0);
}

}

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#include "hostwarp/group_cluster.h"
#endif

#include "hostwarp/words_pop.h"

#endif
