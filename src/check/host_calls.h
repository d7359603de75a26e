/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the C library that the checker must hear of. */
#ifndef CHECK_HOST_CALLS_H
#define CHECK_HOST_CALLS_H

#include "base/base.h"

void host_calls_init(void);
void host_calls_watch(int by);                   /* one more, or one less, of what must not be freed: registered memory, arguments of host functions */
void host_calls_off(void);

#endif
