/* SPDX-License-Identifier: Apache-2.0 */
/* The HOSTWARP_* variables, read once: hw_options()->threads. The table is options.def. */
#ifndef HW_OPTIONS_H
#define HW_OPTIONS_H

#include "base/base.h"

typedef int64_t hw_opt_INT;
typedef uint64_t hw_opt_SIZE;
typedef const char *hw_opt_STR;
typedef bool hw_opt_FLAG;

struct hw_options {
#define OPT(kind, field, variable, dflt, help) hw_opt_##kind field;
#include "base/options.def"
#undef OPT
};

const struct hw_options *hw_options(void);

/* For `hostwarp info` and the manual: every row as text. */
struct hw_option_row {
    const char *variable, *kind, *dflt, *help;
};
extern const struct hw_option_row hw_option_rows[];
extern const size_t hw_n_option_rows;

/* "64M" -> 67108864; false when the text is no size. */
bool hw_parse_size(const char *text, uint64_t *out);

#endif
