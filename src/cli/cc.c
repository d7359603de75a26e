/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out a `hostwarp cc` job: device pass to PTX, host pass with the PTX inside, link. clang does the work. */
#define _GNU_SOURCE
#include "cli/cc.h"

#include "base/hash.h"
#include "base/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_ARCH 80

/* What a job needs while it runs. */
struct work {
    struct cc_job *job;
    char *clang;
    int serial;                          /* numbers intermediate files: two inputs may have the same name */
    char *overlay;                       /* of the current source, or NULL: cc_asm.c */
    char *device_overlay;                /* in its place for the device's pass, or NULL: cc_launch.c */
    char cuid[33];                       /* of the current source: what both passes add to the names of its static variables */
    bool warned;                         /* there was a message about device code */
    bool for_cpp;                        /* the host pass makes assembly for another assembler */
    bool foreign;                        /* not all that is linked was compiled just now */
};

static int run(struct work *w, struct cli_args *args)
{
    if (w->job->verbose || w->job->dryrun)
        cli_print_command(args);
    int status = w->job->dryrun ? 0 : cli_spawn(args);
    cli_args_fini(args);
    return status;
}

static char *with_ending(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    size_t n = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    return hw_sprintf("%.*s%s", (int)n, path, ending);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A name in the temporary folder, or NULL after an error. */
static char *temp_name(struct work *w, const char *source, const char *ending)
{
    const char *dir = w->job->dryrun ? "/tmp" : cli_temp_dir();
    if (!dir)
        return NULL;
    char *stem = with_ending(base_name(source), "");
    char *name = hw_sprintf("%s/%s-%d%s", dir, stem, w->serial++, ending);
    hw_free(stem);
    return name;
}

/* What is a warning of nvcc and gcc, but an error of clang. */
static void add_permissions(struct cli_args *args, enum cc_lang lang)
{
    static const struct { bool c; const char *name; } warnings[] = {
        { false, "register" }, { false, "c++11-narrowing" }, { true, "implicit-function-declaration" }, { true, "implicit-int" },
        { true, "int-conversion" }, { true, "incompatible-function-pointer-types" },
    };
    for (size_t i = 0; i < HW_LEN(warnings) && lang != CC_LANG_ASM; i++)
        if (warnings[i].c == (lang == CC_LANG_C))
            cli_addf(args, "-Wno-error=%s", warnings[i].name);
}

static void add_common(struct work *w, struct cli_args *args, enum cc_lang lang)
{
    const struct cc_job *job = w->job;
    if (job->per_thread_stream && lang == CC_LANG_CUDA) {
        cli_add(args, "-Xclang");                                /* clang's driver takes it for HIP only, the compiler for both */
        cli_add(args, "-fgpu-default-stream=per-thread");
    } else if (job->per_thread_stream) {
        cli_add(args, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    }
    if (job->std && !(lang == CC_LANG_C && strstr(job->std, "++")) && lang != CC_LANG_ASM)
        cli_addf(args, "-std=%s", job->std);
    add_permissions(args, lang);
    cli_add_all(args, &job->both);
    cc_add_includes(args, job, w->clang, lang);
}

/* ROOT has the shape of a toolkit: clang reads the version from ROOT/include/cuda.h and looks no further. */
static void add_cuda(struct work *w, struct cli_args *args, const char *overlay)
{
    int arch = w->job->arch ? w->job->arch : DEFAULT_ARCH;
    cli_add(args, "-x");
    cli_add(args, "cuda");
    cli_addf(args, "--cuda-path=%s", cli_root());
    cli_add(args, "-nocudainc");
    cli_add(args, "-nocudalib");
    cli_addf(args, "--cuda-gpu-arch=sm_%d", arch);
    cli_add(args, "-Wno-unknown-cuda-version");
    if (w->job->rdc) {
        cli_add(args, "-fgpu-rdc");
        cli_addf(args, "-cuid=%s", w->cuid);                     /* clang's driver gives it to the device's compiler only */
        cli_add(args, "-Xclang");
        cli_addf(args, "-cuid=%s", w->cuid);
    }
    add_common(w, args, CC_LANG_CUDA);
    if (overlay) {
        cli_add(args, "-ivfsoverlay");
        cli_add(args, overlay);
    }
    if (cc_called_nvcc)
        cli_add(args, "-D__NVCC__=1");
    cli_add(args, "-include");
    cli_add(args, "cuda_runtime.h");
}

/* Warnings are left to the host pass, which parses the same text: once is enough. */
static int device_pass(struct work *w, const char *source, const char *ptx, bool with_lines)
{
    const struct cc_job *job = w->job;
    struct cli_args args = { 0 };
    if (cc_called_nvcc && job->verbose)
        cc_nvcc_device_line(job->arch ? job->arch : DEFAULT_ARCH);
    cli_add(&args, w->clang);
    add_cuda(w, &args, w->device_overlay ? w->device_overlay : w->overlay);
    cli_add(&args, "--cuda-device-only");
    if (job->stage == CC_STAGE_PTX || job->stage == CC_STAGE_FATBIN || job->stage == CC_STAGE_CUBIN)
        cli_add(&args, "-D__HOSTWARP_ALONE__=1");                /* host_defines.h */
    cli_add(&args, "-S");
    cli_add(&args, "-w");
    cli_add(&args, job->device_debug ? "-O1" : "-O3");
    cli_add(&args, "-ffp-contract=fast");
    /* Lanes that do not take part hand undefined values to shuffles, and nvcc lets them; clang would conclude that they do take part. */
    cli_add(&args, "-Xclang");
    cli_add(&args, "-no-enable-noundef-analysis");
    /* A loop marked for unrolling grows to this many instructions at most. clang's own 16384 makes kernels of many thousand matrix
       products, whose code takes minutes to make and is no faster. */
    cli_add(&args, "-mllvm");
    cli_add(&args, "-pragma-unroll-threshold=2048");
    /* Functions become part of their callers in any case, here or in the driver: arrays that they are given stay in registers only if clang sees
       both. CUDA's own compiler inlines nearly everything too. */
    cli_add(&args, "-mllvm");
    cli_add(&args, "-inline-threshold=1000");
    /* Of loops whose length is not known only tiny ones are unrolled. An unrolled loop has a second one for what is left over, and lanes whose rows
       differ in length wait for each other in both (bfs: 1.2 times as long); SIMD code gains little by it elsewhere. */
    cli_add(&args, "-mllvm");
    cli_add(&args, "-unroll-partial-threshold=16");
    if (job->line_info || with_lines)
        cli_add(&args, "-gline-directives-only");
    cc_openmp_compile(&args, job, false);
    cli_add_all(&args, &job->device);
    cli_add(&args, "-o");
    cli_add(&args, ptx);
    cli_add(&args, source);
    int status = run(w, &args);
    if (status == 0 && !job->dryrun && !(job->rdc ? cc_dlink_fix_ptx(ptx) : cc_dlink_close_ptx(ptx, source)))
        status = CLI_FAIL;
    return status;
}

/* Device code with an error in it is compiled once more, with line numbers, so that the message can have one. */
static int verify(struct work *w, const char *source, const char *ptx)
{
    const struct cc_job *job = w->job;
    enum cc_verdict verdict = cc_verify(job, ptx, source, job->line_info);
    w->warned |= verdict != CC_VERDICT_GOOD;
    if (verdict != CC_VERDICT_BAD)
        return CLI_OK;
    char *lines = job->line_info ? NULL : temp_name(w, source, ".lines.ptx");
    bool told = job->line_info || (lines && device_pass(w, source, lines, true) == 0 && cc_verify(job, lines, source, true) == CC_VERDICT_BAD);
    if (!told)
        cc_verify(job, ptx, source, true);
    hw_free(lines);
    return CLI_FAIL;
}

static int make_fatbin(struct work *w, const char *source, const char *fatbin)
{
    char *ptx = temp_name(w, source, ".ptx");
    int status = ptx ? device_pass(w, source, ptx, false) : CLI_FAIL;
    if (status == 0 && !w->job->dryrun)
        status = verify(w, source, ptx);
    if (status == 0 && !w->job->dryrun && !cc_fatbin_write(ptx, fatbin, w->job->arch ? w->job->arch : DEFAULT_ARCH))
        status = CLI_FAIL;
    hw_free(ptx);
    return status;
}

static void add_depfile(struct work *w, struct cli_args *args, const char *source)
{
    struct cc_job *job = w->job;
    if (!job->wants_depfile)
        return;
    char *name = job->depfile ? hw_strdup(job->depfile) : with_ending(job->output ? job->output : base_name(source), ".d");
    cli_add(args, "-MF");
    cli_add(args, name);
    hw_free(name);
}

/* The host's view of any source. action: -c or -E, or NULL with -M. fatbin: NULL when there is no device code. */
static void host_command(struct work *w, const struct cc_item *item, const char *fatbin, const char *action, const char *out,
                         struct cli_args *args)
{
    static const char *const names[] = { [CC_LANG_CXX] = "c++", [CC_LANG_C] = "c", [CC_LANG_ASM] = "assembler-with-cpp" };
    cli_add(args, w->clang);
    if (item->lang == CC_LANG_CUDA) {
        add_cuda(w, args, w->overlay);
        cli_add(args, "--cuda-host-only");
    } else {
        cli_add(args, "-x");
        cli_add(args, names[item->lang]);
        add_common(w, args, item->lang);
    }
    if (fatbin) {
        cli_add(args, "-Xclang");
        cli_add(args, "-fcuda-include-gpubinary");
        cli_add(args, "-Xclang");
        cli_add(args, fatbin);
    }
    if (w->for_cpp) {
        cli_add(args, "-fno-addrsig");
        cli_add(args, "-fPIC");
    }
    cli_add(args, "-Wno-unknown-warning-option");               /* gcc's names in -Xcompiler */
    cli_add(args, "-Qunused-arguments");
    cc_openmp_compile(args, w->job, true);
    cli_add_all(args, &w->job->host);
    add_depfile(w, args, item->text);
    if (action)
        cli_add(args, action);
    if (out) {
        cli_add(args, "-o");
        cli_add(args, out);
    }
    cli_add(args, item->text);
}

static int host_pass(struct work *w, const struct cc_item *item, const char *fatbin, const char *action, const char *out)
{
    struct cli_args args = { 0 };
    host_command(w, item, fatbin, action, out, &args);
    return run(w, &args);
}

/*
 * Both passes at a time. The host's takes the device code only at its end, so it gets a pipe in its place and waits there. What
 * it has to say is held back until the device pass is through: that one reports the errors that both see.
 */
static int both_passes(struct work *w, const struct cc_item *item, const char *fatbin, const char *pipe, const char *object)
{
    struct cli_args args = { 0 };
    struct cli_beside host;
    struct cc_cache cache;
    bool quiet = false, started = false;
    int status = CLI_OK;
    char *said = temp_name(w, item->text, ".said");
    host_command(w, item, pipe, "-c", NULL, &args);
    bool cached = !w->job->wants_depfile && cc_cache_open(&cache, w->job, item->text, &args);
    if (!(cached && cc_cache_get(&cache, object))) {
        cli_add(&args, "-o");
        cli_add(&args, object);
        if (isatty(2))
            cli_add(&args, "-fcolor-diagnostics");
        if (cached) {
            cli_add(&args, "-MD");
            cli_add(&args, "-MF");
            cli_add(&args, cache.depfile);
        }
        started = said && cli_start_beside(&host, &args, said);
        status = started ? make_fatbin(w, item->text, fatbin) : CLI_FAIL;
    }
    if (started)
        status = cli_finish_beside(&host, status, fatbin, pipe, &quiet);
    if (cached && started && status == CLI_OK && quiet && !w->warned)
        cc_cache_put(&cache, object);
    if (cached)
        cc_cache_close(&cache);
    cli_args_fini(&args);
    hw_free(said);
    return status;
}

static int compile(struct work *w, const struct cc_item *item, const char *object)
{
    if (item->lang != CC_LANG_CUDA)
        return host_pass(w, item, NULL, "-c", object);
    char *fatbin = temp_name(w, item->text, ".fatbin"), *pipe = temp_name(w, item->text, ".pipe");
    int status = CLI_FAIL;
    if (fatbin && pipe && !w->job->verbose && !w->job->dryrun && mkfifo(pipe, 0600) == 0) {
        status = both_passes(w, item, fatbin, pipe, object);
        unlink(pipe);
    } else if (fatbin && (status = make_fatbin(w, item->text, fatbin)) == 0) {
        status = host_pass(w, item, fatbin, "-c", object);
    }
    hw_free(fatbin);
    hw_free(pipe);
    return status;
}

static void add_runtime(struct work *w, struct cli_args *args)
{
    switch (w->job->cudart) {
    case CC_CUDART_SHARED:
        cli_add(args, "-Wl,--push-state,--as-needed");           /* a program loads only the library it calls */
        cli_add(args, "-lcudart");
        cli_add(args, "-lcuda");
        cli_add(args, "-Wl,--pop-state");
        break;
    case CC_CUDART_STATIC:
        cli_add(args, "-lcudart_static");
        cli_add(args, "-lcuda");
        break;
    case CC_CUDART_NONE:
        break;
    }
    cli_add(args, "-lpthread");
    cli_add(args, "-ldl");
    cli_add(args, "-lm");
}

/* What the device linker adds. *out: an object, or NULL when the inputs lack nothing (always one with -dlink). */
static int device_link(struct work *w, const struct cli_args *objects, const char *wanted, char **out)
{
    char *source = temp_name(w, "dlink", ".c");
    struct cli_args files = { 0 }, needed = { 0 };
    cc_dlink_files(w->job, objects, &files);
    bool ok = source && (w->job->dryrun || cc_verify_link(&files, &needed));
    int n = !ok ? -1 : w->job->dryrun ? 0 : cc_dlink_source(&files, &needed, source), status = n < 0 ? CLI_FAIL : CLI_OK;
    cli_args_fini(&files);
    cli_args_fini(&needed);
    *out = NULL;
    if (n > 0 || (wanted && n == 0 && !w->job->dryrun)) {
        struct cli_args args = { 0 };
        if (n == 0 && !hw_file_write(source, "", 0))
            status = CLI_FAIL;
        *out = wanted ? hw_strdup(wanted) : temp_name(w, "dlink", ".o");
        cli_add(&args, w->clang);
        cli_add(&args, "-x");
        cli_add(&args, "c");
        cli_add(&args, "-fPIC");
        cli_add(&args, "-w");
        cli_add(&args, "-c");
        cli_add(&args, source);
        cli_add(&args, "-o");
        cli_add(&args, *out);
        status = run(w, &args);
    }
    hw_free(source);
    return status;
}

/* What is linked, in its order. -lgomp is clang's library here: a program must not have two. */
static bool add_objects(struct work *w, struct cli_args *args, const struct cli_args *objects)
{
    bool openmp = w->job->openmp;
    for (size_t i = 0; i < objects->w.n; i++) {
        if (cc_openmp_is_library(objects->w.v[i]))
            openmp = true;
        else
            cli_add(args, objects->w.v[i]);
    }
    return !openmp || cc_openmp_link(args);
}

static int link_objects(struct work *w, struct cli_args *objects)
{
    const struct cc_job *job = w->job;
    char *added, *lib;
    struct cli_args args = { 0 };
    int status = CLI_OK;
    added = NULL;
    if ((job->rdc || w->foreign) && (status = device_link(w, objects, NULL, &added)))
        return status;
    lib = cli_path("lib");
    cli_add(&args, w->clang);
    cli_add(&args, "-Qunused-arguments");
    if (cc_called_nvcc && job->verbose && !job->dryrun)
        cli_add(&args, "-v");                                    /* CMake reads the linker's folders from the linker's own line */
    cli_add(&args, "-o");
    cli_add(&args, job->output ? job->output : "a.out");
    if (job->shared)
        cli_add(&args, "-shared");
    cli_addf(&args, "-L%s", lib);
    cli_add_all(&args, &job->link);
    if (added)
        cli_add(&args, added);
    if (!add_objects(w, &args, objects)) {
        cli_args_fini(&args);
        hw_free(lib);
        hw_free(added);
        return CLI_FAIL;
    }
    /* ld would read all of libLLVM, which libcuda needs, to see whether something is missing there: most of the link's time. */
    cli_add(&args, "-Wl,--allow-shlib-undefined");
    /* The old tag goes before LD_LIBRARY_PATH, which on CUDA users' machines often names a toolkit. */
    cli_addf(&args, "-Wl,-rpath,%s,--disable-new-dtags", lib);
    add_runtime(w, &args);
    hw_free(lib);
    hw_free(added);
    status = run(w, &args);
    if (cc_called_nvcc && job->verbose)
        cc_nvcc_link_line(job, objects);
    return status;
}

static int make_device_link(struct work *w, struct cli_args *objects)
{
    char *made;
    int status = device_link(w, objects, w->job->output ? w->job->output : "a_dlink.o", &made);
    hw_free(made);
    return status;
}

static int make_library(struct work *w, struct cli_args *objects)
{
    const char *out = w->job->output ? w->job->output : "a.a";
    struct cli_args args = { 0 };
    if (!w->job->dryrun)
        unlink(out);                                             /* ar adds to an existing archive */
    cli_add(&args, "ar");
    cli_add(&args, "rcs");
    cli_add(&args, out);
    cli_add_all(&args, objects);
    return run(w, &args);
}

/* The same file may be compiled twice for one program, with other macros. */
static void set_cuid(struct work *w, const char *source)
{
    struct hw_hash h;
    char *real = realpath(source, NULL);
    hw_hash_init(&h);
    hw_hash_str(&h, real ? real : source);
    for (size_t i = 0; i < w->job->both.w.n; i++)
        hw_hash_str(&h, w->job->both.w.v[i]);
    hw_hash_hex(&h, w->cuid);
    free(real);
}

static bool copy_names(struct work *w, const char *source, const char *kind, struct cc_copy *out)
{
    char *ending = hw_sprintf(".%s.cu", kind), *overlay_ending = hw_sprintf(".%s.yaml", kind);
    out->copy = temp_name(w, source, ending);
    out->overlay = temp_name(w, source, overlay_ending);
    hw_free(ending);
    hw_free(overlay_ending);
    return out->copy && out->overlay;
}

/* Called once for each source, before its passes. */
static bool prepare(struct work *w, const struct cc_item *item)
{
    struct cc_copy fixed = { 0 }, host = { 0 }, device = { 0 };
    set_cuid(w, item->text);
    w->warned = false;
    hw_free(w->overlay);
    hw_free(w->device_overlay);
    w->overlay = w->device_overlay = NULL;
    if (item->lang != CC_LANG_CUDA || w->job->dryrun)
        return true;
    bool ok = copy_names(w, item->text, "fixed", &fixed) && copy_names(w, item->text, "host", &host) && copy_names(w, item->text, "device", &device);
    bool corrected = ok && cc_asm_overlay(item->text, fixed.copy, fixed.overlay);
    if (ok && cc_launch_overlays(item->text, corrected ? fixed.copy : item->text, &host, &device)) {
        w->overlay = hw_strdup(host.overlay);
        w->device_overlay = hw_strdup(device.overlay);
    } else if (corrected) {
        w->overlay = hw_strdup(fixed.overlay);
    }
    for (int i = 0; i < 3; i++) {
        struct cc_copy *c = i == 0 ? &fixed : i == 1 ? &host : &device;
        hw_free(c->copy);
        hw_free(c->overlay);
    }
    return ok;
}

/* Compiles what is source, keeps the rest in place, then links or archives. */
static int run_program(struct cc_job *job)
{
    const char *name = job->output ? job->output : "a.out";
    struct cli_args args = { 0 };
    cli_addf(&args, "%s%s", strchr(name, '/') ? "" : "./", name);
    cli_add_all(&args, &job->run_args);
    cli_set_library_path();
    int status = cli_spawn(&args);
    cli_args_fini(&args);
    return status;
}

static int build_program(struct work *w)
{
    struct cc_job *job = w->job;
    struct cli_args objects = { 0 };
    int status = 0;
    for (size_t i = 0; i < job->items.n && status == 0; i++) {
        const struct cc_item *item = &job->items.v[i];
        if (item->lang == CC_LANG_LINK || item->lang == CC_LANG_AUTO) {
            if (job->stage != CC_STAGE_LIB || !item->is_option)
                cli_add(&objects, item->text);
            w->foreign = true;
            continue;
        }
        char *object = temp_name(w, item->text, ".o");
        status = object && prepare(w, item) ? compile(w, item, object) : CLI_FAIL;
        if (object)
            cli_add(&objects, object);
        hw_free(object);
    }
    if (status == 0)
        status = job->stage == CC_STAGE_LIB ? make_library(w, &objects) :
                 job->stage == CC_STAGE_DLINK ? make_device_link(w, &objects) : link_objects(w, &objects);
    cli_args_fini(&objects);
    return status == 0 && job->run && job->stage == CC_STAGE_LINK && !job->dryrun ? run_program(job) : status;
}

static bool is_ptx(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".ptx") == 0;
}

static bool takes_ptx(enum cc_stage stage) { return stage == CC_STAGE_EXPLAIN || stage == CC_STAGE_FATBIN || stage == CC_STAGE_CUBIN; }

/* PTX from somebody else in a fatbin. */
static int pack_ptx(struct work *w, const char *path, const char *out)
{
    if (w->job->dryrun)
        return CLI_OK;
    bool good = cc_verify(w->job, path, path, true) != CC_VERDICT_BAD;
    return good && cc_fatbin_write(path, out, w->job->arch ? w->job->arch : DEFAULT_ARCH) ? CLI_OK : CLI_FAIL;
}

static int explain(struct work *w, const struct cc_item *item)
{
    if (is_ptx(item->text))
        return cc_explain(w->job, item->text, item->text);
    if (item->lang != CC_LANG_CUDA)
        return fprintf(stderr, "hostwarp cc: %s has no device code\n", item->text), CLI_OK;
    char *ptx = temp_name(w, item->text, ".ptx");
    int status = ptx ? device_pass(w, item->text, ptx, false) : CLI_FAIL;
    if (status == 0 && !w->job->dryrun)
        status = cc_explain(w->job, ptx, item->text);
    hw_free(ptx);
    return status;
}

/* -cuda: C++ that any compiler takes. What the host pass makes is assembly, so the file is one big asm statement. */
static int make_cpp(struct work *w, const struct cc_item *item, const char *out)
{
    char *fatbin = temp_name(w, item->text, ".fatbin"), *code = temp_name(w, item->text, ".s");
    int status = fatbin && code ? make_fatbin(w, item->text, fatbin) : CLI_FAIL;
    if (status == 0) {
        w->for_cpp = true;
        status = host_pass(w, item, fatbin, "-S", code);
        w->for_cpp = false;
    }
    if (status == 0 && !w->job->dryrun && !cc_asm_statement(code, out))
        status = CLI_FAIL;
    hw_free(fatbin);
    hw_free(code);
    return status;
}

static int one_output(struct work *w, const struct cc_item *item)
{
    static const char *const endings[] = { [CC_STAGE_OBJECT] = ".o", [CC_STAGE_PTX] = ".ptx", [CC_STAGE_FATBIN] = ".fatbin",
                                           [CC_STAGE_CUBIN] = ".cubin", [CC_STAGE_CUDA] = ".cu.cpp.ii" };
    const struct cc_job *job = w->job;
    if (!prepare(w, item))
        return CLI_FAIL;
    if (job->stage == CC_STAGE_PREPROCESS)
        return host_pass(w, item, NULL, "-E", job->output);
    if (job->stage == CC_STAGE_DEPS)
        return host_pass(w, item, NULL, NULL, job->output);
    if (job->stage == CC_STAGE_EXPLAIN)
        return explain(w, item);
    char *named = with_ending(base_name(item->text), endings[job->stage]);
    char *out = job->output ? hw_strdup(job->output) : job->outdir ? hw_sprintf("%s/%s", job->outdir, named) : hw_strdup(named);
    int status;
    hw_free(named);
    if (job->stage == CC_STAGE_OBJECT)
        status = compile(w, item, out);
    else if (is_ptx(item->text))
        status = pack_ptx(w, item->text, out);
    else if (item->lang != CC_LANG_CUDA)
        status = 0, fprintf(stderr, "hostwarp cc: %s has no device code, nothing is made of it\n", item->text);
    else if (job->stage == CC_STAGE_CUDA)
        status = make_cpp(w, item, out);
    else if (job->stage == CC_STAGE_PTX)
        status = device_pass(w, item->text, out, false);
    else
        status = make_fatbin(w, item->text, out);
    hw_free(out);
    return status;
}

static int build_each(struct work *w)
{
    int status = 0;
    for (size_t i = 0; i < w->job->items.n && status == 0; i++) {
        const struct cc_item *item = &w->job->items.v[i];
        if (item->lang != CC_LANG_LINK)
            status = one_output(w, item);
        else if (!item->is_option)
            fprintf(stderr, "hostwarp cc: warning: %s: nothing is linked, so it is not used\n", item->text);
    }
    return status;
}

static bool check_inputs(struct cc_job *job)
{
    size_t n = 0, n_sources = 0;
    for (size_t i = 0; i < job->items.n; i++) {
        struct cc_item *item = &job->items.v[i];
        if (item->is_option)
            continue;
        n++;
        if (access(item->text, R_OK) != 0) {
            cli_error("%s: %s", item->text, strerror(errno));
            return false;
        }
        struct stat st;
        if (stat(item->text, &st) == 0 && S_ISDIR(st.st_mode)) {
            cli_error("%s is a folder", item->text);
            return false;
        }
        if (item->lang == CC_LANG_AUTO && job->stage != CC_STAGE_LINK && !(takes_ptx(job->stage) && is_ptx(item->text))) {
            cli_error("%s: what language is it? Say -x cu, -x c++ or -x c before it", item->text);
            return false;
        }
        n_sources += item->lang != CC_LANG_LINK && item->lang != CC_LANG_AUTO;
    }
    if (n == 0) {
        cli_error("no input files; hostwarp cc --help tells more");
        return false;
    }
    if (job->output && n_sources > 1 && job->stage != CC_STAGE_LINK && job->stage != CC_STAGE_LIB &&
        job->stage != CC_STAGE_DLINK) {
        cli_error("-o names one file, but there are %zu sources", n_sources);
        return false;
    }
    return true;
}

int cc_job_run(struct cc_job *job)
{
    if (cc_called_nvcc && job->verbose)
        cc_nvcc_variables();
    if (!check_inputs(job))
        return CLI_FAIL;
    struct work w = { .job = job, .clang = cli_find_clang() };
    if (!w.clang)
        return CLI_FAIL;
    cc_clean_environment();
    bool joins = job->stage == CC_STAGE_LINK || job->stage == CC_STAGE_LIB || job->stage == CC_STAGE_DLINK;
    int status = joins ? build_program(&w) : build_each(&w);
    hw_free(w.overlay);
    hw_free(w.device_overlay);
    hw_free(w.clang);
    return status;
}

int cmd_cc(int argc, char **argv)
{
    struct cc_job job = { .forward_unknown = cc_called_nvcc };
    int used;
    enum cc_parse rc = cc_parse_args(&job, argc, argv, false, &used);
    int status = rc == CC_PARSE_OK ? cc_job_run(&job) : rc == CC_PARSE_DONE ? CLI_OK : CLI_USAGE;
    cc_job_fini(&job);
    return status;
}
