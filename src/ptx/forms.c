/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the rows of forms.def once and answers which of them an instruction may be. */
#include "ptx/forms.h"

#include <pthread.h>
#include <stdio.h>

#define PURE PTX_PURE
#define WIDE PTX_WIDE
#define ANYKIND PTX_ANYKIND
#define COORDS PTX_COORDS
#define TERM PTX_TERM
#define BRANCH PTX_BRANCH
#define EACH PTX_EACH
#define SELECT PTX_SELECT
const struct ptx_form_info ptx_form_info[PTX_FORM_COUNT] = {
#define FORM(id, op, mods, types, operands, props, version, sm) [PTX_##id] = { op, mods, types, operands, props, version, sm, #id },
#define FORM_TODO(id, op, mods, types, operands, props, version, sm) \
    [PTX_##id] = { op, mods, types, operands, (props) | PTX_TODO, version, sm, #id },
#include "ptx/forms.def"
#undef FORM
#undef FORM_TODO
};
#undef PURE
#undef WIDE
#undef ANYKIND
#undef COORDS
#undef TERM
#undef BRANCH
#undef EACH
#undef SELECT

const struct ptx_type_info ptx_type_info[PTX_TYPE_COUNT] = {
    [PTX_NOTYPE] = { "", 0, PTX_KIND_NONE },
#define TYPE(id, text, bits, kind) [PTX_##id] = { text, bits, PTX_KIND_##kind },
#include "ptx/types.def"
#undef TYPE
};

static const char *const mod_text[PTX_M_COUNT] = {
    [PTX_M_NONE] = "",
#define MOD(id, text) [PTX_M_##id] = text,
#include "ptx/mods.def"
#undef MOD
};

enum { CLASS_WORDS = 20 };
static const struct {
    const char *name;
    uint16_t words[CLASS_WORDS];
} classes[PTX_C_COUNT] = {
#define CLASS(id, name, ...) [PTX_C_##id] = { name, { __VA_ARGS__ } },
#include "ptx/mods.def"
#undef CLASS
};

static struct ptx_row rows[PTX_FORM_COUNT];
static struct ptx_word_set class_sets[PTX_C_COUNT];
uint16_t ptx_rows_by_op[PTX_FORM_COUNT];

/* One small open-addressing table each for mnemonics and for words; built once, then constant. */
enum { TABLE = 1024 };
struct entry {
    const char *text;
    uint16_t n, a, b;            /* mnemonics: range of rows; words: modifier and type */
};
static struct entry op_table[TABLE], word_table[TABLE];
static_assert((int)PTX_M_COUNT + PTX_TYPE_COUNT < TABLE / 2 && (int)PTX_FORM_COUNT < TABLE / 2, "the tables stay sparse");

static struct entry *lookup(struct entry *table, const char *text, size_t n)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)text[i]) * 16777619u;
    for (uint32_t i = (h ^ h >> 15) % TABLE;; i = (i + 1) % TABLE)
        if (!table[i].text || (table[i].n == n && memcmp(table[i].text, text, n) == 0))
            return &table[i];
}

static struct entry *insert(struct entry *table, const char *text)
{
    struct entry *e = lookup(table, text, strlen(text));
    e->text = text;
    e->n = (uint16_t)strlen(text);
    return e;
}

static void set_add(struct ptx_word_set *set, unsigned mod)
{
    set->bits[mod / 64] |= (uint64_t)1 << mod % 64;
}

static bool set_has(const struct ptx_word_set *set, unsigned mod)
{
    return set->bits[mod / 64] >> mod % 64 & 1;
}

static void set_of_name(const char *name, size_t n, struct ptx_word_set *out)
{
    for (int c = 1; c < PTX_C_COUNT; c++)
        if (strlen(classes[c].name) == n && memcmp(classes[c].name, name, n) == 0) {
            *out = class_sets[c];
            return;
        }
    struct entry *e = lookup(word_table, name, n);
    assert(e->text && e->a && "forms.def names a modifier that mods.def does not have");
    set_add(out, e->a);
}

/* "{.rnd}{.ftz}.sat" */
static void read_mods(struct ptx_row *row, const char *s)
{
    if (strcmp(s, "...") == 0) {
        row->any_mods = true;
        return;
    }
    while (*s) {
        struct ptx_modifier *m = &row->mods[row->n_mods++];
        assert(row->n_mods <= PTX_MAX_MODS);
        m->optional = *s == '{';
        s += m->optional ? 2 : 1;
        size_t n = strcspn(s, ".{}");
        set_of_name(s, n, &m->words);
        s += n + (m->optional ? 1 : 0);
    }
}

/* "u32|s32/f32" */
static void read_types(struct ptx_row *row, const char *s)
{
    while (*s) {
        size_t n = strcspn(s, "|/");
        struct entry *e = lookup(word_table, s, n);
        assert(e->text && e->b && row->n_types < 4);
        row->types[row->n_types] |= (uint64_t)1 << e->b;
        s += n;
        if (*s != '|')
            row->n_types++;
        if (*s)
            s++;
    }
}

static uint8_t read_type_sel(const char **s)
{
    size_t n = strcspn(*s, ",{}| ");
    const char *text = *s;
    *s += n;
    if (n == 1 && *text >= '1' && *text <= '3')
        return (uint8_t)(PTX_SEL_1 + *text - '1');
    if (n == 1 && *text == 'w')
        return PTX_SEL_WIDE;
    struct entry *e = lookup(word_table, text, n);
    assert(e->text && e->b && "forms.def names a type that types.def does not have");
    return (uint8_t)(PTX_SEL_TYPE + e->b);
}

/* "d{|p:pred}, a, !c:pred{, b}" and "{(d), }F{, (a)}": punctuation only steers, letters make items. */
static void read_operands(struct ptx_row *row, const char *s)
{
    bool optional = false;
    if (strcmp(s, "...") == 0) {
        row->any_operands = true;
        return;
    }
    while (*s) {
        bool pair = false, negatable = false, list = false, addr = false;
        for (;; s++) {
            if (*s == '{' || *s == '}') optional = *s == '{';
            else if (*s == '|') pair = true;
            else if (*s == '!') negatable = true;
            else if (*s == '(') list = true;
            else if (*s == '[') addr = true;
            else if (*s != ',' && *s != ' ' && *s != ')' && *s != ']') break;
        }
        if (!*s)
            break;
        struct ptx_item *it = &row->items[row->n_items++];
        assert(row->n_items <= PTX_MAX_ITEMS);
        *it = (struct ptx_item){ .kind = PTX_I_VALUE, .type_sel = PTX_SEL_1, .optional = optional, .negatable = negatable, .pair = pair };
        it->is_dst = *s == 'd' || pair;
        it->kind = list ? PTX_I_LIST : addr ? PTX_I_ADDR : *s == 'i' ? PTX_I_CONST : *s == 'L' ? PTX_I_LABEL : *s == 'F' ? PTX_I_FUNC
                   : *s == 'P' ? PTX_I_NAME : PTX_I_VALUE;
        s++;
        if (*s == '*') {
            it->vector = true;
            s++;
        }
        if (*s == ':') {
            s++;
            it->type_sel = read_type_sel(&s);
        }
    }
}

static void build(void)
{
    for (unsigned m = 1; m < PTX_M_COUNT; m++)
        insert(word_table, mod_text[m])->a = (uint16_t)m;
    for (unsigned t = 1; t < PTX_TYPE_COUNT; t++)
        insert(word_table, ptx_type_info[t].text)->b = (uint16_t)t;
    for (unsigned c = 1; c < PTX_C_COUNT; c++)
        for (int k = 0; k < CLASS_WORDS && classes[c].words[k]; k++)
            set_add(&class_sets[c], classes[c].words[k]);
    for (unsigned f = 1; f < PTX_FORM_COUNT; f++) {
        read_mods(&rows[f], ptx_form_info[f].mods);
        read_types(&rows[f], ptx_form_info[f].types);
        read_operands(&rows[f], ptx_form_info[f].operands);
    }
    /* Rows of one mnemonic side by side, in the order of the file. */
    unsigned n = 0;
    for (unsigned f = 1; f < PTX_FORM_COUNT; f++) {
        if (lookup(op_table, ptx_form_info[f].op, strlen(ptx_form_info[f].op))->text)
            continue;
        struct entry *e = insert(op_table, ptx_form_info[f].op);
        e->a = (uint16_t)n;
        for (unsigned g = f; g < PTX_FORM_COUNT; g++)
            if (strcmp(ptx_form_info[g].op, ptx_form_info[f].op) == 0)
                ptx_rows_by_op[n++] = (uint16_t)g;
        e->b = (uint16_t)n;
    }
}

void ptx_forms_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build);
}

const struct ptx_row *ptx_row(enum ptx_form form)
{
    return &rows[form];
}

void ptx_find_op(const char *op, size_t n, unsigned *first, unsigned *last)
{
    struct entry *e = lookup(op_table, op, n);
    *first = e->text ? e->a : 0;
    *last = e->text ? e->b : 0;
}

void ptx_find_word(const char *text, size_t n, struct ptx_word *out)
{
    struct entry *e = lookup(word_table, text, n);
    *out = (struct ptx_word){ text, n, e->text ? e->a : 0, e->text ? (uint8_t)e->b : 0 };
}

int ptx_match_words(enum ptx_form form, const struct ptx_word *words, unsigned n, struct ptx_inst *inst)
{
    const struct ptx_row *row = &rows[form];
    uint8_t types[4] = { 0 };
    unsigned n_types = 0, used = 0;
    inst->n_mods = 0;
    for (unsigned w = 0; w < n; w++) {
        unsigned m = 0;
        if (words[w].type && n_types < row->n_types && (row->types[n_types] >> words[w].type & 1)) {
            types[n_types++] = words[w].type;
            continue;
        }
        while (m < row->n_mods && ((used >> m & 1) || !words[w].mod || !set_has(&row->mods[m].words, words[w].mod)))
            m++;
        if (m == row->n_mods && !row->any_mods)
            return (int)w;
        used |= 1u << m;
        if (words[w].mod && inst->n_mods < PTX_MAX_MODS)
            inst->mods[inst->n_mods++] = words[w].mod;
    }
    for (unsigned m = 0; m < row->n_mods; m++)
        if (!row->mods[m].optional && !(used >> m & 1))
            return (int)n;
    inst->type = types[0];
    inst->type2 = types[1];
    inst->type3 = types[2];
    return n_types == row->n_types ? -1 : (int)n;
}

static enum ptx_type widened(enum ptx_type t)
{
    switch (t) {
    case PTX_U16: return PTX_U32;
    case PTX_S16: return PTX_S32;
    case PTX_U32: return PTX_U64;
    case PTX_S32: return PTX_S64;
    default: return PTX_NOTYPE;
    }
}

enum ptx_type ptx_item_type(const struct ptx_item *item, const struct ptx_inst *inst)
{
    switch (item->type_sel) {
    case PTX_SEL_1: return inst->type;
    case PTX_SEL_2: return inst->type2;
    case PTX_SEL_3: return inst->type3;
    case PTX_SEL_WIDE: return widened(inst->type);
    default: return (enum ptx_type)(item->type_sel - PTX_SEL_TYPE);
    }
}

enum ptx_mod ptx_mod_of(const struct ptx_inst *inst, enum ptx_class class)
{
    for (unsigned m = 0; m < inst->n_mods; m++)
        if (set_has(&class_sets[class], inst->mods[m]))
            return inst->mods[m];
    return PTX_M_NONE;
}

bool ptx_has(const struct ptx_inst *inst, enum ptx_mod mod)
{
    for (unsigned m = 0; m < inst->n_mods; m++)
        if (inst->mods[m] == mod)
            return true;
    return false;
}

const char *ptx_mod_text(enum ptx_mod mod)
{
    return mod_text[mod];
}

void ptx_inst_text(const struct ptx_inst *inst, char *out, size_t bytes)
{
    size_t n = (size_t)snprintf(out, bytes, "%s", inst->text ? inst->text : ptx_form_info[inst->form].op);
    if (inst->text)
        return;
    const uint8_t types[] = { inst->type, inst->type2, inst->type3 };
    for (unsigned m = 0; m < inst->n_mods && n < bytes; m++)
        n += (size_t)snprintf(out + n, bytes - n, ".%s", mod_text[inst->mods[m]]);
    for (unsigned t = 0; t < 3 && n < bytes; t++)
        if (types[t])
            n += (size_t)snprintf(out + n, bytes - n, ".%s", ptx_type_info[types[t]].text);
}
