/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the HOSTWARP_* variables. */
#include "base/options.h"

#include <pthread.h>
#include <stdio.h>

static struct hw_options options;
static pthread_once_t once = PTHREAD_ONCE_INIT;

const struct hw_option_row hw_option_rows[] = {
#define OPT(kind, field, variable, dflt, help) { variable, #kind, #dflt, help },
#include "base/options.def"
#undef OPT
};
const size_t hw_n_option_rows = HW_LEN(hw_option_rows);

bool hw_parse_size(const char *text, uint64_t *out)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || value < 0)
        return false;
    int shift = 0;
    switch (*end) {
    case 'k': case 'K': shift = 10; break;
    case 'm': case 'M': shift = 20; break;
    case 'g': case 'G': shift = 30; break;
    case 't': case 'T': shift = 40; break;
    case 0: break;
    default: return false;
    }
    if (shift)
        end++;
    if (*end == 'i')
        end++;
    if (*end == 'B' || *end == 'b')
        end++;
    if (*end || value >= 9e18 / (double)((uint64_t)1 << shift))
        return false;
    *out = (uint64_t)(value * (double)((uint64_t)1 << shift));
    return true;
}

static void complain(const char *variable, const char *text, const char *want)
{
    fprintf(stderr, "hostwarp: %s=%s is not %s; the default is used\n", variable, text, want);
}

static hw_opt_INT read_INT(const char *variable, const char *text, hw_opt_INT dflt)
{
    char *end;
    long long value = strtoll(text, &end, 0);
    if (end == text || *end) {
        complain(variable, text, "a whole number");
        return dflt;
    }
    return value;
}

static hw_opt_SIZE read_SIZE(const char *variable, const char *text, hw_opt_SIZE dflt)
{
    uint64_t value;
    if (hw_parse_size(text, &value))
        return value;
    complain(variable, text, "a size (such as 512M)");
    return dflt;
}

static hw_opt_STR read_STR(const char *variable, const char *text, hw_opt_STR dflt)
{
    (void)variable, (void)dflt;
    return hw_strdup(text);                     /* the program may change its environment later */
}

static hw_opt_FLAG read_FLAG(const char *variable, const char *text, hw_opt_FLAG dflt)
{
    if (strcmp(text, "0") == 0 || strcmp(text, "1") == 0)
        return text[0] == '1';
    complain(variable, text, "0 or 1");
    return dflt;
}

static void read_all(void)
{
    const char *text;
#define OPT(kind, field, variable, dflt, help) \
    text = getenv(variable);                   \
    options.field = text && *text ? read_##kind(variable, text, dflt) : (hw_opt_##kind)dflt;
#include "base/options.def"
#undef OPT
}

bool hw_option_set(const char *variable)
{
    const char *text = getenv(variable);
    return text && *text;
}

const struct hw_options *hw_options(void)
{
    pthread_once(&once, read_all);
    return &options;
}
