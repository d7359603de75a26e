/* SPDX-License-Identifier: Apache-2.0 */
/* Which entry points are unsafe while a stream is being captured. */
#ifndef DRIVER_CAPTURE_H
#define DRIVER_CAPTURE_H

#include "driver/api.h"

/* Only called while somebody captures. */
CUresult capture_check_call(enum api_id id);

#endif
