/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "check/report.h"

#include "base/hash.h"
#include "base/lock.h"
#include "base/options.h"
#include "base/os.h"
#include "base/vec.h"
#include "check/ledger.h"
#include "check/trace.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MOST = 1000 };            /* different reports: what comes after is more of the same */

struct count {
    uint64_t times, told;
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct hw_map seen HW_GUARDED_BY(mu);     /* key -> its number, from 1 on */
static HW_VEC(struct count) counts HW_GUARDED_BY(mu);            /* by number - 1 */

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
    r->name = name;
    va_start(ap, fmt);
    add_line(r, "title", "", "", fmt, ap);
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

void report_note(struct report *r, const char *role, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    add_line(r, "note", role, "", fmt, ap);
    va_end(ap);
}

/* A place in host code that does not tell reports apart. */
static void host_fact(struct report *r, const char *what, const char *role, uint32_t trace, const char *fmt, va_list ap)
{
    struct hw_str place = { 0 };
    trace_print(&place, trace);
    add_line(r, what, role, place.s ? place.s : "", fmt, ap);
    hw_str_fini(&place);
}

static void memory_fact(struct report *r, const char *role, uint32_t trace, const char *fmt, ...) HW_PRINTF(4, 5);
static void memory_fact(struct report *r, const char *role, uint32_t trace, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    host_fact(r, "host", role, trace, fmt, ap);
    va_end(ap);
}

void report_memory(struct report *r, const struct ledger_entry *e)
{
    if (e->made_by)
        memory_fact(r, "made", e->made, "%s, %llu bytes", e->made_by, (unsigned long long)e->bytes);
    if (e->freed_by)
        memory_fact(r, "freed", e->freed, "%s", e->freed_by);
}

void report_step(struct report *r, const char *line, bool meets, uint32_t trace, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    host_fact(r, meets ? "meets" : "step", line, trace, fmt, ap);
    va_end(ap);
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

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The same places in another order are the same report. */
static char *sorted_key(char *key)
{
    enum { MOST_PLACES = 16 };
    char *parts[MOST_PLACES], *rest = key;
    struct hw_str out = { 0 };
    size_t n = 0;
    for (char *part; n < MOST_PLACES && (part = strtok_r(rest, "|", &rest));)
        parts[n++] = part;
    qsort(parts + 1, n - 1, sizeof *parts, by_text);             /* the first is the name */
    for (size_t k = 0; k < n; k++)
        hw_str_printf(&out, "%s|", parts[k]);
    return out.s;
}

/* The lock is held. */
static void tell_count(size_t number)
{
    char text[64];
    struct count *c = &counts.v[number - 1];
    if (c->told == c->times)
        return;
    c->told = c->times;
    int n = snprintf(text, sizeof text, "times\t%d.%zu\t\t%llu\n", (int)getpid(), number, (unsigned long long)c->times);
    send(text, (size_t)n);
}

/* mode: "" or "failed" for the reader. Its number, 0: there are too many. */
static size_t end(struct report *r, const char *mode)
{
    char *key = sorted_key(r->key.s);
    hw_lock(&mu);
    size_t number = (size_t)(uintptr_t)hw_map_get_str(&seen, key);
    if (number) {
        struct count *c = &counts.v[number - 1];
        if (++c->times >= 2 * c->told)
            tell_count(number);
    } else if (counts.n < MOST) {
        hw_vec_push(&counts, ((struct count){ 1, 1 }));
        hw_map_set_str(&seen, key, (void *)(uintptr_t)counts.n);
        struct hw_str all = { 0 };
        number = counts.n;
        hw_str_printf(&all, "begin\t%s\t%d.%zu\t%s\n%send\t\t\t\n", r->name, (int)getpid(), counts.n, mode, r->text.s);
        send(all.s, all.n);
        hw_str_fini(&all);
    }
    hw_unlock(&mu);
    hw_free(key);
    hw_str_fini(&r->text);
    hw_str_fini(&r->key);
    return number;
}

void report_end(struct report *r) { end(r, ""); }

uint32_t report_end_failed(struct report *r, const void *caller)
{
    struct hw_str place = { 0 };
    if (caller && hw_call_place(caller, &place))
        hw_str_printf(&r->text, "caller\t\t%s\t\n", place.s);
    hw_str_fini(&place);
    return (uint32_t)end(r, "failed");
}

void report_looked(uint32_t number)
{
    char text[64];
    int n = snprintf(text, sizeof text, "looked\t%d.%u\t\t\n", (int)getpid(), number);
    hw_lock(&mu);
    send(text, (size_t)n);
    hw_unlock(&mu);
}

void report_counts(void)
{
    hw_lock(&mu);
    for (size_t k = 1; k <= counts.n; k++)
        tell_count(k);
    hw_unlock(&mu);
}
