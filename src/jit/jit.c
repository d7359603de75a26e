/* SPDX-License-Identifier: Apache-2.0 */
/* From IR to a kernel: key, cache, plan, emit, optimise, link. */
#define _GNU_SOURCE
#include "jit/jit.h"

#include <stdio.h>

#include <dlfcn.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <sys/stat.h>

#include "base/log.h"
#include "base/options.h"
#include "base/os.h"
#include "jit/emit.h"
#include "jit/code/tier_up.h"
#include "jit/code/details_table.h"
#include "jit/code/llvm.h"
#include "jit/code/object.h"
#include "jit/code/parallel_codegen.h"
#include "jit/code/target.h"
#include "pass/explain.h"

/* Objects of another build of this library must not survive: which build this is, its own file says. */
static uint64_t build_id(void)
{
    Dl_info info;
    struct stat st;
    if (!dladdr((void *)(uintptr_t)build_id, &info) || !info.dli_fname || stat(info.dli_fname, &st) != 0)
        return 0;
    return (uint64_t)st.st_mtim.tv_sec * 1000000000u + (uint64_t)st.st_mtim.tv_nsec + (uint64_t)st.st_size;
}

static unsigned pick_width(const struct ir_func *f, const struct jit_request *req, bool *warp_ops)
{
    unsigned width = req->width ? req->width : (unsigned)hw_options()->width;
    if (width != 1 && width != 4 && width != 8 && width != 16)
        width = target_best_width();
    if (req->plain)
        width = 1;
    if (req->details && width == 1)              /* what lanes do together is what is counted */
        width = 4;
    *warp_ops = false;
    for (size_t b = 0; b < f->blocks.n; b++)
        for (size_t j = 0; j < f->blocks.v[b]->insts.n; j++)
            *warp_ops |= (ir_op_info[f->blocks.v[b]->insts.v[j]->op].props & IR_PROP_CONV) != 0;
    return width;
}

static bool makes_promises(const struct jit_request *req) { return hw_options()->promises && !req->plain; }

static struct hw_hash make_key(const struct ir_func *f, const struct jit_request *req, unsigned width)
{
    struct hw_hash h;
    struct hw_str text = { 0 };
    hw_hash_init(&h);
    ir_print_code(&text, f);
    for (size_t i = 0; i < f->callees.n; i++) {
        hw_str_printf(&text, "callee %llu local %u\n", (unsigned long long)f->callees.v[i]->address, f->callees.v[i]->local_bytes);
        ir_print_code(&text, f->callees.v[i]);
    }
    hw_hash_add(&h, text.s, text.n);
    hw_str_fini(&text);
    hw_hash_add(&h, req->ntid, sizeof req->ntid);
    hw_hash_u64(&h, req->small_grid);
    hw_hash_u64(&h, req->stream);
    hw_hash_u64(&h, req->whole);
    hw_hash_u64(&h, req->in_window);
    hw_hash_u64(&h, hw_options()->guard);
    hw_hash_u64(&h, makes_promises(req));
    hw_hash_u64(&h, width);
    hw_hash_u64(&h, f->local_bytes);
    hw_hash_u64(&h, f->shared_bytes);
    for (size_t i = 0; i < f->shared.n; i++) {
        hw_hash_u64(&h, f->shared.v[i].offset);
        hw_hash_u64(&h, f->shared.v[i].bytes);
    }
    for (size_t i = 0; i < f->module->vars.n; i++) {     /* what lies within one needs no check */
        hw_hash_u64(&h, f->module->vars.v[i]->bytes);
        hw_hash_u64(&h, f->module->vars.v[i]->align);
    }
    hw_hash_u64(&h, (uint64_t)hw_options()->compile_limit);
    if (strcmp(hw_options()->tiers, "quick") == 0)
        hw_hash_str(&h, "only quick");
    hw_hash_u64(&h, build_id());
    hw_hash_str(&h, target_id());
    lines_hash(&h, f);
    if (req->details) {
        hw_hash_str(&h, !req->check ? "details" : req->orders ? "check orders" : "check");
        details_table_hash(&h, f);
    }
    if (req->plain)
        hw_hash_str(&h, req->steps ? "steps" : "plain");
    return h;
}

/* Local memory per thread for functions that call themselves or are called through pointers. */
enum { CALL_STACK_BYTES = 16 * 1024 };

static bool wants_dump(const char *what)
{
    const char *list = hw_options()->dump, *at = strstr(list, what);
    size_t n = strlen(what);
    return at && (at == list || at[-1] == ',') && (at[n] == 0 || at[n] == ',');
}

static void dump(const struct ir_func *f, const struct jit_request *req, const char *ending, const char *text, size_t n)
{
    char whole[16] = "";
    if (req->whole)                              /* made for sizes that are multiples of 32: bits say which */
        snprintf(whole, sizeof whole, ".w%x", req->whole);
    char *path = hw_sprintf("%s/%.100s.%ux%ux%u%s.%s", hw_options()->dump_dir, f->name, req->ntid[0], req->ntid[1], req->ntid[2], whole, ending);
    hw_mkdirs(hw_options()->dump_dir);
    if (!hw_file_write(path, text, n))
        hw_warn("cannot write %s", path);
    hw_free(path);
}

static void dump_asm(const struct ir_func *f, const struct jit_request *req, LLVMModuleRef mod, LLVMTargetMachineRef machine)
{
    LLVMMemoryBufferRef buffer;
    char *message = NULL;
    LLVMModuleRef copy = LLVMCloneModule(mod);
    if (LLVMTargetMachineEmitToMemoryBuffer(machine, copy, LLVMAssemblyFile, &message, &buffer)) {
        LLVMDisposeMessage(message);
    } else {
        dump(f, req, "s", LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer));
        LLVMDisposeMemoryBuffer(buffer);
    }
    LLVMDisposeModule(copy);
}

static bool has_masks(const struct plan *p)
{
    bool found = p->partial || p->func->callees.n > 0;
    for (int b = 0; b < p->n_blocks; b++)
        found |= p->blocks[b].masked;
    return found;
}

struct dumped {
    const struct ir_func *f;
    const struct jit_request *req;
};

static void dump_optimised(void *user, LLVMModuleRef mod, LLVMTargetMachineRef machine)
{
    const struct dumped *d = user;
    if (wants_dump("llvm")) {
        char *text = LLVMPrintModuleToString(mod);
        dump(d->f, d->req, "ll", text, strlen(text));
        LLVMDisposeMessage(text);
    }
    if (wants_dump("asm"))
        dump_asm(d->f, d->req, mod, machine);
}

static bool verified(const struct ir_func *f, const struct jit_request *req, LLVMModuleRef mod, struct diag *diag)
{
    char *message = NULL;
    bool bad = LLVMVerifyModule(mod, LLVMReturnStatusAction, &message);
    if (bad)
        diag_internal(diag, 0, "kernel %s: wrong LLVM code: %s", f->name, message);
    if (bad && wants_dump("llvm")) {
        char *text = LLVMPrintModuleToString(mod);
        dump(f, req, "bad.ll", text, strlen(text));
        LLVMDisposeMessage(text);
    }
    LLVMDisposeMessage(message);
    return !bad;
}

static void name_regions(struct emit *e, const char *from, const char *to)
{
    for (size_t r = 0; r < e->p->regions.n; r++) {
        char *old = hw_sprintf("%s%zu", from, r), *new = hw_sprintf("%s%zu", to, r);
        LLVMSetValueName2(LLVMGetNamedFunction(e->mod, old), new, strlen(new));
        hw_free(old);
        hw_free(new);
    }
}

static char *region_prefix(const struct hw_hash *key)
{
    char hex[33];
    hw_hash_hex(key, hex);
    return hw_sprintf("hw_%s_", hex);
}

static struct hw_hash quick_key(struct hw_hash key)
{
    hw_hash_str(&key, "quick");
    return key;
}

enum tiers { BEST, QUICK, BOTH };

/*
 * By how long it takes: microseconds, for each of LLVM's instructions and for each pair of its blocks. Up to QUICK_FROM for each vector of a warp the best code is
 * there in 50 to 100 ms: where vectors are half as long a kernel has twice the instructions, and is no larger for that.
 */
static enum tiers choose_tiers(const struct jit_request *req, LLVMModuleRef mod, unsigned width)
{
    enum { QUICK_FROM = 1000 };
    unsigned vectors = width > 1 && width < 16 ? 4 : 2;
    const double each = 25, pair = 2.5;
    const char *mode = hw_options()->tiers;
    double n = 0, us = 0, limit = 1e6 * (double)hw_options()->compile_limit;
    if (req->details || lines_wanted() || hw_options()->dump[0] || strcmp(mode, "off") == 0)
        return BEST;
    if (strcmp(mode, "quick") == 0)
        return QUICK;
    for (LLVMValueRef fn = LLVMGetFirstFunction(mod); fn; fn = LLVMGetNextFunction(fn)) {
        double blocks = LLVMCountBasicBlocks(fn), here = target_instructions(fn);
        n += here;
        us += each * here + pair * blocks * blocks;
    }
    return n <= QUICK_FROM * vectors ? BEST : limit > 0 && us > limit ? QUICK : BOTH;
}

/* Code at once: made quickly, or left by a process that did not come to the best. */
static bool generate_quickly(struct emit *e, struct later *job, enum tiers tiers, struct object *out, struct diag *diag)
{
    bool too_large = false;
    LLVMTargetMachineRef machine = target_machine_take(e->W, true, diag);
    struct parts_request rq = job->rq;
    char *prefix = region_prefix(&job->quick_key);
    job->finish = tiers == BOTH && object_load(&job->quick_key, &job->quick);
    if (job->finish) {
        out->code = hw_alloc(job->quick.code_bytes);
        memcpy(out->code, job->quick.code, job->quick.code_bytes);
        out->code_bytes = job->quick.code_bytes;
    } else if (machine) {
        if (tiers == BOTH) {
            name_regions(e, job->rq.prefix, prefix);
            rq.prefix = prefix;
        }
        rq.quick = true;
        rq.too_large = &too_large;
        too_large |= !parts_make(&rq, e->mod, machine, out, diag);
    }
    hw_free(prefix);
    target_machine_give(machine, e->W, true);
    return machine && !too_large;
}

/* LLVM module -> object. job: what is left to do, if that is not the best code, or NULL. */
static bool generate(const struct ir_func *f, const struct jit_request *req, struct emit *e, const struct hw_hash *key, struct object *out, struct later **job,
                     struct diag *diag)
{
    bool ok = false;
    char *prefix = region_prefix(key);
    LLVMTargetMachineRef machine = target_machine_take(e->W, false, diag);
    if (!machine)
        goto out;
    LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
    char *triple = LLVMGetTargetMachineTriple(machine);
    LLVMSetTarget(e->mod, triple);
    LLVMSetModuleDataLayout(e->mod, layout);
    LLVMDisposeMessage(triple);
    LLVMDisposeTargetData(layout);
    bool emitted = emit_kernel(e);
    lines_end(e);
    if (!emitted)
        goto out;
    name_regions(e, "hw_region_", prefix);
    if (!verified(f, req, e->mod, diag))
        goto out;
    struct dumped dumped = { f, req };
    bool dumps = wants_dump("llvm") || wants_dump("asm");
    struct parts_request rq = { .prefix = prefix, .plain = req->plain, .n_regions = e->p->regions.n, .width = e->W, .masks = has_masks(e->p) || (e->p->wide && has_masks(e->p->wide)), .versions = e->versions,
                                .apart = f->callees.n == 0 && !dumps, .optimised = dumps ? dump_optimised : NULL, .user = &dumped };
    enum tiers tiers = choose_tiers(req, e->mod, e->W);
    if (tiers == BEST) {
        ok = parts_make(&rq, e->mod, machine, out, diag);
        goto out;
    }
    struct later *rest = hw_alloc(sizeof *rest);
    *rest = (struct later){ .key = *key, .quick_key = quick_key(*key), .name = hw_strdup(f->name), .bitcode = LLVMWriteBitcodeToMemoryBuffer(e->mod), .rq = rq };
    rest->rq.prefix = hw_strdup(prefix);
    rest->rq.user = NULL;
    ok = generate_quickly(e, rest, tiers, out, diag);
    if (ok && tiers == BOTH) {
        *job = rest;
        rest = NULL;
    } else if (!ok) {
        hw_free(out->code);
        out->code = NULL;
        out->code_bytes = 0;
        if ((ok = later_make(rest, diag))) {
            out->code = rest->best.code;
            out->code_bytes = rest->best.code_bytes;
            rest->best.code = NULL;
        }
    }
    later_free(rest);
out:
    target_machine_give(machine, e->W, false);
    hw_free(prefix);
    return ok;
}

unsigned jit_sizes(const struct ir_func *func, struct jit_size out[JIT_SIZES])
{
    struct plan_size sizes[PLAN_SIZES];
    static_assert((int)JIT_SIZES == (int)PLAN_SIZES, "");
    unsigned n = plan_param_specialise(func, sizes, PLAN_SIZES);
    for (unsigned k = 0; k < n; k++)
        out[k] = (struct jit_size){ sizes[k].offset, sizes[k].bytes };
    return n;
}

uint32_t jit_streamed_bytes(const struct ir_func *func, uint64_t *out_params)
{
    return plan_streamed_bytes(func, out_params);
}

/* why: what the choice came from is added to it, or NULL. */
static void explain_turns(struct hw_str *why, const struct plan *p, const struct ir_func *f, bool warp_ops)
{
    const struct ir_inst *at = NULL;
    const char *hazard = explain_hazard(p, &at);
    if (!why)
        return;
    hw_str_puts(why, "scalar");
    if (hazard) {
        hw_str_printf(why, ", threads take turns: %s, at ", hazard);
        explain_place(why, f->module, at);
    } else if (warp_ops) {
        hw_str_puts(why, ", threads take turns at warp operations");
    }
}

/* Vectors whose warps take turns, or NULL where that would not do. */
static struct plan *turns_plan(const struct ir_func *f, struct plan_options opt, struct diag *diag)
{
    opt.turns = true;
    struct plan *p = plan_new(f, &opt, diag);
    if (!p || !p->needs_fair)
        return p;
    plan_free(p);
    return NULL;
}

/* Several warps at a time, or NULL where one is better, perhaps with some regions for several. What is counted in an instrumented build is counted by warps. */
static struct plan *pairs_plan(struct plan *one, const struct ir_func *f, struct plan_options opt, struct diag *diag)
{
    unsigned warps = one->needs_fair ? 1 : plan_warp_coarsen(one);
    for (; warps > 1; warps /= 2) {
        opt.chunks = one->opt.chunks * warps;
        struct plan *p = plan_new(f, &opt, diag);
        if (!p || plan_in_step(p))
            return p;
        if (plan_mixes(one, p))
            return NULL;
        plan_free(p);
    }
    return NULL;
}

static void explain_vectors(struct hw_str *why, const struct plan *p)
{
    static const char *const warps[] = { "", "a warp", "two warps", "", "four warps" };
    hw_str_printf(why, "vector, %u lanes, %u vectors to %s", p->opt.width, p->opt.chunks, warps[p->lanes / PLAN_LANES]);
    if (p->wide)
        hw_str_printf(why, "; %d of %zu regions %u vectors to %s", __builtin_popcountll(p->wide_regions), p->regions.n, p->wide->opt.chunks,
                      warps[p->wide->lanes / PLAN_LANES]);
}

/* Who looks at the function after each pass. */
struct pass_log {
    void (*after)(void *user, const char *pass, const struct plan *p);
    void *user;
};

/* The build that was asked for, unless the kernel needs another: turns where threads wait for each other. */
static struct plan *make_plan(const struct ir_func *f, const struct jit_request *req, unsigned width, bool warp_ops, const struct pass_log *log, struct hw_str *why,
                              struct diag *diag)
{
    struct plan_options opt = { .ntid = { req->ntid[0], req->ntid[1], req->ntid[2] }, .small_grid = req->small_grid, .stream = req->stream, .width = width,
                                .counted = req->details, .plain = req->plain, .steps = req->steps,
                                .chunks = width == 1 ? 1 : PLAN_LANES / width, .after = log ? log->after : NULL, .user = log ? log->user : NULL };
    struct plan_size sizes[PLAN_SIZES];
    for (unsigned k = 0, n = plan_param_specialise(f, sizes, PLAN_SIZES); k < n; k++)
        if (req->whole >> k & 1)
            opt.whole[opt.n_whole++] = sizes[k].offset;
    if (f->callees.n)
        opt.local_stride = (uint32_t)hw_align_up(f->local_bytes, 16) + CALL_STACK_BYTES;
    bool alone = req->ntid[0] * req->ntid[1] * req->ntid[2] == 1;
    opt.fair = width == 1 && (warp_ops || req->plain);
    struct plan *p = plan_new(f, &opt, diag);
    if (!p || opt.fair || !p->needs_fair) {
        struct plan *pairs = p && !req->details && !f->callees.n ? pairs_plan(p, f, opt, diag) : NULL;
        if (pairs) {
            plan_free(p);
            p = pairs;
        }
        if (p && why && width > 1)
            explain_vectors(why, p);
        else if (p && why)
            hw_str_printf(why, "scalar, as HOSTWARP_WIDTH says%s", opt.fair ? ", threads take turns at warp operations" : "");
        return p;
    }
    if (width > 1 && !alone && !f->callees.n) {
        struct plan *turns = turns_plan(f, opt, diag);
        if (turns && why)
            hw_str_printf(why, "vector, %u lanes, %u vectors to a warp, warps take turns at loops that wait for others", width, opt.chunks);
        if (turns) {
            plan_free(p);
            return turns;
        }
    }
    explain_turns(why, p, f, warp_ops);
    opt.fair = p->needs_fair || warp_ops;
    opt.width = opt.chunks = 1;
    plan_free(p);
    return plan_new(f, &opt, diag);
}

static bool waits_for_none(const struct plan *p)
{
    bool alone = true;
    for (size_t l = 0; l < p->loops.n; l++)
        alone &= !p->loops.v[l].spin;
    for (int b = 0; alone && b < p->n_blocks; b++)
        for (size_t j = 0; j < p->blocks[b].ir->insts.n; j++)
            alone &= p->blocks[b].ir->insts.v[j]->op != IR_CALL && p->blocks[b].ir->insts.v[j]->op != IR_NANOSLEEP;
    return alone;
}

/* The function as each pass left it. */
static void add_pass(void *user, const char *pass, const struct plan *p)
{
    struct hw_str *text = user;
    hw_str_printf(text, "; after %s, %ux%u lanes\n", pass, p->opt.width, p->opt.chunks);
    ir_print_func(text, p->func);
    hw_str_puts(text, "\n");
}

static void dump_passes(const struct ir_func *f, const struct jit_request *req, unsigned width, bool warp_ops, struct diag *diag)
{
    struct hw_str text = { 0 };
    struct pass_log log = { add_pass, &text };
    plan_free(make_plan(f, req, width, warp_ops, &log, NULL, diag));
    dump(f, req, "passes", text.s ? text.s : "", text.n);
    hw_str_fini(&text);
}

/* The stages that HOSTWARP_DUMP asks for, but those of LLVM. */
static void dump_stages(const struct ir_func *f, const struct jit_request *req, unsigned width, bool warp_ops, const struct plan *p, struct diag *diag)
{
    if (wants_dump("ptx") && f->module->ptx)     /* of the whole module: the other stages name its lines */
        dump(f, req, "ptx", f->module->ptx, strlen(f->module->ptx));
    if (wants_dump("passes"))
        dump_passes(f, req, width, warp_ops, diag);
    if (wants_dump("ir")) {
        struct hw_str text = { 0 };
        plan_print(&text, p);
        if (p->wide)
            plan_print(&text, p->wide);
        dump(f, req, "ir", text.s, text.n);
        hw_str_fini(&text);
    }
}

/* What the engine must know of the code. */
static void set_facts(const struct ir_func *f, const struct plan *p, const struct emit *e, struct object *out)
{
    out->facts.n_regions = (uint32_t)p->regions.n;
    out->facts.n_groups = p->groups;
    out->facts.frame_bytes = e->frame_bytes;
    out->facts.local_bytes = p->func->local_bytes;
    out->facts.shared_static = f->shared_bytes;
    out->facts.shared_room = p->shared_room;
    out->facts.width = e->W;
    out->facts.chunks = e->C;
    out->facts.bars_offset = e->bars_offset;
    out->facts.warpops_offset = e->warpops_offset;
    out->facts.fair = p->opt.fair && p->regions.n > 1;       /* else nobody stops before the end */
    out->facts.turns = p->opt.turns;
    out->facts.red_offset = e->red_offset;
    out->facts.warp_offset = e->warp_offset;
    out->facts.warp_bytes = e->warp_bytes;
    out->facts.parts_offset = e->parts_offset;
    for (size_t i = 0; i < e->keeps.n; i++)
        hw_vec_push(&out->keeps, e->keeps.v[i]);
    out->facts.lockstep = p->lockstep;
    out->facts.streams = e->streams;
    out->facts.visits = p->visits;
    out->facts.reds = p->reds;
    out->facts.alone = waits_for_none(p);
    for (size_t i = 0; i < e->symbols.n; i++)
        hw_vec_push(&out->symbols, e->symbols.v[i]);
}

static void emit_fini(struct emit *e)
{
    hw_vec_fini(&e->symbols);
    hw_vec_fini(&e->keeps);
    hw_vec_fini(&e->guards);
    hw_vec_fini(&e->records);
    hw_vec_fini(&e->walked);
    hw_vec_fini(&e->own_rows);
    hw_vec_fini(&e->butterflies);
    hw_vec_fini(&e->late);
    hw_vec_fini(&e->ladders);
    LLVMDisposeModule(e->mod);
    LLVMContextDispose(e->cx);
}

static bool compile(const struct ir_func *f, const struct jit_request *req, unsigned width, bool warp_ops, const struct hw_hash *key, struct object *out,
                    struct later **job, struct diag *diag)
{
    if (!llvm_load(diag))
        return false;
    uint64_t begin = hw_now_ns();
    struct plan *p = make_plan(f, req, width, warp_ops, NULL, NULL, diag);
    if (!p)
        return false;
    dump_stages(f, req, width, warp_ops, p, diag);
    struct emit e = { .p = p, .kernel = f, .diag = diag, .W = p->opt.width, .C = p->opt.chunks, .promises = makes_promises(req), .in_window = req->in_window };
    e.cx = LLVMContextCreate();
    e.mod = LLVMModuleCreateWithNameInContext(f->name, e.cx);
    e.check = req->check;
    e.orders = req->check && req->orders;
    if (req->details)
        details_new(&e);
    bool ok = generate(f, req, &e, key, out, job, diag);
    out->details = details_finish(&e, ok);
    if (ok) {
        set_facts(f, p, &e, out);
        hw_debug("compiled %s for %ux%ux%u threads, %ux%u lanes%s, %sin %.1f ms", f->name, req->ntid[0], req->ntid[1], req->ntid[2], e.W, e.C,
                 p->opt.fair || p->opt.turns ? " taking turns" : "", *job ? "quickly, " : "", (double)(hw_now_ns() - begin) / 1e6);
    } else {
        for (size_t i = 0; i < e.symbols.n; i++)
            hw_free(e.symbols.v[i]);
    }
    emit_fini(&e);
    plan_free(p);
    return ok;
}

/* Do threads wait for each other one by one in the code that is right for any sizes? Else there is nothing to gain from knowing them. */
static bool sizes_matter(const struct ir_func *f, const struct jit_request *req, unsigned width, bool warp_ops, struct diag *diag)
{
    struct jit_request any = *req;
    any.whole = 0;
    struct plan *p = req->whole && width > 1 ? make_plan(f, &any, width, warp_ops, NULL, NULL, diag) : NULL;
    bool matter = p && p->opt.fair;
    plan_free(p);
    return matter;
}

bool jit_explain(const struct ir_func *f, const struct jit_request *req, struct hw_str *out, struct diag *diag)
{
    bool warp_ops;
    unsigned width = pick_width(f, req, &warp_ops);
    struct hw_str why = { 0 };
    struct plan *p = make_plan(f, req, width, warp_ops, NULL, &why, diag);
    if (p) {
        hw_str_printf(out, "kernel %s\n  block      %ux%ux%u threads\n  lowering   %s\n", f->name, req->ntid[0], req->ntid[1], req->ntid[2], why.s);
        explain_plan(out, p, f->module);
        if (f->callees.n)
            hw_str_printf(out, "  functions  %zu that are called, not inlined: they call themselves or are called through pointers\n", f->callees.n);
    }
    hw_str_fini(&why);
    plan_free(p);
    return p != NULL;
}

static void copy_object(struct object *to, const struct object *from, bool code)
{
    to->facts = from->facts;
    for (size_t i = 0; i < from->keeps.n; i++)
        hw_vec_push(&to->keeps, from->keeps.v[i]);
    for (size_t i = 0; i < from->symbols.n; i++)
        hw_vec_push(&to->symbols, hw_strdup(from->symbols.v[i]));
    if (!code)
        return;
    to->code = hw_alloc(from->code_bytes);
    memcpy(to->code, from->code, to->code_bytes = from->code_bytes);
}

/* The kernel runs with what it has; the rest of the work is for another thread. */
static struct kabi_kernel *link_quick(struct later *job, const struct object *o, const char *name, struct diag *diag)
{
    struct kabi_kernel *k = job->kernel = object_link(&job->quick_key, o, name, diag);
    if (!k) {
        later_free(job);
        return NULL;
    }
    object_kernel_ref(k);                        /* the job's, and the caller's */
    copy_object(&job->best, o, false);
    object_fini(&job->quick);
    memset(&job->quick, 0, sizeof job->quick);
    copy_object(&job->quick, o, true);
    later_push(job);
    return k;
}

/* A mistake of ours in the vector code is no reason to refuse a kernel: scalar code has little of what could have gone wrong. */
static bool compile_some_way(const struct ir_func *f, const struct jit_request *req, unsigned width, bool warp_ops, const struct hw_hash *key, struct object *out,
                             struct later **job, struct diag *diag)
{
    struct diag first = { .file = diag->file };
    bool ok = compile(f, req, width, warp_ops, key, out, job, &first);
    if (!ok && first.internal && width > 1 && !req->details) {
        hw_warn("a mistake in hostwarp, please report it; the kernel runs as scalar code, slower. %s", first.text.s);
        object_fini(out);
        memset(out, 0, sizeof *out);
        ok = compile(f, req, 1, warp_ops, key, out, job, diag);
    } else {
        diag_add(diag, &first);
    }
    diag_fini(&first);
    return ok;
}

/* Kept on disk, and fit to be linked. */
static struct kabi_kernel *link_kept(const struct hw_hash *key, const char *name)
{
    struct object o = { 0 };
    struct diag unused = { 0 };
    if (!object_load(key, &o))
        return NULL;
    struct kabi_kernel *k = object_link(key, &o, name, &unused);
    if (!k)
        object_forget(key);
    diag_fini(&unused);
    object_fini(&o);
    return k;
}

struct kabi_kernel *jit_compile(const struct ir_func *f, const struct jit_request *request, struct diag *diag)
{
    bool warp_ops;
    unsigned width = pick_width(f, request, &warp_ops);
    struct jit_request chosen = *request, *req = &chosen;
    if (!sizes_matter(f, req, width, warp_ops, diag))
        chosen.whole = 0;
    struct hw_hash key = make_key(f, req, width), quick = quick_key(key);
    struct kabi_kernel *k = object_link(&key, NULL, f->name, diag);
    if (!k)
        k = object_link(&quick, NULL, f->name, diag);
    if (k)
        return k;
    struct object o = { 0 };
    struct later *job = NULL;
    bool dumping = hw_options()->dump[0] != 0;
    if (!dumping && (k = link_kept(&key, f->name)))
        return k;
    if (req->compiled)
        *req->compiled = true;
    if (!compile_some_way(f, req, width, warp_ops, &key, &o, &job, diag)) {
        object_fini(&o);
        return NULL;
    }
    if (!job)
        object_save(&key, &o);
    k = job ? link_quick(job, &o, f->name, diag) : object_link(&key, &o, f->name, diag);
    object_fini(&o);
    return k;
}

void jit_kernel_free(struct kabi_kernel *kernel)
{
    object_kernel_unref(kernel);
}
