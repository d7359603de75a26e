/* SPDX-License-Identifier: Apache-2.0 */
/* Random numbers inside kernels: Philox4x32-10 (Salmon et al. 2011), XORWOW (Marsaglia 2003), MRG32k3a (L'Ecuyer 1999) and
   Sobol sequences, written from the published algorithms; and the distributions made of them. */
#ifndef CURAND_KERNEL_H_
#define CURAND_KERNEL_H_

#include "hostwarp/words_push.h"

#include "cuda_runtime.h"
#include "hostwarp/curand_jumps.h"

#define HW_RAND static __inline__ __device__

/* ---- XORWOW ---- */

struct curandStateXORWOW {
    unsigned int d, v[5];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateXORWOW curandStateXORWOW_t;
typedef struct curandStateXORWOW curandState_t;
typedef struct curandStateXORWOW curandState;

namespace hostwarp {

HW_RAND void xorwow_step(unsigned int *v)
{
    unsigned int t = v[0] ^ v[0] >> 2;
    v[0] = v[1];
    v[1] = v[2];
    v[2] = v[3];
    v[3] = v[4];
    v[4] = v[4] ^ v[4] << 4 ^ t ^ t << 1;
}

/* 2^power steps at once: the polynomial of the jump, applied to the state. */
HW_RAND void xorwow_jump(unsigned int *v, int power)
{
    unsigned int sum[5] = {0, 0, 0, 0, 0};
    for (int i = 0; i < 160; i++) {
        if (hw_xorwow_jumps[power][i / 32] >> (i % 32) & 1)
            for (int k = 0; k < 5; k++)
                sum[k] ^= v[k];
        xorwow_step(v);
    }
    for (int k = 0; k < 5; k++)
        v[k] = sum[k];
}

template <class State> HW_RAND void forget_spare(State *state)
{
    state->boxmuller_flag = state->boxmuller_flag_double = 0;
    state->boxmuller_extra = 0;
    state->boxmuller_extra_double = 0;
}

}

HW_RAND void skipahead(unsigned long long n, curandStateXORWOW *state)
{
    for (int i = 0; i < 64; i++)
        if (n >> i & 1)
            hostwarp::xorwow_jump(state->v, i);
    state->d += 362437u * (unsigned int)n;
}

HW_RAND void skipahead_sequence(unsigned long long n, curandStateXORWOW *state)
{
    for (int i = 0; i < 32; i++)                 /* subsequences past 2^32 wrap */
        if (n >> i & 1)
            hostwarp::xorwow_jump(state->v, 67 + i);
}

HW_RAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateXORWOW *state)
{
    unsigned int a = ((unsigned int)seed ^ 0xaad26b49u) * 1099087573u, b = ((unsigned int)(seed >> 32) ^ 0xf7dcefddu) * 2591861531u;
    state->d = 6615241u + b + a;
    state->v[0] = 123456789u + a;
    state->v[1] = 362436069u ^ a;
    state->v[2] = 521288629u + b;
    state->v[3] = 88675123u ^ b;
    state->v[4] = 5783321u + a;
    hostwarp::forget_spare(state);
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

HW_RAND unsigned int curand(curandStateXORWOW *state)
{
    hostwarp::xorwow_step(state->v);
    state->d += 362437u;
    return state->v[4] + state->d;
}

/* ---- Philox4x32-10 ---- */

struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned int STATE;                          /* how many words of output are used */
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

HW_RAND uint4 curand_Philox4x32_10(uint4 c, uint2 key)
{
    for (int round = 0; round < 10; round++) {
        unsigned long long a = 0xd2511f53ull * c.x, b = 0xcd9e8d57ull * c.z;
        c = make_uint4((unsigned int)(b >> 32) ^ c.y ^ key.x, (unsigned int)b, (unsigned int)(a >> 32) ^ c.w ^ key.y, (unsigned int)a);
        key.x += 0x9e3779b9u;
        key.y += 0xbb67ae85u;
    }
    return c;
}

namespace hostwarp {

/* Adds n to two neighbouring words; what does not fit goes to the two above. */
HW_RAND void philox_count(uint4 *c, unsigned long long n)
{
    unsigned long long low = (unsigned long long)c->y << 32 | c->x, sum = low + n;
    c->x = (unsigned int)sum;
    c->y = (unsigned int)(sum >> 32);
    if (sum < low && ++c->z == 0)
        c->w++;
}

}

HW_RAND void skipahead(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    unsigned int used = state->STATE + (unsigned int)(n & 3);
    hostwarp::philox_count(&state->ctr, n / 4 + used / 4);
    state->STATE = used & 3;
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

HW_RAND void skipahead_sequence(unsigned long long n, curandStatePhilox4_32_10_t *state)
{
    unsigned long long high = ((unsigned long long)state->ctr.w << 32 | state->ctr.z) + n;
    state->ctr.z = (unsigned int)high;
    state->ctr.w = (unsigned int)(high >> 32);
    state->output = curand_Philox4x32_10(state->ctr, state->key);
}

HW_RAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                         curandStatePhilox4_32_10_t *state)
{
    state->ctr = make_uint4(0, 0, 0, 0);
    state->key = make_uint2((unsigned int)seed, (unsigned int)(seed >> 32));
    state->STATE = 0;
    hostwarp::forget_spare(state);
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}

HW_RAND unsigned int curand(curandStatePhilox4_32_10_t *state)
{
    unsigned int word = state->STATE++;
    unsigned int r = word == 0 ? state->output.x : word == 1 ? state->output.y : word == 2 ? state->output.z : state->output.w;
    if (state->STATE == 4) {
        hostwarp::philox_count(&state->ctr, 1);
        state->output = curand_Philox4x32_10(state->ctr, state->key);
        state->STATE = 0;
    }
    return r;
}

HW_RAND uint4 curand4(curandStatePhilox4_32_10_t *state)
{
    uint4 r;
    r.x = curand(state);
    r.y = curand(state);
    r.z = curand(state);
    r.w = curand(state);
    return r;
}

/* ---- MRG32k3a ---- */

struct curandStateMRG32k3a {
    unsigned int s1[3], s2[3];
    int boxmuller_flag, boxmuller_flag_double;
    float boxmuller_extra;
    double boxmuller_extra_double;
};
typedef struct curandStateMRG32k3a curandStateMRG32k3a_t;

namespace hostwarp {

/* One component: three words, a 3x3 matrix of steps, a modulus below 2^32. */
struct mrg_matrix {
    unsigned long long m[3][3];
};

HW_RAND mrg_matrix mrg_product(const mrg_matrix &a, const mrg_matrix &b, unsigned long long modulus)
{
    mrg_matrix r;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            r.m[i][j] = 0;
            for (int k = 0; k < 3; k++)
                r.m[i][j] = (r.m[i][j] + a.m[i][k] * b.m[k][j] % modulus) % modulus;
        }
    return r;
}

/* n * 2^shift steps. */
HW_RAND void mrg_jump(unsigned int *s, mrg_matrix step, unsigned long long modulus, unsigned long long n, int shift)
{
    for (int i = 0; i < shift && n; i++)
        step = mrg_product(step, step, modulus);
    for (; n; n >>= 1) {
        if (n & 1) {
            unsigned long long t[3];
            for (int i = 0; i < 3; i++) {
                t[i] = 0;
                for (int k = 0; k < 3; k++)
                    t[i] = (t[i] + step.m[i][k] * s[k] % modulus) % modulus;
            }
            for (int i = 0; i < 3; i++)
                s[i] = (unsigned int)t[i];
        }
        step = mrg_product(step, step, modulus);
    }
}

enum : unsigned long long { mrg_m1 = 4294967087ull, mrg_m2 = 4294944443ull };

HW_RAND void mrg_skip(curandStateMRG32k3a *state, unsigned long long n, int shift)
{
    const mrg_matrix one = {{{0, 1, 0}, {0, 0, 1}, {mrg_m1 - 810728, 1403580, 0}}};
    const mrg_matrix two = {{{0, 1, 0}, {0, 0, 1}, {mrg_m2 - 1370589, 0, 527612}}};
    mrg_jump(state->s1, one, mrg_m1, n, shift);
    mrg_jump(state->s2, two, mrg_m2, n, shift);
}

}

HW_RAND void skipahead(unsigned long long n, curandStateMRG32k3a_t *state) { hostwarp::mrg_skip(state, n, 0); }
HW_RAND void skipahead_subsequence(unsigned long long n, curandStateMRG32k3a_t *state) { hostwarp::mrg_skip(state, n, 76); }
HW_RAND void skipahead_sequence(unsigned long long n, curandStateMRG32k3a_t *state) { hostwarp::mrg_skip(state, n, 127); }

HW_RAND void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset, curandStateMRG32k3a_t *state)
{
    unsigned long long a = (unsigned int)seed ^ 0x55555555u, b = (unsigned int)(seed >> 32) ^ 0xaaaaaaaau;
    for (int i = 0; i < 3; i++) {
        state->s1[i] = seed ? (unsigned int)((i == 1 ? b : a) * 12345 % hostwarp::mrg_m1) : 12345u;
        state->s2[i] = seed ? (unsigned int)((i == 1 ? a : b) * 12345 % hostwarp::mrg_m2) : 12345u;
    }
    hostwarp::forget_spare(state);
    skipahead_subsequence(subsequence, state);
    skipahead(offset, state);
}

namespace hostwarp {

/* 1 ... m1. */
HW_RAND unsigned int mrg_next(curandStateMRG32k3a_t *state)
{
    unsigned int *p = state->s1, *q = state->s2;
    unsigned long long a = (1403580ull * p[1] + (mrg_m1 - 810728ull) * p[0]) % mrg_m1;
    unsigned long long b = (527612ull * q[2] + (mrg_m2 - 1370589ull) * q[0] % mrg_m2) % mrg_m2;
    p[0] = p[1];
    p[1] = p[2];
    p[2] = (unsigned int)a;
    q[0] = q[1];
    q[1] = q[2];
    q[2] = (unsigned int)b;
    return (unsigned int)(a > b ? a - b : a + mrg_m1 - b);
}

}

/* Scaled to all 32 bits. */
HW_RAND unsigned int curand(curandStateMRG32k3a_t *state)
{
    return (unsigned int)((double)hostwarp::mrg_next(state) * 1.000000048662);
}

/* ---- Sobol: direction vectors come from the caller ---- */

typedef unsigned int curandDirectionVectors32_t[32];
typedef unsigned long long curandDirectionVectors64_t[64];

#define HW_SOBOL(State, Word, bits, first_zero)                                                   \
    struct State {                                                                                \
        Word i, x, c, direction_vectors[bits];                                                    \
    };                                                                                            \
    typedef struct State State##_t;                                                               \
    HW_RAND void skipahead(Word n, State##_t *state)                                              \
    {                                                                                             \
        state->i += n;                                                                            \
        Word gray = state->i ^ state->i >> 1;                                                     \
        state->x = state->c;                                                                      \
        for (int k = 0; k < bits; k++)                                                            \
            if (gray >> k & 1)                                                                    \
                state->x ^= state->direction_vectors[k];                                          \
    }                                                                                             \
    HW_RAND Word curand(State##_t *state)                                                         \
    {                                                                                             \
        Word r = state->x;                                                                        \
        int k = first_zero((long long)~state->i) - 1;                                             \
        state->x ^= state->direction_vectors[k < 0 ? bits - 1 : k];                               \
        state->i++;                                                                               \
        return r;                                                                                 \
    }
#define HW_SOBOL_INIT(State, Word, bits)                                                          \
    HW_RAND void curand_init(Word *vectors, Word offset, State##_t *state)                        \
    {                                                                                             \
        for (int k = 0; k < bits; k++)                                                            \
            state->direction_vectors[k] = vectors[k];                                             \
        state->i = state->x = state->c = 0;                                                       \
        skipahead(offset, state);                                                                 \
    }
#define HW_SOBOL_SCRAMBLED(State, Word, bits)                                                     \
    HW_RAND void curand_init(Word *vectors, Word scramble, Word offset, State##_t *state)         \
    {                                                                                             \
        for (int k = 0; k < bits; k++)                                                            \
            state->direction_vectors[k] = vectors[k];                                             \
        state->i = 0;                                                                             \
        state->x = state->c = scramble;                                                           \
        skipahead(offset, state);                                                                 \
    }
HW_SOBOL(curandStateSobol32, unsigned int, 32, __ffsll)
HW_SOBOL(curandStateScrambledSobol32, unsigned int, 32, __ffsll)
HW_SOBOL(curandStateSobol64, unsigned long long, 64, __ffsll)
HW_SOBOL(curandStateScrambledSobol64, unsigned long long, 64, __ffsll)
HW_SOBOL_INIT(curandStateSobol32, unsigned int, 32)
HW_SOBOL_INIT(curandStateSobol64, unsigned long long, 64)
HW_SOBOL_SCRAMBLED(curandStateScrambledSobol32, unsigned int, 32)
HW_SOBOL_SCRAMBLED(curandStateScrambledSobol64, unsigned long long, 64)
#undef HW_SOBOL
#undef HW_SOBOL_INIT
#undef HW_SOBOL_SCRAMBLED

#include "hostwarp/curand_distributions.h"

#undef HW_RAND

#include "hostwarp/words_pop.h"

#endif
