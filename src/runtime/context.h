/* SPDX-License-Identifier: Apache-2.0 */
/* Which device a thread means, and the primary contexts behind the runtime's back. */
#ifndef RUNTIME_CONTEXT_H
#define RUNTIME_CONTEXT_H

#include "runtime/api.h"

/* Starts the driver; once in the process. */
cudaError_t context_init(void);
/* After it, the calling thread has a current context: its own, or its device's primary one. */
cudaError_t context_bind(void);
/* What the calling thread's last context_bind() found: for the bodies of calls that began with it. */
extern _Thread_local CUcontext context_tls_bound;
static inline CUcontext context_bound(void) { return context_tls_bound; }

int context_device_count(void);
/* The device of the thread's current context; without one, the device that was chosen or the first valid one. */
cudaError_t context_device(int *out);
/* Choose a device, and make its primary context the thread's current one. */
cudaError_t context_set_device(int device);
/* The primary context of a device, made if there is none; the caller's current one stays what it is. */
cudaError_t context_primary(int device, CUcontext *out);
/* The devices that a thread which chose none may get, in order of preference. */
cudaError_t context_set_valid(const int *devices, int n);
/* Destroys the primary context of the thread's device with all that is in it. */
cudaError_t context_reset(void);

/* The thread's current context, NULL when there is none. */
CUcontext context_current(void);

#endif
