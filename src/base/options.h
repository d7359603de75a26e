/* SPDX-License-Identifier: Apache-2.0 */
/* The HOSTWARP_* variables, read once: hw_options()->threads. The table is options.def. Those of the driver that is stood in for: cuda_env.def. */
#ifndef HW_OPTIONS_H
#define HW_OPTIONS_H

#include "base/base.h"

typedef int64_t hw_opt_INT;
typedef uint64_t hw_opt_SIZE;
typedef const char *hw_opt_STR;
typedef bool hw_opt_FLAG;

struct hw_options {
#define OPT(kind, field, variable, dflt, help, ...) hw_opt_##kind field;
#include "base/options.def"
#undef OPT
};

const struct hw_options *hw_options(void);
bool hw_option_set(const char *variable);        /* is it in the environment, and not empty? */
/* Warns, once in a process, of values that are not understood and of HOSTWARP_* names that do not exist. For whoever is in charge: libcuda when it
   starts, and the command. */
void hw_options_check(void);
void hw_options_forget_wrong(void);              /* takes them out of the environment, for programs that are started next */
const char *hw_option_nearest(const char *name); /* the variable that was meant by a misspelt name, or NULL */

typedef bool hw_env_ONE;
typedef int64_t hw_env_NUMBER;
typedef const char *hw_env_TEXT;
typedef int hw_env_SCALE;

struct hw_cuda_env {
#define CUDA_VAR(kind, field, variable, values, meaning) hw_env_##kind field;
#define CUDA_VAR_IDLE(variable, why)
#include "base/cuda_env.def"
#undef CUDA_VAR
#undef CUDA_VAR_IDLE
};

const struct hw_cuda_env *hw_cuda_env(void);     /* read once, too */

/* For `hostwarp info` and the manual: every row as text. */
struct hw_option_row {
    const char *variable, *kind, *dflt, *help, *values;
};
extern const struct hw_option_row hw_option_rows[];
extern const size_t hw_n_option_rows;
struct hw_cuda_env_row {
    const char *variable, *meaning;
    bool idle;                   /* accepted, without effect */
};
extern const struct hw_cuda_env_row hw_cuda_env_rows[];
extern const size_t hw_n_cuda_env_rows;

/* "64M" -> 67108864; false when the text is no size. */
bool hw_parse_size(const char *text, uint64_t *out);

#endif
