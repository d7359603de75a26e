/* SPDX-License-Identifier: Apache-2.0 */
/* Barriers in shared memory, and copies to shared memory that go on while threads do (cp.async). */
#include "check/check.h"
#include "check/race.h"
#include "check/sync.h"

#include "base/vec.h"
#include "kabi/note.h"

enum { MBARRIERS = 64, THREADS = 1024 };

struct mbarrier {
    uint32_t at, init_site, thread, inval_site;  /* inval_site: plus 1 */
    bool valid;
    uint32_t vain_site, vain_thread;             /* somebody waits for the phase at hand; the site plus 1, 0: nobody */
    uint32_t missing, expected;  /* arrivals of that phase, when he looked */
};

/* An asynchronous copy that nobody has waited for. */
struct copy {
    uint32_t at, bytes, thread, site, group;     /* group 0: not committed */
    uint32_t store;              /* the site that stores it, plus 1 */
};

struct sync_memory {
    struct runner *r;
    struct mbarrier mbarriers[MBARRIERS];
    unsigned n_mbarriers;
    HW_VEC(struct copy) copies;
    uint32_t committed[THREADS];
    uint64_t *pending;           /* bytes of shared memory that copies will write, one bit each */
    size_t words;
};

struct sync_memory *sync_memory_new(struct runner *r)
{
    struct sync_memory *m = hw_alloc(sizeof *m);
    m->r = r;
    m->words = r->launch->kl.shared_bytes / 64 + 1;
    m->pending = hw_alloc(m->words * sizeof *m->pending);
    return m;
}

void sync_memory_begin(struct sync_memory *m)
{
    m->n_mbarriers = 0;
    if (m->copies.n)
        memset(m->pending, 0, m->words * sizeof *m->pending);
    m->copies.n = 0;
    if (m->r->notes)
        memset(m->committed, 0, sizeof m->committed);
}

void sync_memory_free(struct sync_memory *m)
{
    if (!m)
        return;
    hw_vec_fini(&m->copies);
    hw_free(m->pending);
    hw_free(m);
}

static const struct details_site *site_of(const struct sync_memory *m, uint32_t site) { return &m->r->launch->kernel->details->sites[site]; }

/* ---- barriers in memory ---- */

static struct mbarrier *mbarrier_at(struct sync_memory *m, uint32_t at)
{
    for (unsigned k = 0; k < m->n_mbarriers; k++)
        if (m->mbarriers[k].at == at)
            return &m->mbarriers[k];
    return NULL;
}

static void tell_mbarrier(const struct sync_memory *m, uint32_t site, uint32_t thread, const struct mbarrier *bar, const char *what)
{
    struct report rep;
    if (!(check_tools & CHECK_SYNC))
        return;
    report_begin(&rep, "sync.mbarrier", "kernel %s: %s", m->r->launch->kernel->name, what);
    report_device(&rep, "call", site_of(m, site)->place, "block %llu, thread %u", runner_block(m->r), thread);
    if (bar)
        report_device(&rep, "init", site_of(m, bar->init_site)->place, "thread %u", bar->thread);
    if (bar && bar->inval_site)
        report_device(&rep, "inval", site_of(m, bar->inval_site - 1)->place, "before that");
    access_tell_launch(&rep, m->r);
    report_end(&rep);
}

static void init_mbarrier(struct sync_memory *m, uint32_t site, uint32_t thread, uint32_t at, uint64_t count)
{
    struct mbarrier *bar = mbarrier_at(m, at);
    if (count == 0 || count >= 1 << 20)
        tell_mbarrier(m, site, thread, NULL, "an mbarrier is initialised for a number of arrivals that is not 1 to 1048575");
    if (bar && bar->valid)
        tell_mbarrier(m, site, thread, bar, "an mbarrier is initialised that is one already");
    if (!bar && m->n_mbarriers < MBARRIERS)
        bar = &m->mbarriers[m->n_mbarriers++];
    if (bar)
        *bar = (struct mbarrier){ .at = at, .init_site = site, .thread = thread, .valid = true };
}

/* More than there is room for are not known: nothing is said of those. */
static void use_mbarrier(struct sync_memory *m, uint32_t site, uint32_t thread, uint32_t at)
{
    struct mbarrier *bar = mbarrier_at(m, at);
    if ((!bar && m->n_mbarriers < MBARRIERS) || (bar && !bar->valid))
        tell_mbarrier(m, site, thread, bar, bar ? "an mbarrier is used that was invalidated" : "an mbarrier is used that was not initialised");
}

static void arrive(struct sync_memory *m, const struct kabi_block *block, uint32_t site, uint32_t thread, uint32_t at, uint64_t count)
{
    uint64_t word;
    use_mbarrier(m, site, thread, at);
    if (at + sizeof word > m->r->launch->kl.shared_bytes || !mbarrier_at(m, at))
        return;
    memcpy(&word, block->shared + at, sizeof word);
    uint64_t expected = word >> 20 & 0xfffff;    /* lower/mbarrier.c */
    mbarrier_at(m, at)->vain_site = 0;           /* who waits looks again */
    if (count > expected)
        tell_mbarrier(m, site, thread, mbarrier_at(m, at), "more arrivals at an mbarrier than a phase of it takes");
}

/* Not while bytes are to come: who brings those is not seen. */
static void wait_mbarrier(struct sync_memory *m, const struct kabi_block *block, uint32_t site, uint32_t thread, uint32_t at, uint64_t phase)
{
    struct mbarrier *bar = mbarrier_at(m, at);
    uint64_t word;
    use_mbarrier(m, site, thread, at);
    if (at + sizeof word > m->r->launch->kl.shared_bytes || !bar || !bar->valid)
        return;
    memcpy(&word, block->shared + at, sizeof word);
    bool over = word >> 63 != phase, bytes = word >> 40 & 0x3fffff;
    bar->vain_site = over || bytes ? 0 : site + 1;
    bar->vain_thread = thread;
    bar->missing = (uint32_t)word & 0xfffff;
    bar->expected = word >> 20 & 0xfffff;
}

void sync_memory_end(struct sync_memory *m)
{
    struct report rep;
    for (unsigned k = 0; (check_tools & CHECK_SYNC) && k < m->n_mbarriers; k++) {
        const struct mbarrier *bar = &m->mbarriers[k];
        if (!bar->valid || !bar->vain_site || !bar->missing)
            continue;
        report_begin(&rep, "sync.mbarrier", "kernel %s: threads wait for a phase of an mbarrier that does not end", m->r->launch->kernel->name);
        report_device(&rep, "wait", site_of(m, bar->vain_site - 1)->place, "block %llu, thread %u: %u of %u arrivals are missing", runner_block(m->r), bar->vain_thread,
                      bar->missing, bar->expected);
        report_device(&rep, "init", site_of(m, bar->init_site)->place, "thread %u, for %u arrivals", bar->thread, bar->expected);
        access_tell_launch(&rep, m->r);
        report_advice(&rep, "All threads of the block have given up or left. As many must arrive as the barrier was made for.");
        report_end(&rep);
    }
}

/* ---- asynchronous copies ---- */

static bool is_pending(const struct sync_memory *m, uint64_t at, uint64_t bytes)
{
    for (uint64_t k = at; k < at + bytes && k / 64 < m->words; k++)
        if (m->pending[k / 64] >> k % 64 & 1)
            return true;
    return false;
}

static void mark(struct sync_memory *m, const struct copy *c, bool on)
{
    for (uint64_t k = c->at; k < c->at + c->bytes && k / 64 < m->words; k++)
        m->pending[k / 64] = on ? m->pending[k / 64] | (uint64_t)1 << k % 64 : m->pending[k / 64] & ~((uint64_t)1 << k % 64);
}

/* The copy is done: now it is a store. */
static void finish(struct sync_memory *m, const struct copy *c)
{
    uint64_t a[2 * LANES] = { 0 };
    unsigned lane = c->thread % LANES;
    mark(m, c, false);
    if (!m->r->race || !c->store)
        return;
    a[lane] = c->at;
    a[LANES + lane] = (uint64_t)c->thread << 32 | c->at;         /* no two the same */
    race_access(m->r->race, c->store - 1, c->thread - lane, 1u << lane, a, true);
}

/* Those of the thread's groups up to this number; of all, also what was not committed. */
static void wait_copies(struct sync_memory *m, uint32_t thread, uint32_t up_to, bool all)
{
    size_t kept = 0, n = m->copies.n;
    for (size_t k = 0; k < n; k++) {
        struct copy c = m->copies.v[k];
        if (c.thread == thread && (all || (c.group && c.group <= up_to)))
            finish(m, &c);
        else
            m->copies.v[kept++] = c;
    }
    m->copies.n = kept;
    for (size_t k = 0; k < kept && kept < n; k++)
        mark(m, &m->copies.v[k], true);          /* where copies overlap */
}

static void tell_early(const struct sync_memory *m, const struct access *x, unsigned lane, const struct copy *c)
{
    struct report rep;
    if (!(check_tools & CHECK_RACE))
        return;
    report_begin(&rep, "race.async", "kernel %s: shared memory is %s while an asynchronous copy to it goes on", m->r->launch->kernel->name, x->s->kind == DETAILS_IN_LOAD ? "read" : "written");
    report_device(&rep, access_verb(x->s), x->s->place, "block %llu, thread %u: byte %llu of shared memory", runner_block(m->r), x->thread + lane, (unsigned long long)x->offsets[lane]);
    report_device(&rep, "copy", site_of(m, c->site)->place, "thread %u, %u bytes%s", c->thread, c->bytes, c->group ? "" : ", not committed to a group");
    access_tell_launch(&rep, m->r);
    report_advice(&rep, "Thread %u must wait for its copies (cp.async.wait_group, __pipeline_wait_prior), and others for thread %u by a barrier behind that.", c->thread, c->thread);
    report_end(&rep);
}

void sync_shared(struct sync_memory *m, struct access *x)
{
    for (uint32_t left = m->copies.n ? x->shared : 0; left; left &= left - 1) {
        unsigned l = (unsigned)__builtin_ctz(left);
        uint64_t at = x->offsets[l];
        if (!is_pending(m, at, x->s->bytes))
            continue;
        for (size_t k = m->copies.n; k > 0; k--) {
            struct copy *c = &m->copies.v[k - 1];
            if (c->at >= at + x->s->bytes || at >= c->at + c->bytes)
                continue;
            if (x->s->kind == DETAILS_IN_STORE && c->thread == x->thread + l && c->at == at && !c->store) {
                c->store = x->site + 1;
                x->shared &= ~(1u << l);
            } else {
                tell_early(m, x, l, c);
            }
            break;
        }
    }
}

bool sync_shared_idle(const struct sync_memory *m) { return !m->copies.n; }

void sync_note(struct sync_memory *m, struct kabi_block *block, uint32_t site, uint32_t thread, uint32_t mask, const uint64_t *operands)
{
    const struct details_site *s = site_of(m, site);
    for (; mask; mask &= mask - 1) {
        unsigned l = (unsigned)__builtin_ctz(mask);
        uint32_t t = thread + l, at = (uint32_t)(s->space == DETAILS_GENERIC ? operands[l] - (uint64_t)(uintptr_t)block->shared : operands[l]);
        switch ((enum note_kind)s->op) {
        case NOTE_ASYNC_COPY: {
            struct copy c = { at, s->bytes, t, site, 0, 0 };
            hw_vec_push(&m->copies, c);
            mark(m, &c, true);
            break;
        }
        case NOTE_ASYNC_COMMIT:
            m->committed[t % THREADS]++;
            for (size_t k = 0; k < m->copies.n; k++)
                if (m->copies.v[k].thread == t && !m->copies.v[k].group)
                    m->copies.v[k].group = m->committed[t % THREADS];
            break;
        case NOTE_ASYNC_WAIT:
            if (m->committed[t % THREADS] > s->bytes)
                wait_copies(m, t, m->committed[t % THREADS] - s->bytes, false);
            break;
        case NOTE_ASYNC_DONE: wait_copies(m, t, 0, true); break;
        case NOTE_MBARRIER_INIT: init_mbarrier(m, site, t, at, operands[LANES + l]); break;
        case NOTE_MBARRIER_INVAL: {
            struct mbarrier *bar = mbarrier_at(m, at);
            use_mbarrier(m, site, t, at);
            if (bar) {
                bar->valid = false;
                bar->inval_site = site + 1;
            }
            break;
        }
        case NOTE_MBARRIER_ARRIVE: arrive(m, block, site, t, at, operands[LANES + l]); break;
        case NOTE_MBARRIER_WAIT: wait_mbarrier(m, block, site, t, at, operands[LANES + l]); break;
        case NOTE_MBARRIER_USE:
            use_mbarrier(m, site, t, at);
            if (mbarrier_at(m, at))
                mbarrier_at(m, at)->vain_site = 0;
            break;
        default: break;
        }
    }
}
