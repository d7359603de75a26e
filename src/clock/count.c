/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Kernels: the first launch with a shape and with certain numbers among its parameters runs instrumented code; some of its blocks are
 * counted, and a GPU's time follows from that (gpu/kernel.c). Later launches run plain code and have the same time.
 */
#include "clock/count_internal.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "core/module/launch.h"
#include "core/mem/mem.h"
#include "core/module/module.h"
#include "core/sched/sched.h"
#include "gpu/kernel.h"

#include <stdatomic.h>
#include <time.h>

enum { SAMPLE = 64, MOST_SETS = 16, WAIT_MS = 400 };

/* All launches of a kernel with one shape. */
struct family {
    unsigned sets;               /* of numbers among the parameters */
    struct count_entry *newest;
};

static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct hw_map entries, families;
static struct count_entry *all_entries, **all_end = &all_entries;
static _Atomic unsigned n_pending;

/* --- counting, on the threads that run blocks --- */

static _Thread_local struct counter *looking;    /* a kernel that reads clocks is run by this thread */
static _Atomic uint64_t clocks_ns = 1000000000;  /* the latest that any kernel's clock has been */

static double nominal_cycles(const double *path)
{
    return 4 * path[DETAILS_PATH_ALU] + 24 * path[DETAILS_PATH_SPECIAL] + 29 * path[DETAILS_PATH_SHARED] + 400 * path[DETAILS_PATH_GLOBAL]
        + 400 * path[DETAILS_PATH_STREAM] + path[DETAILS_PATH_STALL] + 300 * path[DETAILS_PATH_ATOMIC] + 24 * path[DETAILS_PATH_WARP] + 30 * path[DETAILS_PATH_BARRIER];
}

static void *counter_begin(const struct exec_launch *launch)
{
    struct counter *c = hw_alloc(sizeof *c);
    c->entry = launch->counting;
    c->launch = launch;
    c->table = launch->kernel->details;
    if (c->table->looks && !launch->kernel->fair) {              /* lanes that come one by one are told too late */
        struct exec_launch *l = (struct exec_launch *)launch;
        uint64_t none = 0, now = atomic_load(&clocks_ns);
        c->base_ns = atomic_compare_exchange_strong(&l->counted_from, &none, now) ? now : none;
        looking = c;
    }
    return c;
}

/* --- a kernel's own clocks --- */

static double cycle_ns(void) { return 1e3 / sim_gpus[0].sm_mhz; }

bool count_kernel_ns(uint64_t *ns)
{
    if (looking)
        *ns = looking->base_ns + (uint64_t)(looking->spent[looking->warp] * cycle_ns());
    return looking != NULL;
}

/* A piece of code begins: what its longest chain takes when all data are near. */
static void spend(struct counter *c, unsigned w, const struct details_site *s)
{
    const struct gpu_profile *p = &sim_gpus[0];
    const uint32_t *n = s->path;
    double cycles = n[DETAILS_PATH_ALU] * p->cycles_alu + n[DETAILS_PATH_SPECIAL] * p->cycles_special + n[DETAILS_PATH_SHARED] * p->cycles_shared
        + n[DETAILS_PATH_WARP] * p->cycles_shared + n[DETAILS_PATH_ATOMIC] * p->cycles_l2 + (n[DETAILS_PATH_GLOBAL] + n[DETAILS_PATH_STREAM]) * p->cycles_l1
        + n[DETAILS_PATH_BARRIER] * p->cycles_barrier;
    if (c->meets[w] && c->spent[w] < c->met)
        c->spent[w] = c->met;
    c->spent[w] += cycles / DETAILS_PATH_UNIT;
    c->meets[w] = s->meets;
    c->met = s->meets && c->met < c->spent[w] ? c->spent[w] : c->met;
    c->waits[w] = (n[DETAILS_PATH_GLOBAL] + n[DETAILS_PATH_STREAM]) / (double)DETAILS_PATH_UNIT;
    c->warp = w;
}

static void clocks_end(struct counter *c)
{
    double most = 0;
    for (unsigned w = 0; w < MOST_WARPS; w++)
        most = c->spent[w] > most ? c->spent[w] : most;
    uint64_t ns = c->base_ns + (uint64_t)(most * cycle_ns()) + 1, latest = atomic_load(&clocks_ns);
    while (latest < ns && !atomic_compare_exchange_weak(&clocks_ns, &latest, ns))
        ;
    memset(c->spent, 0, sizeof c->spent);
    memset(c->meets, 0, sizeof c->meets);
    c->met = 0;
}

/* Nothing else of the block lies within two lines of DRAM: such accesses are anywhere. */
static bool is_far(const struct touched_set *s, uint64_t sector)
{
    for (uint64_t k = 2; k < 6; k++)
        if (sectors_slot(s, (sector & ~1ull) + k)->sector || sectors_slot(s, (sector | 1) - k)->sector)
            return false;
    return true;
}

/* What was new to the block. */
static void fold_sectors(struct counter *c)
{
    hw_lock(&mu);
    for (size_t k = 0; k < c->touched.cap; k++) {
        const struct touched *t = &c->touched.v[k];
        if (!t->sector)
            continue;
        struct touched *all = sectors_touch(&c->entry->touched, t->sector - 1);
        if (all) {
            all->read += t->read > 0;
            all->written += t->written > 0;
            all->reads += t->read;
            all->writes += t->written;
            all->turns += t->turns;
            all->bytes |= t->bytes;
            all->far += is_far(&c->touched, t->sector - 1);
        } else {
            c->sum.read += t->read ? 32 : 0;
            c->sum.written += t->written ? 32 : 0;
        }
        c->sum.block_read += t->read ? 32 : 0;
        c->sum.block_written += t->written ? 32 : 0;
    }
    hw_unlock(&mu);
}

static void forget_block(struct counter *c)
{
    memset(c->path, 0, sizeof c->path);
    memset(c->misses, 0, sizeof c->misses);
    memset(c->n_loads, 0, sizeof c->n_loads);
    sectors_forget(&c->touched);
}

/* A block is over: its slowest warp, and what was new to it. */
static void fold(struct counter *c)
{
    unsigned slowest = 0;
    if (!c->inside)
        return;
    c->inside = false;
    if (looking == c)
        clocks_end(c);
    if (!c->in_sample) {
        forget_block(c);
        return;
    }
    for (unsigned w = 1; w < MOST_WARPS; w++)
        if (nominal_cycles(c->path[w]) > nominal_cycles(c->path[slowest]))
            slowest = w;
    double cycles = nominal_cycles(c->path[slowest]);
    for (int k = 0; k < DETAILS_PATH_COUNT; k++)
        c->sum.path[k] += c->path[slowest][k];
    c->sum.misses += c->misses[slowest][0];
    c->sum.far_misses += c->misses[slowest][1];
    c->worst_cycles = cycles > c->worst_cycles ? cycles : c->worst_cycles;
    c->all_cycles += cycles;
    c->sampled++;
    fold_sectors(c);
    forget_block(c);
}

/* Few blocks are all counted; of many some that lie anywhere. */
static bool is_sampled(uint64_t block, uint64_t n)
{
    return n <= SAMPLE || ((block + 1) * 0x9E3779B97F4A7C15u >> 32) % n < SAMPLE || block == n / 2;
}

/* A load of something that no thread of the block has had. */
static void spend_miss(struct counter *c, unsigned w)
{
    double part = c->waits[w] < 1 ? c->waits[w] : 1;
    c->spent[w] += part * (sim_gpus[0].cycles_dram - sim_gpus[0].cycles_l1);
    c->waits[w] -= part;
}

static void counter_visit(void *state, struct kabi_block *block, uint32_t site, uint32_t warp, uint32_t mask, const uint64_t *a)
{
    struct counter *c = state;
    const struct kabi_launch *kl = &c->launch->kl;
    uint64_t number = block->ctaid[0] + (uint64_t)kl->nctaid[0] * (block->ctaid[1] + (uint64_t)kl->nctaid[1] * block->ctaid[2]);
    if (c->inside && number != c->block)
        fold(c);
    if (!c->inside) {
        c->in_sample = !c->launch->only_clocks && is_sampled(number, c->entry->n_blocks);
        if (!c->in_sample && looking != c)
            return;
        c->inside = true;
        c->block = number;
    }
    const struct details_site *s = &c->table->sites[site];
    if (s->kind != DETAILS_IN_BLOCK) {
        size_t known = c->touched.n;
        double stalled = c->path[warp % MOST_WARPS][DETAILS_PATH_STALL];
        if (a && s->kind <= DETAILS_IN_ATOMIC)
            access_count(c, block, s, warp, mask, a);
        c->spent[warp % MOST_WARPS] += c->path[warp % MOST_WARPS][DETAILS_PATH_STALL] - stalled;
        if (s->kind == DETAILS_IN_LOAD && c->touched.n > known)
            spend_miss(c, warp % MOST_WARPS);
        return;
    }
    if (looking == c)
        spend(c, warp % MOST_WARPS, s);
    uint64_t n = 0;
    for (int k = 0; k < DETAILS_WORK_COUNT; k++) {
        c->sum.work[k] += s->work[k] * (1.0 / DETAILS_WORK_UNIT);
        n += s->work[k];
    }
    c->lanes += n * (unsigned)__builtin_popcount(mask);
    double *path = c->path[warp % MOST_WARPS];
    for (int k = 0; k < DETAILS_PATH_COUNT; k++)
        path[k] += s->path[k] * (1.0 / DETAILS_PATH_UNIT);
}

static void counter_end(void *state)
{
    struct counter *c = state;
    struct count_entry *e = c->entry;
    fold(c);
    looking = looking == c ? NULL : looking;
    hw_lock(&mu);
    if (c->launch->only_clocks)
        goto out;
    struct gpu_counts *to = &e->counts;
    for (int k = 0; k < DETAILS_WORK_COUNT; k++)
        to->work[k] += c->sum.work[k];
    for (int k = 0; k < DETAILS_PATH_COUNT; k++)
        to->path[k] += c->sum.path[k];
    to->accesses += c->sum.accesses;
    to->passes += c->sum.passes;
    to->atomics += c->sum.atomics;
    to->stores += c->sum.stores;
    to->part_stores += c->sum.part_stores;
    to->tags += c->sum.tags;
    to->misses += c->sum.misses;
    to->far_misses += c->sum.far_misses;
    e->stored += c->stored;
    for (int k = 0; k < GPU_REUSE; k++)
        to->reuse[k] += c->sum.reuse[k];
    to->block_read += c->sum.block_read;
    to->block_written += c->sum.block_written;
    to->read += c->sum.read;
    to->written += c->sum.written;
    to->lanes += (double)c->lanes;               /* over instructions, at the end */
    e->sampled += c->sampled;
    e->all_cycles += c->all_cycles;
    e->worst_cycles = c->worst_cycles > e->worst_cycles ? c->worst_cycles : e->worst_cycles;
out:
    hw_unlock(&mu);
    hw_free(c->touched.v);
    hw_free(c);
}

static const struct exec_counter counter = { counter_begin, counter_visit, counter_end };

/* --- launches --- */

static void describe(struct count_entry *e, const struct function *f, const struct launch_config *config)
{
    struct gpu_counts *c = &e->counts;
    e->name = hw_strdup(f->name);
    e->shape = *config;
    e->n_blocks = (uint64_t)config->grid[0] * config->grid[1] * config->grid[2];
    c->blocks = (double)e->n_blocks;
    c->threads = (double)config->block[0] * config->block[1] * config->block[2];
    c->warps = (double)(((uint64_t)c->threads + 31) / 32);
    c->fit_regs = f->n_regs;
    c->fit_shared = f->shared_static + config->shared_bytes;
    c->worst = 1;
}

static void make_ready(struct count_entry *e)
{
    if (e->sampled)
        sample_whole_grid(e);
    else
        e->estimated = true;
    for (size_t g = 0; g < sim_n; g++)
        gpu_kernel_time(&sim_gpus[g], &e->counts, &e->result[g]);
    atomic_store(&e->ready, true);
}

/* The numbers among the parameters, and not the addresses: these are others in every run. */
static uint64_t numbers_hash(const struct function *f, const void *params)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->n_params; i++) {
        const char *at = (const char *)params + f->params[i].offset;
        struct mem_info info;
        uint64_t word;
        for (uint32_t b = 0; b < f->params[i].bytes; b += 8) {
            uint32_t n = f->params[i].bytes - b < 8 ? f->params[i].bytes - b : 8;
            word = 0;
            memcpy(&word, at + b, n);
            if (n == 8 && word >= 65536 && mem_lookup(word, &info))
                word = (uint64_t)info.kind ^ info.bytes << 4;    /* what kind of memory it is and how much, not where it lies */
            sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
            sum ^= sum >> 29;
        }
    }
    return sum;
}

/* With few different sets of numbers each is counted; with many those whose number is a power of two, and the newest of them stands for the others. */
static bool is_wanted(unsigned sets) { return sets < MOST_SETS || (sets & (sets - 1)) == 0; }

static struct count_entry *find(const struct function *f, const struct launch_config *config, const void *params, bool *fresh)
{
    struct {
        const void *f;
        uint64_t handle, name, numbers;          /* handle: no other function has had it, in the same place or not */
        uint32_t grid[3], block[3], shared, unused;
    } key;
    memset(&key, 0, sizeof key);
    key.f = f;
    key.handle = (uint64_t)(uintptr_t)f->obj.handle;
    key.name = hw_hash_bytes(f->name, strlen(f->name));
    memcpy(key.grid, config->grid, sizeof key.grid);
    memcpy(key.block, config->block, sizeof key.block);
    key.shared = config->shared_bytes;
    uint64_t numbers = numbers_hash(f, params);
    hw_lock(&mu);
    struct family *family = hw_map_get(&families, &key, sizeof key);
    if (!family) {
        family = hw_alloc(sizeof *family);
        hw_map_set(&families, &key, sizeof key, family);
    }
    key.numbers = numbers;
    struct count_entry *e = hw_map_get(&entries, &key, sizeof key);
    if (!e) {
        *fresh = is_wanted(family->sets++);
        if (*fresh) {
            e = hw_alloc(sizeof *e);
            describe(e, f, config);
            *all_end = e;
            all_end = &e->next;
            family->newest = e;
        } else {
            e = family->newest;
        }
        hw_map_set(&entries, &key, sizeof key, e);
    }
    hw_unlock(&mu);
    return e;
}

/* Words of the parameters that may be addresses. */
static void find_managed(struct sim_cmd *v, const struct function *f, const void *params)
{
    uint64_t words[64];
    size_t n = 0;
    for (uint32_t i = 0; i < f->n_params; i++)
        for (uint32_t b = 0; b + 8 <= f->params[i].bytes && n < HW_LEN(words); b += 8)
            memcpy(&words[n++], (const char *)params + f->params[i].offset + b, 8);
    managed_launch(v, words, n);
}

struct count_entry *count_launch(struct sim_cmd *v, struct cmd *c, const struct function *f, const struct launch_config *config)
{
    find_managed(v, f, c->params);
    bool fresh = false;
    struct count_entry *e = find(f, config, c->params, &fresh);
    if (!fresh && !e->looks)
        return e;
    exec_counter = &counter;
    const struct kabi_kernel *counted = c->verify ? NULL : function_reference((struct function *)f, config->block, FUNCTION_COUNTED);
    if (!counted || !counted->details) {
        if (fresh)
            make_ready(e);
        return e;
    }
    e->looks = counted->details->looks;
    c->x.launch.kernel = counted;
    exec_launch_init(&c->x.launch, config->cooperative);
    c->x.launch.details = true;
    c->x.launch.counting = e;
    c->x.launch.only_clocks = !fresh;
    c->small = false;
    if (fresh)
        atomic_fetch_add(&n_pending, 1);
    return e;
}

void count_finished(struct cmd *c)
{
    struct count_entry *e = c->x.launch.counting;
    if (!e)
        return;
    c->x.launch.counting = NULL;
    if (c->x.launch.only_clocks)
        return;
    make_ready(e);
    atomic_fetch_sub(&n_pending, 1);
}

void count_settle(void)
{
    static _Atomic unsigned given_up;            /* kernels that wait for the host: nobody should wait for them again */
    const struct timespec pause = { 0, 20000 };
    uint64_t end = hw_now_ns() + WAIT_MS * 1000000ull;
    while (atomic_load(&n_pending) > given_up) {
        if (hw_now_ns() > end) {
            given_up = atomic_load(&n_pending);
            return;
        }
        nanosleep(&pause, NULL);
    }
    if (atomic_load(&n_pending) < given_up)
        given_up = atomic_load(&n_pending);
}

/* One that is not ready yet is as short as can be. */
double count_ns(const struct sim_cmd *c, size_t g, double *share)
{
    const struct count_entry *e = c->kernel;
    bool ready = e && atomic_load(&e->ready);
    *share = ready ? e->result[g].share : 0.01;
    return ready ? e->result[g].ns + c->moves * e->result[g].move_ns : sim_gpus[g].kernel_ns;
}

const struct gpu_result *count_result(const struct count_entry *e, size_t g) { return &e->result[g]; }
const struct gpu_counts *count_counts(const struct count_entry *e) { return &e->counts; }
const struct launch_config *count_shape(const struct count_entry *e) { return &e->shape; }
const char *count_name(const struct count_entry *e) { return e->name; }

void count_each(void (*fn)(const struct count_entry *e, void *arg), void *arg)
{
    for (const struct count_entry *e = all_entries; e; e = e->next)
        fn(e, arg);
}
