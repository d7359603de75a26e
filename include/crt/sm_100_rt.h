/* SPDX-License-Identifier: Apache-2.0 */
/* Part of cuda_runtime.h here. */
#include "../cuda_runtime.h"
