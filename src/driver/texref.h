/* SPDX-License-Identifier: Apache-2.0 */
/* Texture references, for those who end modules. */
#ifndef DRIVER_TEXREF_H
#define DRIVER_TEXREF_H

#include <cuda.h>

void texref_module_gone(CUmodule module);        /* its references end with it */

#endif
