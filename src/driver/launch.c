/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels: plain, cooperative, with attributes. */
#include "core/module/launch.h"

#include "base/log.h"
#include "core/module/module.h"
#include "core/stream/stream.h"
#include "driver/bodies.h"

static CUresult launch_call(CUfunction f, const struct launch_config *config, CUstream hStream, void **params, void **extra)
{
    struct function *fn = api_function(f);
    struct stream *s = NULL;
    CUresult rc;

    if (!fn)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    if ((rc = api_stream(hStream, &s))) {
        function_put(fn);
        return rc;
    }
    rc = launch_kernel_own(fn, s, config, params, extra);
    stream_unref(s);
    return rc;
}

CUresult do_cuLaunchKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                           unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ, unsigned int sharedMemBytes,
                           CUstream hStream, void **kernelParams, void **extra)
{
    struct launch_config config = {{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes, false};

    return launch_call(f, &config, hStream, kernelParams, extra);
}

CUresult do_cuLaunchCooperativeKernel(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                                      unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                                      unsigned int sharedMemBytes, CUstream hStream, void **kernelParams)
{
    struct launch_config config = {{gridDimX, gridDimY, gridDimZ}, {blockDimX, blockDimY, blockDimZ}, sharedMemBytes, true};

    return launch_call(f, &config, hStream, kernelParams, NULL);
}

/* Attributes that only steer caches, scheduling or fences of a GPU change no result, and are forgotten. */
static CUresult launch_attribute(const CUlaunchAttribute *attr, struct launch_config *config)
{
    switch (attr->id) {
    case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
        config->cooperative = attr->value.cooperative != 0;
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION:
        /* Compute capability 8.0 has no clusters; one block each is what every launch has. */
        if (attr->value.clusterDim.x == 1 && attr->value.clusterDim.y == 1 && attr->value.clusterDim.z == 1)
            return CUDA_SUCCESS;
        return hw_refuse(CUDA_ERROR_INVALID_CLUSTER_SIZE, "a cluster of %u x %u x %u blocks: this device has clusters of one block", attr->value.clusterDim.x, attr->value.clusterDim.y, attr->value.clusterDim.z);
    case CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW:
        return api_window_valid(&attr->value.accessPolicyWindow) ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_VALUE, "the access policy's window of %zu bytes is too large, its ratio is not 0 to 1, or its misses are to persist", attr->value.accessPolicyWindow.num_bytes);
    case CU_LAUNCH_ATTRIBUTE_IGNORE:
    case CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY:
    case CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION:
    case CU_LAUNCH_ATTRIBUTE_PRIORITY:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP:
    case CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN:
    case CU_LAUNCH_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    case CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING:
        return CUDA_SUCCESS;
    case CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT:
    case CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT:
    case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
        hw_warn("launch attribute %d is not supported yet", (int)attr->id);
        return hw_refuse(CUDA_ERROR_NOT_SUPPORTED, "launch attribute %d is not supported", (int)attr->id);
    default:
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "there is no launch attribute %d", (int)attr->id);
    }
}

CUresult do_cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra)
{
    CUresult rc;

    if (!config || (config->numAttrs && !config->attrs))
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "config is NULL, or its attributes are");
    struct launch_config c = {{config->gridDimX, config->gridDimY, config->gridDimZ},
                              {config->blockDimX, config->blockDimY, config->blockDimZ},
                              config->sharedMemBytes,
                              false};
    for (unsigned i = 0; i < config->numAttrs; i++) {
        if ((rc = launch_attribute(&config->attrs[i], &c)))
            return rc;
    }
    return launch_call(f, &c, config->hStream, kernelParams, extra);
}
