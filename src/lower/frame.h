/* SPDX-License-Identifier: Apache-2.0 */
/* Inside lower/: functions being inlined, and where variables are. */
#ifndef LOWER_FRAME_H
#define LOWER_FRAME_H

#include "kabi/note.h"
#include "base/hash.h"
#include "kabi/mma.h"
#include "lower/lower_internal.h"

/* A .param variable of a call: registers where every access has its own place, else bytes of local memory. */
struct lower_piece {
    uint32_t offset, bytes;
    struct ir_reg *reg;          /* made when first used */
};
struct lower_slot {
    bool used, in_memory;
    int64_t local_offset;        /* in_memory */
    uint32_t n_pieces;
    struct lower_piece *pieces;
};

/* One function being lowered: the kernel itself or a callee inlined into it. */
struct lower_frame {
    const struct ptx_func *func;
    struct lower_frame *caller;
    struct ir_reg **regs;        /* by ptx_reg.id, made when first used */
    struct ir_reg **highs;       /* the upper halves of registers of 128 bits; NULL: there are none yet */
    struct lower_slot *slots;    /* by ptx_var.id */
    int64_t *local_at;           /* by ptx_var.id: place of .local variables, -1 until used */
    struct ir_block **blocks;    /* by instruction index: the block that starts there, for labels */
    const struct ir_inlined *inlined;    /* a callee: where it is called from */
    struct ir_block *leave;      /* where ret goes; NULL in the kernel */
    struct hw_arena arena;
};

enum { LOWER_RESERVED_SHARED = 1024, LOWER_STACK_BYTES = 8192 };

/* Memory of the kernel. */
struct lower_layout {
    struct hw_map shared;        /* ptx_var -> offset + 1 */
    struct hw_map globals;       /* ptx_var -> index in module->vars + 1; the same for all kernels */
    uint64_t shared_bytes;
    uint64_t dynamic_at;         /* where .extern .shared begins */
    uint64_t local_top, local_max;   /* a stack: callees that follow each other share their bytes */
    bool uses_carry;
    bool uses_stack;             /* alloca and its like */
    bool uses_reserved;
    uint64_t reserved_at;        /* LOWER_RESERVED_SHARED bytes of shared memory */
    size_t grid_places;          /* index in module->vars + 1 of where grids meet, 0: no kernel has asked; the same for all kernels */
};

/* Where an operand points: addr + offset in a space; addr is I64, or an I32 register in shared and local memory. */
struct lower_place {
    enum ir_space space;
    struct ir_operand addr;
    int64_t offset;
    const struct ptx_var *param; /* a .param variable at a constant offset: no memory at all */
};

/* lower.c */
void lower_close_blocks(struct lower_ctx *c);
bool lower_body(struct lower_ctx *c);                                       /* the function of c->frame */
struct ir_block *lower_block_at(struct lower_ctx *c, uint32_t inst, const char *label);

/* emit.c */
void lower_commit(struct lower_ctx *c);                                     /* stores pending results */

/* layout.c */
bool lower_layout_scan(struct lower_ctx *c);                                /* places the shared memory of c->kernel */
struct ir_operand lower_var_address(struct lower_ctx *c, const struct ptx_var *v, int64_t offset);   /* I64 */
int64_t lower_local_alloc(struct lower_ctx *c, uint64_t bytes, uint64_t align);
bool lower_globals(struct lower_ctx *c, const struct ptx_module *ptx);

/* call.c */
bool lower_frame_init(struct lower_ctx *c, struct lower_frame *frame, const struct ptx_func *func);
void lower_frame_fini(struct lower_frame *frame);
/* Reads and writes bytes of a call parameter; type is sized. */
struct ir_operand lower_slot_read(struct lower_ctx *c, struct lower_frame *frame, const struct ptx_var *v, uint64_t offset, enum ir_type type);
void lower_slot_write(struct lower_ctx *c, struct lower_frame *frame, const struct ptx_var *v, uint64_t offset, enum ir_type type,
                      struct ir_operand value);

/* What a pointer to the function holds. */
/* A kernel's, for those who launch it: its size of parameters, and its place among the kernels of the module, from 1. */
uint64_t lower_kernel_address(const struct ptx_module *m, const struct ptx_func *f);
static inline uint64_t lower_func_address(const struct ptx_func *f) { return ((uint64_t)f->id + 1) * 16; }

/* outline.c: functions that stay functions */
bool lower_out_of_line(struct lower_ctx *c, const struct ptx_func *func, const struct ptx_operand *args, unsigned n_args,
                       const struct ptx_operand *rets, unsigned n_rets);
bool lower_indirect(struct lower_ctx *c, const struct ptx_operand *target, const struct ptx_operand *args, unsigned n_args,
                    const struct ptx_operand *rets, unsigned n_rets);
bool lower_callees(struct lower_ctx *c);
int64_t lower_add_callee(struct lower_ctx *c, const struct ptx_func *func);

/* lower.c */
bool lower_is_kernel(const struct ptx_func *f);                             /* one that is defined */
bool lower_kernel(struct lower_ctx *c, const struct ptx_func *kernel);      /* or, for lower_check(), any function */

/* stack.c: room for alloca, in kernels that use it */
void lower_stack_init(struct lower_ctx *c);

/* convert.c */
struct ir_operand lower_saturate(struct lower_ctx *c, enum ir_type type, struct ir_operand a);

/* half.c: a + b of type f16, bf16 or a pair of them */
struct ir_operand lower_half_add(struct lower_ctx *c, enum ptx_type t, struct ir_operand a, struct ir_operand b);

/* compare.c: the IR comparison for a PTX one, -1: no such thing */
int lower_cmp_of(enum ptx_mod cmp, enum ptx_type t);

/* matrix.c: registers of an operand in braces, or NULL and an error when there are not `want` of them */
const struct ptx_operand *lower_fragment(struct lower_ctx *c, int k, unsigned want);
int lower_mma_type(enum ptx_type t);                                        /* enum kabi_mma_type, or -1 */
void lower_mma(struct lower_ctx *c, struct kabi_mma m, const struct ir_operand *a, const struct ir_operand *b, const struct ir_operand *sum,
               struct ir_operand *d);
void lower_sums_from_f16(struct lower_ctx *c, const struct ir_operand *regs, unsigned n, struct ir_operand *out);
void lower_sums_to_f16(struct lower_ctx *c, const struct ir_operand *sums, unsigned n, struct ir_operand *out);

/* mbarrier.c: that many bytes (I64) have come */
/* A note for the checker: at and number may be NULL. */
void lower_note(struct lower_ctx *c, enum note_kind kind, uint32_t constant, const struct lower_place *at, const struct ir_operand *number);
void lower_mbarrier_complete(struct lower_ctx *c, const struct lower_place *bar, struct ir_operand bytes);

/* sreg.c */
struct ir_operand lower_sreg(struct lower_ctx *c, const char *name);
enum ir_type lower_sreg_type(const char *name);
/* mem.c: where operand k points */
bool lower_find_place(struct lower_ctx *c, int k, struct lower_place *out);
bool lower_place_in(struct lower_ctx *c, int k, int space, struct lower_place *out);   /* of instructions with two spaces: enum ir_space */
bool lower_set_order(struct lower_ctx *c, struct ir_inst *i);               /* .volatile, .relaxed.gpu and the like of a load or store */
/* mem.c: the IR operation for a PTX one on this type; -1: PTX has no such combination. */
int lower_atom_of(enum ptx_mod op, enum ptx_type t);
enum ir_order lower_atom_order(struct lower_ctx *c);
enum ir_scope lower_scope(struct lower_ctx *c, enum ir_scope dflt);
/* mem.c: operand k, an address in shared memory, as an I32. */
bool lower_shared_address(struct lower_ctx *c, int k, struct ir_operand *out);

#endif
