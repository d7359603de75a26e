/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of kernels, and how many blocks of them fit on a multiprocessor. */
#include "runtime/bodies.h"
#include "runtime/registry.h"

/* --- attributes --- */

cudaError_t do_cudaFuncGetAttributes(struct cudaFuncAttributes *attr, const void *func)
{
    struct {
        CUfunction_attribute id;
        int value;
    } a[] = {{CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 0},
             {CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES, 0},
             {CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 0},
             {CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 0},
             {CU_FUNC_ATTRIBUTE_NUM_REGS, 0},
             {CU_FUNC_ATTRIBUTE_PTX_VERSION, 0},
             {CU_FUNC_ATTRIBUTE_BINARY_VERSION, 0},
             {CU_FUNC_ATTRIBUTE_CACHE_MODE_CA, 0},
             {CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 0},
             {CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 0}};
    CUfunction f;
    cudaError_t rc;

    if (!attr)
        return hw_refuse(cudaErrorInvalidValue, "attr is NULL");
    if ((rc = registry_function(func, &f)))
        return rc;
    for (size_t i = 0; i < HW_LEN(a); i++)
        if ((rc = api_error(cuFuncGetAttribute(&a[i].value, a[i].id, f))))
            return rc;
    memset(attr, 0, sizeof *attr);
    attr->sharedSizeBytes = (size_t)a[0].value;
    attr->constSizeBytes = (size_t)a[1].value;
    attr->localSizeBytes = (size_t)a[2].value;
    attr->maxThreadsPerBlock = a[3].value;
    attr->numRegs = a[4].value;
    attr->ptxVersion = a[5].value;
    attr->binaryVersion = a[6].value;
    attr->cacheModeCA = a[7].value;
    attr->maxDynamicSharedSizeBytes = a[8].value;
    attr->preferredShmemCarveout = a[9].value;
    return cudaSuccess;
}

cudaError_t do_cudaFuncSetAttribute(const void *func, enum cudaFuncAttribute attr, int value)
{
    CUfunction f;
    cudaError_t rc = registry_function(func, &f);

    return rc ? rc : api_error(cuFuncSetAttribute(f, (CUfunction_attribute)attr, value));
}

cudaError_t do_cudaFuncSetCacheConfig(const void *func, enum cudaFuncCache cacheConfig)
{
    CUfunction f;
    cudaError_t rc = registry_function(func, &f);

    return rc ? rc : api_error(cuFuncSetCacheConfig(f, (CUfunc_cache)cacheConfig));
}

cudaError_t do_cudaFuncSetSharedMemConfig(const void *func, enum cudaSharedMemConfig config)
{
    CUfunction f;
    cudaError_t rc = registry_function(func, &f);

    return rc ? rc : api_error(cuFuncSetSharedMemConfig(f, (CUsharedconfig)config));
}

cudaError_t do_cudaFuncGetName(const char **name, const void *func)
{
    CUfunction f;
    cudaError_t rc;

    if (!name)
        return hw_refuse(cudaErrorInvalidValue, "name is NULL");
    rc = registry_function(func, &f);
    return rc ? rc : api_error(cuFuncGetName(name, f));
}

cudaError_t do_cudaFuncGetParamInfo(const void *func, size_t paramIndex, size_t *paramOffset, size_t *paramSize)
{
    CUfunction f;
    cudaError_t rc = registry_function(func, &f);

    return rc ? rc : api_error(cuFuncGetParamInfo(f, paramIndex, paramOffset, paramSize));
}

cudaError_t do_cudaGetFuncBySymbol(cudaFunction_t *functionPtr, const void *symbolPtr)
{
    CUfunction f;
    cudaError_t rc;

    if (!functionPtr)
        return hw_refuse(cudaErrorInvalidValue, "functionPtr is NULL");
    if ((rc = registry_function(symbolPtr, &f)))
        return rc;
    *functionPtr = (cudaFunction_t)f;
    return cudaSuccess;
}

/* --- occupancy --- */

cudaError_t do_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, const void *func, int blockSize,
                                                                      size_t dynamicSMemSize, unsigned int flags)
{
    CUfunction f;
    cudaError_t rc = registry_function(func, &f);

    return rc ? rc
              : api_error(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, f, blockSize, dynamicSMemSize,
                                                                               flags));
}

cudaError_t do_cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, const void *func, int blockSize,
                                                             size_t dynamicSMemSize)
{
    return do_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize,
                                                                     cudaOccupancyDefault);
}

cudaError_t do_cudaOccupancyAvailableDynamicSMemPerBlock(size_t *dynamicSmemSize, const void *func, int numBlocks,
                                                         int blockSize)
{
    CUfunction f;
    cudaError_t rc = registry_function(func, &f);

    return rc ? rc : api_error(cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize, f, numBlocks, blockSize));
}
