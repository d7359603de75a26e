/* SPDX-License-Identifier: Apache-2.0 */
/* Operations in a rounding mode given at run time: the mode is set, the operation done, the mode restored. */
#include "jit/math/rounding.h"

#include "ir/ir.h"

#include <fenv.h>
#include <math.h>

static int mode_of(int rnd)
{
    return rnd == IR_RZ ? FE_TOWARDZERO : rnd == IR_RM ? FE_DOWNWARD : rnd == IR_RP ? FE_UPWARD : FE_TONEAREST;
}

/* volatile keeps the compiler from moving or folding the operation across the mode switches. */
#define IN_MODE(type, expr)                 \
    int old = fegetround();                 \
    fesetround(mode_of(rnd));               \
    volatile type r = (expr);               \
    fesetround(old);                        \
    return r;

#define FAMILY(type, tag, sqrt_, fma_)                                                                                                  \
    static type hw_rnd_add_##tag(type a, type b, int rnd) { volatile type x = a, y = b; IN_MODE(type, x + y) }                          \
    static type hw_rnd_sub_##tag(type a, type b, int rnd) { volatile type x = a, y = b; IN_MODE(type, x - y) }                          \
    static type hw_rnd_mul_##tag(type a, type b, int rnd) { volatile type x = a, y = b; IN_MODE(type, x * y) }                          \
    static type hw_rnd_div_##tag(type a, type b, int rnd) { volatile type x = a, y = b; IN_MODE(type, x / y) }                          \
    static type hw_rnd_fma_##tag(type a, type b, type c, int rnd) { volatile type x = a, y = b, z = c; IN_MODE(type, fma_(x, y, z)) }   \
    static type hw_rnd_sqrt_##tag(type a, int rnd) { volatile type x = a; IN_MODE(type, sqrt_(x)) }                                     \
    static type hw_rnd_froms64_##tag(int64_t a, int rnd) { volatile int64_t x = a; IN_MODE(type, (type)x) }

FAMILY(float, f32, sqrtf, fmaf)
FAMILY(double, f64, sqrt, fma)

static float hw_rnd_fromf64_f32(double a, int rnd) { volatile double x = a; IN_MODE(float, (float)x) }

/* The compiler's own conversion of large unsigned numbers halves and doubles, which rounds wrongly except to nearest:
   the halved number keeps its lost bit as a sticky bit, which rounds the same in every mode. */
#define FROM_U64(type, tag)                                                              \
    static type hw_rnd_fromu64_##tag(uint64_t a, int rnd)                                \
    {                                                                                    \
        if (a <= INT64_MAX)                                                              \
            return hw_rnd_froms64_##tag((int64_t)a, rnd);                                \
        return 2 * hw_rnd_froms64_##tag((int64_t)(a >> 1 | (a & 1)), rnd);               \
    }
FROM_U64(float, f32)
FROM_U64(double, f64)

#define ROWS(tag) { "hw_rnd_add_" #tag, (void (*)(void))hw_rnd_add_##tag }, { "hw_rnd_sub_" #tag, (void (*)(void))hw_rnd_sub_##tag },      \
                  { "hw_rnd_mul_" #tag, (void (*)(void))hw_rnd_mul_##tag }, { "hw_rnd_div_" #tag, (void (*)(void))hw_rnd_div_##tag },      \
                  { "hw_rnd_fma_" #tag, (void (*)(void))hw_rnd_fma_##tag }, { "hw_rnd_sqrt_" #tag, (void (*)(void))hw_rnd_sqrt_##tag },    \
                  { "hw_rnd_froms64_" #tag, (void (*)(void))hw_rnd_froms64_##tag }, { "hw_rnd_fromu64_" #tag, (void (*)(void))hw_rnd_fromu64_##tag }

static const struct {
    const char *name;
    void (*body)(void);
} rows[] = { ROWS(f32), ROWS(f64), { "hw_rnd_fromf64_f32", (void (*)(void))hw_rnd_fromf64_f32 } };

void *rounding_address(const char *symbol)
{
    for (size_t i = 0; i < HW_LEN(rows); i++)
        if (strcmp(rows[i].name, symbol) == 0)
            return (void *)(uintptr_t)rows[i].body;
    return NULL;
}
