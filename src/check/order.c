/* SPDX-License-Identifier: Apache-2.0 */
#include "check/order.h"

#include "base/hash.h"
#include "base/lock.h"
#include "base/vec.h"
#include "core/device/ctx.h"
#include "core/stream/event.h"
#include "core/stream/sched.h"
#include "core/stream/stream.h"

enum { KEPT = 1 << 16 };         /* commands; what is older is in order with everything */

/* For each line (a stream) how many of its commands come before. */
struct tick {
    uint64_t line, at;
};
struct clock {
    HW_VEC(struct tick) v;
};

struct command {
    uint32_t number;             /* 0: none */
    uint64_t line, at;
    struct clock clock;
};

struct line {
    uint64_t id, at;
    const struct ctx *ctx;
    bool legacy, blocking;
    struct clock clock;          /* of the newest command, and what was waited for since */
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct command commands[KEPT] HW_GUARDED_BY(mu);
static struct hw_map lines HW_GUARDED_BY(mu);    /* id -> struct line */
static HW_VEC(struct line *) all_lines HW_GUARDED_BY(mu);
static struct hw_map events HW_GUARDED_BY(mu);   /* event -> struct clock of its newest record */
static struct clock host HW_GUARDED_BY(mu);
static struct clock sees HW_GUARDED_BY(mu);      /* of order_host_sees() */

/* Places that are no commands have numbers that those do not come to. */
enum { POINTS = 4096 };
static const uint32_t FIRST_POINT = 0xf0000000u;
static struct command points[POINTS] HW_GUARDED_BY(mu);
static uint32_t n_points HW_GUARDED_BY(mu);

static uint64_t at_of(const struct clock *c, uint64_t line)
{
    for (size_t k = 0; k < c->v.n; k++)
        if (c->v.v[k].line == line)
            return c->v.v[k].at;
    return 0;
}

static void lift(struct clock *c, uint64_t line, uint64_t at)
{
    for (size_t k = 0; k < c->v.n; k++)
        if (c->v.v[k].line == line) {
            c->v.v[k].at = hw_max_u64(c->v.v[k].at, at);
            return;
        }
    hw_vec_push(&c->v, ((struct tick){ line, at }));
}

static void join(struct clock *to, const struct clock *from)
{
    for (size_t k = 0; k < from->v.n; k++)
        lift(to, from->v.v[k].line, from->v.v[k].at);
}

static struct line *line_of(const struct stream *s)
{
    struct line *l = hw_map_get(&lines, &s->id, sizeof s->id);
    if (l)
        return l;
    l = hw_alloc(sizeof *l);
    *l = (struct line){ .id = s->id, .ctx = s->ctx, .legacy = s->legacy, .blocking = !(s->flags & CU_STREAM_NON_BLOCKING) };
    hw_map_set(&lines, &s->id, sizeof s->id, l);
    hw_vec_push(&all_lines, l);
    return l;
}

static struct command *command_of(uint32_t number)
{
    struct command *c = number >= FIRST_POINT ? &points[number % POINTS] : &commands[number % KEPT];
    return c->number == number ? c : NULL;
}

/* The next place of a line. */
static void place(struct command *now, uint32_t number, struct line *l)
{
    hw_vec_fini(&now->clock.v);
    *now = (struct command){ .number = number, .line = l->id, .at = ++l->at };
    join(&l->clock, &host);
    for (size_t k = 0; l->blocking && k < all_lines.n; k++) {
        const struct line *other = all_lines.v[k];
        if (other != l && other->ctx == l->ctx && other->blocking && (l->legacy || other->legacy))
            join(&l->clock, &other->clock);
    }
    lift(&l->clock, l->id, l->at);
    join(&now->clock, &l->clock);
}

void order_queued(struct cmd *c)
{
    hw_lock(&mu);
    place(&commands[(uint32_t)c->seq % KEPT], (uint32_t)c->seq, line_of(c->stream));
    hw_unlock(&mu);
}

bool order_is_point(uint32_t number) { return number >= FIRST_POINT; }

uint32_t order_point(struct stream *s)
{
    hw_lock(&mu);
    uint32_t number = FIRST_POINT + n_points++ % (UINT32_MAX - FIRST_POINT);
    place(&points[number % POINTS], number, line_of(s));
    hw_unlock(&mu);
    return number;
}

void order_depends(struct cmd *c, struct cmd *on)
{
    hw_lock(&mu);
    struct command *now = command_of((uint32_t)c->seq), *before = command_of((uint32_t)on->seq);
    struct line *l = now ? hw_map_get(&lines, &now->line, sizeof now->line) : NULL;
    if (now && before && l) {
        join(&now->clock, &before->clock);
        if (l->at == now->at)
            join(&l->clock, &before->clock);
    }
    hw_unlock(&mu);
}

void order_recorded(struct event *e, struct cmd *c)
{
    hw_lock(&mu);
    struct command *now = command_of((uint32_t)c->seq);
    struct clock *k = hw_map_get_ptr(&events, e);
    if (!k) {
        k = hw_alloc(sizeof *k);
        hw_map_set_ptr(&events, e, k);
    }
    k->v.n = 0;
    if (now)
        join(k, &now->clock);
    hw_unlock(&mu);
}

void order_stream_waits(struct stream *s, struct event *e)
{
    hw_lock(&mu);
    const struct clock *k = hw_map_get_ptr(&events, e);
    if (k)
        join(&line_of(s)->clock, k);
    hw_unlock(&mu);
}

void order_host_waited(struct stream *s, struct event *e, struct ctx *ctx, uint64_t seq)
{
    hw_lock(&mu);
    if (s)
        join(&host, &line_of(s)->clock);
    if (s && line_of(s)->legacy)
        ctx = s->ctx;
    const struct clock *k = e ? hw_map_get_ptr(&events, e) : NULL;
    if (k)
        join(&host, k);
    for (size_t j = 0; ctx && j < all_lines.n; j++)
        if (all_lines.v[j]->ctx == ctx && (!s || all_lines.v[j]->blocking))
            join(&host, &all_lines.v[j]->clock);
    struct command *one = seq ? command_of((uint32_t)seq) : NULL;
    if (one)
        join(&host, &one->clock);
    hw_unlock(&mu);
}

void order_host_sees(uint32_t number)
{
    hw_lock(&mu);
    const struct command *c = command_of(number);
    if (c)
        join(&sees, &c->clock);
    hw_unlock(&mu);
}

bool order_host_waited_for(uint32_t number)
{
    hw_lock(&mu);
    const struct command *c = command_of(number);
    bool waited = !c || at_of(&host, c->line) >= c->at;
    hw_unlock(&mu);
    return waited;
}

bool order_host_knows(uint32_t number)
{
    hw_lock(&mu);
    const struct command *c = command_of(number);
    bool knows = !c || at_of(&host, c->line) >= c->at || at_of(&sees, c->line) >= c->at;
    hw_unlock(&mu);
    return knows;
}

bool order_between(uint32_t a, uint32_t b)
{
    hw_lock(&mu);
    const struct command *x = command_of(a), *y = command_of(b);
    bool ordered = !x || !y || at_of(&y->clock, x->line) >= x->at || at_of(&x->clock, y->line) >= y->at;
    hw_unlock(&mu);
    return ordered;
}
