/* SPDX-License-Identifier: Apache-2.0 */
/* The runtime API inside kernels (dynamic parallelism). Not supported yet: a kernel that launches kernels does not
   compile, and says so by the missing declaration. */
#ifndef HOSTWARP_CUDA_DEVICE_RUNTIME_API_H
#define HOSTWARP_CUDA_DEVICE_RUNTIME_API_H

#include "driver_types.h"

#endif
