/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocks that wait for each other, many more than there are threads: for later ones, for all of their grid, for those of another grid. Each
 * thread has many at hand. The kernels are written here, as if compiled: two groups, which enter a loop in region 0 and look once in region 1.
 */
#include "exec/exec.h"

#include "base/os.h"

#include <dirent.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

enum { GROUPS = 2, MOST = 512, ROUNDS = 12 };

static _Atomic uint32_t flags[2][MOST + 1], met[2], ended;
static _Atomic int n_failed, most_threads;

struct params {
    uint32_t grid, blocks, mode;
};
enum mode { LATER_FIRST, MEET, MEET_BOTH, ONE_TRAPS };

static void check(bool good, const char *rule)
{
    printf("%s - %s\n", good ? "ok" : "not ok", rule);
    n_failed += !good;
}

static const struct params *params_of(const struct kabi_launch *l) { return l->params; }

static int32_t region_enter(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    uint32_t *state = (uint32_t *)(void *)frame, *times = state + GROUPS;
    (void)l;
    b->entered = 1;
    for (uint32_t g = 0; g < GROUPS; g++)
        if (state[g] == 0) {
            state[g] = 1;
            times[g] = 0;
        }
    return KABI_MIXED;
}

/* A group looks once; true when it has what it waits for and is done. Only group 0 tells others. */
static bool look(const struct kabi_launch *l, struct kabi_block *b, uint32_t group, uint32_t *times)
{
    const struct params *p = params_of(l);
    uint32_t i = b->ctaid[0], meetings = p->mode == MEET_BOTH ? 2 * p->blocks : p->blocks;
    _Atomic uint32_t *count = p->mode == MEET_BOTH ? &met[0] : &met[p->grid];
    switch ((enum mode)p->mode) {
    case LATER_FIRST:
        if (i + 1 < p->blocks && !atomic_load_explicit(&flags[p->grid][i + 1], memory_order_acquire))
            return false;
        if (group == 0)
            atomic_store_explicit(&flags[p->grid][i], 1, memory_order_release);
        return true;
    case MEET: case MEET_BOTH:
        if (*times % 2 == 0) {                            /* comes */
            if (group == 0)
                atomic_fetch_add(count, 1);
            ++*times;
            b->entered = 1;
        }
        if (atomic_load(count) < (*times / 2 + 1) * meetings)
            return false;
        return ++*times == 2 * ROUNDS;
    case ONE_TRAPS:
        if (i + 1 == p->blocks)
            l->services->trap(b, KABI_TRAP_TRAP, 0, 0);
        return false;
    }
    return true;
}

static int32_t region_look(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    uint32_t *state = (uint32_t *)(void *)frame, *times = state + GROUPS;
    for (uint32_t g = 0; g < GROUPS; g++)
        if (state[g] == 1 && look(l, b, g, &times[g])) {
            state[g] = KABI_DONE;
            b->shared[g] = (char)(b->ctaid[0] + g);       /* memory of its own */
        }
    return KABI_MIXED;
}

static kabi_region_fn *const regions[] = { region_enter, region_look };
static const struct kabi_kernel kernel = {
    .name = "waits", .n_regions = 2, .regions = regions, .n_warps = GROUPS, .frame_bytes = 64, .header_bytes = 16, .turns = true, .width = 16, .chunks = 2,
};

static void on_done(struct exec_job *job)
{
    (void)job;
    atomic_fetch_add(&ended, 1);
    hw_futex_wake(&ended, 1);
}

static void launch(struct exec_launch *l, struct params *p, bool all_at_once)
{
    memset(l, 0, sizeof *l);
    l->kernel = &kernel;
    l->kl.params = p;
    l->kl.shared_bytes = 1024;
    for (int k = 0; k < 3; k++)
        l->kl.ntid[k] = l->kl.nctaid[k] = 1;
    l->kl.ntid[0] = 32 * GROUPS;
    l->kl.nctaid[0] = p->blocks;
    exec_launch_init(l, all_at_once);
    l->job.done = on_done;
    exec_submit(&l->job, true);
}

static void wait_for(uint32_t n)
{
    for (uint32_t seen; (seen = ended) < n;)
        hw_futex_wait(&ended, seen, 0);
    int threads = 0;
    DIR *tasks = opendir("/proc/self/task");
    while (tasks && readdir(tasks))
        threads++;
    if (tasks)
        closedir(tasks);
    if (threads > most_threads)
        most_threads = threads;
}

static void clear(void)
{
    memset(flags, 0, sizeof flags);
    met[0] = met[1] = ended = 0;
}

int main(void)
{
    static struct exec_launch l[2];
    struct params p[2];
    alarm(280);
    for (int round = 0; round < 6; round++) {
        uint32_t blocks = round % 2 ? 300 : 150;
        clear();
        p[0] = (struct params){ 0, blocks, LATER_FIRST };
        launch(&l[0], &p[0], false);
        wait_for(1);
        check(l[0].fault == EXEC_OK && flags[0][0], "blocks may wait for later ones");

        clear();
        for (uint32_t g = 0; g < 2; g++) {
            p[g] = (struct params){ g, 100 + 100 * g, MEET };
            launch(&l[g], &p[g], true);
        }
        wait_for(2);
        check(met[0] == 100 * ROUNDS && met[1] == 200 * ROUNDS, "all blocks of a grid meet, again and again");

        clear();
        for (uint32_t g = 0; g < 2; g++) {
            p[g] = (struct params){ g, 64, MEET_BOTH };
            launch(&l[g], &p[g], true);
        }
        wait_for(2);
        check(met[0] == 2 * 64 * ROUNDS, "two grids meet");

        clear();
        p[0] = (struct params){ 0, 90, ONE_TRAPS };
        launch(&l[0], &p[0], round % 2);
        wait_for(1);
        check(l[0].fault == EXEC_FAULT_TRAP, "a block that fails ends those that wait");
    }
    check(most_threads < 100, "hundreds of waiting blocks do not take a thread each");
    if (most_threads >= 100)
        printf("# %d threads\n", most_threads);
    return n_failed != 0;
}
