/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The copies of the process: one stays as the launch found it, and makes others of itself, each of which runs the kernel in one way and then
 * waits to be looked into.
 */
#define _GNU_SOURCE
#include "core/verify/verify_internal.h"

#include "base/options.h"
#include "base/os.h"
#include "exec/exec.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FORWARDS, BACKWARDS, IN_STEP, VECTOR, VECTOR_ALONE, N_WAYS };
static const struct way {
    bool vector, backwards, in_step;
    unsigned threads;            /* 0: as many as ever */
} ways[N_WAYS] = {
    [FORWARDS] = { .threads = 1 },
    [BACKWARDS] = { .backwards = true, .threads = 1 },
    [IN_STEP] = { .in_step = true, .threads = 1 },
    [VECTOR] = { .vector = true },
    [VECTOR_ALONE] = { .vector = true, .threads = 1 },
};

struct running {
    pid_t pid;
    int over;                    /* a pipe: a byte when the run is over */
    bool ended;
};

struct judging {
    const struct exec_launch *launch;
    const struct verify *v;
    struct verify_result *out;
    struct verify_ranges ranges;
    struct verify_run *runs;     /* of each way, shared with its process */
    struct running running[N_WAYS];
};

/* In the process of the run. */
static HW_NORETURN void run(const struct judging *j, const struct way *way, struct verify_run *to, int over)
{
    struct exec_launch l = { .kernel = way->vector ? j->launch->kernel : way->in_step ? j->v->steps : j->v->reference, .kl = j->launch->kl, .heap = j->launch->heap };
    struct exec_printf *text = exec_printf_new(0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    exec_alone_begin(way->threads);
    text->sums = true;
    l.printf_buf = text;
    exec_launch_init(&l, j->launch->job.all_at_once);
    l.backwards = l.filled = way->backwards;
    l.in_step = way->in_step;
    uint64_t begin = hw_now_ns();
    exec_alone_run(&l);
    *to = (struct verify_run){ .fault = l.fault, .texts = text->texts, .sum = text->sum, .ns = hw_now_ns() - begin };
    while (write(over, "", 1) < 0 && errno == EINTR)
        ;
    for (;;)
        pause();
}

static void begin(struct judging *j, int way)
{
    int over[2];
    struct running *r = &j->running[way];
    if (pipe(over))
        return;
    r->pid = fork();
    if (r->pid == 0)
        run(j, &ways[way], &j->runs[way], over[1]);
    close(over[1]);
    r->over = over[0];
}

/* False: it is not over at that time, or died. */
static bool await(struct judging *j, int way, uint64_t until_ns)
{
    struct running *r = &j->running[way];
    char byte;
    while (r->pid > 0 && !r->ended) {
        uint64_t now = hw_now_ns();
        struct pollfd p = { .fd = r->over, .events = POLLIN };
        if (now >= until_ns)
            return false;
        if (poll(&p, 1, (int)((until_ns - now) / 1000000) + 1) > 0 && read(r->over, &byte, 1) != 1)
            return false;
        r->ended = (p.revents & POLLIN) != 0;
    }
    return r->ended;
}

static HW_NORETURN void finish(struct judging *j, enum verify_outcome outcome, const char *why)
{
    for (int w = 0; w < N_WAYS; w++)
        if (j->running[w].pid > 0) {
            kill(j->running[w].pid, SIGKILL);
            waitpid(j->running[w].pid, NULL, 0);
        }
    snprintf(j->out->why, sizeof j->out->why, "%s", why);
    j->out->outcome = outcome;
    _exit(0);
}

static bool same_end(const struct verify_run *a, const struct verify_run *b)
{
    return a->fault == b->fault && a->texts == b->texts && a->sum == b->sum;
}

/* excuses: what differs between orders of the reference too. */
static void compare(struct judging *j, int a, int b, bool excuses, struct verify_difference *out)
{
    unsigned floats = excuses ? j->v->traits & (VERIFY_FLOAT_SUMS | VERIFY_DOUBLE_SUMS) : 0;
    pid_t others[VERIFY_OTHERS] = { 0 };
    if (excuses) {
        others[0] = j->running[BACKWARDS].pid;
        others[1] = j->running[IN_STEP].pid;
    }
    if (!verify_compare(&j->ranges, j->running[a].pid, j->running[b].pid, others, floats, out))
        finish(j, VERIFY_NOT, "the memory of a copy of the process cannot be read");
}

/* Who comes first at an atomic gets another place, and what is written there is by chance the same in the orders that were tried. That can be
   said of some words, not of most. */
static bool order_spreads(const struct judging *j, const struct verify_difference *d)
{
    return d->excused >= d->bytes - d->excused && (j->v->traits & (VERIFY_ATOMICS | VERIFY_MALLOC | VERIFY_CLOCK | VERIFY_WAITS | VERIFY_ACTIVE));
}

static const char *why_order(unsigned traits, bool spreads)
{
    if (traits & VERIFY_CLOCK)
        return "reads the clock";
    if (traits & (VERIFY_FLOAT_SUMS | VERIFY_DOUBLE_SUMS))
        return "sums of floats by atomics";
    if (traits & VERIFY_MALLOC)
        return "addresses of malloc()";
    return spreads ? "depends on which thread is first at an atomic or a flag" : "depends on the order of threads, or on memory that nobody has written";
}

/* They differ. Would they with one thread too, and do runs of the reference differ in the same places when others come first? */
static HW_NORETURN void explain(struct judging *j, uint64_t limit_ns)
{
    const struct verify_run *ref = &j->runs[FORWARDS], *back = &j->runs[BACKWARDS], *vec = &j->runs[VECTOR_ALONE];
    struct verify_difference d;
    uint64_t until = hw_now_ns() + limit_ns;
    begin(j, VECTOR_ALONE);
    begin(j, BACKWARDS);
    if (j->v->steps)
        begin(j, IN_STEP);
    if (!await(j, VECTOR_ALONE, until) || !await(j, BACKWARDS, until) || (j->v->steps && !await(j, IN_STEP, until)))
        finish(j, VERIFY_NOT, "a run in another order did not end in time");
    j->out->vector = *vec;
    if (ref->fault != vec->fault) {
        if (back->fault != ref->fault)
            finish(j, VERIFY_ORDER, "how it ends depends on the order of threads");
        j->out->by_fault = true;
        finish(j, VERIFY_DIFFERENT, "");
    }
    if (ref->fault)
        finish(j, VERIFY_ORDER, "how it ends depends on the order of blocks");
    compare(j, FORWARDS, VECTOR_ALONE, true, &d);
    bool text = !same_end(ref, vec), text_excused = text && !same_end(ref, back);
    j->out->bytes = d.bytes;
    j->out->excused = d.excused;
    j->out->first = d.first;
    if (!d.bytes && !text)
        finish(j, VERIFY_ORDER, "depends on the order of blocks");
    if (d.bytes == d.excused && (!text || text_excused))
        finish(j, VERIFY_ORDER, why_order(j->v->traits, false));
    if (d.bytes && order_spreads(j, &d) && (!text || text_excused))
        finish(j, VERIFY_ORDER, why_order(j->v->traits, true));
    j->out->by_text = text && !text_excused && d.bytes == d.excused;
    finish(j, VERIFY_DIFFERENT, "");
}

void verify_judge(const struct exec_launch *launch, const struct verify *v, struct verify_result *out)
{
    enum { WAITS_S = 3 };        /* a kernel that may wait for what is outside */
    struct judging j = { .launch = launch, .v = v, .out = out };
    struct verify_difference d = { 0 };
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    j.runs = mmap(NULL, sizeof *j.runs * N_WAYS, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (j.runs == MAP_FAILED)
        finish(&j, VERIFY_NOT, "no memory");
    verify_ranges_find(&j.ranges, launch);
    uint64_t limit = (uint64_t)hw_options()->verify_limit * 1000000000u, begun = hw_now_ns();
    begin(&j, VECTOR);
    begin(&j, FORWARDS);
    if (!await(&j, VECTOR, begun + (launch->kernel->alone ? limit : hw_min_u64(limit, WAITS_S * 1000000000ull))))
        finish(&j, VERIFY_NOT, launch->kernel->alone ? "took too long" : "took too long, and may wait for what is outside of it");
    if (!await(&j, FORWARDS, begun + limit))
        finish(&j, VERIFY_NOT, "the reference took too long");
    out->reference = j.runs[FORWARDS];
    out->vector = j.runs[VECTOR];
    if (out->reference.fault && out->reference.fault == out->vector.fault)
        finish(&j, VERIFY_SAME, "");             /* which blocks had run by then nobody can say */
    if (!out->reference.fault && !out->vector.fault)
        compare(&j, FORWARDS, VECTOR, false, &d);
    if (same_end(&out->reference, &out->vector) && !d.bytes)
        finish(&j, VERIFY_SAME, "");
    explain(&j, limit);
}
