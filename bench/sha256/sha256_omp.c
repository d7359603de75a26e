/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sha256: the digests of 2^17 messages of 64 bytes, a thread for each: two blocks, the message and its padding.  Nothing but
 * 32-bit additions, rotations and logic.  Work counts the bytes hashed, padding included.
 *
 * Plain C with OpenMP.  Sixteen messages side by side, word for word, in the lanes of a loop.
 */
#include "../common.h"

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

enum { LANES = 16 };
typedef uint32_t lanes[LANES];

/* One block of each of the sixteen messages. */
static void sha256_block(lanes h[8], lanes w[16])
{
    lanes v[8];
    memcpy(v, h, sizeof v);
    for (int t = 0; t < 64; t++) {
        /* what was v[0] is at v[-t & 7] now: nothing moves */
        uint32_t *a = v[-t & 7], *b = v[(1 - t) & 7], *c = v[(2 - t) & 7], *d = v[(3 - t) & 7];
        uint32_t *e = v[(4 - t) & 7], *f = v[(5 - t) & 7], *g = v[(6 - t) & 7], *last = v[(7 - t) & 7];
        uint32_t *now = w[t & 15], *w1 = w[(t + 1) & 15], *w9 = w[(t + 9) & 15], *w14 = w[(t + 14) & 15];
#pragma omp simd
        for (int l = 0; l < LANES; l++) {
            uint32_t t1 = last[l] + (right(e[l], 6) ^ right(e[l], 11) ^ right(e[l], 25)) + (g[l] ^ (e[l] & (f[l] ^ g[l]))) + K[t] + now[l];
            uint32_t t2 = (right(a[l], 2) ^ right(a[l], 13) ^ right(a[l], 22)) + ((a[l] & b[l]) | (c[l] & (a[l] | b[l])));
            d[l] += t1;
            last[l] = t1 + t2;
            now[l] += (right(w1[l], 7) ^ right(w1[l], 18) ^ w1[l] >> 3) + w9[l] + (right(w14[l], 17) ^ right(w14[l], 19) ^ w14[l] >> 10);
        }
    }
    for (int i = 0; i < 8; i++)
        for (int l = 0; l < LANES; l++)
            h[i][l] += v[i][l];
}

static void sha256(const uint32_t *in, uint32_t *out)
{
#pragma omp parallel for schedule(static)
    for (int m = 0; m < N; m += LANES) {
        lanes h[8], w[16];
        for (int i = 0; i < 8; i++)
            for (int l = 0; l < LANES; l++)
                h[i][l] = H0[i];
        for (int i = 0; i < WORDS; i++)
            for (int l = 0; l < LANES; l++)
                w[i][l] = __builtin_bswap32(in[(m + l) * WORDS + i]);
        sha256_block(h, w);
        for (int i = 0; i < WORDS; i++)
            for (int l = 0; l < LANES; l++)
                w[i][l] = i == 0 ? 0x80000000 : i == 15 ? 512 : 0;
        sha256_block(h, w);
        for (int i = 0; i < DIGEST; i++)
            for (int l = 0; l < LANES; l++)
                out[(m + l) * DIGEST + i] = __builtin_bswap32(h[i][l]);
    }
}

int main(int argc, char **argv)
{
    int reps = argc > 1 ? atoi(argv[1]) : 10;
    uint32_t *in = host_alloc(bytes), *out = host_alloc(digest_bytes);
    make_input(in);

    double best = 1e30;
    for (int r = 0; r <= reps; r++) {           /* r == 0 warms up */
        double t = now();
        sha256(in, out);
        t = now() - t;
        if (r > 0 && t < best)
            best = t;
    }
    return report("omp", best, in, out);
}
