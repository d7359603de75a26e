/* SPDX-License-Identifier: Apache-2.0 */
/* The host compiler: gcc and clang need no checks. */
#include "crt/host_defines.h"
