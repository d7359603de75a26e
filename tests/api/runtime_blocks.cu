// SPDX-License-Identifier: Apache-2.0
// Block-compressed arrays: which there are, how they are copied, what textures of them give; and windows of memory that kernels are told to keep near.
#include "runtime_check.h"

enum { W = 16, H = 8 };
__global__ void fetch(cudaTextureObject_t t, float4 *o) { int x = threadIdx.x % W, y = threadIdx.x / W; o[threadIdx.x] = tex2D<float4>(t, x + .5f, y + .5f); }
__global__ void fetch_layer(cudaTextureObject_t t, float4 *o) { o[threadIdx.x] = tex2DLayered<float4>(t, 1.5f, 1.5f, threadIdx.x); }
__global__ void fetch_lod(cudaTextureObject_t t, float4 *o) { o[threadIdx.x] = tex2DLod<float4>(t, .1f, .1f, (float)threadIdx.x); }
__global__ void touch(int *p) { *p = 1; }

struct bc1 { unsigned short a, b; unsigned index; };
static bc1 blocks[3][H / 4][W / 4], back[3][H / 4][W / 4];
static float4 *out;

static cudaChannelFormatDesc format(cudaChannelFormatKind kind) { return cudaCreateChannelDesc(8, 8, 8, 8, kind); }

static cudaTextureDesc sampling(void)
{
    cudaTextureDesc d;
    memset(&d, 0, sizeof d);
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    d.readMode = cudaReadModeNormalizedFloat;
    d.maxMipmapLevelClamp = 9;
    return d;
}

static cudaError_t texture(cudaArray_t a, cudaTextureDesc d, cudaTextureObject_t *t)
{
    cudaResourceDesc r;
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    return cudaCreateTextureObject(t, &r, &d, NULL);
}

static void shapes(void)
{
    cudaChannelFormatDesc bc1 = format(cudaChannelFormatKindUnsignedBlockCompressed1);
    cudaArray_t a;
    CHECK_ERR("one_dimension_is_not_enough", cudaMallocArray(&a, &bc1, W, 0, 0), cudaErrorInvalidValue);
    CHECK_ERR("there_are_no_surfaces_of_blocks", cudaMallocArray(&a, &bc1, W, H, cudaArraySurfaceLoadStore), cudaErrorNotSupported);
    CHECK_OK("a_part_of_a_block_is_a_block", cudaMallocArray(&a, &bc1, 13, 7, 0));
    CHECK_OK("which_is_copied_as_a_whole", cudaMemcpy2DToArray(a, 0, 0, blocks, sizeof blocks[0][0], 32, 2, cudaMemcpyHostToDevice));
    cudaFreeArray(a);
}

static void copies(cudaArray_t a)
{
    cudaMemcpy3DParms p;
    CHECK_OK("rows_are_rows_of_blocks", cudaMemcpy2DToArray(a, 0, 0, blocks, sizeof blocks[0][0], sizeof blocks[0][0], H / 4, cudaMemcpyHostToDevice));
    CHECK_ERR("there_are_no_more_rows", cudaMemcpy2DToArray(a, 0, 0, blocks, sizeof blocks[0][0], sizeof blocks[0][0], H / 4 + 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CHECK_ERR("a_part_of_a_block_is_not_copied", cudaMemcpy2DToArray(a, 0, 0, blocks, sizeof blocks[0][0], 11, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    CHECK_ERR("nor_from_within_a_block", cudaMemcpy2DToArray(a, 3, 0, blocks, sizeof blocks[0][0], 8, 1, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
    memset(&p, 0, sizeof p);
    p.srcArray = a;
    p.dstPtr = make_cudaPitchedPtr(back, sizeof back[0][0], W, H / 4);
    p.extent = make_cudaExtent(W, H, 1);
    p.kind = cudaMemcpyDeviceToHost;
    CHECK_OK("boxes_count_texels", cudaMemcpy3D(&p));
    CHECK("and_move_blocks", memcmp(back[0], blocks[0], sizeof blocks[0]) == 0);
    p.extent.width = W + 1;
    CHECK_ERR("no_more_than_there_are", cudaMemcpy3D(&p), cudaErrorInvalidValue);
}

static void seen_as_blocks(cudaArray_t a, cudaResourceDesc *r, cudaResourceViewDesc *view)
{
    memset(view, 0, sizeof *view);
    view->format = cudaResViewFormatUnsignedBlockCompressed1;
    view->width = W;
    view->height = H;
    memset(r, 0, sizeof *r);
    r->resType = cudaResourceTypeArray;
    r->res.array.array = a;
}

static void textures(cudaArray_t a)
{
    cudaTextureDesc d = sampling();
    cudaTextureObject_t t = 0;
    cudaResourceViewDesc view;
    cudaResourceDesc r;
    CHECK_OK("blocks_are_read_as_floats", texture(a, d, &t));
    fetch<<<1, W * H>>>(t, out);
    CHECK_OK("and_they_are", cudaDeviceSynchronize());
    CHECK("a_first_colour", out[0].x == 1 && out[0].y == 0 && out[0].z == 0 && out[0].w == 1);
    CHECK("the_second", out[1].x == 0 && out[1].z == 1);
    CHECK("a_third_of_the_way", out[2].x == 170 / 255.f && out[2].z == 85 / 255.f);
    CHECK("the_next_block", out[4].x == 0 && out[4].y == 1);
    CHECK("the_block_below", out[4 * W].z == 1);
    cudaDestroyTextureObject(t);
    d.sRGB = 1;
    CHECK_OK("or_as_srgb", texture(a, d, &t));
    fetch<<<1, W * H>>>(t, out);
    CHECK_OK("which_is", cudaDeviceSynchronize());
    CHECK("darker", out[2].x > .39f && out[2].x < .41f);
    cudaDestroyTextureObject(t);
    d = sampling();
    d.readMode = cudaReadModeElementType;
    CHECK_ERR("not_as_integers", texture(a, d, &t), cudaErrorInvalidNormSetting);
    seen_as_blocks(a, &r, &view);
    d = sampling();
    CHECK_ERR("nor_through_a_view", cudaCreateTextureObject(&t, &r, &d, &view), cudaErrorInvalidValue);
}

/* As the manual describes it; no GPU was asked. */
static void integers_seen_as_blocks(void)
{
    cudaChannelFormatDesc f = cudaCreateChannelDesc(32, 32, 0, 0, cudaChannelFormatKindUnsigned);
    cudaTextureDesc d = sampling();
    cudaTextureObject_t t = 0;
    cudaResourceViewDesc view;
    cudaResourceDesc r;
    cudaArray_t a;
    if (!check_on_hostwarp())
        return;
    CHECK_OK("an_array_of_pairs", cudaMallocArray(&a, &f, W / 4, H / 4, 0));
    CHECK_OK("with_blocks_in_it", cudaMemcpy2DToArray(a, 0, 0, blocks, sizeof blocks[0][0], sizeof blocks[0][0], H / 4, cudaMemcpyHostToDevice));
    seen_as_blocks(a, &r, &view);
    d.readMode = cudaReadModeElementType;
    CHECK_OK("is_seen_as_texels", cudaCreateTextureObject(&t, &r, &d, &view));
    fetch<<<1, W * H>>>(t, out);
    CHECK("which_are_the_blocks_own", cudaDeviceSynchronize() == cudaSuccess && out[0].x == 1 && out[1].z == 1 && out[4].y == 1 && out[4 * W].z == 1);
    cudaDestroyTextureObject(t);
    view.width = W / 4;
    CHECK_ERR("only_at_its_full_width", cudaCreateTextureObject(&t, &r, &d, &view), cudaErrorInvalidValue);
    view.width = W;
    view.format = cudaResViewFormatUnsignedBlockCompressed3;
    CHECK_ERR("and_as_blocks_of_its_size", cudaCreateTextureObject(&t, &r, &d, &view), cudaErrorInvalidValue);
    cudaFreeArray(a);
}

static void an_srgb_array_is_nothing_else(void)
{
    cudaChannelFormatDesc f = format(cudaChannelFormatKindUnsignedBlockCompressed1SRGB);
    cudaArray_t a;
    cudaTextureObject_t t;
    CHECK_OK("an_srgb_array", cudaMallocArray(&a, &f, W, H, 0));
    CHECK_ERR("an_srgb_array_is_nothing_else", texture(a, sampling(), &t), cudaErrorInvalidValue);
    cudaFreeArray(a);
}

static void layers_and_levels(void)
{
    cudaChannelFormatDesc f = format(cudaChannelFormatKindUnsignedBlockCompressed1);
    cudaMemcpy3DParms p;
    cudaArray_t a;
    cudaMipmappedArray_t m;
    cudaTextureObject_t t = 0;
    cudaTextureDesc d = sampling();
    cudaResourceDesc r;
    CHECK_OK("layers_of_blocks", cudaMalloc3DArray(&a, &f, make_cudaExtent(W, H, 3), cudaArrayLayered));
    memset(&p, 0, sizeof p);
    p.dstArray = a;
    p.srcPtr = make_cudaPitchedPtr(blocks, sizeof blocks[0][0], W, H / 4);
    p.extent = make_cudaExtent(W, H, 3);
    p.kind = cudaMemcpyHostToDevice;
    CHECK_OK("are_copied", cudaMemcpy3D(&p));
    CHECK_OK("and_read", texture(a, sampling(), &t));
    fetch_layer<<<1, 3>>>(t, out);
    CHECK("each_by_itself", cudaDeviceSynchronize() == cudaSuccess && out[0].x == 0 && out[0].z == 1 && out[1].y == 1 && out[2].x == 1 && out[2].y == 1);
    cudaDestroyTextureObject(t);
    cudaFreeArray(a);
    CHECK_OK("levels_of_blocks", cudaMallocMipmappedArray(&m, &f, make_cudaExtent(W, H, 0), 5, 0));
    for (unsigned l = 0; l < 5; l++) {
        size_t columns = W / 4 >> l ? W / 4 >> l : 1, rows = H / 4 >> l ? H / 4 >> l : 1;
        cudaGetMipmappedArrayLevel(&a, m, l);
        CHECK_OK("end_in_a_single_one", cudaMemcpy2DToArray(a, 0, 0, blocks[l % 3], sizeof blocks[0][0], columns * 8, rows, cudaMemcpyHostToDevice));
    }
    memset(&r, 0, sizeof r);
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    d.normalizedCoords = 1;
    CHECK_OK("a_texture_of_levels", cudaCreateTextureObject(&t, &r, &d, NULL));
    fetch_lod<<<1, 5>>>(t, out);
    CHECK("reads_each", cudaDeviceSynchronize() == cudaSuccess && out[0].z == 1 && out[1].y == 1 && out[2].x == 1 && out[2].y == 1 && out[3].x == 1 && out[3].y == 0);
    cudaDestroyTextureObject(t);
    cudaFreeMipmappedArray(m);
}

/* A bad window is refused where it is given, for one kernel as for a stream. */
static void windows(void)
{
    static const struct { const char *rule; size_t bytes; float ratio; int miss; cudaError_t want; } rows[] = {
        {"a_window_for_a_kernel", 4096, 1, cudaAccessPropertyNormal, cudaSuccess},
        {"a_share_is_not_more_than_all", 4096, 2, cudaAccessPropertyNormal, cudaErrorInvalidValue},
        {"nor_less_than_nothing", 4096, -1, cudaAccessPropertyNormal, cudaErrorInvalidValue},
        {"a_window_is_not_too_long", (size_t)1 << 40, 1, cudaAccessPropertyNormal, cudaErrorInvalidValue},
        {"what_does_not_hit_does_not_stay", 4096, 1, cudaAccessPropertyPersisting, cudaErrorInvalidValue},
    };
    int *p;
    cudaMalloc((void **)&p, 4096);
    cudaGraph_t g;
    cudaGraphNode_t n;
    cudaKernelNodeParams k = {};
    void *args[] = {&p};
    k.func = (void *)touch;
    k.gridDim = k.blockDim = dim3(1);
    k.kernelParams = args;
    cudaGraphCreate(&g, 0);
    cudaGraphAddKernelNode(&n, g, NULL, 0, &k);
    for (auto &row : rows) {
        cudaLaunchAttribute a;
        cudaLaunchConfig_t c = {};
        memset(&a, 0, sizeof a);
        a.id = cudaLaunchAttributeAccessPolicyWindow;
        a.val.accessPolicyWindow.base_ptr = p;
        a.val.accessPolicyWindow.num_bytes = row.bytes;
        a.val.accessPolicyWindow.hitRatio = row.ratio;
        a.val.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
        a.val.accessPolicyWindow.missProp = (cudaAccessProperty)row.miss;
        c.gridDim = c.blockDim = dim3(1);
        c.attrs = &a;
        c.numAttrs = 1;
        CHECK_ERR(row.rule, cudaLaunchKernelEx(&c, touch, p), row.want);
        CHECK_ERR(row.rule, cudaGraphKernelNodeSetAttribute(n, cudaLaunchAttributeAccessPolicyWindow, &a.val), row.want);
    }
    cudaLaunchAttributeValue v;
    memset(&v, 0, sizeof v);
    CHECK_OK("a_node_remembers_its_window", cudaGraphKernelNodeGetAttribute(n, cudaLaunchAttributeAccessPolicyWindow, &v));
    CHECK("the_last_good_one", v.accessPolicyWindow.base_ptr == p && v.accessPolicyWindow.num_bytes == 4096 && v.accessPolicyWindow.hitRatio == 1);
    cudaGraphDestroy(g);
    cudaStream_t s;
    cudaStreamCreate(&s);
    int priority = 9;
    v.priority = -1;
    CHECK_OK("a_streams_priority_can_change", cudaStreamSetAttribute(s, cudaLaunchAttributePriority, &v));
    CHECK("and_is_another_then", cudaStreamGetPriority(s, &priority) == cudaSuccess && priority == -1);
    CHECK_OK("the_kernels_ran", cudaDeviceSynchronize());
    cudaStreamDestroy(s);
    cudaFree(p);
}

int main(void)
{
    const unsigned short red = 31 << 11, green = 63 << 5, blue = 31;
    cudaChannelFormatDesc f = format(cudaChannelFormatKindUnsignedBlockCompressed1);
    cudaArray_t a;
    for (int layer = 0; layer < 3; layer++)
        for (int y = 0; y < H / 4; y++)
            for (int x = 0; x < W / 4; x++)
                blocks[layer][y][x] = layer == 0 ? bc1{(unsigned short)(x ? green : red), blue, 0xe4e4e4e4} : bc1{(unsigned short)(layer == 1 ? green : red | green), 0, 0};
    blocks[0][1][0] = bc1{red, blue, 0x55555555};
    blocks[0][0][0].index = 0x555555e4;          /* the first row has all four colours, the others are blue */
    cudaMallocManaged((void **)&out, W * H * sizeof *out);
    shapes();
    CHECK_OK("an_array_of_blocks", cudaMallocArray(&a, &f, W, H, 0));
    copies(a);
    textures(a);
    cudaFreeArray(a);
    integers_seen_as_blocks();
    an_srgb_array_is_nothing_else();
    layers_and_levels();
    windows();
    return check_failures != 0;
}
