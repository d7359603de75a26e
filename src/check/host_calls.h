/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the C library that the checker must hear of. */
#ifndef CHECK_HOST_CALLS_H
#define CHECK_HOST_CALLS_H

#include "base/base.h"

void host_calls_init(void);
void host_calls_registered(bool any);            /* is there memory that was registered? */
void host_calls_off(void);

#endif
