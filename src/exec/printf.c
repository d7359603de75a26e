/* SPDX-License-Identifier: Apache-2.0 */
/* printf of kernels: formats into a bounded ring that the host writes out when it synchronises. */
#include "exec/internal.h"

#include "base/os.h"

#include <stdio.h>

struct exec_printf *exec_printf_new(size_t bytes)
{
    struct exec_printf *p = hw_alloc(sizeof *p);
    hw_mutex_init(&p->mu, HW_RANK_POOL);
    p->cap = bytes;
    return p;
}

void exec_printf_free(struct exec_printf *p)
{
    if (!p)
        return;
    hw_free(p->ring);
    hw_free(p);
}

void exec_printf_resize(struct exec_printf *p, size_t bytes)
{
    hw_lock(&p->mu);
    hw_free(p->ring);
    p->ring = NULL;
    p->cap = bytes;
    p->head = p->used = 0;
    hw_unlock(&p->mu);
}

static uint64_t text_hash(const char *text, size_t n)
{
    uint64_t h = 0xcbf29ce484222325;             /* FNV-1a */
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)text[i]) * 0x100000001b3;
    return h;
}

static void ring_add(struct exec_printf *p, const char *text, size_t n)
{
    hw_lock(&p->mu);
    if (hw_unlikely(p->sums)) {
        p->texts++;
        p->sum += text_hash(text, n);
    }
    if (p->cap && n <= p->cap && !p->ring)
        p->ring = hw_try_alloc(p->cap);
    if (p->ring && n <= p->cap) {                /* without memory for it, the text is lost like any that does not fit */
        if (p->used + n > p->cap) {              /* the oldest go; whole lines only would be nicer, the device does not care */
            size_t drop = p->used + n - p->cap;
            p->head = (p->head + drop) % p->cap;
            p->used -= drop;
        }
        size_t at = (p->head + p->used) % p->cap, part = hw_min_u64(n, p->cap - at);
        memcpy(p->ring + at, text, part);
        memcpy(p->ring, text + part, n - part);
        p->used += n;
        p->any = true;
    }
    hw_unlock(&p->mu);
}

void exec_printf_flush(struct exec_printf *p)
{
    if (!p || !p->any)
        return;
    hw_lock(&p->mu);
    size_t n = p->used, part = hw_min_u64(n, p->cap - p->head);
    char *text = n ? hw_try_alloc(n) : NULL;
    if (n && !text) {                            /* it stays for the next time */
        hw_unlock(&p->mu);
        return;
    }
    if (n) {
        memcpy(text, p->ring + p->head, part);
        memcpy(text + part, p->ring, n - part);
    }
    p->head = p->used = 0;
    p->any = false;
    hw_unlock(&p->mu);
    int cancel = hw_cancel_off();
    if (n)
        fwrite(text, 1, n, stdout);
    hw_free(text);
    hw_cancel_on(cancel);
}

/* --- formatting --- */

/* Arguments lie one after the other, each at its natural alignment. */
static uint64_t take_arg(const char *args, size_t *at, size_t bytes)
{
    uint64_t v = 0;
    *at = hw_align_up(*at, bytes);
    memcpy(&v, args + *at, bytes);
    *at += bytes;
    return v;
}

/* One conversion, taken apart. spec is rebuilt for the host's printf: '*' replaced by numbers, the length made ours. */
struct conversion {
    char spec[64];
    size_t n;
    size_t int_bytes;            /* what an integer conversion takes */
};

static void spec_add(struct conversion *c, char ch)
{
    if (c->n + 8 < sizeof c->spec)
        c->spec[c->n++] = ch;
}

static void spec_number(struct conversion *c, int v)
{
    char digits[16];
    snprintf(digits, sizeof digits, "%d", v);
    for (char *d = digits; *d; d++)
        spec_add(c, *d);
}

static const char *parse_length(const char *f, struct conversion *c)
{
    c->int_bytes = 4;
    for (;; f++) {
        if (*f == 'l' || *f == 'L' || *f == 'j' || *f == 'z' || *f == 't' || *f == 'q')
            c->int_bytes = 8;
        else if (*f == 'h')
            c->int_bytes = c->int_bytes == 2 ? 1 : 2;
        else
            return f;
    }
}

/* f is behind the '%'. Returns the conversion character's place; n_args counts the '*'. */
static const char *parse_spec(const char *f, const char *args, size_t *at, int *n_args, struct conversion *c)
{
    c->n = 0;
    spec_add(c, '%');
    while (*f && strchr("-+ #0", *f))
        spec_add(c, *f++);
    for (int part = 0; part < 2; part++) {       /* width, then precision */
        if (part && *f != '.')
            break;
        if (part)
            spec_add(c, *f++);
        if (*f == '*') {
            int v = (int)take_arg(args, at, 4);
            (*n_args)++;
            f++;
            if (part && v < 0)
                c->n--;                          /* a negative precision is as if it were not there */
            else
                spec_number(c, v);
        }
        while (*f >= '0' && *f <= '9')
            spec_add(c, *f++);
    }
    return parse_length(f, c);
}

static void spec_finish(struct conversion *c, const char *length, char conv)
{
    for (; *length; length++)
        c->spec[c->n++] = *length;
    c->spec[c->n++] = conv;
    c->spec[c->n] = 0;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void print_integer(struct hw_str *out, struct conversion *c, char conv, uint64_t v)
{
    bool is_signed = conv == 'd' || conv == 'i';
    if (c->int_bytes < 8) {
        unsigned shift = 64 - 8 * (unsigned)c->int_bytes;
        v = is_signed ? (uint64_t)((int64_t)(v << shift) >> shift) : v << shift >> shift;
    }
    spec_finish(c, "ll", conv);
    hw_str_printf(out, c->spec, (unsigned long long)v);
}

/* False: no such conversion, print it as it stands. */
static bool print_one(struct hw_str *out, struct conversion *c, char conv, const char *args, size_t *at)
{
    double d;
    uint64_t v;
    switch (conv) {
    case 'd': case 'i': case 'u': case 'o': case 'x': case 'X':
        print_integer(out, c, conv, take_arg(args, at, c->int_bytes == 8 ? 8 : 4));
        return true;
    case 'c':
        spec_finish(c, "", conv);
        hw_str_printf(out, c->spec, (int)take_arg(args, at, 4));
        return true;
    case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
        v = take_arg(args, at, 8);
        memcpy(&d, &v, 8);
        spec_finish(c, "", conv);
        hw_str_printf(out, c->spec, d);
        return true;
    case 'p':
        spec_finish(c, "", conv);
        hw_str_printf(out, c->spec, (void *)(uintptr_t)take_arg(args, at, 8));
        return true;
    case 's':
        v = take_arg(args, at, 8);
        spec_finish(c, "", conv);
        hw_str_printf(out, c->spec, v ? (const char *)(uintptr_t)v : "(null)");
        return true;
    default:
        return false;
    }
}
#pragma GCC diagnostic pop

int32_t exec_vprintf(struct kabi_block *block, const char *fmt, const void *args)
{
    struct exec_printf *p = exec_launch_of(block)->printf_buf;
    struct hw_str *out = &exec_buffers()->text;  /* kept per thread: a fault in a %s then leaks nothing */
    struct conversion c;
    size_t at = 0;
    int n_args = 0;
    if (!fmt || !p)
        return -1;
    exec_service(true);
    out->n = 0;
    while (*fmt) {
        const char *percent = strchr(fmt, '%');
        size_t plain = percent ? (size_t)(percent - fmt) : strlen(fmt);
        hw_str_add(out, fmt, plain);
        fmt += plain;
        if (!percent)
            break;
        if (fmt[1] == '%') {
            hw_str_add(out, "%", 1);
            fmt += 2;
            continue;
        }
        const char *conv = parse_spec(fmt + 1, args, &at, &n_args, &c);
        if (*conv && print_one(out, &c, *conv, args, &at))
            n_args++;
        else
            hw_str_add(out, fmt, (size_t)(conv - fmt) + (*conv != 0));
        fmt = conv + (*conv != 0);
    }
    ring_add(p, out->s ? out->s : "", out->n);
    exec_service(false);
    return n_args;
}
