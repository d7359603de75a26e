/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declares the device's <cmath> before the C++ library's. A constexpr function of the library that is seen first would become one for host
 * and device alike, and could not be overloaded for the device any more. Part of cuda_runtime.h.
 */
#ifndef HOSTWARP_DEVICE_CMATH_FIRST_H
#define HOSTWARP_DEVICE_CMATH_FIRST_H

#define HW_DEV static __inline__ __attribute__((always_inline)) __attribute__((device))

namespace hostwarp {
/* A row's result: HW_SAME stands for the type of the arguments. */
template <class Result, class T> struct cmath_result {
    typedef Result type;
};
struct cmath_same {};
template <class T> struct cmath_result<cmath_same, T> {
    typedef T type;
};
}

#define HW_DECLARE1(result, name, T) HW_DEV result name(T);
#define HW_DECLARE2(result, name, T) HW_DEV result name(T, T);
#define HW_DECLARE3(result, name, T) HW_DEV result name(T, T, T);
#define HW_RESULT(result, T) hostwarp::cmath_result<result, T>::type
#define HW_SAME hostwarp::cmath_same
#define HW_CMATH1(result, name)                  \
    HW_DECLARE1(HW_RESULT(result, float), name, float) \
    HW_DECLARE1(HW_RESULT(result, double), name, double)
#define HW_CMATH2(result, name)                  \
    HW_DECLARE2(HW_RESULT(result, float), name, float) \
    HW_DECLARE2(HW_RESULT(result, double), name, double)
#define HW_CMATH3(result, name)                  \
    HW_DECLARE3(HW_RESULT(result, float), name, float) \
    HW_DECLARE3(HW_RESULT(result, double), name, double)
#define HW_CMATH_WITH(name, type)     \
    HW_DEV float name(float, type);   \
    HW_DEV double name(double, type);
#define HW_CMATH_TEST1(result, name)  \
    HW_DEV result name(float);        \
    HW_DEV result name(double);
#define HW_CMATH_TEST2(result, name)  \
    HW_DEV result name(float, float); \
    HW_DEV result name(double, double);
#include "hostwarp/cmath.def"
#undef HW_SAME
#undef HW_RESULT
#undef HW_DECLARE1
#undef HW_DECLARE2
#undef HW_DECLARE3

HW_DEV int abs(int);
HW_DEV long abs(long);
HW_DEV long long abs(long long);
HW_DEV float abs(float);
HW_DEV double abs(double);
HW_DEV long labs(long);
HW_DEV long long llabs(long long);
HW_DEV float modf(float, float *);
HW_DEV double modf(double, double *);
HW_DEV float remquo(float, float, int *);
HW_DEV double remquo(double, double, int *);
HW_DEV double nan(const char *);
HW_DEV float nanf(const char *);

#undef HW_DEV

/* In the namespace where the C++ library's own functions look for them. */
namespace std {
#ifdef _GLIBCXX_BEGIN_NAMESPACE_VERSION
_GLIBCXX_BEGIN_NAMESPACE_VERSION
#endif
#define HW_CMATH1(result, name) using ::name;
#define HW_CMATH2(result, name) using ::name;
#define HW_CMATH3(result, name) using ::name;
#define HW_CMATH_WITH(name, type) using ::name;
#define HW_CMATH_TEST1(result, name) using ::name;
#define HW_CMATH_TEST2(result, name) using ::name;
#include "hostwarp/cmath.def"
using ::abs;
using ::labs;
using ::llabs;
using ::modf;
using ::nan;
using ::nanf;
using ::remquo;
#ifdef _GLIBCXX_BEGIN_NAMESPACE_VERSION
_GLIBCXX_END_NAMESPACE_VERSION
#endif
}

#endif
