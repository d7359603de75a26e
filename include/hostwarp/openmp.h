/* SPDX-License-Identifier: Apache-2.0 */
/* What clang 19 calls at the end of a loop with a dynamic schedule. libomp has it since version 19 only, where it does nothing yet. */
#ifndef HOSTWARP_OPENMP_H
#define HOSTWARP_OPENMP_H
#ifndef __ASSEMBLER__

#ifdef __cplusplus
extern "C"
#endif
__attribute__((weak)) void __kmpc_dispatch_deinit(void *where, int thread)
{
    (void)where;
    (void)thread;
}

#endif
#endif
