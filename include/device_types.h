/* SPDX-License-Identifier: Apache-2.0 */
/* The rounding modes that device functions name. */
#ifndef HOSTWARP_DEVICE_TYPES_H
#define HOSTWARP_DEVICE_TYPES_H

enum cudaRoundMode {
    cudaRoundNearest = 0,
    cudaRoundZero    = 1,
    cudaRoundPosInf  = 2,
    cudaRoundMinInf  = 3,
};

#endif
