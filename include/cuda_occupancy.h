/* SPDX-License-Identifier: Apache-2.0 */
/* Occupancy without a device: how many blocks an SM with given properties holds, and the block size that fills it best. */
#ifndef HOSTWARP_CUDA_OCCUPANCY_H
#define HOSTWARP_CUDA_OCCUPANCY_H
#define CUDA_OCCUPANCY_INTERFACE

#include "hostwarp/words_push.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

#define HW_OCC static inline

typedef enum cudaOccError_enum {
    CUDA_OCC_SUCCESS = 0,
    CUDA_OCC_ERROR_INVALID_INPUT = 1,
    CUDA_OCC_ERROR_UNKNOWN_DEVICE = 2,
} cudaOccError;

typedef enum cudaOccCacheConfig_enum {
    CACHE_PREFER_NONE = 0,
    CACHE_PREFER_SHARED = 1,
    CACHE_PREFER_L1 = 2,
    CACHE_PREFER_EQUAL = 3,
} cudaOccCacheConfig;

typedef enum cudaOccCarveoutConfig_enum {
    SHAREDMEM_CARVEOUT_DEFAULT = -1,
    SHAREDMEM_CARVEOUT_MAX_L1 = 0,
    SHAREDMEM_CARVEOUT_HALF = 50,
    SHAREDMEM_CARVEOUT_MAX_SHARED = 100,
} cudaOccCarveoutConfig;

typedef enum cudaOccPartitionedGCConfig_enum {
    PARTITIONED_GC_OFF,
    PARTITIONED_GC_ON,
    PARTITIONED_GC_ON_STRICT,
} cudaOccPartitionedGCConfig;

typedef enum cudaOccFuncShmemConfig_enum {
    FUNC_SHMEM_LIMIT_DEFAULT,                    /* sharedMemPerBlock */
    FUNC_SHMEM_LIMIT_OPTIN,                      /* sharedMemPerBlockOptin */
} cudaOccFuncShmemConfig;

typedef enum cudaOccLimitingFactors_enum {       /* bits of cudaOccResult.limitingFactors */
    OCC_LIMIT_WARPS = 1,
    OCC_LIMIT_REGISTERS = 2,
    OCC_LIMIT_SHARED_MEMORY = 4,
    OCC_LIMIT_BLOCKS = 8,
    OCC_LIMIT_BARRIERS = 16,
} cudaOccLimitingFactors;

typedef struct cudaOccDeviceProp {
    int computeMajor, computeMinor;
    int maxThreadsPerBlock, maxThreadsPerMultiprocessor;
    int regsPerBlock, regsPerMultiprocessor;
    int warpSize;
    size_t sharedMemPerBlock, sharedMemPerMultiprocessor;
    int numSms;
    size_t sharedMemPerBlockOptin, reservedSharedMemPerBlock;
#ifdef __cplusplus
    cudaOccDeviceProp() { memset(this, 0, sizeof *this); }
    template <class P> cudaOccDeviceProp(const P &p)             /* cudaDeviceProp, or anything with its fields */
        : computeMajor(p.major), computeMinor(p.minor), maxThreadsPerBlock(p.maxThreadsPerBlock),
          maxThreadsPerMultiprocessor(p.maxThreadsPerMultiProcessor), regsPerBlock(p.regsPerBlock),
          regsPerMultiprocessor(p.regsPerMultiprocessor), warpSize(p.warpSize), sharedMemPerBlock(p.sharedMemPerBlock),
          sharedMemPerMultiprocessor(p.sharedMemPerMultiprocessor), numSms(p.multiProcessorCount),
          sharedMemPerBlockOptin(p.sharedMemPerBlockOptin), reservedSharedMemPerBlock(p.reservedSharedMemPerBlock)
    {
    }
#endif
} cudaOccDeviceProp;

typedef struct cudaOccFuncAttributes {
    int maxThreadsPerBlock, numRegs;
    size_t sharedSizeBytes;
    cudaOccPartitionedGCConfig partitionedGCConfig;
    cudaOccFuncShmemConfig shmemLimitConfig;
    size_t maxDynamicSharedSizeBytes;
    int numBlockBarriers;
#ifdef __cplusplus
    cudaOccFuncAttributes() { memset(this, 0, sizeof *this); }
    template <class F> cudaOccFuncAttributes(const F &f)         /* cudaFuncAttributes */
        : maxThreadsPerBlock(f.maxThreadsPerBlock), numRegs(f.numRegs), sharedSizeBytes(f.sharedSizeBytes),
          partitionedGCConfig(PARTITIONED_GC_OFF), shmemLimitConfig(FUNC_SHMEM_LIMIT_OPTIN),
          maxDynamicSharedSizeBytes((size_t)f.maxDynamicSharedSizeBytes), numBlockBarriers(1)
    {
    }
#endif
} cudaOccFuncAttributes;

typedef struct cudaOccDeviceState {
    cudaOccCacheConfig cacheConfig;
    int carveoutConfig;                          /* percent of the SM's memory that is shared, or a cudaOccCarveoutConfig */
#ifdef __cplusplus
    cudaOccDeviceState() : cacheConfig(CACHE_PREFER_NONE), carveoutConfig(SHAREDMEM_CARVEOUT_DEFAULT) {}
#endif
} cudaOccDeviceState;

typedef struct cudaOccResult {
    int activeBlocksPerMultiprocessor;
    unsigned int limitingFactors;
    int blockLimitRegs, blockLimitSharedMem, blockLimitWarps, blockLimitBlocks, blockLimitBarriers;
    int allocatedRegistersPerBlock;
    size_t allocatedSharedMemPerBlock;
    cudaOccPartitionedGCConfig partitionedGCConfig;
} cudaOccResult;

/* What an architecture's SM is made of, as far as cudaDeviceProp does not say it. The last row that is not newer holds. */
typedef struct hw_occ_arch {
    int cc, max_blocks, partitions, shared_unit, shared_least;   /* shared_least: KiB that the smallest carveout gives */
} hw_occ_arch;

HW_OCC const hw_occ_arch *hw_occ_find(int major, int minor)
{
    static const hw_occ_arch table[] = {
        { 30, 16, 4, 256, 16 }, { 50, 32, 4, 256, 64 }, { 60, 32, 2, 256, 64 }, { 61, 32, 4, 256, 96 }, { 62, 32, 4, 256, 64 },
        { 70, 32, 4, 256, 0 },  { 75, 16, 4, 256, 32 }, { 80, 32, 4, 128, 0 },  { 86, 16, 4, 128, 0 },  { 87, 16, 4, 128, 0 },
        { 89, 24, 4, 128, 0 },  { 90, 32, 4, 128, 0 },  { 120, 24, 4, 128, 0 },
    };
    const hw_occ_arch *found = NULL;
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].cc <= major * 10 + minor)
            found = &table[i];
    return found;
}

HW_OCC size_t hw_occ_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

/* A carveout is a wish: the SM gives the smallest of its sizes that holds it. Where one block needs more, it gets that. */
HW_OCC size_t hw_occ_shared_of_sm(const hw_occ_arch *arch, const cudaOccDeviceProp *p, const cudaOccDeviceState *state, size_t block)
{
    size_t all = p->sharedMemPerMultiprocessor, wish = all;
    if (arch->cc >= 70 && state->carveoutConfig >= 0)
        wish = all * (size_t)state->carveoutConfig / 100;
    else if (arch->cc >= 70 && state->cacheConfig == CACHE_PREFER_L1)
        wish = 0;
    if (wish < (size_t)arch->shared_least * 1024)
        wish = (size_t)arch->shared_least * 1024;
    if (wish < block)
        wish = block;
    return wish < all ? wish : all;
}

HW_OCC cudaOccError hw_occ_check(const cudaOccDeviceProp *p, const cudaOccFuncAttributes *f, const cudaOccDeviceState *state)
{
    if (!p || !f || !state || p->maxThreadsPerBlock <= 0 || p->maxThreadsPerMultiprocessor <= 0 || p->regsPerBlock <= 0 ||
        p->regsPerMultiprocessor <= 0 || p->warpSize <= 0 || p->sharedMemPerBlock == 0 || p->sharedMemPerMultiprocessor == 0 ||
        p->numSms <= 0 || f->maxThreadsPerBlock <= 0 || f->numRegs < 0 || state->carveoutConfig < -1 || state->carveoutConfig > 100)
        return CUDA_OCC_ERROR_INVALID_INPUT;
    return hw_occ_find(p->computeMajor, p->computeMinor) ? CUDA_OCC_SUCCESS : CUDA_OCC_ERROR_UNKNOWN_DEVICE;
}

HW_OCC cudaOccError cudaOccMaxActiveBlocksPerMultiprocessor(cudaOccResult *result, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state, int blockSize, size_t dynamicSmemSize)
{
    const cudaOccDeviceProp *p = properties;
    const cudaOccFuncAttributes *f = attributes;
    cudaOccError rc = hw_occ_check(p, f, state);
    if (rc != CUDA_OCC_SUCCESS || !result || blockSize <= 0)
        return rc != CUDA_OCC_SUCCESS ? rc : CUDA_OCC_ERROR_INVALID_INPUT;

    const hw_occ_arch *arch = hw_occ_find(p->computeMajor, p->computeMinor);
    int warps = (blockSize + p->warpSize - 1) / p->warpSize, warp_regs = (int)hw_occ_up((size_t)f->numRegs * (size_t)p->warpSize, 256);
    int most = f->maxThreadsPerBlock < p->maxThreadsPerBlock ? f->maxThreadsPerBlock : p->maxThreadsPerBlock;
    size_t per_block = f->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN && p->sharedMemPerBlockOptin ? p->sharedMemPerBlockOptin
                                                                                                    : p->sharedMemPerBlock;
    size_t wanted = f->sharedSizeBytes + dynamicSmemSize;
    size_t shared = hw_occ_up(wanted + p->reservedSharedMemPerBlock, (size_t)arch->shared_unit);

    memset(result, 0, sizeof *result);
    result->partitionedGCConfig = PARTITIONED_GC_OFF;
    result->allocatedRegistersPerBlock = warp_regs * warps;
    result->allocatedSharedMemPerBlock = shared;
    result->blockLimitBlocks = arch->max_blocks;
    result->blockLimitBarriers = f->numBlockBarriers > 0 ? 16 * arch->max_blocks / f->numBlockBarriers : INT_MAX;
    result->blockLimitWarps = blockSize <= most ? p->maxThreadsPerMultiprocessor / p->warpSize / warps : 0;
    /* Each partition of the SM has its part of the registers, and a warp lies in one of them. */
    if (warp_regs == 0)
        result->blockLimitRegs = INT_MAX;
    else if (result->allocatedRegistersPerBlock <= p->regsPerBlock)
        result->blockLimitRegs = p->regsPerMultiprocessor / arch->partitions / warp_regs * arch->partitions / warps;
    if (wanted <= per_block)
        result->blockLimitSharedMem = shared ? (int)(hw_occ_shared_of_sm(arch, p, state, shared) / shared) : INT_MAX;

    const struct { int limit; unsigned int factor; } limits[] = {
        { result->blockLimitWarps, OCC_LIMIT_WARPS },   { result->blockLimitRegs, OCC_LIMIT_REGISTERS },
        { result->blockLimitSharedMem, OCC_LIMIT_SHARED_MEMORY }, { result->blockLimitBlocks, OCC_LIMIT_BLOCKS },
        { result->blockLimitBarriers, OCC_LIMIT_BARRIERS },
    };
    int blocks = INT_MAX;
    for (int i = 0; i < 5; i++)
        blocks = limits[i].limit < blocks ? limits[i].limit : blocks;
    for (int i = 0; i < 5; i++)
        result->limitingFactors |= limits[i].limit == blocks ? limits[i].factor : 0;
    result->activeBlocksPerMultiprocessor = blocks;
    return CUDA_OCC_SUCCESS;
}

/* Whole warps from the largest block down: more resident threads win, and among equals the larger block. */
HW_OCC cudaOccError cudaOccMaxPotentialOccupancyBlockSize(int *minGridSize, int *blockSize, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state, size_t (*blockSizeToDynamicSMemSize)(int),
    size_t dynamicSMemSize)
{
    cudaOccError rc = hw_occ_check(properties, attributes, state);
    if (rc != CUDA_OCC_SUCCESS || !minGridSize || !blockSize)
        return rc != CUDA_OCC_SUCCESS ? rc : CUDA_OCC_ERROR_INVALID_INPUT;
    int warp = properties->warpSize, limit = properties->maxThreadsPerBlock;
    int best = 0, best_block = 0, best_blocks = 0;
    if (attributes->maxThreadsPerBlock < limit)
        limit = attributes->maxThreadsPerBlock;
    for (int aligned = (limit + warp - 1) / warp * warp; aligned > 0 && best < properties->maxThreadsPerMultiprocessor; aligned -= warp) {
        int size = aligned < limit ? aligned : limit;
        cudaOccResult one;
        rc = cudaOccMaxActiveBlocksPerMultiprocessor(&one, properties, attributes, state, size,
                                                     blockSizeToDynamicSMemSize ? blockSizeToDynamicSMemSize(size) : dynamicSMemSize);
        if (rc != CUDA_OCC_SUCCESS)
            return rc;
        if (one.activeBlocksPerMultiprocessor * size > best) {
            best = one.activeBlocksPerMultiprocessor * size;
            best_block = size;
            best_blocks = one.activeBlocksPerMultiprocessor;
        }
    }
    *minGridSize = best_blocks * properties->numSms;
    *blockSize = best_block;
    return CUDA_OCC_SUCCESS;
}

/* The most dynamic shared memory with which numBlocks blocks still fit an SM. */
HW_OCC cudaOccError cudaOccAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const cudaOccDeviceProp *properties,
    const cudaOccFuncAttributes *attributes, const cudaOccDeviceState *state, int numBlocks, int blockSize)
{
    cudaOccResult one;
    cudaOccError rc = cudaOccMaxActiveBlocksPerMultiprocessor(&one, properties, attributes, state, blockSize, 0);
    if (rc != CUDA_OCC_SUCCESS || !dynamicSmemSize || numBlocks <= 0 || one.activeBlocksPerMultiprocessor < numBlocks)
        return rc != CUDA_OCC_SUCCESS ? rc : CUDA_OCC_ERROR_INVALID_INPUT;
    const hw_occ_arch *arch = hw_occ_find(properties->computeMajor, properties->computeMinor);
    size_t unit = (size_t)arch->shared_unit, room = properties->sharedMemPerMultiprocessor / (size_t)numBlocks / unit * unit;
    size_t taken = properties->reservedSharedMemPerBlock + attributes->sharedSizeBytes;
    size_t per_block = attributes->shmemLimitConfig == FUNC_SHMEM_LIMIT_OPTIN && properties->sharedMemPerBlockOptin
                           ? properties->sharedMemPerBlockOptin : properties->sharedMemPerBlock;
    size_t most = per_block > attributes->sharedSizeBytes ? per_block - attributes->sharedSizeBytes : 0;
    room = room > taken ? room - taken : 0;
    *dynamicSmemSize = room < most ? room : most;
    return CUDA_OCC_SUCCESS;
}

#undef HW_OCC

#include "hostwarp/words_pop.h"

#endif
