// SPDX-License-Identifier: Apache-2.0
// 8-bit floats: every value survives the way to float and back, roundings go to the nearest, host and device agree.
#include <cuda_fp8.h>

#include <cmath>
#include <cstdio>

// The nearest of all values of a format, ties to the even pattern: what a conversion must give.
static int nearest(float f, __nv_fp8_interpretation_t as)
{
    int best = 0;
    double distance = INFINITY;
    for (int b = 0; b < 0x7f; b++) {
        double v = (float)__half(__nv_cvt_fp8_to_halfraw((unsigned char)b, as)), d = fabs(v - fabs((double)f));
        if (!std::isfinite(v))
            break;
        if (d < distance || (d == distance && !(b & 1)))
            best = b, distance = d;
    }
    return best | (std::signbit(f) ? 0x80 : 0);
}

__global__ void convert(const float *in, unsigned char *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[2 * i] = __nv_fp8_e4m3(in[i]).__x;
        out[2 * i + 1] = __nv_fp8_e5m2(in[i]).__x;
    }
}

int main()
{
    const int n = 4000;
    float *in;
    unsigned char *out;
    int bad = 0;
    for (int b = 0; b < 256; b++) {
        __nv_fp8_e4m3 x;
        __nv_fp8_e5m2 y;
        x.__x = y.__x = (unsigned char)b;
        bad += (b & 0x7f) != 0x7f && __nv_fp8_e4m3((float)x).__x != b;
        bad += (b & 0x7f) < 0x7c && __nv_fp8_e5m2((float)y).__x != b;
    }
    cudaMallocManaged(&in, n * sizeof *in);
    cudaMallocManaged(&out, 2 * n);
    for (int i = 0; i < n; i++)
        in[i] = (i % 2 ? -1.0f : 1.0f) * ldexpf(1 + (i * 37 % 64) / 64.0f, i % 40 - 25);
    convert<<<(n + 127) / 128, 128>>>(in, out, n);
    bad += cudaDeviceSynchronize() != cudaSuccess;
    for (int i = 0; i < n; i++) {
        if (out[2 * i] != nearest(in[i], __NV_E4M3) || out[2 * i + 1] != nearest(in[i], __NV_E5M2)) {
            if (bad++ < 5)
                printf("%g: %02x %02x, wanted %02x %02x\n", in[i], out[2 * i], out[2 * i + 1], nearest(in[i], __NV_E4M3), nearest(in[i], __NV_E5M2));
        }
    }
    printf("%s\n", bad ? "bad" : "good");
    return bad != 0;
}
