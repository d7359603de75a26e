/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every row of ir/math.def against references in long double or __float128: the largest error in units in the last
 * place must stay within the row's bound, NaN and infinity must come out where they should, and every vector width must
 * give the bits of the scalar body. Usage: math_accuracy [points per function [name]]
 */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "jit/math/math.h"
#include "math_reference.h"

enum { MAX_ARGS = 4, BATCH = 16 };

struct point {
    double a[MAX_ARGS];
};

static uint64_t rng_state = 0x9e3779b97f4a7c15u;

static uint64_t rng(void)
{
    rng_state ^= rng_state << 13;
    rng_state ^= rng_state >> 7;
    rng_state ^= rng_state << 17;
    return rng_state;
}

static double uniform(double lo, double hi)
{
    return lo + (double)(rng() >> 11) * 0x1p-53 * (hi - lo);
}

/* Any bit pattern of the type: mostly wild exponents, with NaNs and subnormals among them. */
static double any_bits(enum ir_type type)
{
    uint64_t r = rng();

    if (type == IR_F32) {
        float f;

        memcpy(&f, &r, sizeof f);
        return f;
    }
    double d;
    memcpy(&d, &r, sizeof d);
    return d;
}

static const double specials_f32[] = { 0.0, 1.0, 0.5, 2.0, 3.0, 0x1p-149, 0x1p-126, 0x1.fffffcp-127, 0x1.fffffep127, 0x1p23, 0x1.8p24, 0x1p64,
                                       88.72283, 89.0, 89.41, 103.97, 0x1.fffffep-1, 0x1.000002p0, INFINITY, NAN, 1e-20, 1e20, 0x1.921fb6p1, 0.25, 4.0 };
static const double specials_f64[] = { 0.0, 1.0, 0.5, 2.0, 3.0, 0x1p-1074, 0x1p-1022, 0x1.ffffffffffffep-1023, DBL_MAX, 0x1p52, 0x1.8p53, 0x1p600,
                                       709.78271289338397, 710.2, 710.47, 745.13, 0x1.fffffffffffffp-1, 0x1.0000000000001p0, INFINITY, NAN, 1e-200,
                                       1e200, 0x1.921fb54442d18p1, 0.25, 4.0 };
enum { N_SPECIALS = HW_LEN(specials_f32) };

static double special(enum ir_type type, unsigned i)
{
    double x = (type == IR_F32 ? specials_f32 : specials_f64)[i / 2 % N_SPECIALS];

    if (type == IR_F32)
        x = (float)x;
    return i & 1 ? -x : x;
}

static double sample(const struct reference *ref, enum ir_type type, unsigned arg)
{
    double x;

    if (type == IR_I32)
        return (double)(rng() % 12);
    switch (rng() % 8) {
    case 0:
    case 1:
        x = any_bits(type);
        break;
    case 2:
        x = special(type, (unsigned)rng());
        break;
    case 3:        /* spread over the exponents near 1 */
        x = ldexp(uniform(-2, 2), (int)(rng() % 64) - 32);
        break;
    default:
        x = uniform(ref->lo[arg > 1 ? 1 : arg], ref->hi[arg > 1 ? 1 : arg]);
        break;
    }
    return type == IR_F32 ? (float)x : x;
}

/* The first points are the special values, for two arguments all their pairs. */
static void make_point(enum ir_math id, const struct reference *ref, unsigned index, struct point *p)
{
    unsigned n = 2 * N_SPECIALS;

    for (unsigned k = 0; k < math_n_src(id); k++) {
        enum ir_type type = math_src_type(id, k);

        if (index < (math_n_src(id) > 1 ? n * n : n) && type != IR_I32)
            p->a[k] = special(type, k == 0 ? index % n : k == 1 ? index / n : (unsigned)rng());
        else
            p->a[k] = sample(ref, type, k);
    }
}

/* ---- calling a body of any width ---- */

static double call_scalar(enum ir_math id, void *fn, const struct point *p)
{
    const double *a = p->a;

    if (math_result_type(id) == IR_I32)
        return ((int32_t(*)(double, double))fn)(a[0], a[1]);
    if (math_src_type(id, 0) == IR_I32)
        return ((double (*)(int32_t, double))fn)((int32_t)a[0], a[1]);
    if (math_result_type(id) == IR_F32)
        return (double)((float (*)(float))fn)((float)a[0]);
    switch (math_n_src(id)) {
    case 1:
        return ((double (*)(double))fn)(a[0]);
    case 2:
        return ((double (*)(double, double))fn)(a[0], a[1]);
    case 3:
        return ((double (*)(double, double, double))fn)(a[0], a[1], a[2]);
    default:
        return ((double (*)(double, double, double, double))fn)(a[0], a[1], a[2], a[3]);
    }
}

static void run_scalar(enum ir_math id, const struct point *points, double *out)
{
    char name[MATH_SYMBOL_MAX];
    void *fn = math_address(math_symbol(id, 1, name));

    if (!fn) {
        printf("not ok no address for %s\n", name);
        exit(1);
    }
    for (unsigned i = 0; i < BATCH; i++)
        out[i] = call_scalar(id, fn, &points[i]);
}

/* Results of a batch at one width, as doubles; false when that width has no body here. */
static bool run_vector(enum ir_math id, unsigned lanes, const struct point *points, double *out)
{
    bool single = math_result_type(id) == IR_F32;
    float f[2][BATCH], rf[BATCH];
    double d[2][BATCH], rd[BATCH];

    for (unsigned i = 0; i < BATCH; i++)
        for (unsigned k = 0; k < math_n_src(id); k++)
            f[k][i] = (float)(d[k][i] = points[i].a[k]);
    for (unsigned i = 0; i < BATCH; i += lanes) {
        const void *a = single ? (void *)&f[0][i] : (void *)&d[0][i], *b = single ? (void *)&f[1][i] : (void *)&d[1][i];

        if (!math_apply(id, lanes, a, math_n_src(id) > 1 ? b : NULL, single ? (void *)&rf[i] : (void *)&rd[i]))
            return false;
    }
    for (unsigned i = 0; i < BATCH; i++)
        out[i] = single ? rf[i] : rd[i];
    return true;
}

static bool run_batch(enum ir_math id, unsigned lanes, const struct point *points, double *out)
{
    if (math_is_vector(id))
        return run_vector(id, lanes, points, out);
    if (lanes == 1)
        run_scalar(id, points, out);
    return lanes == 1;
}

/* ---- judging ---- */

/* The error of got against the true value, in units of the last place of the result type; infinite when NaN, infinity or the sign
   of an infinity is wrong. A result may overflow one rounding step early or late. */
static double ulp_error(enum ir_type type, double got, long double want)
{
    int digits = type == IR_F32 ? FLT_MANT_DIG : DBL_MANT_DIG;
    int min_exp = type == IR_F32 ? FLT_MIN_EXP : DBL_MIN_EXP;
    long double top = type == IR_F32 ? (long double)FLT_MAX : (long double)DBL_MAX;
    int e;

    if (isnan(got) || isnan(want))
        return isnan(got) && isnan(want) ? 0 : INFINITY;
    if (isinf(got))
        got = got > 0 ? (double)INFINITY : -(double)INFINITY;
    if (fabsl(want) > top)
        want = copysignl(top + ldexpl(1, (type == IR_F32 ? FLT_MAX_EXP : DBL_MAX_EXP) - digits), want);
    long double g = isinf(got) ? copysignl(top + ldexpl(1, (type == IR_F32 ? FLT_MAX_EXP : DBL_MAX_EXP) - digits), got) : (long double)got;
    if (g == want)
        return 0;
    if (want == 0)
        return fabsl(g) > 0 ? (double)(fabsl(g) / ldexpl(1, min_exp - digits)) : 0;
    frexpl(want, &e);
    if (e < min_exp)
        e = min_exp;
    return (double)(fabsl(g - want) / ldexpl(1, e - digits));
}

static bool same_bits(double a, double b)
{
    return (isnan(a) && isnan(b)) || !memcmp(&a, &b, sizeof a);
}

struct verdict {
    double worst;
    struct point at;
    double got;
    long double want;
    unsigned width_mismatches;
    struct point mismatch_at;
};

static void judge_batch(enum ir_math id, const struct reference *ref, const struct point *points, struct verdict *v)
{
    static const unsigned widths[] = { 2, 4, 8, 16 };
    double scalar[BATCH], wide[BATCH];

    if (!run_batch(id, 1, points, scalar)) {
        printf("not ok %s has no scalar body\n", ir_math_names[id]);
        exit(1);
    }
    for (unsigned w = 0; w < HW_LEN(widths); w++) {
        if (!run_batch(id, widths[w], points, wide))
            continue;
        for (unsigned i = 0; i < BATCH; i++)
            if (!same_bits(scalar[i], wide[i])) {
                v->width_mismatches++;
                v->mismatch_at = points[i];
            }
    }
    for (unsigned i = 0; i < BATCH; i++) {
        long double want = ref->fn(points[i].a);
        double err;

        if (ref->skip && ref->skip(points[i].a))
            continue;
        err = math_result_type(id) == IR_I32 ? fabs(scalar[i] - (double)want) : ulp_error(math_result_type(id), scalar[i], want);
        if (ref->slack && fabsl(scalar[i] - want) <= ref->slack(points[i].a))
            err = 0;
        if (err > v->worst) {
            v->worst = err;
            v->at = points[i];
            v->got = scalar[i];
            v->want = want;
        }
    }
}

static bool check_row(enum ir_math id, unsigned n_points)
{
    const struct reference *ref = &references[id];
    struct verdict v = { 0 };
    bool ok;

    if (!ref->fn) {
        printf("not ok %-11s has no reference\n", ir_math_names[id]);
        return false;
    }
    if (ref->slow)
        n_points /= ref->slow;
    for (unsigned i = 0; i < n_points; i += BATCH) {
        struct point points[BATCH];

        for (unsigned k = 0; k < BATCH; k++)
            make_point(id, ref, i + k, &points[k]);
        judge_batch(id, ref, points, &v);
    }
    ok = v.worst <= (math_ulp(id) > 0 ? math_ulp(id) : 0.5) && v.width_mismatches == 0;
    printf("%s %-11s worst %8.4g ulp, allowed %g", ok ? "ok" : "not ok", ir_math_names[id], v.worst, math_ulp(id));
    if (!ok && v.worst > 0) {
        printf(": f(");
        for (unsigned k = 0; k < math_n_src(id); k++)
            printf("%s%a", k ? ", " : "", v.at.a[k]);
        printf(") = %a, should be %La (%.6g)", v.got, v.want, v.at.a[0]);
    }
    if (v.width_mismatches)
        printf("; %u results depend on the width, as f(%a, %a)", v.width_mismatches, v.mismatch_at.a[0], v.mismatch_at.a[1]);
    printf("\n");
    return ok;
}

int main(int argc, char **argv)
{
    unsigned n_points = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 100000;
    unsigned n_bad = 0;

    for (unsigned id = 0; id < IR_MATH_COUNT; id++)
        if (argc < 3 || !strcmp(argv[2], ir_math_names[id]))
            n_bad += !check_row(id, n_points);
    printf("%u of %u functions outside their bounds\n", n_bad, (unsigned)IR_MATH_COUNT);
    return n_bad != 0;
}
