/* SPDX-License-Identifier: Apache-2.0 */
/* Loops without branches, which the compiler turns into vectors; the best for the machine is chosen when the library is loaded. */
#include "check/race_rows.h"

#include "check/part.h"

#ifdef __has_feature             /* clang's way to say it */
#if __has_feature(thread_sanitizer) && !defined(__SANITIZE_THREAD__)
#define __SANITIZE_THREAD__ 1
#endif
#if __has_feature(address_sanitizer) && !defined(__SANITIZE_ADDRESS__)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif

#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)
#define VECTORS __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define VECTORS
#endif
#if defined(__SANITIZE_THREAD__)
#define SHARED_CELLS __attribute__((no_sanitize("thread")))       /* several threads change cells without a lock: race_cells.c says why that is enough */
#else
#define SHARED_CELLS
#endif

VECTORS SHARED_CELLS bool rows_clear(const uint64_t *keys, const struct row *r)
{
    const uint64_t from = r->grid.from, span = r->grid.span, mine = r->mine;
    const unsigned n = r->n, shift = r->shift;
    uint64_t bad = 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t k = keys[i], d = k ^ (mine + (i >> shift));
        bad |= (uint64_t)((k - from < span) & (d != 0) & !((d - (1u << KEY_EPOCH) < ((uint64_t)1 << KEY_BLOCK) - (1u << KEY_EPOCH)) & ((k >> KEY_STATE & 3) != KEY_BLOCKS)));
    }
    return !bad;
}

VECTORS SHARED_CELLS unsigned rows_reads(const uint64_t *keys, const struct row *r)
{
    const uint64_t from = r->grid.from, span = r->grid.span, mine = r->mine;
    const unsigned n = r->n, shift = r->shift;
    uint64_t store = 0, covered = 0, meet = 0;
    for (unsigned i = 0; i < n; i++) {
        uint64_t k = keys[i], d = k ^ (mine + (i >> shift)), state = k >> KEY_STATE & 3;
        uint64_t put = (uint64_t)((k - from >= span) | ((d - (1u << KEY_EPOCH) < ((uint64_t)1 << KEY_BLOCK) - (1u << KEY_EPOCH)) & (state != KEY_BLOCKS)));
        uint64_t weak = (k >> KEY_STRONG & 1) == 0;
        uint64_t has = (uint64_t)((d == 0) | ((weak != 0) & ((state == KEY_BLOCKS) | ((d >> KEY_EPOCH == 0) & (state == KEY_WARPS)) | (((d & ~(uint64_t)((3u << KEY_STATE) | 31)) == 0) & (state == KEY_WARP)))));
        store |= put;
        covered |= has & ~put;
        meet |= ~(put | has);
    }
    return (store & 1 ? ROWS_STORE : 0) | (covered & 1 ? ROWS_COVERED : 0) | (meet & 1 ? ROWS_MEET : 0);
}

VECTORS SHARED_CELLS void rows_store(uint64_t *keys, uint32_t *info, const struct row *r, const uint32_t *infos)
{
    const uint64_t mine = r->mine;
    const unsigned n = r->n, shift = r->shift;
    if (shift == 0)
        memcpy(info, infos, n * sizeof *info);
    else
        for (unsigned i = 0; i < n; i++)
            info[i] = infos[(i >> shift) & 31];
    __atomic_thread_fence(__ATOMIC_RELEASE);     /* before the keys, as race_cells.c does */
    for (unsigned i = 0; i < n; i++)
        keys[i] = mine + (i >> shift);
}

VECTORS void rows_values(const uint64_t *v, unsigned less, uint16_t out[32])
{
    for (unsigned l = 0; l < 32; l++)
        out[l] = (uint16_t)rows_value(v[l], less);
}

VECTORS bool rows_in_steps(const uint64_t *a, uint64_t step)
{
    uint64_t differ = 0;
    for (unsigned l = 0; l < 32; l++)
        differ |= a[l] ^ (a[0] + step * l);
    return !differ;
}

VECTORS bool rows_equal(const uint64_t *a)
{
    uint64_t differ = 0;
    for (unsigned l = 0; l < 32; l++)
        differ |= a[l] ^ a[0];
    return !differ;
}

/* The lanes from the lowest of *mask on that make a part. */
static struct part next_part(const uint64_t *a, uint32_t *mask, unsigned bytes)
{
    unsigned l = (unsigned)__builtin_ctz(*mask), n = 1;
    struct part p = { a[l], l, 1, false };
    uint32_t rest = *mask >> l;
    uint64_t step = (rest & 2) && a[l + 1] == a[l] ? 0 : bytes;
    while (l + n < PART_LANES && (rest >> n & 1) && a[l + n] == a[l] + n * step)
        n++;
    p.lanes = n;
    p.uniform = n > 1 && step == 0;
    *mask = l + n < PART_LANES ? *mask >> (l + n) << (l + n) : 0;
    return p;
}

unsigned parts_of(const uint64_t *a, uint32_t mask, unsigned bytes, struct part parts[PARTS])
{
    unsigned n = 0;
    if (mask == UINT32_MAX && ((a[1] == a[0] && rows_equal(a)) || (a[1] == a[0] + bytes && rows_in_steps(a, bytes)))) {
        parts[0] = (struct part){ a[0], 0, PART_LANES, a[1] == a[0] };
        return 1;
    }
    while (mask)
        parts[n++] = next_part(a, &mask, bytes);
    return n;
}
