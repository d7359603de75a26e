/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles one source: the device's pass to PTX, the host's with that PTX inside. clang does the work. */
#define _GNU_SOURCE
#include "cli/cc_lines.h"
#include "cli/cc_work.h"

#include "base/os.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int cc_run(struct cc_work *w, struct cli_args *args)
{
    if (w->job->verbose || w->job->dryrun)
        cli_print_command(args);
    int status = w->job->dryrun ? 0 : cli_spawn(args);
    cli_args_fini(args);
    return status;
}

char *cc_with_ending(const char *path, const char *ending)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    size_t n = dot && (!slash || dot > slash) ? (size_t)(dot - path) : strlen(path);
    return hw_sprintf("%.*s%s", (int)n, path, ending);
}

const char *cc_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* A name in the temporary folder, or NULL after an error. */
char *cc_temp_name(struct cc_work *w, const char *source, const char *ending)
{
    const char *dir = w->job->dryrun ? "/tmp" : cli_temp_dir();
    if (!dir)
        return NULL;
    char *stem = cc_with_ending(cc_base_name(source), "");
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

static void add_common(struct cc_work *w, struct cli_args *args, enum cc_lang lang)
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
static void add_cuda(struct cc_work *w, struct cli_args *args, const char *overlay)
{
    int arch = w->job->arch ? w->job->arch : CC_DEFAULT_ARCH;
    cli_add(args, "-x");
    cli_add(args, "cuda");
    cli_addf(args, "--cuda-path=%s", cli_root());
    cli_add(args, "-nocudainc");
    cli_add(args, "-nocudalib");
    cli_addf(args, "--cuda-gpu-arch=sm_%d", cc_clang_arch(w->job));
    cli_add(args, "-Wno-unknown-cuda-version");
    if (w->job->rdc) {
        cli_add(args, "-fgpu-rdc");
        cli_addf(args, "-cuid=%s", w->cuid);                     /* clang's driver gives it to the device's compiler only */
        cli_add(args, "-Xclang");
        cli_addf(args, "-cuid=%s", w->cuid);
    }
    add_common(w, args, CC_LANG_CUDA);
    for (size_t i = 0; i < w->header_overlays.w.n; i++) {
        cli_add(args, "-ivfsoverlay");
        cli_add(args, w->header_overlays.w.v[i]);
    }
    if (overlay) {
        cli_add(args, "-ivfsoverlay");
        cli_add(args, overlay);
    }
    cli_addf(args, "-D__CUDA_ARCH_LIST__=%d", arch * 10);
    if (w->job->rdc)
        cli_add(args, "-D__CUDACC_RDC__=1");
    if (w->job->device_debug)
        cli_add(args, "-D__CUDACC_DEBUG__=1");
    /* gcc folds calls of the C library's functions, so std::sqrt() in a constexpr function is nothing to it; clang calls that ill-formed. */
    cli_add(args, "-Wno-invalid-constexpr");
    if (w->prelude) {
        const char *const words[] = { CC_PRELUDE_WORDS, "-fno-validate-pch", "-include-pch", w->prelude };
        for (size_t i = 0; i < HW_LEN(words); i++) {
            cli_add(args, "-Xclang");
            cli_add(args, words[i]);
        }
    } else {
        cli_add(args, "-include");
        cli_add(args, "cuda_runtime.h");
    }
}

/* Are all errors in what clang said about __host__ __device__ functions that call host functions? nvcc only warns of that. */
static bool only_wrong_side(const char *said)
{
    bool any = false;
    for (const char *p = said; (p = strstr(p, "error: ")); p++, any = true) {
        size_t n = strcspn(p, "\n");
        const char *about = memmem(p, n, "reference to __host__ function", 30);
        if (!about || !memmem(about, n - (size_t)(about - p), "in __host__ __device__ function", 31))
            return false;
    }
    return any;
}

static void show(const char *said, bool as_warnings)
{
    for (const char *p = said, *at; as_warnings && (at = strstr(p, "error: ")); p = at + 7) {
        const char *line = at;
        while (line > said && line[-1] != '\n')
            line--;
        size_t n = strcspn(at + 7, "\n");
        fprintf(stderr, "%.*swarning: %.*s is not allowed\n", (int)(at - line), line, (int)n, at + 7);
    }
    /* the last line counts, and names the target that clang was told */
    const char *count = as_warnings ? NULL : strstr(said, " generated when compiling for ");
    while (count && count > said && count[-1] != '\n')
        count--;
    if (!as_warnings)
        fprintf(stderr, "%.*s", count ? (int)(count - said) : (int)strlen(said), said);
}

/*
 * Where host functions are called that no kernel comes to, the pass is repeated in a mode of clang's that lets it be. It makes code of every function of the
 * host too, so it is not the usual one. wrong_side: that was so.
 */
static int run_device(struct cc_work *w, const char *source, struct cli_args *args, bool *wrong_side)
{
    char *first = cc_temp_name(w, source, ".said"), *second = cc_temp_name(w, source, ".said");
    if (isatty(2))
        cli_add(args, "-fcolor-diagnostics");
    int status = first && second ? cli_spawn_said(args, first) : CLI_FAIL;
    char *said = first ? hw_file_read(first, NULL) : NULL;
    if (status == 1 && said && only_wrong_side(said)) {
        cli_add(args, "-Xclang");
        cli_add(args, "--hipstdpar");
        *wrong_side = cli_spawn_said(args, second) == 0;
        status = *wrong_side ? 0 : status;
        w->warned |= *wrong_side;
    }
    size_t before = w->shared.n;
    w->again = status == 1 && said && ((!before && cc_shared_places(said, &w->shared)) || cc_pragma_places(said, &w->shared) || cc_sides_places(said, &w->shared));
    for (size_t i = before; w->again && i < w->shared.n; i++)
        if (!w->shared.v[i].pragma)              /* nvcc says nothing about those */
            fprintf(stderr, "%s:%d: warning: %s\n", w->shared.v[i].file, w->shared.v[i].line,
                    w->shared.v[i].round ? "a function that is declared again with __host__ __device__ is taken for such a one" :
                    "nobody initializes a __shared__ variable, the constructor of this one is not called");
    w->warned |= w->again;
    if (said && !w->again)
        show(said, *wrong_side);
    if (said && status && !w->again)
        cc_vendor_after_pass(said);
    hw_free(said);
    hw_free(first);
    hw_free(second);
    return status;
}

static void add_depfile(struct cc_work *w, struct cli_args *args, const char *source)
{
    struct cc_job *job = w->job;
    if (!job->wants_depfile)
        return;
    char *name = job->depfile ? hw_strdup(job->depfile) : cc_with_ending(job->output ? job->output : cc_base_name(source), ".d");
    cli_add(args, "-MF");
    cli_add(args, name);
    hw_free(name);
}

/* Is PTX the result, and no host pass follows? */
static bool is_alone(const struct cc_job *job) { return job->stage == CC_STAGE_PTX || job->stage == CC_STAGE_FATBIN || job->stage == CC_STAGE_CUBIN; }

static bool wants_lines(const struct cc_job *job, bool with_lines) { return job->line_info || job->device_debug || with_lines; }

/* What LLVM's passes are told when they make device code. */
static const char *const llvm_tuning[] = {
    /* A loop marked for unrolling grows to this many instructions at most. clang's own 16384 makes kernels of many thousand matrix
       products, whose code takes minutes to make and is no faster. */
    "-pragma-unroll-threshold=2048",
    /* Functions become part of their callers in any case, here or in the driver: arrays that they are given stay in registers only if clang sees
       both. CUDA's own compiler inlines nearly everything too. */
    "-inline-threshold=1000",
    /* Of loops whose length is not known only tiny ones are unrolled. An unrolled loop has a second one for what is left over, and lanes whose rows
       differ in length wait for each other in both (bfs: 1.2 times as long); SIMD code gains little by it elsewhere. */
    "-unroll-partial-threshold=16",
    /* Stores of several branches stay where they are. Sunk into one, their address is chosen by the way that was taken, and lanes are no longer neighbours
       (a stencil with borders: 131 ms, not 61). pass/transform/tail_dup.c takes apart what other compilers have sunk. */
    "-sink-common-insts=false",
};

/* LLVM's back end for PTX wants functions of a C library for __int128 that PTX has not: division, and what goes from and to floating point. */
static const char *const llvm_wide[] = { "-expand-div-rem-bits=64", "-expand-fp-convert-bits=64" };

static void add_llvm_options(struct cli_args *args, const char *const *options, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        cli_add(args, "-mllvm");
        cli_add(args, options[i]);
    }
}

void cc_add_wide(struct cli_args *args) { add_llvm_options(args, llvm_wide, HW_LEN(llvm_wide)); }

void cc_device_command(struct cc_work *w, struct cli_args *args, bool with_lines)
{
    const struct cc_job *job = w->job;
    cli_add(args, w->clang);
    add_cuda(w, args, w->device_overlay ? w->device_overlay : w->overlay);
    cli_add(args, "--cuda-device-only");
    if (is_alone(job))
        cli_add(args, "-D__HOSTWARP_ALONE__=1");                /* host_defines.h */
    cc_target_macros(job, args);
    cli_add(args, "-S");
    cli_add(args, job->device_debug ? "-O1" : "-O3");
    cli_add(args, "-ffp-contract=fast");
    /* Lanes that do not take part hand undefined values to shuffles, and nvcc lets them; clang would conclude that they do take part. */
    cli_add(args, "-Xclang");
    cli_add(args, "-no-enable-noundef-analysis");
    add_llvm_options(args, llvm_tuning, HW_LEN(llvm_tuning));
    cc_add_wide(args);
    if (wants_lines(job, with_lines)) {
        cli_add(args, "-gline-directives-only");
        cli_add(args, "-emit-llvm");                             /* cc_lines.c makes the PTX */
        cli_add(args, "-Xclang");
        cli_add(args, "-emit-llvm-uselists");                    /* the back end follows the order of uses */
    }
    cc_openmp_compile(args, job, false);
    cli_add_all(args, &job->device);
}

/* The list of headers is the host pass's to write, where there is one. */
static void add_device_depfile(struct cc_work *w, struct cli_args *args, const char *source)
{
    const struct cli_args *host = &w->job->host;
    if (!is_alone(w->job) || !w->job->wants_depfile)
        return;
    for (size_t i = 0; i < host->w.n; i++) {
        const char *word = host->w.v[i];
        if (strncmp(word, "-M", 2) != 0)
            continue;
        cli_add(args, word);
        if ((strcmp(word, "-MT") == 0 || strcmp(word, "-MQ") == 0) && i + 1 < host->w.n)
            cli_add(args, host->w.v[++i]);
    }
    add_depfile(w, args, source);
}

int cc_device_pass(struct cc_work *w, const char *source, const char *ptx, bool with_lines)
{
    const struct cc_job *job = w->job;
    struct cli_args args = { 0 };
    if (cc_called_nvcc && job->verbose)
        cc_nvcc_device_line(job->arch ? job->arch : CC_DEFAULT_ARCH);
    if (job->prelude)
        w->prelude = cc_prelude(w, with_lines);
    bool lines = wants_lines(job, with_lines);
    char *ir = lines ? cc_temp_name(w, source, ".ll") : NULL;
    cc_device_command(w, &args, with_lines);
    if (is_alone(job) && !with_lines)
        cc_warn_alone(job, &args);
    else
        cli_add(&args, "-w");                                    /* the host pass, or the first one of this kind, has parsed the same text */
    hw_free(w->prelude);
    w->prelude = NULL;
    add_device_depfile(w, &args, source);
    cli_add(&args, "-o");
    cli_add(&args, ir ? ir : ptx);
    cli_add(&args, source);
    bool wrong_side = false;
    int status = lines && !ir ? CLI_FAIL : job->verbose || job->dryrun ? cc_run(w, &args) : run_device(w, source, &args, &wrong_side);
    cli_args_fini(&args);
    if (status == 0 && ir)
        status = cc_lines_pass(w, ir, ptx);
    hw_free(ir);
    if (status == 0 && !job->dryrun && !cc_target_finish(job, ptx))
        return CLI_FAIL;
    if (status == 0 && !job->dryrun && w->device_overlay && !cc_launch_name_kernels(ptx))
        return CLI_FAIL;
    if (status == 0 && wrong_side)
        return cc_dlink_trap_ptx(ptx) && cc_dlink_close_ptx(ptx, NULL) ? CLI_OK : CLI_FAIL;
    if (status == 0 && !job->dryrun && !(job->rdc ? cc_dlink_fix_ptx(ptx) : cc_dlink_close_ptx(ptx, source)))
        status = CLI_FAIL;
    return status;
}

/* Device code with an error in it is compiled once more, with line numbers, so that the message can have one. */
int cc_verify_pass(struct cc_work *w, const char *source, const char *ptx)
{
    const struct cc_job *job = w->job;
    enum cc_verdict verdict = cc_verify(job, ptx, source, job->line_info);
    w->warned |= verdict != CC_VERDICT_GOOD;
    if (verdict != CC_VERDICT_BAD)
        return CLI_OK;
    char *lines = job->line_info ? NULL : cc_temp_name(w, source, ".lines.ptx");
    bool told = job->line_info || (lines && cc_device_pass(w, source, lines, true) == 0 && cc_verify(job, lines, source, true) == CC_VERDICT_BAD);
    if (!told)
        cc_verify(job, ptx, source, true);
    hw_free(lines);
    return CLI_FAIL;
}

bool cc_write_image(const struct cc_job *job, const char *ptx, const char *out)
{
    return job->stage == CC_STAGE_CUBIN ? cc_cubin_write(ptx, out) : cc_fatbin_write(ptx, out, job->arch ? job->arch : CC_DEFAULT_ARCH);
}

int cc_make_fatbin(struct cc_work *w, const char *source, const char *fatbin)
{
    char *ptx = cc_temp_name(w, source, ".ptx");
    int status = ptx ? cc_device_pass(w, source, ptx, false) : CLI_FAIL;
    if (status == 0 && !w->job->dryrun)
        status = cc_verify_pass(w, source, ptx);
    if (status == 0 && !w->job->dryrun && !cc_write_image(w->job, ptx, fatbin))
        status = CLI_FAIL;
    hw_free(ptx);
    return status;
}

/* The host's view of any source. action: -c or -E, or NULL with -M. fatbin: NULL when there is no device code. */
static void host_command(struct cc_work *w, const struct cc_item *item, const char *fatbin, const char *action, const char *out,
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
    cli_add(args, "-fwrapv");                                    /* clang makes more of int that overflows than gcc, which nvcc uses, does */
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

int cc_host_pass(struct cc_work *w, const struct cc_item *item, const char *fatbin, const char *action, const char *out)
{
    struct cli_args args = { 0 };
    host_command(w, item, fatbin, action, out, &args);
    return cc_run(w, &args);
}

/*
 * Both passes at a time. The host's takes the device code only at its end, so it gets a pipe in its place and waits there. What
 * it has to say is held back until the device pass is through: that one reports the errors that both see.
 */
static int both_passes(struct cc_work *w, const struct cc_item *item, const char *fatbin, const char *pipe, const char *object)
{
    struct cli_args args = { 0 };
    struct cli_beside host;
    struct cc_cache cache;
    bool quiet = false, started = false;
    int status = CLI_OK;
    char *said = cc_temp_name(w, item->text, ".said");
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
        status = started ? cc_make_fatbin(w, item->text, fatbin) : CLI_FAIL;
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

int cc_compile(struct cc_work *w, const struct cc_item *item, const char *object)
{
    if (item->lang != CC_LANG_CUDA)
        return cc_host_pass(w, item, NULL, "-c", object);
    char *fatbin = cc_temp_name(w, item->text, ".fatbin"), *pipe = cc_temp_name(w, item->text, ".pipe");
    int status = CLI_FAIL;
    if (fatbin && pipe && !w->job->verbose && !w->job->dryrun && mkfifo(pipe, 0600) == 0) {
        status = both_passes(w, item, fatbin, pipe, object);
        unlink(pipe);
    } else if (fatbin && (status = cc_make_fatbin(w, item->text, fatbin)) == 0) {
        status = cc_host_pass(w, item, fatbin, "-c", object);
    }
    hw_free(fatbin);
    hw_free(pipe);
    return status;
}
