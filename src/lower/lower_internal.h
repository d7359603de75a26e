/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Inside lower/: the state while one kernel is lowered, and what every family of instructions uses to write IR.
 *
 * A family's function lower_X(c) lowers c->inst (one row of forms.def). It reads operands with lower_src(), asks for the
 * registers of its results with lower_dst(), and emits IR at c->block. It knows nothing of guards and of registers wider
 * than the type: lower_dst() hands out a temporary where one is needed and the driver in lower.c stores it afterwards.
 */
#ifndef LOWER_INTERNAL_H
#define LOWER_INTERNAL_H

#include "base/hash.h"
#include "lower/lower.h"
#include "ptx/module.h"

struct lower_frame;
struct lower_layout;

/* A result waiting to be stored: value, already of the type the instruction works on, goes into reg. */
struct lower_pending {
    struct ir_operand value;
    struct ir_reg *reg;
    enum ir_type type;           /* of value */
    bool sign_extend;
};

/* One run of lower_check(). */
struct lower_check {
    bool open;                           /* what is declared only may be defined elsewhere */
    struct hw_map told;                  /* instructions and kernels that there was a message about */
};

struct lower_ctx {
    const struct ptx_module *ptx;
    struct ir_module *module;
    struct ir_func *f;
    struct ir_block *block;              /* where instructions are added; never has a TERM while a family runs */
    struct diag *diag;
    const struct ptx_func *kernel;
    const struct ptx_inst *inst;         /* being lowered */
    struct lower_frame *frame;           /* the function being lowered: the kernel, or one inlined into it */
    struct lower_layout *layout;         /* shared and local memory of the kernel */
    struct lower_pending pending[IR_MAX_DST];
    int n_pending;
    struct ir_reg *cc;                   /* the carry flag: I32, 0 or 1 */
    struct ir_reg *stack;                /* I64: the next byte that alloca hands out, or NULL */
    uint64_t stack_end;
    struct ir_func *kernel_f;            /* c->f, or the kernel while one of its callees is lowered */
    HW_VEC(const struct ptx_func *) callees;   /* of the kernel, as in kernel_f->callees */
    uint64_t n_insts;                    /* emitted so far: bounds what inlining can grow to */
    bool guarded_select;                 /* c->inst has a guard and is PURE */
    bool failed;
    struct hw_map inlined;               /* (ptx_inlined, the frame's ir_inlined) -> ir_inlined; emptied with each kernel */
    struct lower_check *check;           /* the result is thrown away, only messages count; or NULL */
};

typedef bool lower_fn(struct lower_ctx *c);

/* lower_ADD_INT() and so on: one for each FORM row. */
#define FORM(id, ...) lower_fn lower_##id;
#define FORM_TODO(id, ...)
#include "ptx/forms.def"
#undef FORM
#undef FORM_TODO

/* Says why c->inst cannot be lowered, with its text, line and kernel. Returns false. */
bool lower_fail(struct lower_ctx *c, const char *fmt, ...) HW_PRINTF(2, 3);
bool lower_check_nesting(struct lower_ctx *c);                 /* the function that was made; false after a message */
/* The same for what is right PTX, but more than we can do: no more than a warning to lower_check(). */
bool lower_limit(struct lower_ctx *c, const char *fmt, ...) HW_PRINTF(2, 3);

/* ---- emitting; all values are operands (register or constant) ---- */
struct ir_reg *lower_tmp(struct lower_ctx *c, enum ir_type type);                       /* its integer type by size, or PRED */
const struct ir_inlined *lower_inlined(struct lower_ctx *c, const struct ptx_inlined *from);
const struct ir_inlined *lower_inlined_call(struct lower_ctx *c, const struct ptx_func *callee);    /* c->inst calls it */
struct ir_inst *lower_emit(struct lower_ctx *c, enum ir_op op, enum ir_type type);      /* added to c->block; add dst and src */
struct ir_operand lower_op1(struct lower_ctx *c, enum ir_op op, enum ir_type type, struct ir_operand a);
struct ir_operand lower_op2(struct lower_ctx *c, enum ir_op op, enum ir_type type, struct ir_operand a, struct ir_operand b);
struct ir_operand lower_op3(struct lower_ctx *c, enum ir_op op, enum ir_type type, struct ir_operand a, struct ir_operand b,
                            struct ir_operand d);
struct ir_operand lower_cmp(struct lower_ctx *c, enum ir_cmp cmp, enum ir_type type, struct ir_operand a, struct ir_operand b);
struct ir_operand lower_select(struct lower_ctx *c, enum ir_type type, struct ir_operand pred, struct ir_operand yes, struct ir_operand no);
/* ZEXT SEXT TRUNC FTOI_* ITOF_* FTOF: from type2 to type. */
struct ir_operand lower_cvt(struct lower_ctx *c, enum ir_op op, enum ir_type to, enum ir_type from, struct ir_operand a, enum ir_rnd rnd);
/* Integer a of type from as type to: extended, truncated or as it is. */
struct ir_operand lower_resize(struct lower_ctx *c, enum ir_type to, enum ir_type from, bool sign_extend, struct ir_operand a);
void lower_mov(struct lower_ctx *c, struct ir_reg *dst, struct ir_operand value);
/* Instruction just emitted: to set rnd, flags, ... of what lower_op1 and the others made. */
struct ir_inst *lower_last(struct lower_ctx *c);

static inline struct ir_operand lower_reg(struct ir_reg *r) { return ir_reg_operand(r); }
static inline struct ir_operand lower_imm(uint64_t bits) { return ir_imm_operand(bits); }
struct ir_operand lower_f32(float value);
struct ir_operand lower_f64(double value);

/* Memory through a generic address (I64). */
struct ir_operand lower_load_generic(struct lower_ctx *c, enum ir_type type, struct ir_operand addr, int64_t offset);
void lower_store_generic(struct lower_ctx *c, enum ir_type type, struct ir_operand addr, int64_t offset, struct ir_operand value);

/* ---- blocks ---- */
struct ir_block *lower_new_block(struct lower_ctx *c, const char *label);
void lower_br(struct lower_ctx *c, struct ir_block *to);                                /* ends c->block */
void lower_cbr(struct lower_ctx *c, struct ir_operand pred, struct ir_block *yes, struct ir_block *no);

/* ---- operands of c->inst ---- */
enum ir_type lower_type(enum ptx_type t);                                               /* F32 -> IR_F32, S32 -> IR_I32 ... */
bool lower_has_op(struct lower_ctx *c, int k);
/* Value of operand k as type t: registers wider than t are truncated, constants cut to size. */
struct ir_operand lower_src(struct lower_ctx *c, int k, enum ptx_type t);
struct ir_operand lower_value(struct lower_ctx *c, const struct ptx_operand *o, enum ptx_type t);
/* Where to put result k of type t. */
struct ir_reg *lower_dst(struct lower_ctx *c, int k, enum ptx_type t);
struct ir_reg *lower_def(struct lower_ctx *c, const struct ptx_operand *o, enum ptx_type t);
/* Sets result k to an operand. */
void lower_set(struct lower_ctx *c, int k, enum ptx_type t, struct ir_operand value);
struct ir_reg *lower_ptx_reg(struct lower_ctx *c, const struct ptx_reg *r);

/* ---- modifiers of c->inst ---- */
static inline bool lower_has(struct lower_ctx *c, enum ptx_mod mod) { return ptx_has(c->inst, mod); }
static inline enum ptx_mod lower_mod(struct lower_ctx *c, enum ptx_class class) { return ptx_mod_of(c->inst, class); }
enum ir_rnd lower_rnd(struct lower_ctx *c);                                             /* RN when none is written */
uint8_t lower_fflags(struct lower_ctx *c);                                              /* IR_FTZ, IR_SAT */

/*
 * nvmath.c: a call of an external __nv_* function. src: the arguments in order, each as wide as its parameter.
 * dst: where the result goes, NULL for a function without one. False when there is no such function (nothing is
 * emitted then), true when it was lowered.
 */
bool lower_nvmath(struct lower_ctx *c, const char *name, struct ir_reg *dst, const struct ir_operand *src, int n_src);

#endif
