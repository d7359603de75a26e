/* SPDX-License-Identifier: Apache-2.0 */
/* Reading the HOSTWARP_* variables, and saying what is wrong with them. */
#define _GNU_SOURCE
#include "base/options.h"

#include "base/nearest.h"
#include "base/log.h"
#include "base/str.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static struct hw_options options;
static pthread_once_t once = PTHREAD_ONCE_INIT;

const struct hw_option_row hw_option_rows[] = {
#define OPT(kind, field, variable, dflt, help, ...) { variable, #kind, #dflt, help, "" __VA_ARGS__ },
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

/* --- values --- */

/* Is the word that ends at `end` one of "a|b|c"? */
static bool is_one_of(const char *word, size_t n, const char *values)
{
    for (const char *at = values; *at; at += strcspn(at, "|"), at += *at == '|')
        if (strcspn(at, "|") == n && strncmp(at, word, n) == 0)
            return true;
    return false;
}

static bool number_is_in(long long value, const char *values)
{
    long long first, last;
    if (!*values)
        return true;
    if (sscanf(values, "%lld..%lld", &first, &last) == 2)
        return value >= first && value <= last;
    char digits[32];
    snprintf(digits, sizeof digits, "%lld", value);
    return is_one_of(digits, strlen(digits), values);
}

static bool read_INT(const char *text, const char *values, hw_opt_INT *out)
{
    char *end;
    long long value = strtoll(text, &end, 0);
    if (end == text || *end || !number_is_in(value, values))
        return false;
    *out = value;
    return true;
}

static bool read_SIZE(const char *text, const char *values, hw_opt_SIZE *out)
{
    (void)values;
    return hw_parse_size(text, out);
}

static bool read_STR(const char *text, const char *values, hw_opt_STR *out)
{
    bool list = *values == ',';
    const char *at = text;
    do {
        size_t n = list ? strcspn(at, ",") : strlen(at);
        if (*values && !is_one_of(at, n, values + list))
            return false;
        at += n;
    } while (*at++ == ',');
    *out = hw_strdup(text);                     /* the program may change its environment later */
    return true;
}

static bool read_FLAG(const char *text, const char *values, hw_opt_FLAG *out)
{
    (void)values;
    *out = strcmp(text, "1") == 0;
    return *out || strcmp(text, "0") == 0;
}

/* Whoever reads first may be a thread of the program in any library of ours: nothing is said here, but in hw_options_check(). */
static bool wrong[HW_LEN(hw_option_rows)];

static void read_all(void)
{
    const char *text;
    size_t i = 0;
#define OPT(kind, field, variable, dflt, help, ...)                                                  \
    options.field = (hw_opt_##kind)dflt;                                                             \
    if ((text = getenv(variable)) && *text && !read_##kind(text, "" __VA_ARGS__, &options.field)) {  \
        options.field = (hw_opt_##kind)dflt;                                                         \
        wrong[i] = true;                                                                             \
    }                                                                                                \
    i++;
#include "base/options.def"
#undef OPT
}

/* --- what is wrong --- */

const char *hw_option_nearest(const char *name)
{
    const char *found = NULL;
    unsigned best = 4;                           /* further away it is another word */
    for (size_t i = 0; i < hw_n_option_rows; i++) {
        const char *tail = strchr(hw_option_rows[i].variable, '_'), *own = strchr(name, '_');
        unsigned d = hw_word_distance(own ? own : name, tail);
        if (d < best && 2 * d < strlen(tail))
            best = d, found = hw_option_rows[i].variable;
    }
    return found;
}

/* "a whole number from 0 to 4096", "1 or 2", "auto, strict or off": what a row takes. */
static void describe_values(const struct hw_option_row *row, struct hw_str *out)
{
    long long first, last;
    const char *at = row->values;
    if (sscanf(at, "%lld..%lld", &first, &last) == 2) {
        hw_str_printf(out, "a whole number from %lld to %lld", first, last);
    } else if (*at) {
        if (*at == ',')
            hw_str_puts(out, "a list, with commas, of "), at++;
        while (*at) {
            size_t n = strcspn(at, "|");
            const char *next = at + n + (at[n] == '|');
            hw_str_printf(out, "%.*s%s", (int)n, at, !*next ? "" : strchr(next, '|') ? ", " : " or ");
            at = next;
        }
    } else {
        hw_str_puts(out, strcmp(row->kind, "SIZE") == 0 ? "a size, such as 512M" : strcmp(row->kind, "FLAG") == 0 ? "0 or 1" : "a whole number");
    }
}

static void complain_value(const struct hw_option_row *row)
{
    struct hw_str want = { 0 };
    describe_values(row, &want);
    const char *dflt = strcmp(row->dflt, "\"\"") == 0 ? "nothing" : row->dflt;
    hw_warn("%s=%s is not %s; the default (%.*s) is used", row->variable, getenv(row->variable), want.s,
            (int)(strlen(dflt) - 2 * (*dflt == '"')), dflt + (*dflt == '"'));
    hw_str_fini(&want);
}

/* Is an entry of the environment one of ours that does not exist? */
static bool is_unknown(const char *entry, char name[64])
{
    if (strncmp(entry, "HOSTWARP_", 9) != 0)
        return false;
    snprintf(name, 64, "%.*s", (int)strcspn(entry, "="), entry);
    for (size_t i = 0; i < hw_n_option_rows; i++)
        if (strcmp(name, hw_option_rows[i].variable) == 0)
            return false;
    return true;
}

static void complain_name(const char *name)
{
    const char *near = hw_option_nearest(name);
    if (near)
        hw_warn("there is no variable %s, it changes nothing; did you mean %s?", name, near);
    else
        hw_warn("there is no variable %s, it changes nothing; `hostwarp info` lists them", name);
}

static void check_all(void)
{
    hw_options();
    for (size_t i = 0; i < hw_n_option_rows; i++)
        if (wrong[i] && getenv(hw_option_rows[i].variable))
            complain_value(&hw_option_rows[i]);
    char name[64];
    for (char **entry = environ; entry && *entry; entry++)
        if (is_unknown(*entry, name))
            complain_name(name);
}

void hw_options_check(void)
{
    static pthread_once_t checked = PTHREAD_ONCE_INIT;
    pthread_once(&checked, check_all);
}

void hw_options_forget_wrong(void)
{
    hw_options();
    for (size_t i = 0; i < hw_n_option_rows; i++)
        if (wrong[i])
            unsetenv(hw_option_rows[i].variable);
    char name[64];
    for (size_t i = 0; environ && environ[i];) {
        if (is_unknown(environ[i], name) && unsetenv(name) == 0)
            continue;                            /* the next one is in its place */
        i++;
    }
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
