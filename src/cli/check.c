/* SPDX-License-Identifier: Apache-2.0 */
/* `hostwarp check`: runs a program with the checker inside, reads its reports from a pipe, and shows them with lines of the source. */
#define _GNU_SOURCE
#include "cli/check.h"

#include "base/os.h"
#include "base/str.h"
#include "check/check.h"
#include "cli/cc.h"
#include "cli/cli.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOOL_NAME(id, name) name ", "
#define TOOL_ROW(id, name) name,
#define EXTRA_NAME(id, name) name " "

static void help(void)
{
    printf("usage: hostwarp check [OPTIONS] PROGRAM|FILE.cu [ARGUMENTS]\n\n"
           "Runs a CUDA program and looks for mistakes: accesses outside of memory or to memory that was freed, reads of what was never written, races between\n"
           "threads, commands and host code that touch the same memory in no order, barriers that not all threads come to, calls that failed and that nobody\n"
           "looked at, what was never given back. Reports come on standard error as they are found, with all places. A source is compiled first, with line\n"
           "information. Build programs with -lineinfo (kernels) and -g (host code) to see lines.\n\n"
           "  --tool LIST            " CHECK_TOOLS(TOOL_NAME) "or all (the default), with commas between;\n"
           "                         also compute-sanitizer's names: memcheck, racecheck, initcheck, synccheck\n"
           "  --also LIST            what is not said otherwise: " CHECK_EXTRAS(EXTRA_NAME) "(races of equal values, of volatile accesses)\n"
           "  --error-exitcode N     exit status when there are reports; the default is 1\n"
           "  --json FILE            also write the reports as JSON\n"
           "  --xml FILE             also write them as XML, in compute-sanitizer's elements\n"
           "  --html FILE            also write a page that opens in any browser, without a network\n"
           "  --suppress FILE        reports not to be shown: a name on each line, with * for any characters, and perhaps a place (race.shared reduce.cu:*)\n"
           "  --gen-suppressions     print such lines for the reports that were shown\n"
           "  --help                 this text\n\n"
           "The exit status is that of the program if nothing was found. NO_COLOR=1: no colours on a terminal.\n");
}

struct options {
    const char *tools, *also, *suppress, *exit_code, *json, *xml, *html;
    bool gen_suppressions;
    int status;                  /* exit_code as a number */
};

/* compute-sanitizer's names of tools. */
static const struct { const char *theirs, *ours; } tool_names[] = {
    { "memcheck", "memory,api" }, { "racecheck", "race" }, { "initcheck", "init" }, { "synccheck", "sync" },
};

static const char *our_tools(const char *name)
{
    for (size_t i = 0; i < HW_LEN(tool_names); i++)
        if (strcmp(name, tool_names[i].theirs) == 0)
            return tool_names[i].ours;
    return name;
}

static bool known_words(const char *list, const char *const *names, size_t n_names, const char *what)
{
    for (const char *p = list; ; p++) {
        size_t n = strcspn(p, ","), k = 0;
        while (k < n_names && (strlen(names[k]) != n || strncmp(names[k], p, n) != 0))
            k++;
        if (k == n_names) {
            cli_error("there is no %s `%.*s`; hostwarp check --help lists them", what, (int)n, p);
            return false;
        }
        p += n;
        if (!*p)
            return true;
    }
}

static bool good_values(struct options *o)
{
    static const char *const tools[] = { CHECK_TOOLS(TOOL_ROW) "all" }, *const extras[] = { CHECK_EXTRAS(TOOL_ROW) };
    char *end;
    long status = strtol(o->exit_code, &end, 10);
    if (*end || end == o->exit_code || status < 0 || status > 255) {
        cli_error("--error-exitcode takes a number from 0 to 255, not %s", o->exit_code);
        return false;
    }
    o->status = (int)status;
    o->tools = our_tools(o->tools);
    return known_words(o->tools, tools, HW_LEN(tools), "tool") && (!o->also || known_words(o->also, extras, HW_LEN(extras), "kind of report"));
}

/* The number of words that were options, or -1. */
static int parse(int argc, char **argv, struct options *o)
{
    const struct { const char *name, **value; bool *flag; } known[] = {
        { "--tool", &o->tools, NULL }, { "--also", &o->also, NULL }, { "--suppress", &o->suppress, NULL }, { "--error-exitcode", &o->exit_code, NULL }, { "--json", &o->json, NULL },
        { "--xml", &o->xml, NULL }, { "--html", &o->html, NULL }, { "--gen-suppressions", NULL, &o->gen_suppressions },
    };
    int i = 0;
    *o = (struct options){ .tools = "all", .exit_code = "1" };
    while (i < argc && strncmp(argv[i], "--", 2) == 0 && argv[i][2]) {
        size_t n = strcspn(argv[i], "="), k = 0;
        const char *equals = argv[i][n] ? argv[i] + n + 1 : NULL, *word = argv[i];
        while (k < HW_LEN(known) && (strlen(known[k].name) != n || strncmp(known[k].name, word, n) != 0))
            k++;
        if (k == HW_LEN(known) || (known[k].flag && equals)) {
            cli_error("there is no option %s; hostwarp check --help tells more", word);
            return -1;
        }
        i++;
        if (known[k].flag) {
            *known[k].flag = true;
        } else if (!equals && i == argc) {
            cli_error("%s needs a value; hostwarp check --help tells more", word);
            return -1;
        } else {
            *known[k].value = equals ? equals : argv[i++];
        }
    }
    return good_values(o) ? i : -1;
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
    char *tools = o->also ? hw_sprintf("%s,%s", o->tools, o->also) : hw_strdup(o->tools);
    setenv("HOSTWARP_CHECK", tools, 1);
    hw_free(tools);
    setenv("HOSTWARP_CHECK_FD", fd, 1);
    preload();
    hw_free(fd);
    int status = cmd_run((int)args.w.n, cli_argv(&args));
    cli_args_fini(&args);
    return status;
}

static int status_of(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status); }

static void print_suppressions(const struct check_log *log)
{
    fprintf(stderr, log->reports.n ? "hostwarp check: lines for --suppress:\n" : "");
    for (size_t k = 0; k < log->reports.n; k++) {
        struct hw_str line = { 0 };
        check_suppression_for(&line, log->reports.v[k]);
        fprintf(stderr, "%s\n", line.s);
        hw_str_fini(&line);
    }
}

/* What is left when the program is over. */
static int finish(const struct options *o, const struct check_log *log)
{
    bool ok = true;
    check_text_summary(stderr, log);
    if (o->gen_suppressions)
        print_suppressions(log);
    if (o->json)
        ok = check_write_json(log, o->json) && ok;
    if (o->xml)
        ok = check_write_xml(log, o->xml) && ok;
    if (o->html)
        ok = check_write_html(log, o->html) && ok;
    return log->reports.n ? o->status : ok ? log->status : CLI_FAIL;
}

int cmd_check(int argc, char **argv)
{
    struct options o;
    struct check_suppressions suppressions = { 0 };
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
    if (o.suppress && !check_suppressions_read(&suppressions, o.suppress))
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
    struct check_log log = { .argc = argc - used, .argv = argv + used };
    struct check_reader reader = { .suppressions = &suppressions, .log = &log };
    check_read(&reader, ends[0]);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    log.status = status_of(status);
    check_settle(&reader);
    return finish(&o, &log);
}
