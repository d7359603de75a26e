/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries: images that are loaded into a context when one of their kernels is first used there. */
#ifndef DRIVER_LIBRARY_H
#define DRIVER_LIBRARY_H

#include "base/base.h"

#include <cuda.h>

/* The function that a kernel of a library is in the current context; loads the library there if need be.
   INVALID_HANDLE: no such kernel. */
CUresult library_kernel_function(CUkernel kernel, CUfunction *out);

#endif
