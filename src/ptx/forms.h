/* SPDX-License-Identifier: Apache-2.0 */
/* Inside ptx/: the rows of forms.def and mods.def, made ready for matching. */
#ifndef PTX_FORMS_H
#define PTX_FORMS_H

#include "ptx/module.h"

enum ptx_item_kind { PTX_I_VALUE, PTX_I_ADDR, PTX_I_CONST, PTX_I_LABEL, PTX_I_FUNC, PTX_I_LIST, PTX_I_NAME };
enum { PTX_SEL_1 = 1, PTX_SEL_2, PTX_SEL_3, PTX_SEL_WIDE, PTX_SEL_TYPE = 16 /* + enum ptx_type */ };

/* One operand of a row. */
struct ptx_item {
    uint8_t kind;                /* enum ptx_item_kind */
    uint8_t type_sel;            /* PTX_SEL_* */
    bool optional, is_dst, negatable, vector;
    bool pair;                   /* the second of d|p: written in one operand with the one before */
};

struct ptx_word_set {
    uint64_t bits[(PTX_M_COUNT + 63) / 64];
};
struct ptx_modifier {
    struct ptx_word_set words;
    bool optional;
};

enum { PTX_MAX_ITEMS = 8 };
struct ptx_row {
    struct ptx_modifier mods[PTX_MAX_MODS];
    struct ptx_item items[PTX_MAX_ITEMS];
    uint64_t types[4];           /* bit sets of enum ptx_type; inst keeps the first three */
    uint8_t n_mods, n_items, n_types;
    bool any_mods, any_operands;
};
static_assert(PTX_TYPE_COUNT <= 64, "types are bits of a uint64_t");

/* The dotted words of an instruction. */
struct ptx_word {
    const char *text;
    size_t n;
    uint16_t mod;                /* enum ptx_mod, 0 when unknown */
    uint8_t type;                /* enum ptx_type, 0 when it is none */
};

const struct ptx_row *ptx_row(enum ptx_form form);
/* First and one past the last entry of ptx_rows_by_op with this mnemonic; both 0 when there is none. */
extern uint16_t ptx_rows_by_op[PTX_FORM_COUNT];
void ptx_find_op(const char *op, size_t n, unsigned *first, unsigned *last);
void ptx_find_word(const char *text, size_t n, struct ptx_word *out);
/* Fills the modifiers and types of inst. -1: they fit; else the index of the word that does not (n: one is missing). */
int ptx_match_words(enum ptx_form form, const struct ptx_word *words, unsigned n, struct ptx_inst *inst);
enum ptx_type ptx_item_type(const struct ptx_item *item, const struct ptx_inst *inst);

/* Builds the tables above; cheap after the first time, any thread. */
void ptx_forms_init(void);

#endif
