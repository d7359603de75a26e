/* SPDX-License-Identifier: Apache-2.0 */
/* The words of IR text. */
#include "ir/names.h"

static const char *const type_words[] = { "void", "pred", "i8", "i16", "i32", "i64", "i128", "f16", "bf16", "f32", "f64" };
static const char *const rnd_words[] = { "rn", "rz", "rm", "rp", "rna" };
static const char *const cmp_words[] = {
    "eq",  "ne",  "slt", "sle", "sgt", "sge", "ult",  "ule",  "ugt",  "uge",  "feq",  "fne",
    "flt", "fle", "fgt", "fge", "fequ", "fneu", "fltu", "fleu", "fgtu", "fgeu", "fnum", "fnan",
};
static const char *const space_words[] = { "generic", "global", "shared", "local", "const", "param" };
static const char *const order_words[] = { "weak", "relaxed", "acquire", "release", "acq_rel", "seq_cst" };
static const char *const scope_words[] = { "cta", "cluster", "gpu", "sys" };
static const char *const atom_words[] = {
    "add", "exch", "cas", "and", "or", "xor", "min.s", "min.u", "max.s", "max.u", "inc", "dec", "fadd", "fmin", "fmax",
};
static const char *const flag_words[] = { "ftz", "sat", "nanprop", "volatile", "nc", "xorsign", "outgoing", "stream", "place", "crosses", "private", "plus1", "plus2" };
static const char *const shfl_words[] = { "up", "down", "bfly", "idx" };
static const char *const vote_words[] = { "all", "any", "uni", "ballot" };
static const char *const bar_words[] = { "sync", "arrive" };
static const char *const barred_words[] = { "popc", "and", "or" };
static_assert(HW_LEN(type_words) == IR_TYPE_COUNT && HW_LEN(cmp_words) == IR_FNAN + 1 && HW_LEN(atom_words) == IR_ATOM_FMAX + 1 &&
              HW_LEN(order_words) == IR_SEQ_CST + 1 && HW_LEN(space_words) == IR_PARAM_SPACE + 1, "names follow the enums in ir.h");

#define NAMES(id) const struct ir_names ir_##id##_names = { id##_words, HW_LEN(id##_words) }
NAMES(type);
NAMES(rnd);
NAMES(cmp);
NAMES(space);
NAMES(order);
NAMES(scope);
NAMES(atom);
NAMES(flag);
NAMES(shfl);
NAMES(vote);
NAMES(bar);
NAMES(barred);

const char *ir_name(const struct ir_names *names, int64_t i)
{
    return i >= 0 && i < (int64_t)names->n ? names->v[i] : "?";
}

int ir_name_at(const struct ir_names *names, const char *text, size_t n)
{
    int best = -1;
    size_t longest = 0;
    for (unsigned i = 0; i < names->n; i++) {
        size_t m = strlen(names->v[i]);
        if (m > longest && m <= n && memcmp(text, names->v[i], m) == 0 && (m == n || text[m] == '.' || text[m] == ' ')) {
            best = (int)i;
            longest = m;
        }
    }
    return best;
}
