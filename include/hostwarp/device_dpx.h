/* SPDX-License-Identifier: Apache-2.0 */
/* The functions for dynamic programming (DPX): minima and maxima of two and three, of sums, with a floor of 0, and with who won. On words and
   on pairs of 16 bits, on host and device. Part of cuda_runtime.h. */
#ifndef HOSTWARP_DEVICE_DPX_H
#define HOSTWARP_DEVICE_DPX_H

#define HW_BOTH static __inline__ __attribute__((always_inline)) __host__ __device__

namespace hostwarp {

template <class T> HW_BOTH T low_half(unsigned int x) { return (T)(x & 0xffff); }
template <class T> HW_BOTH T high_half(unsigned int x) { return (T)(x >> 16); }
HW_BOTH unsigned int two_halves(unsigned int high, unsigned int low) { return high << 16 | (low & 0xffff); }

/* T decides how sums wrap and how values compare. */
template <class T> struct dpx {
    HW_BOTH T max(T a, T b) { return a > b ? a : b; }
    HW_BOTH T min(T a, T b) { return a < b ? a : b; }
    HW_BOTH T max3(T a, T b, T c) { return max(max(a, b), c); }
    HW_BOTH T min3(T a, T b, T c) { return min(min(a, b), c); }
    HW_BOTH T sum(T a, T b) { return (T)((unsigned int)a + (unsigned int)b); }
    HW_BOTH T addmax(T a, T b, T c) { return max(sum(a, b), c); }
    HW_BOTH T addmin(T a, T b, T c) { return min(sum(a, b), c); }
    HW_BOTH T max_relu(T a, T b) { return max3(a, b, 0); }
    HW_BOTH T min_relu(T a, T b) { return max(min(a, b), 0); }
    HW_BOTH T max3_relu(T a, T b, T c) { return max(max3(a, b, c), 0); }
    HW_BOTH T min3_relu(T a, T b, T c) { return max(min3(a, b, c), 0); }
    HW_BOTH T addmax_relu(T a, T b, T c) { return max(addmax(a, b, c), 0); }
    HW_BOTH T addmin_relu(T a, T b, T c) { return max(addmin(a, b, c), 0); }
};

}

#define HW_LOW(T, x)  hostwarp::low_half<T>(x)
#define HW_HIGH(T, x) hostwarp::high_half<T>(x)
#define HW_WORD2(name, T, f) HW_BOTH T name(const T a, const T b) { return hostwarp::dpx<T>::f(a, b); }
#define HW_WORD3(name, T, f) HW_BOTH T name(const T a, const T b, const T c) { return hostwarp::dpx<T>::f(a, b, c); }
#define HW_PAIR2(name, T, f)                                                                                        \
    HW_BOTH unsigned int name(const unsigned int a, const unsigned int b)                                           \
    {                                                                                                               \
        return hostwarp::two_halves((unsigned int)hostwarp::dpx<T>::f(HW_HIGH(T, a), HW_HIGH(T, b)),                \
                                    (unsigned int)hostwarp::dpx<T>::f(HW_LOW(T, a), HW_LOW(T, b)));                 \
    }
#define HW_PAIR3(name, T, f)                                                                                        \
    HW_BOTH unsigned int name(const unsigned int a, const unsigned int b, const unsigned int c)                     \
    {                                                                                                               \
        return hostwarp::two_halves((unsigned int)hostwarp::dpx<T>::f(HW_HIGH(T, a), HW_HIGH(T, b), HW_HIGH(T, c)), \
                                    (unsigned int)hostwarp::dpx<T>::f(HW_LOW(T, a), HW_LOW(T, b), HW_LOW(T, c)));   \
    }

HW_WORD2(__vimax_s32_relu, int, max_relu)
HW_WORD2(__vimin_s32_relu, int, min_relu)
HW_PAIR2(__vimax_s16x2_relu, short, max_relu)
HW_PAIR2(__vimin_s16x2_relu, short, min_relu)

#define HW_OF_THREE(name, f)                             \
    HW_WORD3(name##_s32, int, f)                         \
    HW_WORD3(name##_u32, unsigned int, f)                \
    HW_WORD3(name##_s32_relu, int, f##_relu)             \
    HW_PAIR3(name##_s16x2, short, f)                     \
    HW_PAIR3(name##_u16x2, unsigned short, f)            \
    HW_PAIR3(name##_s16x2_relu, short, f##_relu)
HW_OF_THREE(__vimax3, max3)
HW_OF_THREE(__vimin3, min3)
HW_OF_THREE(__viaddmax, addmax)
HW_OF_THREE(__viaddmin, addmin)

/* *first: the first argument is the result. */
#define HW_WINNER(name, op)                                                                                         \
    HW_WINNER_WORD(name##_s32, int, op)                                                                             \
    HW_WINNER_WORD(name##_u32, unsigned int, op)                                                                    \
    HW_WINNER_PAIR(name##_s16x2, short, op)                                                                         \
    HW_WINNER_PAIR(name##_u16x2, unsigned short, op)
#define HW_WINNER_WORD(name, T, op)                                                                                 \
    HW_BOTH T name(const T a, const T b, bool *const first)                                                         \
    {                                                                                                               \
        *first = a op b;                                                                                            \
        return a op b ? a : b;                                                                                      \
    }
#define HW_WINNER_PAIR(name, T, op)                                                                                 \
    HW_BOTH unsigned int name(const unsigned int a, const unsigned int b, bool *const first_high, bool *const first_low) \
    {                                                                                                               \
        const bool high = HW_HIGH(T, a) op HW_HIGH(T, b), low = HW_LOW(T, a) op HW_LOW(T, b);                       \
        *first_high = high;                                                                                         \
        *first_low = low;                                                                                           \
        return ((high ? a : b) & 0xffff0000u) | ((low ? a : b) & 0xffffu);                                          \
    }
HW_WINNER(__vibmax, >=)
HW_WINNER(__vibmin, <=)

#undef HW_BOTH
#undef HW_LOW
#undef HW_HIGH
#undef HW_WORD2
#undef HW_WORD3
#undef HW_PAIR2
#undef HW_PAIR3
#undef HW_OF_THREE
#undef HW_WINNER
#undef HW_WINNER_WORD
#undef HW_WINNER_PAIR

#endif
