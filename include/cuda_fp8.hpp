/* SPDX-License-Identifier: Apache-2.0 */
#include "cuda_fp8.h"
