/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "check/report.h"

#include "base/hash.h"
#include "base/lock.h"
#include "base/options.h"
#include "check/trace.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST = 1000 };            /* different reports: what comes after is more of the same */

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct hw_map seen HW_GUARDED_BY(mu);     /* key -> how often */
static size_t n_seen HW_GUARDED_BY(mu);

/* A line of the message: tabs and ends of lines are its own. */
static void add_line(struct report *r, const char *what, const char *role, const char *place, const char *fmt, va_list ap)
{
    struct hw_str text = { 0 };
    hw_str_vprintf(&text, fmt, ap);
    for (size_t k = 0; k < text.n; k++)
        if (text.s[k] == '\n' || text.s[k] == '\t')
            text.s[k] = ' ';
    hw_str_printf(&r->text, "%s\t%s\t%s\t%s\n", what, role, place, text.s ? text.s : "");
    hw_str_fini(&text);
}

void report_begin(struct report *r, const char *name, const char *fmt, ...)
{
    va_list ap;
    *r = (struct report){ 0 };
    va_start(ap, fmt);
    add_line(r, "begin", name, "", fmt, ap);
    va_end(ap);
    hw_str_printf(&r->key, "%s", name);
}

void report_host(struct report *r, const char *role, uint32_t trace, const char *fmt, ...)
{
    struct hw_str place = { 0 };
    va_list ap;
    trace_print(&place, trace);
    va_start(ap, fmt);
    add_line(r, "host", role, place.s ? place.s : "", fmt, ap);
    va_end(ap);
    hw_str_printf(&r->key, "|%u", trace);
    hw_str_fini(&place);
}

void report_device(struct report *r, const char *role, const char *place, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_line(r, "device", role, place, fmt, ap);
    va_end(ap);
    hw_str_printf(&r->key, "|%s", place);
}

void report_advice(struct report *r, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_line(r, "advice", "", "", fmt, ap);
    va_end(ap);
}

static void send(const char *text, size_t n)
{
    int to = hw_options()->check_fd ? (int)hw_options()->check_fd : STDERR_FILENO;
    while (n > 0) {
        ssize_t k = write(to, text, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return;
        text += k;
        n -= (size_t)k;
    }
}

void report_end(struct report *r)
{
    hw_str_puts(&r->text, "end\t\t\t\n");
    hw_lock(&mu);
    uintptr_t before = (uintptr_t)hw_map_get_str(&seen, r->key.s);
    if (before || n_seen < MOST)
        hw_map_set_str(&seen, r->key.s, (void *)(before + 1));
    if (!before && n_seen < MOST) {
        n_seen++;
        send(r->text.s, r->text.n);
    }
    hw_unlock(&mu);
    hw_str_fini(&r->text);
    hw_str_fini(&r->key);
}
