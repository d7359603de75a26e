/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp run`: a program as it is, or a source that is compiled into the cache first. */
#define _GNU_SOURCE
#include "cli/cc.h"
#include "base/stamps.h"

#include "base/hash.h"
#include "base/cache.h"
#include "base/os.h"
#include "base/str.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void help(void)
{
    printf("usage: hostwarp run [CC OPTIONS] FILE.cu [ARGUMENTS]\n"
           "       hostwarp run PROGRAM [ARGUMENTS]\n\n"
           "Runs a CUDA program with hostwarp's libraries. A source (.cu, .cpp, .c) is compiled first, with the options of\n"
           "`hostwarp cc` that stand before it; the result is kept and used again until the source, a header it includes,\n"
           "the options or the compiler change. Standard input, exit status and signals are the program's own.\n\n"
           "  hostwarp run hello.cu\n"
           "  hostwarp run -O2 -Iinclude solver.cu -lm 1000    (-lm and 1000 are the program's arguments)\n"
           "  HOSTWARP_THREADS=4 hostwarp run ./a.out\n\n"
           "hostwarp info lists the variables that change how programs run.\n");
}

/* Everything the result depends on, except the headers: those are in the list beside it. */
static bool source_key(const char *source, int n_options, char **options, const char *clang, char out[33])
{
    size_t n;
    char *text = hw_file_read(source, &n), *full = realpath(source, NULL), *exe = cli_path("bin/hostwarp");
    bool ok = text && full;
    if (ok) {
        struct hw_hash h;
        hw_hash_init(&h);
        stamps_hash_identity(&h, exe);
        stamps_hash_identity(&h, clang);
        hw_hash_str(&h, full);
        hw_hash_add(&h, text, n);
        char cwd[PATH_MAX];
        hw_hash_str(&h, getcwd(cwd, sizeof cwd) ? cwd : "");     /* -I. and the like mean another folder elsewhere */
        for (int i = 0; i < n_options; i++)
            hw_hash_str(&h, options[i]);
        hw_hash_hex(&h, out);
    } else {
        cli_error("%s: %s", source, strerror(errno));
    }
    free(full);
    hw_free(text);
    hw_free(exe);
    return ok;
}

/* Compiles into a program in the temporary folder, with the list of what it was made of beside it. */
static int compile(struct cc_job *job, const char *program, const char *depfile)
{
    hw_free(job->output);
    hw_free(job->depfile);
    job->output = hw_strdup(program);
    job->depfile = hw_strdup(depfile);
    job->wants_depfile = true;
    cli_add(&job->host, "-MMD");
    return cc_job_run(job);
}

/* Into the cache, by way of a second name so that another process never sees half a file. */
static bool keep(const char *program, const char *depfile, const char *kept, const char *kept_list)
{
    struct hw_str stamps = { 0 };
    size_t n;
    char *data = hw_file_read(program, &n), *fresh = hw_sprintf("%s.%d.new", kept, (int)getpid());
    bool ok = data && hw_cache_write(fresh, data, n) && chmod(fresh, 0755) == 0 && rename(fresh, kept) == 0;
    stamps_of_depfile(depfile, &stamps);
    ok = ok && hw_cache_write(kept_list, stamps.s ? stamps.s : "", stamps.n);
    if (!ok)
        unlink(fresh);
    hw_str_fini(&stamps);
    hw_free(fresh);
    hw_free(data);
    return ok;
}

static int exec_failed(const char *name)
{
    int error = errno;
    cli_error("cannot run %s: %s", name, strerror(error));
    return error == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_EXEC;
}

/* argv[0] is the source's name without its ending: programs look for their data beside themselves. */
static int exec_compiled(const char *program, const char *source, int argc, char **argv)
{
    struct cli_args args = { 0 };
    const char *dot = strrchr(source, '.');
    cli_addf(&args, "%.*s", (int)(dot ? dot - source : (long)strlen(source)), source);
    for (int i = 0; i < argc; i++)
        cli_add(&args, argv[i]);
    cli_remove_temp_dir();
    cli_set_library_path();
    fflush(NULL);
    execv(program, cli_argv(&args));
    int status = exec_failed(program);
    cli_args_fini(&args);
    return status;
}

/* What is not in the cache must be deleted afterwards, so we stay and wait. */
static int run_and_wait(const char *program, int argc, char **argv)
{
    struct cli_args args = { 0 };
    cli_add(&args, program);
    for (int i = 0; i < argc; i++)
        cli_add(&args, argv[i]);
    cli_set_library_path();
    int status = cli_spawn(&args);
    cli_args_fini(&args);
    return status;
}

/* kept: where the program is to stay, NULL: nowhere. */
static int compile_and_run(struct cc_job *job, const char *source, const char *kept, const char *kept_list, int argc, char **argv)
{
    const char *temp = cli_temp_dir();
    if (!temp)
        return CLI_FAIL;
    char *program = hw_sprintf("%s/program", temp), *depfile = hw_sprintf("%s/run.d", temp);
    int status = compile(job, program, depfile);
    if (status == 0)
        status = kept && keep(program, depfile, kept, kept_list) ? exec_compiled(kept, source, argc, argv) : run_and_wait(program, argc, argv);
    hw_free(program);
    hw_free(depfile);
    return status;
}

static int run_source(struct cc_job *job, const char *source, int n_options, char **options, int argc, char **argv)
{
    char *dir = hw_cache_dir("run");
    if (!dir)
        return compile_and_run(job, source, NULL, NULL, argc, argv);
    char key[33], *clang = cli_find_clang();
    int status = CLI_FAIL;
    if (clang && source_key(source, n_options, options, clang, key)) {
        char *program = hw_sprintf("%s/%s", dir, key), *list = hw_sprintf("%s/%s.deps", dir, key);
        if (hw_cache_fit(program) && access(program, X_OK) == 0 && hw_cache_fit(list) && stamps_hold(list)) {
            hw_cache_used(program);
            hw_cache_used(list);
            status = exec_compiled(program, source, argc, argv);
        } else {
            hw_cache_trim(dir, hw_cache_limit());
            status = compile_and_run(job, source, program, list, argc, argv);
        }
        hw_free(program);
        hw_free(list);
    }
    hw_free(clang);
    hw_free(dir);
    return status;
}

static int run_program(const char *name, int argc, char **argv)
{
    struct cli_args args = { 0 };
    bool here = !strchr(name, '/') && access(name, X_OK) == 0;   /* `hostwarp run a.out` means ./a.out */
    cli_addf(&args, "%s%s", here ? "./" : "", name);
    for (int i = 0; i < argc; i++)
        cli_add(&args, argv[i]);
    cli_set_library_path();
    cli_exec(&args);
    int status = exec_failed(name);
    cli_args_fini(&args);
    return status;
}

int cmd_run(int argc, char **argv)
{
    if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        help();
        return CLI_OK;
    }
    struct cc_job job = { 0 };
    int used = 0, status;
    bool plain = argc > 1 && strcmp(argv[0], "--") == 0;
    job.line_info = true;                        /* for messages; the code is the same */
    if (plain)
        return run_program(argv[1], argc - 2, argv + 2);
    enum cc_parse rc = cc_parse_args(&job, argc, argv, true, &used);
    if (rc != CC_PARSE_OK) {
        status = rc == CC_PARSE_DONE ? CLI_OK : CLI_USAGE;
    } else if (job.items.n == 0 || job.items.v[job.items.n - 1].is_option) {
        cli_error("which program? hostwarp run --help tells more");
        status = CLI_USAGE;
    } else {
        const char *file = argv[used - 1];
        enum cc_lang lang = job.items.v[job.items.n - 1].lang;
        if (!job.debug)
            cli_add(&job.host, "-gline-tables-only");
        if (lang == CC_LANG_CUDA || lang == CC_LANG_CXX || lang == CC_LANG_C)
            status = run_source(&job, file, used - 1, argv, argc - used, argv + used);
        else if (used > 1)
            cli_error("%s is no source, so the options before it have no meaning", file), status = CLI_USAGE;
        else
            status = run_program(file, argc - used, argv + used);
    }
    cc_job_fini(&job);
    return status;
}
