/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256: the digests of 2^17 messages of 64 bytes, a thread for each: two blocks, the message and its padding.  Nothing but
 * 32-bit additions, rotations and logic.  Work counts the bytes hashed, padding included.
 *
 * OpenCL variant, on the CPU device (POCL).
 */
#include "../ocl.h"

enum { N = 1 << 17, WORDS = 16, DIGEST = 8, BLOCK = 128 };
static const size_t bytes = sizeof(uint32_t) * N * WORDS, digest_bytes = sizeof(uint32_t) * N * DIGEST;

static const uint32_t K[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be,
    0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa,
    0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85,
    0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3,
    0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f,
    0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
static const uint32_t H0[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };

static void make_input(uint32_t *in)
{
    for (int i = 0; i < N * WORDS; i++)
        in[i] = rnd_u32();
}

/* The reference: one message, word for word as the standard has it. */
static uint32_t right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static void reference_block(uint32_t *h, const uint32_t *block)
{
    uint32_t w[64], v[8];
    memcpy(w, block, WORDS * sizeof *w);
    memcpy(v, h, sizeof v);
    for (int t = 16; t < 64; t++)
        w[t] = w[t - 16] + (right(w[t - 15], 7) ^ right(w[t - 15], 18) ^ w[t - 15] >> 3) + w[t - 7] +
               (right(w[t - 2], 17) ^ right(w[t - 2], 19) ^ w[t - 2] >> 10);
    for (int t = 0; t < 64; t++) {
        uint32_t t1 = v[7] + (right(v[4], 6) ^ right(v[4], 11) ^ right(v[4], 25)) + ((v[4] & v[5]) ^ (~v[4] & v[6])) + K[t] + w[t];
        uint32_t t2 = (right(v[0], 2) ^ right(v[0], 13) ^ right(v[0], 22)) + ((v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]));
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += t1;
        v[0] = t1 + t2;
    }
    for (int i = 0; i < DIGEST; i++)
        h[i] += v[i];
}

static int report(const char *variant, double seconds, const uint32_t *in, const uint32_t *out)
{
    uint32_t check = 0;
    int wrong = -1;
    for (int m = 0; m < N; m++) {
        uint32_t h[8], w[WORDS], padding[WORDS] = { 0x80000000 };
        padding[15] = 512;
        memcpy(h, H0, sizeof h);
        for (int i = 0; i < WORDS; i++)
            w[i] = __builtin_bswap32(in[m * WORDS + i]);
        reference_block(h, w);
        reference_block(h, padding);
        for (int i = 0; i < DIGEST; i++) {
            uint32_t got = out[m * DIGEST + i];
            check = check * 31 + got;
            if (got != __builtin_bswap32(h[i]) && wrong < 0)
                wrong = m;
        }
    }
    printf("sha256 %s seconds=%.9f check=%u work=%.0f unit=GB/s\n", variant, seconds, check, 128.0 * N);
    if (wrong >= 0)
        fprintf(stderr, "sha256 %s: wrong digest of message %d\n", variant, wrong);
    return wrong >= 0;
}

static const char *text = TEXT(
uint rotate_right(uint x, int n)
{
    return rotate(x, (uint)(32 - n));
}

uint swap_bytes(uint x)
{
    return as_uint(as_uchar4(x).wzyx);
}

void sha256_block(uint *h, uint *w, __constant const uint *round_constant)
{
    uint v[8];
    for (int i = 0; i < 8; i++)
        v[i] = h[i];
    for (int t = 0; t < 64; t += 16) {
        __attribute__((opencl_unroll_hint(16)))
        for (int i = 0; i < 16; i++) {
            uint a = v[0];
            uint e = v[4];
            uint t1 = v[7] + (rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25)) + (v[6] ^ (e & (v[5] ^ v[6]))) +
                      round_constant[t + i] + w[i];
            uint t2 = (rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22)) + ((a & v[1]) | (v[2] & (a | v[1])));
            __attribute__((opencl_unroll_hint(8)))
            for (int k = 7; k > 0; k--)
                v[k] = v[k - 1];
            v[4] += t1;
            v[0] = t1 + t2;
        }
        __attribute__((opencl_unroll_hint(16)))
        for (int i = 0; i < 16; i++) {
            uint x = w[(i + 1) & 15];
            uint y = w[(i + 14) & 15];
            w[i] += (rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3) + w[(i + 9) & 15] + (rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10);
        }
    }
    for (int i = 0; i < 8; i++)
        h[i] += v[i];
}

__kernel void sha256(__global const uint4 *message, __global uint4 *digest, __constant const uint *round_constant)
{
    int m = get_global_id(0);
    uint h[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
    uint w[16];
    for (int i = 0; i < 4; i++) {
        uint4 x = message[m * 4 + i];
        w[4 * i] = swap_bytes(x.x);
        w[4 * i + 1] = swap_bytes(x.y);
        w[4 * i + 2] = swap_bytes(x.z);
        w[4 * i + 3] = swap_bytes(x.w);
    }
    sha256_block(h, w, round_constant);
    for (int i = 0; i < 16; i++)
        w[i] = i == 0 ? 0x80000000u : i == 15 ? 512 : 0;
    sha256_block(h, w, round_constant);
    for (int i = 0; i < 2; i++)
        digest[m * 2 + i] = (uint4)(swap_bytes(h[4 * i]), swap_bytes(h[4 * i + 1]), swap_bytes(h[4 * i + 2]), swap_bytes(h[4 * i + 3]));
}
);

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    uint32_t *in = host_alloc(bytes), *out = host_alloc(digest_bytes);
    make_input(in);
    ocl_open();
    cl_kernel kernel = ocl_kernel(ocl_build(text, ""), "sha256");
    cl_mem d_in = ocl_buffer(bytes, in), d_out = ocl_buffer(digest_bytes, NULL), d_k = ocl_buffer(sizeof K, K);
    ARG(kernel, 0, d_in);
    ARG(kernel, 1, d_out);
    ARG(kernel, 2, d_k);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        ocl_launch(kernel, 1, N, 1, BLOCK, 1);
        CHECK(clFinish(queue));
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    ocl_read(d_out, out, digest_bytes);
    return report("ocl", best, in, out);
}
