/* SPDX-License-Identifier: Apache-2.0 */
/* A growing string. */
#include "base/str.h"

#include <stdio.h>

static void reserve(struct hw_str *str, size_t more)
{
    if (str->n + more + 1 > str->cap) {
        str->cap = hw_max_u64(str->n + more + 1, str->cap ? str->cap * 2 : 256);
        str->s = hw_realloc(str->s, str->cap);
    }
}

void hw_str_add(struct hw_str *str, const char *text, size_t n)
{
    reserve(str, n);
    memcpy(str->s + str->n, text, n);
    str->n += n;
    str->s[str->n] = 0;
}

void hw_str_puts(struct hw_str *str, const char *text)
{
    hw_str_add(str, text, strlen(text));
}

void hw_str_vprintf(struct hw_str *str, const char *fmt, va_list ap)
{
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, again);
    va_end(again);
    reserve(str, (size_t)n);
    vsnprintf(str->s + str->n, (size_t)n + 1, fmt, ap);
    str->n += (size_t)n;
}

void hw_str_printf(struct hw_str *str, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    hw_str_vprintf(str, fmt, ap);
    va_end(ap);
}

void hw_str_fini(struct hw_str *str)
{
    hw_free(str->s);
    str->s = NULL;
    str->n = str->cap = 0;
}
