/* SPDX-License-Identifier: Apache-2.0 */
/* The table of ir/math.def as jit/ sees it: types, symbols at every width, addresses. */
#include "jit/math/math.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "base/log.h"
#include "jit/math/mathfix.h"
#include "jit/math/mathlib.h"

struct math_row {
    const char *name, *signature;
    const char *sleef, *variant; /* NULL: scalar */
    bool fixed;
    void (*scalar)(void);
    double ulp;
};

#define SLEEF(name, variant) #name, #variant, false, NULL
#define SLEEF_FIXED(name, variant) #name, #variant, true, NULL
#define SCALAR(name) NULL, NULL, false, (void (*)(void))hw_math_##name
#define INLINE(name) NULL, NULL, false, (void (*)(void))hw_math_##name
#define NEAR(name, sleef, variant) #sleef, #variant, false, (void (*)(void))hw_math_##name
#define MATH(id, name, signature, body, ulp) [IR_MATH_##id] = { name, signature, body, ulp },
static const struct math_row math_rows[IR_MATH_COUNT] = {
#include "ir/math.def"
};
#undef MATH
#undef SLEEF
#undef SLEEF_FIXED
#undef SCALAR
#undef INLINE
#undef NEAR

static enum ir_type type_of_letter(char c)
{
    return c == 'f' ? IR_F32 : c == 'd' ? IR_F64 : IR_I32;
}

enum ir_type math_result_type(enum ir_math id)
{
    return type_of_letter(math_rows[id].signature[0]);
}

unsigned math_n_src(enum ir_math id)
{
    return (unsigned)strlen(math_rows[id].signature) - 2;
}

enum ir_type math_src_type(enum ir_math id, unsigned i)
{
    assert(i < math_n_src(id));
    return type_of_letter(math_rows[id].signature[2 + i]);
}

bool math_is_vector(enum ir_math id)
{
    return math_rows[id].sleef != NULL;
}

bool math_is_near(enum ir_math id)
{
    return math_rows[id].sleef && math_rows[id].scalar;
}

double math_ulp(enum ir_math id)
{
    return math_rows[id].ulp;
}

/*
 * SLEEF has two deterministic families, with FMA ("finz") and without ("cinz"). Each agrees with itself at all widths,
 * not with the other, so a CPU uses one of them for everything.
 */
static bool cpu_has_fma(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
#else
    return false;
#endif
}

static const char *isa_suffix(unsigned bits)
{
    if (!cpu_has_fma())
        return bits == 128 ? "sse2" : bits == 0 ? "purec" : NULL;
    switch (bits) {
    case 0:
        return "purecfma";
    case 128:
        return "avx2128";
    case 256:
        return "avx2";
    case 512:
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx512f"))
            return "avx512f";
#endif
        return NULL;
    default:
        return NULL;
    }
}

static unsigned vector_bits(const struct math_row *row, unsigned lanes)
{
    return lanes == 1 ? 0 : lanes * (row->signature[0] == 'f' ? 32 : 64);
}

static const struct mathfix *mathfix_of(const struct math_row *row, unsigned lanes)
{
    switch (vector_bits(row, lanes)) {
    case 0:
        return &mathfix_0;
#if defined(__x86_64__)
    case 128:
        return &mathfix_128;
    case 256:
        return &mathfix_256;
    case 512:
        return &mathfix_512;
#endif
    default:
        return NULL;
    }
}

/* SLEEF's symbol for a row and a width. */
static const char *sleef_symbol(const struct math_row *row, unsigned lanes, char out[MATH_SYMBOL_MAX])
{
    const char *isa = isa_suffix(vector_bits(row, lanes));

    if (!isa)
        return NULL;
    snprintf(out, MATH_SYMBOL_MAX, "Sleef_%s_%s%c%u_%s%s", cpu_has_fma() ? "finz" : "cinz", row->sleef, row->signature[0], lanes,
             row->variant, isa);
    return out;
}

const char *math_symbol(enum ir_math id, unsigned lanes, char out[MATH_SYMBOL_MAX])
{
    const struct math_row *row = &math_rows[id];

    if (row->sleef && !sleef_symbol(row, lanes, out))
        return NULL;
    if (!row->sleef && lanes != 1)
        return NULL;
    if (!row->sleef || row->fixed)
        snprintf(out, MATH_SYMBOL_MAX, "hw_math_%s_%u", row->name, lanes);
    return out;
}

static pthread_once_t sleef_once = PTHREAD_ONCE_INIT;
static void *sleef_handle;

static void sleef_open(void)
{
    sleef_handle = dlopen("libsleef.so.3", RTLD_NOW | RTLD_LOCAL);
    if (!sleef_handle)
        hw_error("device math needs SLEEF, which is not installed (Debian 12: the package libsleef3; Debian 13, Ubuntu: libsleef3 or later): %s", dlerror());
}

static void *sleef_address(const char *symbol)
{
    pthread_once(&sleef_once, sleef_open);
    return sleef_handle ? dlsym(sleef_handle, symbol) : NULL;
}

/* hw_math_NAME_LANES: ours, or ours around SLEEF's. */
static void *own_address(const char *symbol)
{
    const char *name = symbol + strlen("hw_math_"), *end = strrchr(name, '_');
    unsigned lanes = end ? (unsigned)strtoul(end + 1, NULL, 10) : 0;
    char sleef[MATH_SYMBOL_MAX];

    for (unsigned id = 0; end && id < IR_MATH_COUNT; id++) {
        const struct math_row *row = &math_rows[id];

        if (strlen(row->name) != (size_t)(end - name) || strncmp(row->name, name, end - name))
            continue;
        if (!row->sleef)
            return lanes == 1 ? (void *)row->scalar : NULL;
        return row->fixed && sleef_symbol(row, lanes, sleef) ? mathfix_of(row, lanes)->wrap(id, sleef_address(sleef)) : NULL;
    }
    return NULL;
}

void *math_address(const char *symbol)
{
    if (!strncmp(symbol, "Sleef_", 6))
        return sleef_address(symbol);
    return strncmp(symbol, "hw_math_", 8) ? NULL : own_address(symbol);
}

bool math_apply(enum ir_math id, unsigned lanes, const void *a, const void *b, void *out)
{
    const struct math_row *row = &math_rows[id];
    char symbol[MATH_SYMBOL_MAX];
    void *body = row->sleef && math_symbol(id, lanes, symbol) ? math_address(symbol) : NULL;

    if (!body)
        return false;
    (row->signature[0] == 'f' ? mathfix_of(row, lanes)->apply_f32 : mathfix_of(row, lanes)->apply_f64)(body, a, b, out);
    for (unsigned k = 0; k < lanes && math_is_near(id); k++)
        if (fabsf(((const float *)a)[k]) <= MATH_NEAR)
            ((float *)out)[k] = ((float (*)(float))row->scalar)(((const float *)a)[k]);
    return true;
}
