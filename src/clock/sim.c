/* SPDX-License-Identifier: Apache-2.0 */
/* Placing commands on computed GPUs: stream order, what they wait for, engines, kernels side by side. */
#include "clock/sim.h"

size_t sim_n, sim_waiting;
const struct gpu_profile *sim_gpus;
void (*sim_placed)(struct sim_cmd *c, struct sim_stream *s, size_t g);
double (*sim_kernel_ns)(const struct sim_cmd *c, size_t g, double *share);

/* A kernel that runs. */
struct running {
    double end, share;
};
static struct gpu {
    double free_at[SIM_ENGINES];
    HW_VEC(struct running) running;
} gpus[GPU_MOST_CHOSEN];
static HW_VEC(struct sim_stream *) active;       /* with something to place */

void sim_init(const struct gpu_profile *profiles, size_t n)
{
    sim_gpus = profiles;
    sim_n = n;
}

/* --- commands --- */

struct sim_cmd *sim_cmd_new(void)
{
    struct sim_cmd *c = hw_alloc(sizeof *c);
    c->refs = 1;
    return c;
}

void sim_ref(struct sim_cmd *c) { c->refs++; }

/* A loop, not a recursion: what waits for what may be a long chain. */
void sim_unref(struct sim_cmd *c)
{
    HW_VEC(struct sim_cmd *) left = { 0 };
    if (c)
        hw_vec_push(&left, c);
    while (left.n) {
        struct sim_cmd *d = hw_vec_pop(&left);
        if (--d->refs)
            continue;
        for (size_t k = 0; k < d->after.n; k++)
            hw_vec_push(&left, d->after.v[k]);
        hw_vec_fini(&d->after);
        hw_free(d);
    }
    hw_vec_fini(&left);
}

void sim_after(struct sim_cmd *c, struct sim_cmd *on)
{
    if (!on || on == c)
        return;
    sim_ref(on);
    hw_vec_push(&c->after, on);
}

void sim_push(struct sim_stream *s, struct sim_cmd *c)
{
    if (s->tail) {
        s->tail->next = c;
        sim_unref(s->tail);
    }
    s->tail = c;
    sim_ref(c);                                  /* the tail's; the caller's is the queue's now */
    for (size_t g = 0; g < sim_n; g++)
        if (!s->head[g])
            s->head[g] = c;
    if (!s->listed)
        hw_vec_push(&active, s);
    s->listed = true;
    sim_waiting++;
}

/* --- how long --- */

/* Up to 64 KiB the call returns when the source has been read. */
double sim_tail_ns(const struct gpu_profile *p, const struct sim_cmd *c)
{
    return c->copy == SIM_PAGEABLE_IN && c->bytes <= 65536 ? p->pageable_tail * c->bytes / 65536 : 0;
}

/* Copies' curves are of the call as a whole; what the host does before and after is not the device's. */
double sim_copy_ns(const struct gpu_profile *p, const struct sim_cmd *c)
{
    double around = p->copy_call_ns + p->start_ns + p->copy_return_ns, ns;
    switch (c->copy) {
    case SIM_PINNED_IN: ns = gpu_curve_at(&p->pinned_in, c->bytes) - around; break;
    case SIM_PINNED_OUT: ns = gpu_curve_at(&p->pinned_out, c->bytes) - around; break;
    case SIM_PAGEABLE_IN: ns = gpu_curve_at(&p->pageable_in, c->bytes) - around + p->copy_return_ns + sim_tail_ns(p, c); break;
    case SIM_PAGEABLE_OUT: ns = gpu_curve_at(&p->pageable_out, c->bytes) - around; break;
    case SIM_ON_DEVICE: ns = p->kernel_ns + c->bytes / p->d2d_gbs; break;
    case SIM_FILL: ns = p->kernel_ns + c->bytes / p->memset_gbs; break;
    case SIM_ON_HOST: ns = c->bytes / 10; break; /* the host's own memory, at 10 GB/s */
    default: ns = 0;
    }
    return (ns < 500 ? 500 : ns) + c->untouched * (c->copy == SIM_PAGEABLE_IN ? p->untouched_in : p->untouched_out);
}

/* --- where --- */

static enum sim_engine engine_of(const struct gpu_profile *p, const struct sim_cmd *c)
{
    return c->engine == SIM_OUT && p->engines < 2 ? SIM_IN : c->engine;
}

/* The first moment from `t` on at which that share of the GPU is free. What is over by then is forgotten only in place(). */
static double room_at(const struct gpu *gpu, const struct gpu_profile *p, double t, double share)
{
    for (;;) {
        double used = 0, next = -1;
        unsigned n = 0;
        for (size_t k = 0; k < gpu->running.n; k++)
            if (gpu->running.v[k].end > t) {
                used += gpu->running.v[k].share;
                n++;
                next = next < 0 || gpu->running.v[k].end < next ? gpu->running.v[k].end : next;
            }
        if (next < 0 || (used + share <= 1.0001 && n < p->kernels))
            return t;
        t = next;
    }
}

/* Engines tell each other that something is over; one and the same just goes on. */
static double gap(const struct gpu_profile *p, int last, enum sim_engine engine)
{
    return last == 0 || engine == SIM_HOST ? 0 : last == 1 + (int)engine ? p->gap_ns : p->switch_ns;
}

/* False: something that it waits for has no place yet. */
static bool begin_of(size_t g, const struct sim_stream *s, const struct sim_cmd *c, double *out)
{
    const struct gpu_profile *p = &sim_gpus[g];
    const struct gpu *gpu = &gpus[g];
    bool works = c->engine != SIM_POINT;
    double t = c->submit[g] > 0 ? c->submit[g] + p->start_ns : 0, order = s->end[g] + (works ? gap(p, s->last[g], c->engine) : 0), share;
    for (size_t k = 0; k < c->after.n; k++) {
        if (!(c->after.v[k]->placed >> g & 1))
            return false;
        t = c->after.v[k]->end[g] > t ? c->after.v[k]->end[g] : t;
    }
    t = order > t ? order : t;
    if (c->engine == SIM_KERNEL) {
        sim_kernel_ns(c, g, &share);
        t = room_at(gpu, p, t, share);
    } else if (works) {
        double at = gpu->free_at[engine_of(p, c)];
        t = at > t ? at : t;
    }
    *out = t;
    return true;
}

/* A copy beside one the other way is slower as long as that one runs. */
static double stretched(const struct gpu *gpu, const struct gpu_profile *p, const struct sim_cmd *c, double begin, double ns)
{
    if (p->engines < 2 || (c->engine != SIM_IN && c->engine != SIM_OUT) || c->copy == SIM_PAGEABLE_IN || c->copy == SIM_PAGEABLE_OUT)
        return ns;
    double beside = gpu->free_at[c->engine == SIM_IN ? SIM_OUT : SIM_IN] - begin, slow = ns / p->duplex;
    if (beside <= 0)
        return ns;
    return beside >= slow ? slow : beside + (ns - beside * p->duplex);
}

static void place(size_t g, struct sim_stream *s, struct sim_cmd *c, double begin)
{
    struct gpu *gpu = &gpus[g];
    const struct gpu_profile *p = &sim_gpus[g];
    double ns = 0, share;
    if (c->engine == SIM_KERNEL) {
        size_t kept = 0;
        ns = sim_kernel_ns(c, g, &share);
        for (size_t k = 0; k < gpu->running.n; k++)
            if (gpu->running.v[k].end > begin)
                gpu->running.v[kept++] = gpu->running.v[k];
        gpu->running.n = kept;
        hw_vec_push(&gpu->running, ((struct running){ begin + ns - 0.9 * p->kernel_ns, share }));   /* the next one's start goes on beside its end */
    } else if (c->engine == SIM_HOST) {
        ns = p->hostfn_ns;
    } else if (c->engine < SIM_ENGINES) {
        ns = stretched(gpu, p, c, begin, sim_copy_ns(p, c));
    }
    c->begin[g] = begin;
    c->end[g] = begin + ns;
    c->placed |= (uint8_t)(1u << g);
    if (c->engine < SIM_ENGINES)
        gpu->free_at[engine_of(p, c)] = c->end[g];
    s->end[g] = c->end[g];
    if (c->engine != SIM_POINT)
        s->last[g] = 1 + (int)c->engine;
    s->head[g] = c->next;
    sim_placed(c, s, g);
    if (c->placed == (1u << sim_n) - 1) {
        for (size_t k = 0; k < c->after.n; k++)
            sim_unref(c->after.v[k]);
        hw_vec_fini(&c->after);
        sim_waiting--;
        sim_unref(c);                            /* the queue's */
    }
}

void sim_forget_idle(void)
{
    size_t kept = 0;
    for (size_t k = 0; k < active.n; k++) {
        struct sim_stream *s = active.v[k];
        bool any = false;
        for (size_t g = 0; g < sim_n; g++)
            any |= s->head[g] != NULL;
        s->listed = any;
        if (any)
            active.v[kept++] = s;
    }
    active.n = kept;
}

/* The command that begins first on GPU g gets its place. False: there is none. */
static bool step(size_t g)
{
    struct sim_stream *best = NULL;
    double first = 0, t;
    for (size_t k = 0; k < active.n; k++) {
        struct sim_cmd *c = active.v[k]->head[g], *b = best ? best->head[g] : NULL;
        if (!c || !begin_of(g, active.v[k], c, &t))
            continue;
        if (!b || t < first || (t == first && (c->priority < b->priority || (c->priority == b->priority && c->seq < b->seq)))) {
            best = active.v[k];
            first = t;
        }
    }
    if (best)
        place(g, best, best->head[g], first);
    return best != NULL;
}

double sim_end(struct sim_cmd *c, size_t g)
{
    while (!(c->placed >> g & 1) && step(g))
        ;
    return c->end[g];
}

void sim_all(void)
{
    for (size_t g = 0; g < sim_n; g++)
        while (step(g))
            ;
    sim_forget_idle();
}
