/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp prof`: runs a program with the profiler on, then shows what was recorded. */
#define _GNU_SOURCE


#include "cli/prof.h"

#include "cli/cli.h"

#include "base/nearest.h"

#include <dirent.h>
#include <errno.h>
#include <unistd.h>

struct options {
    enum prof_format format;
    bool gpu_trace, api_trace, children, from_start_off, no_advice, details;
    const char *timeline, *trace, *log_file, *gpu;
    char *clock_file;            /* what --gpu made the program write */
};

static void help(void)
{
    printf("usage: hostwarp prof [OPTIONS] PROGRAM [ARGUMENTS]\n"
           "       hostwarp prof [OPTIONS] [CC OPTIONS] FILE.cu [ARGUMENTS]\n\n"
           "Runs a program as `hostwarp run` does and shows, on standard error, what the device did and which CUDA functions were\n"
           "called, with times, in nvprof's format. Nothing is lost when the program crashes.\n\n"
           "  --print-gpu-trace            every kernel, copy and memset instead of the sums\n"
           "  --print-api-trace            every call instead of the sums\n"
           "  --kernel-details             what kernels did: instructions, memory, divergence, bank conflicts, by source line; slower\n"
           "  --gpu NAME,NAME,...          times of these GPUs, computed: the first is the one that the program sees\n"
           "  --csv, --json                for other programs to read\n"
           "  --log-file FILE              there instead of standard error\n"
           "  --timeline FILE.html         a page with lanes for streams, engines and threads; opens in any browser\n"
           "  --trace FILE.json            the same for Perfetto or chrome://tracing\n"
           "  --profile-from-start off     only between cudaProfilerStart and cudaProfilerStop\n"
           "  --profile-child-processes    all processes, not only the first that uses CUDA\n"
           "  --no-advice                  no hints after the tables\n\n"
           "  hostwarp prof --timeline run.html solver.cu 1000\n");
}

enum kind { SWITCH, VALUE };

/* Our own options stand first; what is not ours belongs to `hostwarp run`. Answers how many words were taken, negative: wrong. */
static int parse(int argc, char **argv, struct options *o)
{
    const struct { const char *name; enum kind kind; void *to; } known[] = {
        { "--print-gpu-trace", SWITCH, &o->gpu_trace },   { "--print-api-trace", SWITCH, &o->api_trace },
        { "--no-advice", SWITCH, &o->no_advice },         { "--profile-child-processes", SWITCH, &o->children },
        { "--timeline", VALUE, &o->timeline },            { "--trace", VALUE, &o->trace },
        { "--log-file", VALUE, &o->log_file },            { "--kernel-details", SWITCH, &o->details },
        { "--gpu", VALUE, &o->gpu },
    };
    int i = 0;
    for (; i < argc; i++) {
        size_t k = 0;
        if (strcmp(argv[i], "--csv") == 0 || strcmp(argv[i], "--json") == 0) {
            o->format = argv[i][2] == 'c' ? PROF_CSV : PROF_JSON;
            continue;
        }
        if (strcmp(argv[i], "--profile-from-start") == 0 && i + 1 < argc) {
            o->from_start_off = strcmp(argv[++i], "off") == 0;
            continue;
        }
        while (k < HW_LEN(known) && strcmp(argv[i], known[k].name) != 0)
            k++;
        if (k == HW_LEN(known)) {
            struct hw_nearest near = { .word = argv[i] };
            for (size_t j = 0; argv[i][0] == '-' && j < HW_LEN(known); j++)
                hw_nearest_try(&near, known[j].name);
            if (!near.name)
                break;
            cli_error("there is no option %s; did you mean %s?", argv[i], near.name);
            return -1;
        }
        if (known[k].kind == SWITCH) {
            *(bool *)known[k].to = true;
        } else if (i + 1 < argc) {
            *(const char **)known[k].to = argv[++i];
        } else {
            cli_error("%s needs a %s", argv[i], known[k].to == (void *)&o->gpu ? "name" : "file");
            return -1;
        }
    }
    return i;
}

static bool is_source(const char *word)
{
    const char *dot = strrchr(word, '.');
    return dot && (strcmp(dot, ".cu") == 0 || strcmp(dot, ".cpp") == 0 || strcmp(dot, ".c") == 0 || strcmp(dot, ".cc") == 0);
}

/* As `hostwarp run` would; sources with line numbers, so that advice can name them. */
static int run_program(int argc, char **argv, bool details)
{
    struct cli_args args = { 0 };
    char *self = cli_path("bin/hostwarp");
    int first = 0;
    while (first < argc && argv[first][0] == '-')
        first++;
    cli_add(&args, self);
    cli_add(&args, "run");
    if (first < argc && is_source(argv[first]))
        cli_add(&args, "-g");
    if (details && first < argc && is_source(argv[first]))
        cli_add(&args, "-lineinfo");
    for (int i = 0; i < argc; i++)
        cli_add(&args, argv[i]);
    int status = cli_spawn(&args);
    cli_args_fini(&args);
    hw_free(self);
    return status;
}

/* --- after the run --- */

/* Who profiles a program for the first time wonders about its launches. */
static void show_compiling(const struct prof_data *d, FILE *out)
{
    uint64_t n = 0, ns = 0;
    char text[32];
    for (size_t i = 0; i < d->ranges.n; i++) {
        const struct prof_span *s = &d->ranges.v[i];
        n += s->r->type == PROF_COMPILE;
        ns += s->r->type == PROF_COMPILE ? s->end - s->start : 0;
    }
    if (n)
        fprintf(out, "\n==%u== %s of the API calls went into compiling %llu kernel%s. A second run takes %s from the cache.\n", d->header->pid,
                prof_time_text((double)ns, text), (unsigned long long)n, n == 1 ? "" : "s", n == 1 ? "it" : "them");
}

static void show_advice(const struct prof_data *d, FILE *out)
{
    struct prof_advices a = { 0 };
    prof_advise(d, &a);
    if (a.v.n)
        fprintf(out, "\n==%u== Advice:\n", d->header->pid);
    for (size_t i = 0; i < a.v.n; i++) {
        fprintf(out, "  * %s", a.v.v[i].text);
        if (a.v.v[i].place)
            fprintf(out, "\n    at %s", a.v.v[i].place);
        fprintf(out, " [%s]\n", a.v.v[i].rule);
    }
    prof_advices_fini(&a);
}

static void show(const struct prof_data *d, const struct options *o, FILE *out)
{
    if (o->format == PROF_JSON) {
        prof_print_json(d, out);
        return;
    }
    if (o->gpu_trace)
        prof_print_gpu_trace(d, o->format, out);
    if (o->api_trace)
        prof_print_api_trace(d, o->format, out);
    if (!o->gpu_trace && !o->api_trace)
        prof_print_summary(d, o->format, out);
    if (o->details)
        prof_print_details(d, o->format, out);
    if (!o->no_advice && o->format == PROF_TEXT && !o->gpu_trace && !o->api_trace) {
        if (!o->details)                         /* instrumented code is not kept */
            show_compiling(d, out);
        show_advice(d, out);
    }
    if (d->header->lost)
        fprintf(out, "==%u== Warning: %llu records were lost: the disk is full, or there are more than 8 GiB of them\n", d->header->pid,
                (unsigned long long)d->header->lost);
}

/* out.html of a second process is out.PID.html. hw_free it. */
static char *name_for(const char *path, const struct prof_data *d, bool first)
{
    const char *dot = strrchr(path, '.');
    if (first)
        return hw_strdup(path);
    if (!dot || strchr(dot, '/'))
        return hw_sprintf("%s.%u", path, d->header->pid);
    return hw_sprintf("%.*s.%u%s", (int)(dot - path), path, d->header->pid, dot);
}

static bool show_process(const char *path, const struct options *o, bool first, FILE *out)
{
    struct prof_data d;
    bool ok = true;
    if (!prof_load(path, &d))
        return false;
    show(&d, o, out);
    if (o->clock_file && first && o->format == PROF_TEXT)
        prof_print_gpus(o->clock_file, &d, out);
    if (o->timeline) {
        char *file = name_for(o->timeline, &d, first);
        ok = prof_write_timeline(&d, o->clock_file && first ? getenv("HOSTWARP_GPU") : NULL, file) && ok;
        hw_free(file);
    }
    if (o->trace) {
        char *file = name_for(o->trace, &d, first);
        ok = prof_write_trace(&d, file) && ok;
        hw_free(file);
    }
    prof_unload(&d);
    return ok;
}

static int not_dots(const struct dirent *e) { return strncmp(e->d_name, "prof", 4) == 0; }

static bool show_all(const char *folder, const struct options *o)
{
    struct dirent **list = NULL;
    FILE *out = o->log_file ? fopen(o->log_file, "w") : stderr;
    bool ok = out != NULL;
    int n = scandir(folder, &list, not_dots, versionsort);
    if (!ok)
        cli_error("cannot write %s: %s", o->log_file, strerror(errno));
    if (ok && n <= 0)
        fprintf(stderr, "======== Warning: No CUDA application was profiled: the program did not load hostwarp's libcuda.so.1\n");
    bool several = ok && o->children && o->format == PROF_JSON;  /* one array of all processes */
    if (several)
        fputs("[\n", out);
    for (int i = 0; i < n; i++) {
        char *path = hw_sprintf("%s/%s", folder, list[i]->d_name);
        if (several && i)
            fputs(",\n", out);
        ok = ok && show_process(path, o, i == 0, out);
        hw_free(path);
        free(list[i]);
    }
    free(list);
    if (several)
        fputs("]\n", out);
    if (out && out != stderr)
        fclose(out);
    return ok;
}

int cmd_prof(int argc, char **argv)
{
    struct options o = { 0 };
    if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        help();
        return CLI_OK;
    }
    int used = parse(argc, argv, &o);
    if (used < 0 || used == argc) {
        if (used >= 0)
            cli_error("which program? hostwarp prof --help tells more");
        return CLI_USAGE;
    }
    const char *temp = cli_temp_dir();
    if (!temp)
        return CLI_FAIL;
    char *file = hw_sprintf("%s/prof%s", temp, o.children ? ".%p" : "");
    setenv("HOSTWARP_PROF", file, 1);
    setenv("HOSTWARP_PROF_START", o.from_start_off ? "0" : "1", 1);
    setenv("HOSTWARP_PROF_DETAILS", o.details ? "1" : "0", 1);
    hw_free(file);
    if (o.gpu)
        setenv("HOSTWARP_GPU", o.gpu, 1);
    if (o.gpu || (getenv("HOSTWARP_GPU") && *getenv("HOSTWARP_GPU"))) {
        o.clock_file = hw_sprintf("%s/clock", temp);
        setenv("HOSTWARP_CLOCK_OUT", o.clock_file, 1);
    }
    int status = run_program(argc - used, argv + used, o.details);
    bool ok = show_all(temp, &o);
    hw_free(o.clock_file);
    return status ? status : ok ? CLI_OK : CLI_FAIL;
}
