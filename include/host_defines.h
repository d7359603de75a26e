/* SPDX-License-Identifier: Apache-2.0 */
/* The old place of crt/host_defines.h. */
#include "crt/host_defines.h"
