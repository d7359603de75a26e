/* SPDX-License-Identifier: Apache-2.0 */
/* Textures and surfaces: the table of them, and the service that generated code calls for all their instructions. */
#include "exec/texture.h"

#include "exec/internal.h"
#include "exec/sample.h"
#include "exec/surface.h"
#include "kabi/texture.h"

#include <stdatomic.h>

/* --- the table --- */

enum { PAGE_SLOTS = 256, N_PAGES = 4096 };
struct slot {
    _Atomic uint32_t generation; /* odd while in use */
    struct exec_texture texture;
    struct slot *next_free;
};
static struct slot *_Atomic pages[N_PAGES];
static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct slot *free_slots HW_GUARDED_BY(mu);
static uint32_t n_slots HW_GUARDED_BY(mu);

static struct slot *slot_of(uint64_t handle)
{
    uint32_t index = (uint32_t)handle;
    struct slot *page = index < (uint32_t)N_PAGES * PAGE_SLOTS ? atomic_load_explicit(&pages[index / PAGE_SLOTS], memory_order_acquire) : NULL;
    struct slot *s = page ? &page[index % PAGE_SLOTS] : NULL;
    uint32_t generation = (uint32_t)(handle >> 32);
    return s && (generation & 1) && atomic_load_explicit(&s->generation, memory_order_acquire) == generation ? s : NULL;
}

uint64_t exec_texture_add(const struct exec_texture *t)
{
    hw_lock(&mu);
    if (!free_slots && n_slots < (uint32_t)N_PAGES * PAGE_SLOTS) {
        struct slot *page = hw_try_alloc(sizeof *page * PAGE_SLOTS);
        for (int i = PAGE_SLOTS - 1; page && i >= 0; i--) {
            page[i].next_free = free_slots;
            free_slots = &page[i];
        }
        atomic_store_explicit(&pages[n_slots / PAGE_SLOTS], page, memory_order_release);
        n_slots += page ? PAGE_SLOTS : 0;
    }
    struct slot *s = free_slots;
    uint64_t handle = 0;
    if (s) {
        free_slots = s->next_free;
        s->texture = *t;
        uint32_t generation = atomic_load(&s->generation) + 1;
        atomic_store_explicit(&s->generation, generation, memory_order_release);
        uint32_t index = 0;
        for (uint32_t p = 0; p < N_PAGES && pages[p]; p++)
            if (s >= pages[p] && s < pages[p] + PAGE_SLOTS)
                index = p * PAGE_SLOTS + (uint32_t)(s - pages[p]);
        handle = (uint64_t)generation << 32 | index;
    }
    hw_unlock(&mu);
    return handle;
}

bool exec_texture_remove(uint64_t handle)
{
    hw_lock(&mu);
    struct slot *s = slot_of(handle);
    if (s) {
        atomic_fetch_add(&s->generation, 1);
        s->next_free = free_slots;
        free_slots = s;
    }
    hw_unlock(&mu);
    return s != NULL;
}

const struct exec_texture *exec_texture_peek(uint64_t handle)
{
    struct slot *s = slot_of(handle);
    return s ? &s->texture : NULL;
}

/* --- the service --- */

static uint32_t query(const struct exec_texture *t, struct tex_op op)
{
    switch ((enum tex_query)op.query) {
    case TEX_WIDTH: return t->levels[0].width;
    case TEX_HEIGHT: return t->levels[0].height;
    case TEX_DEPTH: return t->levels[0].depth;
    case TEX_LAYERS: return t->layers;
    case TEX_LEVELS: return t->n_levels;
    case TEX_NORMALISED: return t->normalised;
    case TEX_SAMPLES: return 1;
    }
    return 0;
}

void exec_texture_service(struct kabi_block *block, uint32_t packed, uint64_t handle, const uint32_t *args, uint32_t *results)
{
    struct tex_op op = tex_unpack(packed);
    const struct exec_texture *t = exec_texture_peek(handle);
    union texel out = { { 0 } };
    char *p;
    (void)block;
    if (handle == 0) {                           /* none, or an empty reference: it reads as zeroes, and writes go nowhere */
        if (op.kind <= TEX_LOAD)
            memset(results, 0, sizeof out.u);
        return;
    }
    if (!t || (op.kind >= TEX_LOAD) != (t->surface && op.kind != TEX_QUERY))
        exec_fault_raise(EXEC_FAULT_ADDRESS, handle, 0);
    switch ((enum tex_kind)op.kind) {
    case TEX_SAMPLE: exec_sample(t, op, args, (union texel *)(void *)results); return;
    case TEX_GATHER: exec_gather(t, op, args, &out); break;
    case TEX_QUERY: out.u[0] = query(t, op); break;
    case TEX_LOAD:
        if ((p = surface_address(t, op, args)))
            memcpy(out.u, p, op.bytes);
        break;
    case TEX_STORE:
        if ((p = surface_address(t, op, args)))
            surface_store(t, op, p, args + TEX_COORDS);
        return;
    case TEX_REDUCE:
        if ((p = surface_address(t, op, args)))
            surface_reduce(t, op, p, args + TEX_COORDS);
        return;
    }
    memcpy(results, out.u, sizeof out.u);
}
