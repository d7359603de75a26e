/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out a `hostwarp cc` job: what is made of which inputs, in which order. */
#define _GNU_SOURCE
#include "cli/cc_work.h"

#include "base/hash.h"
#include "base/os.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* The same file may be compiled twice for one program, with other macros. */
static void set_cuid(struct cc_work *w, const char *source)
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

static bool copy_names(struct cc_work *w, const char *source, const char *kind, struct cc_copy *out)
{
    char *ending = hw_sprintf(".%s.cu", kind), *overlay_ending = hw_sprintf(".%s.yaml", kind);
    out->copy = cc_temp_name(w, source, ending);
    out->overlay = cc_temp_name(w, source, overlay_ending);
    hw_free(ending);
    hw_free(overlay_ending);
    return out->copy && out->overlay;
}

static void free_copy(struct cc_copy *c)
{
    hw_free(c->copy);
    hw_free(c->overlay);
}

/* Headers in which __shared__ variables get room without a constructor; one copy for each. */
static bool prepare_headers(struct cc_work *w, const char *source)
{
    bool ok = true;
    cli_args_fini(&w->header_overlays);
    for (size_t i = 0; i < w->shared.n && ok; i++) {
        const char *file = w->shared.v[i].file;
        bool seen = strcmp(file, source) == 0;
        for (size_t j = 0; j < i; j++)
            seen |= strcmp(w->shared.v[j].file, file) == 0;
        if (seen)
            continue;
        struct cc_copy c = { 0 };
        ok = copy_names(w, file, "shared", &c) && cc_shared_copy(file, &w->shared, c.copy) && cc_write_overlay(file, c.copy, c.overlay);
        if (ok)
            cli_add(&w->header_overlays, c.overlay);
        free_copy(&c);
    }
    return ok;
}

/* Called once for each source, before its passes. */
static bool prepare(struct cc_work *w, const struct cc_item *item)
{
    struct cc_copy fixed = { 0 }, host = { 0 }, device = { 0 }, shared = { 0 };
    set_cuid(w, item->text);
    w->warned = w->shared.n > 0;                 /* the first try has said so */
    hw_free(w->overlay);
    hw_free(w->device_overlay);
    w->overlay = w->device_overlay = NULL;
    if (item->lang != CC_LANG_CUDA || w->job->dryrun)
        return true;
    bool ok = copy_names(w, item->text, "fixed", &fixed) && copy_names(w, item->text, "host", &host) && copy_names(w, item->text, "device", &device) &&
              copy_names(w, item->text, "shared", &shared);
    const char *text = item->text;
    if (ok && w->shared.n) {
        ok = prepare_headers(w, text) && cc_shared_copy(text, &w->shared, shared.copy) && cc_write_overlay(item->text, shared.copy, shared.overlay);
        text = shared.copy;
    }
    bool corrected = ok && cc_asm_overlay(item->text, text, fixed.copy, fixed.overlay);
    if (ok && cc_launch_overlays(item->text, corrected ? fixed.copy : text, &host, &device)) {
        w->overlay = hw_strdup(host.overlay);
        w->device_overlay = hw_strdup(device.overlay);
    } else if (corrected) {
        w->overlay = hw_strdup(fixed.overlay);
    } else if (ok && w->shared.n) {
        w->overlay = hw_strdup(shared.overlay);
    }
    free_copy(&fixed);
    free_copy(&host);
    free_copy(&device);
    free_copy(&shared);
    return ok;
}

static void new_source(struct cc_work *w)
{
    cc_shared_fini(&w->shared);
    cli_args_fini(&w->header_overlays);
    w->again = false;
}

static int compile(struct cc_work *w, const struct cc_item *item, const char *object)
{
    return prepare(w, item) ? cc_compile(w, item, object) : CLI_FAIL;
}

static int run_program(struct cc_job *job, const char *name)
{
    struct cli_args args = { 0 };
    cli_addf(&args, "%s%s", strchr(name, '/') ? "" : "./", name);
    cli_add_all(&args, &job->run_args);
    cli_set_library_path();
    int status = cli_spawn(&args);
    cli_args_fini(&args);
    return status;
}

/* -run with a program that is there already: nothing is made. The name may stand in quotes, as Meson writes it: nvcc has a shell take them away. NULL: there is something to build. */
static char *ready_program(const struct cc_job *job)
{
    if (!job->run || job->stage != CC_STAGE_LINK || job->output || job->items.n != 1)
        return NULL;
    const struct cc_item *item = &job->items.v[0];
    if (item->lang != CC_LANG_AUTO || item->is_option)
        return NULL;
    size_t n = strlen(item->text);
    bool quoted = n > 1 && item->text[0] == '"' && item->text[n - 1] == '"';
    char *name = hw_sprintf("%.*s", (int)(quoted ? n - 2 : n), item->text + quoted);
    struct stat st;
    if (stat(name, &st) == 0 && S_ISREG(st.st_mode) && access(name, X_OK) == 0)
        return name;
    hw_free(name);
    return NULL;
}

/* Compiles what is source, keeps the rest in place, then links or archives. */
static int build_program(struct cc_work *w)
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
        char *object = cc_temp_name(w, item->text, ".o");
        new_source(w);
        status = object ? compile(w, item, object) : CLI_FAIL;
        while (w->again)
            status = compile(w, item, object);
        if (object)
            cli_add(&objects, object);
        hw_free(object);
    }
    if (status == 0)
        status = job->stage == CC_STAGE_LIB ? cc_make_library(w, &objects) :
                 job->stage == CC_STAGE_DLINK ? cc_device_link(w, &objects) : cc_link(w, &objects);
    cli_args_fini(&objects);
    return status == 0 && job->run && job->stage == CC_STAGE_LINK && !job->dryrun ? run_program(job, job->output ? job->output : "a.out") : status;
}

static bool is_ptx(const char *path)
{
    size_t n = strlen(path);
    return n > 4 && strcmp(path + n - 4, ".ptx") == 0;
}

static bool takes_ptx(enum cc_stage stage) { return stage == CC_STAGE_EXPLAIN || stage == CC_STAGE_FATBIN || stage == CC_STAGE_CUBIN; }

/* PTX from somebody else in a fatbin or cubin. */
static int pack_ptx(struct cc_work *w, const char *path, const char *out)
{
    if (w->job->dryrun)
        return CLI_OK;
    bool good = cc_verify(w->job, path, path, true) != CC_VERDICT_BAD;
    return good && cc_write_image(w->job, path, out) ? CLI_OK : CLI_FAIL;
}

static int explain(struct cc_work *w, const struct cc_item *item)
{
    if (is_ptx(item->text))
        return cc_explain(w->job, item->text, item->text);
    if (item->lang != CC_LANG_CUDA)
        return fprintf(stderr, "hostwarp cc: %s has no device code\n", item->text), CLI_OK;
    char *ptx = cc_temp_name(w, item->text, ".ptx");
    int status = ptx ? cc_device_pass(w, item->text, ptx, false) : CLI_FAIL;
    if (status == 0 && !w->job->dryrun)
        status = cc_explain(w->job, ptx, item->text);
    hw_free(ptx);
    return status;
}

/* -cuda: C++ that any compiler takes. What the host pass makes is assembly, so the file is one big asm statement. */
static int make_cpp(struct cc_work *w, const struct cc_item *item, const char *out)
{
    char *fatbin = cc_temp_name(w, item->text, ".fatbin"), *code = cc_temp_name(w, item->text, ".s");
    int status = fatbin && code ? cc_make_fatbin(w, item->text, fatbin) : CLI_FAIL;
    if (status == 0) {
        w->for_cpp = true;
        status = cc_host_pass(w, item, fatbin, "-S", code);
        w->for_cpp = false;
    }
    if (status == 0 && !w->job->dryrun && !cc_asm_statement(code, out))
        status = CLI_FAIL;
    hw_free(fatbin);
    hw_free(code);
    return status;
}

static int make_ptx(struct cc_work *w, const char *source, const char *out)
{
    int status = cc_device_pass(w, source, out, false);
    if (status == 0 && w->job->verify && !w->job->dryrun && (status = cc_verify_pass(w, source, out)))
        unlink(out);
    return status;
}

static int one_output(struct cc_work *w, const struct cc_item *item)
{
    static const char *const endings[] = { [CC_STAGE_OBJECT] = ".o", [CC_STAGE_PTX] = ".ptx", [CC_STAGE_FATBIN] = ".fatbin",
                                           [CC_STAGE_CUBIN] = ".cubin", [CC_STAGE_CUDA] = ".cu.cpp.ii" };
    const struct cc_job *job = w->job;
    if (!prepare(w, item))
        return CLI_FAIL;
    if (job->stage == CC_STAGE_PREPROCESS)
        return cc_host_pass(w, item, NULL, "-E", job->output);
    if (job->stage == CC_STAGE_DEPS)
        return cc_host_pass(w, item, NULL, NULL, job->output);
    if (job->stage == CC_STAGE_EXPLAIN)
        return explain(w, item);
    char *named = cc_with_ending(cc_base_name(item->text), endings[job->stage]);
    char *out = job->output ? hw_strdup(job->output) : job->outdir ? hw_sprintf("%s/%s", job->outdir, named) : hw_strdup(named);
    int status;
    hw_free(named);
    if (job->stage == CC_STAGE_OBJECT)
        status = cc_compile(w, item, out);
    else if (is_ptx(item->text))
        status = pack_ptx(w, item->text, out);
    else if (item->lang != CC_LANG_CUDA)
        status = 0, fprintf(stderr, "hostwarp cc: %s has no device code, nothing is made of it\n", item->text);
    else if (job->stage == CC_STAGE_CUDA)
        status = make_cpp(w, item, out);
    else if (job->stage == CC_STAGE_PTX)
        status = make_ptx(w, item->text, out);
    else
        status = cc_make_fatbin(w, item->text, out);
    hw_free(out);
    return status;
}

static int build_each(struct cc_work *w)
{
    int status = 0;
    for (size_t i = 0; i < w->job->items.n && status == 0; i++) {
        const struct cc_item *item = &w->job->items.v[i];
        new_source(w);
        if (item->lang != CC_LANG_LINK)
            status = one_output(w, item);
        while (w->again)
            status = one_output(w, item);
        if (item->lang == CC_LANG_LINK && !item->is_option)
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
    char *ready = ready_program(job);
    if (ready) {
        int rc = run_program(job, ready);
        hw_free(ready);
        return rc;
    }
    if (!check_inputs(job))
        return CLI_FAIL;
    struct cc_work w = { .job = job, .clang = cli_find_clang() };
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
