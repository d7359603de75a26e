/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Putting objects into memory: by our own loader, or where that does not know what is in them (or the CPU) by LLVM's ORC. Kernels are shared by every
 * module that holds the same one, and their code is given back with the last of these; what ORC has loaded stays.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <pthread.h>
#include <stdio.h>

#include "base/options.h"
#include "base/os.h"
#include "base/vec.h"
#include "jit/code/details_table.h"
#include "jit/code/llvm.h"
#include "jit/code/load.h"
#include "jit/math/math.h"
#include "jit/code/object.h"
#include "jit/math/rounding.h"
#include "jit/emit/x86.h"
#include "kabi/kabi.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;          /* guards all below */
static LLVMOrcLLJITRef jit;
static struct hw_map defined;                                    /* symbols already given to ORC */
bool object_by_orc;
static struct hw_map kernels;                                    /* key -> struct linked */

/*
 * A kernel in memory.
 * Lifetime  Whoever asked for it holds a reference: functions of modules (what is queued keeps the module), and the thread that makes its best code. One
 *           whose regions were exchanged holds the kernel that they belong to.
 * Locks     lock.
 */
struct linked {
    struct kabi_kernel kernel;
    struct hw_hash key;
    unsigned refs;
    bool stays;                  /* ORC's, or counted for a report at the end, which reads what it counted */
    HW_VEC(struct loaded) code;
    struct linked *best;         /* whose code its regions are by now */
};

static bool failed(LLVMErrorRef err, const char *what, struct diag *diag)
{
    if (!err)
        return false;
    char *message = LLVMGetErrorMessage(err);
    diag_error(diag, 0, 0, "internal: %s: %s", what, message);
    LLVMDisposeErrorMessage(message);
    return true;
}

static bool start(struct diag *diag)
{
    if (jit)
        return true;
    if (!llvm_load(diag))
        return false;
    if (failed(LLVMOrcCreateLLJIT(&jit, NULL), "the code loader does not start", diag))
        return false;
    LLVMOrcDefinitionGeneratorRef process;                        /* memset and the like, which LLVM calls by itself */
    if (failed(LLVMOrcCreateDynamicLibrarySearchGeneratorForProcess(&process, LLVMOrcLLJITGetGlobalPrefix(jit), NULL, NULL), "no process symbols", diag))
        return false;
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit), process);
    return true;
}

bool (*jit_kernel_ns)(uint64_t *ns);

/* With the clock of a computed GPU, kernels' clocks do not tell how fast this machine is: they go on by what the kernel would take there. Where nobody counts
   that, each look takes some time, so that a loop that waits has the same rounds in every run. */
static uint64_t counted_ns(void)
{
    enum { LOOK_NS = 20 };
    static _Thread_local uint64_t ns = 1000000000;
    uint64_t known;
    if (jit_kernel_ns && jit_kernel_ns(&known))
        return known;
    return ns += LOOK_NS;
}

/* For %clock, which code makes of it with KABI_CLOCK_KHZ: so that it comes out in the card's cycles. */
double jit_clock_scale = 1;
static uint64_t counted_clock_ns(void) { return (uint64_t)((double)counted_ns() * jit_clock_scale); }

static void *address_of(const char *symbol)
{
    void *p = rounding_address(symbol);
    if (!p)
        p = x86_address(symbol);
    if (!p)
        p = math_address(symbol);
    if (!p && strcmp(symbol, "hw_now_ns") == 0)
        p = hw_options()->gpu[0] ? (void *)(uintptr_t)counted_ns : (void *)(uintptr_t)hw_now_ns;
    if (!p && strcmp(symbol, "hw_clock_ns") == 0)
        p = hw_options()->gpu[0] ? (void *)(uintptr_t)counted_clock_ns : (void *)(uintptr_t)hw_now_ns;
    return p;
}

static bool define(const char *symbol, struct diag *diag)
{
    if (hw_map_get_str(&defined, symbol))
        return true;
    void *address = address_of(symbol);
    LLVMOrcCSymbolMapPair pair = { LLVMOrcLLJITMangleAndIntern(jit, symbol), { (LLVMOrcExecutorAddress)(uintptr_t)address, { LLVMJITSymbolGenericFlagsExported, 0 } } };
    if (failed(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit), LLVMOrcAbsoluteSymbols(&pair, 1)), symbol, diag))
        return false;
    hw_map_set_str(&defined, symbol, address);
    return true;
}

/* What the object names, and what LLVM calls by itself: memset and the like. */
static void *any_address_of(const char *symbol)
{
    void *p = address_of(symbol);
    return p ? p : dlsym(RTLD_DEFAULT, symbol);
}

static const char *next_file(const struct object *o, const char *at, uint64_t *bytes)
{
    at = at ? at + *bytes : o->code;
    if (at == (char *)o->code + o->code_bytes)
        return NULL;
    memcpy(bytes, at, sizeof *bytes);
    return at + sizeof *bytes;
}

static void unload(struct linked *l)
{
    for (size_t i = 0; i < l->code.n; i++)
        load_drop(&l->code.v[i]);
    hw_vec_fini(&l->code);
}

static bool load(const struct object *o, const char *name, struct hw_map *functions, struct linked *l)
{
    uint64_t bytes = 0;
    for (const char *file = NULL; (file = next_file(o, file, &bytes));) {
        struct loaded at;
        if (!load_object(file, bytes, name, any_address_of, functions, &at)) {
            unload(l);
            return false;
        }
        hw_vec_push(&l->code, at);
    }
    return true;
}

static bool load_with_orc(const struct object *o, const char *name, struct diag *diag)
{
    uint64_t bytes = 0;
    if (!start(diag))
        return false;
    for (size_t i = 0; i < o->symbols.n; i++)
        if (!define(o->symbols.v[i], diag))
            return false;
    for (const char *file = NULL; (file = next_file(o, file, &bytes));) {
        LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(file, bytes, name);
        if (failed(LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit), buffer), "the object is not taken", diag))
            return false;
    }
    return true;
}

/* functions: what our own loader has put there; NULL: ORC did. */
static void *code_of(const struct hw_map *functions, const char *symbol, struct diag *diag)
{
    LLVMOrcExecutorAddress address = 0;
    if (!functions)
        return failed(LLVMOrcLLJITLookup(jit, &address, symbol), "the code is not found", diag) ? NULL : (void *)(uintptr_t)address;
    void *p = hw_map_get_str(functions, symbol);
    if (!p)
        diag_error(diag, 0, 0, "internal: the code of %s is not found", symbol);
    return p;
}

static kabi_region_fn **find_regions(const struct hw_hash *key, const struct object *o, const struct hw_map *functions, struct diag *diag)
{
    kabi_region_fn **regions = hw_alloc(o->facts.n_regions * sizeof *regions);
    char hex[33], symbol[64];
    hw_hash_hex(key, hex);
    for (uint32_t r = 0; r < o->facts.n_regions; r++) {
        snprintf(symbol, sizeof symbol, "hw_%s_%u", hex, r);
        regions[r] = (kabi_region_fn *)(uintptr_t)code_of(functions, symbol, diag);
        if (!regions[r]) {
            hw_free(regions);
            return NULL;
        }
    }
    return regions;
}

static kabi_region_fn **put_into_memory(const struct hw_hash *key, const struct object *o, const char *name, struct linked *l, struct diag *diag)
{
    struct hw_map functions = { 0 };
    kabi_region_fn **regions = NULL;
    for (size_t i = 0; i < o->symbols.n; i++)
        if (!address_of(o->symbols.v[i])) {
            diag_error(diag, 0, 0, "the function %s is not available (is the SLEEF library installed?)", o->symbols.v[i]);
            return NULL;
        }
    if (!object_by_orc && load(o, name, &functions, l)) {
        regions = find_regions(key, o, &functions, diag);
        if (!regions)
            unload(l);
    } else if (load_with_orc(o, name, diag)) {
        l->stays = true;
        regions = find_regions(key, o, NULL, diag);
    }
    hw_map_fini(&functions);
    return regions;
}

static struct linked *link_locked(const struct hw_hash *key, const struct object *o, const char *name, struct diag *diag)
{
    struct linked *l = hw_alloc(sizeof *l);
    kabi_region_fn **regions = put_into_memory(key, o, name, l, diag);
    if (!regions) {
        hw_free(l);
        return NULL;
    }
    l->key = *key;
    const struct hw_options *options = hw_options();
    l->stays |= o->details && (options->prof[0] || options->prof_details || options->check[0]);
    struct kabi_keep *keeps = hw_alloc(o->keeps.n * sizeof *keeps + 1);
    if (o->keeps.n)
        memcpy(keeps, o->keeps.v, o->keeps.n * sizeof *keeps);
    l->kernel = (struct kabi_kernel){
        .name = hw_strdup(name), .n_regions = o->facts.n_regions, .regions = regions, .n_warps = o->facts.n_groups, .frame_bytes = o->facts.frame_bytes,
        .header_bytes = !o->facts.frame_bytes || o->facts.lockstep ? 0 : o->facts.bars_offset + (uint32_t)sizeof(struct kabi_bars), .bars_offset = o->facts.bars_offset,
        .warpops_offset = o->facts.warpops_offset, .fair = o->facts.fair, .streams = o->facts.streams, .alone = o->facts.alone, .visits = o->facts.visits, .local_bytes = o->facts.local_bytes, .shared_static = o->facts.shared_static, .shared_room = o->facts.shared_room,
        .width = o->facts.width, .chunks = o->facts.chunks, .lowering = o->facts.fair ? "scalar, taking turns" : o->facts.turns ? "vector, taking turns" : o->facts.width == 1 ? "scalar" : "vector",
        .details = o->details,
        .turns = o->facts.turns, .red_offset = o->facts.red_offset, .warp_offset = o->facts.warp_offset, .warp_bytes = o->facts.warp_bytes, .parts_offset = o->facts.parts_offset,
        .n_keeps = (uint32_t)o->keeps.n, .keeps = keeps, .reds = o->facts.reds,
    };
    hw_map_set(&kernels, key, sizeof *key, l);
    return l;
}

static struct linked *linked_of(struct kabi_kernel *k)
{
    return hw_container_of(k, struct linked, kernel);
}

struct kabi_kernel *object_link(const struct hw_hash *key, const struct object *o, const char *name, struct diag *diag)
{
    pthread_mutex_lock(&lock);
    struct linked *l = hw_map_get(&kernels, key, sizeof *key);
    if (!l && o)
        l = link_locked(key, o, name, diag);
    if (l)
        l->refs++;
    pthread_mutex_unlock(&lock);
    return l ? &l->kernel : NULL;
}

static void unref_locked(struct linked *l)
{
    if (!l || --l->refs > 0 || l->stays)
        return;
    hw_map_del(&kernels, &l->key, sizeof l->key);
    unref_locked(l->best);
    unload(l);
    hw_free((char *)l->kernel.name);
    hw_free((void *)(uintptr_t)l->kernel.regions);
    hw_free((void *)(uintptr_t)l->kernel.keeps);
    details_table_free((struct details_table *)(uintptr_t)l->kernel.details);
    hw_free(l);
}

void object_kernel_ref(struct kabi_kernel *k)
{
    pthread_mutex_lock(&lock);
    linked_of(k)->refs++;
    pthread_mutex_unlock(&lock);
}

void object_kernel_unref(struct kabi_kernel *k)
{
    if (!k)
        return;
    pthread_mutex_lock(&lock);
    unref_locked(linked_of(k));
    pthread_mutex_unlock(&lock);
}

void object_exchange(struct kabi_kernel *old, struct kabi_kernel *best)
{
    struct linked *l = linked_of(old), *b = linked_of(best);
    if (old->n_regions != best->n_regions || old->frame_bytes != best->frame_bytes || old->n_warps != best->n_warps)
        return;                  /* never: they come from one module */
    for (uint32_t r = 0; r < old->n_regions; r++)
        __atomic_store_n((kabi_region_fn **)(uintptr_t)&old->regions[r], best->regions[r], __ATOMIC_RELEASE);    /* pairs with kabi_region() */
    pthread_mutex_lock(&lock);
    if (!l->best && l != b) {    /* its own code stays, too: somebody may be in it */
        b->refs++;
        l->best = b;
    }
    pthread_mutex_unlock(&lock);
}
