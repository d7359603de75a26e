/* SPDX-License-Identifier: Apache-2.0 */
#ifndef JIT_X86_H
#define JIT_X86_H

/* The address of hw_rsqrt14_step, NULL for any other name. */
void *x86_address(const char *symbol);

#endif
