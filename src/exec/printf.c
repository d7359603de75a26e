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

enum { MOST_FORMAT = 1 << 20, LEAST_TEXT = 1 << 20 };    /* bytes: what comes behind them is not looked at; so much text is made also for a ring that holds less */

/*
 * What a kernel gave to vprintf(): nothing of it is believed. The format was copied; arguments and texts are copied as they are needed, each after a
 * look whether the kernel may read there.
 */
struct print {
    struct kabi_block *block;
    uint64_t args;
    size_t at;                   /* of the next argument */
    size_t most;                 /* bytes of text: what is longer has no place in any ring */
    struct hw_str *out;
    int n_args;
};

/* Arguments lie one after the other, each at its natural alignment. */
static uint64_t take_arg(struct print *p, size_t bytes)
{
    uint64_t v = 0;
    p->at = hw_align_up(p->at, bytes);
    exec_must_read(p->block, p->args + p->at, bytes);
    memcpy(&v, (const char *)(uintptr_t)p->args + p->at, bytes);
    p->at += bytes;
    return v;
}

/* One conversion, taken apart. spec is rebuilt for the host's printf: '*' replaced by numbers, the length made ours. */
struct conversion {
    char spec[64];
    size_t n;
    size_t int_bytes;            /* what an integer conversion takes */
    size_t precision, dot;       /* SIZE_MAX: none; and where in spec it begins */
};

static void spec_add(struct conversion *c, char ch)
{
    if (c->n + 16 < sizeof c->spec)
        c->spec[c->n++] = ch;
}

/* A width or precision, which is no larger than the text may be. */
static void spec_number(struct conversion *c, long v, size_t most)
{
    long limit = (long)hw_min_u64(most, 1 << 24);
    v = v > limit ? limit : v < -limit ? -limit : v;
    c->n += (size_t)snprintf(c->spec + c->n, 12, "%ld", v);
}

static long read_digits(const char **f)
{
    long v = 0;
    for (; **f >= '0' && **f <= '9'; ++*f)
        v = v < INT32_MAX ? v * 10 + (**f - '0') : v;
    return v;
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

/* f is behind the '%'. Returns the conversion character's place. */
static const char *parse_spec(const char *f, struct print *p, struct conversion *c)
{
    *c = (struct conversion){ .precision = SIZE_MAX };
    spec_add(c, '%');
    for (; *f && strchr("-+ #0", *f); f++)
        if (!memchr(c->spec, *f, c->n))
            spec_add(c, *f);
    for (int part = 0; part < 2; part++) {       /* width, then precision */
        if (part && *f != '.')
            break;
        f += part;
        bool star = *f == '*';
        long v = star ? (int32_t)take_arg(p, 4) : read_digits(&f);
        f += star;
        p->n_args += star;
        if (part && v < 0)                       /* a negative precision is as if it were not there */
            continue;
        if (part) {
            c->dot = c->n;
            c->precision = (size_t)v;
            spec_add(c, '.');
        }
        if (part || v)
            spec_number(c, v, p->most);
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

/* No number has more digits that are not 0, and the host's printf takes the square of their number in time. */
static void limit_digits(struct conversion *c)
{
    enum { MOST_DIGITS = 4096 };
    if (c->precision != SIZE_MAX && c->precision > MOST_DIGITS) {
        c->n = c->dot + 1;
        spec_number(c, MOST_DIGITS, MOST_DIGITS);
    }
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

static void print_text(struct print *p, struct conversion *c, uint64_t at)
{
    struct hw_str *copy = &exec_buffers()->argument;
    copy->n = 0;
    spec_finish(c, "", 's');
    if (at)
        exec_read_text(p->block, at, hw_min_u64(c->precision, p->most + 1), copy);
    hw_str_printf(p->out, c->spec, !at ? "(null)" : copy->n ? copy->s : "");
}

/* False: no such conversion, print it as it stands. */
static bool print_one(struct print *p, struct conversion *c, char conv)
{
    double d;
    uint64_t v;
    switch (conv) {
    case 'd': case 'i': case 'u': case 'o': case 'x': case 'X':
        print_integer(p->out, c, conv, take_arg(p, c->int_bytes == 8 ? 8 : 4));
        return true;
    case 'c':
        v = take_arg(p, 4);
        spec_finish(c, "", conv);
        hw_str_printf(p->out, c->spec, (int)v);
        return true;
    case 'e': case 'E': case 'f': case 'F': case 'g': case 'G': case 'a': case 'A':
        v = take_arg(p, 8);
        memcpy(&d, &v, 8);
        limit_digits(c);
        spec_finish(c, "", conv);
        hw_str_printf(p->out, c->spec, d);
        return true;
    case 'p':
        v = take_arg(p, 8);
        spec_finish(c, "", conv);
        hw_str_printf(p->out, c->spec, (void *)(uintptr_t)v);
        return true;
    case 's':
        print_text(p, c, take_arg(p, 8));
        return true;
    default:
        return false;
    }
}
#pragma GCC diagnostic pop

/* Text that is too long is lost, and not made up to its end. */
static void print_all(struct print *p, const char *fmt)
{
    struct conversion c;
    while (*fmt && p->out->n <= p->most) {
        const char *percent = strchr(fmt, '%');
        size_t plain = percent ? (size_t)(percent - fmt) : strlen(fmt);
        hw_str_add(p->out, fmt, plain);
        fmt += plain;
        if (!percent)
            break;
        if (fmt[1] == '%') {
            hw_str_add(p->out, "%", 1);
            fmt += 2;
            continue;
        }
        const char *conv = parse_spec(fmt + 1, p, &c);
        if (*conv && print_one(p, &c, *conv))
            p->n_args++;
        else
            hw_str_add(p->out, fmt, (size_t)(conv - fmt) + (*conv != 0));
        fmt = conv + (*conv != 0);
    }
}

int32_t exec_vprintf(struct kabi_block *block, const char *fmt, const void *args)
{
    struct exec_printf *ring = exec_launch_of(block)->printf_buf;
    struct exec_buffers *own = exec_buffers();   /* kept per thread: a fault in a %s then leaks nothing */
    if (!fmt || !ring)
        return -1;
    struct print p = { .block = block, .args = (uint64_t)(uintptr_t)args, .most = hw_max_u64(ring->cap, LEAST_TEXT), .out = &own->text };
    exec_service(true);
    own->text.n = own->format.n = 0;
    exec_read_text(block, (uint64_t)(uintptr_t)fmt, MOST_FORMAT, &own->format);
    if (own->format.n)
        print_all(&p, own->format.s);
    ring_add(ring, own->text.n ? own->text.s : "", own->text.n);
    exec_service(false);
    return p.n_args;
}
