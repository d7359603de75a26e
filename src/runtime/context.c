/* SPDX-License-Identifier: Apache-2.0 */
/* Lazy initialisation: the driver is started by the first call, a primary context by the first call that needs one. */
#include "runtime/context.h"

#include "base/lock.h"
#include "runtime/registry.h"

#include <stdatomic.h>

/*
 * What the runtime knows about one device.
 * Locks     lock (rank TABLE) guards ctx and broken. Not held across calls that wait for work.
 */
struct context_device {
    CUcontext ctx;                               /* the primary context we hold, NULL before first use and after a reset */
    bool broken;                                 /* a kernel broke it before it was reset: stays unavailable in this process */
    _Atomic unsigned generation;                 /* rises with every reset: what threads bound before is void */
};

enum { MAX_DEVICES = 64 };
static struct context_device devices[MAX_DEVICES];
static int n_devices;
static struct hw_mutex lock = HW_MUTEX_INIT(HW_RANK_TABLE);

static pthread_mutex_t init_mu = PTHREAD_MUTEX_INITIALIZER;
static _Atomic bool init_good;                   /* init_locked() had no error */

static int valid_devices[MAX_DEVICES], n_valid;  /* lock */

/* What a thread chose and what we made current for it. */
static _Thread_local struct {
    bool chosen;
    int device;
    CUcontext bound;                             /* the primary context we made current, NULL if none */
    int bound_device;
    unsigned generation;                         /* of bound_device when we did */
} tls;
_Thread_local CUcontext context_tls_bound;

static cudaError_t init_locked(void)
{
    cudaError_t rc = api_error(cuInit(0));
    if (!rc)
        rc = api_error(cuDeviceGetCount(&n_devices));
    if (!rc && n_devices == 0)
        rc = cudaErrorNoDevice;
    if (n_devices > MAX_DEVICES)
        n_devices = MAX_DEVICES;
    atomic_store_explicit(&init_good, !rc, memory_order_release);
    return rc;
}

cudaError_t context_init(void)
{
    if (hw_likely(atomic_load_explicit(&init_good, memory_order_acquire)))   /* pairs with init_locked() */
        return cudaSuccess;
    cudaError_t rc = cudaSuccess;
    pthread_mutex_lock(&init_mu);
    if (!init_good)                              /* a driver that did not start may do so the next time */
        rc = init_locked();
    pthread_mutex_unlock(&init_mu);
    return rc;
}

int context_device_count(void) { return n_devices; }

CUcontext context_current(void)
{
    CUcontext ctx = NULL;

    return cuCtxGetCurrent(&ctx) == CUDA_SUCCESS ? ctx : NULL;
}

/* Is this a context of ours that a reset has made void since? */
static bool is_void(CUcontext ctx)
{
    /* relaxed: a reset that runs beside us may as well have come later */
    return ctx && ctx == tls.bound &&
           tls.generation != atomic_load_explicit(&devices[tls.bound_device].generation, memory_order_relaxed);
}

/* Asked without making it current. */
static bool is_alive(CUcontext ctx)
{
    unsigned long long id;

    return cuCtxGetId(ctx, &id) == CUDA_SUCCESS;
}

static cudaError_t retain(int device, CUcontext *out, unsigned *out_generation)
{
    struct context_device *d = &devices[device];
    cudaError_t rc = cudaSuccess;

    hw_lock(&lock);
    if (d->ctx && !is_alive(d->ctx))             /* two resets at once: the second took what was made after the first */
        d->ctx = NULL;
    if (d->broken)
        rc = cudaErrorDevicesUnavailable;
    else if (!d->ctx)
        rc = api_error(cuDevicePrimaryCtxRetain(&d->ctx, device));
    if (rc)
        d->ctx = NULL;
    *out = d->ctx;
    *out_generation = atomic_load_explicit(&d->generation, memory_order_relaxed);
    hw_unlock(&lock);
    return rc;
}

cudaError_t context_primary(int device, CUcontext *out)
{
    unsigned generation;

    if (device < 0 || device >= n_devices)
        return hw_refuse(cudaErrorInvalidDevice, "there is no device %d; cudaGetDeviceCount() says %d", device, n_devices);
    return retain(device, out, &generation);
}

static cudaError_t bind_primary(int device)
{
    unsigned generation;
    CUcontext ctx;
    cudaError_t rc;

    if ((rc = retain(device, &ctx, &generation)))
        return rc;
    if ((rc = api_error(cuCtxSetCurrent(ctx))))
        return rc;
    tls.bound = context_tls_bound = ctx;
    tls.bound_device = device;
    tls.generation = generation;
    return cudaSuccess;
}

static int chosen_device(void)
{
    int device = 0;

    if (tls.chosen)
        return tls.device;
    hw_lock(&lock);
    if (n_valid)
        device = valid_devices[0];
    hw_unlock(&lock);
    return device;
}

cudaError_t context_bind(void)
{
    CUcontext ctx = NULL;
    cudaError_t rc;

    if ((rc = context_init()))
        return rc;
    if ((rc = api_error(cuCtxGetCurrent(&ctx))))
        return rc;
    if (hw_likely(ctx && !is_void(ctx))) {
        context_tls_bound = ctx;
        return cudaSuccess;
    }
    return bind_primary(chosen_device());
}

cudaError_t context_device(int *out)
{
    CUcontext ctx = context_current();
    CUdevice device;

    if (ctx && ctx == tls.bound) {
        *out = tls.bound_device;
        return cudaSuccess;
    }
    /* A context that the program made with the driver API says its device itself. */
    if (ctx && cuCtxGetDevice(&device) == CUDA_SUCCESS)
        *out = device;
    else
        *out = chosen_device();
    return cudaSuccess;
}

cudaError_t context_set_device(int device)
{
    if (device < 0 || device >= n_devices)
        return hw_refuse(cudaErrorInvalidDevice, "there is no device %d; cudaGetDeviceCount() says %d", device, n_devices);
    tls.chosen = true;
    tls.device = device;
    return bind_primary(device);
}

cudaError_t context_set_valid(const int *list, int n)
{
    if (n < 0 || (n > 0 && !list))
        return hw_refuse(cudaErrorInvalidValue, "%d devices, or their list is NULL", n);
    for (int i = 0; i < n; i++)
        if (list[i] < 0 || list[i] >= n_devices)
            return hw_refuse(cudaErrorInvalidDevice, "there is no device %d; cudaGetDeviceCount() says %d", list[i], n_devices);
    hw_lock(&lock);
    n_valid = n < MAX_DEVICES ? n : MAX_DEVICES;
    for (int i = 0; i < n_valid; i++)
        valid_devices[i] = list[i];
    hw_unlock(&lock);
    return cudaSuccess;
}

/* Did a kernel break this context? Asked of the context itself, which must be current. */
static bool is_broken(void)
{
    CUresult rc = cuStreamQuery(CU_STREAM_LEGACY);

    return rc != CUDA_SUCCESS && rc != CUDA_ERROR_NOT_READY && rc != CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES && rc != CUDA_ERROR_CONTEXT_IS_DESTROYED &&
           rc != CUDA_ERROR_INVALID_CONTEXT && rc != CUDA_ERROR_NOT_PERMITTED && rc != CUDA_ERROR_DEINITIALIZED;
}

cudaError_t context_reset(void)
{
    CUcontext current = context_current(), old;
    bool broken;
    int device;
    cudaError_t rc;

    if ((rc = context_device(&device)))
        return rc;
    hw_lock(&lock);
    old = devices[device].ctx;
    hw_unlock(&lock);
    broken = old && old == current && is_broken();
    if ((rc = api_error(cuDevicePrimaryCtxReset(device))))
        return rc;
    if (old && old == current) {
        cuCtxSetCurrent(NULL);
        tls.bound = NULL;
    }
    registry_forget(old);
    hw_lock(&lock);
    if (devices[device].ctx == old)
        devices[device].ctx = NULL;
    devices[device].broken |= broken;
    atomic_fetch_add_explicit(&devices[device].generation, 1, memory_order_relaxed);
    hw_unlock(&lock);
    return cudaSuccess;
}
