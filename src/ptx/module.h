/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A parsed PTX module: what ptx/ makes and lower/ reads.
 * Lifetime  Everything lives in the module's arena and dies with ptx_module_free(); nothing points into the PTX text.
 * Threads   Written by ptx_parse() only, then constant.
 */
#ifndef PTX_MODULE_H
#define PTX_MODULE_H

#include "ptx/ptx.h"

enum ptx_type {
    PTX_NOTYPE,
#define TYPE(id, text, bits, kind) PTX_##id,
#include "ptx/types.def"
#undef TYPE
    PTX_TYPE_COUNT
};
enum ptx_kind {
    PTX_KIND_NONE, PTX_KIND_PRED, PTX_KIND_BITS, PTX_KIND_UNSIGNED, PTX_KIND_SIGNED, PTX_KIND_FLOAT, PTX_KIND_PACKED, PTX_KIND_OPAQUE
};
struct ptx_type_info {
    const char *text;
    uint16_t bits;
    uint8_t kind;
};
extern const struct ptx_type_info ptx_type_info[PTX_TYPE_COUNT];

enum ptx_space { PTX_SPACE_NONE, PTX_SPACE_REG, PTX_SPACE_GLOBAL, PTX_SPACE_CONST, PTX_SPACE_SHARED, PTX_SPACE_LOCAL, PTX_SPACE_PARAM };

/* Words after a dot, and groups of them: mods.def. */
enum ptx_mod {
    PTX_M_NONE,
#define MOD(id, text) PTX_M_##id,
#include "ptx/mods.def"
#undef MOD
    PTX_M_COUNT
};
enum ptx_class {
    PTX_C_NONE,
#define CLASS(id, name, ...) PTX_C_##id,
#include "ptx/mods.def"
#undef CLASS
    PTX_C_COUNT
};

enum ptx_form {
    PTX_FORM_NONE,
#define FORM(id, ...) PTX_##id,
#define FORM_TODO(id, ...) PTX_##id,
#include "ptx/forms.def"
#undef FORM
#undef FORM_TODO
    PTX_FORM_COUNT
};

/* Properties of a form. */
enum {
    PTX_PURE = 1,                /* no effect but its results: may be computed when its guard is false */
    PTX_WIDE = 2,                /* registers may be wider than the type (ld, st, cvt) */
    PTX_ANYKIND = 4,             /* only the size of a register matters, not integer or float */
    PTX_TERM = 8,                /* control does not go on to the next instruction */
    PTX_BRANCH = 16,             /* lower/ turns its guard into the condition of the branch */
    PTX_SELECT = 256,            /* operands may name a part of a register (a.b0), or be negated (-a) */
    PTX_EACH = 128,              /* registers in braces each have the type: fragments of matrices */
    PTX_TODO = 32,               /* parsed, never lowered */
    PTX_COORDS = 64,             /* an address may have coordinates: [handle, {x, y}] */
};
struct ptx_form_info {
    const char *op, *mods, *types, *operands;
    uint16_t props, version, sm;
    const char *name;            /* the row's id, for people */
};
extern const struct ptx_form_info ptx_form_info[PTX_FORM_COUNT];

struct ptx_reg {
    const char *name;
    enum ptx_type type;
    uint32_t id;                 /* dense within the function */
};

struct ptx_func;
struct ptx_var;

/* A piece of an initialiser that is an address. */
struct ptx_init_ref {
    uint64_t offset;
    const struct ptx_var *var;   /* one of var, func */
    const struct ptx_func *func;
    int64_t addend;
    uint8_t bytes;               /* how many bytes of the address are stored, from byte `shift / 8` of it (mask()) */
    uint8_t shift;
    bool generic;
};

struct ptx_var {
    const char *name;
    enum ptx_space space;
    enum ptx_type type;          /* of one element */
    uint8_t vec;                 /* 1, 2, 4 */
    uint64_t bytes, align;
    uint64_t offset;             /* kernel parameters: place in the parameter buffer */
    bool is_array, is_extern, is_visible, is_weak, is_common, is_managed;
    bool is_unsized;             /* name[]: as long as the launch says */
    uint8_t *init;               /* NULL for zeroes */
    uint64_t init_bytes;         /* of init; the rest of the variable is zero */
    HW_VEC(struct ptx_init_ref) refs;
    const struct ptx_func *func; /* declared inside this function, or NULL */
    uint32_t id;                 /* index in func->vars or module->vars */
    int line;
    const struct ptx_reg *reg;   /* a .reg parameter of a function: its register */
};

struct ptx_label {
    const char *name;
    uint32_t at;                 /* index of the instruction that follows */
    int line;
};

enum ptx_operand_kind {
    PTX_O_NONE,
    PTX_O_REG,                   /* reg; negated: !p */
    PTX_O_INT,                   /* imm */
    PTX_O_F32, PTX_O_F64,        /* imm: bits of a 0f or 0d literal */
    PTX_O_SREG,                  /* name, e.g. "%tid.x" */
    PTX_O_VAR,                   /* address of var + imm */
    PTX_O_FUNC,
    PTX_O_LABEL,
    PTX_O_ADDR,                  /* [elems[0] + imm]: elems[0] is REG, VAR, INT or FUNC */
    PTX_O_VEC,                   /* { elems } */
    PTX_O_LIST,                  /* ( elems ) */
    PTX_O_PAIR,                  /* elems[0] | elems[1] */
    PTX_O_SINK,                  /* _ */
    PTX_O_NAME,                  /* only inside the parser: a name not yet known */
};
struct ptx_operand {
    uint8_t kind;
    bool negated;                /* !p */
    bool minus;                  /* -a, in vmad */
    uint16_t n;                  /* of elems */
    uint16_t col;
    const char *sel;             /* "b0", "h10": the part of a register that a video instruction takes, or NULL */
    int64_t imm;
    union {
        const struct ptx_reg *reg;
        const struct ptx_var *var;
        const struct ptx_func *func;
        const struct ptx_label *label;
        const char *name;
        struct ptx_operand *elems;
    };
};

/* Code of a function that was inlined: its name, and the place of the call, which may be in inlined code itself. Lives in the module's arena. */
struct ptx_inlined {
    const char *function;        /* as the compiler names it; NULL: not known */
    uint32_t file, line;
    const struct ptx_inlined *outer;         /* NULL: the call is in the function that holds the instruction */
};

enum { PTX_MAX_MODS = 14, PTX_MAX_OPERANDS = 12 };
struct ptx_inst {
    uint16_t form;
    uint8_t n_mods, n_ops;
    uint8_t type, type2, type3;  /* enum ptx_type, in the order they are written */
    bool guard_negated;
    const struct ptx_reg *guard; /* NULL: none */
    uint16_t mods[PTX_MAX_MODS]; /* enum ptx_mod, in the order they are written */
    const char *text;            /* forms that are not supported: as written */
    struct ptx_operand *ops;     /* in the order of the row's operands; one left out is PTX_O_NONE */
    int line;
    uint32_t src_file, src_line; /* the .loc in force */
    const struct ptx_inlined *inlined;       /* NULL: not inlined, or nothing says so */
    uint32_t home_file, home_line;   /* the last one in the function's own file: what is inlined comes from other files; line 0: none */
};

struct ptx_func {
    const char *name;
    bool is_entry, is_visible, is_extern, is_weak, is_noreturn, has_body;
    HW_VEC(struct ptx_var *) params;         /* offsets are set for entries */
    HW_VEC(struct ptx_var *) rets;
    uint64_t param_bytes;
    HW_VEC(struct ptx_var *) vars;           /* every variable declared inside, parameters too */
    HW_VEC(struct ptx_reg *) regs;
    HW_VEC(struct ptx_inst) insts;
    HW_VEC(struct ptx_label *) labels;
    uint32_t maxntid[3], reqntid[3];
    uint32_t minnctapersm, maxnreg;
    int line;
    uint32_t id;                 /* index in module->funcs */
    struct ptx_func *replaces;   /* only inside the parser */
    bool is_shadow;              /* a declaration whose definition lives elsewhere in funcs: ignore */
};

struct ptx_file {
    uint32_t index;
    const char *name;
};

struct ptx_module {
    struct hw_arena arena;
    unsigned version;            /* 83 */
    unsigned sm;                 /* 80 */
    bool has_debug;
    HW_VEC(struct ptx_var *) vars;
    HW_VEC(struct ptx_func *) funcs;
    HW_VEC(struct ptx_file) files;
};

/* The modifier of this class that the instruction carries, or PTX_M_NONE. */
enum ptx_mod ptx_mod_of(const struct ptx_inst *inst, enum ptx_class class);
bool ptx_has(const struct ptx_inst *inst, enum ptx_mod mod);
const char *ptx_mod_text(enum ptx_mod mod);
/* "add.rn.f32": the instruction as it was written, for messages. */
void ptx_inst_text(const struct ptx_inst *inst, char *out, size_t bytes);

static inline unsigned ptx_type_bits(enum ptx_type t) { return ptx_type_info[t].bits; }
static inline bool ptx_type_is_float(enum ptx_type t) { return ptx_type_info[t].kind == PTX_KIND_FLOAT; }
static inline bool ptx_type_is_signed(enum ptx_type t) { return ptx_type_info[t].kind == PTX_KIND_SIGNED; }

#endif
