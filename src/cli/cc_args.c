/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of `hostwarp cc`: cc_options.def says which options exist, this file what each does to the job. */
#include "cli/cc.h"

#include "base/os.h"

#include "base/nearest.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>

enum value { NONE, WORD, GLUE, REST };

enum what {
    W_BOTH, W_HOST, W_HOST2, W_DEVICE, W_LINK, W_HOSTLINK, W_IGNORED, W_REFUSED, W_OUTPUT, W_COMPILE, W_PREPROC, W_PTX, W_FATBIN,
    W_LIB, W_SHARED, W_DEPS, W_DEPFILE, W_DEPNAME, W_INCLUDE, W_SYSINCL, W_PREINCL, W_DEFINE, W_UNDEFINE, W_LIBDIR, W_LIBRARY,
    W_OPTIMIZE, W_DEBUG, W_DEVDEBUG, W_LINEINFO, W_STD, W_LANGUAGE, W_ARCH, W_FASTMATH, W_FTZ, W_PRECDIV, W_PRECSQRT, W_FMAD,
    W_DEFSTREAM, W_CUDART, W_XCOMPILER, W_XLINKER, W_XCLANG, W_WERROR, W_MACHINE, W_VERBOSE, W_DRYRUN, W_KEEP, W_OPTFILE,
    W_FORWARD, W_RDC, W_DEVICEC, W_PRELUDE, W_DLINK, W_VERSION, W_HELP, W_EXPLAIN, W_EXPBLOCK, W_RELAXED, W_LAMBDA,
    W_BOTHEQ, W_VERIFY, W_OPENMP, W_CUDA, W_CUBIN, W_OUTDIR, W_NOEH, W_RUN, W_RUNARGS, W_ARCHLIST, W_CODELIST, W_CCBIN,
};

struct option {
    const char *name, *long_name;
    enum value value;
    enum what what;
    const char *help;
};

static const struct option options[] = {
#define CCOPT(name, long_name, value, what, help) { name, long_name, value, W_##what, help },
#include "cli/cc_options.def"
#undef CCOPT
};

/* One option as it stands on the command line. */
struct given {
    const struct option *opt;
    const char *word;                    /* as written */
    const char *value;                   /* "" when it takes none; NULL only until take_value() */
};

static void help(void)
{
    printf("usage: hostwarp cc [OPTIONS] FILE...\n\n"
           "Compiles CUDA (.cu), C++ and C files and links them; takes what nvcc takes. Objects (.o) and libraries may be given too.\n\n");
    for (size_t i = 0; i < HW_LEN(options); i++) {
        const struct option *o = &options[i];
        const char *tab = strchr(o->help, '\t');
        if (!tab)
            continue;
        char *left = hw_sprintf("-%s%s%.*s", o->name, tab > o->help && o->value == WORD ? " " : "", (int)(tab - o->help), o->help);
        printf("  %-32s %s\n", left, tab + 1);
        hw_free(left);
    }
    printf("\nDevice code becomes PTX inside the program, and machine code for this CPU when the program runs.\n");
}

static void add_item(struct cc_job *job, const char *text, enum cc_lang lang, bool is_option)
{
    struct cc_item item = { hw_strdup(text), lang, is_option };
    hw_vec_push(&job->items, item);
}

static bool says_true(const struct given *g, bool *out)
{
    if (strcmp(g->value, "true") == 0 || strcmp(g->value, "1") == 0)
        *out = true;
    else if (strcmp(g->value, "false") == 0 || strcmp(g->value, "0") == 0)
        *out = false;
    else {
        cli_error("-%s takes true or false, not %s", g->opt->name, g->value);
        return false;
    }
    return true;
}

static const int known_archs[] = { 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90 };

/* 80, 90a, 100f; -1: there is no such GPU, nor was there ever. */
static int arch_number(const char *digits)
{
    char *end;
    long n = strtol(digits, &end, 10);
    end += *end == 'a' || *end == 'f';
    return n >= 10 && n <= 129 && !isalnum((unsigned char)*end) ? (int)n : -1;
}

/* Accepts sm_80, compute_80, 80, arch=compute_80,code=sm_80, native, all. What clang 19 cannot target becomes the nearest it can. */
static bool set_arch(struct cc_job *job, const char *spec)
{
    static const char *const marks[] = { "compute_", "sm_", "lto_" };
    int arch = 0;
    for (size_t i = 0; i < HW_LEN(marks) && !arch; i++) {
        const char *at = strstr(spec, marks[i]);
        if (at)
            arch = arch_number(at + strlen(marks[i]));
    }
    if (!arch && isdigit((unsigned char)spec[0]))
        arch = arch_number(spec);
    if (!arch && (strcmp(spec, "native") == 0 || strncmp(spec, "all", 3) == 0))
        arch = 80;
    if (arch <= 0) {
        cli_error("%s is not an architecture (such as sm_80; hostwarp cc --list-gpu-arch lists them)", spec);
        return false;
    }
    int best = known_archs[0];
    for (size_t i = 0; i < HW_LEN(known_archs); i++)
        if (known_archs[i] <= arch)
            best = known_archs[i];
    /* Of several, the newest that the default device (8.0) can run; else the oldest. */
    bool fits = best <= 80, had_fits = job->arch && job->arch <= 80;
    if (!job->arch || (fits && (!had_fits || best > job->arch)) || (!fits && !had_fits && best < job->arch))
        job->arch = best;
    return true;
}

static bool set_language(struct cc_job *job, const char *name)
{
    static const struct { const char *name; enum cc_lang lang; } known[] = {
        { "cu", CC_LANG_CUDA }, { "cuda", CC_LANG_CUDA }, { "c++", CC_LANG_CXX }, { "c", CC_LANG_C }, { "none", CC_LANG_AUTO },
    };
    for (size_t i = 0; i < HW_LEN(known); i++) {
        if (strcmp(name, known[i].name) == 0) {
            job->forced = known[i].lang;
            return true;
        }
    }
    cli_error("-x takes cu, c++ or c, not %s", name);
    return false;
}

static bool set_choice(const struct given *g, const char *const *names, size_t n, int *out)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(g->value, names[i]) == 0) {
            *out = (int)i;
            return true;
        }
    }
    cli_error("-%s does not take %s; see hostwarp cc --help", g->opt->name, g->value);
    return false;
}

/* level: for division 0 div.approx, 1 div.full; for the square root 0 sqrt.approx. */
static void less_exact(struct cc_job *job, const char *what, int level)
{
    cli_add(&job->device, "-mllvm");
    cli_addf(&job->device, "-nvptx-prec-%sf32=%d", what, level);
}

/* The choices that shape device arithmetic. */
static bool apply_math(struct cc_job *job, const struct given *g)
{
    bool on = true;
    if (g->opt->what != W_FASTMATH && !says_true(g, &on))
        return false;
    switch (g->opt->what) {
    case W_FASTMATH:
        cli_add(&job->device, "-fgpu-approx-transcendentals");
        cli_add(&job->device, "-fgpu-flush-denormals-to-zero");
        less_exact(job, "div", 0);
        less_exact(job, "sqrt", 0);
        cli_add(&job->both, "-D__USE_FAST_MATH__=1");
        return true;
    case W_FTZ:
        cli_add(&job->device, on ? "-fgpu-flush-denormals-to-zero" : "-fno-gpu-flush-denormals-to-zero");
        return true;
    case W_PRECDIV:
        if (!on)
            less_exact(job, "div", 1);
        return true;
    case W_PRECSQRT:
        if (!on)
            less_exact(job, "sqrt", 0);
        return true;
    default:
        cli_add(&job->device, on ? "-ffp-contract=fast" : "-ffp-contract=off");
        return true;
    }
}

static bool set_stage(struct cc_job *job, enum cc_stage stage)
{
    if (job->stage != CC_STAGE_LINK && job->stage != stage) {
        cli_error("only one of -c, -E, -ptx, -cubin, -fatbin, -cuda, -lib and -M can be asked for");
        return false;
    }
    job->stage = stage;
    return true;
}

static void set_string(char **slot, const char *value)
{
    hw_free(*slot);
    *slot = hw_strdup(value);
}

static void apply_werror(struct cc_job *job, const char *kinds)
{
    /* nvcc's own kinds have no counterpart; a name of clang's (-Werror=return-type) goes through. */
    if (kinds[0] == '=' && strncmp(kinds, "=all-warnings", 13) != 0)
        cli_addf(&job->host, "-Werror%s", kinds);
    else
        cli_add(&job->host, "-Werror");
}

static bool apply_machine(struct cc_job *job, const struct given *g)
{
    if (strcmp(g->value, "64") == 0)
        return true;
    if (strcmp(g->value, "32") == 0) {
        cli_error("32-bit programs are not supported");
        return false;
    }
    cli_add(&job->host, g->word);
    return true;
}

static enum cc_parse parse_list(struct cc_job *job, int argc, char **argv, bool stop_at_file, int *out_used);

/* Options from a file: words split at blanks, quotes keep them together. */
static bool apply_optfile(struct cc_job *job, const char *path)
{
    char *text = hw_file_read(path, NULL);
    if (!text) {
        cli_error("cannot read %s: %s", path, strerror(errno));
        return false;
    }
    struct cli_args words = { 0 };
    char *word = hw_alloc(strlen(text) + 1);
    for (const char *p = text; *p;) {
        size_t n = 0;
        while (isspace((unsigned char)*p))
            p++;
        const char *start = p;
        for (char quote = 0; *p && (quote || !isspace((unsigned char)*p)); p++) {
            if (quote ? *p == quote : *p == '"' || *p == '\'')
                quote = quote ? 0 : *p;
            else
                word[n++] = *p;
        }
        word[n] = 0;
        if (p > start)
            cli_add(&words, word);
    }
    int used;
    enum cc_parse rc = parse_list(job, (int)words.w.n, cli_argv(&words), false, &used);
    cli_args_fini(&words);
    hw_free(word);
    hw_free(text);
    return rc == CC_PARSE_OK;
}

static bool apply_choice(struct cc_job *job, const struct given *g)
{
    static const char *const streams[] = { "legacy", "per-thread", "null" };
    static const char *const cudarts[] = { "shared", "static", "none" };
    int choice;
    bool on;
    switch (g->opt->what) {
    case W_DEFSTREAM:
        if (!set_choice(g, streams, HW_LEN(streams), &choice))
            return false;
        job->per_thread_stream = choice == 1;
        return true;
    case W_CUDART:
        if (!set_choice(g, cudarts, HW_LEN(cudarts), &choice))
            return false;
        job->cudart = (enum cc_cudart)choice;
        return true;
    case W_RDC:
        if (!says_true(g, &on))
            return false;
        job->rdc = on;
        return true;
    default:
        assert(!"not a choice");
        return false;
    }
}

/* Where headers, macros and libraries come from. */
static void apply_search(struct cc_job *job, const struct given *g)
{
    switch (g->opt->what) {
    case W_INCLUDE: cc_add_user_include(job, g->value); break;
    case W_DEFINE: cli_addf(&job->both, "-D%s", g->value); break;
    case W_UNDEFINE: cli_addf(&job->both, "-U%s", g->value); break;
    case W_SYSINCL: cli_addf(&job->both, "-isystem%s", g->value); break;
    case W_PREINCL:
        cli_add(&job->both, "-include");
        cli_add(&job->both, g->value);
        break;
    case W_LIBDIR: cli_addf(&job->link, "-L%s", g->value); break;
    default: {
        char *option = hw_sprintf("-l%s", g->value);
        add_item(job, option, CC_LANG_LINK, true);
        hw_free(option);
    }
    }
}

/* Options that go to clang's runs more or less as they are. */
static void apply_pass_on(struct cc_job *job, const struct given *g)
{
    switch (g->opt->what) {
    case W_HOST:
        if (g->opt->value == NONE)
            cli_addf(&job->host, "-%s", g->opt->name);           /* it may have been written with its long name */
        else
            cli_add(&job->host, g->word);
        break;
    case W_HOST2:
        cli_addf(&job->host, "-%s", g->opt->name);
        cli_add(&job->host, g->value);
        break;
    case W_BOTH: cli_add(&job->both, g->word); break;
    case W_DEVICE: cli_add(&job->device, g->word); break;
    case W_LINK: add_item(job, g->word, CC_LANG_LINK, true); break;
    case W_HOSTLINK:
        cli_addf(&job->host, "-%s", g->opt->name);
        cli_addf(&job->link, "-%s", g->opt->name);
        break;
    case W_XCOMPILER: cc_xcompiler(job, g->value); break;
    case W_XLINKER: cc_add_split(&job->link, g->value, "-Xlinker"); break;
    case W_BOTHEQ: cli_addf(&job->both, "-%s=%s", g->opt->name, g->value); break;
    default:
        cli_add(&job->both, "-Xclang");
        cli_add(&job->both, g->value);
    }
}

static bool set_block(struct cc_job *job, const char *text)
{
    unsigned *b = job->block;
    char rest;
    b[1] = b[2] = 1;
    int n = sscanf(text, "%u,%u,%u%c", &b[0], &b[1], &b[2], &rest);
    if (n < 1 || n > 3 || !b[0] || !b[1] || !b[2] || b[0] > 1024 || b[1] > 1024 || b[2] > 64 || b[0] * b[1] * b[2] > 1024) {
        cli_error("%s is no shape of a block: X[,Y[,Z]], at most 1024 threads", text);
        return false;
    }
    return true;
}

static bool apply(struct cc_job *job, const struct given *g)
{
    assert(g->value);
    switch (g->opt->what) {
    case W_IGNORED: return true;
    case W_REFUSED: cli_error("%s: %s", g->word, g->opt->help); return false;
    case W_OUTPUT: set_string(&job->output, g->value); return true;
    case W_COMPILE: return set_stage(job, CC_STAGE_OBJECT);
    case W_DEVICEC:
        job->rdc = true;
        return set_stage(job, CC_STAGE_OBJECT);
    case W_DLINK: return set_stage(job, CC_STAGE_DLINK);
    case W_PREPROC: return set_stage(job, CC_STAGE_PREPROCESS);
    case W_PTX: return set_stage(job, CC_STAGE_PTX);
    case W_EXPLAIN:
        job->line_info = true;
        return set_stage(job, CC_STAGE_EXPLAIN);
    case W_EXPBLOCK: return set_block(job, g->value);
    case W_FATBIN: return set_stage(job, CC_STAGE_FATBIN);
    case W_CUBIN: return set_stage(job, CC_STAGE_CUBIN);
    case W_CUDA: return set_stage(job, CC_STAGE_CUDA);
    case W_LIB: return set_stage(job, CC_STAGE_LIB);
    case W_VERIFY: return job->verify = true;
    case W_PRELUDE: return job->prelude = true;
    case W_OPENMP: return job->openmp = true;
    case W_CCBIN: set_string(&job->ccbin, g->value); return true;
    case W_OUTDIR: set_string(&job->outdir, g->value); return true;
    case W_NOEH: cli_add(&job->both, "-fno-exceptions"); return true;
    case W_RUN: return job->run = true;
    case W_RUNARGS: cc_add_split(&job->run_args, g->value, NULL); return true;
    case W_SHARED: return job->shared = true;
    case W_DEPS:
        cli_addf(&job->host, "-%s", g->opt->name);
        return set_stage(job, CC_STAGE_DEPS);
    case W_DEPFILE:
        cli_addf(&job->host, "-%s", g->opt->name);
        return job->wants_depfile = true;
    case W_DEPNAME: set_string(&job->depfile, g->value); return true;
    case W_OPTIMIZE: cli_addf(&job->host, "-O%s", g->value); return true;
    case W_DEBUG:
        cli_addf(&job->host, "-g%s", g->value);
        return job->debug = true;
    case W_DEVDEBUG: return job->device_debug = true;
    case W_LINEINFO: return job->line_info = true;
    case W_RELAXED: case W_LAMBDA: cli_addf(&job->both, "-D__CUDACC_%s__=1", g->opt->what == W_LAMBDA ? "EXTENDED_LAMBDA" : "RELAXED_CONSTEXPR"); return true;
    case W_STD: set_string(&job->std, g->value); return true;
    case W_LANGUAGE: return set_language(job, g->value);
    case W_ARCH: return set_arch(job, g->value);
    case W_FASTMATH: case W_FTZ: case W_PRECDIV: case W_PRECSQRT: case W_FMAD: return apply_math(job, g);
    case W_DEFSTREAM: case W_CUDART: case W_RDC: return apply_choice(job, g);
    case W_INCLUDE: case W_DEFINE: case W_UNDEFINE: case W_SYSINCL: case W_PREINCL: case W_LIBDIR: case W_LIBRARY:
        apply_search(job, g);
        return true;
    case W_WERROR: apply_werror(job, g->value); return true;
    case W_MACHINE: return apply_machine(job, g);
    case W_VERBOSE: return job->verbose = true;
    case W_DRYRUN: return job->dryrun = true;
    case W_KEEP: cli_keep_temp_dir(); return true;
    case W_OPTFILE: return apply_optfile(job, g->value);
    case W_FORWARD: return job->forward_unknown = true;
    default: apply_pass_on(job, g); return true;
    }
}

/* The row that a word means: its whole name, then NAME=VALUE, then the longest name it begins with. */
static const struct option *find_option(const char *word, const char **out_value)
{
    bool two = word[1] == '-';
    const char *name = word + (two ? 2 : 1);
    size_t n = strcspn(name, "=");
    const struct option *best = NULL;
    *out_value = NULL;
    for (size_t i = 0; i < HW_LEN(options); i++)
        if (strcmp(name, options[i].name) == 0 || (options[i].long_name && strcmp(name, options[i].long_name) == 0))
            return &options[i];
    for (size_t i = 0; i < HW_LEN(options) && name[n]; i++) {
        const struct option *o = &options[i];
        bool same = (strlen(o->name) == n && strncmp(name, o->name, n) == 0) ||
                    (o->long_name && strlen(o->long_name) == n && strncmp(name, o->long_name, n) == 0);
        if (same && o->value != NONE) {
            *out_value = name + n + (o->what == W_WERROR ? 0 : 1);
            return o;
        }
    }
    for (size_t i = 0; i < HW_LEN(options) && !two; i++) {
        const struct option *o = &options[i];
        if ((o->value == GLUE || o->value == REST) && strncmp(name, o->name, strlen(o->name)) == 0 &&
            (!best || strlen(o->name) > strlen(best->name)))
            best = o;
    }
    if (best)
        *out_value = name + strlen(best->name);
    return best;
}

static bool is_werror_kind(const char *word)
{
    static const char *const kinds[] = { "all-warnings", "cross-execution-space-call", "reorder", "default-stream-launch",
                                         "missing-launch-bounds", "ext-lambda-captures-this", "deprecated-declarations" };
    for (size_t i = 0; i < HW_LEN(kinds); i++)
        if (strncmp(word, kinds[i], strlen(kinds[i])) == 0)
            return true;
    return false;
}

/* Fills in the value that stands in the next word. */
static bool take_value(struct given *g, int argc, char **argv, int *at)
{
    const char *next = *at + 1 < argc ? argv[*at + 1] : NULL;
    if (g->opt->value == NONE)
        g->value = "";
    if (g->value)
        return true;
    if (g->opt->value == REST) {
        bool takes = (g->opt->what == W_OPTIMIZE && next && isdigit((unsigned char)next[0]) && !next[1]) ||
                     (g->opt->what == W_WERROR && next && is_werror_kind(next));
        g->value = takes && g->opt->what == W_OPTIMIZE ? next : "";
        *at += takes;
        return true;
    }
    if (!next) {
        cli_error("%s needs a value", g->word);
        return false;
    }
    g->value = next;
    ++*at;
    return true;
}

static enum cc_parse unknown_option(struct cc_job *job, const char *word)
{
    if (job->forward_unknown) {
        cli_add(&job->host, word);
        cli_add(&job->link, word);
        return CC_PARSE_OK;
    }
    char *name = hw_strdup(word + strspn(word, "-"));
    struct hw_nearest near = { .word = name };
    name[strcspn(name, "=")] = 0;
    for (size_t i = 0; i < HW_LEN(options); i++) {
        hw_nearest_try(&near, options[i].name);
        if (options[i].long_name)
            hw_nearest_try(&near, options[i].long_name);
    }
    if (near.name)
        cli_error("unknown option %s; did you mean %s%s? (hostwarp cc --help lists all)", word, strncmp(word, "--", 2) == 0 ? "--" : "-", near.name);
    else
        cli_error("unknown option %s (hostwarp cc --help lists them; -Xcompiler gives any option to clang)", word);
    hw_free(name);
    return CC_PARSE_BAD;
}

/* Questions about the command itself. */
static bool answer(enum what what)
{
    bool is_list = what == W_ARCHLIST || what == W_CODELIST;
    if (what == W_HELP)
        help();
    else if (what == W_VERSION)
        printf("hostwarp cc %s, CUDA 12.3 headers, clang 19\n", CLI_VERSION);
    for (size_t i = 0; is_list && i < HW_LEN(known_archs); i++)
        printf("%s_%d\n", what == W_ARCHLIST ? "compute" : "sm", known_archs[i]);
    return is_list || what == W_HELP || what == W_VERSION;
}

static enum cc_parse parse_list(struct cc_job *job, int argc, char **argv, bool stop_at_file, int *out_used)
{
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (word[0] == '@' && word[1]) {                         /* a response file */
            if (!apply_optfile(job, word + 1))
                return CC_PARSE_BAD;
            continue;
        }
        if (word[0] != '-' || !word[1]) {
            add_item(job, word, job->forced ? job->forced : cc_lang_of(word), false);
            *out_used = i + 1;
            if (stop_at_file)
                return CC_PARSE_OK;
            continue;
        }
        struct given g = { .word = word };
        g.opt = find_option(word, &g.value);
        if (!g.opt) {
            if (unknown_option(job, word) == CC_PARSE_BAD)
                return CC_PARSE_BAD;
            continue;
        }
        if (answer(g.opt->what))
            return CC_PARSE_DONE;
        if (!take_value(&g, argc, argv, &i) || !apply(job, &g))
            return CC_PARSE_BAD;
    }
    *out_used = argc;
    return CC_PARSE_OK;
}

enum cc_parse cc_parse_args(struct cc_job *job, int argc, char **argv, bool stop_at_file, int *out_used)
{
    enum cc_parse rc = parse_list(job, argc, argv, stop_at_file, out_used);
    const char *compiler = job->ccbin ? job->ccbin : getenv("NVCC_CCBIN");
    struct cli_args words = { 0 };
    int used;
    if (rc == CC_PARSE_OK && compiler) {                         /* behind all that was given, as such a compiler puts it */
        job->forced = CC_LANG_AUTO;
        rc = cc_ccbin_words(compiler, &words) ? parse_list(job, (int)words.w.n, cli_argv(&words), false, &used) : CC_PARSE_BAD;
    }
    cli_args_fini(&words);
    return rc;
}

enum cc_lang cc_lang_of(const char *path)
{
    static const struct { const char *ending; enum cc_lang lang; } known[] = {
        { ".cu", CC_LANG_CUDA }, { ".cpp", CC_LANG_CXX }, { ".cc", CC_LANG_CXX }, { ".cxx", CC_LANG_CXX }, { ".C", CC_LANG_CXX },
        { ".c++", CC_LANG_CXX }, { ".c", CC_LANG_C }, { ".s", CC_LANG_ASM }, { ".S", CC_LANG_ASM }, { ".o", CC_LANG_LINK },
        { ".a", CC_LANG_LINK }, { ".so", CC_LANG_LINK }, { ".obj", CC_LANG_LINK },
    };
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot && i < HW_LEN(known); i++)
        if (strcmp(dot, known[i].ending) == 0)
            return known[i].lang;
    return strstr(path, ".so.") ? CC_LANG_LINK : CC_LANG_AUTO;
}

void cc_job_fini(struct cc_job *job)
{
    for (size_t i = 0; i < job->items.n; i++)
        hw_free(job->items.v[i].text);
    hw_vec_fini(&job->items);
    cli_args_fini(&job->both);
    cli_args_fini(&job->host);
    cli_args_fini(&job->device);
    cli_args_fini(&job->link);
    cli_args_fini(&job->after);
    cli_args_fini(&job->run_args);
    hw_free(job->outdir);
    hw_free(job->output);
    hw_free(job->ccbin);
    hw_free(job->depfile);
    hw_free(job->std);
}
