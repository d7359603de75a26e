/* SPDX-License-Identifier: Apache-2.0 */
/* Textures and surfaces in kernels: tex1D and its kin, surf2Dread and its kin, for objects. */
#ifndef HOSTWARP_DEVICE_TEXTURE_H
#define HOSTWARP_DEVICE_TEXTURE_H

#include "../texture_types.h"
#include "../surface_types.h"

/* ---- four words, as the instruction gives them, as a value of the program's type ---- */

template <class T> struct hw_texel;
#define HW_TEXEL_CAST(B, w) ((B)(w))
#define HW_TEXEL_BITS(B, w) (__uint_as_float(w))
#define HW_TEXEL(B, V, word)                                                                                                       \
    template <> struct hw_texel<B> { static __device__ __inline__ B make(uint4 w) { return word(B, w.x); } };                      \
    template <> struct hw_texel<V##1> { static __device__ __inline__ V##1 make(uint4 w) { V##1 v; v.x = word(B, w.x); return v; } }; \
    template <> struct hw_texel<V##2> {                                                                                            \
        static __device__ __inline__ V##2 make(uint4 w) { V##2 v; v.x = word(B, w.x); v.y = word(B, w.y); return v; }               \
    };                                                                                                                             \
    template <> struct hw_texel<V##4> {                                                                                            \
        static __device__ __inline__ V##4 make(uint4 w)                                                                            \
        {                                                                                                                          \
            V##4 v;                                                                                                                \
            v.x = word(B, w.x); v.y = word(B, w.y); v.z = word(B, w.z); v.w = word(B, w.w);                                        \
            return v;                                                                                                              \
        }                                                                                                                          \
    };
HW_TEXEL(signed char, char, HW_TEXEL_CAST)
HW_TEXEL(unsigned char, uchar, HW_TEXEL_CAST)
HW_TEXEL(short, short, HW_TEXEL_CAST)
HW_TEXEL(unsigned short, ushort, HW_TEXEL_CAST)
HW_TEXEL(int, int, HW_TEXEL_CAST)
HW_TEXEL(unsigned int, uint, HW_TEXEL_CAST)
HW_TEXEL(float, float, HW_TEXEL_BITS)
template <> struct hw_texel<char> { static __device__ __inline__ char make(uint4 w) { return (char)w.x; } };
#undef HW_TEXEL

/* ---- sampling: one row per function ---- */

#define HW_ARGS(...) __VA_ARGS__
#define HW_TEX(name, params, args, op, operands, inputs)                                             \
    template <class T> static __device__ __inline__ T name(cudaTextureObject_t t, params)            \
    {                                                                                                \
        uint4 w;                                                                                     \
        asm volatile(op " {%0, %1, %2, %3}, [%4, " operands                                          \
                     : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w) : "l"(t), inputs);                 \
        return hw_texel<T>::make(w);                                                                 \
    }                                                                                                \
    template <class T> static __device__ __inline__ void name(T *out, cudaTextureObject_t t, params) \
    {                                                                                                \
        *out = name<T>(t, args);                                                                     \
    }

HW_TEX(tex1Dfetch, HW_ARGS(int x), HW_ARGS(x), "tex.1d.v4.u32.s32", "{%5}];", HW_ARGS("r"(x)))
HW_TEX(tex1D, HW_ARGS(float x), HW_ARGS(x), "tex.1d.v4.u32.f32", "{%5}];", HW_ARGS("f"(x)))
HW_TEX(tex2D, HW_ARGS(float x, float y), HW_ARGS(x, y), "tex.2d.v4.u32.f32", "{%5, %6}];", HW_ARGS("f"(x), "f"(y)))
HW_TEX(tex3D, HW_ARGS(float x, float y, float z), HW_ARGS(x, y, z), "tex.3d.v4.u32.f32", "{%5, %6, %7, %7}];",
       HW_ARGS("f"(x), "f"(y), "f"(z)))
HW_TEX(tex1DLayered, HW_ARGS(float x, int layer), HW_ARGS(x, layer), "tex.a1d.v4.u32.f32", "{%5, %6}];", HW_ARGS("r"(layer), "f"(x)))
HW_TEX(tex2DLayered, HW_ARGS(float x, float y, int layer), HW_ARGS(x, y, layer), "tex.a2d.v4.u32.f32", "{%5, %6, %7, %7}];",
       HW_ARGS("r"(layer), "f"(x), "f"(y)))
HW_TEX(texCubemap, HW_ARGS(float x, float y, float z), HW_ARGS(x, y, z), "tex.cube.v4.u32.f32", "{%5, %6, %7, %7}];",
       HW_ARGS("f"(x), "f"(y), "f"(z)))
HW_TEX(texCubemapLayered, HW_ARGS(float x, float y, float z, int layer), HW_ARGS(x, y, z, layer), "tex.acube.v4.u32.f32",
       "{%5, %6, %7, %8}];", HW_ARGS("r"(layer), "f"(x), "f"(y), "f"(z)))
HW_TEX(tex1DLod, HW_ARGS(float x, float level), HW_ARGS(x, level), "tex.level.1d.v4.u32.f32", "{%5}], %6;", HW_ARGS("f"(x), "f"(level)))
HW_TEX(tex2DLod, HW_ARGS(float x, float y, float level), HW_ARGS(x, y, level), "tex.level.2d.v4.u32.f32", "{%5, %6}], %7;",
       HW_ARGS("f"(x), "f"(y), "f"(level)))
HW_TEX(tex3DLod, HW_ARGS(float x, float y, float z, float level), HW_ARGS(x, y, z, level), "tex.level.3d.v4.u32.f32",
       "{%5, %6, %7, %7}], %8;", HW_ARGS("f"(x), "f"(y), "f"(z), "f"(level)))
HW_TEX(tex1DLayeredLod, HW_ARGS(float x, int layer, float level), HW_ARGS(x, layer, level), "tex.level.a1d.v4.u32.f32",
       "{%5, %6}], %7;", HW_ARGS("r"(layer), "f"(x), "f"(level)))
HW_TEX(tex2DLayeredLod, HW_ARGS(float x, float y, int layer, float level), HW_ARGS(x, y, layer, level), "tex.level.a2d.v4.u32.f32",
       "{%5, %6, %7, %7}], %8;", HW_ARGS("r"(layer), "f"(x), "f"(y), "f"(level)))
HW_TEX(texCubemapLod, HW_ARGS(float x, float y, float z, float level), HW_ARGS(x, y, z, level), "tex.level.cube.v4.u32.f32",
       "{%5, %6, %7, %7}], %8;", HW_ARGS("f"(x), "f"(y), "f"(z), "f"(level)))
HW_TEX(texCubemapLayeredLod, HW_ARGS(float x, float y, float z, int layer, float level), HW_ARGS(x, y, z, layer, level),
       "tex.level.acube.v4.u32.f32", "{%5, %6, %7, %8}], %9;", HW_ARGS("r"(layer), "f"(x), "f"(y), "f"(z), "f"(level)))
HW_TEX(tex1DGrad, HW_ARGS(float x, float dx, float dy), HW_ARGS(x, dx, dy), "tex.grad.1d.v4.u32.f32", "{%5}], {%6}, {%7};",
       HW_ARGS("f"(x), "f"(dx), "f"(dy)))
HW_TEX(tex2DGrad, HW_ARGS(float x, float y, float2 dx, float2 dy), HW_ARGS(x, y, dx, dy), "tex.grad.2d.v4.u32.f32",
       "{%5, %6}], {%7, %8}, {%9, %10};", HW_ARGS("f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)))
HW_TEX(tex3DGrad, HW_ARGS(float x, float y, float z, float4 dx, float4 dy), HW_ARGS(x, y, z, dx, dy), "tex.grad.3d.v4.u32.f32",
       "{%5, %6, %7, %7}], {%8, %9, %10, %10}, {%11, %12, %13, %13};",
       HW_ARGS("f"(x), "f"(y), "f"(z), "f"(dx.x), "f"(dx.y), "f"(dx.z), "f"(dy.x), "f"(dy.y), "f"(dy.z)))
HW_TEX(tex1DLayeredGrad, HW_ARGS(float x, int layer, float dx, float dy), HW_ARGS(x, layer, dx, dy), "tex.grad.a1d.v4.u32.f32",
       "{%5, %6}], {%7}, {%8};", HW_ARGS("r"(layer), "f"(x), "f"(dx), "f"(dy)))
HW_TEX(tex2DLayeredGrad, HW_ARGS(float x, float y, int layer, float2 dx, float2 dy), HW_ARGS(x, y, layer, dx, dy),
       "tex.grad.a2d.v4.u32.f32", "{%5, %6, %7, %7}], {%8, %9}, {%10, %11};",
       HW_ARGS("r"(layer), "f"(x), "f"(y), "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y)))
HW_TEX(hw_gather_r, HW_ARGS(float x, float y), HW_ARGS(x, y), "tld4.r.2d.v4.u32.f32", "{%5, %6}];", HW_ARGS("f"(x), "f"(y)))
HW_TEX(hw_gather_g, HW_ARGS(float x, float y), HW_ARGS(x, y), "tld4.g.2d.v4.u32.f32", "{%5, %6}];", HW_ARGS("f"(x), "f"(y)))
HW_TEX(hw_gather_b, HW_ARGS(float x, float y), HW_ARGS(x, y), "tld4.b.2d.v4.u32.f32", "{%5, %6}];", HW_ARGS("f"(x), "f"(y)))
HW_TEX(hw_gather_a, HW_ARGS(float x, float y), HW_ARGS(x, y), "tld4.a.2d.v4.u32.f32", "{%5, %6}];", HW_ARGS("f"(x), "f"(y)))
#undef HW_TEX

template <class T> static __device__ __inline__ T tex2Dgather(cudaTextureObject_t t, float x, float y, int comp = 0)
{
    return comp == 1 ? hw_gather_g<T>(t, x, y) : comp == 2 ? hw_gather_b<T>(t, x, y) : comp == 3 ? hw_gather_a<T>(t, x, y) : hw_gather_r<T>(t, x, y);
}
template <class T> static __device__ __inline__ void tex2Dgather(T *out, cudaTextureObject_t t, float x, float y, int comp = 0)
{
    *out = tex2Dgather<T>(t, x, y, comp);
}

/* ---- surfaces: x counts bytes. One row per function; each size of element has its instruction ---- */

#define HW_SURF_MODES(instruction, mode, tail, ...)                                                         \
    do {                                                                                                    \
        if (mode == cudaBoundaryModeZero) asm volatile(instruction ".zero " tail __VA_ARGS__);              \
        else if (mode == cudaBoundaryModeClamp) asm volatile(instruction ".clamp " tail __VA_ARGS__);       \
        else asm volatile(instruction ".trap " tail __VA_ARGS__);                                           \
    } while (0)

#define HW_SURF(name, geometry, params, args, coords1, coords2, coords4, inputs)                                                             \
    template <int bytes> struct hw_##name;                                                                                                   \
    HW_SURF_ONE(name, geometry, HW_ARGS(params), 1, unsigned short, "h", "b8", coords1, HW_ARGS(inputs))                                     \
    HW_SURF_ONE(name, geometry, HW_ARGS(params), 2, unsigned short, "h", "b16", coords1, HW_ARGS(inputs))                                    \
    HW_SURF_ONE(name, geometry, HW_ARGS(params), 4, unsigned int, "r", "b32", coords1, HW_ARGS(inputs))                                      \
    template <> struct hw_##name<8> {                                                                                                        \
        static __device__ __inline__ void load(void *out, cudaSurfaceObject_t s, params, cudaSurfaceBoundaryMode m)                          \
        {                                                                                                                                    \
            uint2 v;                                                                                                                         \
            HW_SURF_MODES("suld.b." geometry ".v2.b32", m, "{%0, %1}, [%2, " coords2 "];", : "=r"(v.x), "=r"(v.y) : "l"(s), inputs : "memory"); \
            __builtin_memcpy(out, &v, 8);                                                                                                    \
        }                                                                                                                                    \
        static __device__ __inline__ void store(const void *in, cudaSurfaceObject_t s, params, cudaSurfaceBoundaryMode m)                    \
        {                                                                                                                                    \
            uint2 v;                                                                                                                         \
            __builtin_memcpy(&v, in, 8);                                                                                                     \
            HW_SURF_MODES("sust.b." geometry ".v2.b32", m, "[%2, " coords2 "], {%0, %1};", : : "r"(v.x), "r"(v.y), "l"(s), inputs : "memory"); \
        }                                                                                                                                    \
    };                                                                                                                                       \
    template <> struct hw_##name<16> {                                                                                                       \
        static __device__ __inline__ void load(void *out, cudaSurfaceObject_t s, params, cudaSurfaceBoundaryMode m)                          \
        {                                                                                                                                    \
            uint4 v;                                                                                                                         \
            HW_SURF_MODES("suld.b." geometry ".v4.b32", m, "{%0, %1, %2, %3}, [%4, " coords4 "];",                                           \
                          : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(s), inputs : "memory");                                         \
            __builtin_memcpy(out, &v, 16);                                                                                                   \
        }                                                                                                                                    \
        static __device__ __inline__ void store(const void *in, cudaSurfaceObject_t s, params, cudaSurfaceBoundaryMode m)                    \
        {                                                                                                                                    \
            uint4 v;                                                                                                                         \
            __builtin_memcpy(&v, in, 16);                                                                                                    \
            HW_SURF_MODES("sust.b." geometry ".v4.b32", m, "[%4, " coords4 "], {%0, %1, %2, %3};",                                           \
                          : : "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w), "l"(s), inputs : "memory");                                            \
        }                                                                                                                                    \
    };                                                                                                                                       \
    template <class T> static __device__ __inline__ T name##read(cudaSurfaceObject_t s, params, cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap) \
    {                                                                                                                                        \
        T v;                                                                                                                                 \
        hw_##name<sizeof(T)>::load(&v, s, args, m);                                                                                          \
        return v;                                                                                                                            \
    }                                                                                                                                        \
    template <class T> static __device__ __inline__ void name##read(T *out, cudaSurfaceObject_t s, params,                                   \
                                                                    cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap)                        \
    {                                                                                                                                        \
        *out = name##read<T>(s, args, m);                                                                                                    \
    }                                                                                                                                        \
    template <class T> static __device__ __inline__ void name##write(T v, cudaSurfaceObject_t s, params,                                     \
                                                                     cudaSurfaceBoundaryMode m = cudaBoundaryModeTrap)                       \
    {                                                                                                                                        \
        hw_##name<sizeof(T)>::store(&v, s, args, m);                                                                                         \
    }

#define HW_SURF_ONE(name, geometry, params, n, word, letter, type, coords, inputs)                                                \
    template <> struct hw_##name<n> {                                                                                             \
        static __device__ __inline__ void load(void *out, cudaSurfaceObject_t s, params, cudaSurfaceBoundaryMode m)               \
        {                                                                                                                         \
            word v;                                                                                                               \
            HW_SURF_MODES("suld.b." geometry "." type, m, "%0, [%1, " coords "];", : "=" letter(v) : "l"(s), inputs : "memory");  \
            __builtin_memcpy(out, &v, n);                                                                                         \
        }                                                                                                                         \
        static __device__ __inline__ void store(const void *in, cudaSurfaceObject_t s, params, cudaSurfaceBoundaryMode m)         \
        {                                                                                                                         \
            word v = 0;                                                                                                           \
            __builtin_memcpy(&v, in, n);                                                                                          \
            HW_SURF_MODES("sust.b." geometry "." type, m, "[%1, " coords "], %0;", : : letter(v), "l"(s), inputs : "memory");     \
        }                                                                                                                         \
    };

HW_SURF(surf1D, "1d", HW_ARGS(int x), HW_ARGS(x), "{%2}", "{%3}", "{%5}", HW_ARGS("r"(x)))
HW_SURF(surf2D, "2d", HW_ARGS(int x, int y), HW_ARGS(x, y), "{%2, %3}", "{%3, %4}", "{%5, %6}", HW_ARGS("r"(x), "r"(y)))
HW_SURF(surf3D, "3d", HW_ARGS(int x, int y, int z), HW_ARGS(x, y, z), "{%2, %3, %4, %4}", "{%3, %4, %5, %5}", "{%5, %6, %7, %7}",
        HW_ARGS("r"(x), "r"(y), "r"(z)))
HW_SURF(surf1DLayered, "a1d", HW_ARGS(int x, int layer), HW_ARGS(x, layer), "{%3, %2}", "{%4, %3}", "{%6, %5}",
        HW_ARGS("r"(x), "r"(layer)))
HW_SURF(surf2DLayered, "a2d", HW_ARGS(int x, int y, int layer), HW_ARGS(x, y, layer), "{%4, %2, %3, %3}", "{%5, %3, %4, %4}",
        "{%7, %5, %6, %6}", HW_ARGS("r"(x), "r"(y), "r"(layer)))
/* A face is a layer, and layers of cubes are six faces each. */
HW_SURF(surfCubemap, "a2d", HW_ARGS(int x, int y, int face), HW_ARGS(x, y, face), "{%4, %2, %3, %3}", "{%5, %3, %4, %4}",
        "{%7, %5, %6, %6}", HW_ARGS("r"(x), "r"(y), "r"(face)))
HW_SURF(surfCubemapLayered, "a2d", HW_ARGS(int x, int y, int layer_face), HW_ARGS(x, y, layer_face), "{%4, %2, %3, %3}",
        "{%5, %3, %4, %4}", "{%7, %5, %6, %6}", HW_ARGS("r"(x), "r"(y), "r"(layer_face)))
#undef HW_SURF
#undef HW_SURF_ONE
#undef HW_SURF_MODES
#undef HW_ARGS
#undef HW_TEXEL_CAST
#undef HW_TEXEL_BITS

#endif
