/* SPDX-License-Identifier: Apache-2.0 */
/* Everything of it is in cuda_awbarrier_primitives.h. */
#include "cuda_awbarrier_primitives.h"
