/* SPDX-License-Identifier: Apache-2.0 */
/* The table of textures and surfaces. */
#include "exec/texture.h"

#include "base/lock.h"

#include <stdatomic.h>

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
