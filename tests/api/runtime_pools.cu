// SPDX-License-Identifier: Apache-2.0
// Stream-ordered allocation: order, reuse, pools and their attributes.
#include "runtime_check.h"
#include <cuda.h>
#include <stdint.h>
#include <vector>

__global__ void fill(int *p, int n, int v) { for (int i = threadIdx.x; i < n; i += blockDim.x) p[i] = v; }
__global__ void wait_for(volatile int *go) { while (!*go) { } }

static unsigned long long attribute(cudaMemPool_t pool, cudaMemPoolAttr a)
{
    unsigned long long v = 0;
    NEED(cudaMemPoolGetAttribute(pool, a, &v));
    return v;
}

static void order(cudaStream_t s)
{
    int *p = NULL, *q = NULL, got[64];
    CHECK_OK("memory_in_stream_order", cudaMallocAsync(&p, sizeof got, s));
    fill<<<1, 32, 0, s>>>(p, 64, 5);
    CHECK_OK("and_a_copy_from_it", cudaMemcpyAsync(got, p, sizeof got, cudaMemcpyDeviceToHost, s));
    CHECK_OK("and_the_free", cudaFreeAsync(p, s));
    CHECK_ERR("not_twice", cudaFreeAsync(p, s), cudaErrorInvalidValue);
    NEED(cudaMallocAsync(&q, sizeof got, s));
    CHECK("the_same_stream_gets_it_again_at_once", q == p);
    NEED(cudaStreamSynchronize(s));
    CHECK("the_kernel_wrote_it", got[0] == 5 && got[63] == 5);
    CHECK_OK("cudaFree_takes_it_too", cudaFree(q));
    CHECK_OK("null_is_fine", cudaFreeAsync(NULL, s));
}

/* While a stream has not come to its free, no other stream gets the memory. */
static void reuse_waits(cudaStream_t s, cudaStream_t other)
{
    volatile int *go;
    void *p, *q, *r;
    NEED(cudaHostAlloc((void **)&go, 4, cudaHostAllocMapped));
    *go = 0;
    NEED(cudaMallocAsync(&p, 4096, s));
    wait_for<<<1, 1, 0, s>>>(go);
    NEED(cudaGetLastError());
    NEED(cudaFreeAsync(p, s));
    NEED(cudaMallocAsync(&q, 4096, other));
    CHECK("another_stream_gets_other_memory_while_the_free_is_pending", q != p);
    *go = 1;
    NEED(cudaStreamSynchronize(s));
    NEED(cudaMallocAsync(&r, 4096, s));
    NEED(cudaFreeAsync(q, other));
    NEED(cudaFreeAsync(r, s));
    NEED(cudaDeviceSynchronize());
    NEED(cudaFreeHost((void *)go));
}

static void attributes(cudaStream_t s)
{
    cudaMemPoolProps props = {};
    cudaMemPool_t pool, now, base;
    unsigned long long keep = UINT64_MAX, zero = 0, one = 1;
    void *p;
    props.allocType = cudaMemAllocationTypePinned;
    props.location.type = cudaMemLocationTypeDevice;
    CHECK_OK("a_pool_of_ones_own", cudaMemPoolCreate(&pool, &props));
    CHECK("it_is_empty", attribute(pool, cudaMemPoolAttrReservedMemCurrent) == 0);
    NEED(cudaMallocFromPoolAsync(&p, 1 << 20, pool, s));
    CHECK("what_is_used_counts", attribute(pool, cudaMemPoolAttrUsedMemCurrent) == 1 << 20);
    CHECK("reserved_is_at_least_that", attribute(pool, cudaMemPoolAttrReservedMemCurrent) >= 1 << 20);
    NEED(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep));
    NEED(cudaFreeAsync(p, s));
    NEED(cudaStreamSynchronize(s));
    CHECK("nothing_is_used", attribute(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
    CHECK("below_the_threshold_it_is_kept", attribute(pool, cudaMemPoolAttrReservedMemCurrent) > 0);
    CHECK_OK("trim", cudaMemPoolTrimTo(pool, 0));
    CHECK("trimming_gives_it_back", attribute(pool, cudaMemPoolAttrReservedMemCurrent) == 0);
    CHECK("the_high_mark_stays", attribute(pool, cudaMemPoolAttrUsedMemHigh) == 1 << 20);
    CHECK_ERR("a_high_mark_is_set_to_zero_only", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &one), cudaErrorInvalidValue);
    CHECK_OK("zero", cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemHigh, &zero));
    CHECK("and_begins_anew", attribute(pool, cudaMemPoolAttrUsedMemHigh) == 0);

    NEED(cudaDeviceGetDefaultMemPool(&base, 0));
    NEED(cudaDeviceSetMemPool(0, pool));
    NEED(cudaDeviceGetMemPool(&now, 0));
    CHECK("it_can_be_the_current_pool", now == pool && now != base);
    NEED(cudaMallocAsync(&p, 100, s));
    CHECK("which_allocations_then_take", attribute(pool, cudaMemPoolAttrUsedMemCurrent) > 0);
    CHECK_OK("a_pool_can_go_before_its_memory", cudaMemPoolDestroy(pool));
    NEED(cudaDeviceGetMemPool(&now, 0));
    CHECK("then_the_default_pool_is_current", now == base);
    CHECK_OK("the_memory_still_works", cudaMemsetAsync(p, 0, 100, s));
    CHECK_OK("and_is_freed", cudaFreeAsync(p, s));
    NEED(cudaStreamSynchronize(s));
    CHECK_ERR("the_default_pool_cannot_go", cudaMemPoolDestroy(base), cudaErrorInvalidValue);
}

static void released_at_synchronisation(cudaStream_t s)
{
    cudaMemPool_t base;
    void *p;
    NEED(cudaDeviceGetDefaultMemPool(&base, 0));
    NEED(cudaMallocAsync(&p, 8 << 20, s));
    NEED(cudaFreeAsync(p, s));
    NEED(cudaDeviceSynchronize());
    CHECK("with_no_threshold_unused_memory_goes_at_a_synchronisation", attribute(base, cudaMemPoolAttrReservedMemCurrent) == 0);
}

/* Many sizes in a random order: what one holds is never given to another. */
static void churn(cudaStream_t s)
{
    std::vector<std::pair<int *, int>> live;
    uint32_t seed = 7;
    int wrong = 0, got;
    for (int i = 0; i < 2000; i++) {
        seed = seed * 1664525u + 1013904223u;
        if (live.size() < 40 && (seed >> 30)) {
            int n = 1 + (int)(seed >> 8) % 50000, *p;
            NEED(cudaMallocAsync(&p, n * sizeof(int), s));
            fill<<<1, 64, 0, s>>>(p, n, i);
            live.push_back({p + n - 1, i});
            NEED(cudaMemcpyAsync(&got, p, sizeof got, cudaMemcpyDeviceToHost, s));
            wrong += got != i;
            NEED(cudaFreeAsync(p, s));
            NEED(cudaMallocAsync(&p, n * sizeof(int), s));
            fill<<<1, 64, 0, s>>>(p, n, i);
            live.back() = {p, i};
        } else if (!live.empty()) {
            size_t k = seed % live.size();
            NEED(cudaMemcpyAsync(&got, live[k].first, sizeof got, cudaMemcpyDeviceToHost, s));
            NEED(cudaStreamSynchronize(s));
            wrong += got != live[k].second;
            NEED(cudaFreeAsync(live[k].first, s));
            live[k] = live.back();
            live.pop_back();
        }
    }
    for (auto &l : live)
        NEED(cudaFreeAsync(l.first, s));
    NEED(cudaStreamSynchronize(s));
    CHECK("no_two_hold_the_same_memory", wrong == 0);
}

/* What the device says of its pools, they do. */
static void what_is_claimed_works(cudaStream_t s)
{
    int types = 0, host = 0, fd = -1;
    NEED(cudaDeviceGetAttribute(&types, cudaDevAttrMemoryPoolSupportedHandleTypes, 0));
    NEED(cudaDeviceGetAttribute(&host, (cudaDeviceAttr)CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED, 0));
    CHECK("pools_can_be_shared", types & cudaMemHandleTypePosixFileDescriptor);
    CHECK("pools_may_be_of_the_host", host);
    cudaMemPoolProps props = {};
    props.allocType = cudaMemAllocationTypePinned;
    props.handleTypes = cudaMemHandleTypePosixFileDescriptor;
    props.location.type = cudaMemLocationTypeDevice;
    cudaMemPool_t pool, on_host;
    CHECK_OK("a_pool_to_share", cudaMemPoolCreate(&pool, &props));
    CHECK_OK("has_a_handle", cudaMemPoolExportToShareableHandle(&fd, pool, cudaMemHandleTypePosixFileDescriptor, 0));
    CHECK("which_is_a_descriptor", fd >= 0);
    NEED(cudaMemPoolDestroy(pool));
    props.handleTypes = cudaMemHandleTypeNone;
    props.location.type = cudaMemLocationTypeHost;
    int *p;
    CHECK_OK("a_pool_of_the_host", cudaMemPoolCreate(&on_host, &props));
    CHECK_OK("gives_memory", cudaMallocFromPoolAsync(&p, 256, on_host, s));
    NEED(cudaStreamSynchronize(s));
    *p = 3;
    CHECK_OK("which_is_freed", cudaFreeAsync(p, s));
    NEED(cudaMemPoolDestroy(on_host));
}

int main()
{
    cudaStream_t s, other;
    NEED(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    NEED(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    order(s);
    reuse_waits(s, other);
    attributes(s);
    released_at_synchronisation(s);
    churn(s);
    what_is_claimed_works(s);
    return check_failures != 0;
}
