/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A million random allocations and frees: no two overlap, all of it comes back, and the holes between them stay small enough that
 * the device does not run out long before it is full.
 */
#include "driver/api.h"

#include <stdio.h>

enum { N = 1000000, LIVE = 4096 };

static struct { CUdeviceptr p; size_t bytes; } live[LIVE];
static uint64_t state = 88172645463325252u;

static uint64_t rnd(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

/* Mostly small, a few large. */
static size_t size(void)
{
    unsigned kind = rnd() % 100;
    return kind < 80 ? 1 + rnd() % 4096 : kind < 99 ? 1 + rnd() % 65536 : 1 + rnd() % (1u << 20);
}

static int check(int good, const char *rule)
{
    printf("%s %s\n", good ? "ok" : "not ok", rule);
    return !good;
}

int main(void)
{
    size_t before, after, total, used = 0, most = 0, refused = 0;
    int bad = 0, marks = 0;
    CUcontext ctx;

    setenv("HOSTWARP_MEMORY", "512M", 1);
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&ctx, 0) || cuCtxSetCurrent(ctx))
        return 2;
    cuMemGetInfo_v2(&before, &total);
    for (int i = 0; i < N; i++) {
        unsigned k = rnd() % LIVE;
        if (live[k].p) {
            marks += *(unsigned *)(uintptr_t)live[k].p != k;  /* device memory is host memory here: overlaps show */
            if (cuMemFree_v2(live[k].p))
                bad++;
            used -= live[k].bytes;
            live[k].p = 0;
        } else {
            live[k].bytes = size() + sizeof(unsigned);
            if (cuMemAlloc_v2(&live[k].p, live[k].bytes)) {
                live[k].p = 0;
                refused++;
                continue;
            }
            *(unsigned *)(uintptr_t)live[k].p = k;
            used += live[k].bytes;
            if (used > most)
                most = used;
        }
    }
    cuMemGetInfo_v2(&after, &total);
    bad += check(bad == 0, "every_free_succeeds");
    bad += check(marks == 0, "no_two_allocations_overlap");
    bad += check(refused == 0, "nothing_is_refused_while_there_is_room");
    printf("# %zu bytes in use, %zu taken from the device, at most %zu in use\n", used, before - after, most);
    bad += check(before - after < 2 * most, "fragmentation_is_bounded");
    for (int k = 0; k < LIVE; k++)
        if (live[k].p)
            cuMemFree_v2(live[k].p);
    cuMemGetInfo_v2(&after, &total);
    bad += check(before - after <= (4u << 20), "all_of_it_comes_back");
    return bad != 0;
}
