/* SPDX-License-Identifier: Apache-2.0 */
/* hostwarp's cubin: what ptxas, nvcc -cubin, NVRTC and the linkers hand out where others hand out machine code. */
#ifndef PTX_CUBIN_H
#define PTX_CUBIN_H

#include "base/str.h"

void ptx_cubin_write(const char *ptx, struct hw_str *out);               /* for the device that the text's .target names */
bool ptx_is_cubin(const void *image, size_t max_bytes);
/* The text in it, which lies in the image and ends in a zero byte; NULL: it is none, or damaged. sm: 80, may be NULL. */
const char *ptx_cubin_text(const void *image, size_t max_bytes, size_t *out_bytes, unsigned *sm);
unsigned ptx_target_sm(const char *ptx);                                 /* of `.target sm_80`, 0: none is named */

#endif
