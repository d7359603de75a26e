// SPDX-License-Identifier: Apache-2.0
// Copies and sets: contents, directions, two and three dimensions, symbols.
#include "runtime_check.h"
#include <stdint.h>
#include <string.h>

__constant__ int coefficients[8];
__device__ int table[8];
__global__ void read_both(int *out) { int i = threadIdx.x; out[i] = coefficients[i] * 100 + table[i]; }

enum { N = 4096 };

static void one_dimension(void)
{
    static unsigned char a[N], b[N];
    unsigned char *d, *d2;
    for (int i = 0; i < N; i++)
        a[i] = (unsigned char)(i * 7 + 1);
    NEED(cudaMalloc(&d, N));
    NEED(cudaMalloc(&d2, N));
    NEED(cudaMemcpy(d, a, N, cudaMemcpyHostToDevice));
    NEED(cudaMemcpy(d2 + 1, d, N - 1, cudaMemcpyDeviceToDevice));
    NEED(cudaMemset(d2, 0xee, 1));
    NEED(cudaMemcpy(b, d2, N, cudaMemcpyDefault));
    CHECK("there_and_back", b[0] == 0xee && memcmp(b + 1, a, N - 1) == 0);
    NEED(cudaMemset(d + 10, 0x1ff, 5));
    NEED(cudaMemcpy(b, d, N, cudaMemcpyDeviceToHost));
    CHECK("a_set_takes_the_low_byte_and_only_its_range", b[9] == a[9] && b[10] == 0xff && b[14] == 0xff && b[15] == a[15]);

    static const struct { const char *rule; int dst, src; cudaMemcpyKind kind; cudaError_t want; } cases[] = {
        /* 0 device, 1 pageable host */
        {"h2d_needs_a_device_destination", 1, 1, cudaMemcpyHostToDevice, cudaErrorInvalidValue},
        {"d2h_needs_a_device_source", 1, 1, cudaMemcpyDeviceToHost, cudaErrorInvalidValue},
        {"d2d_needs_two_devices", 0, 1, cudaMemcpyDeviceToDevice, cudaErrorInvalidValue},
        {"the_host_side_of_h2d_may_be_a_device", 0, 0, cudaMemcpyHostToDevice, cudaSuccess},
        {"the_host_side_of_d2h_may_be_a_device", 0, 0, cudaMemcpyDeviceToHost, cudaSuccess},
        {"h2h_takes_anything", 1, 0, cudaMemcpyHostToHost, cudaSuccess},
        {"there_is_no_such_kind", 0, 1, (cudaMemcpyKind)7, cudaErrorInvalidMemcpyDirection},
    };
    for (auto &c : cases)
        CHECK_ERR(c.rule, cudaMemcpy(c.dst ? b : d2, c.src ? a : d, N, c.kind), c.want);
    CHECK_ERR("no_further_than_the_end", cudaMemset(d, 0, (size_t)64 << 20), cudaErrorInvalidValue);
    CHECK_OK("nothing_to_copy_is_fine", cudaMemcpy(NULL, NULL, 0, cudaMemcpyHostToDevice));
    NEED(cudaFree(d));
    NEED(cudaFree(d2));
}

static void two_dimensions(void)
{
    enum { W = 37, H = 11, HP = 50 };
    static unsigned char a[H][HP], b[H][HP];
    unsigned char *d;
    size_t pitch;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < HP; x++)
            a[y][x] = (unsigned char)(y * 16 + x);
    memset(b, 0x55, sizeof b);
    NEED(cudaMallocPitch(&d, &pitch, W, H));
    NEED(cudaMemcpy2D(d, pitch, a, HP, W, H, cudaMemcpyHostToDevice));
    NEED(cudaMemset2D(d, pitch, 0, 3, 2));
    NEED(cudaMemcpy2D(b, HP, d, pitch, W, H, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int y = 0; y < H; y++)
        for (int x = 0; x < HP; x++)
            wrong += b[y][x] != (x >= W ? 0x55 : y < 2 && x < 3 ? 0 : a[y][x]);
    CHECK("rows_go_where_they_belong_and_nowhere_else", wrong == 0);
    CHECK_ERR("a_row_must_fit_its_pitch", cudaMemcpy2D(d, 16, a, HP, 32, 2, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    NEED(cudaFree(d));
}

static void three_dimensions(void)
{
    enum { W = 20, H = 6, D = 4 };
    static int a[D][H][W], b[D][H][W];
    struct cudaPitchedPtr d;
    struct cudaMemcpy3DParms p;
    for (int i = 0; i < W * H * D; i++)
        (&a[0][0][0])[i] = i;
    NEED(cudaMalloc3D(&d, make_cudaExtent(W * sizeof(int), H, D)));
    memset(&p, 0, sizeof p);
    p.srcPtr = make_cudaPitchedPtr(a, W * sizeof(int), W, H);
    p.dstPtr = d;
    p.extent = make_cudaExtent(W * sizeof(int), H, D);
    p.kind = cudaMemcpyHostToDevice;
    NEED(cudaMemcpy3D(&p));
    /* a box out of the middle comes back to the origin */
    memset(&p, 0, sizeof p);
    p.srcPtr = d;
    p.srcPos = make_cudaPos(3 * sizeof(int), 2, 1);
    p.dstPtr = make_cudaPitchedPtr(b, W * sizeof(int), W, H);
    p.extent = make_cudaExtent(5 * sizeof(int), 3, 2);
    p.kind = cudaMemcpyDeviceToHost;
    NEED(cudaMemcpy3D(&p));
    int wrong = 0;
    for (int z = 0; z < D; z++)
        for (int y = 0; y < H; y++)
            for (int x = 0; x < W; x++)
                wrong += b[z][y][x] != (z < 2 && y < 3 && x < 5 ? a[z + 1][y + 2][x + 3] : 0);
    CHECK("a_box_is_cut_out_exactly", wrong == 0);
    NEED(cudaMemset3D(d, 0, make_cudaExtent(W * sizeof(int), H, D)));
    NEED(cudaMemcpy2D(b, W * sizeof(int), d.ptr, d.pitch, W * sizeof(int), H * D, cudaMemcpyDeviceToHost));
    int sum = 0;
    for (int i = 0; i < W * H * D; i++)
        sum += (&b[0][0][0])[i] != 0;
    CHECK("a_3d_set_covers_its_extent", sum == 0);
    NEED(cudaFree(d.ptr));
}

static void symbols(void)
{
    int c[8], t[8], *d, out[8], back[3];
    for (int i = 0; i < 8; i++) {
        c[i] = i + 1;
        t[i] = i * i;
    }
    NEED(cudaMemcpyToSymbol(coefficients, c, sizeof c));
    NEED(cudaMemcpyToSymbol(table, t + 2, 6 * sizeof(int), 2 * sizeof(int)));
    NEED(cudaMemcpyToSymbol(table, t, 2 * sizeof(int)));
    NEED(cudaMalloc(&d, sizeof out));
    read_both<<<1, 8>>>(d);
    NEED(cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost));
    int wrong = 0;
    for (int i = 0; i < 8; i++)
        wrong += out[i] != (i + 1) * 100 + i * i;
    CHECK("kernels_see_what_was_copied_to_symbols", wrong == 0);
    NEED(cudaMemcpyFromSymbol(back, table, sizeof back, 5 * sizeof(int)));
    CHECK("symbols_are_read_at_an_offset", back[0] == 25 && back[1] == 36 && back[2] == 49);
    CHECK_ERR("not_past_the_end_of_a_symbol", cudaMemcpyToSymbol(table, t, sizeof t, 4), cudaErrorInvalidValue);
    CHECK_ERR("not_from_the_host_to_the_host", cudaMemcpyToSymbol(table, t, 4, 0, cudaMemcpyDeviceToHost), cudaErrorInvalidMemcpyDirection);
    NEED(cudaFree(d));
}

int main()
{
    one_dimension();
    two_dimensions();
    three_dimensions();
    symbols();
    return check_failures != 0;
}
