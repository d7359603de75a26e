/* SPDX-License-Identifier: Apache-2.0 */
/* Access between devices. All of them share one address space here, so the calls only keep the books that programs see. */
#include "base/log.h"
#include "base/lock.h"
#include "base/vec.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "driver/bodies.h"

/* A context that may reach the memory of another one. Ids are never used twice, so a dead pair does no harm. */
struct peer_pair {
    uint64_t from, to;
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_MEM);
static HW_VEC(struct peer_pair) pairs HW_GUARDED_BY(mu);

CUresult do_cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    if (!canAccessPeer)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "canAccessPeer is NULL");
    if (!device_peek(dev) || !device_peek(peerDev))
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "one of the devices %d and %d does not exist", dev, peerDev);
    *canAccessPeer = dev != peerDev;
    return CUDA_SUCCESS;
}

CUresult do_cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice)
{
    if (!value)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "value is NULL");
    if (!device_peek(srcDevice) || !device_peek(dstDevice) || srcDevice == dstDevice)
        return hw_refuse(CUDA_ERROR_INVALID_DEVICE, "one of the devices %d and %d does not exist, or they are the same", srcDevice, dstDevice);
    switch (attrib) {
    case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
    case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_ONLY_PARTIAL_NATIVE_ATOMIC_SUPPORTED:
        *value = 0;
        return CUDA_SUCCESS;
    case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
    case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
        *value = 1;
        return CUDA_SUCCESS;
    default:
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no attribute %d", (int)attrib);
    }
}

/* The place of a pair in the vector, or its length. */
static size_t peer_find_locked(uint64_t from, uint64_t to)
{
    size_t i = 0;

    while (i < pairs.n && !(pairs.v[i].from == from && pairs.v[i].to == to))
        i++;
    return i;
}

CUresult do_cuCtxEnablePeerAccess(CUcontext peerContext, unsigned int Flags)
{
    struct ctx *self = ctx_current(), *peer = ctx_get(peerContext);
    CUresult rc = CUDA_SUCCESS;

    if (Flags)
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "flags are 0x%x; they must be 0", Flags);
    else if (!peer)
        rc = hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "that is no context, or it was destroyed");
    else if (peer->dev == self->dev)
        rc = hw_refuse(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "both contexts are on device %d, which needs no leave for its own memory", self->dev->ordinal);
    if (!rc) {
        hw_lock(&mu);
        if (peer_find_locked(self->id, peer->id) < pairs.n) {
            rc = hw_refuse(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "access to device %d was enabled before", peer->dev->ordinal);
        } else {
            struct peer_pair pair = {self->id, peer->id};
            hw_vec_push(&pairs, pair);
        }
        hw_unlock(&mu);
    }
    ctx_unref(peer);
    return rc;
}

CUresult do_cuCtxDisablePeerAccess(CUcontext peerContext)
{
    struct ctx *self = ctx_current(), *peer = ctx_get(peerContext);
    CUresult rc = CUDA_SUCCESS;

    if (!peer)
        return hw_refuse(CUDA_ERROR_INVALID_CONTEXT, "that is no context, or it was destroyed");
    hw_lock(&mu);
    size_t at = peer_find_locked(self->id, peer->id);
    if (at < pairs.n)
        pairs.v[at] = pairs.v[--pairs.n];
    else
        rc = hw_refuse(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "access to device %d was never enabled, or disabled again", peer->dev->ordinal);
    hw_unlock(&mu);
    ctx_unref(peer);
    return rc;
}
