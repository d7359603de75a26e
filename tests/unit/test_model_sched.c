/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Models of the scheduler's core protocols, run through every interleaving.
 *
 * A model is a handful of threads, each a small step machine over one shared state; a step is what the real code does in one
 * atomic action or under one hold of the lock. The explorer visits every state that can be reached and asks in each whether the
 * rules hold, and in each state in which nobody can move whether everything is done. Every model also comes with bugs built in on
 * purpose: the explorer must find each of them, or it proves nothing.
 *
 *   locking    base/lock.c: a mutex of three states
 *   waiting    core/stream/sched.c: a host thread spins, parks and is woken (struct waiter)
 *   values     core/stream/values.c: the thread that looks at values sleeps while there are none
 *   queueing   core/stream/sched.c: streams, events, engines; what is queued while its dependency finishes
 *   chains     core/stream/sched.c: small kernels that one thread runs in a row, while more are queued, somebody waits, or it must stop
 */
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { MAX_THREADS = 4, STATE_BYTES = 48 };

struct state {
    uint8_t b[STATE_BYTES];
};

struct model {
    const char *name;
    int n_threads;
    int bug;                                                     /* 0: the real protocol */
    void (*init)(struct state *s);
    /* One step of a thread. False: it cannot move now, or is at its end. */
    bool (*step)(const struct model *m, struct state *s, int thread);
    const char *(*wrong)(const struct state *s);                 /* a rule that is broken, or NULL */
    bool (*complete)(const struct state *s);                     /* where nobody can move: is this how it should end? */
};

/* --- the explorer: depth first, every state once --- */

struct explorer {
    struct state *seen;                                          /* open addressing; used[i] says whether seen[i] is there */
    uint8_t *used;
    size_t n, cap;
    struct state *stack;
    size_t top, stack_cap;
};

static uint64_t hash(const struct state *s)
{
    uint64_t h = 1469598103934665603u;
    for (int i = 0; i < STATE_BYTES; i++)
        h = (h ^ s->b[i]) * 1099511628211u;
    return h ^ h >> 29;
}

static bool insert(struct explorer *e, const struct state *s)
{
    if (e->n * 2 >= e->cap) {
        struct explorer old = *e;
        e->cap = old.cap ? old.cap * 2 : 1 << 12;
        e->n = 0;
        e->seen = hw_alloc(e->cap * sizeof *e->seen);
        e->used = hw_alloc(e->cap);
        for (size_t i = 0; i < old.cap; i++)
            if (old.used[i])
                insert(e, &old.seen[i]);
        hw_free(old.seen);
        hw_free(old.used);
    }
    size_t at = hash(s) & (e->cap - 1);
    while (e->used[at]) {
        if (memcmp(&e->seen[at], s, sizeof *s) == 0)
            return false;
        at = (at + 1) & (e->cap - 1);
    }
    e->used[at] = 1;
    e->seen[at] = *s;
    e->n++;
    return true;
}

static void push(struct explorer *e, const struct state *s)
{
    if (!insert(e, s))
        return;
    if (e->top == e->stack_cap) {
        e->stack_cap = e->stack_cap ? e->stack_cap * 2 : 256;
        e->stack = hw_realloc(e->stack, e->stack_cap * sizeof *e->stack);
    }
    e->stack[e->top++] = *s;
}

/* What is wrong with the model, or NULL. */
static const char *explore(const struct model *m, size_t *n_states)
{
    struct explorer e = { 0 };
    struct state s;
    const char *wrong = NULL;
    memset(&s, 0, sizeof s);
    m->init(&s);
    push(&e, &s);
    while (e.top && !wrong) {
        struct state now = e.stack[--e.top];
        bool moved = false;
        wrong = m->wrong(&now);
        for (int t = 0; t < m->n_threads && !wrong; t++) {
            struct state next = now;
            if (!m->step(m, &next, t))
                continue;
            moved = true;
            push(&e, &next);
        }
        if (!wrong && !moved && !m->complete(&now))
            wrong = "nobody can move, and not everything is done";
    }
    *n_states = e.n;
    hw_free(e.seen);
    hw_free(e.used);
    hw_free(e.stack);
    return wrong;
}

/* --- locking: three threads take the lock twice each --- */

enum { L_THREADS = 3, L_ROUNDS = 2 };
enum { L_STATE, L_ASLEEP, L_PC = L_ASLEEP + L_THREADS, L_DONE = L_PC + L_THREADS, L_INSIDE = L_DONE + L_THREADS };
enum { LOCK_OK, LOCK_BUG_FORGETS_SLEEPERS, LOCK_BUG_NO_WAKE, LOCK_BUG_TWO_STEPS };

static void lock_init(struct state *s)
{
    (void)s;
}

static void lock_enter(struct state *s, int t)
{
    s->b[L_INSIDE]++;
    s->b[L_PC + t] = 3;
}

static bool lock_step(const struct model *m, struct state *s, int t)
{
    uint8_t old = s->b[L_STATE], *pc = &s->b[L_PC + t];
    if (s->b[L_ASLEEP + t] || s->b[L_DONE + t] == L_ROUNDS)
        return false;
    switch (*pc) {
    case 0:                                                      /* hw_lock(): free becomes held */
        *pc = 1;
        if (old == 0 && m->bug == LOCK_BUG_TWO_STEPS) {          /* looks, and takes it later */
            *pc = 4;
        } else if (old == 0) {
            s->b[L_STATE] = 1;
            lock_enter(s, t);
        }
        return true;
    case 1:                                                      /* hw_lock_slow(): who comes from here says that others may sleep */
        s->b[L_STATE] = m->bug == LOCK_BUG_FORGETS_SLEEPERS && old == 0 ? 1 : 2;
        *pc = 2;
        if (old == 0)
            lock_enter(s, t);
        return true;
    case 2:                                                      /* futex: compares and sleeps in one action */
        s->b[L_ASLEEP + t] = old == 2;
        *pc = 1;
        return true;
    case 3:                                                      /* hw_unlock() */
        s->b[L_INSIDE]--;
        s->b[L_STATE] = 0;
        s->b[L_DONE + t]++;
        *pc = old == 2 && m->bug != LOCK_BUG_NO_WAKE ? 5 : 0;
        if (s->b[L_DONE + t] == L_ROUNDS && *pc == 5)
            s->b[L_DONE + t]--, *pc = 6;
        return true;
    case 4:
        s->b[L_STATE] = 1;
        lock_enter(s, t);
        return true;
    default:                                                     /* the wake, once the lock is free */
        for (int other = 0; other < L_THREADS; other++)
            if (s->b[L_ASLEEP + other]) {
                s->b[L_ASLEEP + other] = 0;
                break;
            }
        s->b[L_DONE + t] += *pc == 6;
        *pc = 0;
        return true;
    }
}

static const char *lock_wrong(const struct state *s)
{
    return s->b[L_INSIDE] > 1 ? "two threads hold the lock" : NULL;
}

static bool lock_complete(const struct state *s)
{
    for (int t = 0; t < L_THREADS; t++)
        if (s->b[L_DONE + t] != L_ROUNDS)
            return false;
    return true;
}

/* --- waiting: thread 0 waits for two things, threads 1 and 2 finish one each --- */

enum { W_SPINS, W_PARKED, W_DONE };
enum { W_STATE, W_PENDING, W_ASLEEP, W_GONE, W_TOUCHED, W_PC, W_OLD = W_PC + 3 };
enum { WAIT_OK, WAIT_BUG_NO_EXCHANGE, WAIT_BUG_WAKES_FIRST };

static void wait_init(struct state *s)
{
    s->b[W_STATE] = W_SPINS;
    s->b[W_PENDING] = 2;
}

/* wait_for(): look, park by compare-exchange, sleep while parked. The waiter's memory goes when it returns. */
static bool waiter_step(struct state *s)
{
    switch (s->b[W_PC]) {
    case 0:                                                      /* spinning ends at any time */
        s->b[W_PC] = s->b[W_STATE] == W_DONE ? 3 : 1;
        return true;
    case 1:
        if (s->b[W_STATE] == W_SPINS)
            s->b[W_STATE] = W_PARKED;
        s->b[W_PC] = 2;
        return true;
    case 2:                                                      /* futex: compares and sleeps in one action */
        if (s->b[W_ASLEEP])
            return false;
        if (s->b[W_STATE] == W_PARKED)
            s->b[W_ASLEEP] = 1;
        else
            s->b[W_PC] = 3;
        return true;
    case 3:
        s->b[W_GONE] = 1;
        s->b[W_PC] = 4;
        return true;
    default: return false;
    }
}

/* signal_waiter() under the lock, and the wake once it is dropped. */
static bool signal_step(const struct model *m, struct state *s, int t)
{
    uint8_t *pc = &s->b[W_PC + t], *old = &s->b[W_OLD + t];
    switch (*pc) {
    case 0:
        if (--s->b[W_PENDING] > 0) {
            *pc = 3;
            return true;
        }
        s->b[W_TOUCHED] |= s->b[W_GONE];
        *old = s->b[W_STATE];
        if (m->bug == WAIT_BUG_NO_EXCHANGE) {                    /* looks first, stores later */
            *pc = 1;
            return true;
        }
        if (m->bug == WAIT_BUG_WAKES_FIRST)                      /* wakes before the state says why */
            s->b[W_ASLEEP] = 0;
        s->b[W_STATE] = m->bug == WAIT_BUG_WAKES_FIRST ? s->b[W_STATE] : W_DONE;
        *pc = m->bug == WAIT_BUG_WAKES_FIRST ? 1 : 2;
        return true;
    case 1:
        s->b[W_STATE] = W_DONE;
        *pc = m->bug == WAIT_BUG_WAKES_FIRST ? 3 : 2;
        return true;
    case 2:                                                      /* only the address is used: the waiter may be gone */
        if (*old == W_PARKED)
            s->b[W_ASLEEP] = 0;
        *pc = 3;
        return true;
    default: return false;
    }
}

static bool wait_step(const struct model *m, struct state *s, int thread)
{
    return thread == 0 ? waiter_step(s) : signal_step(m, s, thread);
}

static const char *wait_wrong(const struct state *s)
{
    if (s->b[W_TOUCHED])
        return "a waiter is touched that has returned";
    return s->b[W_GONE] && s->b[W_PENDING] ? "a waiter returns too early" : NULL;
}

static bool wait_complete(const struct state *s)
{
    return s->b[W_GONE];
}

/* --- values: thread 0 looks, thread 1 and 2 hand it one command each --- */

enum { V_LIST, V_COUNT, V_SEEN, V_HELD, V_ASLEEP, V_DONE, V_PC };
enum { VALUES_OK, VALUES_BUG_READS_COUNT_LATE, VALUES_BUG_COUNTS_FIRST };

static void values_init(struct state *s)
{
    (void)s;
}

static bool looker_step(const struct model *m, struct state *s)
{
    bool late = m->bug == VALUES_BUG_READS_COUNT_LATE;
    if (s->b[V_ASLEEP])
        return false;
    switch (s->b[V_PC]) {
    case 0:                                                      /* the count before the list: what comes later is noticed */
    case 1: {
        bool takes = (s->b[V_PC] == 1) != late;
        if (takes) {
            s->b[V_HELD] += s->b[V_LIST];
            s->b[V_LIST] = 0;
        } else {
            s->b[V_SEEN] = s->b[V_COUNT];
        }
        s->b[V_PC]++;
        return true;
    }
    case 2:
        s->b[V_DONE] += s->b[V_HELD];
        s->b[V_HELD] = 0;
        s->b[V_PC] = 3;
        return true;
    default:                                                     /* futex */
        if (s->b[V_COUNT] == s->b[V_SEEN])
            s->b[V_ASLEEP] = 1;
        s->b[V_PC] = 0;
        return true;
    }
}

static bool giver_step(const struct model *m, struct state *s, int t)
{
    uint8_t *pc = &s->b[V_PC + t];
    bool count_first = m->bug == VALUES_BUG_COUNTS_FIRST;
    if (*pc > 2)
        return false;
    if (*pc == 2)
        s->b[V_ASLEEP] = 0;
    else if ((*pc == 0) != count_first)
        s->b[V_LIST]++;
    else
        s->b[V_COUNT]++;
    if (count_first && *pc == 0)
        s->b[V_ASLEEP] = 0;                                      /* and its wake comes too early as well */
    *pc = count_first && *pc == 1 ? 3 : *pc + 1;
    return true;
}

static bool values_step(const struct model *m, struct state *s, int thread)
{
    return thread == 0 ? looker_step(m, s) : giver_step(m, s, thread);
}

static const char *values_wrong(const struct state *s)
{
    return s->b[V_DONE] > 2 ? "a command is done twice" : NULL;
}

static bool values_complete(const struct state *s)
{
    return s->b[V_DONE] == 2;
}

/* --- queueing: two streams; A0 A1 in one, W B in the other, where W waits for the event recorded behind A0 --- */

enum { A0, A1, RECORD, W, B, N_CMDS };
enum { S_ABSENT, S_QUEUED, S_RUNNING, S_DONE };
enum { Q_CMD, Q_PENDING = Q_CMD + N_CMDS, Q_DEPS, Q_TURN, Q_LOG, Q_PC = Q_LOG + N_CMDS, Q_HAS = Q_PC + 4, Q_RUNS = Q_HAS + 4 };
enum { QUEUE_OK, QUEUE_BUG_LOOKS_BEFORE_THE_LOCK, QUEUE_BUG_NO_ADVANCE, QUEUE_BUG_NO_FIFO };

static const uint8_t stream_of[N_CMDS] = { 0, 0, 0, 1, 1 };
static const uint8_t queue_order[2][3] = { { A0, RECORD, A1 }, { W, B, B } };

static void queue_init(struct state *s)
{
    s->b[Q_PENDING] = 0;
}

static bool is_head(const struct model *m, const struct state *s, int cmd)
{
    for (int i = 0; i < 3; i++) {
        int c = queue_order[stream_of[cmd]][i];
        if (c == cmd)
            return true;
        if (s->b[Q_CMD + c] != S_DONE && s->b[Q_CMD + c] != S_ABSENT && m->bug != QUEUE_BUG_NO_FIFO)
            return false;
    }
    return false;
}

static void finish(struct state *s, int cmd)
{
    s->b[Q_CMD + cmd] = S_DONE;
    s->b[Q_LOG + cmd] = ++s->b[Q_TURN];
    if (cmd == RECORD && s->b[Q_PENDING]) {                      /* lets go what hung on it */
        s->b[Q_PENDING] = 0;
        s->b[Q_DEPS] = 0;
    }
}

/* advance_locked(): records and waits end at once, kernels become ready. */
static void advance(const struct model *m, struct state *s)
{
    for (bool again = true; again;) {
        again = false;
        for (int c = 0; c < N_CMDS; c++) {
            if (s->b[Q_CMD + c] != S_QUEUED || !is_head(m, s, c) || (c == W && s->b[Q_DEPS]))
                continue;
            if (c == RECORD || c == W)
                finish(s, c);
            else
                s->b[Q_CMD + c] = S_RUNNING;
            again = true;
        }
    }
}

/* The program: queue A0, record, A1, wait, B; each call is one hold of the lock, except where the bug splits it. */
static bool program_step(const struct model *m, struct state *s)
{
    static const uint8_t calls[] = { A0, RECORD, A1, W, W, B };
    uint8_t *pc = &s->b[Q_PC];
    if (*pc >= HW_LEN(calls))
        return false;
    int c = calls[*pc];
    if (c == W && *pc == 3) {
        if (m->bug == QUEUE_BUG_LOOKS_BEFORE_THE_LOCK)           /* is the event pending? asked now, used later */
            s->b[Q_HAS] = s->b[Q_PENDING];
        ++*pc;
        return true;
    }
    if (c == RECORD)
        s->b[Q_PENDING] = 1;
    if (c == W)
        s->b[Q_DEPS] = m->bug == QUEUE_BUG_LOOKS_BEFORE_THE_LOCK ? s->b[Q_HAS] : s->b[Q_PENDING];
    s->b[Q_CMD + c] = S_QUEUED;
    advance(m, s);
    ++*pc;
    return true;
}

/* An engine takes a ready command, runs it, and finishes it under the lock. */
static bool engine_step(const struct model *m, struct state *s, int t)
{
    uint8_t *has = &s->b[Q_HAS + t];
    if (*has == 0) {
        for (int c = 0; c < N_CMDS; c++) {
            bool taken = false;
            for (int other = 1; other < m->n_threads; other++)
                taken |= s->b[Q_HAS + other] == c + 1;
            if (s->b[Q_CMD + c] == S_RUNNING && !taken) {
                *has = (uint8_t)(c + 1);
                s->b[Q_RUNS + c]++;
                return true;
            }
        }
        return false;
    }
    finish(s, *has - 1);
    *has = 0;
    if (m->bug != QUEUE_BUG_NO_ADVANCE)
        advance(m, s);
    return true;
}

static bool queue_step(const struct model *m, struct state *s, int thread)
{
    return thread == 0 ? program_step(m, s) : engine_step(m, s, thread);
}

static const char *queue_wrong(const struct state *s)
{
    static const uint8_t before[][2] = { { A0, A1 }, { A0, RECORD }, { RECORD, W }, { W, B }, { A0, B } };
    for (int c = 0; c < N_CMDS; c++)
        if (s->b[Q_RUNS + c] > 1)
            return "a command runs twice";
    for (size_t i = 0; i < HW_LEN(before); i++) {
        uint8_t first = s->b[Q_LOG + before[i][0]], second = s->b[Q_LOG + before[i][1]];
        if (second && (!first || first > second))
            return "a command ends before one it waits for";
    }
    return NULL;
}

static bool queue_complete(const struct state *s)
{
    for (int c = 0; c < N_CMDS; c++)
        if (s->b[Q_CMD + c] != S_DONE)
            return false;
    return true;
}

/* --- chains: thread 0 queues small kernels, 1 runs them, 2 waits for the newest at some time, 3 wants the engine once --- */

enum { C_KERNELS = 4 };
enum { C_STATUS, C_NEXT = C_STATUS + C_KERNELS, C_HUNG = C_NEXT + C_KERNELS, C_RUNS = C_HUNG + C_KERNELS, C_OPEN = C_RUNS + C_KERNELS,
       C_QUEUED, C_URGENT, C_FIRST, C_AT, C_WAITER, C_PC };
enum { CHAIN_OK, CHAIN_BUG_GROWS_BEHIND_A_WAITER, CHAIN_BUG_FINISHES_ALL, CHAIN_BUG_FORGETS_THE_REST };
enum { K_ABSENT, K_WAITS, K_RAN, K_DONE };
enum { WAITS_NOT_YET, WAITS_NOW, WAITED };

static void chain_init(struct state *s)
{
    for (int k = 0; k < C_KERNELS; k++)
        s->b[C_NEXT + k] = C_KERNELS;                            /* none */
    s->b[C_OPEN] = C_KERNELS;
}

/* chain_locked(): behind a command that somebody waits for begins a new chain. */
static bool chain_program(const struct model *m, struct state *s)
{
    uint8_t k = s->b[C_QUEUED];
    if (k == C_KERNELS)
        return false;
    bool hung = k > 0 && s->b[C_HUNG + k - 1] && m->bug != CHAIN_BUG_GROWS_BEHIND_A_WAITER;
    if (s->b[C_OPEN] != C_KERNELS && !hung)
        s->b[C_NEXT + k - 1] = k;
    else
        s->b[C_OPEN] = k;
    s->b[C_STATUS + k] = K_WAITS;
    s->b[C_QUEUED]++;
    return true;
}

/* advance_locked(), run_chain(), on_done(). */
static bool chain_worker(const struct model *m, struct state *s)
{
    uint8_t *at = &s->b[C_AT], head = 0;
    while (head < C_KERNELS && s->b[C_STATUS + head] == K_DONE)
        head++;
    switch (s->b[C_PC + 1]) {
    case 0:
        if (head == C_KERNELS || s->b[C_STATUS + head] != K_WAITS)
            return false;
        if (s->b[C_OPEN] == head)
            s->b[C_OPEN] = C_KERNELS;
        s->b[C_FIRST] = *at = head;
        s->b[C_PC + 1] = 1;
        return true;
    case 1:
        s->b[C_STATUS + *at] = K_RAN;
        s->b[C_RUNS + *at]++;
        s->b[C_PC + 1] = 2;
        return true;
    case 2:                                                      /* on, unless a job waits that is as urgent */
        if (s->b[C_NEXT + *at] == C_KERNELS || s->b[C_URGENT] == 1) {
            s->b[C_PC + 1] = 3;
        } else {
            *at = s->b[C_NEXT + *at];
            s->b[C_PC + 1] = 1;
        }
        return true;
    default: {
        uint8_t k = s->b[C_FIRST], next;
        for (; k != C_KERNELS && (s->b[C_STATUS + k] == K_RAN || m->bug == CHAIN_BUG_FINISHES_ALL); k = next) {
            next = s->b[C_NEXT + k];
            s->b[C_NEXT + k] = C_KERNELS;
            s->b[C_STATUS + k] = K_DONE;
            if (s->b[C_HUNG + k])
                s->b[C_WAITER] = WAITED;
        }
        if (k != C_KERNELS && m->bug == CHAIN_BUG_FORGETS_THE_REST)
            s->b[C_STATUS + k] = K_RAN;                          /* still marked as running: nobody takes it */
        s->b[C_URGENT] *= 2;                                     /* the other job had its turn */
        s->b[C_PC + 1] = 0;
        return true;
    }
    }
}

static bool chain_step(const struct model *m, struct state *s, int thread)
{
    uint8_t n = s->b[C_QUEUED];
    switch (thread) {
    case 0: return chain_program(m, s);
    case 1: return chain_worker(m, s);
    case 2:                                                      /* sched_wait_stream() */
        if (s->b[C_WAITER] != WAITS_NOT_YET || n == 0)
            return false;
        s->b[C_WAITER] = s->b[C_STATUS + n - 1] == K_DONE ? WAITED : WAITS_NOW;
        s->b[C_HUNG + n - 1] = s->b[C_WAITER] == WAITS_NOW;
        return true;
    default:
        if (s->b[C_URGENT])
            return false;
        s->b[C_URGENT] = 1;
        return true;
    }
}

static const char *chain_wrong(const struct state *s)
{
    for (int k = 0; k < C_KERNELS; k++) {
        if (s->b[C_RUNS + k] > 1)
            return "a kernel runs twice";
        if (s->b[C_STATUS + k] == K_DONE && !s->b[C_RUNS + k])
            return "a kernel is over that never ran";
        if (k > 0 && s->b[C_RUNS + k] && !s->b[C_RUNS + k - 1])
            return "a kernel runs before the one before it";
        if (k > 0 && s->b[C_RUNS + k] && s->b[C_HUNG + k - 1] && s->b[C_STATUS + k - 1] != K_DONE)
            return "who waits for a kernel waits for the next one, too";
    }
    return NULL;
}

static bool chain_complete(const struct state *s)
{
    for (int k = 0; k < C_KERNELS; k++)
        if (s->b[C_STATUS + k] != K_DONE)
            return false;
    return s->b[C_WAITER] == WAITED;
}

/* --- the tests --- */

static const struct model locking = { "locking", 3, 0, lock_init, lock_step, lock_wrong, lock_complete };
static const struct model waiting = { "waiting", 3, 0, wait_init, wait_step, wait_wrong, wait_complete };
static const struct model values = { "values", 3, 0, values_init, values_step, values_wrong, values_complete };
static const struct model queueing = { "queueing", 3, 0, queue_init, queue_step, queue_wrong, queue_complete };

static const struct model chains = { "chains", 4, 0, chain_init, chain_step, chain_wrong, chain_complete };

static void holds(const struct model *m)
{
    size_t n;
    const char *wrong = explore(m, &n);
    print_message("%s: %zu states\n", m->name, n);
    if (wrong)
        print_message("%s: %s\n", m->name, wrong);
    assert_null(wrong);
    assert_true(n > 20);                                         /* it did interleave */
}

static void finds_bugs(const struct model *m, int n_bugs)
{
    for (int bug = 1; bug <= n_bugs; bug++) {
        struct model broken = *m;
        size_t n;
        broken.bug = bug;
        const char *wrong = explore(&broken, &n);
        print_message("%s, bug %d: %s\n", m->name, bug, wrong ? wrong : "NOT FOUND");
        assert_non_null(wrong);
    }
}

static void one_thread_holds_a_lock_and_none_sleeps_for_ever(void **state) { (void)state; holds(&locking); }
static void bugs_in_locking_are_found(void **state) { (void)state; finds_bugs(&locking, 3); }
static void a_waiter_is_always_woken_and_never_touched_after(void **state) { (void)state; holds(&waiting); }
static void bugs_in_waiting_are_found(void **state) { (void)state; finds_bugs(&waiting, 2); }
static void values_that_come_while_the_looker_falls_asleep_are_seen(void **state) { (void)state; holds(&values); }
static void bugs_in_values_are_found(void **state) { (void)state; finds_bugs(&values, 2); }
static void every_command_runs_once_and_in_order(void **state) { (void)state; holds(&queueing); }
static void bugs_in_queueing_are_found(void **state) { (void)state; finds_bugs(&queueing, 3); }
static void chains_keep_order_and_wake_who_waits_in_time(void **state) { (void)state; holds(&chains); }
static void bugs_in_chains_are_found(void **state) { (void)state; finds_bugs(&chains, 3); }

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_thread_holds_a_lock_and_none_sleeps_for_ever),
        cmocka_unit_test(bugs_in_locking_are_found),
        cmocka_unit_test(a_waiter_is_always_woken_and_never_touched_after),
        cmocka_unit_test(bugs_in_waiting_are_found),
        cmocka_unit_test(values_that_come_while_the_looker_falls_asleep_are_seen),
        cmocka_unit_test(bugs_in_values_are_found),
        cmocka_unit_test(every_command_runs_once_and_in_order),
        cmocka_unit_test(bugs_in_queueing_are_found),
        cmocka_unit_test(chains_keep_order_and_wake_who_waits_in_time),
        cmocka_unit_test(bugs_in_chains_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
