/* SPDX-License-Identifier: Apache-2.0 */
/* What libcuda.so.1 of hostwarp exports besides CUDA: ranges and marks for the profiler, the place where other libraries
   report their own calls to it, and an account of how kernels are lowered. What is for the profiler does nothing, quickly, when none
   listens. */
#ifndef HOSTWARP_H
#define HOSTWARP_H

#include "hostwarp/words_push.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Ranges nest per thread. push and pop answer the depth of the range, or a negative number. */
int hostwarp_prof_range_push(const char *text);
int hostwarp_prof_range_pop(void);
/* Ranges that may begin and end on different threads. */
uint64_t hostwarp_prof_range_start(const char *text);
void hostwarp_prof_range_end(uint64_t range);
void hostwarp_prof_mark(const char *text);

/* An API built on the driver's: its calls appear under their own names, and the driver's calls inside them do not. name must
   stay where it is. leave gets what enter answered, on the same thread. */
extern const bool hostwarp_prof_listens;         /* false, for ever: neither needs to be called */
uint64_t hostwarp_prof_api_enter(const char *name, const void *caller);
void hostwarp_prof_api_leave(uint64_t token, int result);

/* For libraries built on the driver's: a call of theirs failed, and the thread's program has asked what failed. args and why, which may be NULL, are given
   away; they come from malloc(). */
void hostwarp_call_failed(const char *name, const void *caller, int result, const char *error, char *args, char *why);
void hostwarp_errors_seen(void);

/* For libraries built on the driver's: what cudaMemcpy() does, where that is a small copy which can be made at once and without an
   error (0); what the last argument answers in all other cases. kind: an enum cudaMemcpyKind. */
unsigned hostwarp_copy_or(void *dst, const void *src, size_t bytes, unsigned kind,
                          unsigned (*otherwise)(void *dst, const void *src, size_t bytes, unsigned kind));

/* For libraries built on the driver's: the program holds this fatbin. Devices, where there are none yet, become such as run it. */
void hostwarp_program_holds(const void *fatbin);

/* What becomes of the kernels of a PTX text, in words: how they are lowered, and why. block: the shape of a block, for kernels that
   name none themselves. write gets the whole text, or the error's. 0, or 1 when there was one. */
int hostwarp_explain(const char *ptx, size_t bytes, const unsigned block[3], void (*write)(void *data, const char *text), void *data);

/* For debuggers: which thread runs which kernel. share/gdb/hostwarp.py reads it; its layout begins with what is needed for that. */
extern struct hostwarp_threads hostwarp_threads;

#ifdef __cplusplus
}
#endif

#include "hostwarp/words_pop.h"

#endif
