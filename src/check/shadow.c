/* SPDX-License-Identifier: Apache-2.0 */
#include "check/shadow.h"

#include "base/lock.h"

#include <stdatomic.h>
#include <sys/mman.h>

enum { ADDRESS_BITS = 48, PIECES = 1 << (ADDRESS_BITS - SHADOW_PIECE) };

struct piece {
    struct shadow_cells *_Atomic cells[SHADOW_GRAINS];
    struct shadow_line *_Atomic lines;
    struct shadow_strip *_Atomic strips;
};

static struct piece *_Atomic pieces;             /* by address; most of it is never touched */
static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);

static void *reserve(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    madvise(p, bytes, MADV_HUGEPAGE);
    madvise(p, bytes, MADV_DONTFORK);
    return p;
}

static struct piece *piece_of(uint64_t address)
{
    struct piece *all = atomic_load_explicit(&pieces, memory_order_acquire);
    if (hw_unlikely(address >> ADDRESS_BITS))
        return NULL;
    if (hw_unlikely(!all)) {
        hw_lock(&mu);
        all = atomic_load_explicit(&pieces, memory_order_acquire);
        if (!all) {
            all = reserve(PIECES * sizeof *all);
            atomic_store_explicit(&pieces, all, memory_order_release);
        }
        hw_unlock(&mu);
    }
    return all ? &all[address >> SHADOW_PIECE] : NULL;
}

/* Keys and what belongs to them lie in planes, so that many are compared at once. */
static struct shadow_cells *cells_new(struct piece *p, unsigned grain)
{
    size_t n = (size_t)1 << (SHADOW_PIECE - grain);
    hw_lock(&mu);
    struct shadow_cells *c = atomic_load_explicit(&p->cells[grain], memory_order_acquire);
    char *at = c ? NULL : reserve(n * 24);
    if (at) {
        c = hw_alloc(sizeof *c);
        *c = (struct shadow_cells){ (uint64_t *)(void *)at, (uint64_t *)(void *)(at + n * 8), (uint32_t *)(void *)(at + n * 16), (uint32_t *)(void *)(at + n * 20) };
        atomic_store_explicit(&p->cells[grain], c, memory_order_release);
    }
    hw_unlock(&mu);
    return c;
}

bool shadow_cells(uint64_t address, unsigned grain, struct shadow_cells *out)
{
    struct piece *p = piece_of(address);
    if (!p)
        return false;
    const struct shadow_cells *c = atomic_load_explicit(&p->cells[grain], memory_order_acquire);
    if (hw_unlikely(!c))
        c = cells_new(p, grain);
    if (!c)
        return false;
    size_t k = (address & (((uint64_t)1 << SHADOW_PIECE) - 1)) >> grain;
    *out = (struct shadow_cells){ c->writes + k, c->reads + k, c->write_info + k, c->read_info + k };
    return true;
}

static struct shadow_line *line_at(struct shadow_line *lines, uint64_t address)
{
    return lines ? &lines[(address & (((uint64_t)1 << SHADOW_PIECE) - 1)) >> SHADOW_LINE] : NULL;
}

struct shadow_line *shadow_line_if(uint64_t address)
{
    struct piece *p = piece_of(address);
    return p ? line_at(atomic_load_explicit(&p->lines, memory_order_acquire), address) : NULL;
}

struct shadow_line *shadow_line(uint64_t address)
{
    struct piece *p = piece_of(address);
    if (!p)
        return NULL;
    struct shadow_line *lines = atomic_load_explicit(&p->lines, memory_order_acquire);
    if (hw_unlikely(!lines)) {
        hw_lock(&mu);
        lines = atomic_load_explicit(&p->lines, memory_order_acquire);
        if (!lines) {
            lines = reserve(sizeof *lines << (SHADOW_PIECE - SHADOW_LINE));
            atomic_store_explicit(&p->lines, lines, memory_order_release);
        }
        hw_unlock(&mu);
    }
    return line_at(lines, address);
}

struct shadow_strip *shadow_strip(uint64_t address)
{
    enum { STRIP = 6 };
    struct piece *p = piece_of(address);
    if (!p)
        return NULL;
    struct shadow_strip *strips = atomic_load_explicit(&p->strips, memory_order_acquire);
    if (hw_unlikely(!strips)) {
        hw_lock(&mu);
        strips = atomic_load_explicit(&p->strips, memory_order_acquire);
        if (!strips) {
            strips = reserve(sizeof *strips << (SHADOW_PIECE - STRIP));
            atomic_store_explicit(&p->strips, strips, memory_order_release);
        }
        hw_unlock(&mu);
    }
    return strips ? &strips[(address & (((uint64_t)1 << SHADOW_PIECE) - 1)) >> STRIP] : NULL;
}

void shadow_forget(void)
{
    struct piece *all = atomic_load_explicit(&pieces, memory_order_acquire);
    for (size_t k = 0; all && k < PIECES; k++) {
        struct shadow_strip *strips = atomic_load_explicit(&all[k].strips, memory_order_acquire);
        if (strips)
            madvise(strips, (size_t)1 << SHADOW_PIECE, MADV_DONTNEED);
        for (unsigned g = 0; g < SHADOW_GRAINS; g++) {
            struct shadow_cells *c = atomic_load_explicit(&all[k].cells[g], memory_order_acquire);
            if (c)
                madvise(c->writes, (size_t)24 << (SHADOW_PIECE - g), MADV_DONTNEED);
        }
    }
}
