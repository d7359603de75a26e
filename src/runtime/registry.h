/* SPDX-License-Identifier: Apache-2.0 */
/* What compiled programs register before main(): images of device code, and the host's names of kernels and variables. */
#ifndef RUNTIME_REGISTRY_H
#define RUNTIME_REGISTRY_H

#include "runtime/api.h"

/* The driver's function behind the host's address of a kernel, in the current context; loads its image on first use.
   cudaErrorInvalidDeviceFunction for NULL, cudaErrorInvalidResourceHandle for an address that is no kernel's. */
cudaError_t registry_function(const void *host, CUfunction *out);
/* Is this the host's address of a kernel? */
bool registry_is_kernel(const void *host);
/* The device's address and size of the variable whose host name is at this address; outs may be NULL.
   cudaErrorInvalidSymbol when there is none. */
cudaError_t registry_variable(const void *host, CUdeviceptr *out, size_t *out_bytes);
/* A context is gone: so are the modules that were loaded into it. */
void registry_forget(CUcontext ctx);

#endif
