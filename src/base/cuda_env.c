/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the CUDA_* variables. The real driver says nothing about a value that it does not understand; nor is anything said here. */
#include "base/options.h"

#include <pthread.h>

static struct hw_cuda_env env;
static pthread_once_t once = PTHREAD_ONCE_INIT;

const struct hw_cuda_env_row hw_cuda_env_rows[] = {
#define CUDA_VAR(kind, field, variable, values, meaning) { variable, meaning, false },
#define CUDA_VAR_IDLE(variable, why) { variable, why, true },
#include "base/cuda_env.def"
#undef CUDA_VAR
#undef CUDA_VAR_IDLE
};
const size_t hw_n_cuda_env_rows = HW_LEN(hw_cuda_env_rows);

static hw_env_ONE read_ONE(const char *text)
{
    return text && strcmp(text, "1") == 0;
}

static hw_env_NUMBER read_NUMBER(const char *text)
{
    char *end;
    long long value = text ? strtoll(text, &end, 0) : -1;
    return text && (end == text || *end || value < 0) ? -1 : value;
}

static hw_env_TEXT read_TEXT(const char *text)
{
    return text ? hw_strdup(text) : NULL;        /* the program may change its environment later */
}

static hw_env_SCALE read_SCALE(const char *text)
{
    static const struct { const char *text; int percent; } known[] = { { "0.25x", 25 }, { "0.5x", 50 }, { "2x", 200 }, { "4x", 400 } };
    for (size_t i = 0; text && i < HW_LEN(known); i++)
        if (strcmp(text, known[i].text) == 0)
            return known[i].percent;
    return 100;
}

static void read_all(void)
{
#define CUDA_VAR(kind, field, variable, values, meaning) env.field = read_##kind(getenv(variable));
#define CUDA_VAR_IDLE(variable, why)
#include "base/cuda_env.def"
#undef CUDA_VAR
#undef CUDA_VAR_IDLE
}

const struct hw_cuda_env *hw_cuda_env(void)
{
    pthread_once(&once, read_all);
    return &env;
}
