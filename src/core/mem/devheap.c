/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Device memory. Addresses come in units of 2 MiB. What is larger than 1 MiB has units of its own: its pages are made
 * accessible when it is allocated and inaccessible again when it is freed, so that a kernel with a stale pointer faults. What is
 * smaller shares units ("slabs") with others of the same device: mapping calls cost microseconds, and the system allows
 * only some 65,000 separate mappings.
 *
 * Large ones begin at different places in their first page. If all began at the same one, a[i] and b[i] would agree in the lowest bits of
 * their addresses, and many CPUs then take a load for one that waits for a store near it: a stencil takes 1.3 times as long, and blocks of 32x8 threads that
 * go from row to row of 4 KiB twice as long, also where the caches hold all.
 */
#define _GNU_SOURCE
#include "core/mem/devheap.h"

#include "base/list.h"
#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "core/mem/ipc_file.h"
#include "core/mem/treap.h"

#include <sys/mman.h>
#include <unistd.h>

#define UNIT ((uint64_t)2 << 20)
#define SMALL_MAX ((uint64_t)1 << 20)
#define GRAIN ((uint64_t)256)

/*
 * Under `hostwarp check` there is a gap behind every piece, and addresses that were freed are not given out again soon: an access one element too far, or through
 * a pointer of the past, then meets no memory of somebody else.
 */
enum { RED_ZONE = 256, HELD_MOST = 1024 };
#define HELD_BYTES ((uint64_t)64 << 20)          /* of slabs; of whole units only addresses are held */

static bool checked(void) { return hw_options()->check[0] != 0; }

/* A piece of address space: free or used, within a slab or made of whole units. Neighbours in memory are neighbours in `order`. */
struct extent {
    struct hw_list order;        /* by address; of the heap or of its slab */
    struct treap_node by_size;   /* free ones: (bytes, base) */
    uint64_t base, bytes;
    bool free;
    struct slab *slab;           /* NULL: whole units */
    uint64_t charged;            /* whole units: what the owner pays for, and what is accessible: `shift` may make it a page more */
    uint64_t mapped, shift;
    int share_fd;                /* whole units that other processes may map: the file behind them + 1 */
};

struct slab {
    struct extent *units;
    struct devheap_charge *charge;
    struct hw_list extents;
    uint64_t used;
};

static struct hw_list units_order;
static struct treap_node *free_units;
static uint64_t heap_base, heap_bytes;

/* Free pieces of slabs, one tree per device: memory of one device does not count as another's. */
struct small_heap {
    const struct devheap_charge *owner;
    struct treap_node *free;
    struct slab *spare;          /* one empty slab is kept: programs allocate and free in turn */
};
static struct small_heap small_heaps[80];

bool devheap_init(uint64_t bytes)
{
    uint64_t want = hw_align_up(hw_max_u64(bytes * 4, (uint64_t)16 << 30), UNIT);
    void *p = MAP_FAILED;
    for (; want >= bytes; want /= 2) {
        want = hw_align_up(want, UNIT);
        p = hw_window_map(want + UNIT, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
        if (p != MAP_FAILED)
            break;
    }
    if (p == MAP_FAILED)
        return false;
    heap_base = hw_align_up((uint64_t)(uintptr_t)p, UNIT);
    heap_bytes = want;
    madvise((void *)(uintptr_t)heap_base, heap_bytes, MADV_HUGEPAGE);
    madvise((void *)(uintptr_t)heap_base, heap_bytes, MADV_DONTDUMP);
    hw_list_init(&units_order);
    struct extent *e = hw_alloc(sizeof *e);
    *e = (struct extent){ .base = heap_base, .bytes = heap_bytes, .free = true };
    hw_list_push_back(&units_order, &e->order);
    treap_insert(&free_units, &e->by_size, e->bytes, e->base);
    return true;
}

bool devheap_owns(uint64_t addr)
{
    return addr - heap_base < heap_bytes;
}

void devheap_each(void (*fn)(void *arg, uint64_t base, uint64_t bytes), void *arg)
{
    hw_list_for(it, &units_order) {
        const struct extent *e = hw_list_item(it, struct extent, order);
        if (!e->free && e->mapped)
            fn(arg, e->base, e->mapped);
    }
}

uint64_t devheap_base(const struct extent *e)
{
    return e->base + e->shift;
}

/* --- pieces --- */

static struct extent *of_size(struct treap_node *n)
{
    return hw_container_of(n, struct extent, by_size);
}

/* Best fit; what is left over stays free behind it. align > GRAIN: a larger piece is looked for and its front stays free. */
static struct extent *carve(struct treap_node **tree, uint64_t bytes, uint64_t align, uint64_t grain)
{
    struct treap_node *n = treap_ceil(*tree, align > grain ? bytes + align - grain : bytes, 0);
    if (!n)
        return NULL;
    struct extent *e = of_size(n);
    treap_remove(tree, n);
    uint64_t start = hw_align_up(e->base, align > grain ? align : grain), front = start - e->base, rest = e->bytes - front - bytes;
    if (front) {
        struct extent *f = hw_alloc(sizeof *f);
        *f = (struct extent){ .base = e->base, .bytes = front, .free = true, .slab = e->slab };
        hw_list_add_before(&e->order, &f->order);
        treap_insert(tree, &f->by_size, f->bytes, f->base);
    }
    if (rest) {
        struct extent *r = hw_alloc(sizeof *r);
        *r = (struct extent){ .base = start + bytes, .bytes = rest, .free = true, .slab = e->slab };
        hw_list_add_before(e->order.next, &r->order);
        treap_insert(tree, &r->by_size, r->bytes, r->base);
    }
    e->base = start;
    e->bytes = bytes;
    e->free = false;
    return e;
}

/* Frees a piece, joined with free neighbours. list: the order it is in. */
static struct extent *join(struct treap_node **tree, struct hw_list *list, struct extent *e)
{
    struct hw_list *prev = e->order.prev, *next = e->order.next;
    if (next != list && hw_list_item(next, struct extent, order)->free) {
        struct extent *n = hw_list_item(next, struct extent, order);
        treap_remove(tree, &n->by_size);
        e->bytes += n->bytes;
        hw_list_del(&n->order);
        hw_free(n);
    }
    if (prev != list && hw_list_item(prev, struct extent, order)->free) {
        struct extent *p = hw_list_item(prev, struct extent, order);
        treap_remove(tree, &p->by_size);
        e->base = p->base;
        e->bytes += p->bytes;
        hw_list_del(&p->order);
        hw_free(p);
    }
    e->free = true;
    treap_insert(tree, &e->by_size, e->bytes, e->base);
    return e;
}

/* --- what is not given out again yet --- */

static struct {
    struct { struct devheap_charge *charge; struct extent *e; } ring[HELD_MOST];
    size_t n, first;
    uint64_t bytes;              /* of slabs */
} held;

static void small_release(struct devheap_charge *charge, struct extent *e);

static void let_go(void)
{
    struct extent *e = held.ring[held.first].e;
    struct devheap_charge *charge = held.ring[held.first].charge;
    held.first = (held.first + 1) % HELD_MOST;
    held.n--;
    if (e->slab) {
        held.bytes -= e->bytes;
        small_release(charge, e);
    } else {
        join(&free_units, &units_order, e);
    }
}

/* Is it held from now on? Addresses of units are many, but not without end. */
static bool hold(struct devheap_charge *charge, struct extent *e)
{
    if (!checked() || (!e->slab && e->bytes > heap_bytes / 64))
        return false;
    while (held.n == HELD_MOST || (held.n && e->slab && held.bytes + e->bytes > HELD_BYTES))
        let_go();
    held.ring[(held.first + held.n) % HELD_MOST].charge = charge;
    held.ring[(held.first + held.n++) % HELD_MOST].e = e;
    held.bytes += e->slab ? e->bytes : 0;
    return true;
}

/* --- whole units --- */

static struct extent *units_alloc(struct devheap_charge *charge, uint64_t bytes, uint64_t shift)
{
    uint64_t pages = hw_align_up(bytes, 64 * 1024), mapped = hw_max_u64(pages, hw_align_up(bytes + shift, hw_page_bytes()));
    if (pages < bytes || charge->limit - charge->used < pages || charge->used > charge->limit)
        return NULL;
    struct extent *e = carve(&free_units, hw_align_up(mapped + (checked() ? RED_ZONE : 0), UNIT), UNIT, UNIT);
    if (!e)
        return NULL;
    if (mprotect((void *)(uintptr_t)e->base, mapped, PROT_READ | PROT_WRITE)) {
        join(&free_units, &units_order, e);
        return NULL;
    }
    e->charged = pages;
    e->mapped = mapped;
    e->shift = shift;
    charge->used += pages;
    return e;
}

static void units_free(struct devheap_charge *charge, struct extent *e)
{
    void *p = (void *)(uintptr_t)e->base;
    charge->used -= e->charged;
    if (e->share_fd) {
        if (mmap(p, e->mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == MAP_FAILED)
            hw_debug("freed device memory at %p stays shared", p);
        madvise(p, e->mapped, MADV_HUGEPAGE);
        close(e->share_fd - 1);
        e->share_fd = 0;
    } else {
        madvise(p, e->mapped, MADV_DONTNEED);
        if (mprotect(p, e->mapped, PROT_NONE))
            hw_debug("freed device memory at %p stays accessible", p);
    }
    e->shift = e->mapped = 0;
    if (!hold(charge, e))
        join(&free_units, &units_order, e);
}

bool devheap_share(struct extent *e, bool fresh, int *out_fd, uint64_t *out_base, uint64_t *out_bytes)
{
    struct extent *u = e->slab ? e->slab->units : e;
    void *p = (void *)(uintptr_t)u->base;
    if (!u->share_fd) {
        int fd = ipc_file_new("hostwarp-device", u->mapped);
        bool ok = fd >= 0;
        (void)*(volatile char *)p;               /* the checker may have closed it: it opens it for us, and not for the system */
        for (uint64_t done = 0; ok && !fresh && done < u->mapped;) {
            ssize_t n = pwrite(fd, (char *)p + done, u->mapped - done, (off_t)done);
            ok = n > 0;
            done += ok ? (uint64_t)n : 0;
        }
        if (!ok || mmap(p, u->mapped, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0) == MAP_FAILED) {
            if (fd >= 0)
                close(fd);
            return false;
        }
        u->share_fd = fd + 1;
    }
    *out_fd = u->share_fd - 1;
    *out_base = u->base;
    *out_bytes = u->mapped;
    return true;
}

/* --- slabs --- */

static struct small_heap *small_heap_of(const struct devheap_charge *charge)
{
    for (size_t i = 0; i < HW_LEN(small_heaps); i++) {
        if (!small_heaps[i].owner)
            small_heaps[i].owner = charge;
        if (small_heaps[i].owner == charge)
            return &small_heaps[i];
    }
    return NULL;
}

static bool slab_add(struct small_heap *h, struct devheap_charge *charge)
{
    struct extent *units = units_alloc(charge, UNIT, 0);
    if (!units)
        return false;
    struct slab *slab = hw_alloc(sizeof *slab);
    struct extent *e = hw_alloc(sizeof *e);
    slab->units = units;
    slab->charge = charge;
    hw_list_init(&slab->extents);
    *e = (struct extent){ .base = units->base, .bytes = UNIT, .free = true, .slab = slab };
    hw_list_push_back(&slab->extents, &e->order);
    treap_insert(&h->free, &e->by_size, e->bytes, e->base);
    return true;
}

static void slab_drop(struct small_heap *h, struct slab *slab)
{
    struct extent *e = hw_list_item(slab->extents.next, struct extent, order);
    treap_remove(&h->free, &e->by_size);
    hw_free(e);
    units_free(slab->charge, slab->units);
    hw_free(slab);
}

static struct extent *small_alloc(struct devheap_charge *charge, uint64_t bytes, uint64_t align)
{
    struct small_heap *h = small_heap_of(charge);
    struct extent *e = h ? carve(&h->free, bytes, align, GRAIN) : NULL;
    if (h && !e && slab_add(h, charge))
        e = carve(&h->free, bytes, align, GRAIN);
    if (e) {
        e->slab->used += e->bytes;
        if (h->spare == e->slab)
            h->spare = NULL;
    }
    return e;
}

static void small_release(struct devheap_charge *charge, struct extent *e)
{
    struct small_heap *h = small_heap_of(charge);
    struct slab *slab = e->slab;
    slab->used -= e->bytes;
    join(&h->free, &slab->extents, e);
    if (slab->used)
        return;
    if (h->spare)
        slab_drop(h, slab);
    else
        h->spare = slab;
}

/* Textures want their memory aligned to 512 bytes. Any four in a row lie 1 KiB apart or more, in a page. */
enum { SHIFT_ALIGN = 512, SHIFT_NEAR = 4, SHIFT_SMALL = 64 << 10 };

static uint64_t next_shift(void)
{
    static uint64_t n;           /* under the memory lock */
    n++;
    return (n % SHIFT_NEAR * 2 + n / SHIFT_NEAR % 2) * SHIFT_ALIGN;
}

/* In slabs, whole pages that follow each other do the same by a gap. */
static uint64_t small_gap(uint64_t bytes)
{
    return bytes >= SHIFT_SMALL && bytes <= SMALL_MAX / 2 && bytes % hw_page_bytes() == 0 ? 2 * SHIFT_ALIGN : 0;
}

static struct extent *alloc(struct devheap_charge *charge, size_t bytes, size_t align)
{
    uint64_t rounded = hw_align_up(bytes, GRAIN);
    if (rounded < bytes || rounded > heap_bytes)
        return NULL;
    struct small_heap *h = small_heap_of(charge);
    if (rounded <= SMALL_MAX)
        return small_alloc(charge, rounded + (checked() ? RED_ZONE : small_gap(rounded)), hw_max_u64(align, GRAIN));
    uint64_t shift = align <= SHIFT_ALIGN ? next_shift() : 0;
    struct extent *e = units_alloc(charge, rounded, shift);
    if (!e && h && h->spare) {                   /* the spare slab may be what is missing */
        slab_drop(h, h->spare);
        h->spare = NULL;
        e = units_alloc(charge, rounded, shift);
    }
    return e;
}

struct extent *devheap_alloc(struct devheap_charge *charge, size_t bytes, size_t align)
{
    struct extent *e = alloc(charge, bytes, align);
    if (e || !held.n)
        return e;
    while (held.n)
        let_go();
    return alloc(charge, bytes, align);
}

void devheap_free(struct devheap_charge *charge, struct extent *e)
{
    if (e->slab && !hold(charge, e))
        small_release(charge, e);
    else if (!e->slab)
        units_free(charge, e);
}
