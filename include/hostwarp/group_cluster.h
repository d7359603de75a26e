/* SPDX-License-Identifier: Apache-2.0 */
/* The cluster as a group of threads, over what clang has for sm_90. A cluster is one block on this device, and code for several does not load. Part of
   cooperative_groups.h. */
#ifndef HOSTWARP_GROUP_CLUSTER_H
#define HOSTWARP_GROUP_CLUSTER_H

namespace cooperative_groups {

class cluster_group {
  public:
    struct arrival_token {};
    static __device__ void sync()
    {
        __cluster_barrier_arrive();
        __cluster_barrier_wait();
    }
    static __device__ arrival_token barrier_arrive()
    {
        __cluster_barrier_arrive();
        return arrival_token();
    }
    static __device__ void barrier_wait() { __cluster_barrier_wait(); }
    static __device__ void barrier_wait(arrival_token &&) { __cluster_barrier_wait(); }
    static __device__ unsigned int query_shared_rank(const void *address) { return __cluster_query_shared_rank(address); }
    template <class T> static __device__ T *map_shared_rank(T *address, int rank)
    {
        return (T *)__cluster_map_shared_rank((const void *)address, (unsigned int)rank);
    }
    static __device__ dim3 block_index() { return __clusterRelativeBlockIdx(); }
    static __device__ unsigned int block_rank() { return __clusterRelativeBlockRank(); }
    static __device__ unsigned int num_blocks() { return __clusterSizeInBlocks(); }
    static __device__ dim3 dim_blocks() { return __clusterDim(); }
    static __device__ dim3 thread_index()
    {
        dim3 b = block_index();
        return dim3(b.x * blockDim.x + threadIdx.x, b.y * blockDim.y + threadIdx.y, b.z * blockDim.z + threadIdx.z);
    }
    static __device__ dim3 dim_threads()
    {
        dim3 n = dim_blocks();
        return dim3(n.x * blockDim.x, n.y * blockDim.y, n.z * blockDim.z);
    }
    static __device__ unsigned int thread_rank() { return block_rank() * details::threads_of_block() + details::thread_in_block(); }
    static __device__ unsigned int num_threads() { return num_blocks() * details::threads_of_block(); }
    static __device__ unsigned int size() { return num_threads(); }
    __device__ bool is_valid() const { return true; }
};

static __device__ inline cluster_group this_cluster() { return cluster_group(); }

}

#endif
