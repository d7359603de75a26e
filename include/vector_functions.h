/* SPDX-License-Identifier: Apache-2.0 */
/* make_int2 and the like, on the host and on the device. */
#ifndef HOSTWARP_VECTOR_FUNCTIONS_H
#define HOSTWARP_VECTOR_FUNCTIONS_H
#define __VECTOR_FUNCTIONS_H__ /* programs ask whether it is there */

#include "hostwarp/words_push.h"

#include "vector_types.h"

#define HW_MAKE static __inline__ __host__ __device__

HW_MAKE char1 make_char1(signed char x) { char1 t; t.x = x; return t; }
HW_MAKE char2 make_char2(signed char x, signed char y) { char2 t; t.x = x; t.y = y; return t; }
HW_MAKE char3 make_char3(signed char x, signed char y, signed char z) { char3 t; t.x = x; t.y = y; t.z = z; return t; }
HW_MAKE char4 make_char4(signed char x, signed char y, signed char z, signed char w) { char4 t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }
HW_MAKE uchar1 make_uchar1(unsigned char x) { uchar1 t; t.x = x; return t; }
HW_MAKE uchar2 make_uchar2(unsigned char x, unsigned char y) { uchar2 t; t.x = x; t.y = y; return t; }
HW_MAKE uchar3 make_uchar3(unsigned char x, unsigned char y, unsigned char z) { uchar3 t; t.x = x; t.y = y; t.z = z; return t; }
HW_MAKE uchar4 make_uchar4(unsigned char x, unsigned char y, unsigned char z, unsigned char w) { uchar4 t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }
HW_MAKE short1 make_short1(short x) { short1 t; t.x = x; return t; }
HW_MAKE short2 make_short2(short x, short y) { short2 t; t.x = x; t.y = y; return t; }
HW_MAKE short3 make_short3(short x, short y, short z) { short3 t; t.x = x; t.y = y; t.z = z; return t; }
HW_MAKE short4 make_short4(short x, short y, short z, short w) { short4 t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }
HW_MAKE ushort1 make_ushort1(unsigned short x) { ushort1 t; t.x = x; return t; }
HW_MAKE ushort2 make_ushort2(unsigned short x, unsigned short y) { ushort2 t; t.x = x; t.y = y; return t; }
HW_MAKE ushort3 make_ushort3(unsigned short x, unsigned short y, unsigned short z) { ushort3 t; t.x = x; t.y = y; t.z = z; return t; }
HW_MAKE ushort4 make_ushort4(unsigned short x, unsigned short y, unsigned short z, unsigned short w) { ushort4 t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }
HW_MAKE int1 make_int1(int x) { int1 t; t.x = x; return t; }
HW_MAKE int2 make_int2(int x, int y) { int2 t; t.x = x; t.y = y; return t; }
HW_MAKE int3 make_int3(int x, int y, int z) { int3 t; t.x = x; t.y = y; t.z = z; return t; }
HW_MAKE int4 make_int4(int x, int y, int z, int w) { int4 t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }
HW_MAKE uint1 make_uint1(unsigned int x) { uint1 t; t.x = x; return t; }
HW_MAKE uint2 make_uint2(unsigned int x, unsigned int y) { uint2 t; t.x = x; t.y = y; return t; }
HW_MAKE uint3 make_uint3(unsigned int x, unsigned int y, unsigned int z) { uint3 t; t.x = x; t.y = y; t.z = z; return t; }
HW_MAKE uint4 make_uint4(unsigned int x, unsigned int y, unsigned int z, unsigned int w) { uint4 t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }
HW_MAKE long1 make_long1(long x) { long1 t; t.x = x; return t; }
HW_MAKE long2 make_long2(long x, long y) { long2 t; t.x = x; t.y = y; return t; }
HW_MAKE long3 make_long3(long x, long y, long z) { long3 t; t.x = x; t.y = y; t.z = z; return t; }
HW_MAKE long4 make_long4(long x, long y, long z, long w) { long4 t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }
HW_MAKE ulong1 make_ulong1(unsigned long x) { ulong1 t; t.x = x; return t; }
HW_MAKE ulong2 make_ulong2(unsigned long x, unsigned long y) { ulong2 t; t.x = x; t.y = y; return t; }
HW_MAKE ulong3 make_ulong3(unsigned long x, unsigned long y, unsigned long z) { ulong3 t; t.x = x; t.y = y; t.z = z; return t; }
HW_MAKE ulong4 make_ulong4(unsigned long x, unsigned long y, unsigned long z, unsigned long w) { ulong4 t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }
HW_MAKE longlong1 make_longlong1(long long x) { longlong1 t; t.x = x; return t; }
HW_MAKE longlong2 make_longlong2(long long x, long long y) { longlong2 t; t.x = x; t.y = y; return t; }
HW_MAKE longlong3 make_longlong3(long long x, long long y, long long z) { longlong3 t; t.x = x; t.y = y; t.z = z; return t; }
HW_MAKE longlong4 make_longlong4(long long x, long long y, long long z, long long w) { longlong4 t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }
HW_MAKE ulonglong1 make_ulonglong1(unsigned long long x) { ulonglong1 t; t.x = x; return t; }
HW_MAKE ulonglong2 make_ulonglong2(unsigned long long x, unsigned long long y) { ulonglong2 t; t.x = x; t.y = y; return t; }
HW_MAKE ulonglong3 make_ulonglong3(unsigned long long x, unsigned long long y, unsigned long long z) { ulonglong3 t; t.x = x; t.y = y; t.z = z; return t; }
HW_MAKE ulonglong4 make_ulonglong4(unsigned long long x, unsigned long long y, unsigned long long z, unsigned long long w) { ulonglong4 t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }
HW_MAKE float1 make_float1(float x) { float1 t; t.x = x; return t; }
HW_MAKE float2 make_float2(float x, float y) { float2 t; t.x = x; t.y = y; return t; }
HW_MAKE float3 make_float3(float x, float y, float z) { float3 t; t.x = x; t.y = y; t.z = z; return t; }
HW_MAKE float4 make_float4(float x, float y, float z, float w) { float4 t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }
HW_MAKE double1 make_double1(double x) { double1 t; t.x = x; return t; }
HW_MAKE double2 make_double2(double x, double y) { double2 t; t.x = x; t.y = y; return t; }
HW_MAKE double3 make_double3(double x, double y, double z) { double3 t; t.x = x; t.y = y; t.z = z; return t; }
HW_MAKE double4 make_double4(double x, double y, double z, double w) { double4 t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }

#define HW_MAKE_ALIGNED4(name, T)                                                                                   \
    HW_MAKE name##_16a make_##name##_16a(T x, T y, T z, T w) { name##_16a t; t.x = x; t.y = y; t.z = z; t.w = w; return t; } \
    HW_MAKE name##_32a make_##name##_32a(T x, T y, T z, T w) { name##_32a t; t.x = x; t.y = y; t.z = z; t.w = w; return t; }
HW_MAKE_ALIGNED4(long4, long)
HW_MAKE_ALIGNED4(ulong4, unsigned long)
HW_MAKE_ALIGNED4(longlong4, long long)
HW_MAKE_ALIGNED4(ulonglong4, unsigned long long)
HW_MAKE_ALIGNED4(double4, double)
#undef HW_MAKE_ALIGNED4

#undef HW_MAKE

#include "hostwarp/words_pop.h"

#endif
