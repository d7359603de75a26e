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
void (*exec_describe_line)(const struct exec_launch *l, uint32_t line, char *out, size_t bytes);

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
    size_t held;                 /* of pieces that were freed, under a checker */
    struct heap_piece *spare[48];   /* by power of two */
};

struct heap_piece {
    struct heap_piece *next;     /* of the spare ones */
    char *at;
    size_t bytes;                /* that were asked for */
    unsigned size_class;
};

enum { SMALLEST_CLASS = 6, RED_ZONE = 16, HELD_BYTES = 256 << 20 };

static unsigned class_of(size_t bytes)
{
    unsigned k = SMALLEST_CLASS;
    while (k < 64 && ((size_t)1 << k) < bytes)
        k++;
    return k;
}

/* Memory in the window: kernels use it as they use any other. */
static void reserve(struct exec_heap *h)
{
    for (size_t want = (size_t)16 << 30; !h->arena && want >= (size_t)64 << 20; want /= 2) {
        char *map = hw_window_map(want, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
        if (map != MAP_FAILED) {
            h->arena = h->arena_at = map;
            h->arena_bytes = want;
        }
    }
}

static struct heap_piece *take_piece(struct exec_heap *h, size_t bytes)
{
    unsigned k = class_of(exec_checker ? bytes + RED_ZONE : bytes);
    struct heap_piece *p = k < HW_LEN(h->spare) ? h->spare[k] : NULL;
    if (p) {
        h->spare[k] = p->next;
        return p;
    }
    reserve(h);
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
    if (hw_unlikely(exec_checker && h->held + ((size_t)1 << p->size_class) <= HELD_BYTES)) {      /* no other piece takes its place: who still uses it is seen */
        h->held += (size_t)1 << p->size_class;
        return;
    }
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

/* With addresses: copies of the process have the same ones then, whichever of their threads asks for memory first. */
void exec_heap_hold(struct exec_heap *h)
{
    hw_lock(&h->mu);
    reserve(h);
}

void exec_heap_let_go(struct exec_heap *h) { hw_unlock(&h->mu); }

void exec_heap_range(const struct exec_heap *h, uint64_t *out_base, uint64_t *out_bytes)
{
    *out_base = (uint64_t)(uintptr_t)h->arena;
    *out_bytes = h->arena ? (uint64_t)(h->arena_at - h->arena) : 0;
}

bool exec_heap_owns(const struct exec_heap *h, uint64_t addr, uint64_t bytes)
{
    uint64_t at = addr - (uint64_t)(uintptr_t)h->arena;
    return h->arena && at < h->arena_bytes && bytes <= h->arena_bytes - at;
}

size_t exec_heap_bytes(struct exec_heap *h, uint64_t at)
{
    hw_lock(&h->mu);
    const struct heap_piece *piece = hw_map_get_ptr(&h->live, (const void *)(uintptr_t)at);
    size_t bytes = piece ? piece->bytes : 0;
    hw_unlock(&h->mu);
    return bytes;
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

/* A text of the kernel's that goes into a message. Of one that is not there nothing is said but that. */
static const char *quoted(const struct kabi_block *block, uint64_t at, struct hw_str *out)
{
    enum { MOST = 512 };
    out->n = 0;
    if (!exec_may_touch(block, at, 1, false))
        return "?";
    exec_read_text(block, at, MOST, out);
    return out->n ? out->s : "";
}

static void service_assert(struct kabi_block *block, const char *message, const char *file, uint32_t line, const char *function,
                           uint32_t thread)
{
    const uint32_t *n = block->launch->ntid;
    struct exec_buffers *own = exec_buffers();
    const char *pieces[] = { file, function, message };
    char part[HW_LEN(pieces)][512 + 1], text[2048];
    exec_service(true);
    for (unsigned k = 0; k < HW_LEN(pieces); k++)
        snprintf(part[k], sizeof part[k], "%s", quoted(block, (uint64_t)(uintptr_t)pieces[k], &own->text));
    int len = snprintf(text, sizeof text, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion `%s` failed.\n", part[0],
                       (unsigned)line, part[1], block->ctaid[0], block->ctaid[1], block->ctaid[2], thread % n[0],
                       thread / n[0] % n[1], thread / n[0] / n[1], part[2]);
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

/* ThreadSanitizer and AddressSanitizer put calls of their own into the quick entries, which keep no vector registers. */
#define ENTRY(name) name##_quick
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#undef ENTRY
#define ENTRY(name) name##_saving
#endif
#endif

/* The callers in generated code know which registers are kept; the types of C do not say it. */
const struct kabi_services exec_services = {
    .access = (kabi_access_fn *)ENTRY(exec_access),
    .access_lanes = (kabi_access_lanes_fn *)ENTRY(exec_access_lanes),
    .access_row = (kabi_access_row_fn *)ENTRY(exec_access_row),
    .access_indexed = (kabi_access_indexed_fn *)ENTRY(exec_access_indexed),
    .vprintf_ = exec_vprintf,
    .assertfail = service_assert,
    .trap = service_trap,
    .malloc_ = service_malloc,
    .free_ = service_free,
    .texture = exec_texture_service,
    .count = exec_count,
    .count_saving = exec_count_saving,
};
