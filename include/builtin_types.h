/* SPDX-License-Identifier: Apache-2.0 */
/* All types of the runtime API in one header. */
#ifndef HOSTWARP_BUILTIN_TYPES_H
#define HOSTWARP_BUILTIN_TYPES_H

#include "hostwarp/words_push.h"

#include "device_types.h"
#include "driver_types.h"
#include "surface_types.h"
#include "texture_types.h"
#include "vector_types.h"

#include "hostwarp/words_pop.h"

#endif
