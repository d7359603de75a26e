/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions over the generators of curand_kernel.h: uniform in (0, 1], normal by Box and Muller, log-normal, Poisson. */
#ifndef HOSTWARP_CURAND_DISTRIBUTIONS_H
#define HOSTWARP_CURAND_DISTRIBUTIONS_H

namespace hostwarp {

/* The middle of the interval that an integer stands for. */
HW_RAND float uniform_of(unsigned int x) { return x * 0x1p-32f + 0x1p-33f; }
HW_RAND float uniform_of(unsigned long long x) { return (float)(x >> 32) * 0x1p-32f + 0x1p-33f; }
HW_RAND double uniform_double_of(unsigned int x) { return x * 0x1p-32 + 0x1p-32; }
HW_RAND double uniform_double_of(unsigned long long x) { return (double)(x >> 11) * 0x1p-53 + 0x1p-54; }
/* 53 bits of two words. */
HW_RAND double uniform_double_of(unsigned int x, unsigned int y)
{
    return (double)((unsigned long long)x ^ (unsigned long long)y << 21) * 0x1p-53 + 0x1p-54;
}

HW_RAND float2 box_muller(unsigned int x, unsigned int y)
{
    const float turn = 0x1p-32f * 6.2831855f;
    float u = uniform_of(x), v = y * turn + turn / 2, s = sqrtf(-2.0f * logf(u)), sine, cosine;
    sincosf(v, &sine, &cosine);
    return make_float2(sine * s, cosine * s);
}

HW_RAND double2 box_muller_double(uint4 w)
{
    double u = uniform_double_of(w.x, w.y);
    double v = (double)((unsigned long long)w.z ^ (unsigned long long)w.w << 21) * (0x1p-53 * 2.0) + 0x1p-53;
    double s = sqrt(-2.0 * log(u)), sine, cosine;
    sincospi(v, &sine, &cosine);
    return make_double2(sine * s, cosine * s);
}

/* Knuth's product for small means, a rounded normal for large ones. */
template <class State> HW_RAND unsigned int poisson(State *state, double lambda);

}

/* Two-word generators. */
/* The second number of a pair waits in the state. 1: a normal one, 2: a log-normal one; who wants the other kind draws a new pair. */
#define HW_DISTRIBUTIONS(State, UNIFORM, UNIFORM_DOUBLE, normal_pair)                                          \
    HW_RAND float curand_uniform(State *state) { return UNIFORM; }                                             \
    HW_RAND double curand_uniform_double(State *state) { return UNIFORM_DOUBLE; }                              \
    HW_RAND float2 curand_normal2(State *state)                                                                \
    {                                                                                                          \
        unsigned int x = curand(state), y = curand(state);                                                     \
        return hostwarp::box_muller(x, y);                                                                     \
    }                                                                                                          \
    HW_RAND float curand_normal(State *state)                                                                  \
    {                                                                                                          \
        if (state->boxmuller_flag == 1) {                                                                      \
            state->boxmuller_flag = 0;                                                                         \
            return state->boxmuller_extra;                                                                     \
        }                                                                                                      \
        float2 pair = curand_normal2(state);                                                                   \
        state->boxmuller_extra = pair.y;                                                                       \
        state->boxmuller_flag = 1;                                                                             \
        return pair.x;                                                                                         \
    }                                                                                                          \
    HW_RAND double2 curand_normal2_double(State *state) { return hostwarp::normal_pair(state); }               \
    HW_RAND double curand_normal_double(State *state)                                                          \
    {                                                                                                          \
        if (state->boxmuller_flag_double == 1) {                                                               \
            state->boxmuller_flag_double = 0;                                                                  \
            return state->boxmuller_extra_double;                                                              \
        }                                                                                                      \
        double2 pair = curand_normal2_double(state);                                                           \
        state->boxmuller_extra_double = pair.y;                                                                \
        state->boxmuller_flag_double = 1;                                                                      \
        return pair.x;                                                                                         \
    }                                                                                                          \
    HW_RAND float curand_log_normal(State *state, float mean, float stddev)                                    \
    {                                                                                                          \
        if (state->boxmuller_flag == 2) {                                                                      \
            state->boxmuller_flag = 0;                                                                         \
            return state->boxmuller_extra;                                                                     \
        }                                                                                                      \
        float2 pair = curand_normal2(state);                                                                   \
        state->boxmuller_extra = expf(mean + stddev * pair.y);                                                 \
        state->boxmuller_flag = 2;                                                                             \
        return expf(mean + stddev * pair.x);                                                                   \
    }                                                                                                          \
    HW_RAND float2 curand_log_normal2(State *state, float mean, float stddev)                                  \
    {                                                                                                          \
        float2 n = curand_normal2(state);                                                                      \
        return make_float2(expf(mean + stddev * n.x), expf(mean + stddev * n.y));                              \
    }                                                                                                          \
    HW_RAND double curand_log_normal_double(State *state, double mean, double stddev)                          \
    {                                                                                                          \
        if (state->boxmuller_flag_double == 2) {                                                               \
            state->boxmuller_flag_double = 0;                                                                  \
            return state->boxmuller_extra_double;                                                              \
        }                                                                                                      \
        double2 pair = curand_normal2_double(state);                                                           \
        state->boxmuller_extra_double = exp(mean + stddev * pair.y);                                           \
        state->boxmuller_flag_double = 2;                                                                      \
        return exp(mean + stddev * pair.x);                                                                    \
    }                                                                                                          \
    HW_RAND unsigned int curand_poisson(State *state, double lambda) { return hostwarp::poisson(state, lambda); }

/* The order of two calls in one expression is not fixed, hence the helper. */
namespace hostwarp {
template <class State> HW_RAND double two_words(State *state)
{
    unsigned int x = curand(state), y = curand(state);
    return uniform_double_of(x, y);
}
template <class State> HW_RAND double2 pair_of_words(State *state)
{
    uint4 w;
    w.x = curand(state);
    w.y = curand(state);
    w.z = curand(state);
    w.w = curand(state);
    return box_muller_double(w);
}
/* MRG32k3a makes two numbers of two, not of four words. */
HW_RAND double2 pair_of_uniforms(curandStateMRG32k3a_t *state)
{
    double x = (double)mrg_next(state) * 2.3283065498378288e-10, angle = (double)mrg_next(state) * 2.3283065498378288e-10 * 2.0;
    double length = sqrt(-2.0 * log(x)), sine, cosine;
    sincospi(angle, &sine, &cosine);
    return make_double2(length * sine, length * cosine);
}
}

HW_DISTRIBUTIONS(curandStateXORWOW_t, hostwarp::uniform_of(curand(state)), hostwarp::two_words(state), pair_of_words)
HW_DISTRIBUTIONS(curandStatePhilox4_32_10_t, hostwarp::uniform_of(curand(state)), hostwarp::uniform_double_of(curand(state)), pair_of_words)
HW_DISTRIBUTIONS(curandStateMRG32k3a_t, (float)((double)hostwarp::mrg_next(state) * 2.3283065498378288e-10),
                 (double)hostwarp::mrg_next(state) * 2.3283065498378288e-10, pair_of_uniforms)
#undef HW_DISTRIBUTIONS

/* Quasi-random numbers go through the inverse of the distribution, so that their order means something. */
#define HW_QUASI(State)                                                                                        \
    HW_RAND float curand_uniform(State *state) { return hostwarp::uniform_of(curand(state)); }                 \
    HW_RAND double curand_uniform_double(State *state) { return hostwarp::uniform_double_of(curand(state)); }  \
    HW_RAND float curand_normal(State *state) { return normcdfinvf(curand_uniform(state)); }                   \
    HW_RAND double curand_normal_double(State *state) { return normcdfinv(curand_uniform_double(state)); }     \
    HW_RAND float curand_log_normal(State *state, float mean, float stddev) { return expf(mean + stddev * curand_normal(state)); }
HW_QUASI(curandStateSobol32_t)
HW_QUASI(curandStateScrambledSobol32_t)
HW_QUASI(curandStateSobol64_t)
HW_QUASI(curandStateScrambledSobol64_t)
#undef HW_QUASI

HW_RAND float4 curand_uniform4(curandStatePhilox4_32_10_t *state)
{
    uint4 w = curand4(state);
    return make_float4(hostwarp::uniform_of(w.x), hostwarp::uniform_of(w.y), hostwarp::uniform_of(w.z), hostwarp::uniform_of(w.w));
}
HW_RAND double2 curand_uniform2_double(curandStatePhilox4_32_10_t *state)
{
    uint4 w = curand4(state);
    return make_double2(hostwarp::uniform_double_of(w.x, w.y), hostwarp::uniform_double_of(w.z, w.w));
}
HW_RAND float4 curand_normal4(curandStatePhilox4_32_10_t *state)
{
    uint4 w = curand4(state);
    float2 a = hostwarp::box_muller(w.x, w.y), b = hostwarp::box_muller(w.z, w.w);
    return make_float4(a.x, a.y, b.x, b.y);
}
HW_RAND float4 curand_log_normal4(curandStatePhilox4_32_10_t *state, float mean, float stddev)
{
    float4 n = curand_normal4(state);
    return make_float4(expf(mean + stddev * n.x), expf(mean + stddev * n.y), expf(mean + stddev * n.z), expf(mean + stddev * n.w));
}

namespace hostwarp {
template <class State> HW_RAND unsigned int poisson(State *state, double lambda)
{
    if (lambda >= 60) {
        double r = floor(lambda + sqrt(lambda) * curand_normal_double(state) + 0.5);
        return r < 0 ? 0 : (unsigned int)r;
    }
    double limit = exp(-lambda), product = curand_uniform(state);
    unsigned int n = 0;
    for (; product > limit; n++)
        product *= curand_uniform(state);
    return n;
}
}

#endif
