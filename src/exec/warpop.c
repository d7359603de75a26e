/* SPDX-License-Identifier: Apache-2.0 */
/* Warp operations of threads that run one by one: each leaves a request and stops until the other members have come. */
#include "exec/warpop.h"

static unsigned waiting(const uint32_t *state, unsigned n)
{
    unsigned bits = 0;
    for (unsigned t = 0; t < n; t++)
        bits |= (state[t] != KABI_DONE && (state[t] & KABI_IN_WARPOP) && !(state[t] & KABI_ARRIVED)) ? 1u << t : 0;
    return bits;
}

static unsigned alive(const uint32_t *state, unsigned n)
{
    unsigned bits = 0;
    for (unsigned t = 0; t < n; t++)
        bits |= state[t] != KABI_DONE ? 1u << t : 0;
    return bits;
}

static bool can_run(uint32_t state)
{
    return state != KABI_DONE && !(state & (KABI_ARRIVED | KABI_IN_WARPOP));
}

static void shuffle(struct kabi_warpop *ops, unsigned members, unsigned t)
{
    struct kabi_warpop *o = &ops[t];
    unsigned b = o->b & 31, seg = o->c >> 8 & 31, clamp = o->c & 31;
    int low = (int)(t & seg), max = low | (int)(clamp & ~seg), j;
    bool ok;
    switch (o->kind) {
    case KABI_WARP_SHFL_UP: j = (int)t - (int)b; ok = j >= max; break;
    case KABI_WARP_SHFL_DOWN: j = (int)(t + b); ok = j <= max; break;
    case KABI_WARP_SHFL_BFLY: j = (int)(t ^ b); ok = j <= max; break;
    default: j = low | (int)(b & ~seg); ok = j <= max; break;
    }
    if (!ok)
        j = (int)t;
    o->pred = ok;
    o->result = members >> j & 1 ? ops[j].value : 0;             /* of a lane that takes no part */
}

static uint64_t reduce(uint32_t kind, uint32_t a, uint32_t b)
{
    switch (kind) {
    case KABI_WARP_REDUX_ADD: return (uint32_t)(a + b);
    case KABI_WARP_REDUX_AND: return a & b;
    case KABI_WARP_REDUX_OR: return a | b;
    case KABI_WARP_REDUX_XOR: return a ^ b;
    case KABI_WARP_REDUX_MIN_S: return (uint32_t)((int32_t)a < (int32_t)b ? a : b);
    case KABI_WARP_REDUX_MIN_U: return a < b ? a : b;
    case KABI_WARP_REDUX_MAX_S: return (uint32_t)((int32_t)a > (int32_t)b ? a : b);
    default: return a > b ? a : b;
    }
}

static unsigned lanes_like(const struct kabi_warpop *ops, unsigned members, uint64_t value)
{
    unsigned same = 0;
    for (unsigned left = members; left; left &= left - 1) {
        unsigned u = (unsigned)__builtin_ctz(left);
        same |= ops[u].value == value ? 1u << u : 0;
    }
    return same;
}

/* Fills in the results of all members, which hold the same kind of request. */
static void answer(struct kabi_warpop *ops, unsigned members)
{
    uint32_t kind = ops[__builtin_ctz(members)].kind;
    unsigned yes = 0;
    uint64_t sum = 0;
    bool first = true;
    if (kind >= KABI_WARP_MMA) {
        exec_mma(ops, members, kabi_mma_unpack(kind - KABI_WARP_MMA));
        return;
    }
    for (unsigned t = 0; t < 32; t++) {
        if (!(members >> t & 1))
            continue;
        yes |= ops[t].value & 1 ? 1u << t : 0;
        sum = first ? (uint32_t)ops[t].value : reduce(kind, (uint32_t)sum, (uint32_t)ops[t].value);
        first = false;
    }
    for (unsigned t = 0; t < 32; t++) {
        if (!(members >> t & 1))
            continue;
        struct kabi_warpop *o = &ops[t];
        if (kind >= KABI_WARP_SHFL_UP && kind <= KABI_WARP_SHFL_IDX) {
            shuffle(ops, members, t);
        } else if (kind == KABI_WARP_MATCH_ANY || kind == KABI_WARP_MATCH_ALL) {
            unsigned same = lanes_like(ops, members, o->value);
            o->result = kind == KABI_WARP_MATCH_ANY ? same : same == members ? members : 0;
            o->pred = same == members;
        } else if (kind >= KABI_WARP_VOTE_ALL && kind <= KABI_WARP_VOTE_BALLOT) {
            o->result = yes;
            o->pred = kind == KABI_WARP_VOTE_ANY ? yes != 0 : kind == KABI_WARP_VOTE_ALL ? yes == members : yes == members || yes == 0;
        } else {
            o->result = kind == KABI_WARP_ACTIVEMASK ? members : sum;
        }
    }
}

bool warpop_complete(uint32_t *state, struct kabi_warpop *ops, unsigned n, bool force)
{
    unsigned here = waiting(state, n), left = here;
    if (!here)
        return false;
    unsigned live = alive(state, n);
    bool moved = false, others_run = false;
    for (unsigned t = 0; t < n; t++)
        others_run |= can_run(state[t]);
    while (left) {
        unsigned t = (unsigned)__builtin_ctz(left), members = 0, wanted;
        bool open = ops[t].kind == KABI_WARP_ACTIVEMASK;
        for (unsigned u = 0; u < n; u++)
            if ((here >> u & 1) && ops[u].kind == ops[t].kind && (open ? state[u] == state[t] : ops[u].mask == ops[t].mask))
                members |= 1u << u;
        /* activemask asks who is here with me: whoever can still come is waited for */
        wanted = open ? members : ops[t].mask & live;
        if (!open)
            members &= wanted | 1u << t;
        bool ready = open ? !others_run || force : (members & wanted) == wanted;
        left &= ~(members | 1u << t);
        if (!ready)
            continue;
        answer(ops, members);
        for (unsigned u = 0; u < n; u++)
            if (members >> u & 1)
                state[u] &= ~KABI_IN_WARPOP;
        moved = true;
    }
    return moved;
}
