/* SPDX-License-Identifier: Apache-2.0 */
/* A growing string, for printers. Always ends in a zero byte once anything was added. */
#ifndef HW_STR_H
#define HW_STR_H

#include "base/base.h"

#include <stdarg.h>

struct hw_str {
    char *s;
    size_t n;
    size_t cap;
};

void hw_str_add(struct hw_str *str, const char *text, size_t n);
void hw_str_puts(struct hw_str *str, const char *text);
void hw_str_printf(struct hw_str *str, const char *fmt, ...) HW_PRINTF(2, 3);
void hw_str_vprintf(struct hw_str *str, const char *fmt, va_list ap);
void hw_str_fini(struct hw_str *str);

#endif
