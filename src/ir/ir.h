/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The IR between PTX and machine code: one thread's program, in virtual registers and basic blocks.
 *
 * Registers are typed by size and may be written many times (there are no phis). No instruction is guarded: lower/ turns
 * a guarded instruction into a select or a branch around it. Every block ends in exactly one TERM operation.
 * Everything lives in the module's arena.
 */
#ifndef IR_H
#define IR_H

#include "base/arena.h"
#include "base/diag.h"
#include "base/vec.h"

enum ir_type { IR_VOID, IR_PRED, IR_I8, IR_I16, IR_I32, IR_I64, IR_I128, IR_F16, IR_BF16, IR_F32, IR_F64, IR_TYPE_COUNT };

enum ir_op {
#define OP(id, text, n_dst, n_src, props) IR_##id,
#include "ir/ops.def"
#undef OP
    IR_OP_COUNT
};

enum ir_prop { IR_PROP_PURE = 1, IR_PROP_MEM = 2, IR_PROP_TERM = 4, IR_PROP_CONV = 8 };
struct ir_op_info {
    const char *text;
    int8_t n_dst, n_src;
    uint8_t props;
};
extern const struct ir_op_info ir_op_info[IR_OP_COUNT];

enum ir_rnd { IR_RN, IR_RZ, IR_RM, IR_RP, IR_RNA };
enum ir_flag {
    IR_FTZ = 1,                  /* subnormal inputs and results become zero of the same sign */
    IR_SAT = 2,                  /* result clamped to [0, 1], NaN gives +0 */
    IR_NANPROP = 4,              /* FMIN, FMAX: a NaN operand wins */
    IR_VOLATILE = 8,             /* memory: as C's volatile */
    IR_NONCOHERENT = 16,         /* LD: nobody writes this memory while the kernel runs (.nc, .const) */
    IR_XORSIGN = 32,             /* FMIN, FMAX: xorsign.abs */
    IR_OUTGOING = 64,            /* LD, ST in LOCAL: the address counts from the end of this function's own local memory: a callee's */
    IR_STREAM = 128,             /* ST: large results that nobody reads soon: past the caches (pass/transform/non_temporal.c) */
    IR_PLACE = 256,              /* AND, SHR_S: of a place in a shared variable, small and positive in lanes that are on (pass/transform/shared_transpose.c) */
    IR_CROSSES = 512,            /* LD, ST in SHARED: its lanes are never neighbours (pass/transform/shared_transpose.c) */
    IR_PRIVATE = 1024,           /* ATOM: may go to a thread's copy of the table whose number the next two bits are (pass/transform/private_red.c) */
    IR_PRIVATE_ONE = 2048, IR_PRIVATE_TWO = 4096,
};
enum ir_cmp {                    /* integers: EQ NE, S?? signed, U?? unsigned; floats: O?? ordered, U?? unordered (?? or NaN) */
    IR_EQ, IR_NE, IR_SLT, IR_SLE, IR_SGT, IR_SGE, IR_ULT, IR_ULE, IR_UGT, IR_UGE,
    IR_FEQ, IR_FNE, IR_FLT, IR_FLE, IR_FGT, IR_FGE, IR_FEQU, IR_FNEU, IR_FLTU, IR_FLEU, IR_FGTU, IR_FGEU, IR_FNUM, IR_FNAN
};
enum ir_space { IR_GENERIC, IR_GLOBAL, IR_SHARED, IR_LOCAL, IR_CONST, IR_PARAM_SPACE };
enum ir_order { IR_WEAK, IR_RELAXED, IR_ACQUIRE, IR_RELEASE, IR_ACQ_REL, IR_SEQ_CST };
enum ir_scope { IR_CTA, IR_CLUSTER, IR_GPU, IR_SYS };
enum ir_atom {
    IR_ATOM_ADD, IR_ATOM_EXCH, IR_ATOM_CAS, IR_ATOM_AND, IR_ATOM_OR, IR_ATOM_XOR, IR_ATOM_MIN_S, IR_ATOM_MIN_U,
    IR_ATOM_MAX_S, IR_ATOM_MAX_U, IR_ATOM_INC, IR_ATOM_DEC, IR_ATOM_FADD, IR_ATOM_FMIN, IR_ATOM_FMAX
};
enum ir_shfl { IR_SHFL_UP, IR_SHFL_DOWN, IR_SHFL_BFLY, IR_SHFL_IDX };
enum ir_vote { IR_VOTE_ALL, IR_VOTE_ANY, IR_VOTE_UNI, IR_VOTE_BALLOT };
enum ir_bar { IR_BAR_SYNC, IR_BAR_ARRIVE };
enum ir_barred { IR_BAR_POPC, IR_BAR_AND, IR_BAR_OR };       /* POPC: result I32; AND, OR: PRED */

enum ir_sreg {
#define SREG(id, text) IR_SREG_##id,
#include "ir/sregs.def"
#undef SREG
    IR_SREG_COUNT
};
extern const char *const ir_sreg_names[IR_SREG_COUNT];

enum ir_math {
#define MATH(id, name, ...) IR_MATH_##id,
#include "ir/math.def"
#undef MATH
    IR_MATH_COUNT
};
extern const char *const ir_math_names[IR_MATH_COUNT];           /* "expf" */

struct ir_reg {
    uint32_t id;                 /* dense within the function */
    enum ir_type type;           /* PRED, or an integer type by size: floats live in integer-typed registers too */
    const char *name;            /* PTX name, for people; may be NULL */
};

enum ir_operand_kind { IR_NONE, IR_REG, IR_IMM };
struct ir_operand {
    enum ir_operand_kind kind;
    uint32_t var;                /* IMM: 1 + the number of the shared variable whose address it is, or to which it leads; 0: a number. In instrumented plans also objects of local memory (pass/analysis/origin.h) */
    struct ir_reg *reg;
    uint64_t imm;                /* bit pattern; floats as their bits */
};

enum { IR_MAX_DST = 8, IR_MAX_SRC = 11 };

/* Code of a function that was inlined, by the compiler or by lower/: its name, and the place of the call. Chains lead outwards, to the kernel. */
struct ir_inlined {
    const char *function;        /* NULL: not known */
    uint32_t file, line;         /* line 0: not known */
    const struct ir_inlined *outer;
};

struct ir_block;
struct ir_inst {
    enum ir_op op;
    enum ir_type type, type2;
    uint8_t rnd, cmp, space, order, scope, atom;
    uint8_t n_dst, n_src;
    uint16_t flags;
    struct ir_reg *dst[IR_MAX_DST];
    struct ir_operand src[IR_MAX_SRC];
    int64_t imm;
    struct ir_block *target[2];  /* TERM only */
    uint32_t ptx_line;           /* line in the PTX text */
    uint32_t src_file, src_line; /* from .loc, 0 when absent */
    const struct ir_inlined *inlined;    /* NULL: the kernel's own code, or nothing says otherwise */
    uint32_t home_file, home_line;   /* the .loc before in the function's own file, for code that is inlined from a header */
};

struct ir_block {
    uint32_t id;                 /* index in func->blocks */
    const char *label;           /* may be NULL */
    HW_VEC(struct ir_inst *) insts;   /* the last one is the TERM */
};

struct ir_param {
    const char *name;
    uint32_t offset, bytes, align;
};

struct ir_variable {
    uint32_t offset, bytes;
};

enum { IR_USUAL_REGS = 32 };     /* registers that a kernel is said to take on a GPU, where .maxnreg does not say less */

struct ir_module;
struct ir_func {
    struct ir_module *module;
    const char *name;
    HW_VEC(struct ir_param) params;
    uint32_t param_bytes;
    HW_VEC(struct ir_reg *) regs;
    HW_VEC(struct ir_block *) blocks;           /* blocks.v[0] is the entry */
    uint32_t shared_bytes;                      /* static shared memory */
    HW_VEC(struct ir_variable) shared;          /* what lies there */
    uint32_t local_bytes;                       /* per thread */
    HW_VEC(struct ir_variable) locals;          /* variables of PTX there; of functions that are inlined at different places, some share theirs */
    uint32_t maxntid[3], reqntid[3];            /* 0 when not given */
    uint32_t minnctapersm, maxnreg;
    bool uses_dynamic_shared;
    uint32_t ptx_line;
    /* Functions that are called, not inlined: those that call themselves or are called through pointers. A callee's local
       memory begins where its caller's ends, with its results and parameters first. */
    HW_VEC(struct ir_func *) callees;           /* of a kernel */
    uint64_t address;                           /* of a callee: what a pointer to it holds */
};

/* A .global or .const variable of the module. */
struct ir_reloc {                /* at offset: the address of another variable (+ addend) */
    uint64_t offset;
    int var;                     /* index into vars */
    int64_t addend;
    bool generic;                /* PTX generic(x); same thing in one address space */
};
struct ir_var {
    const char *name;
    enum ir_space space;         /* IR_GLOBAL or IR_CONST */
    uint64_t bytes, align;
    void *init;                  /* the first init_bytes, or NULL; zeroes behind it */
    uint64_t init_bytes;
    HW_VEC(struct ir_reloc) relocs;
    bool visible, external, managed, weak;
    bool texture, surface;       /* a reference: 8 bytes for the handle that the driver puts there */
};

struct ir_module {
    struct hw_arena arena;
    HW_VEC(struct ir_func *) funcs;             /* kernels; functions are inlined by lower/, or in their kernel's callees */
    HW_VEC(struct ir_var *) vars;
    HW_VEC(const char *) files;                 /* .file table, by index */
    unsigned ptx_version, sm;                   /* 83, 80 */
    bool has_debug;
    const char *ptx;                            /* the text it was made of, kept while kernels are dumped (HOSTWARP_DUMP); else NULL */
};

/* build.c: making IR */
struct ir_module *ir_module_new(void);
void ir_module_free(struct ir_module *m);
struct ir_func *ir_func_new(struct ir_module *m, const char *name);
struct ir_func *ir_callee_new(struct ir_func *kernel, const char *name, uint64_t address);
struct ir_reg *ir_reg_new(struct ir_func *f, enum ir_type type, const char *name);
struct ir_block *ir_block_new(struct ir_func *f, const char *label);
struct ir_inst *ir_inst_new(struct ir_func *f, enum ir_op op, enum ir_type type);   /* n_dst, n_src are 0: add with these: */
struct ir_inst *ir_inst_for(struct ir_func *f, enum ir_op op, enum ir_type type, const struct ir_inst *from);     /* a part of what another one does: with its places in the sources */
void ir_inst_dst(struct ir_inst *i, struct ir_reg *reg);
void ir_inst_src(struct ir_inst *i, struct ir_operand o);
void ir_block_add(struct ir_block *b, struct ir_inst *i);
void ir_block_insert(struct ir_block *b, size_t at, struct ir_inst *i);     /* before the one that is there */
struct ir_inst *ir_block_term(const struct ir_block *b);        /* NULL while unfinished */
bool ir_defines(const struct ir_inst *i, const struct ir_reg *r);
static inline struct ir_operand ir_reg_operand(struct ir_reg *r) { return (struct ir_operand){ .kind = IR_REG, .reg = r }; }
static inline struct ir_operand ir_imm_operand(uint64_t bits) { return (struct ir_operand){ .kind = IR_IMM, .imm = bits }; }
unsigned ir_type_bits(enum ir_type t);                           /* PRED: 1 */
bool ir_type_is_float(enum ir_type t);
enum ir_type ir_type_of_bits(unsigned bits);                     /* the integer type */
const char *ir_type_name(enum ir_type t);

/* print.c, parse.c, verify.c */
struct hw_str;
struct ir_module *ir_parse(const char *text, size_t n, struct diag *diag);       /* what was printed, and verified; NULL: said in diag */
void ir_print_func(struct hw_str *out, const struct ir_func *f);
void ir_print_code(struct hw_str *out, const struct ir_func *f);         /* without the lines of the source: the same text is the same code */
void ir_print_inst(struct hw_str *out, const struct ir_inst *i);
bool ir_verify(const struct ir_func *f, struct diag *diag);      /* false: our own bug, said in diag */

#endif
