/* SPDX-License-Identifier: Apache-2.0 */
/* The rounding modes that device functions name. */
#ifndef HOSTWARP_DEVICE_TYPES_H
#define HOSTWARP_DEVICE_TYPES_H

#include "hostwarp/words_push.h"

enum cudaRoundMode {
    cudaRoundNearest = 0,
    cudaRoundZero    = 1,
    cudaRoundPosInf  = 2,
    cudaRoundMinInf  = 3,
};

#include "hostwarp/words_pop.h"

#endif
