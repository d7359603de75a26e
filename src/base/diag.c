/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting messages about an input. */
#include "base/diag.h"

enum { MAX_KEPT = 20 };

static void message(struct diag *diag, const char *kind, int line, int col, const char *fmt, va_list ap)
{
    if (diag->n_errors + diag->n_warnings > MAX_KEPT)
        return;
    if (diag->file)
        hw_str_printf(&diag->text, "%s:", diag->file);
    if (line > 0)
        hw_str_printf(&diag->text, diag->file ? "%d:" : "line %d:", line);
    if (line > 0 && col > 0)
        hw_str_printf(&diag->text, "%d:", col);
    hw_str_printf(&diag->text, "%s%s: ", diag->text.n && diag->text.s[diag->text.n - 1] == ':' ? " " : "", kind);
    hw_str_vprintf(&diag->text, fmt, ap);
    hw_str_puts(&diag->text, "\n");
}

void diag_error(struct diag *diag, int line, int col, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag->n_errors++;
    message(diag, "error", line, col, fmt, ap);
    va_end(ap);
}

void diag_warn(struct diag *diag, int line, int col, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag->n_warnings++;
    message(diag, "warning", line, col, fmt, ap);
    va_end(ap);
}

void diag_internal(struct diag *diag, int line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    diag->n_errors++;
    diag->internal = true;
    message(diag, "error: internal", line, 0, fmt, ap);
    va_end(ap);
}

void diag_add(struct diag *diag, const struct diag *more)
{
    diag->n_errors += more->n_errors;
    diag->n_warnings += more->n_warnings;
    diag->internal |= more->internal;
    if (more->text.n)
        hw_str_puts(&diag->text, more->text.s);
}

void diag_fini(struct diag *diag)
{
    hw_str_fini(&diag->text);
}
