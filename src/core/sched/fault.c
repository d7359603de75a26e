/* SPDX-License-Identifier: Apache-2.0 */
/* What the driver answers after a fault. */
#include "core/sched/fault.h"

#include "exec/exec.h"

CUresult fault_result(int fault)
{
    static const CUresult results[] = {
#define FAULT(fault, result) [EXEC_##fault] = CUDA_##result,
#include "core/sched/fault.def"
#undef FAULT
    };
    return fault >= 0 && (size_t)fault < HW_LEN(results) ? results[fault] : CUDA_ERROR_LAUNCH_FAILED;
}
