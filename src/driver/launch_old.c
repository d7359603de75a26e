/* SPDX-License-Identifier: Apache-2.0 */
/* Launching as it was before CUDA 4: block shape, shared size and parameters are set on the function, then it is launched. */
#include "base/hash.h"
#include "base/lock.h"
#include "core/device/device.h"
#include "core/module/module.h"
#include "driver/bodies.h"

/* What has been set on one function. Handles are not used again, so an entry of an unloaded module is only dead weight. */
struct old_state {
    unsigned block[3], shared_bytes, param_bytes;
    unsigned char params[DEVICE_PARAM_BYTES];
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_MEM);
static struct hw_map states HW_GUARDED_BY(mu);

/* The state of a function, made when first asked for; NULL: no such function. Returns with mu held. */
static struct old_state *old_lock(CUfunction hfunc)
{
    struct function *f = function_get(hfunc);
    struct old_state *state;

    hw_lock(&mu);
    if (!f)
        return NULL;
    function_put(f);
    state = hw_map_get_ptr(&states, hfunc);
    if (!state) {
        state = hw_alloc(sizeof *state);
        hw_map_set_ptr(&states, hfunc, state);
    }
    return state;
}

CUresult do_cuFuncSetBlockShape(CUfunction hfunc, int x, int y, int z)
{
    struct old_state *state = old_lock(hfunc);
    CUresult rc = !state ? hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded")
        : x <= 0 || y <= 0 || z <= 0 ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "a block of %d x %d x %d threads", x, y, z) : CUDA_SUCCESS;

    if (!rc) {
        state->block[0] = (unsigned)x;
        state->block[1] = (unsigned)y;
        state->block[2] = (unsigned)z;
    }
    hw_unlock(&mu);
    return rc;
}

CUresult do_cuFuncSetSharedSize(CUfunction hfunc, unsigned int bytes)
{
    struct old_state *state = old_lock(hfunc);

    if (state)
        state->shared_bytes = bytes;
    hw_unlock(&mu);
    return state ? CUDA_SUCCESS : hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
}

CUresult do_cuParamSetSize(CUfunction hfunc, unsigned int numbytes)
{
    struct old_state *state = old_lock(hfunc);
    CUresult rc = !state ? hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded")
        : numbytes > DEVICE_PARAM_BYTES ? hw_refuse(CUDA_ERROR_INVALID_VALUE, "%u bytes of parameters; %d are the most", numbytes, DEVICE_PARAM_BYTES) : CUDA_SUCCESS;

    if (!rc)
        state->param_bytes = numbytes;
    hw_unlock(&mu);
    return rc;
}

CUresult do_cuParamSetv(CUfunction hfunc, int offset, void *ptr, unsigned int numbytes)
{
    struct old_state *state = old_lock(hfunc);
    CUresult rc = CUDA_SUCCESS;

    if (!state)
        rc = hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    else if (!ptr || offset < 0 || offset > DEVICE_PARAM_BYTES || numbytes > (unsigned)(DEVICE_PARAM_BYTES - offset))
        rc = hw_refuse(CUDA_ERROR_INVALID_VALUE, "ptr is NULL, or %u bytes at %d are not within the %d of parameters", numbytes, offset, DEVICE_PARAM_BYTES);
    else
        memcpy(state->params + offset, ptr, numbytes);
    hw_unlock(&mu);
    return rc;
}

CUresult do_cuParamSeti(CUfunction hfunc, int offset, unsigned int value)
{
    return do_cuParamSetv(hfunc, offset, &value, sizeof value);
}

CUresult do_cuParamSetf(CUfunction hfunc, int offset, float value)
{
    return do_cuParamSetv(hfunc, offset, &value, sizeof value);
}

CUresult do_cuLaunchGridAsync(CUfunction f, int grid_width, int grid_height, CUstream hStream)
{
    struct old_state copy, *state = old_lock(f);

    if (state)
        copy = *state;
    hw_unlock(&mu);
    if (!state)
        return hw_refuse(CUDA_ERROR_INVALID_HANDLE, "that is no kernel, or its module was unloaded");
    if (grid_width <= 0 || grid_height <= 0)
        return hw_refuse(CUDA_ERROR_INVALID_VALUE, "a grid of %d x %d blocks", grid_width, grid_height);
    size_t bytes = copy.param_bytes;
    void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, copy.params, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes, CU_LAUNCH_PARAM_END};
    return do_cuLaunchKernel(f, (unsigned)grid_width, (unsigned)grid_height, 1, copy.block[0], copy.block[1], copy.block[2],
                             copy.shared_bytes, hStream, NULL, extra);
}

CUresult do_cuLaunchGrid(CUfunction f, int grid_width, int grid_height)
{
    return do_cuLaunchGridAsync(f, grid_width, grid_height, NULL);
}

CUresult do_cuLaunch(CUfunction f) { return do_cuLaunchGridAsync(f, 1, 1, NULL); }
