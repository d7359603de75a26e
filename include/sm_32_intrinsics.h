/* SPDX-License-Identifier: Apache-2.0 */
/* Programs name this header; everything it stands for is in cuda_runtime.h. */
#include "cuda_runtime.h"
