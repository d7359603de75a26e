/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Putting objects into memory: by our own loader, or where that does not know what is in them (or the CPU) by LLVM's ORC. Code stays for the life of the
 * process: kernels are shared by every module that holds the same one, and a program has few.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <pthread.h>
#include <stdio.h>

#include "base/os.h"
#include "jit/llvm.h"
#include "jit/load.h"
#include "jit/math.h"
#include "jit/object.h"
#include "jit/rounding.h"
#include "jit/x86.h"
#include "kabi/kabi.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;          /* guards all below */
static LLVMOrcLLJITRef jit;
static struct hw_map defined;                                    /* symbols already given to ORC */
bool object_by_orc;
static struct hw_map kernels;                                    /* key -> struct kabi_kernel */

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

static void *address_of(const char *symbol)
{
    void *p = rounding_address(symbol);
    if (!p)
        p = x86_address(symbol);
    if (!p)
        p = math_address(symbol);
    if (!p && strcmp(symbol, "hw_now_ns") == 0)
        p = (void *)(uintptr_t)hw_now_ns;
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

static bool load(const struct object *o, struct hw_map *functions)
{
    bool ok = true;
    uint64_t bytes = 0;
    for (const char *file = NULL; ok && (file = next_file(o, file, &bytes));)
        ok = load_object(file, bytes, any_address_of, functions);
    return ok;
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

static kabi_region_fn **put_into_memory(const struct hw_hash *key, const struct object *o, const char *name, struct diag *diag)
{
    struct hw_map functions = { 0 };
    kabi_region_fn **regions = NULL;
    for (size_t i = 0; i < o->symbols.n; i++)
        if (!address_of(o->symbols.v[i])) {
            diag_error(diag, 0, 0, "the function %s is not available (is the SLEEF library installed?)", o->symbols.v[i]);
            return NULL;
        }
    if (!object_by_orc && load(o, &functions))
        regions = find_regions(key, o, &functions, diag);
    else if (load_with_orc(o, name, diag))
        regions = find_regions(key, o, NULL, diag);
    hw_map_fini(&functions);
    return regions;
}

static struct kabi_kernel *link_locked(const struct hw_hash *key, const struct object *o, const char *name, struct diag *diag)
{
    kabi_region_fn **regions = put_into_memory(key, o, name, diag);
    if (!regions)
        return NULL;
    struct kabi_kernel *k = hw_alloc(sizeof *k);
    struct kabi_keep *keeps = hw_alloc(o->keeps.n * sizeof *keeps + 1);
    if (o->keeps.n)
        memcpy(keeps, o->keeps.v, o->keeps.n * sizeof *keeps);
    *k = (struct kabi_kernel){
        .name = hw_strdup(name), .n_regions = o->facts.n_regions, .regions = regions, .n_warps = o->facts.n_groups, .frame_bytes = o->facts.frame_bytes,
        .header_bytes = !o->facts.frame_bytes || o->facts.lockstep ? 0 : o->facts.bars_offset + (uint32_t)sizeof(struct kabi_bars), .bars_offset = o->facts.bars_offset,
        .warpops_offset = o->facts.warpops_offset, .fair = o->facts.fair, .streams = o->facts.streams, .alone = o->facts.alone, .local_bytes = o->facts.local_bytes, .shared_static = o->facts.shared_static, .shared_room = o->facts.shared_room,
        .width = o->facts.width, .chunks = o->facts.chunks, .lowering = o->facts.fair ? "scalar, taking turns" : o->facts.turns ? "vector, taking turns" : o->facts.width == 1 ? "scalar" : "vector",
        .details = o->details,
        .turns = o->facts.turns, .red_offset = o->facts.red_offset, .warp_offset = o->facts.warp_offset, .warp_bytes = o->facts.warp_bytes, .parts_offset = o->facts.parts_offset,
        .n_keeps = (uint32_t)o->keeps.n, .keeps = keeps,
    };
    hw_map_set(&kernels, key, sizeof *key, k);
    return k;
}

struct kabi_kernel *object_link(const struct hw_hash *key, const struct object *o, const char *name, struct diag *diag)
{
    pthread_mutex_lock(&lock);
    struct kabi_kernel *k = hw_map_get(&kernels, key, sizeof *key);
    if (!k && o)
        k = link_locked(key, o, name, diag);
    pthread_mutex_unlock(&lock);
    return k;
}
