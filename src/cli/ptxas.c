/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ptxas`: compilers that make PTX themselves call it (Triton, XLA, JAX). It looks at the text as the loader would and writes it as a cubin (ptx/cubin.h); its messages have the
 * form that callers take apart.
 */
#define _GNU_SOURCE
#include "cli/cli.h"

#include "base/os.h"
#include "base/str.h"
#include "lower/lower.h"
#include "ptx/cubin.h"
#include "ptx/module.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum value { NONE, WORD, GLUE };
enum what { W_IGNORED, W_OUTPUT, W_ARCH, W_VERBOSE, W_OPEN, W_QUIET, W_WERROR, W_VERSION, W_HELP, W_STRING };

static const struct row {
    const char *name, *long_name;
    enum value value;
    enum what what;
    const char *help;
} rows[] = {
#define PTXOPT(name, long_name, value, what, help) { name, long_name, value, W_##what, help },
#include "cli/ptxas_options.def"
#undef PTXOPT
};

struct job {
    const char *input, *output, *arch, *string;
    unsigned sm;
    bool verbose, open, quiet, werror, done;
};

static void fatal(const char *fmt, ...) HW_PRINTF(1, 2);
static void fatal(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    fputs("ptxas fatal   : ", stderr);
    vfprintf(stderr, fmt, ap);
    fputc('\n', stderr);
    va_end(ap);
}

static void help(void)
{
    printf("usage: ptxas [OPTIONS] FILE.ptx        (also: hostwarp ptxas)\n\nLooks at PTX as hostwarp's driver would and writes it as a cubin for cuModuleLoad: an ELF "
           "file\nfor no machine, with the PTX inside. Code for this machine's CPU is made when it is loaded.\n\n");
    for (size_t i = 0; i < HW_LEN(rows); i++) {
        const char *tab = strchr(rows[i].help, '\t');
        if (tab)
            printf("  -%s, --%s %.*s\n        %s\n", rows[i].name, rows[i].long_name, (int)(tab - rows[i].help), rows[i].help, tab + 1);
    }
}

/* The row of an option, and the value that is in the same word, NULL: none is. */
static const struct row *find(const char *word, const char **value)
{
    const char *text = word + 1 + (word[1] == '-');
    size_t n = strcspn(text, "=");
    *value = text[n] ? text + n + 1 : NULL;
    for (size_t i = 0; i < HW_LEN(rows); i++)
        if ((strlen(rows[i].name) == n && strncmp(text, rows[i].name, n) == 0) || (strlen(rows[i].long_name) == n && strncmp(text, rows[i].long_name, n) == 0))
            return rows[i].value == NONE && *value ? NULL : &rows[i];
    for (size_t i = 0; i < HW_LEN(rows) && text[0]; i++)
        if (rows[i].value == GLUE && text[0] == rows[i].name[0] && text == word + 1) {
            *value = text + 1;
            return &rows[i];
        }
    return NULL;
}

static bool apply(struct job *job, const struct row *row, const char *value)
{
    switch (row->what) {
    case W_OUTPUT: job->output = value; break;
    case W_VERBOSE: job->verbose = true; break;
    case W_OPEN: job->open = true; break;
    case W_QUIET: job->quiet = true; break;
    case W_WERROR: job->werror = true; break;
    case W_STRING: job->string = value; break;
    case W_ARCH:
        job->arch = value;
        job->sm = strncmp(value, "sm_", 3) == 0 ? (unsigned)strtoul(value + 3, NULL, 10) : 0;
        if (job->sm < 20 || job->sm > 129) {
            fatal("Value '%s' is not defined for option 'gpu-name'", value);
            return false;
        }
        break;
    case W_VERSION:
        printf("ptxas: NVIDIA (R) Ptx optimizing assembler interface, provided by hostwarp %s\nCuda compilation tools, release 12.9, V12.9.0\n", CLI_VERSION);
        job->done = true;
        break;
    case W_HELP:
        help();
        job->done = true;
        break;
    case W_IGNORED: break;
    }
    return true;
}

static bool parse(struct job *job, int argc, char **argv)
{
    for (int i = 0; i < argc && !job->done; i++) {
        const char *value, *word = argv[i];
        if (word[0] != '-' || !word[1]) {
            if (job->input) {
                fatal("More than one input file: %s and %s", job->input, word);
                return false;
            }
            job->input = word;
            continue;
        }
        const struct row *row = find(word, &value);
        if (row && row->value != NONE && !value)
            value = i + 1 < argc ? argv[++i] : NULL;
        if (!row || (row->value != NONE && !value)) {
            fatal(row ? "Option '%s' needs a value" : "Unknown option '%s'", word);
            return false;
        }
        if (!apply(job, row, value))
            return false;
    }
    if (!job->done && !job->input && !job->string)
        fatal("No input file was given; --help tells more");
    return job->done || job->input || job->string;
}

/* "line N:COL: error: WHY" becomes "ptxas FILE, line N; error   : WHY". */
static void print_messages(const struct job *job, const struct diag *diag)
{
    for (const char *p = diag->text.s; p && *p;) {
        size_t n = strcspn(p, "\n");
        int line = 0;
        const char *kind = p, *end = p + n;
        sscanf(p, "line %d:", &line);
        while (kind < end && strncmp(kind, "error:", 6) != 0 && strncmp(kind, "warning:", 8) != 0)
            kind++;
        bool warning = strncmp(kind, "warning:", 8) == 0;
        const char *why = kind < end ? strchr(kind, ':') + 1 : p;
        why += *why == ' ';
        if (!(warning && job->quiet) && line)
            fprintf(stderr, "ptxas %s, line %d; %s : %.*s\n", job->input ? job->input : "<string>", line, warning ? "warning" : "error  ", (int)(end - why), why);
        else if (!(warning && job->quiet))
            fprintf(stderr, "ptxas %s : %.*s\n", warning ? "warning" : "error  ", (int)(end - why), why);
        p = end + (*end == '\n');
    }
}

/* Parameters lie behind this many bytes of the driver's own. */
static unsigned param_base(unsigned sm) { return sm >= 100 ? 896 : sm >= 90 ? 528 : sm >= 70 ? 352 : 320; }

static bool has_barrier(const struct ptx_func *f)
{
    for (size_t i = 0; i < f->insts.n; i++) {
        const char *op = ptx_form_info[f->insts.v[i].form].op;
        if (strncmp(op, "bar", 3) == 0)
            return true;
    }
    return false;
}

static void print_kernel(const struct job *job, const struct ir_func *f, const struct ptx_module *ptx)
{
    const struct ptx_func *source = NULL;
    char name[16];
    snprintf(name, sizeof name, "sm_%u", job->sm);
    for (size_t i = 0; i < ptx->funcs.n; i++)
        if (strcmp(ptx->funcs.v[i]->name, f->name) == 0 && ptx->funcs.v[i]->has_body)
            source = ptx->funcs.v[i];
    unsigned regs = f->maxnreg && f->maxnreg < IR_USUAL_REGS ? f->maxnreg : IR_USUAL_REGS;
    fprintf(stderr, "ptxas info    : Compiling entry function '%s' for '%s'\nptxas info    : Function properties for %s\n"
                    "    %u bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info    : Used %u registers, used %d barriers",
            f->name, job->arch ? job->arch : name, f->name, f->local_bytes, regs, source && has_barrier(source));
    if (f->local_bytes)
        fprintf(stderr, ", %u bytes cumulative stack size", f->local_bytes);
    if (f->shared_bytes)
        fprintf(stderr, ", %u bytes smem", f->shared_bytes);
    fprintf(stderr, ", %u bytes cmem[0]\n", param_base(job->sm) + f->param_bytes);
}

static void print_figures(const struct job *job, const struct ptx_module *ptx)
{
    struct ir_module *ir = NULL;
    struct diag unused = { 0 };
    uint64_t global = 0, constant = 0;
    for (size_t i = 0; i < ptx->vars.n; i++) {
        global += ptx->vars.v[i]->space == PTX_SPACE_GLOBAL ? ptx->vars.v[i]->bytes : 0;
        constant += ptx->vars.v[i]->space == PTX_SPACE_CONST ? ptx->vars.v[i]->bytes : 0;
    }
    fprintf(stderr, "ptxas info    : %llu bytes gmem", (unsigned long long)global);
    if (constant)
        fprintf(stderr, ", %llu bytes cmem[3]", (unsigned long long)constant);
    fputc('\n', stderr);
    if (lower_module(ptx, &unused, &ir) == PTX_OK)
        for (size_t i = 0; i < ir->funcs.n; i++)
            print_kernel(job, ir->funcs.v[i], ptx);
    if (ir)
        ir_module_free(ir);
    diag_fini(&unused);
}

static bool check(struct job *job, const char *text)
{
    struct diag diag = { 0 };
    struct ptx_module *ptx = NULL;
    bool ok = ptx_parse(text, strlen(text), &diag, &ptx) == PTX_OK && lower_check(ptx, job->open, &diag);
    if (ok && !job->sm)
        job->sm = ptx->sm;
    if (ok && job->sm < ptx->sm) {
        diag_error(&diag, 0, 0, "SM version specified by .target is higher than default SM version assumed");
        ok = false;
    }
    print_messages(job, &diag);
    if (ok && job->werror && diag.n_warnings && !job->quiet)
        ok = false;
    if (ok && job->verbose)
        print_figures(job, ptx);
    if (!ok)
        fatal("Ptx assembly aborted due to errors");
    if (ptx)
        ptx_module_free(ptx);
    diag_fini(&diag);
    return ok;
}

int cmd_ptxas(int argc, char **argv)
{
    struct job job = { 0 };
    if (!parse(&job, argc, argv))
        return CLI_FAIL;
    if (job.done)
        return CLI_OK;
    char *text = job.string ? hw_strdup(job.string) : hw_file_read(strcmp(job.input, "-") == 0 ? "/dev/stdin" : job.input, NULL);
    if (!text) {
        fatal("Could not open input file '%s': %s", job.input, strerror(errno));
        return CLI_FAIL;
    }
    struct hw_str image = { 0 };
    bool ok = check(&job, text);
    if (ok) {
        ptx_cubin_write(text, &image);
        if (!(ok = hw_file_write(job.output ? job.output : "elf.o", image.s, image.n)))
            fatal("Could not open output file '%s': %s", job.output ? job.output : "elf.o", strerror(errno));
    }
    hw_str_fini(&image);
    hw_free(text);
    return ok ? CLI_OK : CLI_FAIL;
}
