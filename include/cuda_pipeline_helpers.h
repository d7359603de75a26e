/* SPDX-License-Identifier: Apache-2.0 */
/* Everything of it is in cuda_pipeline_primitives.h. */
#include "cuda_pipeline_primitives.h"
