// SPDX-License-Identifier: Apache-2.0
// Two devices: access to each other's memory, copies between them, pools and managed memory for both.
#include "runtime_check.h"

#include <unistd.h>

__global__ void fill(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }

static void access(int *on0, int *on1)
{
    int can = 0, back[32];
    NEED(cudaSetDevice(0));
    NEED(cudaDeviceCanAccessPeer(&can, 0, 1));
    if (!can)
        exit(77);
    CHECK_ERR("not_itself", cudaDeviceEnablePeerAccess(0, 0), cudaErrorPeerAccessUnsupported);
    CHECK_OK("access_is_enabled", cudaDeviceEnablePeerAccess(1, 0));
    CHECK_ERR("once", cudaDeviceEnablePeerAccess(1, 0), cudaErrorPeerAccessAlreadyEnabled);
    fill<<<1, 32>>>(on1, 100);
    CHECK_OK("a_kernel_writes_the_other_devices_memory", cudaDeviceSynchronize());
    NEED(cudaMemcpy(back, on1, sizeof back, cudaMemcpyDeviceToHost));
    CHECK("and_it_is_there", back[0] == 100 && back[31] == 131);
    CHECK_OK("a_copy_between_them", cudaMemcpyPeer(on0, 0, on1, 1, sizeof back));
    NEED(cudaMemcpy(back, on0, sizeof back, cudaMemcpyDefault));
    CHECK("moves_the_bytes", back[0] == 100 && back[31] == 131);
    CHECK_OK("in_a_stream_too", cudaMemcpyPeerAsync(on1, 1, on0, 0, 4, 0));
    NEED(cudaDeviceSynchronize());
    CHECK_OK("access_is_disabled", cudaDeviceDisablePeerAccess(1));
    CHECK_ERR("once_as_well", cudaDeviceDisablePeerAccess(1), cudaErrorPeerAccessNotEnabled);
}

static void whose(int *on0, int *on1)
{
    cudaPointerAttributes a;
    cudaMemPool_t pool0, pool1;
    cudaMemAccessDesc desc = {};
    cudaMemAccessFlags flags;
    int *pooled, *managed, back[32];
    NEED(cudaPointerGetAttributes(&a, on0));
    CHECK("memory_of_the_first", a.type == cudaMemoryTypeDevice && a.device == 0);
    NEED(cudaPointerGetAttributes(&a, on1 + 5));
    CHECK("memory_of_the_second", a.type == cudaMemoryTypeDevice && a.device == 1);
    NEED(cudaDeviceGetDefaultMemPool(&pool0, 0));
    NEED(cudaDeviceGetDefaultMemPool(&pool1, 1));
    CHECK("each_has_its_pool", pool0 != pool1);
    desc.location.type = cudaMemLocationTypeDevice;
    desc.location.id = 0;
    NEED(cudaMemPoolGetAccess(&flags, pool1, &desc.location));
    CHECK("closed_to_the_other", flags == cudaMemAccessFlagsProtNone);
    desc.flags = cudaMemAccessFlagsProtReadWrite;
    CHECK_OK("until_it_is_opened", cudaMemPoolSetAccess(pool1, &desc, 1));
    NEED(cudaMemPoolGetAccess(&flags, pool1, &desc.location));
    CHECK("and_then_it_is", flags == cudaMemAccessFlagsProtReadWrite);
    NEED(cudaSetDevice(1));
    NEED(cudaMallocAsync(&pooled, 128, 0));
    NEED(cudaDeviceSynchronize());
    NEED(cudaSetDevice(0));
    fill<<<1, 32>>>(pooled, 7);
    CHECK_OK("for_kernels_too", cudaDeviceSynchronize());
    NEED(cudaMemcpy(back, pooled, sizeof back, cudaMemcpyDefault));
    CHECK("of_the_other_device", back[31] == 38);
    NEED(cudaSetDevice(1));
    NEED(cudaFreeAsync(pooled, 0));
    NEED(cudaDeviceSynchronize());
    NEED(cudaMallocManaged(&managed, 256));
    fill<<<1, 32>>>(managed, 1);
    NEED(cudaDeviceSynchronize());
    NEED(cudaSetDevice(0));
    fill<<<1, 32>>>(managed + 32, 2);
    NEED(cudaDeviceSynchronize());
    CHECK("managed_memory_is_for_all", managed[0] == 1 && managed[63] == 33);
    NEED(cudaFree(managed));
}

int main(int argc, char **argv)
{
    int n = 0, *on0, *on1;
    if (!getenv("HOSTWARP_DEVICES")) {           /* read when the library is loaded */
        setenv("HOSTWARP_DEVICES", "2", 1);
        execv("/proc/self/exe", argv);
    }
    if (cudaGetDeviceCount(&n) != cudaSuccess || n < 2)
        return 77;
    NEED(cudaSetDevice(0));
    NEED(cudaMalloc(&on0, 128));
    NEED(cudaSetDevice(1));
    NEED(cudaMalloc(&on1, 128));
    access(on0, on1);
    whose(on0, on1);
    NEED(cudaFree(on0));
    NEED(cudaFree(on1));
    return check_failures != 0;
}
