/* SPDX-License-Identifier: Apache-2.0 */
/* Where NVTX was before version 3. */
#include "nvtx3/nvToolsExtCuda.h"
