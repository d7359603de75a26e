/* SPDX-License-Identifier: Apache-2.0 */
/* For fuzzers that call the driver, which is part of the program: a context, a few kernels, and calls that must succeed. */
#ifndef FUZZ_DRIVER_H
#define FUZZ_DRIVER_H

#include "fuzz.h"

#include <cuda.h>

/* First in main: little memory, two threads, no words about what is not supported. */
void driver_settings(char **argv);

/* A context, in a process of its own. */
void driver_start(void);

/*
 * The kernels of a module that is loaded then:
 *   mix(u32 *to, const u32 *from, u32 n, u32 factor)     to[i] = to[i] * factor + from[i], any grid
 *   fill(u32 *to, u32 n, u32 value)
 *   bytes(u32 *to, 256 bytes of parameter by value)      to[0] = the sum of their words
 *   twins(u32 *to, u32 n)                                each block adds 1 for each of its threads to to[block]
 * and variables: table (1024 bytes, global), fixed (256 bytes, const).
 */
extern CUmodule driver_module;
extern CUfunction driver_mix, driver_fill, driver_bytes, driver_twins;
extern const char driver_text[];

/* A valid call: what is not CUDA_SUCCESS is a finding. Returns whether it was. */
bool driver_good(CUresult rc, const char *call, uint64_t number);
#define GOOD(number, call) driver_good((fuzz_doing(#call), (call)), #call, number)

/* For what a case cannot go on without. */
void driver_need(CUresult rc, const char *call);
#define NEED(call) driver_need((fuzz_doing(#call), (call)), #call)

#endif
