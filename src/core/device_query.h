/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the device runtime that answers questions: cudaGetErrorString(), cudaGetDevice(), cudaDeviceGetAttribute() in kernels. */
#ifndef CORE_DEVICE_QUERY_H
#define CORE_DEVICE_QUERY_H

#include "base/str.h"

struct module;

void device_query_ptx(const char *text, struct hw_str *out);     /* adds what PTX `text` calls of it to the PTX of the device runtime */
void device_query_fill(struct module *m);                        /* once its variables are there */

#endif
