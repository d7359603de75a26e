/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the device runtime that answers questions: cudaGetErrorString(), cudaGetDevice(), cudaDeviceGetAttribute() in kernels. */
#ifndef CORE_DEVICE_QUERY_H
#define CORE_DEVICE_QUERY_H

#include "base/str.h"

#include <cuda.h>

struct module;

void device_query_ptx(const char *text, struct hw_str *out);     /* adds what PTX `text` calls of it to the PTX of the device runtime */
void device_query_fill(struct module *m);                        /* once its variables are there */

/* device_figures.c: the same for limits, attributes of kernels and occupancy. */
void device_figures_ptx(const char *text, struct hw_str *out);
void device_figures_fill(struct module *m);                      /* once its kernels are there */
void device_figures_limit(struct module *m, CUlimit limit, size_t value);        /* it has changed */

#endif
