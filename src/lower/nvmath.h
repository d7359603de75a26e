/* SPDX-License-Identifier: Apache-2.0 */
/* Between the files of nvmath: a row of nvmath.def and its emitters. */
#ifndef LOWER_NVMATH_H
#define LOWER_NVMATH_H

#include "lower/lower_internal.h"

/* An emitter gets its arguments in the types that the signature says and returns the result in the type that it says. */
struct nv_row;
typedef struct ir_operand nv_fn(struct lower_ctx *c, const struct nv_row *row, const struct ir_operand *a);

struct nv_row {
    const char *name, *signature;
    nv_fn *emit;
    int op, arg;
};

enum nv_constant { NV_LOG2_E, NV_LOG2_10, NV_LN_2, NV_LOG10_2 };

/* What happens to each piece of a word. S, U: its sign; SAT: clamped to the piece's range. */
enum nv_simd {
    NV_ABS, NV_ABS_SAT, NV_NEG, NV_NEG_SAT, NV_ABSDIFF_S, NV_ABSDIFF_U, NV_ADD, NV_ADD_SAT_S, NV_ADD_SAT_U, NV_SUB, NV_SUB_SAT_S,
    NV_SUB_SAT_U, NV_AVG_S, NV_AVG_U, NV_HADD_U, NV_MAX_S, NV_MAX_U, NV_MIN_S, NV_MIN_U
};

static inline int nv_n_args(const struct nv_row *row) { return (int)strlen(row->signature) - 2; }
enum ir_type nv_type(char letter);
static inline enum ir_type nv_result_type(const struct nv_row *row) { return nv_type(row->signature[0]); }
static inline enum ir_type nv_arg_type(const struct nv_row *row, int i) { return nv_type(row->signature[2 + i]); }

/* One instruction of type `type` with a result of type `result`. */
struct ir_operand nv_emit(struct lower_ctx *c, enum ir_op op, enum ir_type type, enum ir_type result, const struct ir_operand *a, int n);
struct ir_operand nv_emit_rnd(struct lower_ctx *c, enum ir_op op, enum ir_type type, enum ir_rnd rnd, const struct ir_operand *a, int n);
/* The float constant of this type. */
struct ir_operand nv_float(enum ir_type type, double value);

/* All emitters have one type; a wrong name in nvmath.def does not link. */
nv_fn nv_op, nv_byte_perm, nv_ffs, nv_mul24, nv_sad, nv_hadd, nv_rhadd, nv_same, nv_word, nv_hilo, nv_isnan, nv_isinf, nv_signbit, nv_nan, nv_cvt;
nv_fn nv_rcp, nv_round, nv_llround, nv_fdim, nv_saturate, nv_ldexp_f32, nv_ldexp_f64, nv_frexp, nv_modf, nv_ilogb, nv_logb;
nv_fn nv_rsqrt_f64, nv_rsqrt_rn, nv_rcp64h, nv_fast_exp, nv_fast_log, nv_fast_pow, nv_fast_tan, nv_fast_sincos;
nv_fn nv_math, nv_math_wide, nv_powi, nv_remquo, nv_sincos, nv_length_f32, nv_norm_f32, nv_norm_f64;
nv_fn nv_simd, nv_simd_sad, nv_simd_cmp, nv_simd_set;

#endif
