/* SPDX-License-Identifier: Apache-2.0 */
/* The primitives of pipelines; the class is in <cuda/pipeline>. */
#ifndef _CUDA_PIPELINE_H_
#define _CUDA_PIPELINE_H_

#include "cuda_pipeline_primitives.h"

#endif
