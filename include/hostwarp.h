/* SPDX-License-Identifier: Apache-2.0 */
/* What libcuda.so.1 of hostwarp exports besides CUDA: ranges and marks for the profiler, and the place where other libraries
   report their own calls to it. All of it does nothing, quickly, when no profiler listens. */
#ifndef HOSTWARP_H
#define HOSTWARP_H

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
uint64_t hostwarp_prof_api_enter(const char *name, const void *caller);
void hostwarp_prof_api_leave(uint64_t token, int result);

#ifdef __cplusplus
}
#endif

#endif
