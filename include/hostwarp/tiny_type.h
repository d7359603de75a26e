/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A type of floats of 8 bits or less, alone, in pairs and in fours, with their conversions. Included by cuda_fp8.h, cuda_fp6.h and cuda_fp4.h,
 * once for each format, which say:
 *   HW_TINY(x)         the name of the type with x1, x2 or x4 in it
 *   HW_TINY_STORAGE(x) the same for what holds its bits
 *   HW_TINY_BITS       bits from one number to the next in pairs and fours
 *   HW_TINY_FROM(v)    the bits of a float or a double, saturated
 *   HW_TINY_TO(bits)   the float that the bits stand for
 */

struct HW_TINY(x1) {
    HW_TINY_STORAGE(x1) __x;

    HW_TINY(x1)() = default;
    explicit __host__ __device__ HW_TINY(x1)(const __half v) : __x(HW_TINY_FROM((float)v)) {}
    explicit __host__ __device__ HW_TINY(x1)(const __nv_bfloat16 v) : __x(HW_TINY_FROM((float)v)) {}
    explicit __host__ __device__ HW_TINY(x1)(const float v) : __x(HW_TINY_FROM(v)) {}
    explicit __host__ __device__ HW_TINY(x1)(const double v) : __x(HW_TINY_FROM(v)) {}
    explicit __host__ __device__ HW_TINY(x1)(const short v) : __x(HW_TINY_FROM((float)v)) {}
    explicit __host__ __device__ HW_TINY(x1)(const unsigned short v) : __x(HW_TINY_FROM((float)v)) {}
    explicit __host__ __device__ HW_TINY(x1)(const int v) : __x(HW_TINY_FROM((double)v)) {}
    explicit __host__ __device__ HW_TINY(x1)(const unsigned int v) : __x(HW_TINY_FROM((double)v)) {}
    explicit __host__ __device__ HW_TINY(x1)(const long v) : __x(HW_TINY_FROM(hostwarp::double_of((long long)v))) {}
    explicit __host__ __device__ HW_TINY(x1)(const unsigned long v) : __x(HW_TINY_FROM(hostwarp::double_of((unsigned long long)v))) {}
    explicit __host__ __device__ HW_TINY(x1)(const long long v) : __x(HW_TINY_FROM(hostwarp::double_of(v))) {}
    explicit __host__ __device__ HW_TINY(x1)(const unsigned long long v) : __x(HW_TINY_FROM(hostwarp::double_of(v))) {}

    explicit __host__ __device__ operator float() const { return HW_TINY_TO(__x); }
    explicit __host__ __device__ operator double() const { return (double)HW_TINY_TO(__x); }
    explicit __host__ __device__ operator __half() const { return __half(HW_TINY_TO(__x)); }
    explicit __host__ __device__ operator __nv_bfloat16() const { return __nv_bfloat16(HW_TINY_TO(__x)); }
    explicit __host__ __device__ operator bool() const { return HW_TINY_TO(__x) != 0; }
#define HW_TO_INTEGER(Int) \
    explicit __host__ __device__ operator Int() const { return hostwarp::integer_of<Int>(HW_TINY_TO(__x), hostwarp::round_zero); }
    HW_TO_INTEGER(char)
    HW_TO_INTEGER(signed char)
    HW_TO_INTEGER(unsigned char)
    HW_TO_INTEGER(short)
    HW_TO_INTEGER(unsigned short)
    HW_TO_INTEGER(int)
    HW_TO_INTEGER(unsigned int)
    HW_TO_INTEGER(long)
    HW_TO_INTEGER(unsigned long)
    HW_TO_INTEGER(long long)
    HW_TO_INTEGER(unsigned long long)
#undef HW_TO_INTEGER
};

#define HW_TINY_AT(k) (HW_TINY_STORAGE(x1))(__x >> HW_TINY_BITS * (k) & ((1u << HW_TINY_BITS) - 1))

struct __align__(sizeof(HW_TINY_STORAGE(x2))) HW_TINY(x2) {
    HW_TINY_STORAGE(x2) __x;

    HW_TINY(x2)() = default;
    explicit __host__ __device__ HW_TINY(x2)(const __half2 v) : __x(both((float)v.x, (float)v.y)) {}
    explicit __host__ __device__ HW_TINY(x2)(const __nv_bfloat162 v) : __x(both((float)v.x, (float)v.y)) {}
    explicit __host__ __device__ HW_TINY(x2)(const float2 v) : __x(both(v.x, v.y)) {}
    explicit __host__ __device__ HW_TINY(x2)(const double2 v) : __x(both(v.x, v.y)) {}
    explicit __host__ __device__ operator float2() const { return make_float2(HW_TINY_TO(HW_TINY_AT(0)), HW_TINY_TO(HW_TINY_AT(1))); }
    explicit __host__ __device__ operator __half2() const { return __half2(__half(HW_TINY_TO(HW_TINY_AT(0))), __half(HW_TINY_TO(HW_TINY_AT(1)))); }
    explicit __host__ __device__ operator __nv_bfloat162() const
    {
        return __nv_bfloat162(__nv_bfloat16(HW_TINY_TO(HW_TINY_AT(0))), __nv_bfloat16(HW_TINY_TO(HW_TINY_AT(1))));
    }

    template <class F> static __host__ __device__ HW_TINY_STORAGE(x2) both(F x, F y)
    {
        return (HW_TINY_STORAGE(x2))(HW_TINY_FROM(x) | HW_TINY_FROM(y) << HW_TINY_BITS);
    }
};

struct __align__(sizeof(HW_TINY_STORAGE(x4))) HW_TINY(x4) {
    HW_TINY_STORAGE(x4) __x;

    HW_TINY(x4)() = default;
    explicit __host__ __device__ HW_TINY(x4)(const __half2 low, const __half2 high)
        : __x(all((float)low.x, (float)low.y, (float)high.x, (float)high.y)) {}
    explicit __host__ __device__ HW_TINY(x4)(const __nv_bfloat162 low, const __nv_bfloat162 high)
        : __x(all((float)low.x, (float)low.y, (float)high.x, (float)high.y)) {}
    explicit __host__ __device__ HW_TINY(x4)(const float4 v) : __x(all(v.x, v.y, v.z, v.w)) {}
    explicit __host__ __device__ HW_TINY(x4)(const double4 v) : __x(all(v.x, v.y, v.z, v.w)) {}
    explicit __host__ __device__ HW_TINY(x4)(const double4_16a v) : __x(all(v.x, v.y, v.z, v.w)) {}
    explicit __host__ __device__ HW_TINY(x4)(const double4_32a v) : __x(all(v.x, v.y, v.z, v.w)) {}
    explicit __host__ __device__ operator float4() const
    {
        return make_float4(HW_TINY_TO(HW_TINY_AT(0)), HW_TINY_TO(HW_TINY_AT(1)), HW_TINY_TO(HW_TINY_AT(2)), HW_TINY_TO(HW_TINY_AT(3)));
    }

    template <class F> static __host__ __device__ HW_TINY_STORAGE(x4) all(F x, F y, F z, F w)
    {
        return (HW_TINY_STORAGE(x4))((unsigned int)HW_TINY_FROM(x) | (unsigned int)HW_TINY_FROM(y) << HW_TINY_BITS |
                                     (unsigned int)HW_TINY_FROM(z) << 2 * HW_TINY_BITS | (unsigned int)HW_TINY_FROM(w) << 3 * HW_TINY_BITS);
    }
};

#undef HW_TINY_AT
#undef HW_TINY
#undef HW_TINY_STORAGE
#undef HW_TINY_BITS
#undef HW_TINY_FROM
#undef HW_TINY_TO
