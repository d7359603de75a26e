/* SPDX-License-Identifier: Apache-2.0 */
/* What other files need to know of arrays. */
#ifndef RUNTIME_ARRAY_H
#define RUNTIME_ARRAY_H

#include "runtime/api.h"

/* The driver's name for a channel format; InvalidChannelDescriptor when there is none. */
cudaError_t array_format(const struct cudaChannelFormatDesc *d, CUarray_format *format, unsigned *channels);
struct cudaChannelFormatDesc array_channels(CUarray_format format, unsigned channels);   /* the way back */
/* Bytes of one element, which is a block of side by side texels where these are compressed together; else side is 1. */
cudaError_t array_element(cudaArray_const_t array, size_t *bytes, size_t *side);

#endif
