/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels call: assert, trap, printf, malloc, free. */
#include "exec/internal.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/os.h"

#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

void (*exec_describe_address)(uint64_t addr, char *out, size_t bytes);
bool (*exec_find_memory)(uint64_t addr, uint64_t *out_base, uint64_t *out_end);
_Atomic uint64_t exec_memory_epoch;

/* --- malloc and free --- */

/*
 * A context's heap for kernels: memory with a limit. What describes a piece lies apart from it, where no kernel can write: one that writes past the end of
 * its own piece spoils others, as on a device, and nothing of ours.
 * Locks     mu guards all; nothing of the kernel's is touched while it is held, so a fault cannot leave it locked.
 */
struct exec_heap {
    struct hw_mutex mu;
    size_t limit, used;
    struct hw_map live;          /* address -> its piece */
    struct hw_arena pieces;      /* all there ever were */
    char *arena, *arena_at;      /* addresses for it, taken when first needed */
    size_t arena_bytes;
    struct heap_piece *spare[48];   /* by power of two */
};

struct heap_piece {
    struct heap_piece *next;     /* of the spare ones */
    char *at;
    size_t bytes;                /* that were asked for */
    unsigned size_class;
};

enum { SMALLEST_CLASS = 6 };

static unsigned class_of(size_t bytes)
{
    unsigned k = SMALLEST_CLASS;
    while (k < 64 && ((size_t)1 << k) < bytes)
        k++;
    return k;
}

/* Memory in the window: kernels use it as they use any other. */
static struct heap_piece *take_piece(struct exec_heap *h, size_t bytes)
{
    unsigned k = class_of(bytes);
    struct heap_piece *p = k < HW_LEN(h->spare) ? h->spare[k] : NULL;
    if (p) {
        h->spare[k] = p->next;
        return p;
    }
    for (size_t want = (size_t)16 << 30; !h->arena && want >= (size_t)64 << 20; want /= 2) {
        char *map = hw_window_map(want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
        if (map != MAP_FAILED) {
            h->arena = h->arena_at = map;
            h->arena_bytes = want;
        }
    }
    if (k >= HW_LEN(h->spare) || !h->arena || (size_t)1 << k > h->arena_bytes - (size_t)(h->arena_at - h->arena))
        return NULL;
    p = hw_arena_alloc(&h->pieces, sizeof *p);
    p->size_class = k;
    p->at = h->arena_at;
    h->arena_at += (size_t)1 << k;
    return p;
}

static void give_piece(struct exec_heap *h, struct heap_piece *p)
{
    p->next = h->spare[p->size_class];
    h->spare[p->size_class] = p;
}

struct exec_heap *exec_heap_new(size_t limit)
{
    struct exec_heap *h = hw_alloc(sizeof *h);
    hw_mutex_init(&h->mu, HW_RANK_POOL);
    h->limit = limit;
    return h;
}

void exec_heap_free(struct exec_heap *h)
{
    if (!h)
        return;
    if (h->arena)
        munmap(h->arena, h->arena_bytes);
    hw_map_fini(&h->live);
    hw_arena_fini(&h->pieces);
    hw_free(h);
}

void exec_heap_limit(struct exec_heap *h, size_t limit)
{
    hw_lock(&h->mu);
    h->limit = limit;
    hw_unlock(&h->mu);
}

void exec_heap_hold(struct exec_heap *h) { hw_lock(&h->mu); }
void exec_heap_let_go(struct exec_heap *h) { hw_unlock(&h->mu); }

void exec_heap_range(const struct exec_heap *h, uint64_t *out_base, uint64_t *out_bytes)
{
    *out_base = (uint64_t)(uintptr_t)h->arena;
    *out_bytes = h->arena ? (uint64_t)(h->arena_at - h->arena) : 0;
}

static void *service_malloc(struct kabi_block *block, uint64_t bytes)
{
    struct exec_heap *h = exec_launch_of(block)->heap;
    if (!h || bytes == 0 || bytes > h->limit)
        return NULL;
    struct heap_piece *p = NULL;
    exec_service(true);
    hw_lock(&h->mu);
    if (h->used + bytes <= h->limit && (p = take_piece(h, bytes))) {
        p->bytes = bytes;
        h->used += bytes;
        hw_map_set_ptr(&h->live, p->at, p);
    }
    hw_unlock(&h->mu);
    if (hw_unlikely(p && exec_checker))
        exec_checker->heap((uint64_t)(uintptr_t)p->at, bytes, true);
    exec_service(false);
    return p ? p->at : NULL;
}

bool exec_heap_give(struct exec_heap *h, void *p)
{
    hw_lock(&h->mu);
    struct heap_piece *piece = hw_map_del_ptr(&h->live, p);
    if (piece) {
        h->used -= piece->bytes;
        give_piece(h, piece);
    }
    hw_unlock(&h->mu);
    return piece != NULL;
}

static void service_free(struct kabi_block *block, void *p)
{
    struct exec_heap *h = exec_launch_of(block)->heap;
    if (!p || !h)
        return;
    exec_service(true);
    if (hw_unlikely(exec_checker != NULL))
        exec_checker->heap((uint64_t)(uintptr_t)p, 0, false);
    if (!exec_heap_give(h, p))   /* freed twice, or never allocated: the device's own heap traps here too */
        exec_fault_raise(EXEC_FAULT_TRAP, (uint64_t)(uintptr_t)p, 0);
    exec_service(false);
}

/* --- ends of kernels --- */

static void service_assert(struct kabi_block *block, const char *message, const char *file, uint32_t line, const char *function,
                           uint32_t thread)
{
    const uint32_t *n = block->launch->ntid;
    char text[1024];
    exec_service(true);
    int len = snprintf(text, sizeof text, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", file,
                       (unsigned)line, function, block->ctaid[0], block->ctaid[1], block->ctaid[2], thread % n[0],
                       thread / n[0] % n[1], thread / n[0] / n[1], message);
    if (!exec_alone)
        fwrite(text, 1, len < (int)sizeof text ? (size_t)len : sizeof text - 1, stderr);
    exec_fault_raise(EXEC_FAULT_ASSERT, 0, line);
}

static void service_trap(struct kabi_block *block, uint32_t code, uint32_t line, uint64_t addr)
{
    static const enum exec_fault faults[] = {
        [KABI_TRAP_TRAP] = EXEC_FAULT_TRAP, [KABI_TRAP_MISALIGNED] = EXEC_FAULT_MISALIGNED,
        [KABI_TRAP_ILLEGAL_ADDRESS] = EXEC_FAULT_ADDRESS, [KABI_TRAP_ILLEGAL_INSTRUCTION] = EXEC_FAULT_INSTRUCTION,
    };
    (void)block;
    exec_fault_raise(code < HW_LEN(faults) ? faults[code] : EXEC_FAULT_TRAP, addr, line);
}

/* --- addresses that generated code could not judge by itself --- */

/* The memory this thread was last told about, and when: a release of memory makes it doubtful. */
static _Thread_local struct {
    uint64_t base, end, epoch;
} known;

void exec_access(struct kabi_block *block, uint64_t addr, uint64_t what)
{
    addr += (uint64_t)kabi_access_offset(what);
    if (addr & (kabi_access_align(what) - 1))
        exec_fault_raise(EXEC_FAULT_MISALIGNED, addr, kabi_access_line(what));
    uint64_t epoch = atomic_load_explicit(&exec_memory_epoch, memory_order_acquire);
    if (addr >> HW_WINDOW_SHIFT == HW_WINDOW_TAG || (addr - known.base < known.end - known.base && known.epoch == epoch))
        return;
    uint64_t params = (uint64_t)(uintptr_t)block->launch->params, base, end;
    if (addr - params < 65536)   /* a kernel may read its own parameters through a pointer */
        return;
    exec_service(true);
    bool found = exec_find_memory && exec_find_memory(addr, &base, &end);
    exec_service(false);
    const struct exec_areas *mine = exec_buffers()->now;
    const struct exec_heap *h = exec_launch_of(block)->heap;
    if (!found && h && h->arena && addr - (uint64_t)(uintptr_t)h->arena < h->arena_bytes)
        return;                  /* malloc()'s, where it could not have a place in the window */
    if (!found && (exec_area_owns(&mine->shared, addr) || exec_area_owns(&mine->local, addr)))
        return;
    if (!found)
        exec_fault_raise(EXEC_FAULT_ADDRESS, addr, kabi_access_line(what));
    known.base = base;
    known.end = end;
    known.epoch = epoch;
}

void exec_access_lanes(struct kabi_block *block, const uint64_t *addrs, uint64_t active, uint64_t what)
{
    for (; active; active &= active - 1)
        exec_access(block, addrs[__builtin_ctzll(active)], what);
}

void exec_access_row(struct kabi_block *block, uint64_t first, uint64_t rows, uint64_t what)
{
    int64_t step = (int64_t)rows >> 32;
    for (uint32_t active = (uint32_t)rows; active; active &= active - 1)
        exec_access(block, first + (uint64_t)(step * __builtin_ctz(active)), what);
}

void exec_access_indexed(struct kabi_block *block, uint64_t base, const int32_t *index, uint64_t indexed, uint64_t what)
{
    int64_t scale = (int64_t)indexed >> 32;
    for (uint32_t active = (uint32_t)indexed; active; active &= active - 1)
        exec_access(block, base + (uint64_t)(scale * index[__builtin_ctz(active)]), what);
}

const struct kabi_services exec_services = {
    .access = exec_access_saving,
    .access_lanes = exec_access_lanes_saving,
    .access_row = exec_access_row_saving,
    .access_indexed = exec_access_indexed_saving,
    .vprintf_ = exec_vprintf,
    .assertfail = service_assert,
    .trap = service_trap,
    .malloc_ = service_malloc,
    .free_ = service_free,
    .texture = exec_texture_service,
    .count = exec_count,
};
