/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of a thread for the blocks it runs: shared, local and frame. */
#define _GNU_SOURCE
#include "exec/internal.h"

#include "base/os.h"

#include <sys/mman.h>

/* Around shared memory nothing is mapped for this far, so that a wild index faults instead of hitting something else. */
#define WINDOW_BYTES ((size_t)512 << 20)

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local struct exec_buffers *mine;

static void area_fini(struct exec_area *area)
{
    if (area->map)
        munmap(area->map, area->map_bytes);
    memset(area, 0, sizeof *area);
}

static void free_buffers(void *p)
{
    struct exec_buffers *b = p;
    area_fini(&b->shared);
    area_fini(&b->frame);
    area_fini(&b->local);
    hw_str_fini(&b->text);
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
    pthread_setspecific(key, mine);
    return mine;
}

static bool area_make(struct exec_area *area, size_t bytes, size_t guard)
{
    char *map = hw_window_map(bytes + 2 * guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE);
    if (map == MAP_FAILED)
        return false;
    if (mprotect(map + guard, bytes, PROT_READ | PROT_WRITE)) {
        munmap(map, bytes + 2 * guard);
        return false;
    }
    *area = (struct exec_area){ map, bytes + 2 * guard, map + guard, bytes };
    return true;
}

/* The last byte asked for lies close before the guard page: aligned to 1 KiB, the grain in which GPUs give out shared memory. */
char *exec_area_get(struct exec_area *area, size_t bytes, bool window)
{
    size_t rounded = hw_align_up(bytes ? bytes : 1, 1024);
    if (hw_unlikely(area->bytes < rounded)) {
        size_t page = hw_page_bytes(), want = hw_align_up(hw_max_u64(rounded, 64 * 1024), page);
        area_fini(area);
        if (!(window && area_make(area, want, WINDOW_BYTES)) && !area_make(area, want, 16 * page))
            return NULL;
    }
    return area->base + area->bytes - rounded;
}

bool exec_area_owns(const struct exec_area *area, uint64_t addr)
{
    uint64_t map = (uint64_t)(uintptr_t)area->map;
    return area->map && addr >= map && addr < map + area->map_bytes;
}
