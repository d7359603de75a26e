/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp check`: runs a program with the checker inside, reads its reports from a pipe, and shows them with lines of the source. */
#define _GNU_SOURCE
#include "cli/check.h"

#include "base/os.h"
#include "base/str.h"
#include "cli/cc.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void help(void)
{
    printf("usage: hostwarp check [OPTIONS] PROGRAM|FILE.cu [ARGUMENTS]\n\n"
           "Runs a CUDA program and looks for mistakes: accesses outside of memory or to memory that was freed, races between threads in shared and in\n"
           "global memory, commands of two streams that touch the same memory in no order, host code that touches memory which queued work still uses,\n"
           "barriers that not all threads come to, calls that failed, what was never given back. Reports come on standard error as they are found, with both\n"
           "places. A source is compiled first, with line information. Build programs with -lineinfo (kernels) and -g (host code) to see lines.\n\n"
           "  --tool LIST            memory, leak, api, race, hazard, sync, or all (the default), with commas between\n"
           "  --error-exitcode N     exit status when there are reports; the default is 1\n"
           "  --suppress FILE        reports not to be shown: a name on each line, with * for any characters, and perhaps a place (race.shared reduce.cu:*)\n"
           "  --help                 this text\n\n"
           "The exit status is that of the program if nothing was found.\n");
}

struct options {
    const char *tools, *suppress;
    int exit_code;
};

static bool is_option(const char *word, size_t n, const char *name) { return n == strlen(name) && strncmp(word, name, n) == 0; }

/* The number of words that were options, or -1. */
static int parse(int argc, char **argv, struct options *o)
{
    int i = 0;
    *o = (struct options){ "all", NULL, 1 };
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        const char *equals = strchr(argv[i], '='), *value = equals ? equals + 1 : i + 1 < argc ? argv[i + 1] : NULL;
        size_t n = equals ? (size_t)(equals - argv[i]) : strlen(argv[i]);
        if (!value) {
            cli_error("%s needs a value; hostwarp check --help tells more", argv[i]);
            return -1;
        }
        if (is_option(argv[i], n, "--tool"))
            o->tools = value;
        else if (is_option(argv[i], n, "--suppress"))
            o->suppress = value;
        else if (is_option(argv[i], n, "--error-exitcode"))
            o->exit_code = atoi(value);
        else {
            cli_error("there is no option %s; hostwarp check --help tells more", argv[i]);
            return -1;
        }
        i -= equals ? 1 : 0;
    }
    return i;
}

static bool is_source(const char *name)
{
    const char *dot = strrchr(name, '.');
    return dot && (strcmp(dot, ".cu") == 0 || strcmp(dot, ".cpp") == 0 || strcmp(dot, ".c") == 0 || strcmp(dot, ".cc") == 0);
}

/* Beside what the user preloads. */
static void preload(void)
{
    const char *old = getenv("LD_PRELOAD");
    char *lib = cli_path("lib/libhostwarp-check.so"), *both = old && *old ? hw_sprintf("%s:%s", lib, old) : hw_strdup(lib);
    if (access(lib, R_OK) == 0)
        setenv("LD_PRELOAD", both, 1);
    hw_free(both);
    hw_free(lib);
}

/* In the child: as `hostwarp run`, with line information where it compiles. */
static int run_checked(const struct options *o, int to, int argc, char **argv)
{
    struct cli_args args = { 0 };
    char *fd = hw_sprintf("%d", to);
    bool source = false;
    for (int i = 0; i < argc; i++)
        source |= is_source(argv[i]);
    if (source && access(argv[0], X_OK) != 0) {
        cli_add(&args, "-lineinfo");
        cli_add(&args, "-g");
    }
    for (int i = 0; i < argc; i++)
        cli_add(&args, argv[i]);
    setenv("HOSTWARP_CHECK", o->tools, 1);
    setenv("HOSTWARP_CHECK_FD", fd, 1);
    preload();
    hw_free(fd);
    int status = cmd_run((int)args.w.n, cli_argv(&args));
    cli_args_fini(&args);
    return status;
}

static int status_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

int cmd_check(int argc, char **argv)
{
    struct options o;
    struct check_reader reader;
    int ends[2], status = 0;
    if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        help();
        return CLI_OK;
    }
    int used = parse(argc, argv, &o);
    if (used < 0 || used == argc) {
        if (used == argc)
            cli_error("which program? hostwarp check --help tells more");
        return CLI_USAGE;
    }
    if (!check_reader_init(&reader, o.suppress))
        return CLI_USAGE;
    if (pipe(ends) != 0) {
        cli_error("no pipe: %s", strerror(errno));
        return CLI_FAIL;
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        _exit(run_checked(&o, ends[1], argc - used, argv + used));
    }
    close(ends[1]);
    if (child < 0) {
        cli_error("cannot start a process: %s", strerror(errno));
        return CLI_FAIL;
    }
    check_read(&reader, ends[0]);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    unsigned found = check_summary(&reader);
    return found ? o.exit_code : status_of(status);
}
