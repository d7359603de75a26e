/* SPDX-License-Identifier: Apache-2.0 */
/* Inside ptx/: the state of one parse, shared by the files of the parser. */
#ifndef PTX_PARSE_H
#define PTX_PARSE_H

#include "base/hash.h"
#include "base/str.h"
#include "ptx/lex.h"
#include "ptx/module.h"

/* ---- scope.c: names ---- */
enum ptx_symbol_kind { PTX_S_REG, PTX_S_RANGE, PTX_S_VAR, PTX_S_FUNC, PTX_S_LABEL, PTX_S_OTHER };

/* .reg .b32 %r<10>: the registers are made when they are first used. */
struct ptx_range {
    const char *prefix;
    enum ptx_type type;
    uint64_t count;
    HW_VEC(struct ptx_reg *) regs;
};

struct ptx_symbol {
    const char *name;
    uint32_t n, hash;
    uint16_t depth;              /* 0: module, 1: function, more: nested { } */
    uint8_t kind;                /* enum ptx_symbol_kind */
    struct ptx_symbol *next;     /* in the bucket: inner declarations come first */
    struct ptx_symbol *older;    /* in the list of all, newest first */
    union {
        struct ptx_reg *reg;
        struct ptx_range *range;
        struct ptx_var *var;
        struct ptx_func *func;
        struct ptx_label *label;
        void *p;
    };
};

struct ptx_scopes {
    struct ptx_symbol **buckets;
    size_t n_buckets, n_symbols;
    struct ptx_symbol *newest;
    unsigned depth;
};

/* A use of a label that was not defined yet. */
struct ptx_label_use {
    struct ptx_operand *operand;
    const char *name;
    unsigned depth;
    int line, col;
};

/* An inlined function whose name is a label of .debug_str, plus bytes. */
struct ptx_inlined_name {
    struct ptx_inlined *of;
    const char *label;
    uint64_t offset;
};

struct ptx_parser {
    struct ptx_lexer lx;
    struct ptx_token tok;
    struct diag *diag;
    struct ptx_module *module;
    struct ptx_func *func;       /* NULL at module level */
    struct ptx_scopes scopes;
    HW_VEC(struct ptx_label_use) label_uses;
    HW_VEC(struct ptx_range *) ranges;
    uint32_t loc_file, loc_line;
    const struct ptx_inlined *loc_inlined;
    struct hw_map locs;          /* of the function: (file, line, column) -> struct ptx_inlined of the last .loc there; NULL: the function's own code */
    HW_VEC(struct ptx_inlined_name) inlined_names;
    struct hw_map string_labels; /* of .debug_str: label -> its offset + 1 */
    struct hw_str strings;
    int nesting;                 /* of expressions and operands: bounds recursion */
    uint64_t n_regs;
    uint64_t n_semicolons;       /* passed so far: tells whether a failed statement was read to its end */
    bool selectors;              /* operands may be parts of registers */
    bool lists;                  /* '(' starts a list of operands, not a constant */
    bool bad_version;
};

void ptx_scopes_fini(struct ptx_scopes *s);
struct ptx_symbol *ptx_symbol_find(const struct ptx_scopes *s, const char *name, size_t n);
/* NULL when the name is already declared in this very scope. */
struct ptx_symbol *ptx_symbol_add(struct ptx_parser *p, const char *name, size_t n, enum ptx_symbol_kind kind, void *value);
void ptx_scope_open(struct ptx_parser *p);
void ptx_scope_close(struct ptx_parser *p);
struct ptx_reg *ptx_reg_make(struct ptx_parser *p, const char *name, size_t n, enum ptx_type type);
/* A register by name, from a declaration of its own or from a range. NULL: there is none. */
struct ptx_reg *ptx_reg_find(struct ptx_parser *p, const char *name, size_t n);

/* ---- token.c: walking over tokens ---- */
void ptx_advance(struct ptx_parser *p);
bool ptx_error(struct ptx_parser *p, const char *fmt, ...) HW_PRINTF(2, 3);            /* at the current token; returns false */
bool ptx_error_at(struct ptx_parser *p, int line, int col, const char *fmt, ...) HW_PRINTF(4, 5);
static inline bool ptx_is_punct(const struct ptx_parser *p, int ch) { return p->tok.kind == PTX_T_PUNCT && p->tok.value == (uint64_t)ch; }
bool ptx_is_dot(const struct ptx_parser *p, const char *word);
bool ptx_accept(struct ptx_parser *p, int ch);
bool ptx_accept_dot(struct ptx_parser *p, const char *word);
bool ptx_expect(struct ptx_parser *p, int ch);
bool ptx_expect_name(struct ptx_parser *p, const char *what, struct ptx_token *out);
enum ptx_type ptx_token_type(const struct ptx_parser *p);                              /* PTX_NOTYPE: not a type */
void ptx_skip_statement(struct ptx_parser *p);                                          /* past the next ';', or up to a '}' */

/* ---- expr.c: constants ---- */
struct ptx_const {
    uint8_t kind;                /* PTX_O_INT, PTX_O_F32 or PTX_O_F64 */
    bool is_unsigned;
    uint64_t bits;
};
bool ptx_parse_const(struct ptx_parser *p, struct ptx_const *out);
bool ptx_parse_uint(struct ptx_parser *p, const char *what, uint64_t max, uint64_t *out);
/* The constant as a value of type t. */
bool ptx_const_bits(const struct ptx_const *c, enum ptx_type t, uint64_t *out);

/* ---- decl.c: variables, parameters, registers ---- */
struct ptx_linkage {
    bool is_visible, is_extern, is_weak, is_common;
};
bool ptx_parse_regs(struct ptx_parser *p);
bool ptx_parse_var(struct ptx_parser *p, enum ptx_space space, const struct ptx_linkage *link);
bool ptx_parse_params(struct ptx_parser *p, struct ptx_func *f, bool rets);
enum ptx_space ptx_space_of_word(const struct ptx_parser *p);

/* ---- init.c: initialisers ---- */
bool ptx_parse_init(struct ptx_parser *p, struct ptx_var *v, uint64_t *dims, int n_dims, bool first_open);

/* ---- inst.c: instructions ---- */
bool ptx_parse_inst(struct ptx_parser *p, const struct ptx_token *op);
bool ptx_parse_targets(struct ptx_parser *p, struct ptx_operand *out);                  /* the labels after .branchtargets, and the ; */
bool ptx_resolve_labels(struct ptx_parser *p);                                          /* of the scope about to be closed */

/* ---- lines.c: places in the source ---- */
bool ptx_parse_file(struct ptx_parser *p);
bool ptx_parse_loc(struct ptx_parser *p);
bool ptx_parse_section(struct ptx_parser *p);
void ptx_lines_begin(struct ptx_parser *p);                                             /* a function begins, or is over */
void ptx_lines_end(struct ptx_parser *p);                                               /* all is read: names are found */
void ptx_lines_fini(struct ptx_parser *p);

/* ---- verify.c ---- */
bool ptx_check_operands(struct ptx_parser *p, struct ptx_inst *inst);
bool ptx_check_target(struct ptx_parser *p, unsigned version, unsigned sm, int line);
enum ptx_type ptx_sreg_type(const char *name);                                          /* PTX_NOTYPE: no such register */

#endif
