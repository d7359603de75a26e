/* SPDX-License-Identifier: Apache-2.0 */
/* Defines the device's <cmath> over the functions of float (sinf) and double that clang's headers have. Part of cuda_runtime.h. */
#ifndef HOSTWARP_DEVICE_CMATH_H
#define HOSTWARP_DEVICE_CMATH_H

#define HW_DEV static __inline__ __attribute__((always_inline)) __attribute__((device))

namespace hostwarp {
template <bool condition, class R> struct cmath_if {};
template <class R> struct cmath_if<true, R> {
    typedef R type;
};
}

/* ---- float ---- */

#define HW_SAME hostwarp::cmath_same
#define HW_RESULT(result) hostwarp::cmath_result<result, float>::type
#define HW_CMATH1(result, name) HW_DEV HW_RESULT(result) name(float a) { return ::name##f(a); }
#define HW_CMATH2(result, name) HW_DEV HW_RESULT(result) name(float a, float b) { return ::name##f(a, b); }
#define HW_CMATH3(result, name) HW_DEV HW_RESULT(result) name(float a, float b, float c) { return ::name##f(a, b, c); }
#define HW_CMATH_WITH(name, type) HW_DEV float name(float a, type b) { return ::name##f(a, b); }
#include "hostwarp/cmath.def"
#undef HW_RESULT
#undef HW_SAME

HW_DEV long abs(long a) { return ::labs(a); }
HW_DEV long long abs(long long a) { return ::llabs(a); }
HW_DEV float abs(float a) { return ::fabsf(a); }
HW_DEV double abs(double a) { return ::fabs(a); }
HW_DEV float modf(float a, float *whole) { return ::modff(a, whole); }
HW_DEV float remquo(float a, float b, int *quotient) { return ::remquof(a, b, quotient); }

/* The device makes the same NaN of every tag. */
HW_DEV double nan(const char *) { return __builtin_nan(""); }
HW_DEV float nanf(const char *) { return __builtin_nanf(""); }

/* ---- classification and comparison ---- */

#define HW_CMATH_TEST1(result, name)                              \
    HW_DEV result name(float a) { return HW_BUILTIN(name)(a); }   \
    HW_DEV result name(double a) { return HW_BUILTIN(name)(a); }
#define HW_CMATH_TEST2(result, name)                                          \
    HW_DEV result name(float a, float b) { return __builtin_##name(a, b); }   \
    HW_DEV result name(double a, double b) { return __builtin_##name(a, b); }
#define HW_BUILTIN(name) __builtin_##name
#define __builtin_fpclassify(a) __builtin_fpclassify(FP_NAN, FP_INFINITE, FP_NORMAL, FP_SUBNORMAL, FP_ZERO, a)
#include "hostwarp/cmath.def"
#undef __builtin_fpclassify
#undef HW_BUILTIN

/* ---- integers, and arguments of several types ---- */

#define HW_SAME hostwarp::cmath_same
#define HW_RESULT(result) hostwarp::cmath_result<result, double>::type
#define HW_WHOLE(T, result) typename hostwarp::cmath_if<__is_integral(T), result>::type
#define HW_NUMBERS(T, U, result) typename hostwarp::cmath_if<__is_arithmetic(T) && __is_arithmetic(U), result>::type
#define HW_CMATH1(result, name) \
    template <class T> HW_DEV HW_WHOLE(T, HW_RESULT(result)) name(T a) { return ::name((double)a); }
#define HW_CMATH2(result, name) \
    template <class T, class U> HW_DEV HW_NUMBERS(T, U, HW_RESULT(result)) name(T a, U b) { return ::name((double)a, (double)b); }
#define HW_CMATH3(result, name)                                                                              \
    template <class T, class U, class V> HW_DEV HW_NUMBERS(T, U, HW_NUMBERS(U, V, HW_RESULT(result))) name(T a, U b, V c) \
    {                                                                                                        \
        return ::name((double)a, (double)b, (double)c);                                                      \
    }
#define HW_CMATH_WITH(name, type) \
    template <class T> HW_DEV HW_WHOLE(T, double) name(T a, type b) { return ::name((double)a, b); }
#define HW_CMATH_TEST1(result, name) HW_CMATH1(result, name)
#define HW_CMATH_TEST2(result, name) HW_CMATH2(result, name)
#include "hostwarp/cmath.def"
template <class T, class U> HW_DEV HW_NUMBERS(T, U, double) remquo(T a, U b, int *quotient) { return ::remquo((double)a, (double)b, quotient); }
#undef HW_WHOLE
#undef HW_NUMBERS
#undef HW_RESULT
#undef HW_SAME

#undef HW_DEV

/* ---- the new ones in namespace std too, and sinf and its like, which the V++ library has there only in part ---- */

namespace std {
#ifdef _GLIBCXX_BEGIN_NAMESPACE_VERSION
_GLIBCXX_BEGIN_NAMESPACE_VERSION
#endif
#define HW_BOTH_NAMES(name) \
    using ::name;           \
    using ::name##f;
#define HW_CMATH1(result, name) HW_BOTH_NAMES(name)
#define HW_CMATH2(result, name) HW_BOTH_NAMES(name)
#define HW_CMATH3(result, name) HW_BOTH_NAMES(name)
#define HW_CMATH_WITH(name, type) HW_BOTH_NAMES(name)
#define HW_CMATH_TEST2(result, name) using ::name;
#include "hostwarp/cmath.def"
#undef HW_BOTH_NAMES
/* Not isinf and isnan: <math.h> has some of its own in the global namespace, which are not the V++ library's. */
using ::fpclassify;
using ::isfinite;
using ::isnormal;
using ::modff;
using ::remquo;
using ::remquof;
using ::signbit;
#ifdef _GLIBCXX_BEGIN_NAMESPACE_VERSION
_GLIBCXX_END_NAMESPACE_VERSION
#endif
}

#endif
