/* SPDX-License-Identifier: Apache-2.0 */
/* Complex numbers as pairs, for C and C++, host and device. */
#ifndef HOSTWARP_CUCOMPLEX_H
#define HOSTWARP_CUCOMPLEX_H
#define CU_COMPLEX_H_ /* programs ask whether it is there */

#include "hostwarp/words_push.h"

#include <math.h>

#include "vector_types.h"

typedef float2 cuFloatComplex;
typedef double2 cuDoubleComplex;
typedef cuFloatComplex cuComplex;

#define HW_COMPLEX static __inline__ __host__ __device__

/* ---- float ---- */

HW_COMPLEX float cuCrealf(cuFloatComplex x) { return x.x; }
HW_COMPLEX float cuCimagf(cuFloatComplex x) { return x.y; }
HW_COMPLEX cuFloatComplex make_cuFloatComplex(float r, float i)
{
    cuFloatComplex c;
    c.x = r;
    c.y = i;
    return c;
}
HW_COMPLEX cuFloatComplex cuConjf(cuFloatComplex x) { return make_cuFloatComplex(x.x, -x.y); }
HW_COMPLEX cuFloatComplex cuCaddf(cuFloatComplex x, cuFloatComplex y) { return make_cuFloatComplex(x.x + y.x, x.y + y.y); }
HW_COMPLEX cuFloatComplex cuCsubf(cuFloatComplex x, cuFloatComplex y) { return make_cuFloatComplex(x.x - y.x, x.y - y.y); }
HW_COMPLEX cuFloatComplex cuCmulf(cuFloatComplex x, cuFloatComplex y) { return make_cuFloatComplex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }

/* Scaled by the larger part of the divisor, so that squares do not overflow. */
HW_COMPLEX cuFloatComplex cuCdivf(cuFloatComplex x, cuFloatComplex y)
{
    float scale = 1 / (fabsf(y.x) + fabsf(y.y));
    float ar = x.x * scale, ai = x.y * scale, br = y.x * scale, bi = y.y * scale;
    float over = 1 / (br * br + bi * bi);
    return make_cuFloatComplex((ar * br + ai * bi) * over, (ai * br - ar * bi) * over);
}
HW_COMPLEX float cuCabsf(cuFloatComplex x) { return hypotf(x.x, x.y); }
HW_COMPLEX cuFloatComplex cuCfmaf(cuFloatComplex x, cuFloatComplex y, cuFloatComplex d) { return cuCaddf(cuCmulf(x, y), d); }

/* ---- double ---- */

HW_COMPLEX double cuCreal(cuDoubleComplex x) { return x.x; }
HW_COMPLEX double cuCimag(cuDoubleComplex x) { return x.y; }
HW_COMPLEX cuDoubleComplex make_cuDoubleComplex(double r, double i)
{
    cuDoubleComplex c;
    c.x = r;
    c.y = i;
    return c;
}
HW_COMPLEX cuDoubleComplex cuConj(cuDoubleComplex x) { return make_cuDoubleComplex(x.x, -x.y); }
HW_COMPLEX cuDoubleComplex cuCadd(cuDoubleComplex x, cuDoubleComplex y) { return make_cuDoubleComplex(x.x + y.x, x.y + y.y); }
HW_COMPLEX cuDoubleComplex cuCsub(cuDoubleComplex x, cuDoubleComplex y) { return make_cuDoubleComplex(x.x - y.x, x.y - y.y); }
HW_COMPLEX cuDoubleComplex cuCmul(cuDoubleComplex x, cuDoubleComplex y) { return make_cuDoubleComplex(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x); }

/* Scaled by the larger part of the divisor, so that squares do not overflow. */
HW_COMPLEX cuDoubleComplex cuCdiv(cuDoubleComplex x, cuDoubleComplex y)
{
    double scale = 1 / (fabs(y.x) + fabs(y.y));
    double ar = x.x * scale, ai = x.y * scale, br = y.x * scale, bi = y.y * scale;
    double over = 1 / (br * br + bi * bi);
    return make_cuDoubleComplex((ar * br + ai * bi) * over, (ai * br - ar * bi) * over);
}
HW_COMPLEX double cuCabs(cuDoubleComplex x) { return hypot(x.x, x.y); }
HW_COMPLEX cuDoubleComplex cuCfma(cuDoubleComplex x, cuDoubleComplex y, cuDoubleComplex d) { return cuCadd(cuCmul(x, y), d); }

/* ---- the short names, and between the two ---- */

HW_COMPLEX cuComplex make_cuComplex(float x, float y) { return make_cuFloatComplex(x, y); }
HW_COMPLEX cuDoubleComplex cuComplexFloatToDouble(cuFloatComplex c) { return make_cuDoubleComplex((double)c.x, (double)c.y); }
HW_COMPLEX cuFloatComplex cuComplexDoubleToFloat(cuDoubleComplex c) { return make_cuFloatComplex((float)c.x, (float)c.y); }

#undef HW_COMPLEX

#include "hostwarp/words_pop.h"

#endif
