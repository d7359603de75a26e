/* SPDX-License-Identifier: Apache-2.0 */
/* Copies and fills: the bytes arrive, edges stay untouched, wrong calls are told so. */
#include "driver_check.h"

enum { N = 4096 };
static unsigned char a[N], b[N];

static void number(unsigned char *p, size_t n)
{
    for (size_t i = 0; i < n; i++)
        p[i] = (unsigned char)(i * 7 + i / 251);
}

static void plain(CUdeviceptr d, CUdeviceptr e, unsigned char *h)
{
    number(a, N);
    check_result("host to device", cuMemcpyHtoD(d, a, N), CUDA_SUCCESS);
    check_result("device to device", cuMemcpyDtoD(e, d, N), CUDA_SUCCESS);
    check_result("device to host", cuMemcpyDtoH(b, e, N), CUDA_SUCCESS);
    check_true("the bytes made the round", memcmp(a, b, N) == 0);
    memset(h, 0, N);
    check_result("to page-locked memory by address", cuMemcpy((CUdeviceptr)h, d, N), CUDA_SUCCESS);
    check_true("arrives", memcmp(a, h, N) == 0);
    check_result("an odd piece", cuMemcpyDtoH(b + 1, d + 3, 5), CUDA_SUCCESS);
    check_true("is moved to the byte", memcmp(b + 1, a + 3, 5) == 0 && b[0] == a[0] && b[6] == a[6]);
    check_result("zero bytes", cuMemcpyHtoD(d, a, 0), CUDA_SUCCESS);
    check_result("to nowhere", cuMemcpyHtoD(0, a, N), CUDA_ERROR_INVALID_VALUE);
    check_result("from nowhere", cuMemcpyHtoD(d, NULL, N), CUDA_ERROR_INVALID_VALUE);
    check_result("from host memory that is called device memory", cuMemcpyDtoH(b, (CUdeviceptr)a, N), CUDA_ERROR_INVALID_VALUE);
    check_result("past the end", cuMemcpyDtoD(d, e, (size_t)64 << 20), CUDA_ERROR_INVALID_VALUE);
}

static void rectangle(CUdeviceptr d)
{
    CUDA_MEMCPY2D c = {0};

    number(a, N);
    NEED(cuMemsetD8(d, 0, N));
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = a;
    c.srcPitch = 64;
    c.srcXInBytes = 5;
    c.srcY = 2;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = d;
    c.dstPitch = 128;
    c.dstXInBytes = 3;
    c.dstY = 1;
    c.WidthInBytes = 20;
    c.Height = 10;
    check_result("a rectangle", cuMemcpy2D(&c), CUDA_SUCCESS);
    NEED(cuMemcpyDtoH(b, d, N));
    int good = 1, edge = 1;
    for (int y = 0; y < 10; y++) {
        good &= memcmp(b + (y + 1) * 128 + 3, a + (y + 2) * 64 + 5, 20) == 0;
        edge &= b[(y + 1) * 128 + 2] == 0 && b[(y + 1) * 128 + 23] == 0;
    }
    check_true("lies where it should", good);
    check_true("and nothing beside it was touched", edge && b[3] == 0 && b[11 * 128 + 3] == 0);
    c.dstPitch = 16;
    check_result("rows wider than the pitch", cuMemcpy2D(&c), CUDA_ERROR_INVALID_VALUE);
    c.dstPitch = 128;
    c.Height = 0;
    check_result("no rows", cuMemcpy2D(&c), CUDA_SUCCESS);
}

static void box(CUdeviceptr d)
{
    CUDA_MEMCPY3D c = {0};

    number(a, N);
    NEED(cuMemcpyHtoD(d, a, N));
    memset(b, 0, N);
    c.srcMemoryType = CU_MEMORYTYPE_DEVICE;
    c.srcDevice = d;
    c.srcPitch = 32;
    c.srcHeight = 8;
    c.srcXInBytes = 4;
    c.srcY = 1;
    c.srcZ = 2;
    c.dstMemoryType = CU_MEMORYTYPE_HOST;
    c.dstHost = b;
    c.dstPitch = 16;
    c.dstHeight = 6;
    c.dstXInBytes = 1;
    c.WidthInBytes = 10;
    c.Height = 5;
    c.Depth = 3;
    check_result("a box", cuMemcpy3D(&c), CUDA_SUCCESS);
    int good = 1;
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 5; y++)
            good &= memcmp(b + z * 96 + y * 16 + 1, a + (z + 2) * 256 + (y + 1) * 32 + 4, 10) == 0;
    check_true("lies where it should", good && b[0] == 0 && b[11] == 0 && b[5 * 16 + 1] == 0);
}

static void fills(CUdeviceptr d, unsigned char *h)
{
    unsigned *words = (unsigned *)b;
    int good = 1;

    check_result("words", cuMemsetD32(d, 0x3f800000, 8), CUDA_SUCCESS);
    NEED(cuMemcpyDtoH(b, d, 32));
    for (int i = 0; i < 8; i++)
        good &= words[i] == 0x3f800000;
    check_true("all of them", good);
    check_result("bytes at an odd place", cuMemsetD8(d + 1, 0xee, 7), CUDA_SUCCESS);
    NEED(cuMemcpyDtoH(b, d, 32));
    check_true("only those", words[0] == 0xeeeeee00 && words[1] == 0xeeeeeeee && words[2] == 0x3f800000);
    check_result("words at an odd place", cuMemsetD32(d + 2, 1, 8), CUDA_ERROR_INVALID_VALUE);
    check_result("half-words at an odd place", cuMemsetD16(d + 1, 1, 8), CUDA_ERROR_INVALID_VALUE);
    check_result("page-locked memory is filled too", cuMemsetD32((CUdeviceptr)h, 0x440ac000, 1), CUDA_SUCCESS);
    NEED(cuCtxSynchronize());
    check_true("with what was asked for", *(unsigned *)h == 0x440ac000);
    check_result("a variable is not", cuMemsetD32((CUdeviceptr)a, 1, 1), CUDA_ERROR_INVALID_VALUE);
    NEED(cuMemsetD8(d, 0, N));
    check_result("rows", cuMemsetD2D16(d + 64, 64, 0x1234, 3, 4), CUDA_SUCCESS);
    NEED(cuMemcpyDtoH(b, d, N));
    good = b[63] == 0 && b[64 * 5] == 0;
    for (int y = 1; y <= 4; y++)
        good &= b[y * 64] == 0x34 && b[y * 64 + 5] == 0x12 && b[y * 64 + 6] == 0;
    check_true("and what lies between them stays", good);
}

static void in_streams(CUdeviceptr d, unsigned char *h)
{
    CUstream s;

    NEED(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
    number(h, N);
    check_result("up", cuMemcpyHtoDAsync(d, h, N, s), CUDA_SUCCESS);
    check_result("fill the middle", cuMemsetD8Async(d + 100, 0xaa, 100, s), CUDA_SUCCESS);
    check_result("down", cuMemcpyDtoHAsync(h, d, N, s), CUDA_SUCCESS);
    check_result("wait", cuStreamSynchronize(s), CUDA_SUCCESS);
    number(a, N);
    memset(a + 100, 0xaa, 100);
    check_true("a stream keeps its order", memcmp(a, h, N) == 0);
    number(a, N);
    check_result("a pageable source", cuMemcpyHtoDAsync(d, a, N, s), CUDA_SUCCESS);
    memset(a, 0, N);
    NEED(cuMemcpyDtoHAsync(b, d, N, s));
    number(a, N);
    check_true("is read before the call returns; a pageable target is complete then", memcmp(a, b, N) == 0);
    NEED(cuStreamDestroy(s));
}

int main(void)
{
    CUdeviceptr d, e;
    void *h;

    check_start();
    NEED(cuMemAlloc(&d, N));
    NEED(cuMemAlloc(&e, N));
    NEED(cuMemAllocHost(&h, N));
    plain(d, e, h);
    rectangle(d);
    box(d);
    fills(d, h);
    in_streams(d, h);
    return n_failed != 0;
}
