/* SPDX-License-Identifier: Apache-2.0 */
/* Part of mma.h here. */
#include "../mma.h"
