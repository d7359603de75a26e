/* SPDX-License-Identifier: Apache-2.0 */
/* Launching kernels: what kernel<<<...>>>(...) turns into, and the launch calls by name. */
#include "base/args.h"
#include "runtime/bodies.h"
#include "runtime/context.h"
#include "runtime/registry.h"

#include <limits.h>

/* --- the launch configuration, from <<<>>> to the stub that gathers the arguments --- */

struct launch_config {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
};

/* A stack, because an argument of a launch may itself launch. Small: see -ftls-model in meson.build. */
enum { CONFIG_DEPTH = 4 };
static _Thread_local struct launch_config configs[CONFIG_DEPTH];
static _Thread_local unsigned n_configs;

unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream);
cudaError_t cudaConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem, cudaStream_t stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *entry);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                               cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                    cudaStream_t stream);
cudaError_t __cudaGetProcAddress(void);

/* Non-zero: the launch does not take place. */
HW_EXPORT unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem, void *stream)
{
    struct launch_config *c = &configs[n_configs];

    if (n_configs == CONFIG_DEPTH)
        return (unsigned)api_latch(cudaErrorLaunchMaxDepthExceeded);
    n_configs++;
    c->grid = gridDim;
    c->block = blockDim;
    c->shared = sharedMem;
    c->stream = stream;
    return 0;
}

HW_EXPORT cudaError_t __cudaPopCallConfiguration(dim3 *gridDim, dim3 *blockDim, size_t *sharedMem, void *stream)
{
    struct launch_config *c;

    if (n_configs == 0)
        return api_latch(cudaErrorMissingConfiguration);
    c = &configs[--n_configs];
    *gridDim = c->grid;
    *blockDim = c->block;
    *sharedMem = c->shared;
    *(cudaStream_t *)stream = c->stream;
    return cudaSuccess;
}

/* The name of the same before CUDA 9. */
HW_EXPORT cudaError_t cudaConfigureCall(dim3 gridDim, dim3 blockDim, size_t sharedMem, cudaStream_t stream)
{
    return (cudaError_t)__cudaPushCallConfiguration(gridDim, blockDim, sharedMem, stream);
}

/* --- launching --- */

static bool fits(dim3 v, CUdevice_attribute x, CUdevice_attribute y, CUdevice_attribute z, int device)
{
    int limit[3] = {0, 0, 0};

    cuDeviceGetAttribute(&limit[0], x, device);
    cuDeviceGetAttribute(&limit[1], y, device);
    cuDeviceGetAttribute(&limit[2], z, device);
    return v.x >= 1 && v.x <= (unsigned)limit[0] && v.y >= 1 && v.y <= (unsigned)limit[1] && v.z >= 1 &&
           v.z <= (unsigned)limit[2];
}

/* The driver calls a shape that no kernel could have an invalid value; the runtime of CUDA 12 says what is invalid. */
static cudaError_t launch_error(CUresult rc, dim3 grid, dim3 block)
{
    int device, threads = 0;

    if (rc != CUDA_ERROR_INVALID_VALUE || api_version >= 13000 || context_device(&device))
        return api_error(rc);
    cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device);
    if (fits(grid, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z,
             device) &&
        fits(block, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y,
             CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, device) &&
        (uint64_t)block.x * block.y * block.z <= (uint64_t)threads)
        return api_error(rc);
    return cudaErrorInvalidConfiguration;        /* the driver has said why */
}

static inline cudaError_t launch_kernel(const void *func, size_t shared, CUfunction *out)
{
    cudaError_t rc = registry_function(func, out);

    return !rc && shared > UINT_MAX ? hw_refuse(cudaErrorInvalidValue, "%zu bytes of shared memory are more than any block has", shared) : rc;
}

cudaError_t do_cudaLaunchKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                cudaStream_t stream)
{
    CUfunction f;
    CUresult cu;
    cudaError_t rc;

    if ((rc = launch_kernel(func, sharedMem, &f)))
        return rc;
    cu = cuLaunchKernel(f, gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z, (unsigned)sharedMem,
                        api_stream(stream), args, NULL);
    return hw_likely(cu == CUDA_SUCCESS) ? cudaSuccess : launch_error(cu, gridDim, blockDim);
}

cudaError_t do_cudaLaunchCooperativeKernel(const void *func, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                           cudaStream_t stream)
{
    CUfunction f;
    CUresult cu;
    cudaError_t rc;

    if ((rc = launch_kernel(func, sharedMem, &f)))
        return rc;
    cu = cuLaunchCooperativeKernel(f, gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y, blockDim.z,
                                   (unsigned)sharedMem, api_stream(stream), args);
    return cu == CUDA_SUCCESS ? cudaSuccess : launch_error(cu, gridDim, blockDim);
}

static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute), "launch attributes are the driver's");

cudaError_t do_cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *func, void **args)
{
    CUlaunchConfig c;
    CUfunction f;
    CUresult cu;
    cudaError_t rc;

    if (!config || (config->numAttrs && !config->attrs) || config->dynamicSmemBytes > UINT_MAX)
        return hw_refuse(cudaErrorInvalidValue, "the configuration or its list of attributes is NULL, or it has more shared memory than any block");
    if ((rc = registry_function(func, &f)))
        return rc;
    memset(&c, 0, sizeof c);
    c.gridDimX = config->gridDim.x;
    c.gridDimY = config->gridDim.y;
    c.gridDimZ = config->gridDim.z;
    c.blockDimX = config->blockDim.x;
    c.blockDimY = config->blockDim.y;
    c.blockDimZ = config->blockDim.z;
    c.sharedMemBytes = (unsigned)config->dynamicSmemBytes;
    c.hStream = api_stream(config->stream);
    c.attrs = (CUlaunchAttribute *)config->attrs;
    c.numAttrs = config->numAttrs;
    cu = cuLaunchKernelEx(&c, f, args, NULL);
    return cu == CUDA_SUCCESS ? cudaSuccess : launch_error(cu, config->gridDim, config->blockDim);
}

/* --- what nvcc 13 calls: a kernel's handle is its host address, so that every call takes either --- */

HW_EXPORT cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *entry)
{
    if (!kernel || !registry_is_kernel(entry))
        return api_latch(cudaErrorInvalidDeviceFunction);
    *kernel = (cudaKernel_t)entry;
    return cudaSuccess;
}

static cudaError_t launch_handle(enum api_pt pt, cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                 cudaStream_t stream)
{
    struct api_call call = {.caller = __builtin_return_address(0)};
    cudaError_t rc = api_enter(&call, "cudaLaunchKernel", pt, NEEDS_CTX);

    if (rc == cudaSuccess)
        rc = do_cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream);
    if (api_notes(rc))
        api_note_refusal(&call, rc, HW_ARGS_TEXT(kernel, grid, block, args, shared, stream));
    return api_leave(&call, rc);
}

HW_EXPORT cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args, size_t sharedMem,
                                         cudaStream_t stream)
{
    return launch_handle(PT_ANY, kernel, gridDim, blockDim, args, sharedMem, stream);
}

HW_EXPORT cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void **args,
                                              size_t sharedMem, cudaStream_t stream)
{
    return launch_handle(PT_ONLY, kernel, gridDim, blockDim, args, sharedMem, stream);
}

/* Its arguments are nowhere written down; nothing that compilers emit calls it. */
HW_EXPORT cudaError_t __cudaGetProcAddress(void)
{
    static _Atomic bool said;

    return api_latch(api_stub("__cudaGetProcAddress", &said));
}
