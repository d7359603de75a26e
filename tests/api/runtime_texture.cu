// SPDX-License-Identifier: Apache-2.0
// Arrays, textures and surfaces: filters, addressing, formats, layers, levels, boundaries. Expected values are exact.
#include "runtime_check.h"
#include <unistd.h>

enum { W = 8, H = 4, D = 3 };
static float texels[D][H][W];

__global__ void sample1(cudaTextureObject_t t, const float *x, float *o, int n) { int i = threadIdx.x; if (i < n) o[i] = tex1D<float>(t, x[i]); }
__global__ void fetch1(cudaTextureObject_t t, const float *x, float *o, int n) { int i = threadIdx.x; if (i < n) o[i] = tex1Dfetch<float>(t, (int)x[i]); }
__global__ void fetch_far(cudaTextureObject_t t, float *o) { o[threadIdx.x] = tex1Dfetch<float>(t, (1 << 24) + threadIdx.x); }
__global__ void sample2(cudaTextureObject_t t, const float *x, float *o, int n) { int i = threadIdx.x; if (i < n) o[i] = tex2D<float>(t, x[2 * i], x[2 * i + 1]); }
__global__ void sample3(cudaTextureObject_t t, const float *x, float *o, int n) { int i = threadIdx.x; if (i < n) o[i] = tex3D<float>(t, x[3 * i], x[3 * i + 1], x[3 * i + 2]); }
__global__ void sample_layer(cudaTextureObject_t t, const float *x, float *o, int n) { int i = threadIdx.x; if (i < n) o[i] = tex2DLayered<float>(t, x[3 * i], x[3 * i + 1], (int)x[3 * i + 2]); }
__global__ void sample_lod(cudaTextureObject_t t, const float *x, float *o, int n) { int i = threadIdx.x; if (i < n) o[i] = tex2DLod<float>(t, .5f, .5f, x[i]); }
__global__ void gather(cudaTextureObject_t t, float4 *o) { *o = tex2Dgather<float4>(t, 3, 2, 0); }
__global__ void read_u8(cudaTextureObject_t t, uchar4 *o) { o[threadIdx.x] = tex2D<uchar4>(t, threadIdx.x + .5f, .5f); }
__global__ void read_norm(cudaTextureObject_t t, float4 *o) { o[threadIdx.x] = tex2D<float4>(t, threadIdx.x + .5f, .5f); }
__global__ void surf_add(cudaSurfaceObject_t s) { int x = threadIdx.x, y = threadIdx.y; surf2Dwrite(surf2Dread<float>(s, x * 4, y) + 100, s, x * 4, y); }
__global__ void surf_outside(cudaSurfaceObject_t s, float *o)
{
    o[0] = surf2Dread<float>(s, -4, 0, cudaBoundaryModeZero);
    o[1] = surf2Dread<float>(s, W * 4, 1, cudaBoundaryModeClamp);
    surf2Dwrite(7.f, s, -4, 0, cudaBoundaryModeZero);
    surf2Dwrite(8.f, s, 0, H, cudaBoundaryModeZero);
}
__global__ void surf_wide(cudaSurfaceObject_t s, float4 *o) { float4 v = surf2Dread<float4>(s, 16, 0); v.w = 9; surf2Dwrite(v, s, 0, 0); *o = v; }
__global__ void surf_trap(cudaSurfaceObject_t s) { surf2Dwrite(1.f, s, 4 * W, 0); }

static float *in, *out;

static cudaTextureObject_t texture(cudaArray_t a, cudaTextureAddressMode mode, cudaTextureFilterMode filter, int normalised,
                                   cudaTextureReadMode read = cudaReadModeElementType)
{
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t = 0;
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    for (auto &m : d.addressMode)
        m = mode;
    d.filterMode = filter;
    d.readMode = read;
    d.normalizedCoords = normalised;
    for (auto &b : d.borderColor)
        b = -5;
    NEED(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static void check_values(const char *rule, cudaTextureObject_t t, void (*kernel)(cudaTextureObject_t, const float *, float *, int), int dims,
                         const float *x, const float *want, int n)
{
    memcpy(in, x, sizeof(float) * dims * n);
    kernel<<<1, 64>>>(t, in, out, n);
    NEED(cudaDeviceSynchronize());
    int good = 1;
    for (int i = 0; i < n; i++)
        if (out[i] != want[i]) {
            printf("# %s: value %d is %a, not %a\n", rule, i, out[i], want[i]);
            good = 0;
        }
    CHECK(rule, good);
    NEED(cudaDestroyTextureObject(t));
}

static cudaArray_t make(unsigned flags, cudaExtent e)
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaMemcpy3DParms p = {};
    cudaArray_t a;
    NEED(cudaMalloc3DArray(&a, &f, e, flags));
    p.srcPtr = make_cudaPitchedPtr(texels, W * sizeof(float), W, H);
    p.dstArray = a;
    p.extent = make_cudaExtent(e.width, e.height ? e.height : 1, e.depth ? e.depth : 1);
    p.kind = cudaMemcpyHostToDevice;
    NEED(cudaMemcpy3D(&p));
    return a;
}

static void one_dimension(void)
{
    cudaArray_t a = make(0, make_cudaExtent(W, 0, 0));       /* texels are 0 1 2 ... 7 */
    const float x[] = {0, .5f, 1, 2.75f, 7.5f, 9, -3};
    const float point[] = {0, 0, 1, 2, 7, 7, 0}, linear[] = {0, 0, .5f, 2.25f, 7, 7, 0}, border[] = {-3.75f, -2.5f, -2.25f, -1.375f, 1, -5, -5};
    check_values("point_takes_the_texel_below", texture(a, cudaAddressModeClamp, cudaFilterModePoint, 0), sample1, 1, x, point, 7);
    check_values("linear_is_half_a_texel_off", texture(a, cudaAddressModeClamp, cudaFilterModeLinear, 0), sample1, 1, x, linear, 7);
    /* One row is as a rectangle of one row, and y is 0: half of everything is the border above. */
    check_values("a_border_is_filtered_in", texture(a, cudaAddressModeBorder, cudaFilterModeLinear, 0), sample1, 1, x, border, 7);
    check_values("wrap_needs_normalised_coordinates", texture(a, cudaAddressModeWrap, cudaFilterModePoint, 0), sample1, 1, x, point, 7);
    const float u[] = {0, .0625f, .5f, 1, 1.0625f, -.0625f, -1.25f, 2.625f};
    const float wrap[] = {0, 0, 4, 0, 0, 7, 6, 5}, mirror[] = {0, 0, 4, 7, 7, 0, 6, 5}, wrap_linear[] = {3.5f, 0, 3.5f, 3.5f, 0, 7, 5.5f, 4.5f};
    check_values("wrap", texture(a, cudaAddressModeWrap, cudaFilterModePoint, 1), sample1, 1, u, wrap, 8);
    check_values("mirror", texture(a, cudaAddressModeMirror, cudaFilterModePoint, 1), sample1, 1, u, mirror, 8);
    check_values("wrap_filters_across_the_edge", texture(a, cudaAddressModeWrap, cudaFilterModeLinear, 1), sample1, 1, u, wrap_linear, 8);
    /* 1/512 is below half of the last bit of a weight; 3/512 is one and a half of it. */
    const float fine[] = {2.5f + 1.f / 1024, 2.5f + 1.f / 256, 2.5f + 255.f / 256}, weights[] = {2, 2 + 1.f / 256, 2 + 255.f / 256};
    check_values("weights_have_eight_bits", texture(a, cudaAddressModeClamp, cudaFilterModeLinear, 0), sample1, 1, fine, weights, 3);
    NEED(cudaFreeArray(a));
}

static void more_dimensions(void)
{
    cudaArray_t a = make(cudaArrayTextureGather, make_cudaExtent(W, H, 0)), b = make(0, make_cudaExtent(W, H, D)),
                c = make(cudaArrayLayered, make_cudaExtent(W, H, D));
    const float xy[] = {.5f, .5f, 3.25f, 1.75f, 8, 4, -1, 2.5f}, flat[] = {0, 3 + 10, 7 + 30, 20}, smooth[] = {0, 2.75f + 12.5f, 37, 20};
    check_values("two_dimensions", texture(a, cudaAddressModeClamp, cudaFilterModePoint, 0), sample2, 2, xy, flat, 4);
    check_values("bilinear", texture(a, cudaAddressModeClamp, cudaFilterModeLinear, 0), sample2, 2, xy, smooth, 4);
    const float xyz[] = {.5f, .5f, .5f, 3, 2, 1.5f, 2.5f, 1.5f, 2}, box[] = {0, 2.5f + 15 + 100, 2 + 10 + 150};
    check_values("trilinear", texture(b, cudaAddressModeClamp, cudaFilterModeLinear, 0), sample3, 3, xyz, box, 3);
    const float xyl[] = {1, 1, 0, 1, 1, 1, 1, 1, 2, 1, 1, 7, 1, 1, -2}, layers[] = {5.5f, 105.5f, 205.5f, 205.5f, 205.5f};
    check_values("layers_are_chosen_not_filtered", texture(c, cudaAddressModeClamp, cudaFilterModeLinear, 0), sample_layer, 3, xyl, layers, 5);
    cudaTextureObject_t t = texture(a, cudaAddressModeClamp, cudaFilterModePoint, 0);
    gather<<<1, 1>>>(t, (float4 *)out);
    NEED(cudaDeviceSynchronize());
    CHECK("gather_takes_the_four_around", out[0] == 22 && out[1] == 23 && out[2] == 13 && out[3] == 12);
    NEED(cudaDestroyTextureObject(t));
    NEED(cudaFreeArray(a));
    NEED(cudaFreeArray(b));
    NEED(cudaFreeArray(c));
}

static void formats(void)
{
    const unsigned char bytes[8] = {0, 51, 255, 102, 1, 2, 3, 4};
    cudaChannelFormatDesc f = cudaCreateChannelDesc<uchar4>(), got;
    cudaExtent extent;
    unsigned flags = 9;
    cudaArray_t a;
    NEED(cudaMallocArray(&a, &f, 2, 1));
    CHECK_OK("copy_to_an_array", cudaMemcpy2DToArray(a, 0, 0, bytes, 8, 8, 1, cudaMemcpyHostToDevice));
    CHECK_ERR("not_more_than_it_holds", cudaMemcpy2DToArray(a, 4, 0, bytes, 8, 8, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CHECK_OK("what_it_is", cudaArrayGetInfo(&got, &extent, &flags, a));
    CHECK("as_asked_for", got.x == 8 && got.w == 8 && got.f == cudaChannelFormatKindUnsigned && extent.width == 2 && extent.height == 1 && flags == 0);
    cudaTextureObject_t t = texture(a, cudaAddressModeClamp, cudaFilterModePoint, 0);
    read_u8<<<1, 2>>>(t, (uchar4 *)out);
    NEED(cudaDeviceSynchronize());
    CHECK("integers_as_they_are", memcmp(out, bytes, 8) == 0);
    NEED(cudaDestroyTextureObject(t));
    t = texture(a, cudaAddressModeClamp, cudaFilterModePoint, 0, cudaReadModeNormalizedFloat);
    read_norm<<<1, 2>>>(t, (float4 *)out);
    NEED(cudaDeviceSynchronize());
    CHECK("integers_from_0_to_1", out[0] == 0 && out[2] == 1 && out[1] > .1999f && out[1] < .2001f && out[3] > .3999f && out[3] < .4001f);
    NEED(cudaDestroyTextureObject(t));
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    d.filterMode = cudaFilterModeLinear;
    CHECK_ERR("integers_cannot_be_filtered", cudaCreateTextureObject(&t, &r, &d, NULL), cudaErrorInvalidFilterSetting);
    NEED(cudaFreeArray(a));
}

static void linear_memory(void)
{
    cudaResourceDesc r = {}, back;
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    float *p;
    NEED(cudaMalloc(&p, sizeof texels));
    NEED(cudaMemcpy(p, texels, sizeof texels, cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = p;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = W * sizeof(float);
    CHECK_OK("plain_memory_is_a_texture", cudaCreateTextureObject(&t, &r, &d, NULL));
    CHECK_OK("and_says_what_it_is", cudaGetTextureObjectResourceDesc(&back, t));
    CHECK("the_same", back.resType == cudaResourceTypeLinear && back.res.linear.devPtr == p && back.res.linear.sizeInBytes == 32);
    const float x[] = {0, 3, 7, 8, -1}, want[] = {0, 3, 7, 0, 0};
    check_values("outside_it_reads_zero", t, fetch1, 1, x, want, 5);
    CHECK_OK("destroying_it_once_more_is_no_error", cudaDestroyTextureObject(t));
    NEED(cudaFree(p));
}

static void levels(void)
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    float same[16];
    NEED(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(4, 4, 0), 3));
    for (int l = 0; l < 3; l++) {
        cudaArray_t a;
        NEED(cudaGetMipmappedArrayLevel(&a, m, l));
        for (float &v : same)
            v = l * 10.f;
        NEED(cudaMemcpy2DToArray(a, 0, 0, same, (4 >> l) * 4, (4 >> l) * 4, 4 >> l, cudaMemcpyHostToDevice));
    }
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    d.normalizedCoords = 1;
    d.filterMode = d.mipmapFilterMode = cudaFilterModeLinear;
    d.maxMipmapLevelClamp = 2;
    NEED(cudaCreateTextureObject(&t, &r, &d, NULL));
    const float x[] = {0, 1, .5f, 1.25f, 5, -1}, want[] = {0, 10, 5, 12.5f, 20, 0};
    check_values("levels_are_filtered_between", t, sample_lod, 1, x, want, 6);
    CHECK_OK("and_freed", cudaFreeMipmappedArray(m));
}

static void CUDART_CB linger(void *) { usleep(100 * 1000); }

/* The kernel is still queued when the texture goes. */
static void destroyed_early(void)
{
    cudaArray_t a = make(0, make_cudaExtent(W, H, 0));
    cudaTextureObject_t t = texture(a, cudaAddressModeClamp, cudaFilterModePoint, 0);
    cudaStream_t s;
    NEED(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
    in[0] = 3.5f, in[1] = 1.5f;
    out[0] = 0;
    NEED(cudaLaunchHostFunc(s, linger, NULL));
    sample2<<<1, 32, 0, s>>>(t, in, out, 1);
    CHECK_OK("a_texture_may_be_destroyed_behind_its_kernel", cudaDestroyTextureObject(t));
    CHECK_OK("which_still_runs", cudaStreamSynchronize(s));
    CHECK("and_samples_it", out[0] == 13);
}

static void surfaces(void)
{
    cudaArray_t a = make(cudaArraySurfaceLoadStore, make_cudaExtent(W, H, 0)), plain = make(0, make_cudaExtent(W, H, 0));
    cudaResourceDesc r = {};
    cudaSurfaceObject_t s, other;
    float back[H][W];
    r.resType = cudaResourceTypeArray;
    r.res.array.array = plain;
    CHECK_OK("a_surface_of_any_array", cudaCreateSurfaceObject(&other, &r));
    NEED(cudaDestroySurfaceObject(other));
    r.res.array.array = a;
    NEED(cudaCreateSurfaceObject(&s, &r));
    surf_add<<<1, dim3(W, H)>>>(s);
    CHECK_OK("copy_from_an_array", cudaMemcpy2DFromArray(back, sizeof back[0], a, 0, 0, sizeof back[0], H, cudaMemcpyDeviceToHost));
    CHECK("kernels_read_and_write_surfaces", back[0][0] == 100 && back[3][7] == 137 && back[2][1] == 121);
    surf_outside<<<1, 1>>>(s, out);
    NEED(cudaDeviceSynchronize());
    CHECK("outside_reads_zero_or_the_edge", out[0] == 0 && out[1] == 117);
    NEED(cudaMemcpy2DFromArray(back, sizeof back[0], a, 0, 0, sizeof back[0], H, cudaMemcpyDeviceToHost));
    CHECK("and_writes_nothing", back[0][0] == 100 && back[3][0] == 130);
    surf_wide<<<1, 1>>>(s, (float4 *)out);
    NEED(cudaDeviceSynchronize());
    NEED(cudaMemcpy2DFromArray(back, sizeof back[0], a, 0, 0, sizeof back[0], H, cudaMemcpyDeviceToHost));
    CHECK("sixteen_bytes_at_once", out[0] == 104 && back[0][0] == 104 && back[0][2] == 106 && back[0][3] == 9);
    surf_trap<<<1, 1>>>(s);
    CHECK("outside_is_an_error_by_default", cudaDeviceSynchronize() != cudaSuccess);
}

/* Each level holds its number, so that what is read is the level of detail. */
__global__ void sample_levels(cudaTextureObject_t t, float *out)
{
    out[0] = tex2DLod<float>(t, .5f, .5f, 1.5f);
    out[1] = tex2DLod<float>(t, .5f, .5f, -1);
    out[2] = tex2DLod<float>(t, .5f, .5f, 100);
    out[3] = tex2DGrad<float>(t, .5f, .5f, make_float2(4.f / 16, 0), make_float2(0, 0));
    out[4] = tex2DGrad<float>(t, .5f, .5f, make_float2(0, 0), make_float2(0, 2.f / 16));
    out[5] = tex2D<float>(t, .5f, .5f);
}

/* Floats cannot count that far. */
static void far_fetches(void)
{
    const size_t n = (1 << 24) + 4;
    const float last[4] = {1, 2, 3, 4};
    float *d;
    cudaTextureObject_t t = 0;
    cudaResourceDesc r;
    cudaTextureDesc s;
    NEED(cudaMalloc(&d, n * 4));
    NEED(cudaMemcpy(d + n - 4, last, sizeof last, cudaMemcpyHostToDevice));
    memset(&r, 0, sizeof r);
    memset(&s, 0, sizeof s);
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = d;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = n * 4;
    CHECK_OK("a_long_texture", cudaCreateTextureObject(&t, &r, &s, NULL));
    fetch_far<<<1, 4>>>(t, out);
    CHECK("each_of_its_last_texels_is_read", cudaDeviceSynchronize() == cudaSuccess && out[0] == 1 && out[1] == 2 && out[2] == 3 && out[3] == 4);
    cudaDestroyTextureObject(t);
    cudaFree(d);
}

static void gradients(void)
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<float>();
    cudaMipmappedArray_t m;
    cudaResourceDesc r = {};
    cudaTextureDesc d = {};
    cudaTextureObject_t t;
    NEED(cudaMallocMipmappedArray(&m, &f, make_cudaExtent(16, 16, 0), 5));
    for (unsigned l = 0; l < 5; l++) {
        cudaArray_t a;
        float texels[256];
        for (float &x : texels)
            x = l;
        NEED(cudaGetMipmappedArrayLevel(&a, m, l));
        NEED(cudaMemcpy2DToArray(a, 0, 0, texels, 16 >> l << 2, 16 >> l << 2, 16 >> l, cudaMemcpyHostToDevice));
        CHECK_OK("freeing_a_level_does_nothing", cudaFreeArray(a));
    }
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    d.filterMode = d.mipmapFilterMode = cudaFilterModeLinear;
    d.normalizedCoords = 1;
    d.maxMipmapLevelClamp = 9;
    NEED(cudaCreateTextureObject(&t, &r, &d, NULL));
    sample_levels<<<1, 1>>>(t, out);
    NEED(cudaDeviceSynchronize());
    CHECK("levels_are_filtered_between", out[0] == 1.5f && out[1] == 0 && out[2] == 4);
    CHECK("gradients_choose_the_level", out[3] == 2 && out[4] == 1 && out[5] == 0);
    NEED(cudaDestroyTextureObject(t));
    NEED(cudaFreeMipmappedArray(m));
}

__global__ void reduce(cudaSurfaceObject_t s)
{
    asm volatile("sured.b.add.2d.u32.trap [%0, {%1, %2}], %3;" ::"l"(s), "r"(4), "r"(1), "r"(threadIdx.x));
    asm volatile("sured.b.max.2d.s32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(8), "r"(1), "r"(threadIdx.x));
    asm volatile("sured.p.or.2d.b32.clamp [%0, {%1, %2}], %3;" ::"l"(s), "r"(-7), "r"(2), "r"(1 << threadIdx.x));
    asm volatile("sured.b.add.2d.u32.zero [%0, {%1, %2}], %3;" ::"l"(s), "r"(-4), "r"(0), "r"(1));
}

static void reductions(void)
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc<int>();
    cudaArray_t a;
    cudaResourceDesc r = {};
    cudaSurfaceObject_t s;
    int words[3][4] = {};
    NEED(cudaMallocArray(&a, &f, 4, 3, cudaArraySurfaceLoadStore));
    NEED(cudaMemcpy2DToArray(a, 0, 0, words, 16, 16, 3, cudaMemcpyHostToDevice));
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    NEED(cudaCreateSurfaceObject(&s, &r));
    reduce<<<1, 31>>>(s);
    NEED(cudaDeviceSynchronize());
    NEED(cudaMemcpy2DFromArray(words, 16, a, 0, 0, 16, 3, cudaMemcpyDeviceToHost));
    CHECK("surfaces_are_added_to", words[1][1] == 30 * 31 / 2);
    CHECK("and_keep_the_largest", words[1][2] == 30);
    CHECK("and_combine_bits_at_the_edge", words[2][0] == 0x7fffffff);
    CHECK("and_nothing_is_added_outside", words[0][0] == 0 && words[0][3] == 0);
    NEED(cudaDestroySurfaceObject(s));
    NEED(cudaFreeArray(a));
}

int main()
{
    NEED(cudaMallocManaged(&in, 1024));
    NEED(cudaMallocManaged(&out, 1024));
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                texels[z][y][x] = x + 10 * y + 100 * z;
    one_dimension();
    more_dimensions();
    formats();
    linear_memory();
    far_fetches();
    gradients();
    reductions();
    levels();
    destroyed_early();
    surfaces();                  /* last: the context is broken then */
    return check_failures != 0;
}
