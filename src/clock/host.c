/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's side of a computed GPU: what calls cost, and the program's own clocks. A thread's clock goes on by what its calls would have
 * taken, and by what it really takes outside of calls. The device only ever sees the first of these, so that its times are the same in every run.
 */
#define _GNU_SOURCE
#include "clock/clock.h"

#include "base/os.h"
#include "core/mem/mem.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

/* --- what calls cost --- */

static const struct cost {
    const char *text;
    size_t offset;
    bool only_success;
} costs[] = {
#define COST(text, field, only) { text, offsetof(struct gpu_profile, field), only },
#include "clock/costs.def"
#undef COST
};

static bool owes_context[GPU_MOST_CHOSEN];

/* Older runtimes make the context when something needs it; asking about devices does not. */
static bool needs_context(const char *call)
{
    return !strstr(call, "Device") && !strstr(call, "GetErrorString") && !strstr(call, "GetLastError");
}

void host_call_cost(struct clock_thread *t, int result)
{
    const char *call = t->call ? t->call : "";
    const struct cost *c = costs;
    while (!strstr(call, c->text))
        c++;
    for (size_t g = 0; g < sim_n; g++) {
        const struct gpu_profile *p = &sim_gpus[g];
        double ns;
        memcpy(&ns, (const char *)p + c->offset, sizeof ns);
        if ((!c->only_success || result == 0) && (c->text[0] || t->cost[g] == 0))
            t->cost[g] += ns;
        owes_context[g] |= t->made_context;
        if (owes_context[g] && (p->context_lazy == 0 || needs_context(call))) {
            t->cost[g] += p->context_ns;
            owes_context[g] = false;
        }
    }
}

/* The system gives a page of memory when it is touched first, and whoever does so waits for that: a driver that copies or locks, too. */
double host_untouched(uint64_t addr, uint64_t bytes)
{
    enum { PAGES = 2048 };
    unsigned char there[PAGES];
    uint64_t page = hw_page_bytes(), at = addr & ~(page - 1), end = hw_align_up(addr + bytes, page);
    double n = 0;
    while (at < end) {
        uint64_t pages = hw_min_u64((end - at) / page, PAGES);
        if (mincore((void *)(uintptr_t)at, pages * page, there) != 0)
            return n;
        for (uint64_t k = 0; k < pages; k++)
            n += !(there[k] & 1);
        at += pages * page;
    }
    return n * (double)page / 4096;
}

void host_memory_cost(struct clock_thread *t, const struct mem_info *info, bool added)
{
    double bytes = (double)info->bytes, untouched = added && info->kind == MEM_REGISTERED ? host_untouched(info->base, info->bytes) : 0;
    int kind = (int)info->kind;
    for (size_t g = 0; g < sim_n; g++) {
        const struct gpu_profile *p = &sim_gpus[g];
        if (kind == MEM_DEVICE || kind == MEM_MANAGED)
            t->cost[g] += gpu_curve_at(added ? &p->alloc : &p->release, bytes);
        else if (kind == MEM_HOST)
            t->cost[g] += gpu_curve_at(added ? &p->host_alloc : &p->host_free, bytes);
        else if (kind == MEM_REGISTERED)
            t->cost[g] += gpu_curve_at(added ? &p->host_register : &p->host_unregister, bytes) + untouched * p->untouched_lock;
    }
}

/* --- the program's clocks --- */

static int64_t lead(void) { return clock_thread()->lead; }

static void add_ns(struct timespec *ts, int64_t ns)
{
    int64_t all = ts->tv_nsec + ns % 1000000000;
    ts->tv_sec += ns / 1000000000 + (all >= 1000000000) - (all < 0);
    ts->tv_nsec = all < 0 ? all + 1000000000 : all >= 1000000000 ? all - 1000000000 : all;
}

static int our_clock_gettime(clockid_t id, struct timespec *ts)
{
    int rc = clock_gettime(id, ts);
    if (rc == 0)
        add_ns(ts, lead());
    return rc;
}

static int our_gettimeofday(struct timeval *tv, void *tz)
{
    int rc = gettimeofday(tv, tz);
    if (rc == 0 && tv) {
        struct timespec ts = { tv->tv_sec, tv->tv_usec * 1000 };
        add_ns(&ts, lead());
        tv->tv_sec = ts.tv_sec;
        tv->tv_usec = ts.tv_nsec / 1000;
    }
    return rc;
}

/* Time that a thread works; one that waits for a GPU spins. */
static clock_t our_clock(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    add_ns(&ts, lead());
    return (clock_t)ts.tv_sec * CLOCKS_PER_SEC + ts.tv_nsec / (1000000000 / CLOCKS_PER_SEC);
}

static const struct {
    const char *name;
    void *fn;
} clocks[] = { { "clock_gettime", (void *)our_clock_gettime }, { "gettimeofday", (void *)our_gettimeofday }, { "clock", (void *)our_clock } };

/* One object's tables: calls that it makes of functions elsewhere go through words that we exchange. */
struct object {
    ElfW(Addr) base;
    const ElfW(Sym) *symbols;
    const char *strings;
    const ElfW(Rela) *relocations[2];
    size_t bytes[2];
};

static void read_dynamic(const ElfW(Dyn) *d, struct object *o)
{
    for (; d->d_tag != DT_NULL; d++)
        switch (d->d_tag) {
        case DT_SYMTAB: o->symbols = (const void *)d->d_un.d_ptr; break;
        case DT_STRTAB: o->strings = (const void *)d->d_un.d_ptr; break;
        case DT_RELA: o->relocations[0] = (const void *)d->d_un.d_ptr; break;
        case DT_RELASZ: o->bytes[0] = d->d_un.d_val; break;
        case DT_JMPREL: o->relocations[1] = (const void *)d->d_un.d_ptr; break;
        case DT_PLTRELSZ: o->bytes[1] = d->d_un.d_val; break;
        default: break;
        }
}

static void exchange(void **slot, void *fn)
{
    uintptr_t page = (uintptr_t)slot & ~(uintptr_t)(hw_page_bytes() - 1);
    if (mprotect((void *)page, hw_page_bytes(), PROT_READ | PROT_WRITE) != 0)
        return;
    *slot = fn;                                  /* the page stays writable: what it was before nobody tells */
}

static void patch(const struct object *o)
{
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; o->relocations[k] && i < o->bytes[k] / sizeof(ElfW(Rela)); i++) {
            const ElfW(Rela) *r = &o->relocations[k][i];
            unsigned type = (unsigned)ELF64_R_TYPE(r->r_info);
#if defined(__x86_64__)
            if (type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT)
                continue;
#endif
            const char *name = o->strings + o->symbols[ELF64_R_SYM(r->r_info)].st_name;
            for (size_t c = 0; c < HW_LEN(clocks); c++)
                if (strcmp(name, clocks[c].name) == 0)
                    exchange((void **)(o->base + r->r_offset), clocks[c].fn);
        }
}

/* Not the object that this code is in, whatever it is called, not the C library's own, nor what the kernel gives. */
static bool is_foreign(const struct dl_phdr_info *info)
{
    uintptr_t here = (uintptr_t)&clocks;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        uintptr_t begin = info->dlpi_addr + info->dlpi_phdr[k].p_vaddr;
        if (info->dlpi_phdr[k].p_type == PT_LOAD && here >= begin && here - begin < info->dlpi_phdr[k].p_memsz)
            return false;
    }
    static const char *const not[] = { "libcuda.so", "libcudart", "libc.so", "ld-linux", "linux-vdso", "libhostwarp", "libpthread", "libLLVM", "libasan", "libtsan" };
    for (size_t k = 0; k < HW_LEN(not); k++)
        if (strstr(info->dlpi_name, not[k]))
            return false;
    return true;
}

static int visit(struct dl_phdr_info *info, size_t size, void *arg)
{
    struct object o = { .base = info->dlpi_addr };
    (void)size, (void)arg;
    if (!is_foreign(info))
        return 0;
    for (int k = 0; k < info->dlpi_phnum; k++)
        if (info->dlpi_phdr[k].p_type == PT_DYNAMIC)
            read_dynamic((const void *)(info->dlpi_addr + info->dlpi_phdr[k].p_vaddr), &o);
    if (o.symbols && o.strings)
        patch(&o);
    return 0;
}

void host_patch_clocks(void)
{
    dl_iterate_phdr(visit, NULL);
}
