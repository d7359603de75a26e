/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From LLVM's module to object files. The regions of a kernel are functions that know nothing of each other: where there are several, and CPUs for
 * them, threads optimise some each and make their code, every one in a context of its own.
 */
#include "jit/code/parallel_codegen.h"

#include "base/options.h"
#include "base/os.h"
#include "jit/code/target.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <stdio.h>

enum {
    MOST_PARTS = 4,
    MOST_REGIONS = 64,
    WORTH = 500,                 /* LLVM's instructions before it optimises, in all regions: handing over takes some milliseconds */
    STACK = 16 << 20,
};

struct part {
    const struct parts_request *rq;
    uint64_t regions;            /* bits */
    uint64_t weight;
    LLVMMemoryBufferRef bitcode; /* of the whole module */
    LLVMMemoryBufferRef object;
    pthread_t thread;
    bool started, too_large;
    struct diag diag;
};

static LLVMValueRef region_of(const struct parts_request *rq, LLVMModuleRef mod, size_t r)
{
    char name[64];
    snprintf(name, sizeof name, "%s%zu", rq->prefix, r);
    return LLVMGetNamedFunction(mod, name);
}

/* Quick code has a place of its own for every value that it has no register for. */
static void limit_frames(LLVMModuleRef mod)
{
    static const char name[] = "warn-stack-size";
    char bytes[16];
    int n = snprintf(bytes, sizeof bytes, "%d", KABI_LARGEST_STACK_FRAME);
    LLVMAttributeRef limit = LLVMCreateStringAttribute(LLVMGetModuleContext(mod), name, sizeof name - 1, bytes, (unsigned)n);
    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn))
        LLVMAddAttributeAtIndex(fn, LLVMAttributeFunctionIndex, limit);
}

/* LLVM has nothing else to warn of, and remarks are of no interest. */
static void hear(LLVMDiagnosticInfoRef info, void *user)
{
    LLVMDiagnosticSeverity severity = LLVMGetDiagInfoSeverity(info);
    *(bool *)user |= severity == LLVMDSError || severity == LLVMDSWarning;
}

static bool optimise(const struct parts_request *rq, LLVMModuleRef mod, LLVMTargetMachineRef machine, bool *too_large, struct diag *diag)
{
    if (!rq->quick)
        return target_optimise(mod, machine, rq->plain ? TARGET_PLAIN : (rq->masks ? TARGET_MASKS : 0) | (rq->versions ? TARGET_VERSIONS : 0), diag);
    limit_frames(mod);
    LLVMContextSetDiagnosticHandler(LLVMGetModuleContext(mod), hear, too_large);
    return target_optimise_quickly(mod, machine, diag);
}

static LLVMMemoryBufferRef make(const struct parts_request *rq, LLVMModuleRef mod, LLVMTargetMachineRef machine, bool *too_large, struct diag *diag)
{
    LLVMMemoryBufferRef buffer = NULL;
    char *message = NULL;
    if (!optimise(rq, mod, machine, too_large, diag))
        return NULL;
    if (rq->optimised)
        rq->optimised(rq->user, mod, machine);
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, mod, LLVMObjectFile, &message, &buffer)) {
        diag_error(diag, 0, 0, "internal: no code: %s", message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    return buffer;
}

/* The regions of this part, and what they call. */
static void keep_only(const struct parts_request *rq, LLVMModuleRef mod, uint64_t regions)
{
    for (size_t r = 0; r < rq->n_regions; r++)
        if (!(regions >> r & 1))
            LLVMDeleteFunction(region_of(rq, mod, r));
    for (bool again = true; again;) {
        again = false;
        for (LLVMValueRef fn = LLVMGetFirstFunction(mod), next; fn; fn = next) {
            next = LLVMGetNextFunction(fn);
            if (LLVMGetLinkage(fn) == LLVMInternalLinkage && !LLVMGetFirstUse(fn)) {
                LLVMDeleteFunction(fn);
                again = true;
            }
        }
    }
}

static void *make_part(void *arg)
{
    struct part *p = arg;
    LLVMContextRef cx = LLVMContextCreate();
    LLVMModuleRef mod = NULL;
    LLVMTargetMachineRef machine = target_machine_take(p->rq->width, p->rq->quick, &p->diag);
    if (LLVMParseBitcodeInContext2(cx, p->bitcode, &mod)) {
        diag_error(&p->diag, 0, 0, "internal: LLVM does not read what it wrote");
    } else if (machine) {
        keep_only(p->rq, mod, p->regions);
        p->object = make(p->rq, mod, machine, &p->too_large, &p->diag);
    }
    if (mod)
        LLVMDisposeModule(mod);
    target_machine_give(machine, p->rq->width, p->rq->quick);
    LLVMContextDispose(cx);
    return NULL;
}

/* The heaviest region that is left goes to the lightest part. Returns how many parts are worth it. */
static unsigned share_out(const struct parts_request *rq, LLVMModuleRef mod, struct part *parts)
{
    uint64_t weight[MOST_REGIONS], total = 0, most = 0;
    int threads = hw_options()->threads;
    unsigned cpus = hw_cpu_count(), n = (unsigned)hw_min_u64(threads > 0 ? (unsigned)threads : cpus, hw_min_u64(cpus, MOST_PARTS));
    if (n < 2 || !rq->apart || rq->n_regions < 2 || rq->n_regions > MOST_REGIONS)
        return 1;
    n = (unsigned)hw_min_u64(n, rq->n_regions);
    for (size_t r = 0; r < rq->n_regions; r++)
        total += weight[r] = target_instructions(region_of(rq, mod, r));
    for (size_t k = 0; k < rq->n_regions; k++) {
        size_t r = 0;
        struct part *to = &parts[0];
        for (size_t i = 1; i < rq->n_regions; i++)
            r = weight[i] > weight[r] ? i : r;
        for (unsigned i = 1; i < n; i++)
            to = parts[i].weight < to->weight ? &parts[i] : to;
        to->regions |= (uint64_t)1 << r;
        to->weight += weight[r];
        most = hw_max_u64(most, to->weight);
        weight[r] = 0;
    }
    return total < WORTH || most > total - total / 5 ? 1 : n;
}

static void add_object(struct object *out, LLVMMemoryBufferRef buffer)
{
    uint64_t n = LLVMGetBufferSize(buffer), bytes = hw_align_up(n, 8);
    out->code = hw_realloc(out->code, out->code_bytes + sizeof bytes + bytes);
    char *at = (char *)out->code + out->code_bytes;
    memcpy(at, &bytes, sizeof bytes);
    memcpy(at + sizeof bytes, LLVMGetBufferStart(buffer), n);
    memset(at + sizeof bytes + n, 0, bytes - n);
    out->code_bytes += sizeof bytes + bytes;
}

bool parts_make(const struct parts_request *rq, LLVMModuleRef mod, LLVMTargetMachineRef machine, struct object *out, struct diag *diag)
{
    struct part parts[MOST_PARTS] = { 0 };
    unsigned n = share_out(rq, mod, parts);
    bool ok = true;
    LLVMMemoryBufferRef bitcode = n > 1 ? LLVMWriteBitcodeToMemoryBuffer(mod) : NULL;
    for (unsigned k = 0; k < n; k++) {
        parts[k].rq = rq;
        parts[k].bitcode = bitcode;
        if (k)
            parts[k].started = hw_thread_start(make_part, &parts[k], STACK, 0, &parts[k].thread) == 0;
    }
    if (n > 1)
        keep_only(rq, mod, parts[0].regions);
    parts[0].object = make(rq, mod, machine, &parts[0].too_large, &parts[0].diag);
    for (unsigned k = 0; k < n; k++) {
        struct part *p = &parts[k];
        if (p->started)
            pthread_join(p->thread, NULL);
        else if (k)
            make_part(p);                        /* no thread was to be had */
        if (rq->quick)
            *rq->too_large |= p->too_large;
        if (p->object) {
            add_object(out, p->object);
            LLVMDisposeMemoryBuffer(p->object);
        } else {
            hw_str_puts(&diag->text, p->diag.text.s);
            diag->n_errors += p->diag.n_errors;
            ok = false;
        }
        diag_fini(&p->diag);
    }
    if (bitcode)
        LLVMDisposeMemoryBuffer(bitcode);
    return ok;
}
