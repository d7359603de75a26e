/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a thread for the blocks it runs: shared, local and frame. */
#define _GNU_SOURCE
#include "exec/internal.h"

#include "base/lock.h"
#include "base/os.h"

#include <stdatomic.h>
#include <sys/mman.h>

/* Around shared and local memory nothing is mapped for this far: no 32-bit address, taken with its sign, leads beyond it, nor do the lanes next to one. */
#define WINDOW_BYTES ((size_t)2560 << 20)

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local struct exec_buffers *mine;

static void area_fini(struct exec_area *area)
{
    if (area->map)
        munmap(area->map, area->map_bytes);
    memset(area, 0, sizeof *area);
}

/* Areas that no block has. They stay mapped, for addresses are used only once (hw_window_map()); of many the memory goes back. */
enum { MANY = 64 };
static struct hw_mutex mu = HW_MUTEX_INIT(HW_RANK_LEAF);
static struct exec_areas *spare HW_GUARDED_BY(mu);
static unsigned n_spare HW_GUARDED_BY(mu);

static struct exec_areas *take_spare(void)
{
    hw_lock(&mu);
    struct exec_areas *a = spare;
    if (a) {
        spare = a->next;
        n_spare--;
    }
    hw_unlock(&mu);
    return a;
}

static void area_forget(struct exec_area *area)
{
    if (area->base)
        madvise(area->base, area->bytes, MADV_DONTNEED);
}

static void areas_forget(struct exec_areas *a)
{
    area_forget(&a->shared);
    area_forget(&a->frame);
    area_forget(&a->local);
}

static void give_spare(struct exec_areas *a)
{
    hw_lock(&mu);
    bool many = ++n_spare > MANY;
    hw_unlock(&mu);
    if (many)
        areas_forget(a);
    hw_lock(&mu);
    a->next = spare;
    spare = a;
    hw_unlock(&mu);
}

/* A program may have thousands of threads one after another: the next one gets this one's areas. */
static void free_buffers(void *p)
{
    struct exec_buffers *b = p;
    struct exec_areas *a = hw_alloc(sizeof *a);
    *a = b->own;
    a->taken = false;
    areas_forget(a);
    give_spare(a);
    area_fini(&b->privates.area);
    exec_fault_thread_ends(b->handler_stack);
    hw_str_fini(&b->text);
    hw_str_fini(&b->format);
    hw_str_fini(&b->argument);
    mine = NULL;
    hw_free(b);
}

static void make_key(void)
{
    pthread_key_create(&key, free_buffers);
}

struct exec_buffers *exec_buffers(void)
{
    if (hw_likely(mine))
        return mine;
    pthread_once(&once, make_key);
    mine = hw_alloc(sizeof *mine);
    struct exec_areas *a = take_spare();
    if (a)
        mine->own = *a;
    hw_free(a);
    mine->now = &mine->own;
    mine->handler_stack = exec_fault_thread();
    pthread_setspecific(key, mine);
    return mine;
}

static bool area_make(struct exec_area *area, size_t bytes, enum exec_area_kind kind)
{
    const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    size_t guard = kind == EXEC_AREA_OFFSETS ? WINDOW_BYTES : 16 * hw_page_bytes(), all = bytes + 2 * guard;
    char *map = kind == EXEC_AREA_OFFSETS ? hw_window_map(all, PROT_NONE, flags) : mmap(NULL, all, PROT_NONE, flags, -1, 0);
    if (map == MAP_FAILED)
        return false;
    if (mprotect(map + guard, bytes, PROT_READ | PROT_WRITE)) {
        munmap(map, all);
        return false;
    }
    *area = (struct exec_area){ map, all, map + guard, bytes };
    return true;
}

char *exec_area_none(void)
{
    static char *_Atomic place;
    char *p = atomic_load(&place);
    if (p)
        return p;
    char *map = hw_window_map(2 * WINDOW_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE), *none = NULL;
    if (map == MAP_FAILED)
        return NULL;
    if (!atomic_compare_exchange_strong(&place, &none, map + WINDOW_BYTES))
        munmap(map, 2 * WINDOW_BYTES);
    return atomic_load(&place);
}

/* The last byte asked for lies close before the guard page: aligned to 1 KiB, the grain in which GPUs give out shared memory. */
char *exec_area_get(struct exec_area *area, size_t bytes, enum exec_area_kind kind)
{
    size_t rounded = hw_align_up(bytes ? bytes : 1, 1024);
    if (hw_unlikely(area->bytes < rounded)) {
        size_t want = 64 * 1024;
        while (want < rounded)                   /* few sizes: each takes a place in the window for good */
            want *= 2;
        area_fini(area);
        if (!area_make(area, hw_align_up(want, hw_page_bytes()), kind))
            return NULL;
    }
    return area->base + area->bytes - rounded;
}

bool exec_area_owns(const struct exec_area *area, uint64_t addr)
{
    uint64_t map = (uint64_t)(uintptr_t)area->map;
    return area->map && addr >= map && addr < map + area->map_bytes;
}

struct exec_areas *exec_areas_take(bool moves)
{
    struct exec_areas *a = &exec_buffers()->own;
    if (moves || a->taken)
        a = take_spare();
    if (!a)
        a = hw_alloc(sizeof *a);
    a->taken = true;
    return a;
}

void exec_areas_forget(void)
{
    hw_mutex_init(&mu, HW_RANK_LEAF);
    spare = NULL;
    n_spare = 0;
}

void exec_areas_give(struct exec_areas *a)
{
    a->taken = false;
    if (a == &exec_buffers()->own)
        return;
    give_spare(a);
}
