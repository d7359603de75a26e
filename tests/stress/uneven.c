/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grids whose blocks differ: threads that are done with their share take blocks from those who are not, all at once and without a lock. Every
 * block must run once. The kernel is written here, as if compiled.
 */
#include "exec/exec.h"

#include "base/os.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 8, MOST = 20000, LONG_US = 20 };

struct grid {
    uint32_t blocks, long_from, long_to;         /* which of them take LONG_US; the others next to nothing */
    _Atomic uint8_t came[MOST];
    uint8_t by[MOST];                            /* which thread it was */
};
static struct grid grid;
static struct exec_launch run;
static _Atomic uint32_t block_ns, ended;
static int n_failed;

static void check(bool good, const char *rule)
{
    printf("%s - %s\n", good ? "ok" : "not ok", rule);
    n_failed += !good;
}

static int32_t region(const struct kabi_launch *l, struct kabi_block *b, char *frame)
{
    struct grid *g = l->params;
    uint32_t i = b->ctaid[0];
    (void)frame;
    atomic_fetch_add_explicit(&g->came[i], 1, memory_order_relaxed);
    g->by[i] = (uint8_t)exec_thread_index();
    if (i >= g->long_from && i < g->long_to)
        usleep(LONG_US);                         /* the others get on even where CPUs are busy */
    return KABI_ALL_DONE;
}

static kabi_region_fn *const regions[] = { region };
static const struct kabi_kernel kernel = {
    .name = "uneven", .n_regions = 1, .regions = regions, .n_warps = 1, .frame_bytes = 64, .header_bytes = 16, .alone = true, .width = 16, .chunks = 1,
};

static void on_done(struct exec_job *job)
{
    (void)job;
    ended = 1;
    hw_futex_wake(&ended, 1);
}

/* Returns whether each block ran once. */
static bool launch(uint32_t blocks, uint32_t long_from, uint32_t long_to)
{
    memset((void *)&grid, 0, sizeof grid);
    grid.blocks = blocks;
    grid.long_from = long_from;
    grid.long_to = long_to;
    memset(&run, 0, sizeof run);
    run.kernel = &kernel;
    run.block_ns = &block_ns;
    run.kl.params = &grid;
    for (int k = 0; k < 3; k++)
        run.kl.ntid[k] = run.kl.nctaid[k] = 1;
    run.kl.ntid[0] = 16;
    run.kl.nctaid[0] = blocks;
    exec_launch_init(&run, false);
    run.job.done = on_done;
    ended = 0;
    exec_submit(&run.job, true);
    while (!ended)
        hw_futex_wait(&ended, 0, 0);
    bool good = run.fault == EXEC_OK;
    for (uint32_t i = 0; i < blocks; i++)
        good &= grid.came[i] == 1;
    return good;
}

static void every_block_once(void)
{
    bool good = true;
    uint32_t random = 12345;
    for (int k = 0; k < 600; k++) {
        random = random * 1664525 + 1013904223;
        uint32_t blocks = 1 + (random >> 8) % (k % 10 ? 500 : MOST), from = (random >> 4) % blocks, n = (random >> 20) % 40;
        good &= launch(blocks, from, from + n < blocks ? from + n : blocks);
    }
    check(good, "every block runs once, wherever the long ones are");
}

static uint32_t done_by_others(uint32_t blocks, uint32_t from, int times, bool *good)
{
    uint32_t moved = 0;
    for (int k = 0; k < times; k++) {
        block_ns = 100;                          /* as if all were short */
        *good &= launch(blocks, from, blocks);
        uint32_t most = 0, n[256] = { 0 };
        for (uint32_t i = from; i < blocks; i++) {
            uint32_t now = ++n[grid.by[i]];
            most = now > most ? now : most;
        }
        moved += blocks - from - most;
    }
    return moved;
}

/* Not so when a thread claims many at a time because blocks are short elsewhere. */
static void long_ones_are_shared(void)
{
    enum { BLOCKS = 800, LONG = BLOCKS / THREADS, TIMES = 20 };
    bool good = true;
    uint32_t moved = done_by_others(BLOCKS, BLOCKS - LONG, TIMES, &good);
    check(good && moved > LONG * TIMES / 4, "long blocks of one share are done by several threads");
    printf("# %u of %d\n", (unsigned)moved, LONG * TIMES);
}

/* A kernel whose blocks took long before, and now do not: found out while it runs, for a grid may have two thousand million of them. */
static void a_launch_finds_its_pace(void)
{
    block_ns = 1000000;
    bool good = launch(MOST, 0, 0);
    check(good && run.pace_ns < 100000, "a launch finds its own pace");
}

int main(void)
{
    char threads[8];
    snprintf(threads, sizeof threads, "%d", THREADS);
    setenv("HOSTWARP_THREADS", threads, 1);
    alarm(280);
    every_block_once();
    long_ones_are_shared();
    a_launch_finds_its_pace();
    return n_failed != 0;
}
