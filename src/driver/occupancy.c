/* SPDX-License-Identifier: Apache-2.0 */
/* Occupancy: how many blocks an SM of the device we describe would hold, and the block size that fills it best. */
#include "base/log.h"
#include "core/device/ctx.h"
#include "core/device/device.h"
#include "core/module/launch.h"
#include "core/module/module.h"
#include "driver/bodies.h"

CUresult do_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, CUfunction func, int blockSize,
                                                                 size_t dynamicSMemSize, unsigned int flags)
{
    struct function *f;

    if (!numBlocks || blockSize <= 0 || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "numBlocks is NULL, a block of %d threads, or flags 0x%x are not known", blockSize, flags);
    if (!(f = api_function(func)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    *numBlocks = (int)launch_occupancy(f, (uint32_t)blockSize, dynamicSMemSize);
    function_put(f);
    return CUDA_SUCCESS;
}

CUresult do_cuOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize)
{
    return do_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize,
                                                                   CU_OCCUPANCY_DEFAULT);
}

/* Tries whole warps from the largest block down; more resident threads win, and among equals the larger block. */
CUresult do_cuOccupancyMaxPotentialBlockSizeWithFlags(int *minGridSize, int *blockSize, CUfunction func,
                                                      CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                                      int blockSizeLimit, unsigned int flags)
{
    struct function *f;
    uint32_t best_threads = 0, best_block = 0, best_blocks = 0;

    if (!minGridSize || !blockSize || flags > CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE || blockSizeLimit < 0)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "minGridSize or blockSize is NULL, flags 0x%x are not known, or a limit of %d threads", flags, blockSizeLimit);
    if (!(f = api_function(func)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    uint32_t limit = f->max_threads;
    if (blockSizeLimit && (uint32_t)blockSizeLimit < limit)
        limit = (uint32_t)blockSizeLimit;
    for (uint32_t aligned = (uint32_t)hw_align_up(limit, DEVICE_WARP); aligned; aligned -= DEVICE_WARP) {
        uint32_t threads = aligned < limit ? aligned : limit;
        size_t shared = blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize((int)threads) : dynamicSMemSize;
        uint32_t blocks = launch_occupancy(f, threads, shared);
        if (blocks * threads > best_threads) {
            best_threads = blocks * threads;
            best_block = threads;
            best_blocks = blocks;
        }
        if (best_threads >= DEVICE_THREADS_SM)
            break;
    }
    function_put(f);
    *blockSize = (int)best_block;
    *minGridSize = (int)(best_blocks * DEVICE_SM_COUNT);
    return CUDA_SUCCESS;
}

CUresult do_cuOccupancyMaxPotentialBlockSize(int *minGridSize, int *blockSize, CUfunction func,
                                             CUoccupancyB2DSize blockSizeToDynamicSMemSize, size_t dynamicSMemSize,
                                             int blockSizeLimit)
{
    return do_cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, blockSizeToDynamicSMemSize,
                                                        dynamicSMemSize, blockSizeLimit, CU_OCCUPANCY_DEFAULT);
}

/* The largest dynamic size with which numBlocks still fit: a share of the SM's memory for each, but no more than the kernel may be launched with. What an SM
   reserves for each block is not taken off (measured). */
CUresult do_cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, CUfunction func, int numBlocks, int blockSize)
{
    struct function *f;
    CUresult rc = CUDA_SUCCESS;

    if (!dynamicSmemSize || numBlocks <= 0 || blockSize <= 0)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "dynamicSmemSize is NULL, or %d blocks of %d threads", numBlocks, blockSize);
    if (!(f = api_function(func)))
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    if (launch_occupancy(f, (uint32_t)blockSize, 0) >= (uint32_t)numBlocks) {
        size_t room = (size_t)DEVICE_SHARED_SM / (size_t)numBlocks & ~(size_t)127;
        room = room > f->shared_static ? room - f->shared_static : 0;
        *dynamicSmemSize = hw_min_u64(room, (size_t)f->max_dynamic_shared);
    } else {
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "%d blocks of %d threads do not fit on a multiprocessor, even without dynamic shared memory", numBlocks, blockSize);
    }
    function_put(f);
    return rc;
}
