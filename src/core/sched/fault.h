/* SPDX-License-Identifier: Apache-2.0 */
/* Faults of kernels and copies as the driver names them. */
#ifndef CORE_FAULT_H
#define CORE_FAULT_H

#include <cuda.h>

CUresult fault_result(int fault);                /* enum exec_fault */

#endif
