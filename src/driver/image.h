/* SPDX-License-Identifier: Apache-2.0 */
/* How long an image is that a program handed over without saying so. */
#ifndef DRIVER_IMAGE_H
#define DRIVER_IMAGE_H

#include "base/base.h"

/* Steps from a fatbin wrapper to the fatbin inside it. False: nothing we know the length of. */
bool image_find(const void **image, size_t *out_bytes);

#endif
